"""The events somebody looked at, back and forward, as pages of a browser. Pure."""

from __future__ import annotations

KEPT = 100
"""Events remembered, at most."""


class Trail:
    """Where somebody was, by event id; `went` is a jump, `step` goes over the jumps again."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._at = -1

    def went(self, before: str | None, to: str) -> None:
        """Somebody went from one event to another one; what lay forward is forgotten."""
        if before == to:
            return
        del self._ids[self._at + 1 :]
        for each in (before, to):
            if each is not None and self._ids[-1:] != [each]:
                self._ids.append(each)
        del self._ids[:-KEPT]
        self._at = len(self._ids) - 1

    def step(self, steps: int, now: str | None) -> str | None:
        """The event so many jumps back, or forward, from the one somebody is at; None where there is none.

        Whoever moved on row by row since the last jump can come back to where they are now.
        """
        if steps < 0 and now is not None and self._ids and now != self._ids[self._at]:
            self.went(self._ids[self._at], now)
        to = self._at + steps
        if not 0 <= to < len(self._ids):
            return None
        self._at = to
        return self._ids[to]
