"""What a service answers: receipts, records, pages, the claim projection, the finite voice, wake frames (§4, §6, §7).

These are views of a parsed answer. Members that this profile does not name are ignored, so that a later service can
add some; a member that is named must have its type, and cursors and instants their form, or RecordRefused says which
has not. Identifiers in diagnostics are any strings: a service may speak of an event that is malformed. An event inside
a record is read on its own: one that breaks the profile becomes a MalformedEvent, and does not take the page down.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from corr_tui.protocol.errors import EventRefused, Issue, ProtocolError
from corr_tui.protocol.event import Event, read_event
from corr_tui.protocol.lineage import LineageStatus
from corr_tui.protocol.scalars import check_timestamp

ProjectionStatus = Literal["complete", "truncated", "unavailable"]

Cursor = Annotated[str, msgspec.Meta(pattern=r"\A[1-9][0-9]*\Z", max_length=40)]
"""A positive decimal string without a leading zero (§4), with room for 128 bits."""
ReplayStart = Annotated[str, msgspec.Meta(pattern=r"\A(?:0|[1-9][0-9]*)\Z", max_length=40)]
"""A cursor, or 0 for the beginning."""
"""A receipt cursor (§4), bounded because Python refuses to make a number of very long digit strings."""
Diagnostic = Annotated[str, msgspec.Meta(max_length=4096)]
"""An unsigned word of a service, which may be about a malformed event: several times the longest the profile admits."""

Some = Annotated[tuple[Diagnostic, ...], msgspec.Meta(max_length=16)]
"""The event ids or paths one row of a projection may name (§6, §7.1)."""
MAX_CLAIMS = 128
"""Rows of active claims, and of overlapping ones (§6, §7.1)."""
MAX_RECENT = 50
"""Recent records of a voice, and rows of forks and missing parents seeded from them (§7.1)."""

_Answer = TypeVar("_Answer")


class RecordRefused(ProtocolError):
    """An answer that is not the record this profile describes."""


class Receipt(msgspec.Struct, frozen=True):
    """The service's own word on an append: a replay cursor and its clock; unsigned (§4)."""

    received_seq: Cursor
    received_at: str

    def __post_init__(self) -> None:
        check_timestamp(self.received_at)


class Warning(msgspec.Struct, frozen=True):
    """An advisory of a POST: session_fork or claim_lineage_pending (§7)."""

    code: str
    detail: str
    event_ids: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class MalformedEvent(msgspec.Struct, frozen=True):
    """What a service handed out as an event and is none; `event_id` is what it calls it, perhaps empty."""

    event_id: str
    evidence: Any
    issues: tuple[Issue, ...]


class Record(msgspec.Struct, frozen=True):
    """One stored event with its receipt and the service's current diagnostics (§7)."""

    event: Event | MalformedEvent
    receipt: Receipt
    missing_parents: tuple[Diagnostic, ...]
    lineage_status: LineageStatus
    warnings: tuple[Warning, ...] = ()

    @property
    def seq(self) -> int:
        """The receipt cursor as a number; it may exceed 2^53."""
        return int(self.receipt.received_seq)


class Page(msgspec.Struct, frozen=True):
    """Where a page of events stands in the replay (§7)."""

    after: ReplayStart | None
    next_after: ReplayStart | None
    has_more: bool


class EventsPage(msgspec.Struct, frozen=True):
    """One page of events in ascending receipt order (§7)."""

    events: tuple[Record, ...]
    page: Page


class ClaimScope(msgspec.Struct, frozen=True):
    """The scope of a live claim tip, as the projection repeats it (§6)."""

    base_revision: Diagnostic | None
    branch: Diagnostic | None
    paths: Annotated[tuple[Diagnostic, ...], msgspec.Meta(min_length=1, max_length=64)]


class ActiveClaim(msgspec.Struct, frozen=True):
    """A live claim tip (§6)."""

    claim_id: Diagnostic
    generation: Annotated[int, msgspec.Meta(ge=1)]
    event_id: Diagnostic
    owner_identity_id: Diagnostic
    device_id: Diagnostic
    session_id: Diagnostic
    thread_id: Diagnostic
    scope: ClaimScope
    expires_at: str
    conflicted: bool
    competing_event_ids: Some

    def __post_init__(self) -> None:
        check_timestamp(self.expires_at)


class Claims(msgspec.Struct, frozen=True):
    """The active-claim projection (§6, §7)."""

    evaluated_at: str
    cursor: Cursor | None
    projection_status: ProjectionStatus
    truncated: bool
    claims: Annotated[tuple[ActiveClaim, ...], msgspec.Meta(max_length=MAX_CLAIMS)]

    def __post_init__(self) -> None:
        check_timestamp(self.evaluated_at)


