"""The time of a recording: never past its end, as fast as somebody likes."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from corr_tui.state.play_clock import PlayClock
from tests.correspondents import START


class Real:
    """Real time, as far as the clock is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_time_stands_still_before_it_is_played() -> None:
    real = Real()
    for speed in (1.0, None):
        clock = PlayClock(START, 10.0, speed, real=real)
        real.now += 5
        assert (clock.monotonic(), clock.ms, clock.wall()) == (0.0, 0.0, START)


async def test_time_follows_real_time_at_its_speed_and_stops_at_the_end() -> None:
    real = Real()
    clock = PlayClock(START, 10.0, 4.0, real=real)
    playing = asyncio.create_task(clock.play(()))
    await asyncio.sleep(0)
    seen = []
    for _ in range(4):
        seen.append(clock.monotonic())
        real.now += 1
    assert seen == [0.0, 4.0, 8.0, 10.0]
    assert (clock.wall() - START).total_seconds() == 10.0
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing


async def test_without_a_speed_everybody_is_woken_in_the_order_of_then() -> None:
    clock = PlayClock(START, 10.0, None)
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    async def waiter(name: str, ms: float) -> None:
        await clock.until(ms)
        woken.append((name, clock.monotonic()))

    tasks = [
        asyncio.create_task(each)
        for each in (sleeper("floor", 3.0), waiter("chunk", 2500), waiter("end", 10_000), waiter("after", 99_000))
    ]
    never = asyncio.create_task(sleeper("never", 10.5))
    await asyncio.gather(clock.play([2500, 2500, 3000]), *tasks)
    assert woken == [("chunk", 2.5), ("floor", 3.0), ("end", 10.0), ("after", 10.0)]
    assert not never.done()
    never.cancel()
    await asyncio.gather(never, return_exceptions=True)


async def test_what_somebody_does_when_woken_is_done_before_time_goes_on() -> None:
    clock = PlayClock(START, 10.0, None)
    done: list[float] = []

    async def stepping() -> None:
        for seconds in (1.0, 1.0, 1.0):
            await clock.sleep(seconds)
            for _ in range(5):
                await asyncio.sleep(0)
            done.append(clock.monotonic())

    await asyncio.gather(clock.play([1000, 2000, 3000, 9000]), stepping())
    assert done == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(("speed", "slack"), [(None, 50), (0.5, 50), (1.0, 50), (20.0, 1000)])
def test_slack_grows_with_the_speed(speed: float | None, slack: float) -> None:
    assert PlayClock(START, 1.0, speed).slack_ms == pytest.approx(slack)
