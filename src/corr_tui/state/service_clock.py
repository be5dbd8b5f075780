"""The service's clock, measured and never assumed (experience: honesty 2).

A Date field names a whole second, and many services compute it only once a second: it may lag by just under two
seconds. Each answer therefore bounds the offset between the service's time and the local monotonic clock from both
sides, and bounds of many answers narrow each other. When they exclude each other (a clock was set, or this machine
slept), the newest stands alone.

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

    def heard(self, exchange: Exchange) -> None:
        """Take what one answer says about the service's time."""
        if exchange.date is None or abs(exchange.date - self._wall()) > MOST_SKEW:
            return
        date = (exchange.date - _EPOCH).total_seconds()
        least, most = date - exchange.ended, date + DATE_LAG - exchange.began
        if self._measured_at is not None:
            drift = DRIFT * (exchange.ended - self._measured_at)
            before = self._least - drift, self._most + drift
            if max(before[0], least) <= min(before[1], most):
                least, most = max(before[0], least), min(before[1], most)
        self._least, self._most, self._measured_at = least, most, exchange.ended

    def reading(self) -> Clock:
        """The service's time as far as it is known."""
        if self._measured_at is None:
            return Clock()
        offset = (self._least + self._most) / 2
        time = _EPOCH + timedelta(seconds=offset + self._measured_at)
        return Clock(time, self._measured_at, (self._most - self._least) / 2)
