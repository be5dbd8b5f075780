"""The claim projection, made again from the evidence (§6).

The rule: claim rows hold nothing that the events do not, so throwing them away and asking `protocol.lineage` gives the
rows that appends and reads arrive at, with nothing left to settle. Each project is one transaction that holds its
stream, so appends wait and readers see the rows before it or after it. What is already right is left untouched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from corr_tui.protocol import strict_json
from corr_tui.protocol.bodies import CLAIM_KINDS
from corr_tui.protocol.errors import EventRefused, JsonRefused
from corr_tui.protocol.event import read_event
from corr_tui.protocol.lineage import ClaimEvent, claim_event, lineage_of
from corr_tui.server.database import Database, StorageUnavailable
from corr_tui.server.frontier import claim_values
from corr_tui.server.tables import claim_events, events, frontier, projects
from corr_tui.server.turn import Turn

PAGE = 1000
"""The rows that are read, or written, at once."""

_PROJECTS = select(projects.c.project_id).order_by(projects.c.project_id)
_EVENTS = (
    select(events.c.received_seq, events.c.event_id, events.c.kind, events.c.evidence)
    .where(events.c.project_id == bindparam("project_id"), events.c.received_seq > bindparam("after"))
    .order_by(events.c.received_seq)
    .limit(PAGE)
)
_CLAIMS = select(claim_events).where(claim_events.c.project_id == bindparam("project_id"))
_FRONTIER = (
    select(frontier.c.turn).where(frontier.c.project_id == bindparam("project_id")).order_by(frontier.c.turn).limit(1)
)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What was read and what came of it."""

    projects: int
    events: int
    claim_events: int
    changed: int
    """The projects whose rows were other than the evidence says, or not settled yet."""


def rebuild(database: Database) -> Rebuilt:
    """Make the claim rows of every project again; again changes nothing; raises StorageUnavailable.

    A failure leaves the projects before it rebuilt and the others as they were.
    """
    with database.reading() as connection:
        project_ids = connection.execute(_PROJECTS).scalars().all()
    read, claims, changed = 0, 0, 0
    for project_id in project_ids:
        with database.writing() as connection:
            of_project = _rebuild_project(database, connection, project_id)
        read += of_project.events
        claims += of_project.claim_events
        changed += of_project.changed
    return Rebuilt(len(project_ids), read, claims, changed)


def _rebuild_project(database: Database, connection: Connection, project_id: str) -> Rebuilt:
    place = {"project_id": project_id}
    turn = Turn.begun(connection, database, project_id)
    claims: dict[str, ClaimEvent] = {}
    ordinary: set[str] = set()
    for row in _events(connection, project_id):
        claim = _claim(row.evidence) if row.kind in CLAIM_KINDS else None
        if claim is None:
            ordinary.add(row.event_id)
        else:
            claims[row.event_id] = claim
    rows = _rows(claims, ordinary)
    waiting = turn.incomplete or connection.execute(_FRONTIER, place).first() is not None
    changed = waiting or rows != _stored_rows(connection, project_id)
    if changed:
        connection.execute(delete(frontier).where(frontier.c.project_id == project_id))
        connection.execute(delete(claim_events).where(claim_events.c.project_id == project_id))
        written = list(rows.values())
        for start in range(0, len(written), PAGE):
            connection.execute(insert(claim_events), written[start : start + PAGE])
        turn.note(changed=True, remains=False)
        turn.end()
    return Rebuilt(1, len(claims) + len(ordinary), len(claims), int(changed))


def _events(connection: Connection, project_id: str) -> Iterator[Any]:
    """Every event of a project, page by page."""
    after = 0
    while rows := connection.execute(_EVENTS, {"project_id": project_id, "after": after}).all():
        yield from rows
        after = rows[-1].received_seq


def _claim(evidence: str) -> ClaimEvent | None:
    """The claim view in stored evidence; evidence that is none any more is a failure of the storage."""
    try:
        return claim_event(read_event(strict_json.decode(evidence.encode("utf-8"))))
    except (JsonRefused, EventRefused) as error:
        raise StorageUnavailable(f"evidence: {type(error).__name__}") from None


def _rows(claims: dict[str, ClaimEvent], ordinary: set[str]) -> dict[str, dict[str, object]]:
    """The rows that the events give, by event id."""
    settled = lineage_of(claims, ordinary)
    tips = {tip.event_id for found in settled.tips.values() for tip in found}
    return {
        event_id: claim_values(claim, settled.status(event_id), is_tip=event_id in tips)
        for event_id, claim in claims.items()
    }


def _stored_rows(connection: Connection, project_id: str) -> dict[str, dict[str, object]]:
    """The rows that are there, by event id."""
    found = connection.execute(_CLAIMS, {"project_id": project_id}).mappings()
    return {row["event_id"]: dict(row) for row in found}
