"""Who listens, and what they are told: missable invalidations after each commit (§7.1, §8).

The rule: a frame is a hint without content or authority. One task a process reads from the database what was
committed since it last looked, and tells every subscriber of that project; a POST only nudges it and never waits. So
commits of other processes, which it notices by asking, and those of this process go one way, each once, in the order
of their receipts. A subscriber whose queue is full is let go; nothing is kept for it. Subscribers are told in pages,
and the more there are, the longer the task rests before it looks again: requests always come between.

Who may listen is asked again every few seconds: the streams of a revoked identity, of a bearer that was revoked or
has expired, end. So do all of them when the database stays away: nobody is left to believe that there is no news.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Row, Select, bindparam, select

from corr_tui.server.accounts import Accounts
from corr_tui.server.database import ChangeWatch, Database, StorageUnavailable
from corr_tui.server.frames import Change, disconnect
from corr_tui.server.tables import events, streams

MAX_NEWS = 32
"""The most frames for one look at one project; older commits of the same look go without."""

LONGEST_PAUSE = 2.0
"""Seconds between two looks at a database that stays away; each pause is twice as long as the one before."""

ENDURED = 1.0
"""Seconds between two looks past which a database that is away ends the streams; about as many have passed by then."""

TOLD_AT_ONCE = 100
"""The subscribers that are told before other work of the process has its turn."""

REST_SECONDS = 0.0002
"""How long the task rests for each subscriber it told; what is committed meanwhile is told together."""

CLOSING_SECONDS = 0.2
"""How long a reader may take for what is queued when the service stops."""

_Result = TypeVar("_Result")

_STREAM_SEQ = select(streams.c.received_seq).where(streams.c.project_id == bindparam("project_id"))
_NEWS: Select[Any] = (
    select(
        events.c.event_id,
        events.c.received_seq,
        events.c.received_at,
        events.c.repository_id,
        events.c.thread_id,
        events.c.kind,
    )
    .where(events.c.project_id == bindparam("project_id"), events.c.received_seq > bindparam("after"))
    .order_by(events.c.received_seq.desc())
    .limit(MAX_NEWS)
)


@dataclass(eq=False, slots=True)
class Subscriber:
    """One open stream of one identity."""

    project_id: str
    identity_id: str
    token_digest: str | None
    """The bearer it was opened with; None for one that lives as long as this process."""
    told: bool
    frames: asyncio.Queue[bytes | None]
    """None ends the stream."""
    dropped: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the queue overflowed: the reader is too slow."""

    def offer(self, frame: bytes | None) -> None:
        """Queue a frame, or drop the subscriber when there is no room."""
        try:
            self.frames.put_nowait(frame)
        except asyncio.QueueFull:
            self.dropped.set()

    def end(self, *last: bytes) -> None:
        """End the stream after what is queued and these last frames, or soon without them."""
        for frame in (*last, None):
            self.offer(frame)
        asyncio.get_running_loop().call_later(CLOSING_SECONDS, self.dropped.set)


@dataclass(frozen=True, slots=True)
class Pace:
    """How a stream behaves over time; seconds, but for the counts."""

    heartbeat: float = 15.0
    lifetime: float = 3600.0
    interval: float = 0.15
    """How often other processes' commits are looked for while somebody listens."""
    cap: int = 5
    """The streams of one identity that are served at once."""
    queued: int = 64
    """The frames that wait for a slow reader before it is let go."""
    standing: float = 5.0
    """How often it is asked whether who listens may still do so."""


