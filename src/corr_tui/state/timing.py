"""Time and chance, passed in: two clocks, a way to wait, and a random number."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

_Value = TypeVar("_Value")


def _wall() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Timing:
    """The monotonic clock in seconds, the wall clock, a sleep in seconds, and a random number of [0, 1)."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], datetime] = _wall
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    async def unless(self, signal: asyncio.Event, work: Coroutine[Any, Any, _Value]) -> _Value | None:
        """What some work comes to, or None when a signal ends it first; whoever cancels this ends the work."""
        working, told = asyncio.ensure_future(work), asyncio.ensure_future(signal.wait())
        try:
            await asyncio.wait({working, told}, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            working.cancel()
            told.cancel()
            await asyncio.gather(working, told, return_exceptions=True)

    async def wait(self, signal: asyncio.Event, seconds: float | None) -> bool:
        """Wait for a signal, at most so many seconds, or without end; returns whether it came."""
        if seconds is None:
            await signal.wait()
            return True
        waits = {asyncio.ensure_future(signal.wait()), asyncio.ensure_future(self.sleep(seconds))}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        return signal.is_set()


HELD_OFF = "the service has asked to wait before it is asked again"
"""Said where somebody wants to ask it meanwhile."""
MOST_ASKED = 600.0
"""Seconds a service may ask to wait; a longer wish is granted so far, and then asked again."""


def granted(retry_after: float | None) -> float:
    """How long to wait because a service asks for it."""
    return min(max(retry_after or 0.0, 0.0), MOST_ASKED)


MOST_BACKOFF = 60.0
MOST_BACKOFF_HERE = 5.0
"""Seconds that a back-off grows to; towards this machine it is short. Asking there burdens no network and nobody else,
and whoever starts a service again at the same desk looks at the board for the next seconds, not for the next minute."""


class Backoff:
    """Full jitter: after each failure wait a random time, up to a bound that doubles from 1 second to `most`."""

    def __init__(self, timing: Timing, most: float = MOST_BACKOFF) -> None:
        self._timing = timing
        self._most = most
        self.failures = 0

    def reset(self) -> None:
        """Start again at one second; only evidence that the service works is a reason to."""
        self.failures = 0

    def failed(self, at_least: float | None = None) -> float:
        """Note a failure; the seconds to wait now, no fewer than the service asked for."""
        bound = min(self._most, 2.0 ** min(self.failures, 16))
        self.failures += 1
        return max(self._timing.chance() * bound, granted(at_least))


def backoff_towards(is_loopback: bool, timing: Timing) -> Backoff:
    """A back-off towards a service on this machine, or anywhere else."""
    return Backoff(timing, most=MOST_BACKOFF_HERE if is_loopback else MOST_BACKOFF)
