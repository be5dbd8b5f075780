"""The claim timeline: bars from receipt to expiry, cell for cell; its states; its keys in the whole app."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.state.projection import facts
from corr_tui.state.snapshot import LinkState, Projection, ProjectionState, Snapshot
from corr_tui.ui.line import Ink, Layout, View
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.timeline import TimelineScreen
from corr_tui.ui.views import timeline
from corr_tui.ui.views.time_axis import FIRST_ZOOM, STEPS, axis
from tests.correspondents import World, claim
from tests.ui.claims_scene import claims_scene
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, inks, looking, page, said

PAGES = Path(__file__).parent / "golden"
WIDTHS = {Layout.NARROW: 80, Layout.MEDIUM: 120, Layout.WIDE: 160}


def seen(world: World, layout: Layout = Layout.WIDE) -> View:
    return looking(world, layout, now=world.now, monotonic=0.0)


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_the_timeline_says_the_scene_cell_for_cell(layout: Layout) -> None:
    world, width = claims_scene(), WIDTHS[layout]
    content = timeline.content(world.snapshot(), seen(world, layout), width)
    check(content, width)
    told = "\n".join(line.rstrip() for line in (said(content.above), page(content), said(content.between)))
    assert told + "\n" == (PAGES / f"timeline-{width}.txt").read_text(encoding="utf-8")


def test_rows_stand_by_path_and_branches_by_event_id() -> None:
    """§6, §8: no order suggests a right"""
    world = claims_scene()
    rows = timeline.content(world.snapshot(), seen(world), 160).rows
    keys = [row.key for row in rows]
    recent = keys.index(timeline.RECENT)
    snapshot = world.snapshot()
    claims = facts(snapshot).claims
    paths = [min(claims[key].claim.scope.paths) for key in keys[:recent] if key in claims]
    assert paths == sorted(paths)
    group = keys.index(f"{timeline.GROUP}{claim(1)}")
    branches = keys[group + 1 : group + 5]
    assert branches == sorted(branches)


def test_no_branch_has_another_ink_than_its_siblings() -> None:
    world = claims_scene()
    content = timeline.content(world.snapshot(), seen(world), 160)
    assert inks(content, "tip #12") == inks(content, "tip #13") == {Ink.TEXT}


@pytest.mark.parametrize("status", ["complete", "truncated"])
def test_without_a_claim_only_a_complete_projection_says_there_is_none(status: str) -> None:
    """Experience: honesty 1"""
    world = World()
    world.say("ana", "intent", summary="words")
    text = page(timeline.content(world.snapshot(status), seen(world), 120))
    assert ("No active claims" in text) == (status == "complete")
    assert ("More may exist" in text) == (status == "truncated")


def _unavailable(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, projection=Projection(ProjectionState.UNAVAILABLE, None, None, "503"), computed=None)


def _last_good(snapshot: Snapshot) -> Snapshot:
    held = replace(snapshot.link, state=LinkState.OFFLINE, detail="no answer")
    return replace(snapshot, link=held, computed=None)


def test_a_view_that_cannot_be_had_is_not_an_empty_one() -> None:
    world = claims_scene()
    assert "Unavailable, not empty" in page(timeline.content(_unavailable(world.snapshot()), seen(world), 120))
    stale = timeline.content(_last_good(world.snapshot()), seen(world), 120)
    assert stale.stale
    assert stale.banner
    assert "src/api" in page(stale)


def test_while_now_is_unknown_there_is_no_line_of_now() -> None:
    world = claims_scene()
    content = timeline.content(world.snapshot(), replace(seen(world), now=None), 120)
    check(content, 120)
    assert "now" not in said(content.above)
    assert "│" not in said(content.between)
    assert "src/api/client" in page(content)


@given(
    st.integers(1, 400),
    st.integers(0, len(STEPS) - 1),
    st.integers(-(10**9), 10**9),
    st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 28)),
    st.integers(-14 * 60, 14 * 60),
)
def test_an_axis_of_any_size_and_time_has_lines_as_wide_as_asked(
    cells: int, zoom: int, shift: int, now: datetime, offset: int
) -> None:
    zone = timezone(timedelta(minutes=offset))
    made = axis(now.replace(tzinfo=UTC), now.replace(tzinfo=UTC), zone, cells, zoom=zoom, shift=shift)
    for line in (made.grid().line(), made.labels(), made.now_label()):
        assert sum(len(span.text) for span in line) == cells
    assert 0 < made.until_next_column() <= made.step


@given(st.integers(0, len(STEPS) - 1), st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)))
def test_now_is_in_view_and_moves_by_one_column_at_a_time(zoom: int, now: datetime) -> None:
    at = now.replace(tzinfo=UTC)
    made = axis(at, at, UTC, 100, zoom=zoom, shift=0)
    assert made.now_column is not None
    later = replace(made, now=at + timedelta(seconds=made.until_next_column()))
    assert later.column(later.now or at) - made.now_column in (0, 1)


def test_hostile_paths_and_names_stay_in_their_cells() -> None:
    world = World()
    paths = ["src/\u202e\u0301界界界界界界界界界界界界界界"]
    world.say("ana", "claim.open", paths=paths, claim_id=claim(1), expires_in=200)
    world.say("bo", "claim.open", paths=paths, claim_id=claim(2), expires_in=200)
    for layout, width in WIDTHS.items():
        check(timeline.content(world.snapshot(), seen(world, layout), width), width)


async def opened(size: tuple[int, int] = (160, 48)) -> tuple[AskingDesk, Snapshot]:
    snapshot = claims_scene().snapshot()
    return AskingDesk(snapshot), snapshot


@pytest.mark.parametrize("size", [(60, 12), (80, 24), (120, 36), (160, 48), (300, 60)])
async def test_it_opens_at_the_claim_under_the_cursor_of_the_board(size: tuple[int, int]) -> None:
    desk, snapshot = await opened()
    async with desk.at(*size):
        await desk.press("k", "T")  # the event before the last: bo's renewal of src/api
        screen = desk.app.screen
        assert isinstance(screen, TimelineScreen)
        assert screen.selected == snapshot.events[-2].event_id
        assert "T Claim timeline" in desk.text("rows")


async def test_zoom_and_now_and_earlier() -> None:
    desk, _ = await opened()
    async with desk.at(160, 48):
        await desk.press("T")
        first = desk.text("rows")
        assert "14:15" in first
        await desk.press("plus")
        assert "14:10" in desk.text("rows")
        await desk.press("minus", "minus")
        assert "15:30" in desk.text("rows")
        assert "14:15" not in desk.text("rows")
        await desk.press("left")
        assert "now 14:03" in desk.text("rows")
        await desk.press("right", "right")
        await desk.press("0")
        assert desk.text("rows") == first
        screen = desk.app.screen
        assert isinstance(screen, TimelineScreen)
        await desk.press(*["minus"] * 20, *["plus"] * 30, *["minus"] * FIRST_ZOOM)
        assert desk.text("rows") == first


async def test_the_details_tell_the_claim_under_the_cursor() -> None:
    desk, _ = await opened()
    async with desk.at(160, 48):
        await desk.press("k", "T")
        told = desk.text("details")
        for words in ("6 Selected  src/api", "opened", "#19", "renewed", "#20", "14:01:03", "41 min from now"):
            assert words in told
        assert "overlaps" in told
        assert "leaves the live list; nothing else happens" in told


async def test_the_action_keys_act_on_the_claim_and_enter_shows_it_on_the_board() -> None:
    desk, snapshot = await opened()
    async with desk.at(120, 36):
        await desk.press("k", "T", "s")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        assert [each.event_id for each in composer._composition.targets] == [snapshot.events[-2].event_id]
        await desk.press("escape", "home", "s")
        assert "no event with a receipt under the cursor" in desk.text("footer")
        await desk.press("enter")
        assert "several tips: choose one" in desk.text("footer")
        await desk.press("j", "enter")
        assert isinstance(desk.app.screen, BoardScreen)
        assert "claim." in desk.text("selected")


async def test_its_commands_are_clicked_in_the_footer() -> None:
    desk, _ = await opened()
    async with desk.at(160, 48) as pilot:
        await desk.press("T")
        await pilot.click("#footer", offset=(desk.text("footer").index("+ wider"), 0))
        await desk.settle()
        assert "14:10" in desk.text("rows")
