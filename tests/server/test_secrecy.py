"""What is never told beyond who asked for it: not in a log, not on a terminal (§7, §9)."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from starlette.types import Message, Receive, Scope, Send

from corr_tui.protocol.event import Event
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database
from corr_tui.server.embed import EmbeddedService
from corr_tui.server.faults import FaultsContained
from corr_tui.server.projection import Projection
from corr_tui.server.wake import Pace
from tests.correspondents import PROJECT_ID, World, uuid
from tests.server.scene import CLAIMS, EVENTS, VOICE

WORDS = "s3cret words"
PATH = "s3cret/path"
THREAD = "s3cret:thread"
LOGGERS = ("", "corr_tui", "uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi", "asyncio")
ASKING = ("httpx", "httpcore")
"""The loggers of whoever asks in these tests, who may say what it likes."""


@pytest.fixture
def listening_in(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Everything that any logger says, whoever set it to say less."""
    caplog.set_level(logging.DEBUG)
    return caplog


@pytest.fixture
def service(database: Database, listening_in: pytest.LogCaptureFixture) -> Iterator[EmbeddedService]:
    """The service on a loopback socket, with the loggers of its server turned up after it set them."""
    with EmbeddedService(database, pace=Pace(heartbeat=0.05, standing=0.01, interval=0.01)) as service:
        for name in LOGGERS:
            listening_in.set_level(logging.DEBUG, logger=name)
        # Whoever turns its DEBUG on asks for every row that is read.
        listening_in.set_level(logging.INFO, logger="sqlalchemy")
        yield service


def refuse_to_work(*_: object) -> Any:
    """A fault whose words repeat what was signed."""
    raise RuntimeError(WORDS)


async def everything(base_url: str, bearer: str, event: Event) -> list[int]:
    """Ask a service everything, rightly and wrongly; the statuses it gave."""
    raw = json.dumps(event.evidence)
    focus = {"repository_id": event.repository_id, "thread_id": THREAD}
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    async with httpx.AsyncClient(base_url=base_url, headers=headers) as client:
        answers = [
            await client.post(EVENTS, content=raw),
            await client.post(EVENTS, content=raw),
            await client.post(EVENTS, content=raw.replace("s3cret words", "s3cret changed")),
            await client.post(EVENTS, content=raw[:-9]),
            await client.post(EVENTS, content=raw, headers={"Authorization": f"Bearer {bearer}x"}),
            *[await client.get(path, params=focus) for path in (EVENTS, CLAIMS, VOICE)],
            await client.get(EVENTS, params=focus, headers={"Accept": "application/atom+xml"}),
            await client.get(CLAIMS, params={**focus, "path": PATH}),
            await client.get(CLAIMS, params={**focus, "path": f"/{PATH}"}),
        ]
        url = f"/v1/wake/voice?identity_id={uuid(2, 1)}&keys=correspondence"
        async with client.stream("GET", url) as answer:
            await anext(answer.aiter_lines())
    return [answer.status_code for answer in answers]


async def test_no_body_path_bearer_or_signature_is_logged_whatever_happens_sections_7_and_9(
    service: EmbeddedService,
    database: Database,
    world: World,
    listening_in: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    accounts = Accounts(database)
    bearer = accounts.create_token(PROJECT_ID)
    words: dict[str, Any] = {"thread": THREAD, "paths": [PATH], "summary": WORDS}
    event = world.event("ana", "intent", **words)
    assert await everything(service.base_url, bearer, event) == [201, 200, 400, 400, 401] + 5 * [200] + [400]
    with monkeypatch.context() as broken:
        broken.setattr(Projection, "events", refuse_to_work)
        assert (await everything(service.base_url, bearer, event))[5] == 500
    with database.writing() as connection:
        connection.execute(text("ALTER TABLE events RENAME TO gone"))
    assert (await everything(service.base_url, bearer, event))[:2] == [503, 503]
    accounts.revoke_token(bearer)
    await asyncio.sleep(0)
    printed = capfd.readouterr()
    records = [each for each in listening_in.records if not each.name.startswith(ASKING)]
    told = "\n".join([*map(listening_in.handler.format, records), printed.out, printed.err])
    assert "storage unavailable" in told
    assert "unexpected RuntimeError at " in told
    for secret in ("s3cret", bearer[3:], event.signature.value_b64url, event.event_id, event.repository_id):
        assert secret not in told


async def faulty(_scope: Scope, _receive: Receive, send: Send) -> None:
    """An application that fails once it has begun to answer."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    raise RuntimeError(WORDS)


async def cancelled(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """An application whose task is cancelled."""
    raise asyncio.CancelledError


async def test_a_fault_in_the_middle_of_an_answer_cuts_it_section_7(listening_in: pytest.LogCaptureFixture) -> None:
    """Nothing is added to what was begun, and nothing leaves for the server to log."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    await FaultsContained(faulty)({"type": "http"}, receive, send)
    assert [message["type"] for message in sent] == ["http.response.start"]
    assert re.search("unexpected RuntimeError at .*test_secrecy.py:[0-9]+", listening_in.text)
    assert WORDS not in listening_in.text
    sent.clear()
    asked = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": []}
    with pytest.raises(asyncio.CancelledError):
        await FaultsContained(cancelled)(asked, receive, send)
    assert [message.get("status") for message in sent] == [503, None]
    with pytest.raises(RuntimeError):
        await FaultsContained(faulty)({"type": "lifespan"}, receive, send)
