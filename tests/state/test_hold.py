"""Paused by me: nothing is asked by itself, and what somebody does by a key is done all the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from corr_tui.protocol.compose import Draft
from corr_tui.state.border import Outcome
from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState
from tests.client.answering import json_answer
from tests.state.fake_service import FakeService, refusing
from tests.state.streams import Streams, quiet
from tests.state.virtual_time import VirtualTime

EVENTS = "GET /v1/correspondence/events"
POST = "POST /v1/correspondence/events"
WAKE = "GET /v1/wake/voice"
DRAFT = Draft(kind="observation", thread_id="task:1", body={"summary": "hello"})


@dataclass
class Board:
    """A service that streams, and a session that runs on it."""

    service: FakeService
    time: VirtualTime = field(default_factory=VirtualTime)
    streams: list[Streams] = field(default_factory=list)

    @asynccontextmanager
    async def running(self, folder: Path) -> AsyncIterator[Session]:
        """The session while its `run` runs."""
        self.service.faults["/v1/wake/voice"] = lambda _: quiet(self.time, self.streams)
        async with self.service.open(folder, timing=self.time.timing) as session:
            task = asyncio.ensure_future(session.run())
            await self.until(session, LinkState.LIVE)
            try:
                yield session
            finally:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def until(self, session: Session, state: LinkState) -> None:
        """Let a little time pass, and threads end, until the link is in a state."""
        for _ in range(1000):
            await self.time.advance(0.05)
            await asyncio.to_thread(lambda: None)
            if session.snapshot.link.state is state:
                return
        raise AssertionError(session.snapshot.link)

    def asked(self) -> dict[str, int]:
        """How often what was asked."""
        return dict(self.service.asked)


@pytest.fixture
def board() -> Board:
    service = FakeService()
    service.world.say("ana", "intent", summary="one")
    return Board(service)


async def test_held_it_lets_go_of_the_stream_and_asks_nothing(board: Board, tmp_path: Path) -> None:
    async with board.running(tmp_path) as session:
        session.hold()
        await board.time.advance(0)
        assert session.snapshot.link.state is LinkState.HELD
        assert [stream.closed for stream in board.streams] == [True]
        before = board.asked()
        await board.time.advance(600)
        assert board.asked() == before
        assert session.snapshot.link.state is LinkState.HELD
        assert len(session.snapshot.events) == 1


async def test_held_a_refresh_reads_once_and_it_stays_held(board: Board, tmp_path: Path) -> None:
    async with board.running(tmp_path) as session:
        session.hold()
        board.service.world.say("bo", "intent", summary="two")
        reads = board.service.asked[EVENTS]
        await session.refresh()
        await board.time.advance(600)
        assert board.service.asked[EVENTS] == reads + 1
        assert len(session.snapshot.events) == 2
        assert session.snapshot.link.state is LinkState.HELD


async def test_held_a_refresh_that_fails_says_why_and_is_not_tried_again(board: Board, tmp_path: Path) -> None:
    async with board.running(tmp_path) as session:
        session.hold()
        board.service.faults["*"] = refusing
        before = board.service.asked[EVENTS]
        await session.refresh()
        await board.time.advance(600)
        assert board.service.asked[EVENTS] == before + 1
        link = session.snapshot.link
        assert (link.state, link.detail, link.retry_at) == (LinkState.HELD, "could not connect", None)


async def test_released_it_reads_at_once_and_opens_the_stream(board: Board, tmp_path: Path) -> None:
    async with board.running(tmp_path) as session:
        session.hold()
        await board.time.advance(100)
        board.service.world.say("bo", "intent", summary="two")
        session.release()
        assert session.snapshot.link.state is LinkState.RECONNECTING
        await board.until(session, LinkState.LIVE)
        assert len(session.snapshot.events) == 2
        assert len(board.streams) == 2


async def test_held_a_key_still_posts_and_what_waits_does_not_go_by_itself(board: Board, tmp_path: Path) -> None:
    """No retry pressure comes of a pause (§9)."""
    async with board.running(tmp_path) as session:
        session.hold()
        sent = await session.send(await session.prepare(DRAFT))
        assert sent.outcome is Outcome.POSTED
        board.service.faults["/v1/correspondence/events"] = refusing
        waits = await session.send(await session.prepare(DRAFT))
        assert waits.outcome is Outcome.UNKNOWN
        board.service.faults.pop("/v1/correspondence/events")
        posts = board.service.asked[POST]
        await board.time.advance(600)
        assert board.service.asked[POST] == posts
        assert session.snapshot.link.state is LinkState.HELD
        session.release()
        await board.until(session, LinkState.LIVE)
        for _ in range(1000):
            await board.time.advance(0.01)
            await asyncio.to_thread(lambda: None)
            if not session.snapshot.unsent:
                break
        assert waits.event_id in session.snapshot.by_id
        assert not session.snapshot.unsent


async def test_a_refused_bearer_ends_the_stream_too_and_who_asks_again_brings_both_back(
    board: Board, tmp_path: Path
) -> None:
    async with board.running(tmp_path) as session:
        board.service.faults["*"] = lambda _: json_answer({"error": "unauthorized"}, 401)
        wake = board.service.faults.pop("/v1/wake/voice")
        await board.until(session, LinkState.UNAUTHORIZED)
        before = board.asked()
        await board.time.advance(600)
        assert board.asked() == before
        board.service.faults = {"/v1/wake/voice": wake}
        await session.refresh()
        await board.until(session, LinkState.LIVE)


async def test_a_wake_route_alone_that_refuses_the_bearer_leaves_polling_and_says_why(
    board: Board, tmp_path: Path
) -> None:
    async with board.running(tmp_path) as session:
        wake = board.service.faults["/v1/wake/voice"]
        board.service.faults["/v1/wake/voice"] = lambda _: json_answer({"error": "unauthorized"}, 401)
        await board.until(session, LinkState.POLLING)
        asked = board.service.asked[WAKE]
        await board.time.advance(600)
        assert board.service.asked[WAKE] == asked
        assert session.snapshot.link.detail == "no wake: unauthorized"
        board.service.faults["/v1/wake/voice"] = wake
        await session.refresh()
        await board.until(session, LinkState.LIVE)


async def test_held_a_long_replay_stops_at_its_page_and_released_it_goes_on(board: Board, tmp_path: Path) -> None:
    for number in range(20):
        board.service.world.say("ana", "progress", summary=str(number))
    board.service.page_size = 1
    async with board.service.open(tmp_path, timing=board.time.timing) as session:

        def holds(_: httpx.Request) -> None:
            if board.service.asked[EVENTS] == 5:
                session.hold()

        board.service.faults["/v1/correspondence/events"] = holds
        task = asyncio.ensure_future(session.run())
        try:
            await board.time.advance(100)
            assert session.snapshot.link.state is LinkState.HELD
            assert board.service.asked[EVENTS] == 5
            session.release()
            await board.time.advance(1)
            assert session.snapshot.history.complete
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
