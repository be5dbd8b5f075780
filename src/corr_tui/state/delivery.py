"""Posting what the outbox holds, until each event has a receipt or a refusal (§7).

The same bytes are posted as often as it takes; the service knows them by their identifier. A definite refusal ends
it, an answer that was lost or put off does not. Nothing is posted that was not meant by a key pressed for it, and
nothing somebody says in an event, be it a pause or a refusal, makes anything be posted again (§9).

Only events of this identity and device, for this place, are posted: those of this session and those that ended ones
left. The events of one session go out in their order, so one whose outcome is not known holds up those after it; a
refused one holds up none, and no session holds up another. Whoever sends a new one posts what waits here first, as
long as the service answers. An event is posted as it was meant, however late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from corr_tui.client.errors import ClientError, Refused, TooManyRequests, Unauthorized, UnexpectedAnswer, Unreachable
from corr_tui.client.http import Client
from corr_tui.protocol.event import Core, Event
from corr_tui.protocol.records import Record
from corr_tui.protocol.signing import event_jcs
from corr_tui.state.border import Outcome, Sent
from corr_tui.state.outbox import Attempt, Outbox, OutboxRefused, Stored
from corr_tui.state.published import Published
from corr_tui.state.shown_unsent import (
    came_back,
    unsent_of,
    with_only,
    with_outbox_trouble,
    with_received,
    with_unsent,
    without_unsent,
)
from corr_tui.state.snapshot import Heard, UnsentState
from corr_tui.state.timing import HELD_OFF, Timing, backoff_towards, granted
from corr_tui.state.trust import Place

VERDICTS = frozenset({400, 403, 409, 413, 415, 422})
"""Statuses by which a service decides against an event. Any other says something about the bearer, the address or the
moment, and another answer may follow on the same bytes."""

GONE = "it is not kept here any more: it was discarded, or posted by another process"
"""Said of an event that was given up between being stored and being posted."""


@dataclass(frozen=True, slots=True)
class Author:
    """Whose events are posted here: an identity on a device, in the session of this process."""

    identity_id: str
    device_id: str
    session_id: str

    def wrote(self, event: Event) -> bool:
        """Whether an event is of this identity and device, in whichever session."""
        return (event.sender.identity_id, event.sender.device_id) == (self.identity_id, self.device_id)


@dataclass(slots=True)
class _Known:
    """What this process knows of its events beyond what could be written down."""

    received: dict[str, Record] = field(default_factory=dict)
    """Events with their receipts: they are settled again where that failed, and not posted again."""
    refused: dict[str, str] = field(default_factory=dict)
    """Events refused for good, with the reason."""
    posting: dict[str, UnsentState] = field(default_factory=dict)
    """Events whose answer is awaited, as they were before: the file calls them doubtful already."""
    doubtful: set[str] = field(default_factory=set)
    """Events that may have been received."""
    seen: frozenset[str] = frozenset()
    """Events that waited here when the outbox was last looked at."""
    elsewhere: frozenset[str] = frozenset()
    """Sessions that run in another process, or beside this one in the same."""

    def tell(self, stored: Stored) -> Stored:
        """A stored event as it is known here."""
        event_id, state = stored.event.event_id, stored.state
        if event_id in self.refused:
            return replace(stored, state=UnsentState.REFUSED, reason=self.refused[event_id])
        if event_id in self.doubtful and state is UnsentState.UNSENT:
            state = UnsentState.UNKNOWN
        return replace(stored, state=self.posting.get(event_id, state))

    def waits(self, stored: Stored, reason: str) -> Sent:
        """The answer for an event that goes out again by itself, with whether its bytes have left this machine."""
        return Sent(Outcome.UNKNOWN, stored.event.event_id, None, reason, state=self.tell(stored).state)

    def ended(self, event_id: str) -> Sent:
        """What became of an event that does not wait any more: `run` may have posted it before `send` had its turn."""
        if event_id in self.received:
            return Sent(Outcome.POSTED, event_id, self.received[event_id])
        if event_id in self.refused:
            return Sent(Outcome.REFUSED, event_id, None, self.refused[event_id])
        return Sent(Outcome.NOT_STORED, event_id, None, GONE)


class Delivery:
    """Posts stored events; `heard` gives the verdict on a record that came back, `running` says whether the process of
    another session lives, which then posts its events itself. Without an author nothing is posted."""

    def __init__(
        self,
        client: Client,
        outbox: Outbox,
        published: Published,
        timing: Timing,
        heard: Callable[[Record], Heard],
        *,
        place: Place,
        author: Author | None,
        running: Callable[[str], bool],
    ) -> None:
        self._client = client
        self._outbox = outbox
        self._published = published
        self._timing = timing
        self._heard = heard
        self._place = place
        self._author = author
        self._running = running
        self._backoff = backoff_towards(client.is_loopback, timing)
        self._known = _Known()
        self._turn = asyncio.Lock()
        """One post at a time, so that the order of a session holds."""
        self._looking = asyncio.Lock()
        """One look at the outbox at a time, so that what is shown is never older than what was shown before."""
        self._wanted = asyncio.Event()
        self._tried = False
        """Whether what waits was tried just now by `send`, so that it is not tried again at once."""
        self.paused = False
        """Whether nothing that waits is posted by itself; an event sent by a key is."""
        self._unauthorized = False
        """Whether the bearer was refused; nothing is posted by itself until there is a reason to believe otherwise."""
        self._away = False
        """Whether nobody listened the last time."""
        self._lost = 0
        """Posts without an answer that decides, so far."""
        self._not_before = float("-inf")
        """When the service may be posted to again by its own word (monotonic seconds)."""

    def want(self) -> None:
        """Try again now: there is something to post, or the service answers again."""
        self._unauthorized = False
        self._wanted.set()

    async def run(self) -> None:
        """Post what waits, events of earlier sessions included, until cancelled."""
        while True:
            self._wanted.clear()
            tried, self._tried = self._tried, False
            done = self.paused or (not tried and await self.deliver())
            if done:
                self._backoff.reset()
            rests = done or self.paused or self._unauthorized
            await self._timing.wait(self._wanted, None if rests else self._backoff.failed(self._held))

    @property
    def _held(self) -> float:
        """Seconds for which the service has asked to wait."""
        return max(self._not_before - self._timing.monotonic(), 0.0)

    async def deliver(self) -> bool:
        """Post everything that waits and is posted here, once, oldest first; returns whether nothing of it is left.

        Ends early when the service cannot be reached or asks to wait. A broken outbox leaves nothing to do here:
        whoever stores the next event is told.
        """
        doubtful: set[str] = set()
        for stored in self._posted_here(await self._look()):
            session_id, lost = stored.event.sender.session_id, self._lost
            if session_id in doubtful:
                continue
            async with self._turn:
                # Somebody may have paused this, or have tried in vain, while it was another one's turn.
                if self._held or self.paused or self._unauthorized or self._lost > lost:
                    return False
                sent = await self._post(stored)
            if sent.outcome is Outcome.UNKNOWN:
                doubtful.add(session_id)
                if self._away:
                    return False
        return not doubtful

    async def keep(self, core: Core, sign: Callable[[Core], Event]) -> Stored:
        """Sign and store an event and show it; raises OutboxRefused, SequenceTaken and what `sign` raises.

        Whoever is cancelled meanwhile still finds in the snapshot whether it was kept.
        """
        storing = asyncio.ensure_future(asyncio.to_thread(self._outbox.store, core, sign))
        try:
            stored = await asyncio.shield(storing)
        except asyncio.CancelledError:
            await asyncio.wait({storing})
            if storing.exception() is None:
                self._show(storing.result())
            raise
        self._known.seen |= {stored.event.event_id}  # whoever stored it posts it first
        self._show(stored)
        return stored

    async def send(self, stored: Stored) -> Sent:
        """Post one event of this session that was stored just now, after what waits here since before; not while the
        service asks to wait. What is not known afterwards is tried again by `run`."""
        sent = await self._send(stored)
        if sent.outcome is Outcome.UNKNOWN:
            self._tried = True
            self._wanted.set()
        return sent

    async def _send(self, stored: Stored) -> Sent:
        lost = self._lost
        async with self._turn:
            if self._held:
                return self._known.waits(stored, HELD_OFF)
            mine, tried = stored.event.sender.session_id, self._lost > lost
            for earlier in await self._before(stored):
                same = earlier.event.sender.session_id == mine
                if not same and (tried or self.paused):
                    continue
                first = (
                    f"an earlier event of this session is posted first, and its outcome is not known: {earlier.reason}"
                )
                if same and self._lost > lost:  # it has been tried since, and whoever sends this has waited for it
                    return self._known.waits(stored, first)
                sent = await self._post(earlier)
                if sent.outcome is not Outcome.UNKNOWN:
                    continue
                if same:
                    return self._known.waits(stored, first)
                tried, lost = True, self._lost  # it holds up nothing of this session
            if self._held:
                return self._known.waits(stored, HELD_OFF)
            return await self._post(stored)

    async def _before(self, stored: Stored) -> list[Stored]:
        """The events that wait here and were stored before: of this session, and of ended ones."""
        waiting = self._posted_here(await self._look())
        ids = [each.event.event_id for each in waiting]
        return waiting[: ids.index(stored.event.event_id)] if stored.event.event_id in ids else []

    async def settle_heard(self) -> None:
        """Show the outbox as it stands, without what came back by the replay; post what was left in it since, by
        another process or an ended one."""
        before = self._known.seen
        self._posted_here(await self._look())
        if self._known.seen - before and not self.paused:
            self.want()

    async def _look(self) -> tuple[Stored, ...]:
        """What the outbox keeps of this author here, settled where it was received meanwhile, and shown."""
        async with self._looking:
            return await self._looked()

    async def _looked(self) -> tuple[Stored, ...]:
        try:
            kept, damaged = await asyncio.to_thread(self._read)
        except OutboxRefused as refused:
            trouble = str(refused)
            self._published.change(lambda snapshot: with_outbox_trouble(snapshot, trouble))
            return ()
        left = []
        for stored in kept:
            event_id = stored.event.event_id
            if event_id in self._known.received or came_back(stored.event, self._published.snapshot):
                await self._keep(partial(self._outbox.settle, event_id))
            else:
                left.append(self._known.tell(stored))
        self._published.change(
            lambda snapshot: with_outbox_trouble(with_only(snapshot, tuple(map(unsent_of, left))), "", damaged)
        )
        return tuple(left)

    def _read(self) -> tuple[list[Stored], tuple[str, ...]]:
        """What the outbox keeps of this author here, and whose sessions of it run, and the names of what is damaged,
        which says nothing of an author; raises OutboxRefused."""
        author = self._author
        if author is None:
            return [], ()
        rows = self._outbox.rows(self._place.project_id, self._place.repository_id)
        kept = [(row.event_id, row.stored()) for row in rows]
        mine = [stored for _, stored in kept if stored is not None and author.wrote(stored.event)]
        sessions = {stored.event.sender.session_id for stored in mine} - {author.session_id}
        self._known.elsewhere = frozenset(filter(self._running, sessions))
        return mine, tuple(event_id for event_id, stored in kept if stored is None)

    def _posted_here(self, kept: tuple[Stored, ...]) -> list[Stored]:
        """Those that wait and that no other process posts; they are remembered as seen."""
        here = [
            stored
            for stored in kept
            if stored.state is not UnsentState.REFUSED and stored.event.sender.session_id not in self._known.elsewhere
        ]
        self._known.seen = frozenset(stored.event.event_id for stored in here)
        return here

    async def _post(self, stored: Stored) -> Sent:
        """Post one stored event and settle it; never raises for what a service or a network does."""
        event_id = stored.event.event_id
        attempt = await self._begun(stored)
        if attempt is None:
            await self._look()
            return self._known.ended(event_id)
        self._known.posting[event_id] = attempt.before
        self._away = False
        try:
            record = await self._client.post_event(stored.raw)
            if not is_answer_to(stored, record):
                raise UnexpectedAnswer("the answer holds other bytes than were sent")
        except Refused as refused:
            self._not_before = self._timing.monotonic() + granted(refused.retry_after)
            if refused.status in VERDICTS and refused.error:
                return await self._refused(stored, refused)
            self._unauthorized = isinstance(refused, Unauthorized)
            return await self._put_off(stored, attempt, refused, left=_may_have_been_stored(refused))
        except ClientError as error:
            left = not isinstance(error, Unreachable) or error.delivered
            self._away = not left
            return await self._put_off(stored, attempt, error, left=left)
        finally:
            self._known.posting.pop(event_id, None)
        return await self._received(stored, record)

    async def _begun(self, stored: Stored) -> Attempt | None:
        """The attempt, noted before its bytes leave; None when the event does not wait any more.

        Where nothing can be written it is posted all the same: its bytes are stored, and an answer that is lost then
        is met with the same bytes by whoever reads them next.
        """
        try:
            return await asyncio.to_thread(self._outbox.begin, stored.event.event_id)
        except OutboxRefused:
            return Attempt(stored.event.event_id, 0, stored.state)

    async def _received(self, stored: Stored, record: Record) -> Sent:
        event_id = stored.event.event_id
        self._known.received[event_id] = record
        self._unauthorized = False
        kept = await self._keep(partial(self._outbox.settle, event_id))
        heard = self._heard(record)
        self._published.change(lambda snapshot: without_unsent(with_received(snapshot, heard), frozenset({event_id})))
        return Sent(Outcome.POSTED, event_id, record, kept)

    async def _refused(self, stored: Stored, refused: Refused) -> Sent:
        event_id, reason = stored.event.event_id, str(refused)
        self._known.refused[event_id] = reason
        await self._keep(partial(self._outbox.refuse, event_id, reason))
        self._show(self._known.tell(stored))
        await self._look()
        return Sent(Outcome.REFUSED, event_id, None, reason, refused.issues)

    async def _put_off(self, stored: Stored, attempt: Attempt, error: ClientError, *, left: bool) -> Sent:
        event_id, reason = stored.event.event_id, str(error)
        self._lost += 1
        if left:
            self._known.doubtful.add(event_id)
        await self._keep(partial(self._outbox.put_off, attempt, reason, left=left))
        self._known.posting.pop(event_id, None)
        put_off = replace(stored, state=attempt.before, reason=reason)
        self._show(self._known.tell(put_off))
        await self._look()
        return self._known.waits(put_off, reason)

    async def _keep(self, change: Callable[[], object]) -> str:
        """Write what became of an event; returns why that failed, or empty. Posting the same bytes again is harmless,
        so a file that cannot be written loses nothing."""
        try:
            await asyncio.to_thread(change)
        except OutboxRefused as refused:
            return str(refused)
        return ""

    def _show(self, stored: Stored) -> None:
        """Show one event of mine as it stands."""
        unsent = unsent_of(stored)
        self._published.change(lambda snapshot: with_unsent(snapshot, unsent))


def is_answer_to(stored: Stored, record: Record) -> bool:
    """Whether a record holds exactly the bytes that were posted; any other is no receipt for them (§7)."""
    return isinstance(record.event, Event) and event_jcs(record.event.evidence) == stored.raw


def _may_have_been_stored(refused: Refused) -> bool:
    """Whether an event may have been stored although it was answered so: by a service that does not know, or by
    whoever answered in its stead."""
    return not isinstance(refused, (TooManyRequests, Unauthorized))
