"""The terminal's driver, for a program that gives the terminal away for a while and has a title of its own.

While an editor or the shell has the terminal nothing is written to it: what Textual draws meanwhile is dropped, since
all is painted anew on coming back. A title is saved before it is first set, and given back whenever the terminal is
left, by whichever door: the end, a crash, a signal, the shell.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from textual.driver import Driver

from corr_tui.ui.sequences import RESTORE_TITLE, SAVE_TITLE


class Lent(Driver):
    """What is added to a platform's driver."""

    away = False
    """Whether somebody else has the terminal."""
    _titled = False

    def measured(self) -> tuple[int, int] | None:
        """The cells of the terminal as the system tells them now; None where the terminal tells its size by itself.

        The signals of two changes in quick succession may overtake each other, and the size told last be the older one.
        """
        if self.is_headless or getattr(self, "_in_band_window_resize", False):
            return None
        try:
            size = os.get_terminal_size(sys.__stdin__.fileno() if sys.__stdin__ is not None else 0)
        except (OSError, ValueError):
            return None
        return size.columns, size.lines

    def write(self, data: str) -> None:
        """Write, unless somebody else has the terminal."""
        beneath: Any = super()  # abstract only as far as this class alone can tell
        if not self.away:
            beneath.write(data)

    def entitle(self, sequence: str) -> None:
        """Set the title by its sequence; what it was before comes back when the terminal is left."""
        if self.away:
            return
        if not self._titled:
            self.write(SAVE_TITLE)
        self._titled = True
        self.write(sequence)

    def stop_application_mode(self) -> None:
        """Give the title back first."""
        if self._titled:
            self.write(RESTORE_TITLE)
        self._titled = False
        beneath: Any = super()
        beneath.stop_application_mode()

    def suspend_application_mode(self) -> None:
        """Leave the terminal to somebody else."""
        super().suspend_application_mode()
        self.away = True

    def resume_application_mode(self) -> None:
        """Take it back."""
        self.away = False
        super().resume_application_mode()


def lending(base: type[Driver]) -> type[Driver]:
    """A platform's driver with these manners."""
    return type(f"Lent{base.__name__}", (Lent, base), {})
