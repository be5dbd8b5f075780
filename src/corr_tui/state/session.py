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

from corr_tui.client.errors import ClientError
from corr_tui.client.http import Client, Exchange
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import EventRefused
from corr_tui.protocol.signing import core_bytes
from corr_tui.state.border import DiscardRefused, Outcome, Prepared, SearchRefused, Sent
from corr_tui.state.connection import Connection
from corr_tui.state.diagnostics import Diagnostics
from corr_tui.state.following import Following
from corr_tui.state.hidden import Hidden
from corr_tui.state.home import Home
from corr_tui.state.identity import InstallationRefused, installation, unnamed
from corr_tui.state.opened import Opening
from corr_tui.state.outbox import Outbox, OutboxRefused, SequenceTaken
from corr_tui.state.past import Past
from corr_tui.state.published import Published
from corr_tui.state.service_clock import ServiceClock
from corr_tui.state.session_log import SessionLog
from corr_tui.state.shown_unsent import without_unsent
from corr_tui.state.signer import Signer, hindrance
from corr_tui.state.snapshot import Heard, Link, Snapshot, instant
from corr_tui.state.timing import Timing


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
        self._log = SessionLog(self._timing.wall, self._timing.monotonic)
        self._client = Client(
            connection.base_url,
            connection.bearer,
            transport=connection.transport,
            exchanged=self._answered,
            monotonic=self._timing.monotonic,
            recorder=connection.recorder,
        )
        self._published = Published(
            Snapshot(
                connection.repository_id,
                service=connection.label or connection.base_url,
                me=self._signer.me(""),
                link=Link(since=self._timing.monotonic()),
            )
        )
        self._outbox = Outbox(home.state / "outbox.sqlite3", connection.place)
        self._hidden = Hidden(
            home.state, f"{connection.place} {connection.repository_id} {connection.identity_id or ''}"
        )
        self._opening = Opening(
            connection,
            home,
            self._client,
            signer=self._signer,
            outbox=self._outbox,
            published=self._published,
            timing=self._timing,
        )
        self._following = Following(
            connection,
            self._client,
            self._opening,
            clock=self._clock,
            published=self._published,
            timing=self._timing,
            log=self._log,
        )

    def _answered(self, exchange: Exchange) -> None:
        """Every answer tells the time, and is noted."""
        self._clock.heard(exchange)
        self._log.exchanged(exchange)

    def diagnostics(self) -> Diagnostics:
        """What this session tells of itself; no secret is in it."""
        clock, now = self._clock.reading(), self._timing.monotonic()
        service = clock.now(now)
        opened, ended = self._following.wakes
        kept = self._home.history_file
        try:
            size = kept.stat().st_size
        except OSError:
            size = None
        return Diagnostics(
            tuple(self._log.links),
            tuple(self._log.refreshes),
            offset=None if service is None else (service - self._timing.wall()).total_seconds(),
            measured=None if service is None else max(now - clock.measured_at, 0.0),
            wake_opened=opened,
            wake_ended=ended,
            history_file="" if size is None else kept.name,
            history_bytes=size,
        )

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        return self._published.snapshot

    @property
    def unfinished(self) -> bool:
        """Whether the service may have more than was read, and nobody stopped reading. What follows from a long history
        may still be on its way when it has not."""
        return self._opening.opened is None or self._opening.opened.reader.unfinished

    def snapshots(self) -> AsyncGenerator[Snapshot, None]:
        """The newest snapshot now and after each change; those in between are not queued."""
        return self._published.snapshots()

    async def open(self, *, refused: bool = False) -> None:
        """Learn which project this is, once, and where the service does not answer from what it said before; with
        `refused` where it refuses the bearer, too. Raises ClientError. `run` and `prepare` do this themselves."""
        await self._opening.open_here(refused=refused)

    async def refresh(self) -> None:
        """Ask the service again now, for who takes part and their keys too; what it says, or that it does not, is in
        the snapshot afterwards. While the service asks to wait, that is said instead. A replay that was stopped goes
        on."""
        await self._following.refresh()

    def hold(self) -> None:
        """Ask nothing by itself until released: no stream, no floor, and nothing that waits is posted. What somebody
        does by a key is done: `refresh` reads once, `send` posts its event."""
        self._following.hold()

    def release(self) -> None:
        """Ask at once, and by itself again."""
        self._following.release()

    def stop_replay(self) -> None:
        """Stop a long replay where it is; new events are heard of all the same."""
        self._following.stop_replay()

    async def recall(self, event_id: str) -> Heard | None:
        """An event of the whole history, which the snapshot's `by_id` then holds too; None when it was not read."""
        opened = self._opening.opened
        return await opened.reader.past.recall(event_id) if opened else None

    async def widen(self) -> bool:
        """Let the snapshot hold more of the earlier events; returns whether there were any."""
        opened = self._opening.opened
        return await opened.reader.past.widen() if opened else False

    async def search(self, words: str, most: int = 200) -> tuple[Heard, ...]:
        """The newest events of the whole history that hold all of these words, newest first; raises SearchRefused."""
        return await self.past.search(words, most)

    @property
    def past(self) -> Past:
        """What can be asked of the history beyond the border; raises SearchRefused while none was read."""
        if self._opening.opened is None:
            raise SearchRefused("no history was read yet")
        return self._opening.opened.reader.past

    async def saw_apart(self) -> None:
        """Somebody was told of the history that was at this address before."""
        if self._opening.opened is not None:
            await self._opening.opened.reader.past.saw_apart()

    @property
    def hidden(self) -> frozenset[str]:
        """The keys of what was hidden from triage here."""
        return self._hidden.keys

    async def hide(self, key: str, *, hidden: bool) -> str:
        """Hide something from triage here, or show it again; returns why that is not kept, or nothing."""
        return await self._hidden.hide(key, hidden=hidden)

    async def prepare(self, draft: Draft) -> Prepared:
        """Compose a draft with the next sequence number; raises EventRefused with every rule it breaks (§4, §5)."""
        session_id = self._signer.sender().session_id
        try:
            project = (await self._opening.open_here()).project
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
            opened = await self._opening.open_here()
            if prepared.core.project_id != opened.project.id:
                return Sent(Outcome.CHANGED, reason="the service names another project by now")
            stored = await opened.delivery.keep(prepared.core, self._signer.sign)
        except SequenceTaken:
            return Sent(Outcome.CHANGED, reason="its sequence number was taken meanwhile")
        except EventRefused as refused:
            return Sent(Outcome.REFUSED, reason=str(refused), issues=refused.issues)
        except (OutboxRefused, ClientError) as error:
            return Sent(Outcome.NOT_STORED, reason=str(error))
        sent = await opened.delivery.send(stored)
        self._following.request()
        return sent

    async def discard(self, event_id: str) -> bool:
        """Give up an unsent event of this home, also one of another session of it; raises DiscardRefused."""
        try:
            before = await asyncio.to_thread(self._outbox.discard, event_id)
        except OutboxRefused as refused:
            raise DiscardRefused(str(refused)) from None
        self._published.change(lambda snapshot: without_unsent(snapshot, frozenset({event_id})))
        if self._opening.opened is not None:
            await self._opening.opened.delivery.settle_heard()  # a look that began before may still show it
        return before is not None

    async def deliver(self) -> bool:
        """Post every event that waits here, once, of earlier sessions too; returns whether none is left waiting.

        `run` does this by itself; a single command may do it after its own event. Raises ClientError.
        """
        opened = await self._opening.open()
        return await opened.delivery.deliver()

    async def run(self) -> None:
        """Keep the snapshot current, and post what waits, until cancelled."""
        await self._following.run()

    async def close(self) -> None:
        """Let go of connections; whoever waits for a snapshot waits no longer."""
        self._published.close()
        if self._opening.opened is not None:
            await self._opening.opened.reader.close()
        self._opening.end()
        await self._client.aclose()


def _signer(connection: Connection, home: Home) -> Signer:
    """Who signs here; nobody, and why, where this installation has no folder to keep what that needs."""
    try:
        return Signer(connection, installation(home.state), connection.hindrance)
    except InstallationRefused as refused:
        return Signer(connection, unnamed(), str(refused))
