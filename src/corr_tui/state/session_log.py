"""What happens in a session, noted for its diagnostics: changes of the link, and what each refresh met.

Bounded, and without a secret: an answer is noted by its status and the last word of the path asked for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from corr_tui.client.http import Exchange
from corr_tui.state.diagnostics import MOST_CHANGES, MOST_REFRESHES, LinkChange, Refreshed
from corr_tui.state.snapshot import Link, instant

MOST_ANSWERS = 12
"""Kinds of answers of one refresh that are told."""


@dataclass
class SessionLog:
    """Takes what happens, and forgets what is long ago. `wall` is the clock of this machine."""

    wall: Callable[[], datetime]
    monotonic: Callable[[], float]
    links: deque[LinkChange] = field(default_factory=lambda: deque(maxlen=MOST_CHANGES))
    refreshes: deque[Refreshed] = field(default_factory=lambda: deque(maxlen=MOST_REFRESHES))
    _answers: dict[str, int] = field(default_factory=dict)
    _began: float = 0.0
    _began_at: str = ""

    def link(self, link: Link) -> None:
        """The link as it is now; what is the same as before is no change."""
        last = self.links[-1] if self.links else None
        if last is None or (last.state, last.reason) != (link.state, link.detail):
            self.links.append(LinkChange(instant(self.wall()), link.state, link.detail))

    def exchanged(self, exchange: Exchange) -> None:
        """One answer of the service."""
        if exchange.asked:
            answer = f"{exchange.asked} {exchange.status}"
            self._answers[answer] = self._answers.get(answer, 0) + 1

    def begin(self) -> None:
        """A refresh begins."""
        self._answers.clear()
        self._began, self._began_at = self.monotonic(), instant(self.wall())

    def end(self, events: int, trouble: str) -> None:
        """It has ended, with so many more events, or with trouble."""
        told = [answer if count == 1 else f"{answer} ×{count}" for answer, count in self._answers.items()]
        took = self.monotonic() - self._began
        self.refreshes.append(Refreshed(self._began_at, took, tuple(told[:MOST_ANSWERS]), events, trouble))
