"""One stored event as the JSON text of a record (§4, §7).

The rule: the event inside a record is its evidence, spliced in as text; nothing re-serialises it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, bindparam, select

from corr_tui.protocol.event import PROTOCOL
from corr_tui.server.asked import ASKED, asked
from corr_tui.server.tables import events

EMPTY_INSTANT = "1970-01-01T00:00:00.000Z"
"""The instant of what never was: evaluated_at of a project without correspondence (§6), an empty feed's update."""

_STORED = select(ASKED).where(
    select(events.c.received_seq)
    .where(events.c.project_id == bindparam("project_id"), events.c.event_id == ASKED)
    .scalar_subquery()
    .is_not(None)
)


OF_SESSION_PLACE = (
    select(events.c.event_id)
    .where(
        events.c.project_id == bindparam("project_id"),
        events.c.identity_id == bindparam("identity_id"),
        events.c.device_id == bindparam("device_id"),
        events.c.session_id == bindparam("session_id"),
        events.c.session_seq == bindparam("session_seq"),
    )
    .order_by(events.c.event_id)
    .limit(bindparam("most"))
)
"""The events at one place of one session, which fork it when there are several (§4)."""


def compact(value: Any) -> str:
    """JSON text as the service writes it: no spaces, no escapes that UTF-8 does not need."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Warning:
    """A current-at-write advisory (§7)."""

    code: str
    detail: str
    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored event with its receipt and its diagnostics of now."""

    evidence: str
    received_seq: int
    received_at: str
    missing_parents: tuple[str, ...]
    lineage_status: str
    warnings: tuple[Warning, ...] | None = None
    """Only ever part of the answer to a POST."""

    def warned(self, warnings: tuple[Warning, ...]) -> Stored:
        """This record as the answer to a POST."""
        return replace(self, warnings=warnings)

    def receipt(self) -> dict[str, str]:
        """The receipt as a JSON value."""
        return {"received_seq": str(self.received_seq), "received_at": self.received_at}

    def json(self) -> str:
        """The record as JSON text."""
        text = (
            f'{{"event":{self.evidence},"receipt":{compact(self.receipt())}'
            f',"missing_parents":{compact(self.missing_parents)},"lineage_status":{compact(self.lineage_status)}'
        )
        if self.warnings is not None:
            told = [{"code": each.code, "detail": each.detail, "event_ids": each.event_ids} for each in self.warnings]
            text += f',"warnings":{compact(told)}'
        return text + "}"


@dataclass(frozen=True, slots=True)
class Page:
    """The records after a cursor, ascending (§7)."""

    records: tuple[Stored, ...]
    after: int | None
    has_more: bool

    def json(self) -> str:
        """The page as JSON text."""
        supplied = None if self.after is None else str(self.after)
        next_after = str(self.records[-1].received_seq) if self.records else supplied
        page = {"after": supplied, "next_after": next_after, "has_more": self.has_more}
        head = compact({"protocol": PROTOCOL, "scope": "project_private"})
        return f'{head[:-1]},"events":{json_list(self.records)},"page":{compact(page)}}}'


def json_list(records: Sequence[Stored]) -> str:
    """Records as a JSON list."""
    return f"[{','.join(record.json() for record in records)}]"


def missing_parents(
    connection: Connection, project_id: str, read: Iterable[str], parents: Sequence[Sequence[str]]
) -> list[tuple[str, ...]]:
    """For each list of parent ids, those that are not stored in the project, in their order (§4).

    `read` are event ids that are known to be stored, as those of the page whose parents are asked about.
    """
    known = frozenset(read)
    named = {parent for each in parents for parent in each} - known
    known |= stored_ids(connection, project_id, named) if named else frozenset()
    return [tuple(parent for parent in each if parent not in known) for each in parents]


def stored_ids(connection: Connection, project_id: str, event_ids: Iterable[str]) -> frozenset[str]:
    """Those of the event ids that are stored in the project."""
    found = connection.execute(_STORED, {"project_id": project_id, **asked(event_ids)})
    return frozenset(found.scalars())
