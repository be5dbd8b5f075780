"""Where a scene is played: a temporary home, a service in it on loopback, and the players at their places.

    theatre = Theatre(seed=1, speed=1.0, frozen=False)
    session = await theatre.open()      # the opening has been played; the rest unfolds beside
    theatre.close()                     # afterwards, outside of the event loop: nothing is left behind

The players and the onlooker each speak to the service over HTTP with the project's one bearer, and sign with keys of
their own.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from corr_tui.client.errors import ClientError
from corr_tui.client.http import Client
from corr_tui.demo.correspondents import Number, Player, Stage, play
from corr_tui.demo.scene import ARRIVAL, CAST, EARLIER, ONLOOKER, PROJECT_NAME, REPOSITORY_ID, UNFOLDING
from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database, open_database
from corr_tui.server.embed import EmbeddedService
from corr_tui.state.connection import Connection
from corr_tui.state.home import Home
from corr_tui.state.session import Session


def engage(accounts: Accounts, number: Number) -> tuple[str, dict[str, Player]]:
    """A project with everybody in it, onlooker included; returns its id and the players by name."""
    project_id = accounts.create_project(PROJECT_NAME)
    players: dict[str, Player] = {}
    for name in sorted((*CAST, ONLOOKER)):
        seed = number.digest("seed", name)
        identity_id = accounts.create_identity(project_id, name)
        signing_key_id = accounts.add_key(identity_id, public_key_of(seed))
        players[name] = Player(name, identity_id, signing_key_id, seed)
    return project_id, players


async def _look(connection: Connection, home: Home) -> None:
    """An earlier session of the onlooker: it pins the keys of everybody who has spoken so far."""
    earlier = Session(connection, home)
    try:
        await earlier.refresh()
    finally:
        await earlier.close()


class Theatre:
    """One performance."""

    def __init__(self, *, seed: int = 1, speed: float = 1.0, frozen: bool = False) -> None:
        self._number = Number(seed)
        self._speed = speed
        self._frozen = frozen
        self._folder: Path | None = None
        self._database: Database | None = None
        self._service: EmbeddedService | None = None
        self.unfolding: asyncio.Task[None] | None = None
        """What is still being played, once the session is open."""
        self.interrupted = ""
        """Why the scene ended early, in words, when it did."""

    async def open(self) -> Session:
        """Raise the curtain: the onlooker's session, once the opening has been played (all of it when frozen)."""
        stage, connection, home = await asyncio.to_thread(self._build)
        client = Client(connection.base_url, connection.bearer)
        await play(EARLIER, stage, client.post_event, speed=float("inf"))
        await _look(connection, home)
        await play(ARRIVAL + UNFOLDING if self._frozen else ARRIVAL, stage, client.post_event, speed=float("inf"))
        if self._frozen:
            await client.aclose()
        else:
            self.unfolding = asyncio.create_task(self._unfold(stage, client), name="demo scene")
        return Session(connection, home)

    def close(self) -> None:
        """Stop the service and remove the temporary home; harmless when there is nothing to remove."""
        if self._service is not None:
            self._service.stop()
        if self._database is not None:
            self._database.close()
        if self._folder is not None:
            rmtree(self._folder)
        self._service = self._database = self._folder = None

    def _build(self) -> tuple[Stage, Connection, Home]:
        self._folder = Path(mkdtemp(prefix="corr-tui-demo-"))
        self._database = open_database(f"sqlite:///{self._folder / 'service.db'}")
        accounts = Accounts(self._database)
        project_id, players = engage(accounts, self._number)
        self._service = EmbeddedService(self._database)
        self._service.start()
        me = players[ONLOOKER]
        connection = Connection(
            base_url=self._service.base_url,
            bearer=accounts.create_token(project_id),
            repository_id=REPOSITORY_ID,
            label="demo",
            identity_id=me.identity_id,
            signing_key_id=me.signing_key_id,
            seed=me.seed,
        )
        return Stage(project_id, self._number, players), connection, Home.under(self._folder)

    async def _unfold(self, stage: Stage, client: Client) -> None:
        try:
            await play(UNFOLDING, stage, client.post_event, speed=self._speed)
        except ClientError as error:
            self.interrupted = f"the scene stopped early: {error}"
        finally:
            await client.aclose()
