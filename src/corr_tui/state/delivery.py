"""Posting what the outbox holds, until each event has a receipt or a refusal (§7).

The same bytes are posted as often as it takes; the service knows them by their identifier. A definite refusal ends
it, an answer that was lost or put off does not. Nothing is posted that was not meant by a key pressed for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from corr_tui.client.errors import AppendUnavailable, ClientError, Refused, UnexpectedAnswer, Unreachable
from corr_tui.client.http import Client
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import Record
from corr_tui.protocol.signing import event_jcs
from corr_tui.state.border import Outcome, Sent
from corr_tui.state.outbox import Outbox, OutboxRefused, Stored
from corr_tui.state.published import Published
from corr_tui.state.snapshot import Heard, Snapshot, Unsent, UnsentState
from corr_tui.state.timing import Backoff, Timing, granted


class Delivery:
    """Posts stored events; `heard` gives the verdict on a record that came back."""

    def __init__(
        self, client: Client, outbox: Outbox, published: Published, timing: Timing, heard: Callable[[Record], Heard]
    ) -> None:
        self._client = client
        self._outbox = outbox
        self._published = published
        self._timing = timing
        self._heard = heard
        self._backoff = Backoff(timing, most=5.0 if client.is_loopback else 60.0)
        self._posting: set[str] = set()
        self._wanted = asyncio.Event()
        self.paused = False
        """Whether nothing that waits is posted by itself; an event sent by a key is."""
        self._not_before = float("-inf")
        """When the service may be posted to again by its own word (monotonic seconds)."""

    def want(self) -> None:
        """Try again now: there is something to post, or the service answers again."""
        self._wanted.set()

    async def run(self, project_id: str, repository_id: str) -> None:
        """Post what waits, events of earlier sessions included, until cancelled."""
        while True:
            self._wanted.clear()
            done = self.paused or await self.deliver(project_id, repository_id)
            if done:
                self._backoff.reset()
            await self._timing.wait(self._wanted, None if done else self._backoff.failed(self._held))

    @property
    def _held(self) -> float:
        """Seconds for which the service has asked to wait."""
        return max(self._not_before - self._timing.monotonic(), 0.0)

    async def deliver(self, project_id: str, repository_id: str) -> bool:
        """Post everything that waits, once, oldest first; returns whether nothing is left.

        Stops at the first event whose outcome is not known, and posts nothing while the service asks to wait. A broken
        outbox leaves nothing to do here: whoever stores the next event is told.
        """
        try:
            waiting = await asyncio.to_thread(self._outbox.waiting, project_id, repository_id)
        except OutboxRefused:
            return True
        self._show_all(waiting)
        if waiting and self._held:
            return False
        for stored in waiting:
            if self.paused:
                return False
            if stored.event.event_id not in self._posting:
                sent = await self.post(stored)
                if sent.outcome is Outcome.UNKNOWN:
                    return False
        return True

    async def post(self, stored: Stored) -> Sent:
        """Post one stored event and settle it; never raises for what a service or a network does."""
        event_id = stored.event.event_id
        self._posting.add(event_id)
        try:
            record = await self._client.post_event(stored.raw)
            if not is_answer_to(stored, record):
                raise UnexpectedAnswer("the answer holds other bytes than were sent")
            return await self._settled(stored, record)
        except Refused as refused:
            self._not_before = self._timing.monotonic() + granted(refused.retry_after)
            if refused.definite:
                return await self._refused(stored, refused)
            return await self._unknown(stored, refused, delivered=isinstance(refused, AppendUnavailable))
        except Unreachable as lost:
            return await self._unknown(stored, lost, delivered=lost.delivered)
        except ClientError as error:
            return await self._unknown(stored, error, delivered=True)
        finally:
            self._posting.discard(event_id)

    async def settle_heard(self) -> None:
        """Settle events whose answer was lost and that came back by the replay."""
        snapshot = self._published.snapshot
        heard = frozenset(each.event.event_id for each in snapshot.unsent if _came_back(each.event, snapshot))
        for event_id in heard:
            await self._keep(self._outbox.settle, event_id)
        self._published.change(lambda snapshot: without_unsent(snapshot, heard))

    async def _settled(self, stored: Stored, record: Record) -> Sent:
        event_id = stored.event.event_id
        kept = await self._keep(self._outbox.settle, event_id)
        heard = self._heard(record)
        self._published.change(
            lambda snapshot: without_unsent(snapshot.heard((heard,), snapshot.history), frozenset({event_id}))
        )
        return Sent(Outcome.POSTED, event_id, record, kept)

    async def _refused(self, stored: Stored, refused: Refused) -> Sent:
        event_id, reason = stored.event.event_id, str(refused)
        await self._keep(self._outbox.refuse, event_id, reason)
        self.show(Unsent(stored.event, UnsentState.REFUSED, reason))
        return Sent(Outcome.REFUSED, event_id, None, reason, refused.issues)

    async def _unknown(self, stored: Stored, error: ClientError, *, delivered: bool) -> Sent:
        event_id, reason = stored.event.event_id, str(error)
        doubtful = delivered or stored.state is UnsentState.UNKNOWN
        if doubtful:
            await self._keep(self._outbox.doubt, event_id)
        self.show(Unsent(stored.event, UnsentState.UNKNOWN if doubtful else UnsentState.UNSENT, reason))
        return Sent(Outcome.UNKNOWN, event_id, None, reason)

    async def _keep(self, change: Callable[..., None], *values: str) -> str:
        """Write what became of an event; returns why that failed, or empty. Posting the same bytes again is harmless,
        so a file that cannot be written loses nothing."""
        try:
            await asyncio.to_thread(change, *values)
        except OutboxRefused as refused:
            return str(refused)
        return ""

    def show(self, unsent: Unsent) -> None:
        """Show one event of mine as it stands."""
        event_id = unsent.event.event_id

        def shown(snapshot: Snapshot) -> Snapshot:
            if _came_back(unsent.event, snapshot) or unsent in snapshot.unsent:
                return snapshot
            others = tuple(each for each in snapshot.unsent if each.event.event_id != event_id)
            return replace(snapshot, unsent=(*others, unsent))

        self._published.change(shown)

    def _show_all(self, waiting: tuple[Stored, ...]) -> None:
        shown = {unsent.event.event_id for unsent in self._published.snapshot.unsent}
        for stored in waiting:
            if stored.event.event_id not in shown:
                self.show(Unsent(stored.event, stored.state, stored.reason))


def is_answer_to(stored: Stored, record: Record) -> bool:
    """Whether a record holds exactly the bytes that were posted; any other is no receipt for them (§7)."""
    return isinstance(record.event, Event) and event_jcs(record.event.evidence) == stored.raw


def _came_back(event: Event, snapshot: Snapshot) -> bool:
    """Whether these very bytes were heard, not only something that the service calls by their identifier."""
    heard = snapshot.by_id.get(event.event_id)
    return heard is not None and heard.genuine


def without_unsent(snapshot: Snapshot, event_ids: frozenset[str]) -> Snapshot:
    """The snapshot without some of its unsent events."""
    left = tuple(unsent for unsent in snapshot.unsent if unsent.event.event_id not in event_ids)
    return snapshot if len(left) == len(snapshot.unsent) else replace(snapshot, unsent=left)
