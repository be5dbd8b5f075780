"""The board over a session that is only said to be one: shapes, keys, looking, arriving, acknowledging."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from types import MappingProxyType

import pytest
from screenshots.scene import before_the_last, scene
from textual.events import Key, MouseScrollUp, Paste
from textual.pilot import Pilot

from corr_tui.state.border import Correspondence, Outcome
from corr_tui.state.snapshot import Identity, ProjectionState, Snapshot
from corr_tui.ui import commands
from corr_tui.ui.app import CorrTui
from corr_tui.ui.line import Span
from corr_tui.ui.screens import snapshot_screen
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.help import HelpScreen
from corr_tui.ui.screens.places import PANELS
from corr_tui.ui.text import cells
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.footer import footer as footer_parts
from corr_tui.ui.widgets.inked import Inked
from corr_tui.ui.widgets.panel import Panel
from tests.correspondents import World, uuid
from tests.ui.bare_app import until
from tests.ui.desk import SILENT
from tests.ui.fake_session import FakeSession


class Desk:
    """An app, its session, and what stands on its screen."""

    def __init__(self, snapshot: Snapshot | None = None, world: World | None = None) -> None:
        made, drawn = scene()
        self.session = FakeSession(world or made)
        self.session.show(snapshot or drawn)
        self.monotonic = 0.0
        self.app = CorrTui(self._open, monotonic=lambda: self.monotonic, clipboard="osc52", notices=SILENT)
        self.pilot: Pilot[None]

    async def _open(self) -> Correspondence:
        return self.session

    @asynccontextmanager
    async def at(self, width: int, height: int) -> AsyncIterator[Pilot[None]]:
        async with self.app.run_test(size=(width, height)) as self.pilot:
            await self.settle()
            yield self.pilot

    async def settle(self) -> None:
        for _ in range(8):  # a snapshot passes a task, a watcher and a callback before it is drawn
            await asyncio.sleep(0)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def hear(self, snapshot: Snapshot) -> None:
        self.session.show(snapshot)
        await self.settle()

    def panel(self, name: str) -> Panel:
        return self.app.board.board.panels[name]

    def text(self, name: str) -> list[str]:
        """The lines of a part, as they are drawn."""
        part = self.app.board.query_one(f"#{name}")
        assert isinstance(part, Panel | Bar)
        return [part.render_line(y).text.rstrip() for y in range(part.size.height)]

    def shown(self) -> set[str]:
        """The panels that have a place on the screen."""
        regions = self.app.board.board.places(self.app.board.size)
        drawn = {name for name in PANELS if self.panel(name).region.area}
        assert {name for name in PANELS if name in regions} <= drawn
        return drawn & regions.keys()

    @property
    def number(self) -> str:
        """The event under the cursor of the events, as it is called."""
        cursor = self.panel("events").view.cursor
        return "" if cursor is None else self.session.snapshot.number_of(cursor)


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_each_width_has_its_shape_and_it_changes_live(desk: Desk) -> None:
    async with desk.at(160, 48) as pilot:
        assert desk.shown() == set(PANELS)
        await pilot.resize_terminal(120, 36)
        await desk.settle()
        assert desk.shown() == set(PANELS) - {"conflicts"}
        await pilot.resize_terminal(80, 24)
        await desk.settle()
        assert desk.shown() == {"events", "selected"}
        await pilot.resize_terminal(160, 48)
        await desk.settle()
        assert desk.shown() == set(PANELS)
        assert desk.number == "#44" or desk.number.endswith("…")


@pytest.mark.parametrize(("width", "height"), [(160, 48), (120, 36), (80, 24), (60, 16)])
async def test_every_panel_is_reached_by_its_number_and_has_something_to_read(width: int, height: int) -> None:
    desk = Desk()
    async with desk.at(width, height):
        for number, name in enumerate(PANELS, 1):
            await desk.press(str(number))
            assert desk.app.focused is desk.panel(name)
            assert name in desk.shown()
            assert sum(bool(line) for line in desk.text(name)) >= 3


@pytest.mark.parametrize(("width", "height"), [(20, 5), (10, 3), (1, 1), (100, 4), (140, 8), (300, 90)])
async def test_no_size_breaks_it(width: int, height: int) -> None:
    desk = Desk()
    async with desk.at(width, height) as pilot:
        for key in ("1", "3", "6", "tab", "k", "2", "k"):
            await desk.press(key)
        await pilot.resize_terminal(80, 24)
        await desk.settle()
        assert "#" in "".join(desk.text("events"))


async def test_tab_goes_round_all_panels(desk: Desk) -> None:
    async with desk.at(80, 24):
        seen = []
        for _ in PANELS:
            await desk.press("tab")
            seen.append(desk.app.board.board.active)
        assert seen == ["claims", "conflicts", "presence", "selected", "threads", "events"]
        await desk.press("shift+tab")
        assert desk.app.board.board.active == "threads"


async def test_enter_chooses_a_thread_and_escape_goes_back_without_quitting(desk: Desk) -> None:
    async with desk.at(120, 36):
        await desk.press("1", "j", "enter")
        assert desk.app.board.view.thread_id == "task:42"
        assert desk.app.focused is desk.panel("events")
        assert desk.text("events")[0].startswith("─ 2 Events  task:42 ")
        await desk.press("escape")
        assert desk.app.board.view.thread_id is None
        assert desk.panel("threads").view.cursor == ""
        await desk.press("escape", "escape")
        assert desk.app.is_running


async def test_q_quits(desk: Desk) -> None:
    async with desk.at(80, 24):
        await desk.press("q")
        assert not desk.app.is_running or desk.app._exit
    assert desk.app.return_code == 0
    assert desk.session.closed


async def test_the_selected_panel_follows_the_cursor_of_the_events(desk: Desk) -> None:
    async with desk.at(120, 36):
        await desk.press("k", "k")
        assert desk.number in desk.text("selected")[0]
        before = desk.text("selected")
        await desk.press("k")
        assert desk.text("selected") != before


async def test_arrivals_keep_the_cursor_and_are_counted_below() -> None:
    world, whole = scene()
    desk = Desk(before_the_last(whole, 6), world)
    async with desk.at(120, 36):
        await desk.press("k", "k", "k")
        number, line = desk.number, desk.panel("events").spot()
        await desk.hear(whole)
        assert (desk.number, desk.panel("events").spot()) == (number, line)
        assert any("new below G" in text for text in desk.text("events"))
        await desk.press("G")
        assert not any("new below" in text for text in desk.text("events"))


async def test_a_board_on_its_last_row_follows_what_arrives() -> None:
    world, whole = scene()
    whole = replace(whole, unsent=())
    desk = Desk(before_the_last(whole, 2), world)
    async with desk.at(120, 36):
        assert desk.number == "#42"
        await desk.hear(whole)
        assert desk.number == "#44"


async def test_new_counts_until_a_person_comes_to_the_event_and_nothing_is_posted() -> None:
    world, whole = scene()
    whole = replace(whole, unsent=())
    desk = Desk(before_the_last(whole, 2), world)
    async with desk.at(160, 48):
        assert not any(" new" in line for line in desk.text("threads"))
        await desk.hear(whole)
        assert sum("1 new" in line for line in desk.text("threads")) == 2
        await desk.press("k")
        assert sum("1 new" in line for line in desk.text("threads")) == 1
        await desk.press("j")
        assert not any(" new" in line for line in desk.text("threads"))
    assert desk.session.prepared == []
    assert desk.session.sent == []


async def test_many_snapshots_in_one_turn_are_drawn_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk.at(120, 36):
        drawn: list[str] = []
        show = Panel.show

        def counted(panel: Panel, *content: object) -> None:
            drawn.append(panel.panel_name)
            show(panel, *content)  # type: ignore[arg-type]

        monkeypatch.setattr(Panel, "show", counted)
        now = desk.session.snapshot
        for count in range(1, 20):
            desk.app.board.snapshot = before_the_last(now, count)
        await desk.settle()
        assert drawn.count("threads") == 1


async def test_an_acknowledgement_takes_two_strokes_and_is_told_in_place(desk: Desk) -> None:
    async with desk.at(120, 36):
        await desk.press("k")
        target = desk.panel("events").view.cursor
        await desk.press("s")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        await desk.press("enter")
        assert desk.app.screen is desk.app.board
        assert desk.panel("events").view.cursor == target
        assert desk.text("footer")[0].startswith("  ack.seen is #45")
        assert len(desk.session.sent) == 1
        await desk.press("k")
        assert "ack.seen is" not in desk.text("footer")[0]


async def test_keys_in_quick_succession_act_on_the_row_under_the_cursor(desk: Desk) -> None:
    async with desk.at(120, 36):
        await desk.press("k", "k")
        events = desk.panel("events")
        events.action_cursor_up()
        subjects = desk.app.board.subjects()  # before any message of the list was handled
        assert [each.event_id for each in subjects] == [events.view.cursor]


async def test_a_panel_has_the_focus_before_the_next_key_is_looked_at(desk: Desk) -> None:
    async with desk.at(80, 24):
        desk.app.board.action_panel("conflicts")  # before any message of the focus was handled
        assert desk.app.focused is desk.panel("conflicts")
        assert desk.app.board.board.active == "conflicts"
        assert desk.app.board.subject_panel is desk.panel("conflicts")


async def test_escape_in_the_composer_posts_nothing(desk: Desk) -> None:
    async with desk.at(80, 24):
        await desk.press("k", "s", "escape")
        assert desk.app.screen is desk.app.board
    assert desk.session.sent == []


async def test_a_letter_that_comes_with_alt_runs_no_command_of_that_letter(desk: Desk) -> None:
    async with desk.at(80, 24):
        await desk.press("k", "alt+s", "alt+x", "alt+q")
        assert desk.app.screen is desk.app.board
        assert desk.app.is_running
    assert desk.session.sent == []


async def test_a_lost_answer_is_told_as_not_known_yet(desk: Desk) -> None:
    desk.session.answers.append(Outcome.UNKNOWN)
    async with desk.at(120, 36):
        await desk.press("k", "s", "enter")
        if desk.app.screen is not desk.app.board:
            await desk.press("escape")
        assert "not known yet" in desk.text("footer")[0]


async def test_an_unsent_event_cannot_be_cited_yet(desk: Desk) -> None:
    async with desk.at(120, 36):
        await desk.press("G", "s")
        assert desk.app.screen is desk.app.board
        assert "no event with a receipt" in desk.text("footer")[0]


async def test_a_conflict_opens_a_repair_of_its_sides(desk: Desk) -> None:
    async with desk.at(160, 48):
        await desk.press("4", "j", "r")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        assert len(composer.query("#pinned")) == 1
        await desk.press("escape")


async def test_enter_on_a_claim_brings_its_event_under_the_cursor(desk: Desk) -> None:
    async with desk.at(160, 48):
        await desk.press("3", "enter")
        assert desk.app.focused is desk.panel("events")
        assert desk.panel("events").view.cursor == desk.panel("claims").view.cursor


async def test_help_opens_and_the_board_beneath_goes_on(desk: Desk) -> None:
    _, whole = scene()
    async with desk.at(120, 36):
        await desk.press("question_mark")
        assert isinstance(desk.app.screen, HelpScreen)
        desk.session.show(before_the_last(whole, 5))
        await desk.settle()
        assert desk.app.board.snapshot is desk.session.snapshot
        await desk.press("escape")
        assert "39 events" in desk.text("threads")[0]


async def test_copying_says_what_was_copied_and_how(desk: Desk) -> None:
    async with desk.at(120, 36):
        await desk.press("k", "y")
        assert desk.app.clipboard == desk.panel("events").view.cursor
        assert "OSC 52" in desk.text("footer")[0]
        await desk.press("Y")
        assert '"signature"' in desk.app.clipboard


async def test_r_capital_asks_the_service_again(desk: Desk) -> None:
    async with desk.at(120, 36):
        await desk.press("R")
        assert desk.session.refreshed == 1


async def test_the_mouse_reaches_panels_tabs_and_keys(desk: Desk) -> None:
    async with desk.at(80, 24) as pilot:
        await pilot.click("#tabs", offset=(26, 0))
        await desk.settle()
        assert desk.app.board.board.active == "claims"
        await pilot.click("#footer", offset=(78, 0))
        await desk.settle()
        assert len(desk.app.screen_stack) == 2
        await desk.press("escape")
        await pilot.resize_terminal(120, 36)
        await desk.settle()
        await pilot.click("#claims", offset=(36, 0))
        await desk.settle()
        assert desk.app.board.board.active == "conflicts"
        await pilot.click("#events", offset=(9, 4))
        await desk.settle()
        chosen = desk.panel("events").view.cursor
        await pilot._post_mouse_events([MouseScrollUp], "#events", offset=(9, 4))
        assert desk.panel("events").view.cursor == chosen


async def test_a_countdown_redraws_only_when_its_text_changes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk.at(160, 48):
        drawn: list[str] = []
        show = Panel.show

        def counted(panel: Panel, *content: object) -> None:
            drawn.append(panel.panel_name)
            show(panel, *content)  # type: ignore[arg-type]

        monkeypatch.setattr(Panel, "show", counted)
        before = desk.text("claims")
        desk.monotonic = 1.0
        desk.app.board._tick()
        assert drawn == []
        desk.monotonic = 61.0
        desk.app.board._tick()
        assert "claims" in drawn
        assert desk.text("claims") != before


async def test_hostile_text_reaches_the_terminal_as_text(desk: Desk) -> None:
    world = World()
    hostile = "[/foo] [@click=app.quit]now[/] \x1b]0;title\x07\x9b31m ‮ end"
    world.say("zed", "intent", summary=hostile)
    evil = Identity(uuid(2, 6), "[red]z\x1b[2Jed[/red]")
    snapshot = replace(world.snapshot(), identities=MappingProxyType({uuid(2, 6): evil}))
    async with desk.at(160, 48):
        await desk.hear(snapshot)
        everything = "\n".join(line for name in PANELS for line in desk.text(name))
        assert "[/foo]" in everything
        assert "[red]z" in everything
        assert all(character.isprintable() or character == "\n" for character in everything)


async def test_in_ascii_nothing_else_reaches_the_terminal() -> None:
    desk = Desk()
    for width in (160, 120, 80):
        desk.app = CorrTui(desk._open, monotonic=lambda: 0.0, ascii_only=True)
        async with desk.at(width, 36):
            for name in (*PANELS, "header", "tabs", "footer"):
                assert all(line.isascii() for line in desk.text(name))


@pytest.mark.parametrize("state", ["truncated", "unavailable"])
async def test_a_view_that_may_be_believed_less_says_so_on_the_board(state: str) -> None:
    world, _ = scene()
    snapshot = world.snapshot()
    projection = replace(snapshot.projection, state=ProjectionState(state), error="503")
    desk = Desk(replace(snapshot, projection=projection), world)
    async with desk.at(160, 48):
        assert state in desk.text("header")[0] or "computed here" in desk.text("claims")[0]
        assert not any("No active claims" in line for line in desk.text("claims"))


def talk(*lines: tuple[str, str]) -> World:
    """A world in which some said something in words."""
    world = World()
    for who, words in lines:
        world.say(who, "observation", summary=words)
    return world


async def test_enter_on_who_reported_nothing_shows_the_last_event_of_them() -> None:
    world = talk(("ana", "one"), ("bo", "two"), ("ana", "three"), ("bo", "four"))
    desk = Desk(world.snapshot(), world)
    async with desk.at(160, 48):
        await desk.press("5", "home", "enter")
        assert desk.app.focused is desk.panel("events")
        assert desk.number == "#3"
        await desk.press("5", "G", "enter")
        assert desk.app.focused is desk.panel("presence")
        assert desk.text("footer")[0].startswith("  Nothing of zed was received here.")


@pytest.mark.parametrize(("width", "height"), [(160, 48), (120, 36), (80, 24)])
async def test_a_raised_conflict_is_shown_opened_and_repaired(width: int, height: int) -> None:
    world = talk(("zed", "passes"), ("zed", "fails"))
    pair = tuple(world.records)
    world.say("lin", "conflict.raise", targets=pair, summary="two reports")
    desk = Desk(world.snapshot(), world)
    async with desk.at(width, height):
        assert desk.app.board.reader is not None
        await desk.press("4")
        assert any("△ raised" in line for line in desk.text("conflicts"))
        await desk.press("r")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        cited = composer._composition.targets
        assert {each.event_id for each in cited} == {each.event.event_id for each in pair}
        await desk.press("escape", "escape", "4", "enter")
        assert desk.number == "#3"
        await desk.press("1")
        assert any("△" in line and "raised" in line for line in desk.text("threads"))


async def test_a_result_gives_the_place_back_to_the_keys_by_itself(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_screen, "STATUS_SECONDS", 0.001)
    async with desk.at(120, 36) as pilot:
        desk.app.board.tell("Done.")
        assert desk.text("footer")[0].startswith("  Done.")
        await until(pilot, lambda: desk.text("footer")[0].startswith("  s seen"))


async def test_there_is_one_timer_for_a_result_and_none_without(desk: Desk) -> None:
    async with desk.at(120, 36):
        board = desk.app.board
        before = len(board._timers)
        for words in ("one", "two", "three"):
            board.tell(words)
        await desk.settle()
        assert len(board._timers) == before + 1
        await desk.press("k")
        assert len(board._timers) == before
        board.tell("four")
        await desk.press("1")
        await desk.settle()
        assert len(board._timers) == before


@pytest.mark.parametrize("width", range(30, 130, 9))
async def test_a_result_too_long_is_cut_at_the_end_of_a_word(width: int) -> None:
    said = "ack.seen was refused: the result revision is not known here, and nothing was posted by anybody at all"
    parts = footer_parts(commands.footer("events"), width, (Span(said),))
    shown = "".join(span.text for part in parts for span in part.line)
    assert cells(shown) <= width
    kept, cut, _ = shown.strip().partition("…")
    assert not cut or said.startswith(f"{kept} ") or kept == "ack.seen"[: len(kept)]
    assert cut or said in shown
    assert "? help" in shown or width < 40


async def test_a_path_in_a_result_is_read_as_far_as_there_is_room() -> None:
    parts = footer_parts(
        commands.footer("events"), 60, (Span("Made a project in /home/maya/.local/share/corr-tui/projects"),)
    )
    shown = "".join(span.text for part in parts for span in part.line)
    assert "in /home/maya/.local/share/corr-…" in shown


async def test_a_short_result_leaves_both_keys_on_the_right() -> None:
    parts = footer_parts(commands.footer("events"), 80, (Span("ack.seen is #45"),))
    shown = "".join(span.text for part in parts for span in part.line)
    assert shown.endswith("? help  ^p palette")


async def test_a_reader_without_a_key_is_offered_no_words(desk: Desk) -> None:
    silent = replace(desk.session.snapshot, me=None)
    async with desk.at(120, 36):
        await desk.hear(silent)
        await desk.press("k")
        assert desk.text("footer")[0].split()[:2] == ["y", "copy"] or "seen" not in desk.text("footer")[0]
        assert "reading only" in desk.text("header")[0]


async def test_the_composer_names_me_before_my_name_is_known(desk: Desk) -> None:
    snapshot = desk.session.snapshot
    assert snapshot.me is not None
    async with desk.at(80, 24):
        await desk.hear(replace(snapshot, me=replace(snapshot.me, name="")))
        await desk.press("k", "s")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        facts = composer.query_one("#facts", Inked).shown
        assert "0000… on laptop" in facts
        await desk.press("escape")


async def test_my_own_acknowledgements_are_not_new_below() -> None:
    world, whole = scene()
    desk = Desk(replace(whole, unsent=()), world)
    async with desk.at(80, 24):
        await desk.press("home", "s", "enter")
        assert desk.app.screen is desk.app.board
        assert len(desk.session.sent) == 1
        assert not any("new below" in line for line in desk.text("events"))


async def test_after_my_own_post_the_tail_is_followed_again() -> None:
    world = talk(("ana", "one"), ("bo", "two"))
    desk = Desk(world.snapshot(), world)
    async with desk.at(120, 36):
        assert desk.number == "#2"
        await desk.press("s", "enter")
        assert len(desk.session.sent) == 1
        assert desk.number == "#2"
        world.say("ana", "observation", summary="four")
        await desk.hear(world.snapshot())
        assert desk.number == "#4"


def strokes(desk: Desk, text: str) -> None:
    """Hand strokes over as one read of the terminal does: all before the first is looked at."""
    for character in text:
        key = {" ": "space", "\r": "enter"}.get(character, character)
        desk.app.post_message(Key(key, character))


@pytest.mark.parametrize("opening", ["se", "r", "xe"])
@pytest.mark.parametrize("words", ["v", "very even", "the cap is 30 s, not 3", "q" * 80])
async def test_what_is_typed_ahead_of_a_field_goes_into_it(desk: Desk, opening: str, words: str) -> None:
    async with desk.at(120, 36) as pilot:
        await desk.press("k")
        strokes(desk, opening + words)
        await desk.settle()
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        await until(pilot, lambda: words in composer._composition.words.values())
        assert composer._editing is not None
        await desk.press("enter")
        assert composer._editing is None
        assert desk.session.sent == []


async def test_an_enter_typed_ahead_ends_the_writing_and_posts_nothing(desk: Desk) -> None:
    async with desk.at(120, 36) as pilot:
        await desk.press("k")
        strokes(desk, "rone or two\r")
        composer = desk.app.screen
        await until(pilot, lambda: isinstance(desk.app.screen, ComposeScreen))
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        await until(pilot, lambda: composer._composition.word("summary") == "one or two" and composer._editing is None)
        assert desk.session.sent == []


async def test_what_is_pasted_ahead_of_a_field_goes_into_it(desk: Desk) -> None:
    async with desk.at(120, 36) as pilot:
        await desk.press("k")
        strokes(desk, "se")
        desk.app.post_message(Paste("two\nlines"))
        await desk.settle()
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        await until(pilot, lambda: composer._composition.word("detail") == "two lines")


async def test_what_is_typed_where_nobody_writes_is_not_kept(desk: Desk) -> None:
    async with desk.at(120, 36):
        await desk.press("k")
        strokes(desk, "sfh")
        await desk.settle()
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        assert not composer._composition.words
