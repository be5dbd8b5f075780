"""When to read: one refresh in flight, one queued, the rest coalesced; a floor, so that a missed frame is no missed
event; a pace, so that a flood of frames is a handful of refreshes.

While it is held nothing is read by itself: neither the floor nor a request begins a refresh, only somebody who calls
`now` does.
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
        self._held = False
        self._callers = 0
        self._turn = asyncio.Lock()
        self._recent: deque[float] = deque(maxlen=BURST)

    def request(self) -> None:
        """Refresh soon; however often this is said meanwhile, it is one refresh. Not heard while held."""
        if not self._held:
            self._requested.set()

    def hold(self) -> None:
        """Begin no refresh but those that `now` asks for; one that is under way ends as it would."""
        self._held = True
        if not self._callers:
            self._requested.clear()

    def release(self) -> None:
        """Refresh at once, and by itself again."""
        self._held = False
        self._requested.set()

    async def now(self) -> None:
        """Refresh, and return when a refresh that began after this call has ended."""
        if not self._running:
            await self._round()
            return
        wanted = self._begun + 1
        self._requested.set()
        self._callers += 1
        try:
            async with self._round_ended:
                await self._round_ended.wait_for(lambda: self._ended >= wanted or not self._running)
        finally:
            self._callers -= 1

    async def run(self) -> None:
        """Refresh at once, then on request and at the floor, until cancelled."""
        self._running = True
        try:
            pause: float | None = 0.0
            while True:
                await self._due(pause)
                self._requested.clear()
                pause = await self._round()
        finally:
            self._running = False
            await self._tell()

    async def _due(self, pause: float | None) -> None:
        """Wait for a request or the floor; held, for a request alone. A flood of them waits for the pace."""
        requested = await self._timing.wait(self._requested, pause)
        while self._held and not requested:
            requested = await self._timing.wait(self._requested, None)
        await self._keep_pace()

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
