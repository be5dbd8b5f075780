"""Claim lineage as stored rows, and the durable ready frontier that settles pending ones (§6).

The rule: one step is `protocol.lineage.continues`, here as there. An event whose predecessor is settled is settled in
its own append. When a settled event arrives after children that waited for it, it takes a turn on the frontier, and
later calls settle its children, at most RECONCILE_LIMIT in one call. Wide frontiers share a call: whoever was served
and still has children waits for the next turn. Everything here runs inside a writing transaction of the caller.
"""

from __future__ import annotations

import json

import msgspec
from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from corr_tui.protocol.event import Scope
from corr_tui.protocol.lineage import ClaimEvent, LineageStatus, continues
from corr_tui.server.tables import claim_events, events, frontier

RECONCILE_LIMIT = 32
"""The most child rows that one append or one read settles."""

_CLAIM = select(claim_events).where(
    claim_events.c.project_id == bindparam("project_id"), claim_events.c.event_id == bindparam("event_id")
)
_IS_STORED = select(events.c.received_seq).where(
    events.c.project_id == bindparam("project_id"), events.c.event_id == bindparam("event_id")
)
_PENDING_CHILDREN = (
    select(claim_events)
    .where(
        claim_events.c.project_id == bindparam("project_id"),
        claim_events.c.predecessor_event_id == bindparam("event_id"),
        claim_events.c.lineage_status == "pending",
    )
    .order_by(claim_events.c.event_id)
    .limit(bindparam("most"))
)
_ADD_CLAIM = insert(claim_events)
_SETTLE = (
    update(claim_events)
    .where(claim_events.c.project_id == bindparam("of_project_id"), claim_events.c.event_id == bindparam("of_event_id"))
    .values(lineage_status=bindparam("status"), is_tip=bindparam("tip"))
)
_END_TIP = (
    update(claim_events)
    .where(claim_events.c.project_id == bindparam("of_project_id"), claim_events.c.event_id == bindparam("of_event_id"))
    .values(is_tip=False)
)
_READY = (
    select(frontier.c.predecessor_event_id)
    .where(frontier.c.project_id == bindparam("project_id"))
    .order_by(frontier.c.turn)
    .limit(bindparam("most"))
)
_NEXT_TURN = select(func.coalesce(func.max(frontier.c.turn), 0) + 1).where(
    frontier.c.project_id == bindparam("project_id")
)
_ADD_READY = insert(frontier)
_END_READY = delete(frontier).where(
    frontier.c.project_id == bindparam("of_project_id"),
    frontier.c.predecessor_event_id == bindparam("of_event_id"),
)


def add_claim(connection: Connection, claim: ClaimEvent) -> LineageStatus:
    """Store the claim view of a new event with the status it has on arrival; returns that status."""
    status = _status_on_arrival(connection, claim)
    connection.execute(_ADD_CLAIM, claim_values(claim, status, is_tip=status == "valid"))
    if status == "valid":
        _end_tip_of_predecessor(connection, claim)
    return status


def make_ready(connection: Connection, project_id: str, event_id: str) -> bool:
    """Give a settled event a turn on the frontier when children wait for it; returns whether they do."""
    waiting = connection.execute(_PENDING_CHILDREN, {"project_id": project_id, "event_id": event_id, "most": 1})
    if waiting.first() is None:
        return False
    turn = connection.execute(_NEXT_TURN, {"project_id": project_id}).scalar_one()
    connection.execute(_ADD_READY, {"project_id": project_id, "predecessor_event_id": event_id, "turn": turn})
    return True


def reconcile(connection: Connection, project_id: str) -> tuple[int, bool]:
    """Settle at most RECONCILE_LIMIT waiting children; returns how many, and whether ready work remains."""
    settled = 0
    while settled < RECONCILE_LIMIT:
        budget = RECONCILE_LIMIT - settled
        ready = connection.execute(_READY, {"project_id": project_id, "most": budget}).scalars().all()
        if not ready:
            return settled, False
        share = budget // len(ready)
        settled += sum(_settle_children(connection, project_id, event_id, share) for event_id in ready)
    remaining = connection.execute(_READY, {"project_id": project_id, "most": 1}).first()
    return settled, remaining is not None


