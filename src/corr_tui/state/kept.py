"""One event as it is kept on disk: canonical bytes, receipt, the newest diagnostics, and what was proved (§3, §4).

What comes back from the disk is not believed for having been there. Its bytes are decoded strictly again, and those
that are called genuine must hash to their event id, which is cheap; anything else is Damaged, and is read from the
service again. The signature is not proved a second time: the key it held under is kept beside the bytes.
"""

from __future__ import annotations

import json
from typing import NamedTuple, cast, get_args

import msgspec

from corr_tui.protocol.errors import JsonRefused
from corr_tui.protocol.event import Event, read_event_again
from corr_tui.protocol.lineage import LineageStatus
from corr_tui.protocol.records import MalformedEvent, Receipt, Record, RecordRefused, read_record
from corr_tui.protocol.scalars import Refusal
from corr_tui.protocol.signing import event_id_of, event_jcs
from corr_tui.protocol.strict_json import COLLECTION_LIMITS, decode
from corr_tui.state.snapshot import Heard, Verdict

DIGITS = 40
"""The longest cursor (§4). Padded to it, cursors sort as text in the order of their numbers, far beyond 2^63."""

_STATUSES = frozenset(get_args(LineageStatus))


class Damaged(Exception):
    """What is on the disk at a cursor is not what was kept there; carries the cursor."""

    def __init__(self, cursor: str) -> None:
        """An empty cursor is one that is itself damaged, so that nobody knows which event this was."""
        super().__init__(f"event #{cursor} on this disk is damaged" if cursor else "an event on this disk is damaged")
        self.cursor = cursor


class Kept(NamedTuple):
    """The columns of one event."""

    cursor: str
    """Padded, so that it sorts."""
    event_id: str
    identity_id: str
    """The sender's, empty for a malformed event."""
    raw: bytes
    """The canonical bytes of an event, the JSON of what is none."""
    received_at: str
    missing_parents: str
    """A JSON array."""
    lineage_status: str
    verdict: str
    detail: str
    genuine: int
    proved_under: bytes | None
    """The public key under which the signature held, if any."""


COLUMNS = ", ".join(Kept._fields)
"""The names of the columns, in order."""


_TYPES = (str, str, str, bytes, str, str, str, str, str, int, bytes | None)
"""Of what kind each column is; a damaged file may give anything."""


class Recalled(NamedTuple):
    """An event read back, and the key under which its signature was proved, if it was."""

    heard: Heard
    proved_under: bytes | None


def padded(cursor: str | int) -> str:
    """A cursor as it is kept."""
    return str(cursor).zfill(DIGITS)


def plain(cursor: str) -> str:
    """A kept cursor as the service writes it."""
    return cursor.lstrip("0")


def _is_cursor(value: object) -> bool:
    """Whether something read from the disk was written as a cursor."""
    return isinstance(value, str) and len(value) == DIGITS and value.isascii() and value.isdigit()


def kept(heard: Heard, proved_under: bytes | None) -> Kept:
    """The columns of an event heard."""
    record = heard.record
    event = record.event
    return Kept(
        padded(record.receipt.received_seq),
        event.event_id,
        event.sender.identity_id if isinstance(event, Event) else "",
        _raw(event),
        record.receipt.received_at,
        json.dumps(record.missing_parents),
        record.lineage_status,
        heard.verdict.value,
        heard.detail,
        int(heard.genuine),
        proved_under,
    )


def recalled(row: Kept) -> Recalled:
    """The event of a row, decoded strictly and hashed anew; raises Damaged."""
    cursor = plain(row.cursor) if _is_cursor(row.cursor) else ""
    if not cursor or not all(map(isinstance, row, _TYPES)) or row.genuine not in (0, 1):
        raise Damaged(cursor)
    try:
        verdict, missing = Verdict(row.verdict), tuple(json.loads(row.missing_parents))
        if row.genuine:
            event, receipt = _same_event(row), Receipt(cursor, row.received_at)
            record = Record(event, receipt, missing, cast(LineageStatus, row.lineage_status))
        else:
            record = _any_record(row, cursor, missing)
    except (JsonRefused, RecordRefused, Refusal, msgspec.ValidationError, ValueError, TypeError, KeyError):
        raise Damaged(cursor) from None
    malformed = isinstance(record.event, MalformedEvent)
    if record.event.event_id != row.event_id or malformed is not (verdict is Verdict.MALFORMED):
        raise Damaged(cursor)
    if row.lineage_status not in _STATUSES or (verdict.holds and not row.genuine):
        raise Damaged(cursor)
    return Recalled(Heard(record, verdict, row.detail, bool(row.genuine)), row.proved_under)


def _same_event(row: Kept) -> Event:
    """The event whose bytes have this identifier: the one that broke no rule when it came, so they are not gone through
    again. The identifier stands nowhere else in canonical bytes as a member of this name (§3)."""
    signed = row.raw.replace(f'"event_id":"{row.event_id}",'.encode(), b"", 1)
    if event_id_of(signed) != row.event_id:
        raise Damaged(plain(row.cursor))
    value = decode(row.raw, COLLECTION_LIMITS)
    if not isinstance(value, dict):
        raise Damaged(plain(row.cursor))
    return read_event_again(value)


def _any_record(row: Kept, cursor: str, missing: tuple[str, ...]) -> Record:
    """The record of bytes that have not their identifier's, or are no event: gone through like any that comes in."""
    return read_record(
        {
            "event": decode(row.raw, COLLECTION_LIMITS),
            "receipt": {"received_seq": cursor, "received_at": row.received_at},
            "missing_parents": list(missing),
            "lineage_status": row.lineage_status,
        }
    )


def _raw(event: Event | MalformedEvent) -> bytes:
    if isinstance(event, Event):
        return event_jcs(event.evidence)
    return json.dumps(event.evidence, ensure_ascii=False, separators=(",", ":")).encode()
