"""What the service reads out: pages of events, the active claims, the finite voice (§4, §6, §7, §7.1).

The rule: one read is one snapshot, bounded by constants before anything is built from it, and whatever a bound leaves
out makes the answer say `truncated`. Nothing is chosen by time of arrival: every order is a neutral one. Ready lineage
is settled before the snapshot, in a transaction of its own, by `Store.reconcile`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select, true

from corr_tui.protocol.event import PROTOCOL
from corr_tui.protocol.paths import covered, overlapping_pairs
from corr_tui.server.database import Database
from corr_tui.server.record import EMPTY_INSTANT, OF_SESSION_PLACE, Page, Stored, compact, json_list, missing_parents
from corr_tui.server.tables import claim_events, events, streams

MAX_CANDIDATES = 512
"""The live tips one read looks at; as many as this may be more than this."""
MAX_CLAIMS = 128
MAX_COMPETING = 16
MAX_RECENT = 50
MAX_OVERLAPS = 128
MAX_OVERLAP_PATHS = 16
MAX_FORK_EVENTS = 16

_LINEAGE_STATUS = (
    select(claim_events.c.lineage_status)
    .where(claim_events.c.project_id == events.c.project_id, claim_events.c.event_id == events.c.event_id)
    .scalar_subquery()
    .label("lineage_status")
)
"""Looked up for each event by itself: a join leaves the choice of the index to what a database believes of a table."""
_STREAM = select(streams).where(streams.c.project_id == bindparam("project_id"))
_RECORDS = (
    select(
        events.c.event_id,
        events.c.received_seq,
        events.c.received_at,
        events.c.parents,
        events.c.evidence,
        events.c.identity_id,
        events.c.device_id,
        events.c.session_id,
        events.c.session_seq,
        _LINEAGE_STATUS,
    )
    .where(events.c.project_id == bindparam("project_id"), events.c.repository_id == bindparam("repository_id"))
    .limit(bindparam("most"))
)
_IN_THREAD = events.c.thread_id == bindparam("thread_id")
_PAGE = _RECORDS.where(events.c.received_seq > bindparam("after")).order_by(events.c.received_seq)
_PAGE_OF_THREAD = _PAGE.where(_IN_THREAD)
_RECENT = _RECORDS.order_by(events.c.received_seq.desc())
_RECENT_OF_THREAD = _RECENT.where(_IN_THREAD)

_TIPS = select(claim_events).where(
    claim_events.c.project_id == bindparam("project_id"),
    claim_events.c.repository_id == bindparam("repository_id"),
    claim_events.c.is_tip == true(),
)
_LIVE = (
    _TIPS.where(claim_events.c.expires_at > bindparam("now"))
    .order_by(claim_events.c.expires_at, claim_events.c.claim_id, claim_events.c.event_id)
    .limit(MAX_CANDIDATES)
)
_LIVE_OF_THREAD = _LIVE.where(claim_events.c.thread_id == bindparam("thread_id"))
_TIPS_OF_CLAIM = (
    _TIPS.with_only_columns(claim_events.c.event_id)
    .where(claim_events.c.claim_id == bindparam("claim_id"))
    .order_by(claim_events.c.event_id)
    .limit(MAX_COMPETING + 2)
)
_PASSED_EXPIRY = select(func.max(claim_events.c.expires_at)).where(
    claim_events.c.project_id == bindparam("project_id"),
    claim_events.c.repository_id == bindparam("repository_id"),
    claim_events.c.is_tip == true(),
    claim_events.c.expires_at <= bindparam("now"),
)


@dataclass(frozen=True, slots=True)
class Focus:
    """What a read is about: a repository, and one of its threads where named."""

    project_id: str
    repository_id: str
    thread_id: str | None = None

    def values(self) -> dict[str, Any]:
        """The bound values of the focused statements."""
        values: dict[str, Any] = {"project_id": self.project_id, "repository_id": self.repository_id}
        return values if self.thread_id is None else {**values, "thread_id": self.thread_id}

    def statement(self, whole: Select[Any], of_thread: Select[Any]) -> Select[Any]:
        """The statement over the repository, or the one over its thread."""
        return whole if self.thread_id is None else of_thread


@dataclass(frozen=True, slots=True)
class _Edition:
    """Which state of the project a projection shows (§6)."""

    now: str
    cursor: str | None
    evaluated_at: str
    incomplete: bool

    def head(self, truncated: bool) -> dict[str, Any]:
        """The members that claims and voice begin with."""
        truncated = truncated or self.incomplete
        return {
            "protocol": PROTOCOL,
            "scope": "project_private",
            "evaluated_at": self.evaluated_at,
            "cursor": self.cursor,
            "projection_status": "truncated" if truncated else "complete",
            "truncated": truncated,
        }


class Projection:
    """Reads from one database, from any thread. Every method raises StorageUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def events(self, focus: Focus, after: int | None, limit: int) -> Page:
        """A page of records after a cursor, ascending (§7)."""
        statement = focus.statement(_PAGE, _PAGE_OF_THREAD)
        with self._database.reading() as connection:
            rows = connection.execute(statement, {**focus.values(), "after": after or 0, "most": limit + 1}).all()
            records = _records(connection, focus.project_id, rows[:limit])
        return Page(tuple(records), after, has_more=len(rows) > limit)

    def claims(self, focus: Focus, path: str | None) -> str:
        """The active claims, as JSON text (§6)."""
        with self._database.reading() as connection:
            edition = self._edition(connection, focus)
            active, truncated = _active_claims(connection, focus, edition.now, path)
        return compact({**edition.head(truncated), "claims": active})

    def voice(self, focus: Focus) -> str:
        """The finite voice, as JSON text (§7.1)."""
        statement = focus.statement(_RECENT, _RECENT_OF_THREAD)
        with self._database.reading() as connection:
            edition = self._edition(connection, focus)
            rows = connection.execute(statement, {**focus.values(), "most": MAX_RECENT + 1}).all()
            recent = _records(connection, focus.project_id, rows[:MAX_RECENT])
            active, more_claims = _active_claims(connection, focus, edition.now, None)
            forks, more_forks = _session_forks(connection, focus.project_id, rows[:MAX_RECENT])
        overlapping, more_overlaps = _overlapping_claims(active)
        conflicts = {
            "missing_parents": [
                {"event_id": row.event_id, "missing_parent_ids": record.missing_parents}
                for row, record in zip(rows, recent, strict=False)
                if record.missing_parents
            ],
            "session_forks": forks,
            "overlapping_claims": overlapping,
        }
        head = compact(edition.head(len(rows) > MAX_RECENT or more_claims or more_forks or more_overlaps))
        return (
            f'{head[:-1]},"recent_events":{json_list(recent)},"active_claims":{compact(active)}'
            f',"conflicts":{compact(conflicts)}}}'
        )

    def _edition(self, connection: Connection, focus: Focus) -> _Edition:
        now = self._database.now(connection)
        stream = connection.execute(_STREAM, {"project_id": focus.project_id}).one_or_none()
        if stream is None or stream.received_seq == 0:
            return _Edition(now, None, EMPTY_INSTANT, False)
        place = {"project_id": focus.project_id, "repository_id": focus.repository_id, "now": now}
        passed = connection.execute(_PASSED_EXPIRY, place).scalar_one()
        instants = (stream.received_at, stream.reconciled_at, passed)
        evaluated_at = max(instant for instant in instants if instant is not None)
        return _Edition(now, str(stream.received_seq), evaluated_at, stream.incomplete)


