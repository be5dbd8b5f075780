"""When to read: one refresh in flight, one queued, the rest coalesced; a floor, so that a missed frame is no missed
event; a pace, so that a flood of frames is a handful of refreshes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from corr_tui.state.timing import Timing

BURST = 4
"""Refreshes that may begin within WINDOW seconds."""
WINDOW = 1.0


class Refresher:
    """Calls `refresh`, which never raises and returns the seconds until the next, or None to wait for a request."""

    def __init__(self, refresh: Callable[[], Awaitable[float | None]], timing: Timing) -> None:
        self._refresh = refresh
        self._timing = timing
        self._requested = asyncio.Event()
        self._begun = 0
        self._ended = 0
        self._round_ended = asyncio.Condition()
        self._running = False
        self._turn = asyncio.Lock()
        self._recent: deque[float] = deque(maxlen=BURST)

    def request(self) -> None:
        """Refresh soon; however often this is said meanwhile, it is one refresh."""
        self._requested.set()

    async def now(self) -> None:
        """Refresh, and return when a refresh that began after this call has ended."""
        if not self._running:
            await self._round()
            return
        wanted = self._begun + 1
        self.request()
        async with self._round_ended:
            await self._round_ended.wait_for(lambda: self._ended >= wanted or not self._running)

    async def run(self) -> None:
        """Refresh at once, then on request and at the floor, until cancelled."""
        self._running = True
        try:
            while True:
                self._requested.clear()
                pause = await self._round()
                await self._timing.wait(self._requested, pause)
                await self._keep_pace()
        finally:
            self._running = False
            await self._tell()

    async def _round(self) -> float | None:
        async with self._turn:
            self._begun += 1
            self._recent.append(self._timing.monotonic())
            pause = await self._refresh()
            self._ended = self._begun
            await self._tell()
            return pause

    async def _tell(self) -> None:
        """Wake those who wait for a refresh to end."""
        async with self._round_ended:
            self._round_ended.notify_all()

    async def _keep_pace(self) -> None:
        """Wait until another refresh fits into the window."""
        if len(self._recent) == BURST:
            early = self._recent[0] + WINDOW - self._timing.monotonic()
            if early > 0:
                await self._timing.sleep(early)
