"""GET /v1/wake/voice: missable invalidations over a real socket (§7.1, §8)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.types import Message

from corr_tui.server import wake
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import ChangeWatch, Database, StorageUnavailable
from corr_tui.server.embed import EmbeddedService
from corr_tui.server.frames import connected
from corr_tui.server.stream import WakeStream
from corr_tui.server.wake import Hub, Pace, Subscriber
from corr_tui.state.snapshot import instant
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World, claim, uuid
from tests.server.scene import BEARER, EVENTS, Scene, open_world

ANA = uuid(2, 1)
BO = uuid(2, 2)
HEADERS = {"Authorization": f"Bearer {BEARER}"}
BEARERS = {BEARER: PROJECT_ID}

Frames = AsyncIterator[tuple[str, Any]]


@pytest.fixture
def service(database: Database) -> Iterator[EmbeddedService]:
    """The service on a loopback socket, with slow heartbeats."""
    with EmbeddedService(database, bearers=BEARERS) as service:
        yield service


async def frames(lines: AsyncIterator[str]) -> Frames:
    """The named frames of a stream: name and decoded data, each of just those two lines."""
    async for line in lines:
        assert line.startswith("event: ")
        name = line.removeprefix("event: ")
        data = await anext(lines)
        assert data.startswith("data: ")
        assert await anext(lines) == ""
        yield name, json.loads(data.removeprefix("data: "))


@asynccontextmanager
async def listening(base_url: str, identity_id: str = ANA, keys: str = "correspondence") -> AsyncIterator[Frames]:
    """An open stream of one identity whose `connected` frame has come."""
    url = f"{base_url}/v1/wake/voice?identity_id={identity_id}&keys={keys}"
    async with (
        httpx.AsyncClient(headers=HEADERS, timeout=20) as client,
        client.stream("GET", url) as answer,
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream")
        assert answer.headers["cache-control"] == "private, no-store, no-transform"
        told = frames(answer.aiter_lines())
        name, data = await anext(told)
        assert (name, data["identity_id"]) == ("connected", identity_id)
        yield told


async def post(base_url: str, world: World, who: str, kind: str, **words: Any) -> str:
    """Append one event over HTTP; returns its id."""
    event = world.event(who, kind, **words)
    async with httpx.AsyncClient(headers=HEADERS) as client:
        answer = await client.post(base_url + EVENTS, json=event.evidence)
    assert answer.status_code in (200, 201)
    return event.event_id


async def test_a_change_frame_has_the_members_of_section_7_1_and_no_authority_section_8(
    service: EmbeddedService, world: World
) -> None:
    async with listening(service.base_url) as told:
        event_id = await post(service.base_url, world, "bo", "claim.open", claim_id=claim(1), expires_in=60)
        assert await anext(told) == (
            "change",
            {
                "_format": "wake_event/v1",
                "identity_id": ANA,
                "key": "correspondence",
                "kind": "updated",
                "occurred_at": instant(world.now),
                "wake_version": 1,
                "automatic_action": "never",
                "context": {
                    "event_id": event_id,
                    "received_seq": "1",
                    "repository_id": REPOSITORY_ID,
                    "thread_id": "task:42",
                    "kind": "claim.open",
                },
            },
        )


async def test_every_active_identity_of_the_project_is_told_of_each_append_in_order_section_7_1(
    service: EmbeddedService, world: World
) -> None:
    async with listening(service.base_url) as ana, listening(service.base_url, BO) as bo:
        for number in range(5):
            await post(service.base_url, world, "kit", "progress", summary=str(number))
        for told in (ana, bo):
            heard = [(await anext(told))[1]["context"]["received_seq"] for _ in range(5)]
            assert heard == ["1", "2", "3", "4", "5"]


async def test_a_retry_tells_nobody_and_another_project_hears_nothing_section_7_1(
    database: Database, world: World
) -> None:
    accounts = Accounts(database)
    other = accounts.create_project("other")
    eve = accounts.create_identity(other, "eve")
    bearer = "at_other"
    with EmbeddedService(database, bearers={**BEARERS, bearer: other}, heartbeat=0.3) as service:
        event = world.event("bo", "intent", summary="once")
        url = f"{service.base_url}/v1/wake/voice?identity_id={eve}&keys=correspondence"
        async with AsyncExitStack() as stack:
            stranger = await stack.enter_async_context(
                httpx.AsyncClient(headers={"Authorization": f"Bearer {bearer}"}, timeout=20)
            )
            answer = await stack.enter_async_context(stranger.stream("GET", url))
            theirs = frames(answer.aiter_lines())
            assert (await anext(theirs))[0] == "connected"
            ours = await stack.enter_async_context(listening(service.base_url))
            client = await stack.enter_async_context(httpx.AsyncClient(headers=HEADERS))
            for _ in range(2):
                await client.post(service.base_url + EVENTS, json=event.evidence)
            assert (await anext(ours))[0] == "change"
            assert (await anext(ours))[0] == "welcome"
            assert (await anext(theirs))[0] == "welcome"


async def test_a_stream_without_news_has_heartbeats_section_7_1(database: Database) -> None:
    with EmbeddedService(database, bearers=BEARERS, heartbeat=0.05) as service:
        async with listening(service.base_url) as told:
            assert [(await anext(told))[0] for _ in range(3)] == ["welcome"] * 3


async def test_a_stream_ends_with_refresh_at_its_lifetime_section_7_1(database: Database) -> None:
    pace = Pace(lifetime=0.3, heartbeat=0.2)
    with EmbeddedService(database, bearers=BEARERS, pace=pace) as service:
        async with listening(service.base_url) as told:
            assert [name async for name, _ in told] == ["welcome", "refresh"]


async def test_a_stream_beyond_the_cap_of_its_identity_is_told_so_and_ended_section_7_1(
    service: EmbeddedService, world: World
) -> None:
    url = f"{service.base_url}/v1/wake/voice?identity_id={ANA}&keys=correspondence"
    async with AsyncExitStack() as stack:
        for _ in range(5):
            await stack.enter_async_context(listening(service.base_url))
        async with httpx.AsyncClient(headers=HEADERS, timeout=20) as client:
            answer = await client.get(url)
        assert answer.status_code == 200
        assert answer.text.startswith("event: rejected\ndata: {")
        assert json.loads(answer.text.split("data: ")[1])["error"] == "subscriber_cap"
        async with listening(service.base_url, BO) as told:
            await post(service.base_url, world, "ana", "intent", summary="others are served")
            assert (await anext(told))[0] == "change"


async def test_a_reader_that_left_frees_its_place_section_7_1(database: Database, world: World) -> None:
    pace = Pace(cap=1, heartbeat=0.05)
    url = f"/v1/wake/voice?identity_id={ANA}&keys=correspondence"
    with EmbeddedService(database, bearers=BEARERS, pace=pace) as service:
        async with listening(service.base_url):
            pass
        while True:
            async with (
                httpx.AsyncClient(headers=HEADERS, base_url=service.base_url) as client,
                client.stream("GET", url) as answer,
            ):
                if await anext(answer.aiter_lines()) == "event: connected":
                    break


async def test_a_reader_that_does_not_keep_up_is_cut_off_section_7_1(database: Database) -> None:
    hub = Hub(database, Pace(queued=2))
    subscriber = await hub.subscribe(PROJECT_ID, ANA)
    assert subscriber is not None
    sent: list[Message] = []
    stuck = asyncio.Event()

    async def send(message: Message) -> None:
        sent.append(message)
        if len(sent) == 3:
            stuck.set()
            await asyncio.Event().wait()

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    stream = asyncio.create_task(WakeStream(hub, subscriber, "all")({}, receive, send))
    subscriber.offer(b"unread")
    await stuck.wait()
    for number in range(3):
        subscriber.offer(b"%d" % number)
    await stream
    assert [message.get("body") for message in sent] == [None, connected(ANA, "all"), b"unread"]
    assert await hub.subscribe(PROJECT_ID, BO) is not None
    hub.close()


async def test_a_full_queue_drops_its_subscriber_and_keeps_nothing_more_section_7_1() -> None:
    subscriber = Subscriber(PROJECT_ID, ANA, None, told=True, frames=asyncio.Queue(2))
    for number in range(3):
        subscriber.offer(b"%d" % number)
    assert subscriber.dropped.is_set()
    assert subscriber.frames.qsize() == 2


async def test_an_append_by_another_process_on_the_file_wakes_this_one_section_7_1(
    url: str, service: EmbeddedService, world: World
) -> None:
    other = open_world(url, world)
    with EmbeddedService(other, bearers=BEARERS) as second:
        async with listening(service.base_url) as here, listening(second.base_url) as there:
            await post(second.base_url, world, "bo", "intent", summary="there")
            await post(service.base_url, world, "kit", "intent", summary="here")
            for told in (here, there):
                heard = [(await anext(told))[1]["context"]["received_seq"] for _ in range(2)]
                assert heard == ["1", "2"]
    other.close()


REFUSED = [
    ("keys=correspondence", 400, "identity_id_required"),
    ("identity_id=&keys=correspondence", 400, "identity_id_required"),
    ("identity_id=nope&keys=correspondence", 400, "identity_id_invalid"),
    (f"identity_id={uuid(2, 99)}&keys=correspondence", 404, "identity_not_found_in_project"),
    (f"identity_id={ANA}&keys=correspondence,bogus", 400, "unknown_wake_keys"),
    (f"identity_id={uuid(2, 6)}&keys=correspondence", 410, "identity_revoked"),
]


@pytest.mark.parametrize(("query", "status", "error"), REFUSED)
async def test_who_cannot_listen_is_told_why_section_7_1(
    scene: Scene, database: Database, query: str, status: int, error: str
) -> None:
    Accounts(database).revoke_identity(uuid(2, 6))
    answer = await scene.client.get(f"/v1/wake/voice?{query}")
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.headers["cache-control"] == "private, no-store"


async def test_another_projects_identity_cannot_listen_section_7(scene: Scene, database: Database) -> None:
    accounts = Accounts(database)
    stranger = accounts.create_identity(accounts.create_project("other"), "eve")
    answer = await scene.client.get(f"/v1/wake/voice?identity_id={stranger}&keys=correspondence")
    assert (answer.status_code, answer.json()["error"]) == (404, "identity_not_found_in_project")


@pytest.mark.parametrize(("keys", "told"), [("", "all"), (",", []), ("correspondence", ["correspondence"])])
async def test_the_first_frame_repeats_the_keys_section_7_1(
    service: EmbeddedService, keys: str, told: list[str] | str
) -> None:
    url = f"{service.base_url}/v1/wake/voice?identity_id={ANA.upper()}&keys={keys}"
    async with httpx.AsyncClient(headers=HEADERS) as client, client.stream("GET", url) as answer:
        assert await anext(frames(answer.aiter_lines())) == ("connected", {"identity_id": ANA, "keys": told})


async def test_head_of_a_stream_has_its_headers_and_ends_section_7_1(scene: Scene) -> None:
    answer = await scene.client.head(f"/v1/wake/voice?identity_id={ANA}&keys=correspondence")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "text/event-stream"


async def test_a_database_that_was_away_is_asked_again_section_7_1(
    database: Database, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Database.watch
    asked: list[int] = []

    def away_once(self: Database, on_change: Callable[[], None]) -> ChangeWatch:
        asked.append(1)
        if len(asked) == 1:
            raise StorageUnavailable("away")
        return watch(self, on_change)

    monkeypatch.setattr(Database, "watch", away_once)
    with EmbeddedService(database, bearers=BEARERS, pace=Pace(interval=0.01)) as service:
        async with listening(service.base_url) as told:
            await post(service.base_url, world, "bo", "intent", summary="back")
            assert (await anext(told))[1]["context"]["received_seq"] == "1"
    assert len(asked) == 2


async def test_a_database_that_stays_away_ends_the_streams_section_7_1(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream that stays open says that whoever listens will be told."""

    def away(self: Database, on_change: Callable[[], None]) -> ChangeWatch:
        raise StorageUnavailable("away")

    monkeypatch.setattr(Database, "watch", away)
    monkeypatch.setattr(wake, "ENDURED", 0.03)
    with EmbeddedService(database, bearers=BEARERS, pace=Pace(interval=0.01)) as service:
        async with listening(service.base_url) as told:
            name, body = await anext(told)
            assert (name, body["reason"]) == ("disconnect", "storage_unavailable")
            with pytest.raises(StopAsyncIteration):
                await anext(told)
