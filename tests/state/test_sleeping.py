"""A machine that sleeps: nothing counts down by a clock that stood still, what is shown is as old as it is, and the
service is asked when it wakes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest

from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState, Snapshot
from tests.client.answering import json_answer
from tests.state.fake_service import FakeService, refusing
from tests.state.streams import Streams, quiet
from tests.state.virtual_time import VirtualTime

EVENTS = "/v1/correspondence/events"
WAKE = "/v1/wake/voice"
NIGHT = 8 * 3600.0


class Night:
    """A service with a clock, and a session that runs on a machine that may sleep."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.streams: list[Streams] = []
        self.service = FakeService()
        self.service.world.say("ana", "intent", summary="one")
        self.service.faults = {EVENTS: self._dated, WAKE: lambda _: quiet(self.time, self.streams)}

    def _dated(self, request: httpx.Request) -> httpx.Response:
        page = self.service.world.page(request.url.params.get("after"))
        return json_answer(page, headers={"Date": format_datetime(self.time.wall(), usegmt=True)})

    @asynccontextmanager
    async def running(self, folder: Path) -> AsyncIterator[Session]:
        """The session while its `run` runs, from when it is live."""
        async with self.service.open(folder, timing=self.time.timing) as session:
            task = asyncio.ensure_future(session.run())
            for _ in range(1000):
                await self.time.advance(0.01)
                await asyncio.to_thread(lambda: None)
                if session.snapshot.link.state is LinkState.LIVE:
                    break
            try:
                yield session
            finally:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    def error(self, snapshot: Snapshot) -> float:
        """Seconds by which the time shown is off."""
        shown = snapshot.clock.now(self.time.now)
        assert shown is not None
        return abs((shown - self.time.wall()).total_seconds())


@pytest.fixture
def night() -> Night:
    return Night()


async def test_waking_up_asks_at_once_over_a_new_stream_and_the_clock_is_right_again(
    night: Night, tmp_path: Path
) -> None:
    async with night.running(tmp_path) as session:
        assert night.error(session.snapshot) <= session.snapshot.clock.uncertainty
        night.time.slept += NIGHT
        streams, asked = len(night.streams), night.service.asked[f"GET {EVENTS}"]
        await night.time.advance(1.1)
        assert night.streams[streams - 1].closed
        assert len(night.streams) == streams + 1
        assert night.service.asked[f"GET {EVENTS}"] > asked
        snapshot = session.snapshot
        assert snapshot.link.state is LinkState.LIVE
        assert night.error(snapshot) <= snapshot.clock.uncertainty <= 2


async def test_while_nobody_answers_after_a_night_the_time_is_not_known_and_ages_count_the_night(
    night: Night, tmp_path: Path
) -> None:
    async with night.running(tmp_path) as session:
        before = session.snapshot
        night.service.faults["*"] = refusing
        night.service.faults[EVENTS] = night.service.faults[WAKE] = refusing
        night.time.slept += NIGHT
        await night.time.advance(1.1)
        snapshot = session.snapshot
        assert snapshot.clock.now(night.time.now) is None
        assert snapshot.link.state in (LinkState.RECONNECTING, LinkState.OFFLINE)
        for then, now in (
            (before.link.heard_at, snapshot.link.heard_at),
            (before.projection.read_at, snapshot.projection.read_at),
        ):
            assert then is not None
            assert now is not None
            assert then - now == pytest.approx(NIGHT)
        await night.time.advance(30)
        assert session.snapshot.link.state is LinkState.OFFLINE
        assert session.snapshot.projection.stale


async def test_held_it_ages_what_is_shown_and_asks_nothing(night: Night, tmp_path: Path) -> None:
    async with night.running(tmp_path) as session:
        session.hold()
        since, asked = session.snapshot.link.since, dict(night.service.asked)
        night.time.slept += NIGHT
        await night.time.advance(10)
        assert session.snapshot.link.state is LinkState.HELD
        assert since - session.snapshot.link.since == pytest.approx(NIGHT)
        assert session.snapshot.clock.now(night.time.now) is None
        assert dict(night.service.asked) == asked


async def test_a_clock_that_was_set_back_asks_again_and_makes_nothing_younger(night: Night, tmp_path: Path) -> None:
    async with night.running(tmp_path) as session:
        read_at, asked = session.snapshot.projection.read_at, night.service.asked[f"GET {EVENTS}"]
        night.service.faults[EVENTS] = refusing
        night.time.slept -= 100
        await night.time.advance(1.1)
        assert night.service.asked[f"GET {EVENTS}"] > asked
        assert session.snapshot.projection.read_at == read_at
        assert session.snapshot.clock.uncertainty > 50
