"""A service over the fake world, as an httpx transport: edited in one line, made to fail in another."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx

from corr_tui.protocol.event import read_event
from corr_tui.state.connection import Connection
from corr_tui.state.home import Home
from corr_tui.state.session import Session
from corr_tui.state.timing import Timing
from tests.client.answering import BASE_URL, BEARER, json_answer
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World
from tests.state.virtual_time import AtOnce

Fault = Callable[[httpx.Request], httpx.Response | None]
"""An answer instead of the service's, an exception, or None to let the request through."""


@dataclass
class FakeService:
    """The world over HTTP. `faults` by path stand before it; `asked` counts requests by method and path."""

    world: World = field(default_factory=World)
    faults: dict[str, Fault] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    page_size: int = 200
    key_changes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Members to change in the listed key of a participant, by name."""

    @property
    def transport(self) -> httpx.MockTransport:
        """What stands in for the network."""
        return httpx.MockTransport(self._answer)

    def session(self, folder: Path, me: str | None = "maya", timing: Timing | None = None) -> Session:
        """A session of somebody, at home in a folder."""
        person = self.world.people[me] if me else None
        connection = Connection(
            BASE_URL,
            BEARER,
            REPOSITORY_ID,
            identity_id=person.sender().identity_id if person else None,
            signing_key_id=person.sender().signing_key_id if person else None,
            seed=person.seed if person else None,
            transport=self.transport,
        )
        return Session(connection, Home.under(folder), timing=timing)

    @asynccontextmanager
    async def open(self, folder: Path, me: str | None = "maya", timing: Timing | None = None) -> AsyncIterator[Session]:
        """A session that is closed afterwards; it reads when it is told to, and its work on threads is done at once."""
        asyncio.get_running_loop().set_default_executor(AtOnce())
        session = self.session(folder, me, timing)
        try:
            yield session
        finally:
            await session.close()

    def fault_json(self, path: str, value: object, method: str = "GET") -> None:
        """Let every request of one method to a path be answered with this value."""
        self.faults[path] = lambda request: json_answer(value) if request.method == method else None

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.asked[f"{request.method} {path}"] += 1
        fault = self.faults.get(path) or self.faults.get("*")
        answer = fault(request) if fault else None
        return answer or self._route(request, path)

    def _route(self, request: httpx.Request, path: str) -> httpx.Response:
        if request.method == "POST":
            return self._append(request)
        match path.split("/"):
            case [_, "v1", "wake"]:
                return json_answer({"project": {"id": PROJECT_ID, "name": "acme"}})
            case [_, "v1", "identities"]:
                people = self.world.people.values()
                rows = [{"id": each.sender().identity_id, "display_name": each.name} for each in people]
                return json_answer({"identities": rows})
            case [_, "v1", "identities", identity_id, "keys"]:
                return json_answer({"keys": self._keys(identity_id)})
            case [_, "v1", "correspondence", "events"]:
                return json_answer(self._page(request.url.params.get("after")))
            case [_, "v1", "correspondence", "voice"]:
                return self._voice(request)
            case [_, "v1", "correspondence", "claims"]:
                return self._claims(request)
            case _:
                return json_answer({"error": "not_found"}, 404)

    def _append(self, request: httpx.Request) -> httpx.Response:
        """Store an event once; posting it again gives the same record."""
        event = read_event(json.loads(request.content))
        known = [record for record in self.world.records if record.event.event_id == event.event_id]
        record = known[0] if known else self.world.store(event)
        return json_answer(self.world.record_json(record), 200 if known else 201)

    def _keys(self, identity_id: str) -> list[dict[str, Any]]:
        return [
            {
                "kid": each.sender().signing_key_id,
                "public_key": b64encode(each.public_key).decode(),
                **self.key_changes.get(each.name, {}),
            }
            for each in self.world.people.values()
            if each.sender().identity_id == identity_id
        ]

    def _page(self, after: str | None) -> dict[str, Any]:
        page = self.world.page(after)
        rows = page["events"]
        if len(rows) > self.page_size:
            rows = rows[: self.page_size]
            last = rows[-1]["receipt"]["received_seq"]
            page = {**page, "events": rows, "page": {"after": after, "next_after": last, "has_more": True}}
        return page

    def _claims(self, request: httpx.Request) -> httpx.Response:
        """The claim projection, which is complete however bounded the voice is."""
        voice = self.world.voice()
        claims = {name: voice[name] for name in ("evaluated_at", "cursor", "projection_status", "truncated")}
        return _unless_known(request, {**claims, "claims": voice["active_claims"]})

    def _voice(self, request: httpx.Request) -> httpx.Response:
        return _unless_known(request, self.world.voice())


def unavailable(_: httpx.Request) -> httpx.Response:
    """The projection is down while the stream is up."""
    return json_answer({"error": "correspondence_projection_unavailable", "message": "no inference is safe"}, 503)


def refusing(_: httpx.Request) -> httpx.Response:
    """Nobody listens."""
    raise httpx.ConnectError("no")


def once(fault: Fault) -> Fault:
    """A fault that happens once."""
    left = [fault]

    def answer(request: httpx.Request) -> httpx.Response | None:
        with suppress(IndexError):
            return left.pop()(request)
        return None

    return answer


def _unless_known(request: httpx.Request, value: object) -> httpx.Response:
    """A representation with a validator of its own, or that it is the one that is known (§7)."""
    headers = {"ETag": f'"sha256-{sha256(json.dumps(value).encode()).hexdigest()}"'}
    if request.headers.get("If-None-Match") == headers["ETag"]:
        return httpx.Response(304, headers=headers)
    return json_answer(value, headers=headers)
