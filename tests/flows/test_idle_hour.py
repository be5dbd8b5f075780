"""An hour in which nothing happens, against the real service: nothing flickers, grows, drifts or hurries.

Time is the loop's own, so that every heartbeat, cut and floor has its real length.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState, Snapshot
from tests.flows.faults import Route
from tests.flows.running import live, observation, send, summaries
from tests.flows.served import served, until
from tests.flows.virtual_loop import Run, simulation, virtual_loop

HOUR = 3600.0
ROOMS = ("corr_tui", "httpx", "httpcore", "h11", "asyncio", "anyio")


@pytest.fixture
def run() -> Iterator[Run]:
    """Runs scenarios on a loop of their own."""
    with simulation() as run:
        yield run


def kept() -> Counter[str]:
    """How many objects of each of these rooms are alive."""
    gc.collect()
    rooms = Counter(str(type(each).__module__).partition(".")[0] for each in gc.get_objects())
    return Counter({room: rooms[room] for room in ROOMS})


def error(snapshot: Snapshot) -> float:
    """Seconds by which the service's time as shown is off."""
    shown = snapshot.clock.now(virtual_loop().time())
    assert shown is not None
    return abs((shown - virtual_loop().wall()).total_seconds())


def in_each_minute(times: list[float], since: float) -> list[int]:
    """How many fall into each minute of the hour."""
    minutes = Counter(int((at - since) // 60) for at in times if since <= at < since + HOUR)
    return [minutes[minute] for minute in range(60)]


async def idle(board: Session, minutes: int = 60) -> None:
    """The hour itself, or a part of it, with what must hold in all of it."""
    tasks: list[int] = []
    objects: list[Counter[str]] = []
    for minute in range(minutes):
        await asyncio.sleep(60)
        assert error(board.snapshot) <= board.snapshot.clock.uncertainty <= 2
        tasks.append(len(asyncio.all_tasks()))
        if minute in (9, minutes - 1):
            objects.append(kept())
    assert max(tasks[10:]) <= max(tasks[:10])
    grown = objects[1] - objects[0]
    assert sum(grown.values()) < 50, grown


def test_an_hour_of_cuts_after_ten_quiet_seconds_is_an_hour_of_live(run: Run, tmp_path: Path) -> None:
    """Wake delivery may be missed, and reconnecting reads what was (§7.1)."""

    async def scenario() -> None:
        said: list[LinkState] = []
        async with served(tmp_path, quiet_cut=10.0) as service, service.watching("maya") as board:
            await until(board, live)
            began = virtual_loop().time()
            watching = asyncio.create_task(_states(board, said))
            before = board.snapshot
            await idle(board)
            watching.cancel()
            assert set(said) == {LinkState.LIVE}
            assert board.snapshot.link.since == before.link.since
            assert board.snapshot.events == before.events
            streams = [each.at for each in service.proxy.asked if each.route is Route.STREAM and each.at >= began]
            reads = [each.at for each in service.proxy.asked if each.route is Route.EVENTS and each.at >= began]
            assert 340 <= len(streams) <= 360
            assert max(in_each_minute(service.proxy.connected_at, began)) <= 7
            assert len(streams) <= len(reads) <= len(streams) + HOUR / 30
            assert max(in_each_minute(reads, began)) <= 9
            sent = await send(board, observation("after an hour"))
            assert sent.event_id in (await until(board, lambda each: sent.event_id in each.by_id)).by_id

    run(scenario())


def test_an_hour_of_heartbeats_is_one_stream_and_the_floor(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        said: list[LinkState] = []
        async with served(tmp_path) as service, service.watching("maya") as board:
            await until(board, live)
            began = virtual_loop().time()
            watching = asyncio.create_task(_states(board, said))
            await idle(board)
            watching.cancel()
            assert set(said) == {LinkState.LIVE}
            assert service.proxy.count(Route.STREAM, since=began) <= 1  # at the age at which the service ends any
            assert service.proxy.count(Route.EVENTS, since=began) <= HOUR / 30 + 2
            assert service.proxy.count(since=began) <= 2 * HOUR / 30 + 20

    run(scenario())


def test_twenty_minutes_without_a_stream_are_polling_and_misses_nothing(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        said: list[LinkState] = []
        async with served(tmp_path) as service, service.watching(None) as board:
            await until(board, lambda each: each.link.state is LinkState.POLLING and each.history.complete)
            began = virtual_loop().time()
            watching = asyncio.create_task(_states(board, said))
            await idle(board, minutes=20)
            bo = service.session("bo", calm=True)
            sent = await send(bo, observation("meanwhile"))
            told = virtual_loop().time()
            snapshot = await until(board, lambda each: sent.event_id in each.by_id)
            await bo.close()
            watching.cancel()
            assert summaries(snapshot) == ["meanwhile"]
            assert virtual_loop().time() - told <= 6
            assert set(said) == {LinkState.POLLING}
            assert 235 <= service.proxy.count(Route.EVENTS, since=began) <= 242

    run(scenario())


async def _states(board: Session, said: list[LinkState]) -> None:
    async for snapshot in board.snapshots():
        said.append(snapshot.link.state)
