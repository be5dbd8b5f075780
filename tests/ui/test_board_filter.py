"""The board narrowed by a filter: live, kept, dropped, completed; errors at their token; rows keep still (Also)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from screenshots.scene import scene
from screenshots.states import kept, unavailable

from corr_tui.state.filter_grammar import FilterRefused, parse_filter
from corr_tui.state.home import Home
from corr_tui.state.saved_views import SavedViews
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui import palette
from corr_tui.ui.commands import COMMANDS, Scope
from corr_tui.ui.line import Layout
from corr_tui.ui.panels import claims, conflicts, events, presence, threads
from corr_tui.ui.panels.filter_note import Written, note
from corr_tui.ui.panels.filtered import covered, filtered
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.screens.board_filtering import QUIET
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.word_field import WordLine
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, looking, page, said

BESIDE = {"threads": threads, "claims": claims, "conflicts": conflicts, "presence": presence}


def shown(name: str, text: str, snapshot: Snapshot | None = None, width: int = 42) -> str:
    """A panel as it is narrowed by a filter."""
    world, whole = scene()
    snapshot = snapshot or whole
    view = looking(world, filter=parse_filter(text))
    if name == "events":
        content = events.content(snapshot, view, 84)
        check(content, 84)
    else:
        content = filtered(name, BESIDE[name].content(snapshot, view, width), snapshot, view, width)
        check(content, width)
    return page(content)


def test_events_are_those_found_and_the_title_says_by_which_filter_and_how_many_of_how_many() -> None:
    page_of = shown("events", "kind:repair")
    assert page_of.startswith("Events | all threads · filter kind:repair | 1 of ")
    assert page_of.count("repair ") == 2  # the title and the row


@pytest.mark.parametrize(
    ("name", "text", "there", "gone"),
    [
        ("claims", "by:bo", "src/api ", "docs"),
        ("claims", "path:docs", "docs", "src/api "),
        ("claims", "-thread:task:42", "docs", "src/api "),
        ("conflicts", "thread:task:39", "fork", "overlap"),
        ("conflicts", "path:docs", "branches", "overlap   src"),
        ("presence", "by:kit", "kit", "lin"),
        ("threads", "thread:task:4*", "task:42", "task:39"),
    ],
)
def test_each_panel_answers_the_terms_it_can(name: str, text: str, there: str, gone: str) -> None:
    page_of = shown(name, text)
    assert there in page_of
    assert gone not in page_of
    assert f"filter {text[:6]}" in page_of
    assert " of " in page_of.splitlines()[0]


@pytest.mark.parametrize("name", BESIDE)
def test_a_panel_that_answers_no_term_shows_all_it_has(name: str) -> None:
    world, snapshot = scene()
    view = looking(world)
    whole = BESIDE[name].content(snapshot, view, 42)
    narrowed = replace(view, filter=parse_filter("kind:intent is:verified"))
    assert filtered(name, whole, snapshot, narrowed, 42) is whole


@pytest.mark.parametrize("name", [*BESIDE, "events"])
def test_nothing_left_is_said_to_be_the_filter_and_never_that_there_is_none(name: str) -> None:
    """Honesty 1."""
    page_of = shown(name, "thread:elsewhere")
    assert "Nothing here that the filter finds" in page_of
    assert "No active claims" not in page_of
    assert "No events" not in page_of


def test_what_a_filter_rests_on_is_said_where_it_is_not_known() -> None:
    world, snapshot = scene()
    assert "is:live: projection last good view" in shown("events", "is:live", unavailable(world, snapshot))


def test_the_panels_it_narrows_are_named() -> None:
    assert covered(parse_filter("kind:intent")) == ("events",)
    assert set(covered(parse_filter("by:bo"))) == {"events", "claims", "conflicts", "presence"}


@pytest.mark.parametrize(
    ("text", "carets", "words"),
    [
        ("is:unverifed", 12, "is: knows only"),
        ("by:bo nothing:x", 15, "no field is called nothing"),
        ("--x", 9, "a term is negated by one -"),
        ('by:"bo', 12, "this quotation mark is not closed"),
    ],
)
def test_an_error_points_at_its_token(text: str, carets: int, words: str) -> None:
    world, snapshot = scene()
    with pytest.raises(FilterRefused) as refused:
        parse_filter(text)
    first, second = note(Written(text, None, refused.value), Reading(snapshot, looking(world)), 120, 9)
    line = said(first)
    assert line.index("^") == carets == 9 + refused.value.position
    assert line.count("^") == refused.value.length
    assert words in line + said(second)


@pytest.mark.parametrize("width", [12, 20, 40, 160])
@pytest.mark.parametrize("scrolled", [0, 5, 80])
def test_the_note_fits_any_width(width: int, scrolled: int) -> None:
    world, snapshot = scene()
    text = "words " * 12 + "is:nothing\u202e"
    with pytest.raises(FilterRefused) as refused:
        parse_filter(text)
    for written in (Written(text, None, refused.value), Written("by:bo", parse_filter("by:bo")), Written()):
        for line in note(written, Reading(kept(world, snapshot), looking(world)), width, 9, scrolled):
            assert len(said(line)) <= width
            assert "\u202e" not in said(line)


async def typed(there: AskingDesk, *keys: str) -> None:
    """Press keys and wait until the text was looked at."""
    await there.press(*keys)
    await there.pilot.pause(QUIET * 2)
    await there.settle()


async def test_it_narrows_as_one_types_and_enter_keeps_it() -> None:
    there = AskingDesk()
    async with there.at(160, 48):
        await there.press("slash")
        assert isinstance(there.app.focused, WordLine)
        await typed(there, *"kind:repair")
        assert "filter kind:repair" in there.text("events")
        await there.press("enter")
        assert isinstance(there.app.focused, LineList)
        assert "filter kind:repair" in there.text("events")
        assert not there.app.screen.query("#filter")
        assert there.session.prepared == []


async def test_escape_goes_back_to_what_was_shown_and_on_the_board_clears_it() -> None:
    there = AskingDesk()
    async with there.at(120, 36):
        await there.press("k", "k")
        before = there.number
        await there.press("slash", *"by:bo", "enter")
        assert "filter by:bo" in there.text("events")
        await typed(there, "slash", *"kind:intent")
        assert "filter by:bo kind:intent" in there.text("events")
        await there.press("escape")
        assert "filter by:bo │" not in there.text("events")
        assert "kind:intent" not in there.text("events")
        assert "filter by:bo" in there.text("events")
        await there.press("escape")
        assert "filter" not in there.text("events")
    assert before


async def test_what_is_no_filter_changes_nothing_and_enter_does_not_keep_it() -> None:
    there = AskingDesk()
    async with there.at(120, 36):
        await typed(there, "slash", *"by:bo")
        await typed(there, *" is:xy")
        assert "^^" in there.app.screen.query_one("#filter-note").shown  # type: ignore[attr-defined]
        assert "filter by:bo" in there.text("events")
        await there.press("enter")
        assert isinstance(there.app.focused, WordLine)


async def test_tab_completes_and_lists_what_could_stand_there() -> None:
    there = AskingDesk()
    async with there.at(120, 36):
        await there.press("slash", *"ki", "tab", *"rep", "tab")
        line = there.app.screen.query_one("#filter-words", WordLine)
        assert line.value == "kind:repair "
        await there.press(*"is:un", "tab")
        assert "unverified" in there.app.screen.query_one("#filter-note").shown  # type: ignore[attr-defined]


async def test_the_cursor_stays_on_its_event_while_that_is_found_and_nothing_counts_as_new() -> None:
    there = AskingDesk()
    async with there.at(160, 48):
        await there.press("home")
        while there.session.snapshot.by_id[there.panel("events").view.cursor or ""].record.event.evidence["kind"] != (
            "handoff"
        ):
            await there.press("j")
        before = there.number
        await typed(there, "slash", *"kind:handoff")
        assert there.number == before
        await there.press("enter", "escape")
        assert there.number == before
        assert there.panel("events").view.below == 0


async def test_at_the_last_row_the_cursor_stays_too_and_follows_only_where_it_is_the_last() -> None:
    there = AskingDesk()
    async with there.at(160, 48):
        await typed(there, "slash", *"kind:handoff")
        await there.press("enter", "G")
        before = there.number
        await there.press("escape")
        assert there.number == before
        assert not there.panel("events").view.following


async def test_events_that_come_are_filtered_too() -> None:
    there = AskingDesk()
    async with there.at(160, 48):
        await there.press("slash", *"by:ana", "enter")
        rows = len(there.panel("events").view.places.keys)
        there.session.world.say("bo", "progress", summary="one more")
        there.session.world.say("ana", "progress", summary="and one")
        await there.hear(there.session.world.snapshot())
        assert len(there.panel("events").view.places.keys) == rows + 1


async def test_showing_an_event_the_filter_does_not_find_clears_it_and_says_so() -> None:
    there = AskingDesk()
    async with there.at(160, 48):
        await there.press("slash", *"kind:handoff", "enter")
        wanted = there.session.snapshot.events[0].event_id
        there.app.board.show_event(wanted)
        await there.settle()
        assert there.panel("events").view.cursor == wanted
        assert "filter was cleared" in there.text("footer")


async def test_keys_of_the_line_move_the_events_while_it_keeps_the_focus() -> None:
    there = AskingDesk()
    async with there.at(120, 36):
        await there.press("G", "slash", "up")
        moved = there.number
        assert isinstance(there.app.focused, WordLine)
        await there.press("up", "down")
        assert there.number == moved
        await there.press("pageup", "pagedown")
        assert isinstance(there.app.focused, WordLine)


@pytest.mark.parametrize("command", [each.id for each in COMMANDS if each.scope is Scope.FILTER])
async def test_every_key_of_the_line_can_be_clicked(command: str) -> None:
    there = AskingDesk()
    async with there.at(120, 36):
        await there.press("slash", *"ki")
        action = next(each.action for each in COMMANDS if each.id == command)
        await there.app.run_action(action, there.app.screen)
        await there.settle()
    assert there.session.sent == []


async def test_another_panel_that_is_gone_to_ends_the_writing_and_keeps_the_filter() -> None:
    there = AskingDesk()
    async with there.at(160, 48):
        await there.press("slash", *"by:bo")
        there.app.screen.set_focus(there.panel("claims"))
        await there.settle()
        assert not there.app.screen.query("#filter")
        assert "filter by:bo" in there.text("claims")
        assert there.app.board.board.active == "claims"


@pytest.mark.parametrize(("width", "height"), [(20, 5), (30, 8), (80, 24), (300, 80)])
async def test_it_fits_any_size(width: int, height: int) -> None:
    there = AskingDesk()
    async with there.at(width, height) as pilot:
        await there.press("3", "slash", *"by:bo is:zzz")
        await pilot.resize_terminal(100, 30)
        await there.settle()
        await there.press("escape")
        assert there.app.board.board.active == "events"


def test_the_narrow_title_says_it_too() -> None:
    world, snapshot = scene()
    view = looking(world, Layout.NARROW, filter=parse_filter("by:bo"))
    assert "· filter by:bo" in page(events.content(snapshot, view, 80)).splitlines()[0]


# Filters with names.


def with_views(there: AskingDesk, folder: Path, content: str = "") -> Home:
    """An installation whose configuration file the desk's app keeps names in."""
    home = Home.under(folder)
    home.config.mkdir(parents=True)
    home.config_file.write_text(content, encoding="utf-8")
    there.app.views = SavedViews.read(home)
    return home


