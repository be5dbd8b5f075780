"""A real service on loopback, participants with real keys, and sessions in homes of their own; nothing waits by
sleeping: `until` watches snapshots for a condition."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from corr_tui.protocol.compose import Draft
from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database, open_database
from corr_tui.server.embed import EmbeddedService
from corr_tui.state.border import Correspondence, Outcome, Sent
from corr_tui.state.connection import Connection
from corr_tui.state.home import Home
from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState, Snapshot

REPOSITORY_ID = "repo:test/widgets"
PATIENCE = 20.0
"""Seconds after which a condition is given up; a working session needs a fraction of one."""


@dataclass
class Running:
    """One service over one database file, and who takes part."""

    folder: Path
    port: int = 0
    database: Database = field(init=False)
    service: EmbeddedService = field(init=False)
    project_id: str = field(init=False)
    bearer: str = field(init=False)
    seeds: dict[str, tuple[str, str, bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.start()
        accounts = Accounts(self.database)
        self.project_id = accounts.create_project("acme")
        self.bearer = accounts.create_token(self.project_id)
        for number, name in enumerate(("ana", "bo", "maya"), 1):
            seed = bytes([number]) * 32
            identity_id = accounts.create_identity(self.project_id, name)
            self.seeds[name] = (identity_id, accounts.add_key(identity_id, public_key_of(seed), name), seed)

    def start(self) -> None:
        """Start the service, on the port it had before."""
        self.database = open_database(f"sqlite:///{self.folder / 'service.sqlite3'}")
        self.service = EmbeddedService(self.database, port=self.port)
        self.service.start()
        self.port = int(self.service.base_url.rpartition(":")[2])

    def stop(self) -> None:
        """Stop the service; its file stays."""
        self.service.stop()
        self.database.close()

    def connection(self, name: str | None, **changes: object) -> Connection:
        """How somebody connects; None for a reader without an identity."""
        identity_id, signing_key_id, seed = self.seeds[name] if name else (None, None, None)
        return Connection(
            self.service.base_url,
            self.bearer,
            REPOSITORY_ID,
            identity_id=identity_id,
            signing_key_id=signing_key_id,
            seed=seed,
            **changes,  # type: ignore[arg-type]
        )

    def home(self, name: str | None) -> Home:
        """The folders of somebody's installation."""
        return Home.under(self.folder / (name or "reader"))

    @asynccontextmanager
    async def watching(self, name: str | None, home: str | None = None) -> AsyncIterator[Session]:
        """Somebody's session while its `run` runs."""
        session = Session(self.connection(name), self.home(home or name))
        task = asyncio.create_task(session.run())
        try:
            yield session
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await session.close()

    async def say(self, name: str, summary: str = "hello", **words: object) -> Sent:
        """A one-shot command of somebody: prepare, send, done."""
        session = Session(self.connection(name), self.home(name))
        try:
            return await send(session, observation(summary, **words))
        finally:
            await session.close()


def observation(summary: str, **words: object) -> Draft:
    """A draft of an observation."""
    return Draft(kind="observation", thread_id="task:1", body={"summary": summary}, **words)  # type: ignore[arg-type]


async def send(session: Correspondence, draft: Draft) -> Sent:
    """Prepare and send."""
    return await session.send(await session.prepare(draft))


async def until(session: Correspondence, condition: Callable[[Snapshot], object]) -> Snapshot:
    """The first snapshot that meets a condition."""
    async with asyncio.timeout(PATIENCE):
        async for snapshot in session.snapshots():
            if condition(snapshot):
                return snapshot
    raise AssertionError("the session ended")


def live(snapshot: Snapshot) -> bool:
    """Whether the wake stream is open and everything was read."""
    return snapshot.link.state is LinkState.LIVE and snapshot.history.complete


def summaries(snapshot: Snapshot) -> list[str]:
    """The summaries of every event heard, in receipt order."""
    return [heard.event.evidence["body"].get("summary", "") for heard in snapshot.events if heard.event]


def posted(sent: Sent) -> str:
    """The event id of a sent event that has its receipt."""
    assert sent.outcome is Outcome.POSTED, sent
    assert sent.record is not None
    return sent.event_id
