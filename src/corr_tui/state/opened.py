"""What exists of a session once it is known which project it is: who takes part, what reads and what posts.

The service names the project (§7). Until it has, nothing can be signed, filed or believed, since all of that is bound
to a project.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from corr_tui.client.answers import NamedProject
from corr_tui.client.http import Client
from corr_tui.state.config import Home
from corr_tui.state.connection import Connection
from corr_tui.state.delivery import Delivery
from corr_tui.state.directory import Directory
from corr_tui.state.outbox import Outbox
from corr_tui.state.published import Published
from corr_tui.state.reader import Reader
from corr_tui.state.signer import Signer
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.timing import Timing
from corr_tui.state.trust import Place, Trust


@dataclass(frozen=True, slots=True)
class Opened:
    """What exists once the project is known."""

    project: NamedProject
    directory: Directory
    reader: Reader
    delivery: Delivery
    described: Callable[[Snapshot], Snapshot]
    """A snapshot with the names the service gives."""


class Opening:
    """Learns which project this is, once."""

    def __init__(
        self,
        connection: Connection,
        home: Home,
        client: Client,
        *,
        signer: Signer,
        outbox: Outbox,
        published: Published,
        timing: Timing,
    ) -> None:
        self._connection = connection
        self._home = home
        self._client = client
        self._signer = signer
        self._outbox = outbox
        self._published = published
        self._timing = timing
        self._turn = asyncio.Lock()
        self.opened: Opened | None = None
        """What exists by now, if the project is known."""

    async def open(self) -> Opened:
        """What exists once the project is known; asks for it when it is not. Raises ClientError."""
        async with self._turn:
            if self.opened is None:
                self.opened = self._meet(await self._client.project())
                self._published.change(self.opened.described)
            return self.opened

    def _meet(self, project: NamedProject) -> Opened:
        """Everything that needs to know the project."""
        connection, client = self._connection, self._client
        trust = Trust(self._home.trust_file, Place(connection.place, project.id, connection.repository_id))
        self._signer.pin(trust)
        directory = Directory(client, self._timing)
        reader = Reader(
            client, connection.repository_id, trust=trust, directory=directory, monotonic=self._timing.monotonic
        )
        delivery = Delivery(client, self._outbox, self._published, self._timing, reader.heard)

        def described(snapshot: Snapshot) -> Snapshot:
            identities = directory.identities
            mine = identities.get(connection.identity_id or "")
            me = self._signer.me(mine.name if mine else "")
            named = replace(snapshot, project_id=project.id, project_name=project.name, identities=identities, me=me)
            return snapshot if named == snapshot else named

        return Opened(project, directory, reader, delivery, described)
        if connection.recorder is not None:
            connection.recorder.pins(project.id, trust.pinned())
