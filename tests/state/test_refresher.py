"""One refresh in flight, one queued, the rest coalesced; a floor and a pace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from corr_tui.state.refresher import Refresher
from tests.state.virtual_time import VirtualTime, settle


class Reading:
    """A refresh that ends when a test says so."""

    def __init__(self, time: VirtualTime, floor: float | None = 30.0) -> None:
        self.time = time
        self.floor = floor
        self.begun: list[float] = []
        self.gate: asyncio.Event | None = None

    async def __call__(self) -> float | None:
        self.begun.append(self.time.now)
        if self.gate is not None:
            await self.gate.wait()
        return self.floor


@asynccontextmanager
async def running(refresher: Refresher) -> AsyncIterator[None]:
    """The refresher while it runs."""
    task = asyncio.ensure_future(refresher.run())
    await settle()
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_it_reads_at_once_and_then_at_the_floor() -> None:
    time = VirtualTime()
    reading = Reading(time)
    async with running(Refresher(reading, time.timing)):
        await time.advance(95)
    assert reading.begun == [0, 30, 60, 90]


async def test_without_a_floor_only_a_request_reads() -> None:
    time = VirtualTime()
    reading = Reading(time, floor=None)
    refresher = Refresher(reading, time.timing)
    async with running(refresher):
        await time.advance(1000)
        assert reading.begun == [0]
        refresher.request()
        await settle()
    assert reading.begun == [0, 1000]


async def test_requests_during_a_read_are_one_more_read() -> None:
    time = VirtualTime()
    reading = Reading(time)
    reading.gate = asyncio.Event()
    refresher = Refresher(reading, time.timing)
    async with running(refresher):
        for _ in range(50):
            refresher.request()
        await settle()
        assert len(reading.begun) == 1
        reading.gate.set()
        await settle()
        assert len(reading.begun) == 2


async def test_a_flood_is_a_handful_of_reads_and_the_last_request_is_heard() -> None:
    time = VirtualTime()
    reading = Reading(time)
    refresher = Refresher(reading, time.timing)
    async with running(refresher):
        for _ in range(500):
            refresher.request()
            await time.advance(0.002)
        flood = len(reading.begun)
        await time.advance(2)
    assert flood <= 5
    assert reading.begun[-1] >= 0.998


async def test_now_returns_when_a_read_that_began_afterwards_has_ended() -> None:
    time = VirtualTime()
    reading = Reading(time)
    reading.gate = asyncio.Event()
    refresher = Refresher(reading, time.timing)
    async with running(refresher):
        asked = asyncio.ensure_future(refresher.now())
        first, reading.gate = reading.gate, asyncio.Event()
        first.set()
        await settle()
        assert len(reading.begun) == 2
        assert not asked.done()
        reading.gate.set()
        await asked


async def test_now_works_without_run_for_a_single_command() -> None:
    time = VirtualTime()
    reading = Reading(time)
    await Refresher(reading, time.timing).now()
    assert reading.begun == [0]


async def test_nobody_waits_for_a_refresher_that_was_stopped() -> None:
    time = VirtualTime()
    reading = Reading(time)
    reading.gate = asyncio.Event()
    refresher = Refresher(reading, time.timing)
    async with running(refresher):
        asked = asyncio.ensure_future(refresher.now())
        await settle()
    await asked


async def test_held_it_reads_for_nobody_but_who_calls_and_released_at_once() -> None:
    time = VirtualTime()
    reading = Reading(time)
    refresher = Refresher(reading, time.timing)
    async with running(refresher):
        await time.advance(10)
        refresher.hold()
        refresher.request()
        await time.advance(1000)
        assert reading.begun == [0]
        await refresher.now()
        await time.advance(1000)
        assert reading.begun == [0, 1010]
        refresher.release()
        await time.advance(31)
    assert reading.begun == [0, 1010, 2010, 2040]


async def test_who_waits_for_a_read_when_it_is_held_still_gets_one() -> None:
    time = VirtualTime()
    reading = Reading(time)
    reading.gate = asyncio.Event()
    refresher = Refresher(reading, time.timing)
    async with running(refresher):
        asked = asyncio.ensure_future(refresher.now())
        await settle()
        refresher.hold()
        reading.gate.set()
        await asked
        await time.advance(100)
    assert reading.begun == [0, 0]


async def test_held_before_it_runs_it_does_not_begin() -> None:
    time = VirtualTime()
    reading = Reading(time)
    refresher = Refresher(reading, time.timing)
    refresher.hold()
    async with running(refresher):
        await time.advance(100)
        assert not reading.begun
        refresher.release()
        await settle()
    assert reading.begun == [100]
