"""Who may go on listening, and how many are told without anybody waiting for it (§7, §7.1, §8)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from threading import Event
from typing import Any

import httpx
import pytest
from sqlalchemy import Row

from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database, StorageUnavailable
from corr_tui.server.embed import EmbeddedService
from corr_tui.server.wake import TOLD_AT_ONCE, Hub, Pace
from tests.correspondents import PROJECT_ID, World, uuid
from tests.server.scene import BEARER, EVENTS
from tests.server.test_wake import frames

ANA = uuid(2, 1)
BO = uuid(2, 2)
HEADERS = {"Authorization": f"Bearer {BEARER}", "Content-Type": "application/json"}
PACE = Pace(standing=0.01, interval=0.01, heartbeat=0.05)


@pytest.fixture
def service(database: Database) -> Iterator[EmbeddedService]:
    """The service on a loopback socket; it asks about everybody's standing all the time."""
    with EmbeddedService(database, bearers={BEARER: PROJECT_ID}, pace=PACE) as service:
        yield service


class Listener:
    """Streams that are opened in a test and closed with it."""

    def __init__(self, base_url: str, stack: AsyncExitStack) -> None:
        self._base_url = base_url
        self._stack = stack

    async def opened(self, identity_id: str, bearer: str = BEARER) -> httpx.Response:
        """The answer to a request to listen, its body not read yet."""
        client = await self._stack.enter_async_context(httpx.AsyncClient(base_url=self._base_url, timeout=20))
        url = f"/v1/wake/voice?identity_id={identity_id}&keys=correspondence"
        headers = {"Authorization": f"Bearer {bearer}"}
        return await self._stack.enter_async_context(client.stream("GET", url, headers=headers))


async def until_the_end(answer: httpx.Response) -> list[tuple[str, Any]]:
    """The frames of a stream until it ends, without its heartbeats."""
    return [frame async for frame in frames(answer.aiter_lines()) if frame[0] != "welcome"]


async def test_the_stream_of_a_revoked_identity_ends_and_it_gets_410_again_section_7_1(
    service: EmbeddedService, database: Database
) -> None:
    async with AsyncExitStack() as stack:
        listener = Listener(service.base_url, stack)
        ana, bo = await listener.opened(ANA), await listener.opened(BO)
        Accounts(database).revoke_identity(ANA)
        told = await until_the_end(ana)
        assert [name for name, _ in told] == ["connected", "disconnect"]
        assert told[1][1]["reason"] == "identity_revoked"
        assert (await listener.opened(ANA)).status_code == 410
        others = frames(bo.aiter_lines())
        assert [(await anext(others))[0] for _ in range(3)] == ["connected", "welcome", "welcome"]


async def test_the_stream_of_a_revoked_bearer_ends_and_other_bearers_go_on_section_7(
    service: EmbeddedService, database: Database
) -> None:
    accounts = Accounts(database)
    one, other = accounts.create_token(PROJECT_ID), accounts.create_token(PROJECT_ID)
    async with AsyncExitStack() as stack:
        listener = Listener(service.base_url, stack)
        ended, open_still = await listener.opened(ANA, one), await listener.opened(ANA, other)
        accounts.revoke_token(one)
        assert [name for name, _ in await until_the_end(ended)] == ["connected", "disconnect"]
        assert (await listener.opened(ANA, one)).status_code == 401
        others = frames(open_still.aiter_lines())
        assert [(await anext(others))[0] for _ in range(3)] == ["connected", "welcome", "welcome"]


async def test_the_stream_of_a_bearer_ends_when_the_bearer_expires_section_7(
    service: EmbeddedService, database: Database, world: World
) -> None:
    bearer = Accounts(database).create_token(PROJECT_ID, timedelta(minutes=1))
    async with AsyncExitStack() as stack:
        answer = await Listener(service.base_url, stack).opened(ANA, bearer)
        assert answer.status_code == 200
        world.now += timedelta(minutes=1)
        assert (await until_the_end(answer))[-1][1]["reason"] == "bearer_ended"