class Hub:
    """Every open stream of a process. Belongs to one event loop."""

    def __init__(self, database: Database, pace: Pace) -> None:
        self.pace = pace
        self._database = database
        self._accounts = Accounts(database)
        self._subscribers: set[Subscriber] = set()
        self._heard: dict[str, int] = {}
        self._stirred = asyncio.Event()
        self._nudged = False
        self._pause = pace.interval
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def subscribe(
        self, project_id: str, identity_id: str, *, token_digest: str | None = None, told: bool = True
    ) -> Subscriber | None:
        """Start to listen, or None beyond the cap; raises StorageUnavailable. `told` is whether it wants changes.

        Everything committed after this returns is told.
        """
        subscriber = Subscriber(project_id, identity_id, token_digest, told, asyncio.Queue(self.pace.queued))
        if self._count(project_id, identity_id) >= self.pace.cap:
            return None
        self._subscribers.add(subscriber)
        try:
            if project_id not in self._heard:
                received_seq = await asyncio.to_thread(self._received_seq, project_id)
                self._heard.setdefault(project_id, received_seq)
        except BaseException:
            self.unsubscribe(subscriber)
            raise
        # A commit between reading the cursor and this line is nobody's news yet: look again.
        self.nudge()
        if self._closed:
            subscriber.end()
        elif self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen())
        return subscriber

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Stop to listen."""
        self._subscribers.discard(subscriber)
        if not any(each.project_id == subscriber.project_id for each in self._subscribers):
            self._heard.pop(subscriber.project_id, None)

    def nudge(self) -> None:
        """Look for commits at once; returns at once."""
        self._nudged = True
        self._stirred.set()

    def close(self) -> None:
        """End every stream, now and from now on."""
        self._closed = True
        for subscriber in self._subscribers:
            subscriber.end()
        self._stirred.set()

    def _count(self, project_id: str, identity_id: str) -> int:
        return sum(each.project_id == project_id and each.identity_id == identity_id for each in self._subscribers)

    async def _listen(self) -> None:
        """Look for commits while anybody listens; a database that is away is asked again.

        Where it stays away the streams end: one that is open says that whoever listens will be told.
        """
        while self._subscribers and not self._closed:
            try:
                await self._look()
            except StorageUnavailable:
                if self._pause > ENDURED:
                    for each in self._subscribers:
                        each.end(disconnect("storage_unavailable"))
                await asyncio.sleep(self._pause)
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
                self.nudge()

    async def _look(self) -> None:
        """Look for commits on one thread of its own, until nobody listens; raises StorageUnavailable."""
        loop = asyncio.get_running_loop()

        def stir() -> None:
            loop.call_soon_threadsafe(self._stirred.set)

        with ExitStack() as closing, ThreadPoolExecutor(1, "wake") as thread:

            def watching() -> ChangeWatch:
                # Kept for closing where it is made: whoever waits for it here may be cancelled meanwhile.
                watch = self._database.watch(stir)
                closing.callback(watch.close)
                return watch

            async def aside(work: Callable[[], _Result]) -> _Result:
                return await loop.run_in_executor(thread, work)

            watch = await aside(watching)
            asked = loop.time()
            while self._subscribers and not self._closed:
                await self._stir_or_interval()
                if loop.time() - asked >= self.pace.standing:
                    for each, reason in (await aside(partial(self._ended, tuple(self._subscribers)))).items():
                        each.end(disconnect(reason))
                    asked = loop.time()
                nudged, self._nudged = self._nudged, False
                listened = tuple(self._heard)
                changed = await aside(partial(watch.changed, listened))
                if nudged or changed:
                    await self._tell(await aside(partial(self._news, listened if nudged else changed)))
                    self._pause = self.pace.interval

    async def _stir_or_interval(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stirred.wait(), self.pace.interval)
        self._stirred.clear()

    def _received_seq(self, project_id: str) -> int:
        with self._database.reading() as connection:
            return connection.execute(_STREAM_SEQ, {"project_id": project_id}).scalar_one_or_none() or 0

    def _news(self, project_ids: Collection[str]) -> dict[str, Sequence[Row[Any]]]:
        """What was committed in each of the projects since it was last looked at, in the order of the receipts."""
        news: dict[str, Sequence[Row[Any]]] = {}
        with self._database.reading() as connection:
            for project_id, after in [(each, self._heard.get(each)) for each in project_ids]:
                if after is None:
                    continue
                rows = connection.execute(_NEWS, {"project_id": project_id, "after": after}).all()
                if rows:
                    news[project_id] = rows[::-1]
        return news

    async def _tell(self, news: Mapping[str, Sequence[Row[Any]]]) -> None:
        """Queue what was committed for everybody it concerns, a page of subscribers at a time; then rest."""
        for project_id, rows in news.items():
            if project_id in self._heard:
                self._heard[project_id] = max(self._heard[project_id], rows[-1].received_seq)
        changes = {project_id: [Change.of(row) for row in rows] for project_id, rows in news.items()}
        listening = [each for each in self._subscribers if each.told and each.project_id in changes]
        for start in range(0, len(listening), TOLD_AT_ONCE):
            for subscriber in listening[start : start + TOLD_AT_ONCE]:
                for change in changes[subscriber.project_id]:
                    subscriber.offer(change.frame(subscriber.identity_id))
            await asyncio.sleep(0)
        await asyncio.sleep(min(len(listening) * REST_SECONDS, self.pace.interval))

    def _ended(self, subscribers: Sequence[Subscriber]) -> dict[Subscriber, str]:
        """The subscribers that may listen no more, each with the reason."""
        ended: dict[Subscriber, str] = {}
        for start in range(0, len(subscribers), TOLD_AT_ONCE):
            page = subscribers[start : start + TOLD_AT_ONCE]
            identities = {(each.project_id, each.identity_id) for each in page}
            active = self._accounts.active_identities(identities)
            digests = {each.token_digest for each in page if each.token_digest is not None}
            valid = self._accounts.valid_tokens(digests)
            for each in page:
                if each.token_digest is not None and each.token_digest not in valid:
                    ended[each] = "bearer_ended"
                elif (each.project_id, each.identity_id) not in active:
                    ended[each] = "identity_revoked"
        return ended