class MissingParents(msgspec.Struct, frozen=True):
    """An event and those of its parents that are not stored (§7.1)."""

    event_id: Diagnostic
    missing_parent_ids: Some


class SessionFork(msgspec.Struct, frozen=True):
    """Several events at one place of one session (§4, §7.1)."""

    identity_id: Diagnostic
    device_id: Diagnostic
    session_id: Diagnostic
    session_seq: int
    event_ids: Some


class OverlappingClaims(msgspec.Struct, frozen=True):
    """Two live tips whose prefixes overlap, and the wider prefix of each overlapping pair (§2.2, §7.1)."""

    left_event_id: Diagnostic
    right_event_id: Diagnostic
    paths: Some


class Conflicts(msgspec.Struct, frozen=True):
    """The conflicts a voice names; none of them has a preferred side (§7.1)."""

    missing_parents: Annotated[tuple[MissingParents, ...], msgspec.Meta(max_length=MAX_RECENT)]
    session_forks: Annotated[tuple[SessionFork, ...], msgspec.Meta(max_length=MAX_RECENT)]
    overlapping_claims: Annotated[tuple[OverlappingClaims, ...], msgspec.Meta(max_length=MAX_CLAIMS)]


class Voice(msgspec.Struct, frozen=True):
    """The finite coordination snapshot, its recent events newest first (§7.1)."""

    evaluated_at: str
    cursor: Cursor | None
    projection_status: ProjectionStatus
    truncated: bool
    recent_events: tuple[Record, ...]
    active_claims: tuple[ActiveClaim, ...]
    conflicts: Conflicts


class WakeContext(msgspec.Struct, frozen=True):
    """What a change frame says about the append behind it; a hint, never taken as content (§7.1)."""

    received_seq: Cursor | None = None
    repository_id: str | None = None
    thread_id: str | None = None
    event_id: str | None = None
    kind: str | None = None


class Wake(msgspec.Struct, frozen=True):
    """The data of an SSE `change` frame: missable, repeatable, without authority (§7.1, §8)."""

    key: str
    context: WakeContext = WakeContext()


class _RecordShape(msgspec.Struct, frozen=True):
    """A record whose event is still the parsed object."""

    event: Any
    receipt: Receipt
    missing_parents: tuple[Diagnostic, ...]
    lineage_status: LineageStatus
    warnings: tuple[Warning, ...] = ()


class _EventsPageShape(msgspec.Struct, frozen=True):
    events: tuple[_RecordShape, ...]
    page: Page


class _VoiceShape(msgspec.Struct, frozen=True):
    evaluated_at: str
    cursor: Cursor | None
    projection_status: ProjectionStatus
    truncated: bool
    recent_events: Annotated[tuple[_RecordShape, ...], msgspec.Meta(max_length=MAX_RECENT)]
    active_claims: Annotated[tuple[ActiveClaim, ...], msgspec.Meta(max_length=MAX_CLAIMS)]
    conflicts: Conflicts

    def __post_init__(self) -> None:
        check_timestamp(self.evaluated_at)


def read_record(value: object) -> Record:
    """The view of one record, or RecordRefused (§7)."""
    return _record(_read(value, _RecordShape))


def read_events_page(value: object) -> EventsPage:
    """The view of a page of events, or RecordRefused (§7)."""
    shape = _read(value, _EventsPageShape)
    return EventsPage(tuple(map(_record, shape.events)), shape.page)


def read_claims(value: object) -> Claims:
    """The view of the claim projection, or RecordRefused (§6)."""
    return _read(value, Claims)


def read_voice(value: object) -> Voice:
    """The view of the finite voice, or RecordRefused (§7.1)."""
    shape = _read(value, _VoiceShape)
    fields = {name: getattr(shape, name) for name in _VoiceShape.__struct_fields__}
    return Voice(**{**fields, "recent_events": tuple(map(_record, shape.recent_events))})


def read_wake(value: object) -> Wake:
    """The view of a wake frame, or RecordRefused (§7.1)."""
    return _read(value, Wake)


_QUOTED = re.compile(r""" (['"]).*\1""", re.DOTALL)
"""What msgspec repeats of a refused word; what came over the wire stays out of messages."""


def _read(value: object, answer: type[_Answer]) -> _Answer:
    try:
        return msgspec.convert(value, answer)
    except msgspec.ValidationError as error:
        raise RecordRefused("record_invalid", _QUOTED.sub("", str(error))) from None


def _record(shape: _RecordShape) -> Record:
    return Record(_read_event(shape.event), shape.receipt, shape.missing_parents, shape.lineage_status, shape.warnings)


def _read_event(value: object) -> Event | MalformedEvent:
    try:
        return read_event(value)
    except EventRefused as error:
        named = value.get("event_id") if isinstance(value, dict) else None
        return MalformedEvent(named if isinstance(named, str) else "", value, error.issues)
