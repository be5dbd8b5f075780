"""The same afternoon with something amiss: states of the link, the views and the history, for pictures and tests."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from tests.correspondents import World

from corr_tui.state.snapshot import Computed, LinkState, ProjectionState, Snapshot, Unsent, UnsentState
from corr_tui.state.standing import claims_view, conflicts_view

SIX_MINUTES = 360.0
FIRST_KEPT = 20
"""Events of the scene before those at hand, where some are further back."""


def as_it_is(world: World, snapshot: Snapshot) -> Snapshot:
    """Nothing amiss."""
    return snapshot


def unavailable(world: World, snapshot: Snapshot) -> Snapshot:
    """The service cannot calculate its view, and not the whole history is here."""
    projection = replace(snapshot.projection, state=ProjectionState.UNAVAILABLE, error="HTTP 503", read_at=-SIX_MINUTES)
    return replace(snapshot, projection=projection, history=replace(snapshot.history, complete=False))


def computed(world: World, snapshot: Snapshot) -> Snapshot:
    """The service cannot calculate its view, and it is computed here from the whole history."""
    claims, conflicts = claims_view(snapshot), conflicts_view(snapshot)
    assert claims is not None
    assert conflicts is not None
    made = Computed(snapshot.history.through, True, claims, conflicts)
    down = unavailable(world, snapshot)
    return replace(down, computed=made, history=snapshot.history)


def offline(world: World, snapshot: Snapshot) -> Snapshot:
    """The service was not heard for six minutes, and is asked again by and by."""
    link = replace(snapshot.link, state=LinkState.OFFLINE, since=-SIX_MINUTES, retry_at=20.0, attempt=7)
    projection = replace(snapshot.projection, read_at=-SIX_MINUTES)
    return replace(snapshot, link=link, projection=projection, clock=replace(snapshot.clock, uncertainty=2.0))


def reading(world: World, snapshot: Snapshot) -> Snapshot:
    """A long first replay is on its way, and the newest events are told already."""
    through = str(snapshot.events[len(snapshot.events) - 8].record.seq)
    target = snapshot.events[-1].record.receipt.received_seq
    return replace(snapshot, history=replace(snapshot.history, complete=False, through=through, target=target))


def kept(world: World, snapshot: Snapshot) -> Snapshot:
    """Most of a long history lies further back than what is at hand."""
    at_hand = snapshot.events[FIRST_KEPT:]
    history = replace(snapshot.history, earlier=95_000, count=95_000 + len(at_hand))
    by_id = MappingProxyType({each.key: each for each in at_hand})
    return replace(snapshot, events=at_hand, by_id=by_id, history=history)


def waiting(world: World, snapshot: Snapshot) -> Snapshot:
    """An event of each state waits in the outbox."""
    target = snapshot.events[-2].record
    accepted = world.event("maya", "ack.accepted", target=target, detail="looks right to me", seq=12)
    repair = world.event("maya", "repair", targets=(target,), summary="The cap is 30 s, not 60 s", seq=13)
    lost = Unsent(accepted, UnsentState.UNKNOWN, "the answer was cut off")
    refused = Unsent(repair, UnsentState.REFUSED, "result_revision is not known here")
    return replace(snapshot, unsent=(*snapshot.unsent, lost, refused))
