"""Where a correspondence resource leads: Link, Link-Template, and the same targets for Atom (§7).

The rule: a target is somewhere that can be asked as it stands. The wake stream is not until an identity is put into
its template, so it is advertised as a template only: RFC 9652 in a header, a foreign element in a feed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import http_sf
from http_sf.types import BareItemType
from starlette.requests import Request

from corr_tui.server.refusal import DOCUMENTATION
from corr_tui.server.submission import ATOM, VENDOR_JSON

VOICE_RELATION = "https://agenttool.dev/rels/correspondence-voice"
CLAIMS_RELATION = "https://agenttool.dev/rels/active-claims"
LIVE_RELATION = "https://agenttool.dev/rels/correspondence-live"
LIVE_TEMPLATE = "/v1/wake/voice?identity_id={identity_id}&keys=correspondence"
LIVE_TYPE = "text/event-stream"

_AUTHORITY = re.compile(r"[A-Za-z0-9._-]+(:[0-9]+)?|\[[0-9A-Fa-f:.]+\](:[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Target:
    """One link: where it leads, how, and to which media type."""

    address: str
    relation: str
    media_type: str


@dataclass(frozen=True, slots=True)
class Links:
    """Everything one representation leads to; `targets` begin with itself."""

    targets: tuple[Target, ...]
    template: str
    """The URI template of the wake stream."""

    def fields(self) -> dict[str, str]:
        """The Link and Link-Template header fields."""
        parameters: dict[str, BareItemType] = {"rel": LIVE_RELATION, "type": LIVE_TYPE}
        link = (f'<{each.address}>; rel="{each.relation}"; type="{each.media_type}"' for each in self.targets)
        return {"Link": ", ".join(link), "Link-Template": http_sf.ser([(self.template, parameters)])}


def links(request: Request, resource: str, query: Mapping[str, str], media_type: str) -> Links:
    """Where `resource` leads when it is served as `media_type`; `query` is what it was asked (§7).

    Only events have an alternate: a feed leads to the JSON of the same page, and each JSON to the feed.
    """
    base = _base(request)
    root = f"{base}/v1/correspondence"
    here = f"{root}/{resource}?{_encode(query)}"
    focus = {name: query[name] for name in ("repository_id", "thread_id") if name in query}
    claims_query = query if resource == "claims" else focus
    alternate = VENDOR_JSON if media_type == ATOM else ATOM
    targets = [
        Target(here, "self", media_type),
        *([Target(here, "alternate", alternate)] if resource == "events" else []),
        Target(DOCUMENTATION, "describedby", "text/markdown"),
        Target(f"{root}/voice?{_encode(focus)}", VOICE_RELATION, VENDOR_JSON),
        Target(f"{root}/claims?{_encode(claims_query)}", CLAIMS_RELATION, VENDOR_JSON),
    ]
    return Links(tuple(targets), base + LIVE_TEMPLATE)


def _base(request: Request) -> str:
    """The scheme and authority the request came to; nothing when its Host is no plain authority."""
    authority = request.headers.get("host", "")
    return f"{request.url.scheme}://{authority}" if _AUTHORITY.fullmatch(authority) else ""


def _encode(query: Mapping[str, str]) -> str:
    return urlencode(query, quote_via=quote, safe="")