async def test_a_post_does_not_wait_for_who_is_told_section_7(
    database: Database, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads the news is held up until after the POST was answered, and then tells it all the same."""
    answered = Event()
    news = Hub._news

    def held_up(hub: Hub, project_ids: Sequence[str]) -> Mapping[str, Sequence[Row[Any]]]:
        answered.wait(20)
        return news(hub, project_ids)

    monkeypatch.setattr(Hub, "_news", held_up)
    with EmbeddedService(database, bearers={BEARER: PROJECT_ID}, pace=PACE) as service:
        async with AsyncExitStack() as stack:
            answer = await Listener(service.base_url, stack).opened(ANA)
            told = frames(answer.aiter_lines())
            assert (await anext(told))[0] == "connected"
            client = await stack.enter_async_context(httpx.AsyncClient(base_url=service.base_url, headers=HEADERS))
            event = world.event("bo", "intent", summary="hello")
            stored = await client.post(EVENTS, content=json.dumps(event.evidence))
            assert (stored.status_code, answered.is_set()) == (201, False)
            answered.set()
            name, data = await anext(told)
            while name != "change":
                name, data = await anext(told)
            assert data["context"]["event_id"] == event.event_id


async def test_nobody_to_be_told_takes_no_event_back_section_7(
    database: Database, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads the news fails each time; what was appended is there, and the stream goes on."""

    def away(_hub: Hub, _project_ids: Sequence[str]) -> Mapping[str, Sequence[Row[Any]]]:
        raise StorageUnavailable("away")

    with EmbeddedService(database, bearers={BEARER: PROJECT_ID}, pace=PACE) as service:
        async with AsyncExitStack() as stack:
            answer = await Listener(service.base_url, stack).opened(ANA)
            told = frames(answer.aiter_lines())
            assert (await anext(told))[0] == "connected"
            monkeypatch.setattr(Hub, "_news", away)
            client = await stack.enter_async_context(httpx.AsyncClient(base_url=service.base_url, headers=HEADERS))
            event = world.event("bo", "intent", summary="hello")
            assert (await client.post(EVENTS, content=json.dumps(event.evidence))).status_code == 201
            assert [(await anext(told))[0] for _ in range(2)] == ["welcome", "welcome"]
            page = await client.get(EVENTS, params={"repository_id": event.repository_id})
    assert [record["event"]["event_id"] for record in page.json()["events"]] == [event.event_id]


async def test_telling_many_gives_other_work_a_turn_after_each_page_section_7(database: Database) -> None:
    hub = Hub(database, Pace(cap=10_000, standing=3600))
    number = 2 * TOLD_AT_ONCE + 1
    subscribers = [await hub.subscribe(PROJECT_ID, ANA) for _ in range(number)]
    queued: list[int] = []

    async def other_work() -> None:
        while True:
            queued.append(sum(each.frames.qsize() for each in subscribers if each is not None))
            await asyncio.sleep(0)

    row: Any = Told()
    task = asyncio.create_task(other_work())
    await hub._tell({PROJECT_ID: [row]})
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert [TOLD_AT_ONCE, 2 * TOLD_AT_ONCE, number] == sorted(set(queued) - {0})
    hub.close()


class Told:
    """A row of news."""

    event_id = f"sha256:{'0' * 64}"
    received_seq = 1
    received_at = "2026-05-14T13:00:00.000Z"
    repository_id = "a"
    thread_id = "b"
    kind = "intent"


async def test_an_identity_named_twice_is_refused_section_7_1(service: EmbeddedService) -> None:
    url = f"{service.base_url}/v1/wake/voice?identity_id={ANA}&identity_id={BO}&foo=1"
    async with httpx.AsyncClient(headers=HEADERS) as client:
        answer = await client.get(url)
    assert (answer.status_code, answer.json()["error"]) == (400, "query_invalid")
