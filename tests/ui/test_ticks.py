"""When the board next wakes up: at the first text that time alone changes, and not before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corr_tui.state.snapshot import Projection, ProjectionState, Snapshot, instant
from corr_tui.ui.ticks import LEAST, next_change, until_next_second
from tests.correspondents import World, claim


def wait(world: World, snapshot: Snapshot | None = None, monotonic: float = 0.0) -> float:
    return next_change(snapshot or world.snapshot(), world.now, monotonic) - LEAST


def test_nothing_that_passes_waits_a_minute() -> None:
    world = World()
    world.say("ana", "intent", summary="words")
    assert wait(world) == 60


@pytest.mark.parametrize(
    ("left", "seconds"),
    [(20, 20), (80, 50), (7215, 45), (35_980, 10), (11.5 * 3600 + 40, 40), (3.5 * 86_400 + 50, 50), (-5, 60)],
)
def test_what_is_left_of_a_claim_changes_with_its_words(left: float, seconds: float) -> None:
    world = World()
    opened = world.event("ana", "claim.open", claim_id=claim(1), expires_in=left + 1)
    world.store(opened)
    assert wait(world) == pytest.approx(seconds)


def test_an_until_passes_once() -> None:
    world = World()
    world.store(world.event("kit", "pause", until=instant(world.now.replace(second=21))))
    assert wait(world) == pytest.approx(20)
    world.now = world.now.replace(second=30)
    assert wait(world) == 60


def test_the_age_of_a_view_that_cannot_be_confirmed_is_told_in_minutes() -> None:
    world = World()
    world.say("ana", "intent", summary="words")
    snapshot = world.snapshot()
    stale = replace(
        snapshot, projection=Projection(ProjectionState.UNAVAILABLE, snapshot.projection.voice, 10.0, "503")
    )
    assert wait(world, stale, monotonic=85.0) == pytest.approx(45)


def test_a_retry_is_counted_down() -> None:
    world = World()
    snapshot = world.snapshot()
    assert wait(world, replace(snapshot, link=replace(snapshot.link, retry_at=9.0)), monotonic=2.0) == 1


def test_the_header_ticks_with_the_seconds_of_the_service() -> None:
    now = World().now
    assert until_next_second(None) == 1
    assert 0.2 < until_next_second(now.replace(microsecond=750_000)) < 0.3
