"""Keeping the snapshot current: one refresh after another, what each says of the link, and the wake stream between.

A refresh that fails leaves the last view, which is called old once the service is offline. While the service asks to
wait nothing is asked, whoever wants it. Held, nothing is asked by itself; once the bearer is refused neither, until
somebody asks and is answered.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from corr_tui.client.errors import ClientError, Refused, Unauthorized
from corr_tui.client.http import Client
from corr_tui.state.connection import Connection
from corr_tui.state.link_watch import LinkWatch
from corr_tui.state.opened import Opening
from corr_tui.state.published import Published
from corr_tui.state.reader import Reader
from corr_tui.state.refresher import Refresher
from corr_tui.state.replay import HistoryRefused
from corr_tui.state.service_clock import ServiceClock
from corr_tui.state.session_log import SessionLog
from corr_tui.state.snapshot import ProjectionState, Snapshot
from corr_tui.state.subscription import Subscription
from corr_tui.state.timing import HELD_OFF, Timing, backoff_towards, granted

FLOOR_LIVE = 30.0
"""Seconds between refreshes while the wake stream is open."""
FLOOR_UNFINISHED = 1.0
"""Seconds between refreshes while a long replay is being read."""
FLOOR_ALONE = 5.0
"""Seconds between refreshes without one."""
HEARD_STEP = 5.0
"""Seconds after which it is worth a snapshot that the service was heard and nothing else changed."""

LOOK = 1.0
"""Seconds between two looks at the clocks of this machine: for so long a countdown may go on after it slept."""
UNSURE_STEP = 0.5
"""Seconds of uncertainty that are worth a snapshot."""


class Following:
    """Reads when there is a reason to, and publishes what that comes to."""

    def __init__(
        self,
        connection: Connection,
        client: Client,
        opening: Opening,
        *,
        clock: ServiceClock,
        published: Published,
        timing: Timing,
        log: SessionLog,
    ) -> None:
        self._connection = connection
        self._client = client
        self._opening = opening
        self._clock = clock
        self._published = published
        self._timing = timing
        self._log = log
        self._link = LinkWatch(timing.monotonic, log.link)
        self._backoff = backoff_towards(client.is_loopback, timing)
        self._held = False
        self._subscription: Subscription | None = None
        self._answered = asyncio.Event()
        self._failed = asyncio.Event()
        self._not_before = float("-inf")
        """When the service may be asked again by its own word (monotonic seconds)."""
        self.refresher = Refresher(self._logged, timing)

    def request(self) -> None:
        """Refresh soon."""
        self.refresher.request()

    async def refresh(self) -> None:
        """Refresh now, the lists of keys and identities too; a replay that was stopped goes on."""
        if self._opening.opened is not None:
            self._opening.opened.directory.forget_times()
            self._opening.opened.reader.go_on()
            self._opening.opened.reader.doubt_stream()
            self._opening.opened.delivery.want()
        if self._subscription is not None:
            self._subscription.retry()
        await self.refresher.now()

    def hold(self) -> None:
        """Ask nothing by itself until released: no stream, no floor, no further page of a long replay, and nothing that
        waits is posted."""
        self._held = True
        self.stop_replay()
        self._link.hold()
        self.refresher.hold()
        self._begin_or_end()
        self._show_link()

    def release(self) -> None:
        """Read at once, and by itself again."""
        if not self._held:
            return
        self._held = False
        if self._opening.opened is not None:
            self._opening.opened.reader.go_on()
        self._link.release()
        self.refresher.release()
        self._begin_or_end()
        self._show_link()

    def _begin_or_end(self) -> None:
        """Post what waits and keep a stream open, unless this is held or the bearer is refused."""
        stopped = self._held or self._link.unauthorized
        if self._opening.opened is not None:
            self._opening.opened.delivery.paused = stopped
            self._opening.opened.delivery.want()
        if self._subscription is not None and self._subscription.wanted is stopped:
            (self._subscription.end if stopped else self._subscription.begin)()

    def stop_replay(self) -> None:
        """Stop a long replay where it is."""
        if self._opening.opened is not None:
            self._opening.opened.reader.stop()

    async def run(self) -> None:
        """Keep the snapshot current, and post what waits, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.refresher.run())
            tasks.create_task(self._grow_old())
            tasks.create_task(self._look_at_clocks())
            await self._answered.wait()  # the first answer advertises where the wake stream is (§7)
            opened = await self._opening.open()
            self._subscription = self._subscribed(opened.reader)
            self._begin_or_end()
            tasks.create_task(opened.delivery.run())
            if self._subscription is not None:
                tasks.create_task(self._subscription.run())

    @property
    def wakes(self) -> tuple[int, int]:
        """How many wake streams opened, and how many ended."""
        return (0, 0) if self._subscription is None else (self._subscription.opened, self._subscription.ended)

    async def _logged(self) -> float | None:
        """One refresh, told to the log."""
        before = self._published.snapshot.history.count
        self._log.begin()
        pause = await self._refresh()
        grown = max(self._published.snapshot.history.count - before, 0)
        self._log.end(grown, self._link.link.detail if self._link.failing else "")
        return pause

    async def _refresh(self) -> float | None:
        """One refresh and what it does to the link; returns the seconds until the next, None for not by itself."""
        failed_before, held = self._link.failing, self._not_before - self._timing.monotonic()
        if held > 0:
            self._link.held_off(HELD_OFF)
            self._show_link()
            return held
        try:
            here = await self._opening.recall()
            if here is not None:
                await here.reader.load()  # what was kept is shown before, and whether or not, the service answers
            opened = await self._opening.open()
            await opened.reader.refresh(self._finished)
        except Unauthorized as refused:
            self._link.refused(str(refused))
            self._begin_or_end()
            self._show_failure(str(refused))
            return None
        except (ClientError, HistoryRefused) as error:
            if self._opening.opened is not None:
                await self._opening.opened.delivery.settle_heard()
            return self._put_off(error)
        self._backoff.reset()
        await opened.delivery.settle_heard()
        if failed_before:
            self._begin_or_end()
            if self._subscription is not None:
                self._subscription.retry()
        if opened.reader.unfinished:
            return 0.0 if opened.reader.keeps_pace else FLOOR_UNFINISHED
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

    async def _look_at_clocks(self) -> None:
        """Notice that this machine slept, and that the service's time grows unsure while nothing is heard of it."""
        while True:
            await self._timing.sleep(LOOK)
            jump = self._clock.jump(self._timing.monotonic())
            if jump:
                self._woke(jump)
            self._show_clock(at_least=0.0 if jump else UNSURE_STEP)

    def _show_clock(self, at_least: float) -> None:
        """Publish the clock when it is less sure by so many seconds."""
        clock = self._clock.reading(self._timing.monotonic())
        if abs(clock.uncertainty - self._published.snapshot.clock.uncertainty) >= at_least:
            self._published.change(lambda snapshot: replace(snapshot, clock=clock))

    def _woke(self, slept: float) -> None:
        """This machine slept, or its clock was set: age what is shown, and ask anew, over a stream that is not dead."""
        if slept > 0:
            self._link.slept(slept)

        def aged(snapshot: Snapshot) -> Snapshot:
            projection = snapshot.projection
            if slept > 0 and projection.read_at is not None:
                projection = replace(projection, read_at=projection.read_at - slept)
            return replace(snapshot, link=self._link.link, projection=projection)

        self._published.change(aged)
        if self._link.unauthorized:
            return
        self.refresher.request()
        if self._subscription is not None:
            self._subscription.reopen()

    def _finished(self, snapshot: Snapshot) -> Snapshot:
        """A refresh was answered, or a page of it: its snapshot with the link and the clock of now."""
        self._link.read_answered()
        self._answered.set()
        opened = self._opening.opened
        described = opened.described(snapshot) if opened else snapshot
        return replace(described, link=self._link.link, clock=self._clock.reading(self._timing.monotonic()))

    def _show_failure(self, reason: str) -> None:
        """A refresh failed: the last view stays, and is called old once the service is offline."""
        if self._opening.opened is not None:
            self._opening.opened.reader.doubt()

        def failed(snapshot: Snapshot) -> Snapshot:
            projection = snapshot.projection
            if self._link.offline:
                projection = replace(projection, state=ProjectionState.UNAVAILABLE, error=reason)
            return replace(snapshot, link=self._link.link, projection=projection)

        self._published.change(failed)

    def _show_link(self) -> None:
        """Publish the link when something about it changed that is worth a snapshot."""
        shown, now = self._published.snapshot.link, self._link.link
        recently = now.heard_at is None or (shown.heard_at is not None and now.heard_at - shown.heard_at < HEARD_STEP)
        if replace(shown, heard_at=now.heard_at) != now or not recently:
            self._published.change(lambda snapshot: replace(snapshot, link=now))

    def _subscribed(self, reader: Reader) -> Subscription | None:
        """The wake subscription; None for a reader without an identity, and in process, where nothing streams."""
        if self._connection.identity_id is None or not self._client.streams:
            return None
        return Subscription(
            self._client,
            self._connection.identity_id,
            self._link,
            self._timing,
            refresh=self.refresher.request,
            reopened=reader.doubt_stream,
            is_news=reader.is_news,
            show=self._show_link,
        )