def claim_values(claim: ClaimEvent, status: LineageStatus, *, is_tip: bool) -> dict[str, object]:
    """The row of claim_events for a claim view with its lineage."""
    scope = {"base_revision": claim.scope.base_revision, "branch": claim.scope.branch, "paths": claim.scope.paths}
    return {
        "project_id": claim.project_id,
        "event_id": claim.event_id,
        "repository_id": claim.repository_id,
        "thread_id": claim.thread_id,
        "claim_id": claim.claim_id,
        "generation": claim.generation,
        "identity_id": claim.identity_id,
        "device_id": claim.device_id,
        "session_id": claim.session_id,
        "predecessor_event_id": claim.predecessor_event_id,
        "expires_at": claim.expires_at,
        "scope": json.dumps(scope, ensure_ascii=False, separators=(",", ":")),
        "lineage_status": status,
        "is_tip": is_tip,
    }


def claim_of(row: Row[tuple[object, ...]]) -> ClaimEvent:
    """The claim view in a row of claim_events."""
    return ClaimEvent(
        event_id=row.event_id,
        project_id=row.project_id,
        repository_id=row.repository_id,
        thread_id=row.thread_id,
        identity_id=row.identity_id,
        device_id=row.device_id,
        session_id=row.session_id,
        claim_id=row.claim_id,
        generation=row.generation,
        predecessor_event_id=row.predecessor_event_id,
        expires_at=row.expires_at,
        scope=msgspec.convert(json.loads(row.scope), Scope),
    )


def _status_on_arrival(connection: Connection, claim: ClaimEvent) -> LineageStatus:
    if claim.predecessor_event_id is None:
        return "valid"
    place = {"project_id": claim.project_id, "event_id": claim.predecessor_event_id}
    before = connection.execute(_CLAIM, place).one_or_none()
    if before is None:
        stored = connection.execute(_IS_STORED, place).first() is not None
        return "invalid" if stored else "pending"
    if before.lineage_status == "pending":
        return "pending"
    return _status_after(before, claim)


def _status_after(before: Row[tuple[object, ...]] | None, claim: ClaimEvent) -> LineageStatus:
    """The status of a claim event after its settled predecessor; None is an event that is not about a claim."""
    if before is None or before.lineage_status != "valid":
        return "invalid"
    return "valid" if continues(claim, claim_of(before)) else "invalid"


def _settle_children(connection: Connection, project_id: str, event_id: str, share: int) -> int:
    """Settle up to `share` children of one settled event, and end its turn; returns how many."""
    place = {"project_id": project_id, "event_id": event_id}
    before = connection.execute(_CLAIM, place).one_or_none()
    waiting = connection.execute(_PENDING_CHILDREN, {**place, "most": share + 1}).all()
    for row in waiting[:share]:
        claim = claim_of(row)
        status = _status_after(before, claim)
        connection.execute(
            _SETTLE,
            {
                "of_project_id": project_id,
                "of_event_id": claim.event_id,
                "status": status,
                "tip": status == "valid",
            },
        )
        if status == "valid":
            _end_tip_of_predecessor(connection, claim)
        make_ready(connection, project_id, claim.event_id)
    connection.execute(_END_READY, {"of_project_id": project_id, "of_event_id": event_id})
    if len(waiting) > share:
        make_ready(connection, project_id, event_id)
    return min(len(waiting), share)


def _end_tip_of_predecessor(connection: Connection, claim: ClaimEvent) -> None:
    """A valid direct child ends its predecessor's being a tip, and nobody else's."""
    if claim.predecessor_event_id is not None:
        connection.execute(_END_TIP, {"of_project_id": claim.project_id, "of_event_id": claim.predecessor_event_id})
