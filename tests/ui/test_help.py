"""Help and the palette: read from the tables the interface runs on, and from the snapshot as plain text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from screenshots.scene import scene
from textual.app import ComposeResult
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import OptionList, Static

from corr_tui.protocol.bodies import KINDS
from corr_tui.state.projection import facts_of
from corr_tui.state.snapshot import Snapshot, Verdict
from corr_tui.ui.about import ABOUT
from corr_tui.ui.commands import COMMANDS, table
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import width_of
from corr_tui.ui.palette import CorrespondenceProvider, ranked, things
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.help import HelpScreen, about_lines, help_lines
from corr_tui.ui.screens.places import PANELS
from corr_tui.ui.screens.views import VIEWS
from corr_tui.ui.wording import HONESTY, SIGNATURES
from tests.correspondents import World, claim
from tests.ui.bare_app import BareApp, screen_text, until
from tests.ui.desk import AskingDesk


def words_of(width: int = 100) -> str:
    return "\n".join("".join(span.text for span in line) for line in help_lines(COMMANDS, width))


def test_help_lists_every_command_sign_note_and_kind() -> None:
    text = words_of()
    for command in COMMANDS:
        assert command.description in text
        assert command.shown in text
    for sign in Glyph:
        assert f"{sign.symbol}  {sign.word}" in text
    for note in (*HONESTY, *SIGNATURES):
        assert note in words_of(200)
    for kind in KINDS:
        assert kind in text


def test_the_two_quiet_verdicts_are_explained() -> None:
    """Honesty 8."""
    assert {each.split(":")[0] for each in SIGNATURES} == {Verdict.VERIFIED, Verdict.LISTED}


def test_the_sender_is_capital_only_where_a_sentence_begins() -> None:
    words = words_of(400).splitlines()
    assert not [line for line in words if re.search(r"[^ .] The sender", line)]
    assert "The bytes of the events cited reached the sender." in words_of(400)


def test_help_shows_own_keys() -> None:
    lines = help_lines(table({"refresh": ["f5"]}), 100)
    assert any("f5" in "".join(span.text for span in line) and "Ask the service" in str(line) for line in lines)


@pytest.mark.parametrize("width", [60, 80, 120, 160])
def test_help_keeps_its_width(width: int) -> None:
    assert all(width_of(line) <= width for line in help_lines(COMMANDS, width))


@pytest.mark.parametrize("key", ["escape", "question_mark", "q"])
async def test_help_opens_and_closes_with_any_of_its_keys(key: str) -> None:
    app = BareApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(HelpScreen())
        await pilot.pause()
        assert "Say that its bytes reached you" in screen_text(app)
        await pilot.press(key)
        await until(pilot, lambda: not isinstance(app.screen, HelpScreen))


async def test_help_scrolls_to_its_end() -> None:
    app = BareApp()
    async with app.run_test(size=(60, 16)) as pilot:
        await app.push_screen(HelpScreen())
        await pilot.pause()
        await pilot.press("j")
        await pilot.press(*["pagedown"] * 40)
        assert "that Git holds the result" in screen_text(app)
        await pilot.press(*["pageup"] * 40, "k")
        assert "Say that its bytes reached you" in screen_text(app)


class Board(Screen[None]):
    """Draws a snapshot and remembers what it was asked to show."""

    snapshot: reactive[Snapshot] = reactive(lambda: Snapshot(repository_id=""), init=False)
    scopes = BoardScreen.scopes

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self.asked: list[tuple[str, Any]] = []
        self.set_reactive(Board.snapshot, snapshot)

    def compose(self) -> ComposeResult:
        yield Static("board", markup=False)

    def choose_thread(self, thread_id: str | None) -> None:
        self.asked.append(("thread", thread_id))

    def show_event(self, event_id: str) -> None:
        self.asked.append(("event", event_id))

    def action_compose(self, kind: str, opened_by: str = "") -> None:
        self.asked.append(("compose", (kind, opened_by)))


class PaletteApp(BareApp):
    COMMANDS: ClassVar[Any] = {CorrespondenceProvider}


HOSTILE = "[@click=app.quit]x[/]\u202e"


@pytest.fixture
def world() -> World:
    world = World()
    world.people["ana"] = replace(world.people["ana"], name="[red]ana\x1b")
    world.say("ana", "claim.open", paths=["src/api"], claim_id=claim(1), expires_in=3600)
    world.say("bo", "intent", summary="x", thread=HOSTILE)
    return world


def test_every_thread_claim_and_participant_is_an_entry_in_a_neutral_order(world: World) -> None:
    entries = [entry.text for entry in things(Board(world.snapshot()), world.snapshot())]
    assert entries == [
        "thread  [@click=app.quit]x[/]�",
        "thread  task:42",
        "claim  src/api by [red]ana␛",
        "participant  [red]ana␛",
        "participant  bo",
    ]


async def hits(found: Hits) -> list[Hit | DiscoveryHit]:
    return [hit async for hit in found]


async def test_hits_are_plain_text_and_do_what_they_say(world: World) -> None:
    app = PaletteApp()
    async with app.run_test():
        board = Board(world.snapshot())
        await app.push_screen(board)
        found = await hits(CorrespondenceProvider(board).search("click"))
        assert [hit.text for hit in found] == ["thread  [@click=app.quit]x[/]�"]
        assert str(found[0].prompt) == found[0].text
        found[0].command()
        found = await hits(CorrespondenceProvider(board).search("src/api"))
        found[0].command()
        assert board.asked == [("thread", HOSTILE), ("event", world.events()[0].event_id)]


async def test_the_palette_draws_hostile_names_and_opens_a_composer_with_its_enter_held(world: World) -> None:
    app = PaletteApp()
    async with app.run_test(size=(100, 30)) as pilot:
        board = Board(world.snapshot())
        await app.push_screen(board)
        app.action_command_palette()
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"click")
        await until(pilot, lambda: "[@click=app.quit]x[/]�" in screen_text(app))
        await pilot.press("escape")
        app.action_command_palette()
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"rejected")
        await until(pilot, lambda: "Decline it; no reason is asked" in screen_text(app))
        app.screen.query_one(OptionList).action_select()
        await pilot.press("enter")
        await until(pilot, lambda: bool(board.asked))
        assert board.asked == [("compose", ("ack.rejected", "enter"))]


async def test_over_another_screen_the_palette_offers_nothing_of_the_board() -> None:
    app = PaletteApp()
    async with app.run_test():
        screen = HelpScreen()
        await app.push_screen(screen)
        assert await hits(CorrespondenceProvider(screen).discover()) == []
        assert await hits(CorrespondenceProvider(screen).search("seen")) == []


def test_every_panel_and_view_says_what_it_shows_and_what_it_cannot_know() -> None:
    assert set(ABOUT) >= {*PANELS, *VIEWS}
    for name, about in ABOUT.items():
        words = "\n".join("".join(span.text for span in line) for line in about_lines(name, COMMANDS, 400))
        for sentence in (*about.shows, *about.unknown):
            assert sentence in words
        assert "What it cannot know" in words
        assert all(width_of(line) <= 60 for line in about_lines(name, COMMANDS, 60))
    assert about_lines("help", COMMANDS, 80) == ()


@pytest.mark.parametrize("name", PANELS)
async def test_help_begins_with_the_panel_in_focus(name: str) -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await desk.press(str(PANELS.index(name) + 1), "question_mark")
        shown = screen_text(desk.app).splitlines()
        assert shown[2].split()[:2] == [str(PANELS.index(name) + 1), ABOUT[name].title.split()[0]]


async def test_help_over_a_view_begins_with_the_view() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await desk.press("t", "question_mark")
        assert screen_text(desk.app).splitlines()[2].split()[:2] == ["t", "Triage"]


def best(query: str, *texts: str) -> list[str]:
    """The texts that match, the best first."""
    scored = [(ranked(query, (text,), 0.5 if set(query) <= set(text) else 0.0), text) for text in texts]
    return [text for score, text in sorted(scored, key=lambda each: -each[0]) if score]


def test_exact_comes_before_prefix_before_word_before_letters() -> None:
    assert best("task:4", "t-a-s-k-:-4", "more task:4", "task:42", "task:4") == [
        "task:4",
        "task:42",
        "more task:4",
        "t-a-s-k-:-4",
    ]


async def test_an_event_is_found_by_its_number_and_by_the_start_of_its_id() -> None:
    _, whole = scene()
    desk = AskingDesk(replace(whole, facts=facts_of(whole.events)), earlier=10)
    async with desk.at(120, 36):
        board = desk.app.board
        old = desk.session.earlier[3]
        for query in ("#30", "30", old.event_id.removeprefix("sha256:")[:6], old.event_id[:14]):
            found = await hits(CorrespondenceProvider(board).search(query))
            assert found[0].text is not None
            assert found[0].text.startswith("event  #")
        found = await hits(CorrespondenceProvider(board).search(old.event_id.removeprefix("sha256:")[:6]))
        found[0].command()
        await desk.settle()
        assert desk.number == "#4"


async def test_what_is_typed_whole_stands_first() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        found = sorted(await hits(CorrespondenceProvider(desk.app.board).search("kit")), key=lambda hit: -hit.score)
        assert found[0].text == "participant  kit"
        found = sorted(await hits(CorrespondenceProvider(desk.app.board).search("mark")), key=lambda hit: -hit.score)
        assert found[0].text is not None
        assert found[0].text.startswith("mark ")
