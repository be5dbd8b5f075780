"""The path tree: every claim at each of its prefixes, overlaps by the one rule, its states, its keys in the app."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from corr_tui.protocol.paths import overlaps
from corr_tui.protocol.records import ActiveClaim, ClaimScope
from corr_tui.state.snapshot import LinkState, Projection, ProjectionState, Snapshot
from corr_tui.state.standing import claims_view
from corr_tui.ui.line import Ink, Layout, View
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.paths import PathsScreen
from corr_tui.ui.views import paths
from corr_tui.ui.views.claim_tree import overlapped, places
from tests.correspondents import World, claim
from tests.ui.claims_scene import claims_scene
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, inks, looking, page

PAGES = Path(__file__).parent / "golden"
WIDTHS = {Layout.NARROW: 80, Layout.MEDIUM: 120, Layout.WIDE: 160}


def claimed() -> World:
    """The claims of an hour, and two that meet them deeper in the tree."""
    world = claims_scene()
    deep = ["packages/sdk-py/core/deep", "docs/a/b/c", "docs/a/b/d"]
    world.say("maya", "claim.open", paths=["packages/sdk-py/core", "docs"], claim_id=claim(20), expires_in=3000)
    world.say("zed", "claim.open", paths=deep, claim_id=claim(21), expires_in=3000)
    return world


def seen(world: World, layout: Layout = Layout.WIDE) -> View:
    return looking(world, layout, now=world.now, monotonic=0.0)


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_the_tree_says_the_scene_cell_for_cell(layout: Layout) -> None:
    world, width = claimed(), WIDTHS[layout]
    content = paths.content(world.snapshot(), seen(world, layout), width)
    check(content, width)
    assert page(content) + "\n" == (PAGES / f"paths-{width}.txt").read_text(encoding="utf-8")


PREFIX = st.one_of(st.just("."), st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=4).map("/".join))
CLAIMS = st.lists(st.tuples(st.integers(1, 3), st.lists(PREFIX, min_size=1, max_size=4, unique=True)), max_size=6)


def active(number: int, claim_id: int, prefixes: list[str]) -> ActiveClaim:
    """A claim as a projection has it."""
    scope = ClaimScope(None, None, tuple(prefixes))
    place = (claim(claim_id), 1, f"event {number}", "who", "device", "session", "thread", scope)
    return ActiveClaim(*place, "2026-05-14T15:00:00.000Z", False, ())


@given(CLAIMS)
def test_every_claim_stands_at_each_of_its_prefixes_and_overlaps_by_the_rule_section_2_2(
    drawn: list[tuple[int, list[str]]],
) -> None:
    claims = tuple(active(number, claim_id, prefixes) for number, (claim_id, prefixes) in enumerate(drawn))
    found = [place for place in places(claims) if place.claim is not None]
    assert sorted((each.claim.event_id, each.node.path) for each in found if each.claim) == sorted(
        (each.event_id, path) for each in claims for path in each.scope.paths
    )
    for place in found:
        assert place.claim is not None
        others = {
            (path, each.claim_id)
            for each in claims
            for path in each.scope.paths
            if each.claim_id != place.claim.claim_id and overlaps(path, place.node.path)
        }
        met = overlapped(place.node, place.claim.claim_id)
        assert (met is not None) == bool(others)
        assert met is None or (met[0], met[1].claim_id) in others


@given(CLAIMS)
def test_a_tree_of_any_claims_fills_its_lines(drawn: list[tuple[int, list[str]]]) -> None:
    world = World()
    snapshot = world.snapshot()
    voice = snapshot.projection.voice
    assert voice is not None
    claims = tuple(active(number, claim_id, prefixes) for number, (claim_id, prefixes) in enumerate(drawn))
    told = replace(
        snapshot,
        projection=replace(snapshot.projection, claims=None, voice=structs.replace(voice, active_claims=claims)),
    )
    for layout, width in WIDTHS.items():
        content = paths.content(told, seen(world, layout), width)
        check(content, width)
        keys = [row.key for row in content.rows]
        assert len(keys) == len(set(keys))


def test_no_party_of_an_overlap_has_another_ink() -> None:
    """Experience: honesty 3"""
    world = claimed()
    content = replace(paths.content(world.snapshot(), seen(world), 160), foot=())
    assert inks(content, "× overlap") == {Ink.ATTN}
    for name in ("kit", "maya", "zed"):
        assert inks(content, f"with {name}") <= {Ink.DIM}


def test_what_has_expired_is_not_shown_as_live() -> None:
    world = World()
    world.say("ana", "claim.open", paths=["src/api"], claim_id=claim(1), expires_in=60)
    world.say("bo", "claim.open", paths=["docs"], claim_id=claim(2), expires_in=6000)
    snapshot = world.snapshot()
    later = replace(seen(world), now=world.now + timedelta(minutes=10))
    text = page(paths.content(snapshot, later, 120))
    assert "▫ expired" in text
    assert "passed" in text
    assert "| 1 live" in text
    assert "2 live" in page(paths.content(snapshot, replace(later, now=None), 120)), "unknown is not passed"


def _unavailable(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, projection=Projection(ProjectionState.UNAVAILABLE, None, None, "503"), computed=None)


@pytest.mark.parametrize("status", ["complete", "truncated"])
def test_without_a_claim_only_a_complete_projection_says_there_is_none(status: str) -> None:
    """Experience: honesty 1"""
    world = World()
    world.say("ana", "intent", summary="words")
    text = page(paths.content(world.snapshot(status), seen(world), 120))
    assert ("No active claims" in text) == (status == "complete")
    assert ("More may exist" in text) == (status == "truncated")


def test_a_view_that_cannot_be_had_is_not_an_empty_one() -> None:
    world = claimed()
    assert "Unavailable, not empty" in page(paths.content(_unavailable(world.snapshot()), seen(world), 120))
    held = replace(world.snapshot().link, state=LinkState.OFFLINE, detail="no answer")
    stale = paths.content(replace(world.snapshot(), link=held), seen(world), 120)
    assert stale.stale
    assert stale.banner
    assert "last good view" in page(stale)


def test_hostile_and_deep_paths_stay_in_their_cells() -> None:
    world = World()
    deep = "/".join("abcdefgh"[place % 8] for place in range(100))
    world.say("ana", "claim.open", paths=[deep, f"{deep}/x", "界" * 60], claim_id=claim(1), expires_in=200)
    world.say("bo", "claim.open", paths=[f"{deep}/y", "a\u202eb", "."], claim_id=claim(2), expires_in=200)
    for layout, width in WIDTHS.items():
        check(paths.content(world.snapshot(), seen(world, layout), width), width)


@pytest.mark.parametrize("size", [(60, 12), (80, 24), (120, 36), (160, 48), (300, 60)])
async def test_it_opens_at_the_claim_under_the_cursor_of_the_board(size: tuple[int, int]) -> None:
    snapshot = claimed().snapshot()
    desk = AskingDesk(snapshot)
    async with desk.at(*size):
        await desk.press("P")
        screen = desk.app.screen
        assert isinstance(screen, PathsScreen)
        assert screen.selected == snapshot.events[-1].event_id  # zed's claim, at the first of its prefixes
        assert "P Paths" in desk.text("rows")


async def test_enter_shows_the_claim_on_the_board_and_the_keys_act_on_it() -> None:
    snapshot = claimed().snapshot()
    desk = AskingDesk(snapshot)
    async with desk.at(120, 36):
        await desk.press("P", "home")
        view = claims_view(snapshot)
        assert view is not None
        first = min(each.event_id for each in view.claims if "docs" in each.scope.paths)
        screen = desk.app.screen
        assert isinstance(screen, PathsScreen)
        assert screen.selected == first
        await desk.press("s")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        assert [each.event_id for each in composer._composition.targets] == [first]
        await desk.press("escape", "enter")
        assert isinstance(desk.app.screen, BoardScreen)
        assert desk.app.board.view.selected == first


async def test_the_details_tell_the_claim_under_the_cursor() -> None:
    desk = AskingDesk(claimed().snapshot())
    async with desk.at(160, 48):
        await desk.press("P")
        told = desk.text("details")
        assert "6 Selected  docs/a/b/c +2" in told
        assert "overlaps" in told
