"""The service's clock, measured and never assumed (experience: honesty 2).

A Date field names a whole second, and many services compute it only once a second: it may lag by just under two
seconds. Each answer therefore bounds the offset between the service's time and the local monotonic clock from both
sides, and bounds of many answers narrow each other. When they exclude each other the newest stands alone.

The monotonic clock stands still while this machine sleeps, and the wall clock goes on. A jump between the two is such a
sleep, or a clock that was set; which of them cannot be told, so the bounds widen to hold both until an answer tells.
Bounds as wide as that are said, and past MOST_UNSURE the service's time is not known: nothing counts down by it.

A Date more than a day from this machine's wall clock is believed no more than that clock is: it narrows nothing, and
where the service says nothing else its time is not known. Whoever draws then says so, rather than that a claim has
lapsed or has nine thousand years left.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from corr_tui.client.http import Exchange
from corr_tui.state.snapshot import Clock

DATE_LAG = 2.0
"""Seconds by which a Date may be behind the moment it was sent."""
DRIFT = 200e-6
"""Seconds a second by which two clocks may part."""
JUMP = 0.25
"""Seconds that the wall clock may gain or lose against the monotonic one between two looks at both."""
MOST_UNSURE = 300.0
"""Seconds of uncertainty past which a time is none."""
MOST_SKEW = timedelta(days=1)
"""How far from this machine's wall clock a Date may be."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ServiceClock:
    """The offset of the service's clock, as an interval that answers narrow. Never raises; `wall` is this machine's."""

    def __init__(self, wall: Callable[[], datetime]) -> None:
        self._wall = wall
        self._least = 0.0
        self._most = 0.0
        self._measured_at: float | None = None
        self._gap: float | None = None
        self._jumped = 0.0

    def heard(self, exchange: Exchange) -> None:
        """Take what one answer says about the service's time."""
        self._compare(exchange.ended)
        if exchange.date is None or abs(exchange.date - self._wall()) > MOST_SKEW:
            return
        date = _seconds(exchange.date)
        least, most = date - exchange.ended, date + DATE_LAG - exchange.began
        if self._measured_at is not None:
            drift = DRIFT * (exchange.ended - self._measured_at)
            before = self._least - drift, self._most + drift
            if max(before[0], least) <= min(before[1], most):
                least, most = max(before[0], least), min(before[1], most)
        self._least, self._most, self._measured_at = least, most, exchange.ended

    def jump(self, monotonic: float) -> float:
        """By how many seconds the wall clock has jumped against the monotonic one since this was last asked: what this
        machine slept, or how far its clock was set; 0 for neither."""
        self._compare(monotonic)
        jumped, self._jumped = self._jumped, 0.0
        return jumped

    def reading(self, monotonic: float | None = None) -> Clock:
        """The service's time as far as it is known at an instant, or was when it was last measured."""
        if self._measured_at is None:
            return Clock()
        since = 0.0 if monotonic is None else max(monotonic - self._measured_at, 0.0)
        uncertainty = (self._most - self._least) / 2 + DRIFT * since
        if uncertainty > MOST_UNSURE:
            return Clock()
        time = _EPOCH + timedelta(seconds=(self._least + self._most) / 2 + self._measured_at)
        return Clock(time, self._measured_at, uncertainty)

    def _compare(self, monotonic: float) -> None:
        """Look at both clocks of this machine; a jump between them widens the bounds by as much."""
        before, self._gap = self._gap, _seconds(self._wall()) - monotonic
        jump = 0.0 if before is None else self._gap - before
        if abs(jump) > JUMP:
            self._jumped += jump
            self._least += min(jump, 0.0)
            self._most += max(jump, 0.0)


def _seconds(moment: datetime) -> float:
    return (moment - _EPOCH).total_seconds()
