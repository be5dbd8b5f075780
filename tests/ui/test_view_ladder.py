"""Acknowledgements: events by participants cell for cell, what a dash may be, and its keys in the whole app."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corr_tui.protocol.bodies import ACK_KINDS
from corr_tui.state.filter_grammar import parse_filter
from corr_tui.state.snapshot import Heard, History, LinkState, Snapshot, Unsent, UnsentState, Verdict
from corr_tui.ui.line import Content, Ink, Layout, View
from corr_tui.ui.panels.event_row import UNSENT_WORDS
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.ladder import LadderScreen
from corr_tui.ui.theme import Ground
from corr_tui.ui.views import ladder
from corr_tui.ui.views.ladder_rows import LadderRows
from corr_tui.ui.widgets.column_panel import ColumnPanel
from corr_tui.ui.widgets.row_places import RowPlaces
from tests.correspondents import World, claim
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, inks, looking, page, said, with_verdict

PAGES = Path(__file__).parent / "golden"
WIDTHS = {Layout.NARROW: 80, Layout.MEDIUM: 120, Layout.WIDE: 160}
REVISION = "ab12cd3" + "0" * 33


def answers() -> World:
    """Every declaration, a rejection after a step, silence, and what nobody needs to answer."""
    world = World()
    say = world.say
    intent = say("ana", "intent", summary="Give the client one place for transport options")
    say("maya", "ack.understood", target=intent)
    say("bo", "ack.seen", target=intent)
    say("bo", "ack.accepted", target=intent)
    offer = say("lin", "artifact.offer", artifact={"kind": "git_commit", "revision": REVISION}, summary="Cap it")
    say("bo", "ack.applied", target=offer, result_revision=REVISION)
    say("ana", "ack.rejected", target=offer)
    say("kit", "ack.understood", target=offer)
    say("kit", "ack.rejected", target=offer)
    opened = say("bo", "claim.open", paths=["src/api"], claim_id=claim(1), expires_in=3600)
    say("ana", "ack.seen", target=opened)
    say("zed", "progress", summary="said to nobody in particular")
    say("bo", "handoff", summary="Split the client", next_safe_action="Read it")
    return world


def seen(world: World, layout: Layout = Layout.WIDE, **changes: Any) -> View:
    return looking(world, layout, **{"thread_id": "task:42", **changes})


def mine(world: World, target: int, kind: str = "ack.seen", state: UnsentState = UnsentState.UNSENT) -> Unsent:
    return Unsent(world.event("maya", kind, target=world.records[target - 1]), state)


def drawn(snapshot: Snapshot, view: View, width: int = 160, shift: int = 0) -> Content:
    return ladder.content(ladder.ladder(snapshot, view, width, shift))


def cell(snapshot: Snapshot, view: View, number: int, who: str) -> tuple[str, str]:
    """What stands in the column of somebody beside an event."""
    content = drawn(snapshot, view)
    row = next(each for each in content.rows if said(each.lines[0]).split()[0] == f"#{number}")
    start = said(content.columns).index(who)
    upper, lower = (said(line)[start : start + 16].strip() for line in row.lines)
    return upper, lower


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_the_ladder_says_the_answers_cell_for_cell(layout: Layout) -> None:
    world, width = answers(), WIDTHS[layout]
    snapshot = replace(world.snapshot(), unsent=(mine(world, 5),))
    content, below = drawn(snapshot, seen(world, layout), width), ladder.declares(seen(world, layout), width)
    check(content, width)
    check(below, width)
    told = f"{page(content)}\n{page(below)}\n"
    assert told == (PAGES / f"ladder-{width}.txt").read_text(encoding="utf-8")


def test_each_cell_has_the_strongest_declaration_and_when() -> None:
    """§5: declarations are by their senders alone"""
    world = answers()
    snapshot, view = world.snapshot(), seen(world)
    assert cell(snapshot, view, 1, "maya") == ("▃ understood", "13:00:02")
    assert cell(snapshot, view, 1, "bo") == ("▅ accepted", "13:00:04")
    assert cell(snapshot, view, 1, "ana") == ("sender", "")
    assert cell(snapshot, view, 1, "kit") == ("—", "")
    assert cell(snapshot, view, 5, "bo") == ("▇ applied", "13:00:06")
    assert cell(snapshot, view, 5, "ana") == ("← rejected", "13:00:07")


def test_a_rejection_stands_beside_the_steps() -> None:
    world = answers()
    assert cell(world.snapshot(), seen(world), 5, "kit") == ("▃ understood", "← rejected 13:00")


def test_my_unsent_declarations_say_so_and_silence_is_dim_like_everything_that_is_no_declaration() -> None:
    world = answers()
    view = seen(world)
    for state, word in UNSENT_WORDS.items():
        snapshot = replace(world.snapshot(), unsent=(mine(world, 5, state=state),))
        upper, lower = cell(snapshot, view, 5, "maya")
        assert (upper[2:], lower) == ("seen", word)
    further = replace(world.snapshot(), unsent=(mine(world, 1, "ack.accepted"),))
    assert cell(further, view, 1, "maya") == ("▃ understood", "◦ accepted")
    less = replace(world.snapshot(), unsent=(mine(world, 1, "ack.seen"),))
    assert cell(less, view, 1, "maya") == ("▃ understood", "13:00:02")
    assert inks(drawn(world.snapshot(), view), "—") == {Ink.DIM}


def test_listed_is_what_asks_and_what_was_acknowledged_by_receipt() -> None:
    world = answers()
    snapshot, view = world.snapshot(), seen(world)
    keys = [each.key for each in drawn(snapshot, view).rows]
    assert keys == [snapshot.events[place - 1].key for place in (1, 5, 10, 13)]
    with_mine = replace(snapshot, unsent=(mine(world, 12),))
    assert snapshot.events[11].key in [each.key for each in drawn(with_mine, view).rows]
    filtered = drawn(snapshot, replace(view, filter=parse_filter("kind:handoff")))
    assert [each.key for each in filtered.rows] == [snapshot.events[12].key]


def test_only_proved_declarations_count() -> None:
    """§5, §9"""
    world = answers()
    doubted = with_verdict(world.snapshot(), 2, Verdict.NO_KEY)
    assert cell(doubted, seen(world), 1, "maya") == ("—", "")


def test_my_column_is_first_and_raised_and_the_others_stand_by_name() -> None:
    world = answers()
    made = ladder.ladder(world.snapshot(), seen(world), 160)
    names = [made.reading.name(each) for each in made.people]
    assert names == ["maya", "ana", "bo", "kit", "lin", "zed"]
    assert made.raised is not None
    heading = said(ladder.content(made).columns)
    assert heading[made.raised[0] : made.raised[1]].strip() == "maya me"


def test_columns_move_and_mine_stays() -> None:
    world = answers()
    view = seen(world, Layout.NARROW)
    first = ladder.ladder(world.snapshot(), view, 80)
    assert (first.before, first.after) == (0, 3)
    last = ladder.ladder(world.snapshot(), view, 80, 99)
    assert (last.before, last.after) == (3, 0)
    assert last.people[0] == first.people[0]
    assert "‹" in said(ladder.content(last).columns)
    assert said(ladder.content(first).columns).endswith("›")
    assert "3 more" in said(ladder.content(first).info)


def test_what_a_dash_may_be_beside_silence_is_said() -> None:
    """Experience: honesty 1"""
    world = answers()
    whole = world.snapshot()
    part = replace(whole, history=History("7", complete=False, target="13"))
    assert "a dash may be what is not read yet" in page(drawn(part, seen(world)))
    off = replace(whole, link=replace(whole.link, state=LinkState.OFFLINE))
    assert "more may have been declared since" in page(drawn(off, seen(world)))
    kept = replace(whole, history=replace(whole.history, earlier=90))
    assert "90 events lie further back" in page(drawn(kept, seen(world)))
    assert "Cut off" not in page(drawn(whole, seen(world)))


def test_nothing_read_is_not_nothing_acknowledged() -> None:
    world = World()
    empty = world.snapshot()
    assert "Nothing was acknowledged yet" in page(drawn(empty, seen(world)))
    unread = replace(empty, history=History())
    assert "Nothing was" not in page(drawn(unread, seen(world)))
    off = replace(unread, link=replace(unread.link, state=LinkState.OFFLINE))
    assert "Unavailable, not empty" in page(drawn(off, seen(world)))


def test_what_each_declares_is_told_of_all_of_them_with_what_it_does_not() -> None:
    """Experience: honesty 4"""
    assert tuple(kind for kind, _, _ in ladder.DECLARES) == ACK_KINDS
    assert "none follows from another" in page(ladder.declares(View(), 120))
    assert "…" not in page(ladder.declares(View(), 80))


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_hostile_words_stay_in_their_cells(layout: Layout) -> None:
    world = World()
    first = world.say("ana", "intent", summary="\x1b[31m\u202e\u0301界界\n\u200b" * 9, thread="a\u202eb")
    world.say("bo", "ack.seen", target=first, thread="a\u202eb")
    snapshot = world.snapshot()
    names = {each: replace(known, name="\u202e界[b]\x07" * 9) for each, known in snapshot.identities.items()}
    hostile = replace(snapshot, identities=names)
    for ascii_only in (False, True):
        content = drawn(hostile, seen(world, layout, thread_id="a\u202eb", ascii_only=ascii_only), WIDTHS[layout])
        check(content, WIDTHS[layout])


def test_of_many_events_only_rows_in_view_are_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    for _ in range(120):
        world.say("ana", "intent", summary="one more")
    heard = tuple(Heard(record, Verdict.VERIFIED) for record in world.records)
    snapshot = World().snapshot().heard(heard, History("120", complete=True))
    looked: list[int] = []
    original = LadderRows.row

    def counted(self: LadderRows, place: int) -> Any:
        looked.append(place)
        return original(self, place)

    monkeypatch.setattr(LadderRows, "row", counted)
    places = RowPlaces(drawn(snapshot, seen(world)).rows)
    assert (places.height, places.at(3), places.at(5), places.first_line(heard[2].key)) == (359, (1, 0), None, 6)
    assert looked == []


@pytest.mark.parametrize("size", [(60, 12), (80, 24), (120, 36), (160, 48), (300, 60)])
async def test_l_opens_it_at_what_the_event_under_the_cursor_acknowledges(size: tuple[int, int]) -> None:
    desk = AskingDesk(answers().snapshot())
    async with desk.at(*size):
        await desk.press("k", "k", "l")  # the third from the end: an acknowledgement of the claim
        screen = desk.app.screen
        assert isinstance(screen, LadderScreen)
        assert screen.selected == desk.session.snapshot.events[9].event_id
        assert "l Acknowledgements" in desk.text("rows")
        if size[1] >= 24:
            assert "6 What each declares" in desk.text("details")


async def test_a_declaration_takes_two_strokes_there_and_is_in_my_column_at_once() -> None:
    desk, world = AskingDesk(answers().snapshot()), answers()
    desk.session.world = world
    async with desk.at(160, 48):
        await desk.press("l", "a")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        await desk.press("enter")
        await desk.settle()
        assert isinstance(desk.app.screen, LadderScreen)
        assert desk.text("rows").count("▅ accepted") == 2
        assert [each.draft.kind for each in desk.session.sent] == ["ack.accepted"]


async def test_enter_shows_the_event_on_the_board() -> None:
    desk = AskingDesk(answers().snapshot())
    async with desk.at(120, 36):
        await desk.press("l", "home", "enter")
        assert isinstance(desk.app.screen, BoardScreen)
        assert desk.number == "#1"


async def test_arrows_move_the_columns_by_key_and_by_mouse() -> None:
    desk = AskingDesk(answers().snapshot())
    async with desk.at(80, 24):
        await desk.press("l")
        first = desk.text("rows")
        assert "zed" not in first
        await desk.press("right", "right", "right")
        assert "zed" in desk.text("rows")
        assert "maya me" in desk.text("rows")
        await desk.press("right")
        assert "no others on that side" in desk.text("footer")
        await desk.press("left", "left", "left")
        assert desk.text("rows") == first
    wide = AskingDesk(answers().snapshot())
    async with wide.at(119, 30) as pilot:
        await wide.press("l")
        first = wide.text("rows")
        await wide.press("right")
        assert wide.text("rows") != first
        await pilot.click("#footer", offset=(wide.text("footer").index("others before"), 0))
        await wide.settle()
        assert wide.text("rows") == first


async def test_my_column_lies_on_raised_ground_but_for_the_cursor() -> None:
    desk = AskingDesk(answers().snapshot())
    async with desk.at(160, 48):
        await desk.press("l")
        rows = desk.panel("rows")
        assert isinstance(rows, ColumnPanel)
        laid = rows.laid()
        lit = [line.lit.ground for line in laid if line.lit is not None]
        assert set(lit) == {Ground.RAISED}
        assert all(line.lit is None for line in laid if line.bar is not None)
        assert laid[0].lit is None
        assert laid[1].lit is not None
        assert laid[rows.room].lit is None
