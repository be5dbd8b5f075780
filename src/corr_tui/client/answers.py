"""The bodies a service sends that are not of this profile: refusals, identities, keys, the wake document.

Only the members used here are read; all others may come and go. Such bodies may hold numbers with fractions, which
the profile does not admit, so a fraction becomes null instead of a refusal. Everything else stays strict: names once,
UTF-8, no surrogates, bounded size and depth.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec.structs import replace

from corr_tui.client.bounds import MAX_LISTED, MAX_NAME, MAX_WARNINGS, MAX_WORDS, cut
from corr_tui.client.errors import Refused, UnexpectedAnswer, refusal_type
from corr_tui.protocol.errors import Issue, JsonRefused, SignatureRefused
from corr_tui.protocol.signing import decode_key
from corr_tui.protocol.strict_json import COLLECTION_LIMITS, decode

MAX_STEPS = 64
"""Names and indexes of the path of one issue."""
_Body = TypeVar("_Body")


_Identifier = Annotated[str, msgspec.Meta(max_length=MAX_NAME)]


class ListedIdentity(msgspec.Struct, frozen=True):
    """A participant as `/v1/identities` lists it; the name is untrusted text."""

    id: _Identifier
    display_name: str | None = None
    status: str = "active"

    @property
    def active(self) -> bool:
        """Whether the service calls it active."""
        return self.status == "active"


class ListedKey(msgspec.Struct, frozen=True):
    """A signing key as `/v1/identities/{id}/keys` lists it, revoked ones included."""

    kid: _Identifier
    public_key: _Identifier
    active: bool = True
    revoked_at: str | None = None

    @property
    def raw(self) -> bytes | None:
        """The 32 bytes of the key, or None when what is listed is no key."""
        try:
            return decode_key(self.public_key)
        except SignatureRefused:
            return None

    @property
    def revoked(self) -> bool:
        """Whether the service says that the key is no longer in use."""
        return not self.active or self.revoked_at is not None


class NamedProject(msgspec.Struct, frozen=True):
    """The project a bearer belongs to."""

    id: str
    name: str = ""


class _Identities(msgspec.Struct, frozen=True):
    identities: tuple[ListedIdentity, ...]


class _Keys(msgspec.Struct, frozen=True):
    keys: tuple[ListedKey, ...]


class _WakeDocument(msgspec.Struct, frozen=True):
    project: NamedProject


def read_identities(raw: bytes) -> tuple[ListedIdentity, ...]:
    """The identities of a project; raises UnexpectedAnswer."""
    listed = _convert(decode_open(raw), _Identities).identities[:MAX_LISTED]
    return tuple(replace(each, display_name=_name(each.display_name)) for each in listed)


def read_keys(raw: bytes) -> tuple[ListedKey, ...]:
    """The keys of one identity; raises UnexpectedAnswer."""
    return _convert(decode_open(raw), _Keys).keys[:MAX_LISTED]


def read_project(raw: bytes) -> NamedProject:
    """The project of the wake document; raises UnexpectedAnswer."""
    project = _convert(decode_open(raw), _WakeDocument).project
    return replace(project, name=cut(project.name, MAX_NAME))


def read_refusal(status: int, raw: bytes, retry_after: float | None) -> Refused:
    """The refusal in an error body; a body that says nothing usable still makes a refusal with its status."""
    try:
        value = decode_open(raw)
    except UnexpectedAnswer:
        value = None
    body = value if isinstance(value, dict) else {}
    error = _words(body.get("error"))
    return refusal_type(status, error)(
        status, error, _words(body.get("message")), _words(body.get("hint")), _issues(body.get("issues")), retry_after
    )


def decode_open(raw: bytes) -> Any:
    """The one JSON value of a body outside of the profile; raises UnexpectedAnswer."""
    try:
        return decode(raw, COLLECTION_LIMITS)
    except JsonRefused as refused:
        if refused.reason not in ("fractional_number", "exponent_number", "unsafe_integer", "negative_zero"):
            raise UnexpectedAnswer(f"the body is not strict JSON: {refused}") from None
    return _without_fractions(raw)


def _without_fractions(raw: bytes) -> Any:
    """The value with null for each number the profile does not admit, checked once more by the strict decoder."""
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_once, parse_float=_null, parse_int=_safe)
        return decode(json.dumps(value, ensure_ascii=False).encode("utf-8"), COLLECTION_LIMITS)
    except (ValueError, RecursionError, JsonRefused):
        raise UnexpectedAnswer("the body is not JSON that can be read") from None


def _null(_: str) -> None:
    return None


def _safe(digits: str) -> int | None:
    return int(digits) if len(digits) < 16 else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("an object repeats a name")
    return value


def _convert(value: object, body: type[_Body]) -> _Body:
    try:
        return msgspec.convert(value, body)
    except msgspec.ValidationError as error:
        raise UnexpectedAnswer(f"the body has not its form: {error}") from None


def _words(value: object) -> str:
    return cut(value, MAX_WORDS) if isinstance(value, str) else ""


def _name(name: str | None) -> str | None:
    return None if name is None else cut(name, MAX_NAME)


def _step(step: object) -> str | int:
    return step if isinstance(step, int) else _words(step)


def _issues(value: object) -> tuple[Issue, ...]:
    """The broken rules a refusal lists, with a path of names and indexes."""
    issues: list[Issue] = []
    for item in value[:MAX_WARNINGS] if isinstance(value, list) else ():
        if isinstance(item, dict):
            steps = item.get("path")
            path = tuple(map(_step, steps[:MAX_STEPS])) if isinstance(steps, list) else ()
            issues.append(Issue(path, _words(item.get("code")), _words(item.get("message"))))
    return tuple(issues)
