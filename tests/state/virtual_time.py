"""A clock that moves when a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from typing import Any

from corr_tui.state.timing import Timing
from tests.correspondents import START


class VirtualTime:
    """Two clocks that move together; sleepers wake when their time has come; chance is fixed."""

    def __init__(self, chance: float = 1.0) -> None:
        self.now = 0.0
        self.slept = 0.0
        """Seconds that the wall clock went on while the monotonic one stood still."""
        self.chance = chance
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    @property
    def timing(self) -> Timing:
        """What is passed to whatever needs time."""
        return Timing(lambda: self.now, self.wall, self.sleep, lambda: self.chance)

    def wall(self) -> datetime:
        """The wall clock."""
        return START + timedelta(seconds=self.now + self.slept)

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock was moved so far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now + seconds, woken))
        await woken

    async def advance(self, seconds: float) -> None:
        """Move the clock, waking sleepers in their order."""
        end = self.now + seconds
        await settle()
        while due := [each for each in self._sleepers if each[0] <= end and not each[1].done()]:
            self.now, woken = min(due, key=lambda each: each[0])
            woken.set_result(None)
            await settle()
        self.now = end
        await settle()


class AtOnce(ThreadPoolExecutor):
    """What goes to a thread is done at once, so that whoever lets everything run has waited for it too."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Done, or failed, when this returns."""
        done = super().submit(fn, *args, **kwargs)
        wait([done])
        return done


async def settle() -> None:
    """Let everything run that can run without time passing."""
    for _ in range(100):
        await asyncio.sleep(0)
