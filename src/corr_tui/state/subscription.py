"""The wake subscription of one identity, kept open (§7.1).

A stream that lived for a while and ended is opened again at once: services cut quiet streams every ten seconds, and
that is no fault. One that ends as soon as it opens, is refused, or cannot be reached is tried again with back-off.
Every opening asks for a refresh, since frames may have been missed; a frame about another repository, or about an
event that was read already, asks for nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from corr_tui.client.errors import ClientError, Refused, TooManyRequests, Unauthorized, Unreachable
from corr_tui.client.http import Client
from corr_tui.client.wake import Frame, FrameKind, subscribe
from corr_tui.state.link_watch import LinkWatch
from corr_tui.state.timing import Backoff, Timing

LIVED = 5.0
"""Seconds after which a stream was worth having."""
QUIET_FAILURES = 3
"""Streams in a row that may end as soon as they open before the link is called polling."""


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
        self._backoff = Backoff(timing, most=5.0 if client.is_loopback else 60.0)
        self._retry = asyncio.Event()

    def retry(self) -> None:
        """The service answers again: do not wait any longer."""
        self._retry.set()

    async def run(self) -> None:
        """Keep the subscription open until cancelled."""
        while True:
            self._retry.clear()
            pause = await self._listen()
            self._show()
            await self._timing.wait(self._retry, pause)

    async def _listen(self) -> float | None:
        """One stream to its end; returns the seconds to wait, or None when only a retry helps."""
        began = self._timing.monotonic()
        try:
            news = await self._follow()
        except Unauthorized as refused:
            self._link.refused(str(refused))
            return None
        except Unreachable as lost:
            self._link.wake_lost(str(lost))
            self._refresh()
            return self._backoff.failed()
        except ClientError as refused:
            self._link.wake_refused(f"no wake: {refused}")
            wait = refused.retry_after if isinstance(refused, Refused) else None
            return self._backoff.failed(wait or (1.0 if isinstance(refused, TooManyRequests) else None))
        if news or self._timing.monotonic() - began >= LIVED:
            self._backoff.reset()
            return self._timing.chance() * 0.5
        pause = self._backoff.failed()
        if self._backoff.failures >= QUIET_FAILURES:
            self._link.wake_refused("the wake stream keeps ending")
        return pause

    async def _follow(self) -> bool:
        """Take frames until the stream ends; returns whether any was news."""
        news = False
        stream = subscribe(self._client, self._identity_id, heard=self._link.heard)
        async with aclosing(stream) as frames:
            async for frame in frames:
                match frame.kind:
                    case FrameKind.CHANGE:
                        if self._is_news(frame):
                            news = True
                            self._refresh()
                    case FrameKind.CONNECTED:
                        self._link.wake_opened()
                        self._reopened()
                        self._refresh()
                    case FrameKind.REFRESH | FrameKind.DISCONNECT:
                        self._refresh()
                    case FrameKind.WELCOME:
                        pass
                self._show()
        return news
