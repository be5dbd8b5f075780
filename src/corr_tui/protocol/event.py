"""The signed event: a closed envelope around a closed body (§2.1).

`read_core` and `read_event` take a parsed object and give the typed view of it. The parsed object itself stays the
evidence: it is what was signed, absent fields stay absent, and nothing is ever signed or hashed from the view.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec

from corr_tui.protocol.bodies import BODIES, KINDS, Body, Kind, cited
from corr_tui.protocol.errors import EventRefused, Issue
from corr_tui.protocol.scalars import (
    Branch,
    EventId,
    OpaqueId,
    PathPrefix,
    Revision,
    SessionSeq,
    SignatureValue,
    Timestamp,
    Uuid,
    check_no_grants,
    constant,
    one_of,
)
from corr_tui.protocol.shape import Items, Record, shape_of

PROTOCOL = "agent-correspondence/v0.1"
AUTHORITY: Mapping[str, object] = {"automatic_action": "never", "grants": []}
"""The exact authority object of every event: it grants nothing (§1)."""


class Sender(Record, frozen=True):
    """Who signed, with which key, from which installation, in which run; four separate facts (§2.1)."""

    noun: ClassVar[str] = "sender"

    identity_id: Uuid
    signing_key_id: Uuid
    device_id: Uuid
    session_id: Uuid


class Scope(Record, frozen=True):
    """Where in the repository (§2.2); revision and branch are null when unknown."""

    noun: ClassVar[str] = "scope"

    base_revision: Revision | None
    branch: Branch | None
    paths: Annotated[list[PathPrefix], Items(1, 64)]


class Authority(Record, frozen=True):
    """What an event authorises: nothing (§1)."""

    noun: ClassVar[str] = "authority"

    automatic_action: Annotated[str, constant("never", "authority_automatic_action")]
    grants: Annotated[list[str], check_no_grants]


class Signature(Record, frozen=True):
    """The Ed25519 signature over the signing digest (§3)."""

    noun: ClassVar[str] = "signature"

    algorithm: Annotated[str, constant("Ed25519", "signature_algorithm")]
    value_b64url: SignatureValue


def _any_object(value: object) -> None:
    """The body is checked once its kind is known."""


class _CoreShape(Record, frozen=True):
    protocol: Annotated[str, constant(PROTOCOL, "protocol_unknown")]
    project_id: Uuid
    repository_id: OpaqueId
    thread_id: OpaqueId
    sender: Sender
    kind: Annotated[str, one_of(frozenset(KINDS), "kind_unknown")]
    parents: Annotated[list[EventId], Items(0, 16)]
    session_seq: SessionSeq
    issued_at: Timestamp
    scope: Scope
    body: Annotated[dict[str, Any], _any_object]
    authority: Authority


class _EventShape(_CoreShape, frozen=True, kw_only=True):
    event_id: EventId
    signature: Signature


class Core(msgspec.Struct, frozen=True, kw_only=True):
    """The typed view of an event without its identifier and signature: what a signature covers (§3)."""

    project_id: str
    repository_id: str
    thread_id: str
    sender: Sender
    kind: Kind
    parents: tuple[str, ...]
    session_seq: int
    issued_at: str
    scope: Scope
    body: Body
    evidence: dict[str, Any]
    """The parsed object as received, which is what was signed."""

    @property
    def cited(self) -> tuple[str, ...]:
        """The event ids the body depends on (§5)."""
        return cited(self.body)


class Event(Core, frozen=True, kw_only=True):
    """The typed view of a signed event."""

    event_id: str
    signature: Signature


def read_core(value: object) -> Core:
    """The view of an unsigned core, or EventRefused with every broken rule (§2.1, §5)."""
    return Core(**_view(value, _CoreShape))


def read_event(value: object) -> Event:
    """The view of a signed event, or EventRefused with every broken rule (§2.1, §5).

    The identifier and the signature are checked for form only; `signing.verify` proves them.
    """
    return _event(_view(value, _EventShape))


def read_event_again(value: dict[str, Any]) -> Event:
    """The view of a signed event that `read_event` has admitted before, without going through the rules again (§3).

    Whoever calls has proved that it is the same, as by its identifier. Of any other value the view is no event, or the
    error of whatever was missing: KeyError, TypeError or msgspec.ValidationError.
    """
    return _event(_viewed(value, BODIES[value["kind"]]))


def _event(view: dict[str, Any]) -> Event:
    evidence = view["evidence"]
    signature = msgspec.convert(evidence["signature"], Signature)
    return Event(**view, event_id=evidence["event_id"], signature=signature)


def _view(value: object, shape: type[Record]) -> dict[str, Any]:
    """The fields of the view of an object that breaks no rule: fields, then the body of its kind, then citations."""
    issues: list[Issue] = []
    shape_of(shape)(value, (), issues)
    if not isinstance(value, dict):
        raise EventRefused(tuple(issues))
    kind = value.get("kind")
    record = BODIES.get(kind) if isinstance(kind, str) else None
    if record is not None and "body" in value:
        shape_of(record)(value["body"], ("body",), issues)
    if issues or record is None:
        raise EventRefused(tuple(issues))
    view = _viewed(value, record)
    if not set(value["parents"]).issuperset(cited(view["body"])):
        message = "must hold every event the body cites"
        raise EventRefused((Issue(("parents",), "cited_event_not_in_parents", message),))
    return view


def _viewed(value: dict[str, Any], body: type[Body]) -> dict[str, Any]:
    """The fields of the view of an object whose body is one of `body`."""
    return {
        "project_id": value["project_id"],
        "repository_id": value["repository_id"],
        "thread_id": value["thread_id"],
        "sender": msgspec.convert(value["sender"], Sender),
        "kind": value["kind"],
        "parents": tuple(value["parents"]),
        "session_seq": value["session_seq"],
        "issued_at": value["issued_at"],
        "scope": msgspec.convert(value["scope"], Scope),
        "body": msgspec.convert(value["body"], body),
        "evidence": value,
    }
