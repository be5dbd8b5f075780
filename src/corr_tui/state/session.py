"""The one long-lived object: what the client hears becomes snapshots, what somebody means becomes signed events.

A session works in two ways. `run` keeps the snapshot current until cancelled: it reads, follows the wake stream and
posts what the outbox holds. Without `run`, `prepare` and `send` work for one command, over any transport: the session
first learns which project it is.

    wake frame, reconnect or floor ─▶ Refresher ─▶ Reader ─▶ Snapshot
    draft ─▶ prepare ─▶ send ─▶ Outbox (reserve, sign, store) ─▶ Delivery ─▶ receipt ─▶ Snapshot
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from corr_tui.client.answers import NamedProject
from corr_tui.client.errors import ClientError, Refused, Unauthorized
from corr_tui.client.http import Client
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import EventRefused
from corr_tui.protocol.signing import core_bytes
from corr_tui.state.border import Outcome, Prepared, Sent
from corr_tui.state.config import Home
from corr_tui.state.connection import Connection
from corr_tui.state.delivery import Delivery
from corr_tui.state.directory import Directory
from corr_tui.state.history import HistoryRefused
from corr_tui.state.identity import InstallationRefused, installation, unnamed
from corr_tui.state.link_watch import LinkWatch
from corr_tui.state.outbox import Outbox, OutboxRefused, SequenceTaken
from corr_tui.state.published import Published
from corr_tui.state.reader import Reader
from corr_tui.state.refresher import Refresher
from corr_tui.state.service_clock import ServiceClock
from corr_tui.state.signer import Signer, hindrance
from corr_tui.state.snapshot import ProjectionState, Snapshot, Unsent, instant
from corr_tui.state.subscription import Subscription
from corr_tui.state.timing import Backoff, Timing, granted
from corr_tui.state.trust import Place, Trust

FLOOR_LIVE = 30.0
"""Seconds between refreshes while the wake stream is open."""
FLOOR_UNFINISHED = 1.0
"""Seconds between refreshes while a long replay is being read."""
FLOOR_ALONE = 5.0
"""Seconds between refreshes without one."""
HEARD_STEP = 5.0
"""Seconds after which it is worth a snapshot that the service was heard and nothing else changed."""


HELD_OFF = "the service has asked to wait before it is asked again"
"""Said of a link that somebody wants to use meanwhile."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """What exists once the project is known."""

    project: NamedProject
    directory: Directory
    reader: Reader
    delivery: Delivery


class Session:
    """A correspondence in one repository of one project; implements `border.Correspondence`.

    Without a usable folder it only reads, and signing is refused in words. Raises Unsendable for a connection that
    could never be used.
    """

    def __init__(self, connection: Connection, home: Home, *, timing: Timing | None = None) -> None:
        self._connection = connection
        self._home = home
        self._timing = timing or Timing()
        self._signer = _signer(connection, home)
        self._clock = ServiceClock(self._timing.wall)
        self._client = Client(
            connection.base_url,
            connection.bearer,
            transport=connection.transport,
            exchanged=self._clock.heard,
            monotonic=self._timing.monotonic,
        )
        self._link = LinkWatch(self._timing.monotonic)
        self._published = Published(
            Snapshot(
                connection.repository_id,
                service=connection.label or connection.base_url,
                me=self._signer.me(""),
                link=self._link.link,
            )
        )
        self._outbox = Outbox(home.state / "outbox.sqlite3", connection.place)
        self._refresher = Refresher(self._refresh, self._timing)
        self._backoff = Backoff(self._timing, most=5.0 if self._client.is_loopback else 60.0)
        self._subscription: Subscription | None = None
        self._opening = asyncio.Lock()
        self._opened: _Opened | None = None
        self._answered = asyncio.Event()
        self._failed = asyncio.Event()
        self._not_before = float("-inf")
        """When the service may be asked again by its own word (monotonic seconds)."""

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        return self._published.snapshot

    def snapshots(self) -> AsyncGenerator[Snapshot, None]:
        """The newest snapshot now and after each change; those in between are not queued."""
        return self._published.snapshots()

    async def open(self) -> None:
        """Learn which project this is, once; raises ClientError. `run` and `prepare` do this themselves."""
        await self._open()

    async def refresh(self) -> None:
        """Ask the service again now, for who takes part and their keys too; what it says, or that it does not, is in
        the snapshot afterwards. While the service asks to wait, that is said instead."""
        if self._opened is not None:
            self._opened.directory.forget_times()
        await self._refresher.now()

    async def prepare(self, draft: Draft) -> Prepared:
        """Compose a draft with the next sequence number; raises EventRefused with every rule it breaks (§4, §5)."""
        session_id = self._signer.sender().session_id
        try:
            project = (await self._open()).project
            session_seq = await asyncio.to_thread(self._outbox.next_seq, session_id)
        except ClientError as error:
            raise hindrance("project_unknown", f"the service does not say which project this is: {error}") from None
        except OutboxRefused as error:
            raise hindrance("outbox_unusable", str(error)) from None
        return self._signer.prepare(draft, project.id, session_seq, instant(self._timing.wall()))

    async def send(self, prepared: Prepared) -> Sent:
        """Sign exactly the prepared bytes, store them, post them; returns once the outcome is known or lost.

        Of two calls with the same prepared event one posts and the other is told CHANGED.
        """
        if core_bytes(prepared.core.evidence) != prepared.core_jcs:
            return Sent(Outcome.CHANGED, reason="the event is not the one that was prepared")
        try:
            opened = await self._open()
            stored = await asyncio.to_thread(self._outbox.store, prepared.core, self._signer.sign)
        except SequenceTaken:
            return Sent(Outcome.CHANGED, reason="its sequence number was taken meanwhile")
        except EventRefused as refused:
            return Sent(Outcome.REFUSED, reason=str(refused), issues=refused.issues)
        except (OutboxRefused, ClientError) as error:
            return Sent(Outcome.NOT_STORED, reason=str(error))
        opened.delivery.show(Unsent(stored.event))
        sent = await opened.delivery.post(stored)
        if sent.outcome is Outcome.UNKNOWN:
            opened.delivery.want()
        self._refresher.request()
        return sent

    async def deliver(self) -> bool:
        """Post every event that waits here, once, of earlier sessions too; returns whether none is left waiting.

        `run` does this by itself; a single command may do it after its own event. Raises ClientError.
        """
        opened = await self._open()
        return await opened.delivery.deliver(opened.project.id, self._connection.repository_id)

    async def run(self) -> None:
        """Keep the snapshot current, and post what waits, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._refresher.run())
            tasks.create_task(self._grow_old())
            await self._answered.wait()  # the first answer advertises where the wake stream is (§7)
            opened = await self._open()
            tasks.create_task(opened.delivery.run(opened.project.id, self._connection.repository_id))
            self._subscription = self._subscribed(opened.reader)
            if self._subscription is not None:
                tasks.create_task(self._subscription.run())

    async def close(self) -> None:
        """Let go of connections; whoever waits for a snapshot waits no longer."""
        self._published.close()
        await self._client.aclose()

    async def _open(self) -> _Opened:
        async with self._opening:
            if self._opened is None:
                self._opened = await self._meet()
            return self._opened

    async def _meet(self) -> _Opened:
        """Everything that needs to know the project."""
        connection, client = self._connection, self._client
        project = await client.project()
        trust = Trust(self._home.trust_file, Place(connection.place, project.id, connection.repository_id))
        self._signer.pin(trust)
        directory = Directory(client, self._timing)
        reader = Reader(
            client, connection.repository_id, trust=trust, directory=directory, monotonic=self._timing.monotonic
        )
        delivery = Delivery(client, self._outbox, self._published, self._timing, reader.heard)
        opened = _Opened(project, directory, reader, delivery)
        self._published.change(lambda snapshot: self._described(snapshot, opened))
        return opened

    async def _refresh(self) -> float | None:
        """One refresh and what it does to the link; returns the seconds until the next, None for not by itself."""
        failed_before, held = self._link.failing, self._not_before - self._timing.monotonic()
        if held > 0:
            self._link.held_off(HELD_OFF)
            self._show_link()
            return held
        try:
            opened = await self._open()
            await opened.reader.refresh(self._published, self._finished)
        except Unauthorized as refused:
            self._link.refused(str(refused))
            self._show_failure(str(refused))
            return None
        except (ClientError, HistoryRefused) as error:
            return self._put_off(error)
        self._backoff.reset()
        self._answered.set()
        await opened.delivery.settle_heard()
        if failed_before:
            opened.delivery.want()
            if self._subscription is not None:
                self._subscription.retry()
        if not self.snapshot.history.complete:
            return FLOOR_UNFINISHED
        return FLOOR_LIVE if self._link.waking else FLOOR_ALONE

    def _put_off(self, error: ClientError | HistoryRefused) -> float:
        """A refresh failed; returns the seconds until it is tried again, as many as the service asks for within bounds.

        A person who asks again meanwhile is answered at once, unless the service has asked to wait.
        """
        asked = error.retry_after if isinstance(error, Refused) else None
        pause = self._backoff.failed(asked)
        self._not_before = self._timing.monotonic() + granted(asked)
        self._link.read_failed(str(error), pause)
        self._show_failure(str(error))
        self._failed.set()
        return pause

    async def _grow_old(self) -> None:
        """Call the view old a while after a failed refresh, however long the next one takes or has to wait."""
        while True:
            await self._failed.wait()
            self._failed.clear()
            while (left := self._link.old_in) > 0:
                await self._timing.sleep(left)
            if self._link.grow_old():
                self._show_failure(self._link.link.detail)

    def _finished(self, snapshot: Snapshot) -> Snapshot:
        """A refresh was answered: its snapshot with the link and the clock of now."""
        self._link.read_answered()
        described = self._described(snapshot, self._opened) if self._opened else snapshot
        return replace(described, link=self._link.link, clock=self._clock.reading())

    def _show_failure(self, reason: str) -> None:
        """A refresh failed: the last view stays, and is called old once the service is offline."""
        if self._opened is not None:
            self._opened.reader.doubt()

        def failed(snapshot: Snapshot) -> Snapshot:
            projection = snapshot.projection
            if self._link.offline:
                projection = replace(projection, state=ProjectionState.UNAVAILABLE, error=reason)
            return replace(snapshot, link=self._link.link, projection=projection)

        self._published.change(failed)

    def _show_link(self) -> None:
        """Publish the link when something about it changed that is worth a snapshot."""
        shown, now = self.snapshot.link, self._link.link
        recently = now.heard_at is None or (shown.heard_at is not None and now.heard_at - shown.heard_at < HEARD_STEP)
        if replace(shown, heard_at=now.heard_at) != now or not recently:
            self._published.change(lambda snapshot: replace(snapshot, link=now))

    def _described(self, snapshot: Snapshot, opened: _Opened) -> Snapshot:
        """The snapshot with the names the service gives."""
        identities = opened.directory.identities
        mine = identities.get(self._connection.identity_id or "")
        me = self._signer.me(mine.name if mine else "")
        named = replace(
            snapshot, project_id=opened.project.id, project_name=opened.project.name, identities=identities, me=me
        )
        return snapshot if named == snapshot else named

    def _subscribed(self, reader: Reader) -> Subscription | None:
        """The wake subscription; None for a reader without an identity, and in process, where nothing streams."""
        if self._connection.identity_id is None or self._connection.transport is not None:
            return None
        return Subscription(
            self._client,
            self._connection.identity_id,
            self._link,
            self._timing,
            refresh=self._refresher.request,
            reopened=reader.doubt_stream,
            is_news=reader.is_news,
            show=self._show_link,
        )


def _signer(connection: Connection, home: Home) -> Signer:
    """Who signs here; nobody, and why, where this installation has no folder to keep what that needs."""
    try:
        return Signer(connection, installation(home.state))
    except InstallationRefused as refused:
        return Signer(connection, unnamed(), str(refused))
