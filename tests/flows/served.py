"""A real service, a fault proxy before it and sessions in homes of their own, all on one virtual loop.

`rough` sessions go through the proxy, `calm` ones ask the service itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.server.app import create_app
from corr_tui.server.database import Database, open_database
from corr_tui.server.embed import listen
from corr_tui.server.wake import Pace
from corr_tui.state.connection import Connection
from corr_tui.state.home import Home
from corr_tui.state.session import Session
from corr_tui.state.snapshot import Snapshot
from tests.flows.fault_proxy import FaultProxy
from tests.flows.virtual_loop import virtual_loop

REPOSITORY_ID = "repo:test/widgets"
NAMES = ("ana", "bo", "maya")
PACE = Pace(interval=0.5)

_Asgi = Callable[[Any, Any, Any], Awaitable[None]]


class _Server(uvicorn.Server):
    """A server that sleeps until it is told to stop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals belong to the test run."""
        yield

    async def main_loop(self) -> None:
        """Keep the Date of answers on the loop's clock."""
        while not self.should_exit:
            date = virtual_loop().wall().strftime("%a, %d %b %Y %H:%M:%S GMT")
            self.server_state.default_headers = [(b"date", date.encode())]
            await asyncio.sleep(1)


@dataclass
class Served:
    """One service, its participants, and whoever watches."""

    folder: Path
    proxy: FaultProxy
    port: int
    project_id: str
    bearer: str
    people: dict[str, tuple[str, str, bytes]]
    closing: AsyncExitStack

    def connection(self, name: str | None, *, calm: bool = False) -> Connection:
        """How somebody connects."""
        identity_id, signing_key_id, seed = self.people[name] if name else (None, None, None)
        base_url = f"http://127.0.0.1:{self.port}" if calm else self.proxy.base_url
        return Connection(
            base_url,
            self.bearer,
            REPOSITORY_ID,
            label="the service",
            identity_id=identity_id,
            signing_key_id=signing_key_id,
            seed=seed,
        )

    def session(self, name: str | None, home: str = "", *, calm: bool = False) -> Session:
        """Somebody's session for single words, closed with the service."""
        session = self._session(name, home, calm=calm)
        self.closing.push_async_callback(session.close)
        return session

    def _session(self, name: str | None, home: str = "", *, calm: bool = False) -> Session:
        folder = self.folder / "homes" / (home or name or "reader")
        return Session(
            self.connection(name, calm=calm), Home.under(folder), timing=virtual_loop().timing(len(folder.name))
        )

    @asynccontextmanager
    async def watching(
        self, name: str | None, home: str = "", *, calm: bool = False, saw: Callable[[Snapshot], None] | None = None
    ) -> AsyncIterator[Session]:
        """Somebody's board; `saw` is called with every snapshot that is drawn."""
        session = self._session(name, home, calm=calm)
        tasks = [asyncio.create_task(session.run())]
        if saw is not None:
            tasks.append(asyncio.create_task(_watch(session, saw)))
        try:
            yield session
        finally:
            for task in tasks:
                task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError):
                    await task
            await session.close()

    async def fresh(self, name: str | None = "maya") -> Snapshot:
        """What a session that never was before sees of the service itself."""
        async with self.watching(name, "fresh", calm=True) as session:
            return await until(session, lambda snapshot: snapshot.history.complete and snapshot.projection.voice)


async def _watch(session: Session, saw: Callable[[Snapshot], None]) -> None:
    async for snapshot in session.snapshots():
        saw(snapshot)


async def until(session: Session, condition: Callable[[Snapshot], object], within: float = 1800.0) -> Snapshot:
    """The first snapshot that meets a condition; fails after so many seconds of the loop."""
    async with asyncio.timeout(within):
        async for snapshot in session.snapshots():
            if condition(snapshot):
                return snapshot
    raise AssertionError("the session ended")


@asynccontextmanager
async def served(folder: Path, *, host: str = "127.0.0.1", quiet_cut: float | None = None) -> AsyncIterator[Served]:
    """A service over a new database in a folder, with its proxy."""
    with ExitStack() as closing:
        database = open_database(f"sqlite:///{folder / 'service.sqlite3'}")
        closing.callback(database.close)
        accounts = Accounts(database)
        project_id = accounts.create_project("acme")
        people = {}
        for number, name in enumerate(NAMES, 1):
            seed, identity_id = bytes([number]) * 32, accounts.create_identity(project_id, name)
            people[name] = (identity_id, accounts.add_key(identity_id, public_key_of(seed), name), seed)
        bearer = accounts.create_token(project_id)
        async with (
            _serving(database) as port,
            FaultProxy(port, host, quiet_cut) as proxy,
            AsyncExitStack() as sessions,
        ):
            yield Served(folder, proxy, port, project_id, bearer, people, sessions)


@asynccontextmanager
async def _serving(database: Database) -> AsyncIterator[int]:
    listening = listen("127.0.0.1", 0)
    app = create_app(database, pace=PACE)
    config = uvicorn.Config(
        _counted(app),
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve([listening]))
    try:
        yield int(listening.getsockname()[1])
    finally:
        app.state.hub.close()
        server.should_exit = True
        await task


def _counted(app: _Asgi) -> _Asgi:
    """The application; no time passes on the loop while a request has no answer yet."""

    async def counted(scope: Any, receive: Any, send: Any) -> None:
        holding = virtual_loop().hold()

        async def answer(message: Any) -> None:
            holding.close()
            await send(message)

        with holding:
            await app(scope, receive, answer)

    return counted
