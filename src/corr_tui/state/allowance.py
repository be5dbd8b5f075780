"""A pace for what could go on without end: so many at once, and so many a second after that."""

from __future__ import annotations

from collections.abc import Callable


class Allowance:
    """Steps that are left now; a step may be taken with none left, and whoever looks afterwards stops."""

    def __init__(self, at_once: int, a_second: float, monotonic: Callable[[], float]) -> None:
        self._at_once = at_once
        self._a_second = a_second
        self._monotonic = monotonic
        self._left = float(at_once)
        self._counted_at = monotonic()

    def take(self) -> None:
        """Take one step."""
        now = self._monotonic()
        self._left = min(self._left + (now - self._counted_at) * self._a_second, self._at_once)
        self._left = max(self._left - 1, 0.0)
        self._counted_at = now

    @property
    def spent(self) -> bool:
        """Whether another step has to wait."""
        return self._left < 1
