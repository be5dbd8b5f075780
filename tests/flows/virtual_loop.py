"""An event loop whose clock stands still while anything is under way and jumps to the next timer when nothing is.

Real sockets, real threads and a real service run on it, and every deadline of the client keeps its real length: a
minute of silence costs what waking up at its end costs. Time never passes because a machine is busy, so nothing is
late by accident.

    with simulation() as run:
        run(scenario())
"""

from __future__ import annotations

import asyncio
import random
import selectors
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from corr_tui.state.timing import Timing

STUCK = 5.0
"""Real seconds after which work that is under way lets time pass all the same."""

_Value = TypeVar("_Value")


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time passes only while nothing can happen without it. `under_way` counts what the loop cannot see by itself."""

    def __init__(self) -> None:
        self._now = 1000.0
        self.under_way = 0
        self._began = datetime.now(UTC)
        super().__init__(_Waiting(self))

    def time(self) -> float:
        """Seconds on this loop's own clock."""
        return self._now

    def pass_time(self, seconds: float) -> None:
        """Let so many seconds have passed at once, as a machine that was asleep does."""
        self._now += seconds

    def hold(self) -> ExitStack:
        """Let no time pass until what this gives is closed."""
        self.under_way += 1
        holding = ExitStack()
        holding.callback(self._released)
        return holding

    def wall(self) -> datetime:
        """The wall clock that goes with it."""
        return self._began + timedelta(seconds=self._now - 1000.0)

    def timing(self, seed: int = 0) -> Timing:
        """What a session is given of this loop's time, with chance of its own."""
        return Timing(self.time, self.wall, asyncio.sleep, random.Random(seed).random)

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., _Value], *args: Any
    ) -> asyncio.Future[_Value]:
        """Run in a thread; no time passes until that has ended."""
        holding = self.hold()
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(lambda _: holding.close())
        return future

    def _released(self) -> None:
        self.under_way -= 1


class _Waiting(selectors.DefaultSelector):
    """Waits for sockets in real time, and lets the loop's time pass where there is nothing to wait for."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready now; else what becomes ready while work is under way; else nothing, and `timeout` later."""
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(STUCK if self._loop.under_way else 0)
        if not ready:
            self._loop.pass_time(timeout)
        return ready


def virtual_loop() -> VirtualLoop:
    """The running loop."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop


class Run(Protocol):
    """Runs one scenario to its end."""

    def __call__(self, scenario: Coroutine[Any, Any, _Value], /) -> _Value:
        """What the scenario returns."""
        ...


@contextmanager
def simulation() -> Iterator[Run]:
    """Runs scenarios, one after the other, on one such loop."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        yield runner.run
