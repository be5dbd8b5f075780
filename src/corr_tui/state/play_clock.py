"""The time of a recording while it is played: that of then, as fast as somebody likes, and never past its end.

It is the play head of the transport and both clocks of the session, so that what was seconds then is seconds again:
floors, back-off, countdowns. Without a speed it does not follow real time at all: it moves on as soon as nothing else
has anything to do.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from corr_tui.state.timing import Timing

SLACK = 0.05
"""Seconds, of then, by which a question may come earlier than it did; and of now, at more than the speed of then."""
TURNS = 20
"""Turns of the loop in which everything that waited for a moment has begun what it does then."""
BREATH = 0.001
"""Seconds for threads to end what they began."""


class PlayClock:
    """Runs from 0 to `duration` seconds once `play` is called; `speed` is seconds of then a second, or None."""

    def __init__(
        self,
        began: datetime,
        duration: float,
        speed: float | None,
        *,
        real: Callable[[], float] = time.monotonic,
    ) -> None:
        self._began = began
        self._duration = duration
        self._speed = speed
        self._real = real
        self._started: float | None = None
        self._stepped = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    @property
    def timing(self) -> Timing:
        """What a session is given. Chance is even, so that nothing is asked in a hurry."""
        return Timing(self.monotonic, self.wall, self.sleep, lambda: 0.5)

    def monotonic(self) -> float:
        """Seconds since the recording began."""
        if self._speed is None:
            return self._stepped
        if self._started is None:
            return 0.0
        return min((self._real() - self._started) * self._speed, self._duration)

    def wall(self) -> datetime:
        """The wall clock of then."""
        return self._began + timedelta(seconds=self.monotonic())

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds of then; what lies past the end never comes."""
        await self._until(self.monotonic() + max(seconds, 0.0))

    @property
    def ms(self) -> float:
        """The play head, in milliseconds."""
        return self.monotonic() * 1000

    @property
    def slack_ms(self) -> float:
        """How much later an answer may have been asked for and still be the one."""
        return SLACK * 1000 * max(self._speed or 1.0, 1.0)

    async def until(self, ms: float) -> None:
        """Wait for a moment of the recording; once it has ended every moment is over."""
        await self._until(min(ms / 1000, self._duration))

    async def play(self, moments: Sequence[int]) -> None:
        """Run to the end; `moments` are when something happens, in milliseconds."""
        if self._speed is not None:
            self._started = self._real()
            await self._until(self._duration)
            return
        for ms in sorted({*moments, round(self._duration * 1000)}):
            await self._rest()
            self._step(min(ms / 1000, self._duration))
        await self._rest()

    async def _until(self, moment: float) -> None:
        if self._speed is None:
            if moment > self._stepped or moment > self._duration:
                woken = asyncio.get_running_loop().create_future()
                self._sleepers.append((moment, woken))
                await woken
            else:
                await asyncio.sleep(0)
            return
        while moment > (now := self.monotonic()):
            if moment > self._duration:
                await asyncio.Event().wait()
            await asyncio.sleep((moment - now) / self._speed)
        await asyncio.sleep(0)

    def _step(self, moment: float) -> None:
        """Move on, waking whoever waits for a moment on the way."""
        self._stepped = max(self._stepped, moment)
        due = [each for each in self._sleepers if each[0] <= self._stepped]
        self._sleepers = [each for each in self._sleepers if each[0] > self._stepped and not each[1].done()]
        for _, woken in sorted(due, key=lambda each: each[0]):
            if not woken.done():
                woken.set_result(None)

    async def _rest(self) -> None:
        for _ in range(TURNS):
            await asyncio.sleep(0)
        await asyncio.sleep(BREATH)
