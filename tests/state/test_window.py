"""What a Snapshot holds of a history: always what the plainest way of holding it would (§4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corr_tui.state.snapshot import Heard, History, Snapshot
from corr_tui.state.window import seq_of, slid, through, widened, without
from tests.correspondents import REPOSITORY_ID, World

COUNT = 12


def history() -> list[Heard]:
    """Events in receipt order."""
    world = World()
    for number in range(COUNT):
        world.say("ana", "observation", summary=str(number))
    return list(world.snapshot().events)


EVENTS = history()
PAGES = st.lists(st.lists(st.integers(0, COUNT - 1), max_size=5), max_size=6)


def holding(*numbers: int) -> Snapshot:
    """A snapshot of some of the events."""
    return Snapshot(REPOSITORY_ID).heard(tuple(EVENTS[number] for number in numbers), History())


@given(PAGES)
def test_events_heard_in_any_order_are_held_once_in_receipt_order(pages: list[list[int]]) -> None:
    snapshot = holding()
    for page in pages:
        snapshot = snapshot.heard(tuple(EVENTS[number] for number in page), History())
    numbers = sorted({number for page in pages for number in page})
    assert list(snapshot.events) == [EVENTS[number] for number in numbers]
    assert dict(snapshot.by_id) == {EVENTS[number].event_id: EVENTS[number] for number in numbers}


@given(st.integers(0, COUNT), st.integers(0, COUNT), st.sets(st.integers(0, COUNT - 1)))
def test_what_slides_out_is_kept_elsewhere_or_was_asked_for(most: int, kept: int, asked: set[int]) -> None:
    recalled = {EVENTS[number].event_id for number in asked}
    snapshot = slid(holding(*range(COUNT)), most, kept, recalled)
    gone = min(max(COUNT - most, 0), kept)
    assert list(snapshot.events) == EVENTS[gone:]
    assert set(snapshot.by_id) == {each.event_id for each in EVENTS[gone:]} | {
        each.event_id for each in EVENTS[:gone] if each.event_id in recalled
    }


@given(st.integers(1, COUNT - 1), st.integers(0, COUNT))
def test_a_recalled_event_that_is_told_anew_stays_outside_and_is_let_go_alone(first: int, number: int) -> None:
    snapshot = slid(holding(*range(COUNT)), COUNT - first, COUNT, {EVENTS[0].event_id})
    told = snapshot.heard((EVENTS[0],), History())
    assert (told.events, dict(told.by_id)) == (snapshot.events, dict(snapshot.by_id))
    wider = widened(told, EVENTS[:first])
    assert list(wider.events) == EVENTS
    assert dict(without(told, [EVENTS[0].event_id]).by_id) == {each.event_id: each for each in EVENTS[first:]}
    assert without(wider, [EVENTS[0].event_id]) is wider
    assert through(wider, number) == sum(seq_of(each) <= number for each in EVENTS)
