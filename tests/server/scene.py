"""A service over a database, with the fake world's project, people and clock in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from starlette.applications import Starlette

from corr_tui.protocol import strict_json
from corr_tui.protocol.event import Event
from corr_tui.server.app import create_app
from corr_tui.server.database import Database, open_database
from corr_tui.server.tables import identities, projects, signing_keys, streams
from corr_tui.state.snapshot import instant
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World, uuid

BEARER = "at_" + "b" * 43
EVENTS = "/v1/correspondence/events"
CLAIMS = "/v1/correspondence/claims"
VOICE = "/v1/correspondence/voice"
VENDOR = "application/vnd.agenttool.correspondence+json"


def open_world(url: str, world: World) -> Database:
    """An open database whose clock is the world's."""
    return open_database(url, clock=lambda: instant(world.now))


def settle_accounts(database: Database, world: World, project_id: str = PROJECT_ID) -> None:
    """Put the world's project, identities and keys into a database, under their fixed ids."""
    at = {"project_id": project_id, "created_at": instant(world.now)}
    with database.writing() as connection:
        connection.execute(projects.insert().values(name="acme", **at))
        connection.execute(streams.insert().values(project_id=project_id, received_seq=0, incomplete=False))
        for person in world.people.values():
            identity_id = uuid(2, person.number)
            connection.execute(identities.insert().values(identity_id=identity_id, name=person.name, **at))
            connection.execute(
                signing_keys.insert().values(
                    identity_id=identity_id,
                    signing_key_id=uuid(3, person.number),
                    public_key=person.public_key,
                    label="",
                    **at,
                )
            )


@dataclass
class Scene:
    """Requests to one application, as the holder of the project's bearer."""

    world: World
    database: Database
    app: Starlette = field(init=False)
    client: httpx.AsyncClient = field(init=False)

    def __post_init__(self) -> None:
        self.app = create_app(self.database, bearers={BEARER: PROJECT_ID})
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app),
            base_url="http://service.example",
            headers={"Authorization": f"Bearer {BEARER}"},
        )

    async def post(self, body: Event | bytes, headers: Mapping[str, str] | None = None) -> httpx.Response:
        """POST an event, or any bytes."""
        raw = body if isinstance(body, bytes) else json.dumps(body.evidence).encode()
        about = {"Content-Type": "application/json", **(headers or {})}
        return await self.client.post(EVENTS, content=raw, headers=about)

    async def say(self, who: str, kind: str, **words: Any) -> Event:
        """Sign an event, have it stored, and return it."""
        event = self.world.event(who, kind, **words)
        answer = await self.post(event)
        assert answer.status_code == 201, answer.text
        return event

    async def get(self, route: str, /, headers: Mapping[str, str] | None = None, **query: str | int) -> httpx.Response:
        """GET a correspondence route about the world's repository."""
        return await self.client.get(route, params={"repository_id": REPOSITORY_ID, **query}, headers=headers)

    async def read(self, route: str, /, **query: str | int) -> Any:
        """The strictly decoded body of a 200."""
        answer = await self.client.get(route, params={"repository_id": REPOSITORY_ID, **query})
        assert answer.status_code == 200, answer.text
        return decoded(answer)


def decoded(answer: httpx.Response) -> Any:
    """The strictly decoded body of an answer."""
    return strict_json.decode(answer.content, strict_json.COLLECTION_LIMITS)


def statuses(page: Any) -> dict[str, str]:
    """The lineage status of each event of a page."""
    return {record["event"]["event_id"]: record["lineage_status"] for record in page["events"]}
