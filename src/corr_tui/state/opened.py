"""What exists of a session once it is known which project it is: who takes part, what reads and what posts.

The service names the project (§7). Until it has, nothing can be signed, filed or believed, since all of that is bound
to a project. While it does not answer, what it said before under the same bearer stands, until it says it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from corr_tui.client.answers import NamedProject
from corr_tui.client.errors import ClientError, Unauthorized, UnexpectedAnswer
from corr_tui.client.http import Client
from corr_tui.state.connection import Connection
from corr_tui.state.delivery import Author, Delivery
from corr_tui.state.directory import Directory
from corr_tui.state.home import Home
from corr_tui.state.listed_names import ListedNames
from corr_tui.state.named_projects import NamedProjects
from corr_tui.state.outbox import Outbox, OutboxRefused
from corr_tui.state.published import Published
from corr_tui.state.reader import Reader
from corr_tui.state.runs import Runs
from corr_tui.state.signer import Signer
from corr_tui.state.snapshot import Me, Snapshot
from corr_tui.state.timing import Timing
from corr_tui.state.trust import Place, Trust

ANOTHER_PROJECT = "the service names another project under this bearer than before; start corr-tui again"
"""Said where what was shown and signed until now would belong to the wrong project."""


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
        self._runs = Runs(home.state)
        self._projects = NamedProjects(home.projects_file, connection.place)
        self._told = False
        """Whether the service itself has named the project in this run."""
        self.opened: Opened | None = None
        """What exists by now, if the project is known."""

    async def open(self) -> Opened:
        """What exists once the project is known; asks for it when the service has not named it. Raises ClientError."""
        async with self._turn:
            if self.opened is not None and self._told:
                return self.opened
            project = await self._client.project()
            if not self._connection.label:  # the bearer of a service in this process ends with it
                await asyncio.to_thread(self._projects.remember, self._connection.bearer, project)
            if self.opened is not None and self.opened.project.id != project.id:
                await self._leave(self.opened)
            self._told = True
            return self.opened or await self._begin(project)

    async def open_here(self, *, refused: bool = False) -> Opened:
        """The same, and where the service does not answer by what it said before; with `refused` where it refuses the
        bearer, too. Raises ClientError."""
        if self.opened is not None:
            return self.opened
        try:
            return await self.open()
        except ClientError as error:
            recalled = await self.recall() if refused or not isinstance(error, Unauthorized) else None
            if recalled is None:
                raise
            return recalled

    async def recall(self) -> Opened | None:
        """What exists by what the service said before, or None; asks nothing."""
        async with self._turn:
            if self.opened is None:
                known = self._connection.project
                project = known or await asyncio.to_thread(self._projects.recall, self._connection.bearer)
                return await self._begin(project) if project else None
            return self.opened

    async def _leave(self, opened: Opened) -> None:
        """The service names another project now than it did in an earlier run: what was kept of that one is shown no
        more. Raises UnexpectedAnswer where events wait in it: they would be out of sight."""
        if self._published.snapshot.unsent:
            raise UnexpectedAnswer(ANOTHER_PROJECT)
        self.opened = None
        await opened.reader.close()
        self._published.change(_without_history)

    def end(self) -> None:
        """This session ends: others may post what it leaves."""
        self._runs.end()

    async def _begin(self, project: NamedProject) -> Opened:
        """Everything that needs to know the project, with this session recorded before it takes a number."""
        self.opened = self._meet(project)
        session_id = self._signer.session_id
        if session_id:
            await asyncio.to_thread(self._runs.begin, session_id)
            with suppress(OutboxRefused):  # whoever stores the first event is told
                await asyncio.to_thread(self._outbox.begin_session, session_id)
        self._published.change(self.opened.described)
        await self.opened.delivery.settle_heard()
        return self.opened

    def _meet(self, project: NamedProject) -> Opened:
        """Everything that needs to know the project."""
        connection, client = self._connection, self._client
        place = Place(connection.place, project.id, connection.repository_id)
        trust = Trust(self._home.trust_file, place)
        self._signer.pin(trust)
        if connection.recorder is not None:
            connection.recorder.pins(project.id, trust.pinned())
        directory = Directory(client, self._timing, ListedNames(self._home.projects_file, place))
        reader = Reader(
            client,
            connection.repository_id,
            trust=trust,
            directory=directory,
            published=self._published,
            monotonic=self._timing.monotonic,
            archive=self._home.history_file if connection.recorder is None else None,  # a recording needs all of it
            mine=connection.identity_id,
        )
        delivery = Delivery(
            client,
            self._outbox,
            self._published,
            self._timing,
            reader.heard,
            place=place,
            author=_author(self._signer.me("")),
            running=self._runs.running,
        )

        def described(snapshot: Snapshot) -> Snapshot:
            identities = directory.identities
            mine = identities.get(connection.identity_id or "")
            me = self._signer.me(mine.name if mine else "")
            named = replace(
                snapshot,
                project_id=project.id,
                project_name=project.name,
                identities=identities,
                keys=trust.keys(),
                me=me,
                troubles=replace(snapshot.troubles, pins=trust.trouble, runs=self._runs.trouble),
            )
            return snapshot if named == snapshot else named

        return Opened(project, directory, reader, delivery, described)


def _author(me: Me | None) -> Author | None:
    """Whose events are posted here, or None where nothing is signed."""
    return Author(me.identity_id, me.device_id, me.session_id) if me and me.can_sign else None


def _without_history(snapshot: Snapshot) -> Snapshot:
    """What is left of a snapshot whose project turns out to be another."""
    return Snapshot(
        snapshot.repository_id, service=snapshot.service, recorded=snapshot.recorded, link=snapshot.link, me=snapshot.me
    )
