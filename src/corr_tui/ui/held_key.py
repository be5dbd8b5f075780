"""A key that may still be held, told from one that was pressed: terminals report no release.

For a while after something that a held key must not run on into, a press counts only when it stands alone: another at
once shows that the key is repeating, and then nothing counts until the keyboard was quiet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

QUIET = 0.7
"""Seconds without a stroke after which a key counts as let go; longer than any usual delay before repeating."""
ALONE = 0.15
"""Seconds without another press after which one stands alone; longer than any usual repeat."""


class Stoppable(Protocol):
    """A timer that runs once, unless it is stopped before."""

    def stop(self) -> None:
        """Let it not run."""
        ...


class HeldKey:
    """Calls `changed` when it was let go, and `pressed` for a press that stood alone meanwhile; times in seconds."""

    def __init__(
        self,
        set_timer: Callable[[float, Callable[[], None]], Stoppable],
        changed: Callable[[], None],
        pressed: Callable[[], None],
        *,
        quiet: float = QUIET,
        alone: float = ALONE,
    ) -> None:
        self._set_timer = set_timer
        self._changed, self._pressed = changed, pressed
        self._quiet, self._alone = quiet, alone
        self._quiet_timer: Stoppable | None = None
        self._alone_timer: Stoppable | None = None
        self._repeating = False
        self.held = False

    def hold(self) -> None:
        """From now on it may be held."""
        self.held = True
        self._stop()
        self._quiet_timer = self._set_timer(self._quiet, self.let_go)

    def press(self) -> None:
        """A press while it may be held."""
        repeating = self._repeating or self._alone_timer is not None
        self.hold()
        self._repeating = repeating
        if not repeating:
            self._alone_timer = self._set_timer(self._alone, self._stood_alone)

    def let_go(self) -> None:
        """It is held no longer."""
        self._stop()
        self.held = self._repeating = False
        self._changed()

    def _stood_alone(self) -> None:
        self.let_go()
        self._pressed()

    def _stop(self) -> None:
        for timer in (self._quiet_timer, self._alone_timer):
            if timer is not None:
                timer.stop()
        self._quiet_timer = self._alone_timer = None