async def test_a_filter_is_kept_under_a_name_and_the_palette_finds_it(tmp_path: Path) -> None:
    there = AskingDesk()
    home = with_views(there, tmp_path, '# mine\n[views]\nold = "is:mine"\n')
    async with there.at(120, 36):
        await there.press("slash", *"by:bo", "ctrl+n", *"bo", "enter")
        assert "Kept as bo" in there.text("footer")
        assert home.config_file.read_text(encoding="utf-8").startswith("# mine\n")
        assert SavedViews.read(home).views == {"old": "is:mine", "bo": "by:bo"}
        assert "filter by:bo" in there.text("events")
        entries = {
            each.text: each for each in palette.views(there.app.board, there.app.views.views if there.app.views else {})
        }
        assert list(entries) == ["view  old", "view  bo", "view  everything"]
        entries["view  old"].run()
        assert "filter is:mine" in there.text("events")
        entries["view  everything"].run()
        assert "filter" not in there.text("events")
    assert there.session.sent == []


async def test_escape_from_a_name_goes_back_to_the_filter(tmp_path: Path) -> None:
    there = AskingDesk()
    home = with_views(there, tmp_path)
    async with there.at(120, 36):
        await there.press("slash", *"by:bo", "ctrl+n", *"x", "tab", "ctrl+n", "escape")
        assert there.app.screen.query_one("#filter-words", WordLine).value == "by:bo"
        await there.press("enter")
        assert "filter by:bo" in there.text("events")
    assert SavedViews.read(home).views == {}


async def test_what_cannot_be_kept_is_said_and_the_name_stays_to_be_changed(tmp_path: Path) -> None:
    there = AskingDesk()
    async with there.at(120, 36):
        await there.press("ctrl+n")
        assert "There is no filter to keep" in there.text("footer")
        await there.press(*"by:bo", "ctrl+n", *"x", "enter")
        assert "config.toml, and there is none here" in there.text("footer")
        with_views(there, tmp_path)
        await there.press("ctrl+u", "enter")
        assert "a name has 1 to 40 characters" in there.text("footer")
        await there.press(*"mine", "enter")
        assert there.app.views is not None
        assert there.app.views.views == {"mine": "by:bo"}
