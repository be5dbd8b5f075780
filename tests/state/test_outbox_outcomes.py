"""Whatever the way to the service does, each event that was meant is received once or refused with its reason (§7)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from corr_tui.protocol.compose import Draft
from corr_tui.state.border import Outcome
from corr_tui.state.session import Session
from corr_tui.state.snapshot import UnsentState
from tests.client.answering import json_answer
from tests.state.fake_service import FakeService
from tests.state.virtual_time import VirtualTime

EVENTS = "/v1/correspondence/events"


def refused(_: FakeService, request: httpx.Request) -> httpx.Response:
    """For good."""
    return json_answer({"error": "event_invalid", "message": "no"}, 400)


def lost_before(_: FakeService, request: httpx.Request) -> httpx.Response:
    """Nobody listens."""
    raise httpx.ConnectError("no")


def cut_before(_: FakeService, request: httpx.Request) -> httpx.Response:
    """Cut before it was received."""
    raise httpx.WriteError("cut")


def cut_after(service: FakeService, request: httpx.Request) -> httpx.Response:
    """Received, and cut before the answer."""
    service._append(request)
    raise httpx.ReadError("cut")


def late(service: FakeService, request: httpx.Request) -> httpx.Response:
    """Received, and no answer in time."""
    service._append(request)
    raise httpx.ReadTimeout("late")


def unavailable(_: FakeService, request: httpx.Request) -> httpx.Response:
    """Not appended, as far as is known."""
    return json_answer({"error": "correspondence_append_unavailable"}, 503)


def unavailable_after(service: FakeService, request: httpx.Request) -> httpx.Response:
    """Appended, and the service does not know."""
    service._append(request)
    return json_answer({"error": "correspondence_append_unavailable"}, 503, {"Retry-After": "7"})


def throttled(_: FakeService, request: httpx.Request) -> httpx.Response:
    """Too many."""
    return json_answer({"error": "slow_down"}, 429, {"Retry-After": "30"})


def portal(_: FakeService, request: httpx.Request) -> httpx.Response:
    """Somebody else answers."""
    return httpx.Response(200, headers={"Content-Type": "text/html"}, content=b"<html>")


def unauthorized(_: FakeService, request: httpx.Request) -> httpx.Response:
    """The bearer is refused for a while."""
    return json_answer({"error": "unauthorized"}, 401)


def answered(_: FakeService, request: httpx.Request) -> None:
    """As it should be."""


Way = Callable[[FakeService, httpx.Request], httpx.Response | None]
WAYS: tuple[Way, ...] = (
    answered,
    refused,
    lost_before,
    cut_before,
    cut_after,
    late,
    unavailable,
    unavailable_after,
    throttled,
    portal,
    unauthorized,
)
ACTIONS = ("say", "deliver", "refresh", "begin again", "wait")


@dataclass
class Life:
    """Sessions of one home, one after the other, and a way that does to each post what was drawn."""

    home: Path
    ways: list[Way]
    service: FakeService = field(default_factory=FakeService)
    time: VirtualTime = field(default_factory=VirtualTime)
    meant: list[str] = field(default_factory=list)
    bodies: dict[str, set[bytes]] = field(default_factory=dict)
    decided: dict[str, int] = field(default_factory=dict)
    """Posts of each event after it was refused; there must be none in the same or a later session."""

    def post(self, request: httpx.Request) -> httpx.Response | None:
        """One post and what becomes of it."""
        if request.method != "POST":
            return None
        event_id = json.loads(request.content)["event_id"]
        self.bodies.setdefault(event_id, set()).add(request.content)
        if event_id in self.decided:
            self.decided[event_id] += 1
        way = self.ways.pop() if self.ways else answered
        if way is refused:
            self.decided.setdefault(event_id, 0)
        return way(self.service, request)

    async def live(self, actions: list[str]) -> list[tuple[str, UnsentState, str]]:
        """Do it all, then let everything work; what is left unsent at the end."""
        self.service.faults[EVENTS] = self.post
        session = await self._begun()
        for number, action in enumerate(actions):
            match action:
                case "say":
                    self.meant.append(f"{number}")
                    await self._say(session, f"{number}")
                case "deliver":
                    await session.deliver()
                case "refresh":
                    await session.refresh()
                case "wait":
                    self.time.now += 31
                case _:
                    await session.close()
                    session = await self._begun()
        await session.close()
        self.ways.clear()
        self.time.now += 1000
        session = await self._begun()
        assert await session.deliver()
        await session.refresh()
        left = session.snapshot.unsent
        await session.close()
        return [(each.event.evidence["body"]["summary"], each.state, each.reason) for each in left]

    async def _begun(self) -> Session:
        session = self.service.session(self.home, timing=self.time.timing)
        await session.open()
        return session

    async def _say(self, session: Session, summary: str) -> None:
        draft = Draft(kind="observation", thread_id="task:1", body={"summary": summary})
        sent = await session.send(await session.prepare(draft))
        assert sent.outcome in (Outcome.POSTED, Outcome.REFUSED, Outcome.UNKNOWN)


@settings(max_examples=60, deadline=None)
@given(ways=st.lists(st.sampled_from(WAYS), max_size=24), actions=st.lists(st.sampled_from(ACTIONS), max_size=14))
def test_each_event_is_received_once_or_refused_with_its_reason(ways: list[Way], actions: list[str]) -> None:
    with TemporaryDirectory() as folder:
        life = Life(Path(folder), ways)
        left = asyncio.run(life.live(actions))
    events = life.service.world.events()
    received = [event.evidence["body"]["summary"] for event in events]
    assert sorted([*received, *(summary for summary, _, _ in left)]) == sorted(life.meant)
    assert all((state, reason) == (UnsentState.REFUSED, "no") for _, state, reason in left)
    assert all(len(bodies) == 1 for bodies in life.bodies.values()), "the same bytes every time"
    assert not any(life.decided.values()), "nothing is posted again after it was refused"
    for session_id in {event.sender.session_id for event in events}:
        numbers = [event.session_seq for event in events if event.sender.session_id == session_id]
        assert numbers == sorted(set(numbers)), "in the order of the session, no number twice"
