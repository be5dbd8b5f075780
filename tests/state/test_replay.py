"""The replay by cursor: what it believes and what it refuses (§4, §7)."""

from __future__ import annotations

from typing import Any

import pytest

from corr_tui.protocol.records import EventsPage, Record, read_events_page
from corr_tui.state.replay import HistoryRefused, HistoryReset, Replay
from tests.correspondents import World

BEYOND = 2**53


def page(world: World, *seqs: int, has_more: bool = False, next_after: str | None = None) -> EventsPage:
    """A page with events at these cursors."""
    rows: list[dict[str, Any]] = []
    for seq in seqs:
        while len(world.records) <= seq % 100:
            world.say("ana", "observation", summary=str(len(world.records)))
        row = world.record_json(world.records[seq % 100])
        rows.append({**row, "receipt": {**row["receipt"], "received_seq": str(seq)}})
    last = next_after or (str(seqs[-1]) if seqs else None)
    return read_events_page({"events": rows, "page": {"after": None, "next_after": last, "has_more": has_more}})


def take(replay: Replay, page: EventsPage) -> tuple[Record, ...]:
    """Take a page that was asked for just now."""
    return replay.take(page, replay.ask())


def test_pages_are_taken_in_order_and_the_cursor_is_exclusive() -> None:
    world, replay = World(), Replay()
    assert replay.ask().after is None
    assert len(take(replay, page(world, 1, 2, 5, has_more=True))) == 3
    assert (replay.through, replay.ask().after) == ("5", "5")
    assert len(take(replay, page(world, 9))) == 1
    assert take(replay, page(world)) == ()
    assert replay.through == "9"


def test_cursors_are_compared_as_numbers_beyond_the_safe_integers() -> None:
    """A cursor is a decimal string (§4); 10 comes after 9."""
    world, replay = World(), Replay()
    take(replay, page(world, 9, 10, BEYOND, BEYOND + 1, 10**30))
    assert replay.has(str(10**30))
    assert replay.has("9")
    assert not replay.has(str(10**30 + 1))


@pytest.mark.parametrize("cursor", [None, "", "x", "-1", "１", "9" * 5000])
def test_what_is_no_cursor_was_not_read(cursor: str | None) -> None:
    world, replay = World(), Replay()
    take(replay, page(world, 5))
    assert not replay.has(cursor)


def test_a_page_that_says_more_without_advancing_is_refused() -> None:
    world, replay = World(), Replay()
    take(replay, page(world, 5))
    with pytest.raises(HistoryRefused):
        take(replay, page(world, has_more=True))
    assert replay.through == "5"


@pytest.mark.parametrize("seqs", [(5,), (4, 6), (7, 6), (6, 6)])
def test_a_page_that_does_not_ascend_from_its_cursor_is_refused(seqs: tuple[int, ...]) -> None:
    """Records come in ascending `received_seq` (§7)."""
    world, replay = World(), Replay()
    take(replay, page(world, 5))
    with pytest.raises(HistoryRefused):
        take(replay, page(world, *seqs))
    assert replay.through == "5"


def test_a_page_whose_cursor_is_not_its_last_event_s_is_refused() -> None:
    """`next_after` is the last emitted cursor (§7)."""
    world = World()
    with pytest.raises(HistoryRefused):
        take(Replay(), page(world, 5, next_after="7"))


def test_a_doubted_stream_is_asked_for_its_last_known_event_and_goes_on_after_it() -> None:
    world, replay = World(), Replay()
    take(replay, page(world, 1, 5))
    replay.doubt()
    assert replay.ask().after == "4"
    assert [record.seq for record in take(replay, page(world, 5, 6))] == [6]
    assert replay.ask().after == "6"


def test_the_first_event_is_asked_for_without_a_cursor() -> None:
    """A cursor is positive (§4), so there is none before the first."""
    world, replay = World(), Replay()
    take(replay, page(world, 1))
    replay.doubt()
    assert replay.ask().after is None
    assert take(replay, page(world, 1)) == ()


@pytest.mark.parametrize("seqs", [(), (6,), (105,)])
def test_a_stream_without_its_last_known_event_is_another(seqs: tuple[int, ...]) -> None:
    world, replay = World(), Replay()
    take(replay, page(world, 5))
    replay.doubt()
    with pytest.raises(HistoryReset, match="#5"):
        take(replay, page(world, *seqs))


def test_a_stream_with_another_event_at_its_last_known_cursor_is_another() -> None:
    replay = Replay()
    take(replay, page(World(), 5))
    replay.doubt()
    other = World()
    other.say("bo", "observation", summary="somebody else's history")
    with pytest.raises(HistoryReset):
        take(replay, page(other, 5))


def test_a_doubt_that_comes_up_while_a_page_is_on_its_way_is_about_the_next_one() -> None:
    """A wake stream may open at any moment; the page that was asked for before says nothing of the last event."""
    world, replay = World(), Replay()
    take(replay, page(world, 1, 5))
    asked = replay.ask()
    replay.doubt()
    assert replay.take(page(world), asked) == ()
    assert replay.ask().after == "4"
    again = replay.ask()
    replay.doubt()
    assert [record.seq for record in replay.take(page(world, 5, 6), again)] == [6]
    assert replay.doubted
    assert [record.seq for record in take(replay, page(world, 6, 7))] == [7]
    assert not replay.doubted
