"""What the panels say of a history that is not all at hand: earlier events, a gap, a replay, one that is lost."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from corr_tui.state.snapshot import Apart, History, LinkState, Snapshot
from corr_tui.ui.line import Changed, Ink, Layout, LazyRows, Line
from corr_tui.ui.panels import events, header, threads
from corr_tui.ui.panels.event_rows import EARLIER, GAP
from corr_tui.ui.panels.notices import notices
from corr_tui.ui.widgets.cursor_view import CursorView
from tests.correspondents import World
from tests.ui.panel_scene import check, inks, looking, page, said, scene


def said_of(snapshot: Snapshot, world: World, width: int = 84, layout: Layout = Layout.WIDE) -> list[str]:
    content = events.content(snapshot, looking(world, layout), width)
    check(content, width)
    return page(content).splitlines()


def newest(snapshot: Snapshot, count: int, earlier: int) -> Snapshot:
    kept = snapshot.events[-count:]
    history = replace(snapshot.history, earlier=earlier, count=earlier + count)
    return replace(snapshot, events=kept, by_id=MappingProxyType({each.key: each for each in kept}), history=history)


def test_earlier_events_have_a_row_that_counts_them_and_says_how_to_see_more() -> None:
    world = scene()
    shown = newest(world.snapshot(), 5, 95_000)
    rows = events.content(shown, looking(world), 84).rows
    assert [row.key for row in rows][:2] == [EARLIER, shown.events[0].key]
    assert said(rows[0].lines[0]).strip() == "95,000 earlier kept here   Enter shows more"
    assert rows[0].note
    assert rows[0].known


def test_an_event_that_was_recalled_stands_before_the_earlier_ones_while_this_history_has_it() -> None:
    world = scene()
    whole = world.snapshot()
    shown = newest(whole, 5, 15)
    gone, old = whole.events[1], whole.events[2]
    shown = replace(shown, by_id=MappingProxyType({**shown.by_id, old.key: old}))
    view = looking(world, recalled=(gone, old, whole.events[-1]))
    keys = [row.key for row in events.content(shown, view, 84).rows]
    assert keys == [old.key, EARLIER, *(each.key for each in shown.events)]


def test_between_the_replay_and_later_events_a_row_says_what_is_not_read() -> None:
    world = scene()
    snapshot = replace(world.snapshot(), history=History("14", target="20"))
    lines = said_of(snapshot, world)
    assert "  ◐ not read yet, between #14 and #15   S stops reading" in lines
    assert lines[-1] == "  ◐ reading history to #20, at #14   S stops reading"
    keys = [row.key for row in events.content(snapshot, looking(world), 84).rows]
    assert keys.index(GAP) == 14


def test_before_anything_was_replayed_all_that_is_told_comes_after_the_gap() -> None:
    world = scene()
    snapshot = replace(world.snapshot(), history=History(target="20"))
    assert "  ◐ not read yet, before #1   S stops reading" in said_of(snapshot, world)


def test_a_replay_that_was_stopped_says_where_and_how_to_go_on() -> None:
    world = scene()
    snapshot = replace(world.snapshot(), history=History("14", target="20", stopped=True))
    lines = said_of(snapshot, world)
    assert "  ◐ not read yet, between #14 and #15   S goes on reading" in lines
    assert lines[-1] == "  ○ reading stopped at #14; more is not read   S goes on"


def test_a_whole_history_has_no_note() -> None:
    world = scene()
    assert not any(row.note for row in events.content(world.snapshot(), looking(world), 84).rows)


@pytest.mark.parametrize("layout", list(Layout))
def test_a_history_lost_or_not_kept_is_said_at_the_foot_and_in_full(layout: Layout) -> None:
    world = scene()
    trouble = "no space left \x1b[2J on the device"
    for history in (History("20", True, reset_from="98765"), History("20", True, trouble=trouble)):
        snapshot = replace(world.snapshot(), history=history)
        lines = said_of(snapshot, world, 80, layout)
        assert lines[-1].endswith("D in full")
        assert len(notices(snapshot)) == 1
    assert notices(snapshot) == ("The history is not kept on disk: no space left ␛[2J on the device",)


def test_a_history_that_is_kept_apart_is_counted_until_somebody_was_told_of_it() -> None:
    world = scene()
    apart = Apart("98765", 7, "2026-05-14T12:00:00.000Z", mine=4)
    snapshot = replace(world.snapshot(), history=History("20", True, apart=apart))
    (notice,) = notices(snapshot)
    assert "The one to #98765 is kept apart on disk and is not shown; 4 events of yours in it are not in" in notice
    assert "`corr-tui search --apart WORDS`" in notice
    assert "1 notice" in "".join(said(pill) for pill in header.pills(snapshot, looking(world), 120))
    told = replace(snapshot, history=replace(snapshot.history, apart=replace(apart, seen=True)))
    assert (notices(told), notices(told, seen=True)) == ((), (notice,))


def test_views_that_differ_are_a_notice() -> None:
    snapshot = replace(World().snapshot(), differs=("a", "b"))
    assert notices(snapshot) == tuple(
        f"The service’s view and what is computed here differ: {each}" for each in ("a", "b")
    )


def test_threads_count_every_event_of_the_history() -> None:
    world = scene()
    shown = newest(world.snapshot(), 5, 95_000)
    assert said(threads.content(shown, looking(world), 32).info) == "95,005 events"
    part = replace(shown, history=replace(shown.history, complete=False))
    assert said(threads.content(part, looking(world), 32).info) == "95,005 so far"


def test_what_a_replay_comes_to_is_no_news() -> None:
    world = scene()
    rows = events.content(world.snapshot(), looking(world, new_after=19), 84).rows
    assert [row.known for row in rows][-2:] == [True, False]
    new = threads.content(world.snapshot(), looking(world, new_after=19), 32)
    assert [said(row.lines[0]).split()[-2:] for row in new.rows if "new" in said(row.lines[0])] == [["1", "new"]]


def test_only_rows_in_view_are_laid_out() -> None:
    world = World()
    for number in range(300):
        world.say("ana", "intent", summary=f"number {number}")
    content = events.content(world.snapshot(), looking(world), 84)
    assert isinstance(content.rows, LazyRows)
    laid: list[Line] = []

    def note(line: Line) -> Line:
        laid.append(line)
        return line

    rows = Changed(content.rows, note)
    view = CursorView(follow=True, height=20)
    view.patch(rows, 20)
    assert view.cursor == rows.keys[-1]
    assert laid == []
    assert len(rows[-20:]) == len(laid) == 20


@pytest.mark.parametrize("at", ["tail", "middle", "the note"])
def test_earlier_events_and_a_filled_gap_leave_the_cursor_and_its_line_where_they_are(at: str) -> None:
    world = World()
    for number in range(60):
        world.say("ana", "intent", summary=f"number {number}")
    whole = world.snapshot()
    narrow, wide = newest(whole, 20, 40), whole
    view = CursorView(follow=True, height=10)
    view.patch(events.content(narrow, looking(world), 84).rows, 10)
    view.choose({"tail": narrow.events[-1].key, "middle": narrow.events[4].key, "the note": EARLIER}[at])
    if at == "the note":
        anchor = narrow.events[0].key
        before = view.places.index[anchor] - view.top
    else:
        anchor = view.cursor or ""
        before = view.places.index[anchor] - view.top
    view.patch(events.content(wide, looking(world), 84).rows, 10)
    assert view.places.index[anchor] - view.top == before
    assert view.below == 0


@pytest.mark.parametrize("state", [LinkState.OFFLINE, LinkState.HELD])
def test_without_a_service_nothing_is_said_to_be_read(state: LinkState) -> None:
    world = scene()
    snapshot = world.snapshot()
    snapshot = replace(snapshot, history=History("14", target="20"), link=replace(snapshot.link, state=state))
    assert not any("reading history" in line for line in said_of(snapshot, world))


def test_a_note_is_written_in_text_and_never_in_the_ink_of_graphics() -> None:
    world = scene()
    snapshot = replace(newest(world.snapshot(), 5, 15), history=History("17", target="20", earlier=15))
    content = events.content(snapshot, looking(world), 84)
    assert inks(content, "not read yet") == {Ink.DIM}
    assert inks(content, "earlier kept") == {Ink.DIM}
