"""The lineage of a claim: by generation, cell for cell; many branches and long chains; its keys in the whole app."""

from __future__ import annotations

from pathlib import Path

import pytest

from corr_tui.state.claimed import ClaimHistory, claim_histories
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.line import Content, Ink, Layout
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.lineage import LineageScreen
from corr_tui.ui.screens.timeline import TimelineScreen
from corr_tui.ui.views import claim_details, lineage
from corr_tui.ui.views.lineage_graph import graph_of
from tests.correspondents import World, claim
from tests.ui.claims_scene import claims_scene
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, inks, looking, page

PAGES = Path(__file__).parent / "golden"
WIDTHS = {Layout.NARROW: 80, Layout.MEDIUM: 120, Layout.WIDE: 160}


def history_of(snapshot: Snapshot, number: int = 1) -> ClaimHistory:
    return claim_histories(facts(snapshot))[claim(number)]


def drawn(world: World, layout: Layout, first: int = 0) -> Content:
    snapshot = world.snapshot()
    view = looking(world, layout, now=world.now, monotonic=0.0)
    content = lineage.content(snapshot, view, WIDTHS[layout], history_of(snapshot), first)
    check(content, WIDTHS[layout])
    return content


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_the_lineage_says_the_scene_cell_for_cell(layout: Layout) -> None:
    golden = PAGES / f"lineage-{WIDTHS[layout]}.txt"
    assert page(drawn(claims_scene(), layout)) + "\n" == golden.read_text(encoding="utf-8")


def test_no_live_tip_has_another_ink_than_the_others() -> None:
    """Experience: honesty 3"""
    content = drawn(claims_scene(), Layout.WIDE)
    assert inks(content, "#12") == inks(content, "#13") == {Ink.STRONG}
    assert "2 live tips · none preferred" in page(content)


def test_every_event_of_a_claim_has_one_place_and_siblings_stand_by_event_id() -> None:
    snapshot = claims_scene().snapshot()
    history = history_of(snapshot)
    graph = graph_of(history)
    assert set(history.nodes) < set(graph.spots)
    assert sorted(spot.key for lane in graph.lanes for spot in lane) == sorted(graph.spots)
    for following in graph.after.values():
        assert list(following) == sorted(following)


def branched(branches: int, chain: int) -> World:
    """One claim with a long chain, and so many branches from its first event."""
    world = World()
    opened = here = world.say("kit", "claim.open", paths=["docs"], claim_id=claim(1), expires_in=90_000)
    for _ in range(chain):
        here = world.say("kit", "claim.renew", predecessor=here, expires_in=90_000)
    for number in range(branches):
        world.say("kit", "claim.renew", predecessor=opened, expires_in=1 if number % 2 else 90_000, device=2)
    return world


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_more_branches_and_generations_than_fit_are_all_there(layout: Layout) -> None:
    world = branched(16, 40)
    assert len(drawn(world, layout).rows) == (57 if layout is Layout.NARROW else 17)
    for first in (0, 7, 38):
        text = page(drawn(world, layout, first))
        assert layout is Layout.NARROW or f"generation {first + 1}" in text


async def opened(size: tuple[int, int], world: World | None = None) -> AskingDesk:
    world = world or claims_scene()
    desk = AskingDesk(world.snapshot())
    desk.session.world = world
    return desk


async def test_it_opens_at_the_event_under_the_cursor_and_moves_both_ways() -> None:
    desk = await opened((160, 48))
    async with desk.at(160, 48):
        await desk.press("T", "j", "L")
        screen = desk.app.screen
        assert isinstance(screen, LineageScreen)
        number = desk.session.snapshot.number_of

        async def after(*keys: str) -> str:
            await desk.press(*keys)
            return number(screen.selected or "")

        assert await after() == "#4"
        assert await after("left") == "#3"
        assert await after("left") == "#1"
        assert await after("left") == "#1"
        assert await after("j") == "#2"
        assert await after("j") == "#10"
        assert await after("right") == "#12"
        assert await after("right") == "#15"
        assert await after("k") == "#2"
        assert await after("G") == "9d02…"
        assert await after("right") == "#16"


async def test_generations_out_of_view_come_into_it_with_the_cursor() -> None:
    desk = await opened((120, 36), branched(0, 12))
    async with desk.at(120, 36):
        await desk.press("g", "L", *["right"] * 12)
        assert "generation 13" in desk.text("rows")
        assert "generation 1 " not in desk.text("rows")
        assert "‹" in desk.text("rows")
        await desk.press(*["left"] * 12)
        assert "generation 1 " in desk.text("rows")
        assert "›" in desk.text("rows")


async def test_on_a_narrow_screen_the_same_events_are_listed() -> None:
    desk = await opened((80, 24))
    async with desk.at(80, 24) as pilot:
        await desk.press("T", "j", "L", "j")
        screen = desk.app.screen
        assert isinstance(screen, LineageScreen)
        chosen = screen.selected
        assert "└ ▫ #2  expired  after #1" in desk.text("rows")
        await pilot.resize_terminal(160, 48)
        await desk.settle()
        assert "generation 1" in desk.text("rows")
        assert screen.selected == chosen


async def test_a_click_on_an_event_puts_the_cursor_on_it() -> None:
    desk = await opened((160, 48))
    async with desk.at(160, 48) as pilot:
        await desk.press("T", "j", "L")
        lines = desk.text("rows").splitlines()
        y = next(place for place, line in enumerate(lines) if "#12" in line)
        await pilot.click("#rows", offset=(lines[y].index("#12"), y))
        await desk.settle()
        screen = desk.app.screen
        assert isinstance(screen, LineageScreen)
        assert desk.session.snapshot.number_of(screen.selected or "") == "#12"


async def test_the_action_keys_act_on_the_event_under_the_cursor_and_enter_shows_it() -> None:
    desk = await opened((120, 36))
    async with desk.at(120, 36):
        await desk.press("T", "j", "L", "left", "s")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        assert [desk.session.snapshot.number_of(each.event_id) for each in composer._composition.targets] == ["#3"]
        await desk.press("escape", "enter")
        assert isinstance(desk.app.screen, BoardScreen)
        assert desk.number == "#3"


async def test_views_open_over_each_other_once() -> None:
    desk = await opened((120, 36))
    async with desk.at(120, 36):
        await desk.press("T", "j", "L", "T", "L", "T", "L")
        assert [type(each) for each in desk.app.screen_stack[1:]] == [TimelineScreen, LineageScreen]
        await desk.press("escape", "escape")
        assert isinstance(desk.app.screen, BoardScreen)


async def test_without_a_claim_under_the_cursor_it_says_so() -> None:
    desk = await opened((120, 36))
    async with desk.at(120, 36):
        await desk.press("G", "L")
        assert "No claim under the cursor" in desk.text("rows")


async def test_the_claims_panel_opens_the_lineage_of_its_row() -> None:
    desk = await opened((160, 48))
    async with desk.at(160, 48):
        await desk.press("3", "L")
        assert "claim docs" in desk.text("rows")


def test_the_renewal_of_a_linear_claim_is_no_branch_of_what_it_continues() -> None:
    def beside(world: World, place: int) -> str:
        snapshot = world.snapshot()
        view = looking(world, Layout.WIDE, now=world.now, monotonic=0.0)
        event_id = snapshot.events[place].event_id
        return page(claim_details.details(snapshot, view, 160, history_of(snapshot), event_id))

    linear, forked = branched(0, 1), branched(1, 1)
    assert "branches" not in beside(linear, 0) + beside(linear, 1)
    assert "branches" in beside(forked, 1)
