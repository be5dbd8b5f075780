"""What a session makes of a service that never ends, asks to wait for ever, or lists other keys for a while."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import EventRefused
from corr_tui.state.reader import PAGES_A_SECOND, PAGES_AT_ONCE
from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState, ProjectionState, Verdict
from corr_tui.state.timing import HELD_OFF, MOST_ASKED
from tests.client.answering import json_answer
from tests.correspondents import World
from tests.state.fake_service import FakeService, refusing
from tests.state.virtual_time import VirtualTime

EVENTS = "/v1/correspondence/events"
VOICE = "/v1/correspondence/voice"


@pytest.fixture
def service() -> FakeService:
    service = FakeService()
    service.world.say("ana", "intent", summary="one")
    service.world.say("bo", "observation", summary="two")
    return service


@asynccontextmanager
async def running(service: FakeService, folder: Path, time: VirtualTime) -> AsyncIterator[Session]:
    """A session while its `run` runs."""
    async with service.open(folder, timing=time.timing) as session:
        task = asyncio.ensure_future(session.run())
        await time.advance(0)
        try:
            yield session
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def link_state(session: Session) -> LinkState:
    """The state of its link now."""
    return session.snapshot.link.state


def waiting(seconds: str) -> Any:
    """Too many requests, with a wish to wait."""
    return lambda _: json_answer({"error": "slow_down", "message": "slow down"}, 429, {"Retry-After": seconds})


# A wish to wait


@pytest.mark.parametrize("fault", [waiting("99999"), waiting("3600"), refusing])
async def test_a_failed_refresh_makes_the_view_old_within_ten_seconds_whatever_the_service_asks_for(
    fault: Any, service: FakeService, tmp_path: Path
) -> None:
    """A projection that may be older than it says is not shown as complete (§6)."""
    time = VirtualTime()
    async with running(service, tmp_path, time) as session:
        assert session.snapshot.projection.state is ProjectionState.COMPLETE
        service.faults["*"] = fault
        await time.advance(5)
        await time.advance(10)
        assert session.snapshot.projection.stale
        assert session.snapshot.link.state is LinkState.OFFLINE
        assert len(session.snapshot.events) == 2


async def test_a_refresh_that_hangs_after_a_failed_one_makes_the_view_old_as_well(
    service: FakeService, tmp_path: Path
) -> None:
    time = VirtualTime()

    async def hang(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async with running(service, tmp_path, time) as session:
        service.faults["*"] = waiting("1")
        await time.advance(5)
        service.faults.clear()
        session._client._http._transport = httpx.MockTransport(hang)
        await time.advance(9)
        before = session.snapshot.projection.stale
        await time.advance(2)
        assert (before, session.snapshot.projection.stale) == (False, True)


async def test_an_answer_in_time_keeps_the_view(service: FakeService, tmp_path: Path) -> None:
    time = VirtualTime()
    async with running(service, tmp_path, time) as session:
        service.faults["*"] = waiting("4")
        await time.advance(5)
        assert link_state(session) is LinkState.RECONNECTING
        service.faults.clear()
        await time.advance(30)
        assert session.snapshot.link.state is LinkState.POLLING
        assert not session.snapshot.projection.stale


async def test_a_wish_to_wait_is_granted_for_ten_minutes_at_most(service: FakeService, tmp_path: Path) -> None:
    time = VirtualTime()
    async with running(service, tmp_path, time) as session:
        service.faults["*"] = waiting("99999")
        await time.advance(5)
        asked = service.asked.total()
        await time.advance(MOST_ASKED - 10)
        assert service.asked.total() == asked
        service.faults.clear()
        await time.advance(11)
        assert session.snapshot.link.state is LinkState.POLLING
        assert not session.snapshot.projection.stale


async def test_who_asks_again_while_the_service_asks_to_wait_is_told_and_it_is_not_asked(
    service: FakeService, tmp_path: Path
) -> None:
    time = VirtualTime()
    async with running(service, tmp_path, time) as session:
        service.faults["*"] = waiting("300")
        await time.advance(5)
        asked = service.asked.total()
        for _ in range(3):
            refreshed = asyncio.ensure_future(session.refresh())
            await time.advance(2)
            await refreshed
        assert service.asked.total() == asked
        assert session.snapshot.link.detail == f"slow down; {HELD_OFF}"
        assert session.snapshot.link.retry_at == 305


async def test_who_asks_again_after_any_other_failure_is_answered_at_once(service: FakeService, tmp_path: Path) -> None:
    time = VirtualTime()
    async with running(service, tmp_path, time) as session:
        service.faults["*"] = refusing
        await time.advance(60)
        assert link_state(session) is LinkState.OFFLINE
        service.faults.clear()
        refreshed = asyncio.ensure_future(session.refresh())
        await time.advance(1)
        await refreshed
        assert session.snapshot.link.state is LinkState.POLLING


# A replay without end


def endless(service: FakeService) -> None:
    """Every page is followed by another."""
    world = World()
    number = iter(range(10**9))

    def page(request: httpx.Request) -> httpx.Response | None:
        if request.method != "GET":
            return None
        after = int(request.url.params.get("after", 0))
        row = world.record_json(world.say("ana", "progress", summary=str(next(number))))
        row["receipt"]["received_seq"] = str(after + 1)
        page = {"after": str(after), "next_after": str(after + 1), "has_more": True}
        return json_answer({"events": [row], "page": page})

    service.faults[EVENTS] = page
    service.fault_json(VOICE, {**service.world.voice(), "cursor": "999999999"})


async def test_an_endless_replay_is_read_some_pages_at_a_time_and_everything_else_goes_on(
    service: FakeService, tmp_path: Path
) -> None:
    endless(service)
    time = VirtualTime()
    async with running(service, tmp_path, time) as session:
        await time.advance(0.5)
        first = session.snapshot
        assert first.history.count == service.asked[f"GET {EVENTS}"] == PAGES_AT_ONCE
        assert (first.history.complete, first.history.through) == (False, str(PAGES_AT_ONCE))
        assert first.projection.state is ProjectionState.COMPLETE
        assert first.link.state is LinkState.POLLING
        await time.advance(10)
        assert PAGES_AT_ONCE < session.snapshot.history.count <= PAGES_AT_ONCE + 10.5 * PAGES_A_SECOND
        assert not session.snapshot.history.complete


async def test_a_flood_of_requests_does_not_quicken_an_endless_replay(service: FakeService, tmp_path: Path) -> None:
    endless(service)
    time = VirtualTime()
    async with running(service, tmp_path, time) as session:
        for _ in range(100):
            session._following.refresher.request()
            await time.advance(0.1)
    assert service.asked[f"GET {EVENTS}"] <= PAGES_AT_ONCE + 10 * PAGES_A_SECOND + 5


async def test_an_honest_long_replay_comes_to_its_end(service: FakeService, tmp_path: Path) -> None:
    for number in range(PAGES_AT_ONCE + 30):
        service.world.say("ana", "progress", summary=str(number))
    service.page_size = 1
    time = VirtualTime()
    async with running(service, tmp_path, time) as session:
        assert not session.snapshot.history.complete
        await time.advance(4)
        assert session.snapshot.history.complete
        assert [each.record.seq for each in session.snapshot.events] == list(range(1, PAGES_AT_ONCE + 33))
        asked = service.asked[f"GET {EVENTS}"]
        await time.advance(10)
        assert service.asked[f"GET {EVENTS}"] - asked <= 3


# Other keys for a while


async def test_keys_that_were_swapped_for_a_while_are_read_again_when_somebody_asks(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
    async with service.open(tmp_path) as session:
        service.key_changes["ana"] = {"public_key": b64encode(service.world.people["zed"].public_key).decode()}
        await session.refresh()
        swapped = [each.verdict for each in session.snapshot.events]
        service.key_changes.clear()
        await session.refresh()
        assert swapped == [Verdict.KEY_CHANGED, Verdict.VERIFIED]
        assert [each.verdict for each in session.snapshot.events] == [Verdict.VERIFIED] * 2
        service.key_changes["bo"] = {"active": False}
        await session.refresh()
        assert [each.verdict for each in session.snapshot.events] == [Verdict.VERIFIED, Verdict.KEY_REVOKED]


async def test_keys_that_were_swapped_on_first_use_prove_nothing_and_are_not_kept(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        service.key_changes["ana"] = {"public_key": b64encode(service.world.people["zed"].public_key).decode()}
        await session.refresh()
        swapped = [each.verdict for each in session.snapshot.events]
        service.key_changes.clear()
        await session.refresh()
        assert swapped == [Verdict.MISMATCH, Verdict.LISTED]
        assert [each.verdict for each in session.snapshot.events] == [Verdict.LISTED] * 2


async def test_a_name_that_changed_is_read_again_when_somebody_asks(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
        ana = service.world.people["ana"].sender().identity_id
        service.fault_json("/v1/identities", {"identities": [{"id": ana, "display_name": "Ana M."}]})
        await session.refresh()
    assert session.snapshot.name_of(ana) == "Ana M."


# Dates


@pytest.mark.parametrize("date", ["Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "x"])
async def test_a_date_out_of_this_world_is_no_clock_and_hinders_nothing(
    date: str, service: FakeService, tmp_path: Path
) -> None:
    service.faults[EVENTS] = lambda _: json_answer(service.world.page(), headers={"Date": date})
    async with service.open(tmp_path, timing=VirtualTime().timing) as session:
        await session.refresh()
    assert session.snapshot.clock.now(5.0) is None
    assert len(session.snapshot.events) == 2


# A folder that cannot be used


async def test_without_a_folder_of_its_own_a_session_reads_and_says_why_it_signs_nothing(
    service: FakeService, tmp_path: Path
) -> None:
    (tmp_path / "state").write_bytes(b"a file where a folder should be")
    (tmp_path / "data").write_bytes(b"and another")
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert [each.verdict for each in session.snapshot.events] == [Verdict.LISTED] * 2
        assert session.snapshot.me is not None
        assert not session.snapshot.me.can_sign
        assert "device.json cannot be used" in session.snapshot.me.hindrance
        with pytest.raises(EventRefused, match=r"nothing can be signed here: .*device\.json cannot be used"):
            await session.prepare(Draft(kind="observation", thread_id="task:1", body={"summary": "x"}))
        assert await session.deliver()
    assert len(service.world.events()) == 2
