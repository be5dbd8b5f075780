"""Search over the whole history: what is found, what is not, what is refused, and what Enter shows."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from screenshots.scene import scene
from textual.events import Key, Paste

from corr_tui.state.border import SearchRefused
from corr_tui.state.snapshot import Heard, Verdict
from corr_tui.ui.line import Ink, Layout
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.results import Search, Stage, content, excerpt, pattern
from corr_tui.ui.screens.search import SearchScreen
from corr_tui.ui.widgets.word_field import WordLine
from tests.correspondents import World
from tests.ui.bare_app import until
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, inks, looking, page, said, with_verdict


@pytest.mark.parametrize(
    ("asked", "room", "shown", "strong"),
    [
        ("jitter", 60, "“Retry with full jitter, cap at 30 s”", ["jitter"]),
        ("JITTER cap", 60, "“Retry with full jitter, cap at 30 s”", ["jitter", "cap"]),
        ("cap", 20, "“…l jitter, cap at 30 s”", ["cap"]),
        ("none", 60, "“Retry with full jitter, cap at 30 s”", []),
        (".*(", 60, "“Retry with full jitter, cap at 30 s”", []),
    ],
)
def test_words_are_cut_around_what_matched_and_matches_are_strong(
    asked: str, room: int, shown: str, strong: list[str]
) -> None:
    line = excerpt("Retry with full jitter, cap at 30 s", pattern(asked), room)
    assert said(line) == shown
    assert [span.text for span in line if span.ink is Ink.STRONG] == strong


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize(
    ("search", "words"),
    [
        (Search(), "Words, paths, threads, kinds and senders"),
        (Search("re", Stage.LOOKING), "◐ looking"),
        (Search("no\x1b[2Jne", Stage.FOUND), "Nothing holds “no␛[2Jne”"),
        (
            Search("x", Stage.REFUSED, reason="this SQLite has no full text search"),
            "this SQLite has no full text search",
        ),
    ],
)
def test_each_state_of_a_search_says_what_it_is(search: Search, words: str, layout: Layout) -> None:
    world = World()
    shown = content(search, Reading(world.snapshot(), looking(world, layout)), 80)
    check(shown, 80)
    assert words in page(shown)


def test_a_history_not_read_to_its_end_is_not_said_to_hold_nothing() -> None:
    world = World()
    snapshot = world.snapshot()
    part = replace(snapshot, history=replace(snapshot.history, complete=False, count=3120))
    shown = content(Search("x", Stage.FOUND), Reading(part, looking(world)), 80)
    assert "in the 3,120 events read so far; more is not read yet." in page(shown)


def test_the_text_of_an_event_that_does_not_match_its_signature_stays_hidden() -> None:
    """Honesty 8."""
    world = World()
    world.say("ana", "intent", summary="secret words")
    snapshot = with_verdict(world.snapshot(), 1, Verdict.MISMATCH)
    shown = content(Search("secret", Stage.FOUND, snapshot.events), Reading(snapshot, looking(world)), 100)
    assert "secret" not in page(shown)
    assert "text hidden" in page(shown)


def test_a_result_says_number_time_verdict_sender_kind_and_thread() -> None:
    world = World()
    world.say("ana", "observation", summary="Flaky \u202e only when the cache is cold")
    snapshot = world.snapshot()
    shown = content(Search("cache", Stage.FOUND, snapshot.events), Reading(snapshot, looking(world)), 110)
    check(shown, 110)
    line = said(shown.rows[0].lines[0])
    assert line.split()[:5] == ["#1", "13:00:01", "✓", "ana", "observation"]
    assert line.split()[-1] == "task:42"
    assert inks(shown, "cache") == {Ink.STRONG}


def found_for(screen: SearchScreen, words: str) -> bool:
    """Whether the answer for these words is there."""
    return screen.search.asked == words and screen.search.stage is Stage.FOUND


async def test_typing_searches_and_enter_shows_the_event_on_the_board() -> None:
    desk = AskingDesk(earlier=20)
    async with desk.at(120, 36) as pilot:
        await desk.press("ctrl+f")
        screen = desk.app.screen
        assert isinstance(screen, SearchScreen)
        await desk.press(*"quickstart")
        await until(pilot, lambda: found_for(screen, "quickstart"))
        assert "#19" in desk.text("results")
        await desk.press("enter")
        await desk.settle()
        assert desk.app.screen is desk.app.board
        assert desk.number == "#19"
        assert "recalled" not in desk.text("footer")


async def test_the_words_keep_the_focus_while_keys_move_the_cursor() -> None:
    desk = AskingDesk()
    async with desk.at(80, 24) as pilot:
        await desk.press("ctrl+f")
        screen = desk.app.screen
        assert isinstance(screen, SearchScreen)
        await desk.press(*"retr")
        await until(pilot, lambda: found_for(screen, "retr"))
        first = desk.panel("results").view.cursor
        await desk.press("down")
        assert desk.panel("results").view.cursor != first
        assert isinstance(desk.app.focused, WordLine)
        await desk.press("y")
        assert screen.asked == "retry"


async def test_enter_before_the_pause_is_over_searches_at_once_and_shows_nothing() -> None:
    desk = AskingDesk()
    async with desk.at(80, 24) as pilot:
        await desk.press("ctrl+f", *"jitter", "enter")
        screen = desk.app.screen
        assert isinstance(screen, SearchScreen)
        await until(pilot, lambda: found_for(screen, "jitter"))
        assert len(screen.search.found) == 1


async def test_words_typed_in_one_go_with_the_key_are_not_lost() -> None:
    desk = AskingDesk()
    async with desk.at(80, 24) as pilot:
        await until(pilot, lambda: desk.app.focused is not None)
        for key, character in (("ctrl+f", None), ("c", "c"), ("a", "a"), ("p", "p")):
            desk.app.post_message(Key(key, character))
        await until(pilot, lambda: isinstance(desk.app.screen, SearchScreen) and desk.app.screen.asked == "cap")
        desk.app.post_message(Paste("s\nlock"))
        await until(pilot, lambda: isinstance(desk.app.screen, SearchScreen) and desk.app.screen.asked == "caps lock")


async def test_the_words_are_kept_and_no_words_ask_nothing() -> None:
    desk = AskingDesk()
    async with desk.at(80, 24) as pilot:
        await desk.press("ctrl+f", *"jitter", "escape", "ctrl+f")
        screen = desk.app.screen
        assert isinstance(screen, SearchScreen)
        await until(pilot, lambda: found_for(screen, "jitter"))
        await desk.press("ctrl+u")
        await until(pilot, lambda: screen.search.stage is Stage.EMPTY)
        assert "Words, paths, threads" in desk.text("results")


async def test_an_answer_that_is_no_longer_asked_for_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()
    held, asked = asyncio.Event(), []

    async def slow(words: str, most: int = 200) -> tuple[Heard, ...]:
        asked.append(words)
        if len(asked) == 1:
            await held.wait()
        return ()

    monkeypatch.setattr(desk.session, "search", slow)
    async with desk.at(80, 24) as pilot:
        await desk.press("ctrl+f", "a", "enter")
        screen = desk.app.screen
        assert isinstance(screen, SearchScreen)
        await until(pilot, lambda: asked == ["a"])
        await desk.press("b", "enter")
        await until(pilot, lambda: found_for(screen, "ab"))
        held.set()
        await desk.settle()
        assert screen.search.asked == "ab"


async def test_why_nothing_can_be_searched_is_said_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()

    async def refuse(words: str, most: int = 200) -> tuple[Heard, ...]:
        raise SearchRefused("this SQLite has no full text search")

    monkeypatch.setattr(desk.session, "search", refuse)
    async with desk.at(80, 24) as pilot:
        await desk.press("ctrl+f", "a", "enter")
        await until(pilot, lambda: "no full text search" in desk.text("results"))
        await desk.press("enter")
        assert isinstance(desk.app.screen, SearchScreen)


@pytest.mark.parametrize(("width", "height"), [(20, 6), (40, 10), (160, 48)])
async def test_search_fits_any_screen(width: int, height: int) -> None:
    desk = AskingDesk(scene()[1])
    async with desk.at(width, height) as pilot:
        await desk.press("ctrl+f", "a", "enter")
        await pilot.resize_terminal(80, 24)
        await desk.settle()
        await desk.press("escape")
        assert desk.app.screen is desk.app.board
