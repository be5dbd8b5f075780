"""Exact bytes and the headers that describe them (§7).

The rule: one response is one string of bytes; the strong entity tag is the SHA-256 of just those bytes; HEAD and 304
carry every header of the 200 and no body. Answers to a bearer are private and are never sniffed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from corr_tui.server.links import Links
from corr_tui.server.record import compact
from corr_tui.server.refusal import Refused
from corr_tui.server.submission import ATOM, PLAIN_JSON, VENDOR_JSON

JSON_OFFERS = (VENDOR_JSON, PLAIN_JSON)
"""The two JSON media types, the default first."""

EVENT_OFFERS = (*JSON_OFFERS, ATOM)
"""What a page of events is offered as."""

_ENTITY_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_QUALITY = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")


class _Range(NamedTuple):
    """One media range of an Accept field: how closely it fits an offer, and its quality."""

    closeness: int
    quality: float


def negotiate(accept: str, offers: Sequence[str]) -> str | None:
    """The offer that an Accept field prefers, the first of equals; None when it admits none (§7)."""
    if not accept.strip():
        return offers[0]
    best: str | None = None
    best_quality = 0.0
    for offer in offers:
        ranges = [fit for part in accept.split(",") if (fit := _fit(part, offer))]
        quality = max(ranges).quality if ranges else 0.0
        if quality > best_quality:
            best, best_quality = offer, quality
    return best


def _fit(media_range: str, offer: str) -> _Range | None:
    """How a media range fits an offer. Parameters before q must be charset=utf-8; those after it do not matter."""
    kind, *parameters = [part.strip().lower() for part in media_range.split(";")]
    closeness = {offer: 20, offer.split("/")[0] + "/*": 10, "*/*": 0}.get(kind)
    if closeness is None:
        return None
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            return _Range(closeness, float(value) if _QUALITY.fullmatch(value.strip()) else 0.0)
        if (name.strip(), value.strip().strip('"')) != ("charset", "utf-8"):
            return None
        closeness += 1
    return _Range(closeness, 1.0)


def chosen(request: Request, offers: Sequence[str] = JSON_OFFERS) -> str:
    """The media type to answer a request in; raises Refused (406)."""
    offer = negotiate(",".join(request.headers.getlist("accept")), offers)
    if offer is None:
        message = f"This resource is available as {' or '.join(offers)}."
        raise Refused(406, "representation_not_acceptable", message, headers={"Vary": "Accept, Authorization"})
    return offer


def collection(request: Request, body: bytes, media_type: str, links: Links) -> Response:
    """A collection representation, or its 304."""
    tag = f'"sha256-{sha256(body).hexdigest()}"'
    headers = {
        "Cache-Control": "private, no-cache, no-transform",
        "Content-Type": f"{media_type}; charset=utf-8",
        "ETag": tag,
        **links.fields(),
        "Vary": "Accept, Authorization",
        "X-Content-Type-Options": "nosniff",
    }
    if matches(",".join(request.headers.getlist("if-none-match")), tag):
        return Response(None, 304, headers)
    return _answer(request, body, 200, headers)


def document(
    request: Request,
    text: str,
    status: int = 200,
    *,
    media_type: str = PLAIN_JSON,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A JSON answer that nobody may store."""
    about = {
        "Cache-Control": "private, no-store",
        "Content-Type": f"{media_type}; charset=utf-8",
        "X-Content-Type-Options": "nosniff",
        **(headers or {}),
    }
    return _answer(request, text.encode("utf-8"), status, about)


def refusal(request: Request, refused: Refused) -> Response:
    """A refusal as JSON."""
    headers = {"Cache-Control": "no-store", **refused.headers}
    return document(request, compact(refused.body()), refused.status, headers=headers)


def _answer(request: Request, body: bytes, status: int, headers: Mapping[str, str]) -> Response:
    if request.method != "HEAD":
        return Response(body, status, headers)
    return Response(None, status, {**headers, "Content-Length": str(len(body))})


def matches(if_none_match: str, tag: str) -> bool:
    """Whether an If-None-Match field names a tag: `*`, a list, weak forms too; compared weakly."""
    if if_none_match.strip() == "*":
        return True
    return tag in _ENTITY_TAG.findall(if_none_match)
