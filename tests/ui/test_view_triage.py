"""Triage: the list cell for cell, its keys in the whole app, and that nothing is posted by looking or hiding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from screenshots.states import computed, offline, reading, unavailable

from corr_tui.state.snapshot import ProjectionState, Snapshot, Verdict
from corr_tui.ui.line import Layout
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.triage import TriageScreen
from corr_tui.ui.views import triage, triage_details
from tests.correspondents import World
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, looking, page, with_verdict
from tests.ui.triage_scene import triage_scene

PAGES = Path(__file__).parent / "golden"
SIZES = {160: (103, 56, Layout.WIDE), 120: (77, 42, Layout.MEDIUM), 80: (80, 80, Layout.NARROW)}


def shown(snapshot: Snapshot, world: World, width: int, hidden: frozenset[str] = frozenset(), **view: Any) -> str:
    """The list as text."""
    look = replace(looking(world), **view)
    content = triage.content(snapshot, look, width, triage.listed(snapshot, look, hidden, every=False))
    check(content, width)
    return page(content)


@pytest.mark.parametrize("width", SIZES)
def test_the_list_and_every_kind_of_details_cell_for_cell(width: int) -> None:
    world, snapshot = triage_scene()
    rows, beside, layout = SIZES[width]
    look = looking(world, layout, height=3 if layout is Layout.NARROW else 40)
    found = triage.listed(snapshot, look, frozenset(), every=False)
    pages = [shown(snapshot, world, rows, layout=layout)]
    for group in found.groups:
        content = triage_details.content(snapshot, look, beside, group.items[0], f"1 of {len(found.items)}")
        check(content, beside)
        pages.append(page(content))
    assert "\n\n".join(pages) + "\n" == (PAGES / f"triage-{width}.txt").read_text(encoding="utf-8")


def test_nothing_listed_is_said_of_what_is_known_here() -> None:
    world = World()
    assert "Nothing may want your eyes, as far as is known here" in shown(world.snapshot(), world, 80)


@pytest.mark.parametrize("width", [40, 77, 103])
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (unavailable, "overlaps are not known"),
        (offline, "Cut off from the service: more may have come since."),
        (reading, "what lies after is not listed"),
        (lambda world, snapshot: replace(snapshot, me=None), "Nobody signs here"),
        (
            lambda world, snapshot: replace(
                snapshot,
                projection=replace(snapshot.projection, state=ProjectionState.TRUNCATED),
                history=_part(snapshot),
            ),
            "The projection is truncated",
        ),
    ],
)
def test_what_is_not_known_is_said_at_the_foot(changed: object, words: str, width: int) -> None:
    """Honesty 1."""
    assert callable(changed)
    world, snapshot = triage_scene()
    said = " ".join(shown(changed(world, snapshot), world, width).split())
    if changed is unavailable:  # the last good view is at hand
        words = "Overlaps are those of the last good view."
    assert words in said


def _part(snapshot: Snapshot) -> object:
    return replace(snapshot.history, complete=False)


def test_what_is_computed_here_leaves_nothing_to_say_of_overlaps() -> None:
    world, snapshot = triage_scene()
    assert "verlaps are" not in shown(computed(world, snapshot), world, 103)


def test_without_a_clock_expiry_is_said_to_be_unknown() -> None:
    world, snapshot = triage_scene()
    said = shown(snapshot, world, 103, now=None)
    assert "nothing is listed for expiry" in said
    assert "near expiry" not in said


def test_a_long_list_is_laid_out_as_far_as_it_is_looked_at() -> None:
    world = World()
    for number in range(60):
        world.say("ana", "intent", summary=f"words {number}")
    snapshot, look = world.snapshot(), looking(world)
    content = triage.content(snapshot, look, 100, triage.listed(snapshot, look, frozenset(), every=False))
    assert [row.key for row in content.rows[:2]] == ["heading unacknowledged", content.rows[1].key]
    assert triage.event_of(content.rows[1].key) == snapshot.events[-1].event_id
    assert triage.event_of(content.rows[0].key) is None


@pytest.mark.parametrize("verdict", [each for each in Verdict if not each.holds])
def test_hostile_words_and_every_verdict_stay_in_their_cells(verdict: Verdict) -> None:
    world = World()
    world.say("ana", "intent", summary="\u202eevil\x1b[2J\n“", thread="task:\u200b42")
    snapshot = with_verdict(world.snapshot(), 1, verdict, "\x1b]0;x\x07")
    said = shown(snapshot, world, 80)
    assert "\x1b" not in said
    assert str(verdict) in said


def desk() -> AskingDesk:
    """The board over the scene."""
    return AskingDesk(triage_scene()[1])


def screen_of(there: AskingDesk) -> TriageScreen:
    """The view on top."""
    screen = there.app.screen
    assert isinstance(screen, TriageScreen)
    return screen


def under(there: AskingDesk) -> str:
    """The event under the cursor, as it is called."""
    item = screen_of(there).item
    return there.session.snapshot.number_of(item.event_id) if item else ""


async def test_t_opens_it_n_and_b_step_over_headings_and_escape_leaves_it() -> None:
    there = desk()
    async with there.at(160, 40):
        await there.press("t", "home")
        assert under(there) == "#18"
        await there.press("n", "n", "n")
        assert under(there) == "#13"
        await there.press("b")
        assert under(there) == "#5"
        await there.press("j")
        assert under(there) == "#13"
        assert "4 of 13" in there.text("details")
        await there.press("escape")
        assert there.app.screen is there.app.board
    assert there.session.prepared == []


async def test_an_acknowledgement_takes_it_off_and_the_cursor_goes_to_the_next() -> None:
    there = AskingDesk()
    async with there.at(160, 40):
        await there.press("t", "home")
        first, items = under(there), len(screen_of(there).found.items)
        await there.press("s")
        assert isinstance(there.app.screen, ComposeScreen)
        await there.press("enter")
        await there.settle()
        assert len(there.session.sent) == 1
        assert under(there) != first
        assert len(screen_of(there).found.items) == items - 1


async def test_hiding_posts_nothing_and_what_is_hidden_can_be_listed_and_shown_again() -> None:
    there = desk()
    async with there.at(160, 40):
        await there.press("t", "home", "z")
        assert under(there) == "#14"
        assert "12 here · 1 hidden" in there.text("rows")
        assert "Nothing is posted" in there.text("footer")
        await there.press("Z")
        assert "hidden here" in there.text("rows")
        assert screen_of(there).rows.view.top == 0
        await there.press("home", "z")
        assert "13 here" in there.text("rows")
        assert "hidden" not in there.text("rows").replace("text hidden", "")
        await there.press("Z")
    assert there.session.hidden == frozenset()
    assert there.session.sent == there.session.prepared == []


async def test_what_is_hidden_stays_so_when_it_is_opened_again_and_trouble_is_said() -> None:
    there = desk()
    there.session.unkept = "the disk is full"
    async with there.at(160, 40):
        await there.press("t", "home", "z")
        assert "the disk is full" in there.text("footer")
        await there.press("escape", "t")
        assert "1 hidden" in there.text("rows")


async def test_all_hidden_says_so_and_names_the_key() -> None:
    there = AskingDesk(World().snapshot())
    async with there.at(80, 24):
        await there.press("t", "home")
        assert "Nothing may want your eyes" in there.text("rows")
        await there.press("z")
        assert "nothing under the cursor" in there.text("footer")


async def test_enter_shows_the_event_on_the_board() -> None:
    there = desk()
    async with there.at(120, 36):
        await there.press("t", "home", "n", "enter")
        await there.settle()
        assert there.app.screen is there.app.board
        assert there.number == "#14"


@pytest.mark.parametrize(("width", "height"), [(20, 5), (40, 12), (80, 24), (99, 30), (100, 30), (160, 60), (300, 100)])
async def test_it_fits_any_size(width: int, height: int) -> None:
    there = desk()
    async with there.at(width, height) as pilot:
        await there.press("t", "home", "n", "tab", "tab")
        await pilot.resize_terminal(120, 36)
        await there.settle()
        assert under(there) == "#14"


async def test_an_item_that_comes_leaves_the_cursor_on_its_row() -> None:
    world, snapshot = triage_scene()
    there = AskingDesk(snapshot)
    async with there.at(120, 36):
        await there.press("t", "home", "n", "n", "n")
        world.say("ana", "intent", summary="one more")
        await there.hear(replace(world.snapshot(), unsent=snapshot.unsent))
        assert under(there) == "#13"
