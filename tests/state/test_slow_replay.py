"""A replay whose pages come slowly, or without end: whatever follows a refresh is not kept waiting for it (§7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest

from corr_tui.protocol.compose import Draft
from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState, instant
from tests.client.answering import json_answer
from tests.state.fake_service import FakeService, refusing
from tests.state.streams import Streams, quiet
from tests.state.virtual_time import VirtualTime, settle

EVENTS = "/v1/correspondence/events"
KEYS_OF = "/v1/identities/{}/keys"


class Slow:
    """A service that takes so many seconds for a page of events, of two at a time."""

    def __init__(self, seconds: float, events: int = 200) -> None:
        self.time, self.service, self.streams = VirtualTime(), FakeService(page_size=2), list[Streams]()
        for number in range(events):
            self.service.world.say("ana", "observation", summary=str(number))
        self.seconds = seconds
        self.service.faults = {EVENTS: self.later, "/v1/wake/voice": lambda _: quiet(self.time, self.streams)}

    def later(self, request: httpx.Request) -> httpx.Response | None:
        """An answer after a while."""
        if request.method == "GET":
            self.time.now += self.seconds
        return None

    @property
    def pages(self) -> int:
        """Pages that were asked for."""
        return self.service.asked[f"GET {EVENTS}"]


@asynccontextmanager
async def watching(slow: Slow, folder: Path) -> AsyncIterator[Session]:
    """A session that runs."""
    async with slow.service.open(folder, timing=slow.time.timing) as session:
        running = asyncio.create_task(session.run())
        try:
            yield session
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


@pytest.mark.parametrize(("seconds", "most"), [(0.08, 26), (0.5, 5), (9.0, 2)])
async def test_a_refresh_of_slow_pages_ends_after_a_while(tmp_path: Path, seconds: float, most: int) -> None:
    slow = Slow(seconds)
    async with slow.service.open(tmp_path, timing=slow.time.timing) as session:
        await session.refresh()
        assert 1 <= slow.pages <= most
        assert (session.unfinished, session.snapshot.history.complete) == (True, False)
        assert session.snapshot.projection.voice is not None
        for _ in range(250):
            await session.refresh()
            if not session.unfinished:
                break
        assert session.snapshot.history.complete
        assert [each.record.seq for each in session.snapshot.events] == list(range(1, 201))


async def test_what_waits_is_posted_and_the_stream_opened_during_a_slow_replay(tmp_path: Path) -> None:
    slow = Slow(0.5)
    slow.service.faults[EVENTS] = lambda request: refusing(request) if request.method == "POST" else None
    async with slow.service.open(tmp_path, timing=slow.time.timing) as session:
        prepared = await session.prepare(Draft(kind="observation", thread_id="task:1", body={"summary": "left"}))
        await session.send(prepared)
        assert session.snapshot.unsent
    slow.service.faults[EVENTS] = slow.later
    async with watching(slow, tmp_path) as session:
        for _ in range(8):
            await slow.time.advance(0.5)
        snapshot = session.snapshot
        assert (session.unfinished, snapshot.unsent) == (True, ())
        assert (snapshot.link.state, len(slow.streams)) == (LinkState.LIVE, 1)
        assert len(slow.service.world.records) == 201
        for _ in range(80):
            await slow.time.advance(2)
        assert session.snapshot.history.complete


async def test_a_service_that_always_has_more_is_followed_all_the_same(tmp_path: Path) -> None:
    """It tells one event a page, slowly, and says for ever that there is more."""
    slow = Slow(0.3, events=3)
    slow.service.page_size = 1

    def endless(request: httpx.Request) -> httpx.Response | None:
        slow.later(request)
        slow.service.world.say("bo", "observation", summary=f"{slow.pages} at {instant(slow.time.wall())}")
        page = slow.service._page(request.url.params.get("after"))
        page["page"]["has_more"] = True
        return json_answer(page)

    slow.service.faults[EVENTS] = endless
    async with watching(slow, tmp_path) as session:
        for _ in range(10):
            await slow.time.advance(1)
        await settle()
        assert (session.snapshot.link.state, session.unfinished) == (LinkState.LIVE, True)
        assert session.snapshot.projection.voice is not None
        assert session.snapshot.history.count > 10


async def test_lists_of_keys_that_come_slowly_do_not_hold_up_the_first_page(tmp_path: Path) -> None:
    slow = Slow(0.0, events=0)
    asked: list[str] = []
    shown: list[int] = []

    def later(request: httpx.Request) -> httpx.Response | None:
        asked.append(request.url.path)
        slow.time.now += 1.5
        return None

    for name, person in slow.service.world.people.items():
        slow.service.world.say(name, "observation", summary="here")
        slow.service.faults[KEYS_OF.format(person.sender().identity_id)] = later
    slow.service.faults["/v1/correspondence/voice"] = lambda _: shown.append(len(asked))
    slow.service.page_size = 200
    async with slow.service.open(tmp_path, timing=slow.time.timing) as session:
        await session.refresh()
        assert shown == [2]
        for _ in range(len(asked)):
            await session._following.refresher.now()
        assert {each.verdict.holds for each in session.snapshot.events} == {True}
        assert len(asked) == len(slow.service.world.people)