def _records(connection: Connection, project_id: str, rows: Sequence[Row[Any]]) -> list[Stored]:
    read = (row.event_id for row in rows)
    missing = missing_parents(connection, project_id, read, [row.parents.split() for row in rows])
    return [
        Stored(row.evidence, row.received_seq, row.received_at, absent, row.lineage_status or "not_applicable")
        for row, absent in zip(rows, missing, strict=True)
    ]


def _active_claims(
    connection: Connection, focus: Focus, now: str, path: str | None
) -> tuple[list[dict[str, Any]], bool]:
    """The rows of the live tips in the focus, and whether any candidate or competitor is left out (§6)."""
    candidates = connection.execute(focus.statement(_LIVE, _LIVE_OF_THREAD), {**focus.values(), "now": now}).all()
    found = [(row, json.loads(row.scope)) for row in candidates]
    if path is not None:
        found = [(row, scope) for row, scope in found if covered(path, scope["paths"])]
    visible = found[:MAX_CLAIMS]
    tips = {
        claim_id: connection.execute(
            _TIPS_OF_CLAIM,
            {"project_id": focus.project_id, "repository_id": focus.repository_id, "claim_id": claim_id},
        )
        .scalars()
        .all()
        for claim_id in dict.fromkeys(row.claim_id for row, _ in visible)
    }
    truncated = len(candidates) == MAX_CANDIDATES or len(found) > MAX_CLAIMS
    active = []
    for row, scope in visible:
        competing = [event_id for event_id in tips[row.claim_id] if event_id != row.event_id]
        truncated = truncated or len(competing) > MAX_COMPETING
        active.append(_active_claim(row, scope, competing[:MAX_COMPETING]))
    return active, truncated


def _active_claim(row: Row[Any], scope: dict[str, Any], competing: list[str]) -> dict[str, Any]:
    return {
        "claim_id": row.claim_id,
        "generation": row.generation,
        "event_id": row.event_id,
        "owner_identity_id": row.identity_id,
        "device_id": row.device_id,
        "session_id": row.session_id,
        "thread_id": row.thread_id,
        "scope": scope,
        "expires_at": row.expires_at,
        "conflicted": bool(competing),
        "competing_event_ids": competing,
    }


def _session_forks(
    connection: Connection, project_id: str, recent: Sequence[Row[Any]]
) -> tuple[list[dict[str, Any]], bool]:
    """The forks at the session places of the recent events, and whether a fork has more events than it may show."""
    places = dict.fromkeys((row.identity_id, row.device_id, row.session_id, row.session_seq) for row in recent)
    forks = []
    truncated = False
    bound = {"most": MAX_FORK_EVENTS + 1}
    for place in places:
        session = dict(zip(("identity_id", "device_id", "session_id", "session_seq"), place, strict=True))
        event_ids = connection.execute(OF_SESSION_PLACE, {"project_id": project_id, **session, **bound}).scalars().all()
        truncated = truncated or len(event_ids) > MAX_FORK_EVENTS
        if len(event_ids) > 1:
            forks.append({**session, "event_ids": list(event_ids[:MAX_FORK_EVENTS])})
    return forks, truncated


def _overlapping_claims(active: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], bool]:
    """The overlapping pairs of active claims, and whether a pair or a prefix is left out (§7.1)."""
    rows: list[dict[str, Any]] = []
    truncated = False
    for left, right, paths in overlapping_pairs([row["scope"]["paths"] for row in active]):
        if len(rows) == MAX_OVERLAPS:
            return rows, True
        truncated = truncated or len(paths) > MAX_OVERLAP_PATHS
        ids = {"left_event_id": active[left]["event_id"], "right_event_id": active[right]["event_id"]}
        rows.append({**ids, "paths": paths[:MAX_OVERLAP_PATHS]})
    return rows, truncated
