"""What nothing new costs: a frame that is known, a view that is unchanged, requests on top of each other."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from corr_tui.client import http
from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState
from tests.state.fake_service import FakeService
from tests.state.streams import CONNECTED, CUT, Streams
from tests.state.virtual_time import VirtualTime

EVENTS = "GET /v1/correspondence/events"
VOICE = "GET /v1/correspondence/voice"


@pytest.fixture
def service() -> FakeService:
    service = FakeService()
    service.world.say("ana", "intent", summary="one")
    service.world.say("bo", "observation", summary="two")
    return service


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the bodies that are decoded and the records that are read, by the name of their reader."""
    counts: Counter[str] = Counter()

    def counting(name: str) -> Any:
        reader = getattr(http, name)

        def counted(*given: Any) -> Any:
            counts[name] += 1
            return reader(*given)

        return counted

    for name in ("decode", "read_events_page", "read_voice", "read_claims"):
        monkeypatch.setattr(http, name, counting(name))
    return counts


async def test_a_view_that_is_unchanged_is_not_read_again(
    service: FakeService, read: Counter[str], tmp_path: Path
) -> None:
    """An exact matching If-None-Match returns 304 with no body (§7)."""
    async with service.open(tmp_path) as session:
        await session.refresh()
        voice = session.snapshot.projection.voice
        read.clear()
        await session._following.refresher.now()
        assert session.snapshot.projection.voice is voice
        assert read == {"decode": 1, "read_events_page": 1}
        service.world.say("bo", "observation", summary="three")
        await session._following.refresher.now()
        assert read["read_voice"] == 1


def change(received_seq: int) -> bytes:
    """A frame about an event of this repository."""
    data = f'{{"key":"correspondence","context":{{"received_seq":"{received_seq}","repository_id":"acme/widgets"}}}}'
    return f"event: change\ndata: {data}\n\n".encode()


class Telling:
    """A service whose one stream says what a test gives it, and a session that is live on it."""

    def __init__(self, service: FakeService, pieces: list[tuple[float, bytes]]) -> None:
        self.time = VirtualTime()
        self.service = service
        self.pieces = pieces
        service.faults["/v1/wake/voice"] = self._stream

    def _stream(self, _: httpx.Request) -> httpx.Response:
        stream = Streams(self.time, [(0, CONNECTED), (1, b""), *self.pieces, (1000, b"")], CUT)
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=stream)

    async def watch(self, folder: Path, seconds: float) -> tuple[Session, Counter[str]]:
        """What is asked from half a second after the start on, for so many seconds."""
        async with self.service.open(folder, timing=self.time.timing) as session:
            task = asyncio.ensure_future(session.run())
            await self.time.advance(0.5)
            assert session.snapshot.link.state is LinkState.LIVE
            before, shown = self.service.asked.copy(), session.snapshot
            await self.time.advance(seconds)
            self.unchanged = session.snapshot is shown
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        return session, self.service.asked - before


async def test_a_frame_whose_cursor_is_known_costs_nothing(service: FakeService, tmp_path: Path) -> None:
    telling = Telling(service, [(0.01, change(1 + number % 2)) for number in range(100)])
    _, asked = await telling.watch(tmp_path, 3)
    assert not asked
    assert telling.unchanged


async def test_frames_of_one_event_that_is_new_are_one_refresh(service: FakeService, tmp_path: Path) -> None:
    def says_three(_: httpx.Request) -> None:
        if service.asked[EVENTS] > 2:
            service.faults.pop("/v1/correspondence/events")
            service.world.say("bo", "observation", summary="three")

    service.faults["/v1/correspondence/events"] = says_three
    telling = Telling(service, [(0.01, change(3)) for _ in range(100)])
    session, asked = await telling.watch(tmp_path, 3)
    assert len(session.snapshot.events) == 3
    assert (asked[EVENTS], asked[VOICE]) == (1, 1)
