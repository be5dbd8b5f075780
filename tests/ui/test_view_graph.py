"""The causal graph: events by their parents cell for cell, what of them is not drawn, and its keys in the whole app."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from msgspec import structs

from corr_tui.protocol.records import Record
from corr_tui.state.filter_grammar import parse_filter
from corr_tui.state.snapshot import Heard, History, LinkState, Snapshot, Unsent, Verdict
from corr_tui.ui.line import Content, Ink, Layout, Row, View
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.graph import GraphScreen
from corr_tui.ui.views import graph
from corr_tui.ui.views.causal import AT_ONCE, REFUTES, STRIDE, Causal, chosen
from corr_tui.ui.views.graph_rows import PARENT, GraphRows, key_of
from corr_tui.ui.widgets.kept_order import in_order
from tests.correspondents import World, claim
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, inks, looking, page, said, with_verdict

PAGES = Path(__file__).parent / "golden"
WIDTHS = {Layout.NARROW: 80, Layout.MEDIUM: 120, Layout.WIDE: 160}
ABSENT = "sha256:" + "9d02" * 16


def talk() -> World:
    """A thread that branches and merges, one parent that nobody has, and one in another thread."""
    world = World()
    say = world.say
    other = say("maya", "intent", thread="task:31", summary="Lint rules")
    first = say("bo", "progress", summary="Backoff table sketched, caps to be agreed", parents=(other,))
    client = say("ana", "observation", summary="The client swallows 429 on uploads", parents=(first,))
    say("bo", "ack.understood", target=client)
    opened = say("bo", "claim.open", paths=["src/api"], expires_in=3600, parents=(client,), claim_id=claim(1))
    renewed = say("bo", "claim.renew", predecessor=opened, expires_in=3700)
    own = say("ana", "claim.open", paths=["src/api/client"], expires_in=900, parents=(client,), claim_id=claim(2))
    say("ana", "ack.seen", target=opened)
    third = say("bo", "claim.renew", predecessor=renewed, expires_in=3800)
    move = say("ana", "intent", summary="Move retries into the client", parents=(own,))
    say("bo", "ack.seen", target=move)
    say("zed", "observation", summary="Flaky only when the cache is cold", parents=(move, ABSENT))
    offer = {"kind": "git_commit", "revision": "ab12cd3" + "0" * 33}
    say("ana", "artifact.offer", artifact=offer, summary="Cap at 30 s", parents=(move,))
    say("bo", "repair", targets=(first,), summary="The cap is 30 s, not 3", parents=(third,))
    return world


def seen(world: World, layout: Layout = Layout.WIDE, **changes: Any) -> View:
    return looking(world, layout, **{"thread_id": "task:42", **changes})


def drawn(snapshot: Snapshot, view: View, width: int = 160) -> Content:
    causal = Causal()
    causal.take(chosen(snapshot, view), None)
    return graph.content(snapshot, view, width, causal)


def row(content: Content, words: str) -> str:
    return next(said(line) for each in content.rows for line in each.lines if words in said(line))


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_the_graph_says_the_talk_cell_for_cell(layout: Layout) -> None:
    world, width = talk(), WIDTHS[layout]
    snapshot = with_verdict(world.snapshot(), 12, Verdict.NO_KEY)
    snapshot = replace(snapshot, unsent=(Unsent(world.event("maya", "ack.seen", target=world.records[12])),))
    content = drawn(snapshot, seen(world, layout), width)
    check(content, width)
    assert page(content) + "\n" == (PAGES / f"graph-{width}.txt").read_text(encoding="utf-8")


def test_its_ascii_form_has_no_other_character() -> None:
    world = talk()
    content = drawn(world.snapshot(), seen(world, ascii_only=True))
    check(content, 160)
    assert page(content).isascii()


def test_a_missing_parent_has_a_row_of_its_own_and_is_counted() -> None:
    world = talk()
    content = drawn(world.snapshot(), seen(world))
    assert "9d02…  not received here, a parent of #12" in row(content, "missing")
    assert said(content.info) == "13 events · 1 parent missing"
    assert inks(content, "1 parent missing") == {Ink.ATTN}


def test_a_parent_in_another_thread_is_called_so_and_drawn_when_all_threads_are() -> None:
    world = talk()
    content = drawn(world.snapshot(), seen(world))
    assert "elsewhere" in row(content, "#1  in task:31, a parent of #2")
    every = drawn(world.snapshot(), seen(world, thread_id=None))
    assert "elsewhere" not in page(every)


def test_a_parent_received_after_who_names_it_stands_below_and_says_so() -> None:
    """§4: edges follow parents, never arrival"""
    world = World()
    late = world.event("ana", "intent", summary="said first, received last")
    world.say("bo", "progress", summary="goes on", parents=(late,))
    world.say("kit", "progress", summary="beside it")
    world.store(late)
    content = drawn(world.snapshot(), seen(world))
    keys = [each.key for each in content.rows]
    events = world.snapshot().events
    assert keys.index(events[2].key) == keys.index(events[0].key) + 1
    assert "received after #1, which names it" in row(content, "said first")
    assert "missing" not in page(content)


def test_what_is_not_read_yet_is_not_called_missing() -> None:
    """Experience: honesty 1"""
    world = World()
    first = world.say("ana", "intent", summary="one")
    world.say("bo", "progress", summary="two", parents=(first,))
    whole = world.snapshot()
    nothing = replace(whole, events=(), by_id=MappingProxyType({}))
    part = nothing.heard(whole.events[1:], History("0", complete=False, target="2"))
    content = drawn(part, seen(world))
    assert "not among what is read so far" in row(content, "not read")
    assert "missing" not in page(content).replace("parent not received here", "")
    assert "reading history to #2" in page(content)


def test_what_is_kept_further_back_is_said_at_the_foot_and_the_beginning_stays_put() -> None:
    world = World()
    chain = [world.say("ana", "progress", summary="one")]
    for _ in range(5):
        chain.append(world.say("ana", "progress", summary="more", parents=(chain[-1],)))
    whole = world.snapshot()
    held = [replace(each, record=_numbered(each, STRIDE - 3 + place)) for place, each in enumerate(whole.events)]
    nothing = replace(whole, events=(), by_id=MappingProxyType({}))
    kept = nothing.heard(tuple(held), History("503", complete=True, earlier=496))
    assert [entry.record.seq for entry in chosen(kept, seen(world)) if isinstance(entry, Heard)] == [500, 501, 502]
    content = drawn(kept, seen(world))
    assert "496 events and more lie further back" in page(content)
    assert "kept further back, a parent of #500" in row(content, "earlier")


def _numbered(heard: Heard, seq: int) -> Record:
    receipt = structs.replace(heard.record.receipt, received_seq=str(seq))
    return structs.replace(heard.record, receipt=receipt)


def test_a_refuted_event_has_no_lines_and_is_nobody_s_parent() -> None:
    """§3: its bytes prove no parents"""
    world = World()
    first = world.say("ana", "intent", summary="one")
    second = world.say("bo", "progress", summary="two", parents=(first,))
    world.say("bo", "progress", summary="three", parents=(second,))
    content = drawn(with_verdict(world.snapshot(), 2, Verdict.MISMATCH), seen(world))
    assert [each.key.split(" ")[0] for each in content.rows][1:] == [
        "parent",
        "refuted",
        world.snapshot().events[0].key,
    ]
    assert "not proved" in row(content, "mismatch")
    assert "text hidden" in row(content, "mismatch")


def test_a_filter_says_which_events_are_drawn() -> None:
    world = talk()
    content = drawn(world.snapshot(), seen(world, filter=parse_filter("kind:claim.*")))
    assert said(content.info).startswith("4 events")


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_hostile_words_stay_in_their_cells(layout: Layout) -> None:
    world = World()
    first = world.say("ana", "intent", summary="\x1b[31m\u202e\u0301界界\n\u200b[b]x[/b]", thread="a\u202eb")
    for _ in range(40):
        world.say("bo", "progress", summary="e\u0301" * 80, parents=(first,), thread="a\u202eb")
    view = seen(world, layout, thread_id="a\u202eb")
    content = drawn(world.snapshot(), view, WIDTHS[layout])
    check(content, WIDTHS[layout])
    assert "›" in page(content)


def test_nothing_read_is_not_no_events() -> None:
    """Experience: honesty 1"""
    world = World()
    empty = world.snapshot()
    assert "No events yet" in page(drawn(empty, seen(world)))
    unread = replace(empty, history=History())
    assert "No events" not in page(drawn(unread, seen(world)))
    off = replace(unread, link=replace(unread.link, state=LinkState.OFFLINE))
    assert "Unavailable, not empty" in page(drawn(off, seen(world)))
    world.say("ana", "intent", summary="one")
    cut = replace(world.snapshot(), link=off.link)
    assert "more may have come since" in page(drawn(cut, seen(world)))


def many(count: int) -> tuple[World, list[Heard]]:
    """So many events with parents among those not long before."""
    world, pick = World(), random.Random(7)
    for _ in range(count):
        near = world.records[-20:]
        parents = tuple(pick.sample(near, min(len(near), pick.randrange(3))))
        world.say("ana", "progress", summary="on", parents=parents)
    return world, [Heard(record, Verdict.VERIFIED) for record in world.records]


def test_one_more_event_lays_one_node_and_only_rows_in_view(monkeypatch: pytest.MonkeyPatch) -> None:
    world, heard = many(600)
    base = World().snapshot()
    before = base.heard(tuple(heard[:-1]), History("599", complete=True))
    after = before.heard(tuple(heard[-1:]), History("600", complete=True))
    causal, view = Causal(), seen(world)
    turns = 1
    while not causal.take(chosen(before, view)):
        turns += 1
    assert turns == -(-599 // AT_ONCE)
    assert causal.lanes.laid == 599
    assert causal.take(chosen(after, view))
    assert causal.lanes.laid == 600
    looked: list[int] = []
    original = GraphRows.row

    def counted(self: GraphRows, place: int) -> Row:
        looked.append(place)
        return original(self, place)

    monkeypatch.setattr(GraphRows, "row", counted)
    content = graph.content(after, view, 160, causal)
    assert looked == []
    assert len(content.rows[:40]) == len(looked) == 40


def test_rows_that_lines_join_keep_their_own_order_while_one_is_armed() -> None:
    world = talk()
    rows = drawn(world.snapshot(), seen(world)).rows
    before = tuple(reversed([row.key for row in rows]))
    assert in_order(rows, before) is rows


def test_until_all_is_laid_it_says_how_far_it_is() -> None:
    world, heard = many(AT_ONCE + 10)
    snapshot = World().snapshot().heard(tuple(heard), History("510", complete=True))
    causal = Causal()
    assert not causal.take(chosen(snapshot, seen(world)))
    text = page(graph.content(snapshot, seen(world), 120, causal))
    assert f"laying out {AT_ONCE + 10:,} events, {AT_ONCE:,} done" in text


@pytest.mark.parametrize("size", [(60, 12), (80, 24), (120, 36), (160, 48), (300, 60)])
async def test_g_opens_it_at_the_event_under_the_cursor(size: tuple[int, int]) -> None:
    desk = AskingDesk(talk().snapshot())
    async with desk.at(*size):
        await desk.press("k", "k", "g")
        screen = desk.app.screen
        assert isinstance(screen, GraphScreen)
        assert screen.selected == desk.session.snapshot.events[-3].event_id
        assert "g Causal graph" in desk.text("rows")


async def test_older_and_newer_walk_along_the_lines() -> None:
    desk = AskingDesk(talk().snapshot())
    async with desk.at(160, 48):
        await desk.press("g")
        screen, events = desk.app.screen, desk.session.snapshot.events
        assert isinstance(screen, GraphScreen)
        walked = []
        for key in ("left", "left", "right", "right"):
            await desk.press(key)
            walked.append(screen.selected)
        assert walked == [events[place].event_id for place in (1, 0, 1, 2)]
        await desk.press("home", "down", "right")
        assert "No event drawn here names it" in desk.text("footer")
        await desk.press("end", "left")
        assert "No parent of it is drawn" in desk.text("footer")


async def test_a_missing_parent_under_the_cursor_is_nothing_to_act_on() -> None:
    desk = AskingDesk(talk().snapshot())
    async with desk.at(120, 36):
        await desk.press("g")
        screen = desk.app.screen
        assert isinstance(screen, GraphScreen)
        screen.rows.choose(next(key for key in screen.rows.view.places.keys if key.startswith(PARENT)))
        await desk.settle()
        assert screen.selected == ABSENT
        for words in ("6 Selected  9d02…", "missing  not received here", ABSENT, "named as a parent by #12"):
            assert words in desk.text("details")
        await desk.press("s")
        assert desk.app.screen is screen
        assert "no event with a receipt under the cursor" in desk.text("footer")


async def test_the_keys_that_say_something_act_there_and_enter_shows_it_on_the_board() -> None:
    desk = AskingDesk(talk().snapshot())
    async with desk.at(120, 36):
        await desk.press("g", "down", "s")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        chosen_one = desk.session.snapshot.events[-2].event_id
        assert [each.event_id for each in composer._composition.targets] == [chosen_one]
        await desk.press("escape", "enter")
        assert isinstance(desk.app.screen, BoardScreen)
        assert desk.number == "#13"


async def test_what_comes_above_the_view_is_counted_and_moves_no_row() -> None:
    world = talk()
    desk = AskingDesk(world.snapshot())
    async with desk.at(120, 20):
        await desk.press("g", "down")
        screen = desk.app.screen
        assert isinstance(screen, GraphScreen)
        line = screen.rows.view.line_of_cursor()
        world.say("kit", "progress", summary="came meanwhile", parents=(world.records[-1],))
        await desk.hear(world.snapshot())
        assert screen.rows.view.line_of_cursor() == line
        assert "1 new above Home" in desk.text("rows")
        await desk.press("home")
        assert "new above" not in desk.text("rows")
        assert "came meanwhile" in desk.text("rows")


async def test_its_commands_are_clicked_in_the_footer() -> None:
    desk = AskingDesk(talk().snapshot())
    async with desk.at(160, 48) as pilot:
        await desk.press("g")
        before = desk.app.screen
        assert isinstance(before, GraphScreen)
        chosen_one = before.selected
        await pilot.click("#footer", offset=(desk.text("footer").index("older"), 0))
        await desk.settle()
        assert before.selected != chosen_one


def test_the_key_of_a_row_is_that_of_its_event() -> None:
    world = talk()
    snapshot = with_verdict(world.snapshot(), 3, Verdict.MISMATCH)
    causal = Causal()
    causal.take(chosen(snapshot, seen(world)), None)
    third = snapshot.events[2].event_id
    assert graph.row_of(causal, third) == f"{REFUTES}{third}"
    assert graph.row_of(causal, ABSENT) is None
    assert len({key_of(mark) for mark in causal.lanes.marks}) == len(causal.lanes.marks)
