"""What a Snapshot shows of events of mine without a receipt (§7)."""

from __future__ import annotations

from dataclasses import replace

from corr_tui.protocol.event import Event
from corr_tui.state.outbox import Stored
from corr_tui.state.snapshot import Heard, Snapshot, Unsent


def came_back(event: Event, snapshot: Snapshot) -> bool:
    """Whether these very bytes were heard, not only something that the service calls by their identifier."""
    heard = snapshot.by_id.get(event.event_id)
    return heard is not None and heard.genuine


def unsent_of(stored: Stored) -> Unsent:
    """A stored event as it is shown."""
    return Unsent(stored.event, stored.state, stored.reason, stored.stored_at)


def with_unsent(snapshot: Snapshot, unsent: Unsent) -> Snapshot:
    """The snapshot with one of its unsent events as it stands now, or one more."""
    if came_back(unsent.event, snapshot) or unsent in snapshot.unsent:
        return snapshot
    event_id = unsent.event.event_id
    if event_id not in [each.event.event_id for each in snapshot.unsent]:
        return replace(snapshot, unsent=(*snapshot.unsent, unsent))
    changed = tuple(unsent if each.event.event_id == event_id else each for each in snapshot.unsent)
    return replace(snapshot, unsent=changed)


def with_only(snapshot: Snapshot, unsent: tuple[Unsent, ...]) -> Snapshot:
    """The snapshot with these unsent events."""
    return snapshot if unsent == snapshot.unsent else replace(snapshot, unsent=unsent)


def with_outbox_trouble(snapshot: Snapshot, trouble: str, damaged: tuple[str, ...] | None = None) -> Snapshot:
    """The snapshot with what is amiss with the outbox; of what is damaged in one that cannot be read nothing new is
    known."""
    before = snapshot.troubles
    damaged = before.damaged if damaged is None else damaged
    now = replace(before, outbox=trouble, damaged=damaged)
    return snapshot if now == before else replace(snapshot, troubles=now)


def with_received(snapshot: Snapshot, heard: Heard) -> Snapshot:
    """The snapshot with an event of mine that was received just now. One with a receipt among what was read before is
    not put there: it is an older one, or another stream's, which the next refresh tells."""
    through = snapshot.history.through
    if through is not None and heard.record.seq <= int(through) and heard.key not in snapshot.by_id:
        return snapshot
    return snapshot.heard((heard,), snapshot.history)


def without_unsent(snapshot: Snapshot, event_ids: frozenset[str]) -> Snapshot:
    """The snapshot without some of its unsent events."""
    left = tuple(unsent for unsent in snapshot.unsent if unsent.event.event_id not in event_ids)
    return snapshot if len(left) == len(snapshot.unsent) else replace(snapshot, unsent=left)
