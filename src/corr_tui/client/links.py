"""Where a service says its other resources are: Link (RFC 8288) and Link-Template (RFC 9652).

The bearer goes with every request, so a link is only followed to the origin it came from; any other target is no
link here, and neither is one that cannot be read, expanded or asked for, in whatever way: then the route that the
specification gives is taken. The live template of §7 is expanded by RFC 6570. The libraries for both are loaded by the
first template: a single command never meets one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

LIVE = "https://agenttool.dev/rels/correspondence-live"
VOICE = "https://agenttool.dev/rels/correspondence-voice"
CLAIMS = "https://agenttool.dev/rels/active-claims"

LIVE_TEMPLATE = "/v1/wake/voice?identity_id={identity_id}&keys=correspondence"
"""The route of §7, for a service that has advertised nothing yet."""

MAX_FIELD = 16 * 1024
"""Characters of a Link-Template field; a longer one is not read."""
MAX_TEMPLATE = 2048
"""Characters of a template, and of the address it expands to."""

_LIBRARY_FAILURES = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError, RuntimeError)
"""What the libraries raise on some fields and templates, beside what they say they raise."""
_ADDRESS = re.compile(r"[!#-;=?-\[\]_a-z~]+")
"""The characters of an address (RFC 3986); anything else in it is refused or read differently by its next reader."""


@dataclass(frozen=True, slots=True)
class WebLink:
    """One link or link template: its target as written, its relations, its media type."""

    target: str
    rels: tuple[str, ...]
    type: str = ""


_LINK = re.compile(
    r'\s*<([^<>"\s]*)>((?:\s*;\s*[\w!#$%&\'*+.^`|~-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]+))?)*)\s*(,|$)'
)
_PARAMETER = re.compile(r';\s*([\w!#$%&\'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]+)))?')


def read_link(field: str) -> tuple[WebLink, ...]:
    """The links of a Link field, as far as it has the form of RFC 8288; what follows a broken one is left out."""
    links: list[WebLink] = []
    at = 0
    while at < len(field) and (found := _LINK.match(field, at)):
        parameters: dict[str, str] = {}
        for name, quoted, token in _PARAMETER.findall(found[2]):
            parameters.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", quoted) or token)
        links.append(_web_link(found[1], parameters))
        at = found.end()
    return tuple(links)


def read_link_template(field: str) -> tuple[WebLink, ...]:
    """The templates of a Link-Template field: a List of Strings (RFC 9652); nothing when it is not one."""
    if len(field) > MAX_FIELD:
        return ()
    import http_sf

    try:
        items = http_sf.parse(field.encode("ascii"), tltype="list")
    except (http_sf.StructuredFieldError, *_LIBRARY_FAILURES):
        return ()
    links: list[WebLink] = []
    for item in items if isinstance(items, list) else ():
        match item:
            case (str(target), dict(parameters)):
                words = {name: value for name, value in parameters.items() if isinstance(value, str)}
                links.append(_web_link(target, words))
            case _:
                continue
    return tuple(links)


def _web_link(target: str, parameters: Mapping[str, str]) -> WebLink:
    return WebLink(target, tuple(parameters.get("rel", "").split()), parameters.get("type", ""))


def live_template(field: str) -> str | None:
    """The template of the wake stream in a Link-Template field (§7), or None."""
    for link in read_link_template(field):
        if LIVE in link.rels and "identity_id" in _variables(link.target):
            return link.target
    return None


def _variables(template: str) -> tuple[str, ...]:
    """The names in a template that can be read; none of any other (RFC 6570)."""
    import uritemplate

    try:
        return tuple(uritemplate.variables(template)) if len(template) <= MAX_TEMPLATE else ()
    except _LIBRARY_FAILURES:
        return ()


def _expanded(template: str, identity_id: str) -> str | None:
    """What a template expands to, or None when it does not (RFC 6570)."""
    import uritemplate

    try:
        return uritemplate.expand(template, identity_id=identity_id) if len(template) <= MAX_TEMPLATE else None
    except _LIBRARY_FAILURES:
        return None


def expand_live(template: str | None, base_url: str, identity_id: str) -> str:
    """The address of the wake stream for one identity, always on the origin of `base_url` (§7).

    A template that leads to another origin, to none, or nowhere is passed over for the route the specification gives.
    """
    target = _expanded(template, identity_id) if template is not None else None
    advertised = _on_origin(base_url, target) if target is not None else None
    return advertised or base_url + LIVE_TEMPLATE.replace("{identity_id}", quote(identity_id, safe=""))


def _on_origin(base_url: str, target: str) -> str | None:
    """A target put together anew on the origin of `base_url`, or None when it is on another: two readers of one URL
    need not agree on its host, so the host is never taken from the target."""
    try:
        joined = urljoin(f"{base_url}/", target)
        parts = urlsplit(joined)
    except ValueError:
        return None
    if origin(joined) != origin(base_url):
        return None
    base = urlsplit(base_url)
    address = urlunsplit((base.scheme, base.netloc, parts.path, parts.query, ""))
    return address if len(address) <= MAX_TEMPLATE and _ADDRESS.fullmatch(address) else None


def origin(url: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port of an absolute http or https URL, or None for anything else."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        return None
    return parts.scheme, parts.hostname, port
