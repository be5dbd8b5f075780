"""The wake subscription of one identity, kept open (§7.1).

A stream that lived for a while and ended is opened again at once: services cut quiet streams every ten seconds, and
that is no fault. One that ends as soon as it opens, is refused, or cannot be reached is tried again with back-off.
Every opening asks for a refresh, since frames may have been missed; a frame about another repository, or about an
event that was read already, asks for nothing.

A refused bearer is for the reads to tell: the refusal asks for one, and no stream is tried until somebody asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from corr_tui.client.errors import ClientError, Refused, TooManyRequests, Unauthorized, Unreachable
from corr_tui.client.http import Client
from corr_tui.client.wake import Frame, FrameKind, subscribe
from corr_tui.state.link_watch import LinkWatch
from corr_tui.state.timing import Timing, backoff_towards, granted

LIVED = 5.0
"""Seconds after which a stream was worth having."""
QUIET_FAILURES = 3
"""Streams in a row that may end as soon as they open before the link is called polling."""
LEAST_PUT_OFF = 1.0
"""Seconds to wait after a service says that there are too many, whoever asks."""
JITTER = 0.5
"""Seconds within which a stream that has lived is opened again, so that not everybody comes at once."""
FRAMES_AT_ONCE = 64
"""Frames of one piece of bytes after which whatever else waits has its turn."""


class Subscription:
    """Follows frames and tells others.

    `refresh` asks for a refresh, `reopened` hears of each stream that opens, `is_news` says whether a frame is,
    `show` publishes the link.
    """

    def __init__(
        self,
        client: Client,
        identity_id: str,
        link: LinkWatch,
        timing: Timing,
        *,
        refresh: Callable[[], None],
        reopened: Callable[[], None],
        is_news: Callable[[Frame], bool],
        show: Callable[[], None],
    ) -> None:
        self._client = client
        self._identity_id = identity_id
        self._link = link
        self._timing = timing
        self._refresh = refresh
        self._reopened = reopened
        self._is_news = is_news
        self._show = show
        self._backoff = backoff_towards(client.is_loopback, timing)
        self._began = 0.0
        self._opened = False
        self._not_before = float("-inf")
        """When a stream may be opened again by the service's own word (monotonic seconds)."""
        self._brief = 0
        """Streams in a row that ended as soon as they had opened."""
        self.opened = self.ended = 0
        """Streams that opened, and that ended."""
        self._ended = asyncio.Event()
        """Set while no stream is to be open, nor opened."""
        self._wanted = asyncio.Event()
        self._wanted.set()
        self._retry = asyncio.Event()

    @property
    def wanted(self) -> bool:
        """Whether a stream is kept open."""
        return self._wanted.is_set()

    def retry(self) -> None:
        """Open a stream now: the service answers again, or somebody asks. Only its own word puts it off."""
        self._retry.set()

    def end(self) -> None:
        """Let go of the stream, and open none until `begin`."""
        self._wanted.clear()
        self._ended.set()

    def begin(self) -> None:
        """Keep a stream open again, from now on."""
        self._ended.clear()
        self._wanted.set()
        self._retry.set()

    def reopen(self) -> None:
        """Let go of the stream, which may be dead without a sign of it, and open another."""
        if self.wanted:
            self.end()
            self.begin()

    async def run(self) -> None:
        """Keep the subscription open until cancelled."""
        while True:
            await self._wanted.wait()
            await self._timing.unless(self._ended, self._once())

    async def _once(self) -> None:
        """One stream, and the wait for the next; who asks for it ends the wait, but not what the service asks for."""
        held = self._not_before - self._timing.monotonic()
        if held > 0:
            await self._timing.sleep(held)
        pause = await self._listen()
        self._retry.clear()
        self._show()
        await self._timing.wait(self._retry, pause)

    async def _listen(self) -> float | None:
        """One stream to its end; returns the seconds to wait, or None when only somebody who asks helps."""
        self._began, self._opened = self._timing.monotonic(), False
        try:
            await self._counted()
        except Unauthorized as refused:
            self._link.wake_refused(f"no wake: {refused}")
            self._refresh()
            return None
        except Unreachable as lost:
            self._link.wake_lost(str(lost))
            if not self._link.failing:  # else a read is tried again by a back-off of its own
                self._refresh()
            return self._backoff.failed()
        except ClientError as refused:
            self._link.wake_refused(f"no wake: {refused}")
            return self._put_off(refused)
        if self._lived:
            self._brief = 0
            self._backoff.reset()
            return self._timing.chance() * JITTER
        pause = self._backoff.failed()
        self._brief += 1
        if not self._trusted:
            self._link.wake_refused("the wake stream keeps ending")
        return pause

    def _put_off(self, refused: ClientError) -> float:
        """A stream was refused; returns the seconds to wait, no fewer than the service asks for."""
        asked = granted(refused.retry_after) if isinstance(refused, Refused) else 0.0
        if isinstance(refused, TooManyRequests):
            asked = max(asked, LEAST_PUT_OFF)
        self._not_before = self._timing.monotonic() + asked
        return self._backoff.failed(asked)

    @property
    def _lived(self) -> bool:
        """Whether this stream was worth having: the one evidence that starts the back-off anew. What a stream says is
        none, since saying it costs nothing."""
        return self._timing.monotonic() - self._began >= LIVED

    @property
    def _trusted(self) -> bool:
        """Whether a stream that opens may be called live at once; after some that ended at once it has to live first,
        so that the link is not called one thing and another in turn."""
        return self._brief < QUIET_FAILURES

    async def _counted(self) -> None:
        """Follow a stream, and count it when it ends, however it does."""
        try:
            await self._follow()
        finally:
            self.ended += self._opened

    async def _follow(self) -> None:
        """Take frames until the stream ends."""
        stream = subscribe(self._client, self._identity_id, heard=self._heard)
        async with aclosing(stream) as frames:
            count = 0
            async for frame in frames:
                self._open()
                match frame.kind:
                    case FrameKind.CHANGE:
                        if self._is_news(frame):
                            self._refresh()
                    case FrameKind.REFRESH | FrameKind.DISCONNECT:
                        self._refresh()
                    case FrameKind.CONNECTED | FrameKind.WELCOME:
                        pass
                self._show()
                count += 1
                if count % FRAMES_AT_ONCE == 0:
                    await asyncio.sleep(0)

    def _heard(self) -> None:
        """Bytes came. A stream that has lived is open, though it may send comments alone."""
        self._link.heard()
        if self._lived:
            self._open()
            self._show()

    def _open(self) -> None:
        """The stream is one, and no refusal in the form of one: read what was missed meanwhile."""
        if not self._opened:
            self._opened = True
            self.opened += 1
            self._reopened()
            self._refresh()
        if self._trusted or self._lived:
            self._link.wake_opened()
