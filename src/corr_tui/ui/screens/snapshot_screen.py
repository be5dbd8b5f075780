"""What every screen over a snapshot has in common: the board, and each view of it (look: panels).

A snapshot and a view of it in, parts patched in place. Drawing is coalesced: many snapshots in one turn of the loop are
one patch, and what is covered by another screen is drawn when it shows again. There is one timer, and more than the
header is drawn by it only when a text below the header changes. What reads a snapshot is loaded after the first paint.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.reactive import reactive
from textual.screen import Screen
from textual.timer import Timer

from corr_tui.ui.line import Ink, Line, Span, View
from corr_tui.ui.text import clean

if TYPE_CHECKING:  # loaded by the board's `begin`, after the first paint
    from corr_tui.state.border import Correspondence
    from corr_tui.state.snapshot import Snapshot
    from corr_tui.ui.screens.reader import Reader


STATUS_SECONDS = 8.0
"""How long a result stays in the place of the keys."""


class SnapshotScreen(Screen[str | None]):
    """Draws one snapshot as it is read; a screen that is left may name an event to show on the one below."""

    NAME: ClassVar[str] = ""
    """Of a view: what it is opened by."""

    snapshot: reactive[Snapshot | None] = reactive(None, init=False, repaint=False)
    """What is drawn; replaced, never changed."""

    def __init__(self, view: View, *, monotonic: Callable[[], float], folder: Path | None = None) -> None:
        super().__init__()
        self.monotonic = monotonic
        self.folder = folder
        """Where Git is asked about revisions, if anywhere."""
        self.reader: Reader | None = None
        self.status: Line = ()
        """The result of what was last done, in the footer until the next thing is done or it was there long enough."""
        self.correspondence: Correspondence | None = None
        """Whom a draft is handed to, once it is open."""
        self._first_view = view
        self._status_timer: Timer | None = None
        self._second_timer: Timer | None = None
        self._draw_asked = False
        self._change_at = 0.0

    @property
    def view(self) -> View:
        """How the snapshot is looked at."""
        return self._first_view if self.reader is None else self.reader.view

    @property
    def covered(self) -> bool:
        """Whether another screen lies over all of this one."""
        stack = self.app.screen_stack
        above = stack[stack.index(self) + 1 :] if self in stack else []
        return any(not screen.is_modal for screen in above)

    # What each screen says for itself.

    def draw_parts(self) -> None:
        """Draw everything between header and footer."""
        raise NotImplementedError

    def draw_bars(self) -> None:
        """Draw header and footer."""
        raise NotImplementedError

    def draw_header(self) -> None:
        """Draw the header alone."""
        raise NotImplementedError

    def begin_at(self, event_id: str | None) -> None:
        """Bring an event under the cursor, where it is shown."""
        raise NotImplementedError

    def next_change(self) -> float:
        """The monotonic instant at which a text below the header may differ by time alone."""
        return 0.0 if self.reader is None else self.reader.next_change()

    # Drawing.

    def watch_snapshot(self, now: Snapshot | None) -> None:
        """Take a snapshot over."""
        if self.reader is not None and now is not None:
            self.reader.take(now)
            self.redraw()

    def on_resize(self) -> None:
        """Other widths say more or less."""
        self.draw()

    def on_screen_resume(self) -> None:
        """Shown again: what came meanwhile is drawn."""
        self.redraw()
        self.wait_a_second()

    def redraw(self) -> None:
        """Draw once, after whatever else this turn of the loop brings."""
        if self.is_mounted and not self._draw_asked:
            self._draw_asked = True
            self.call_next(self.draw)

    def draw(self) -> None:
        """Draw everything, now."""
        self._draw_asked = False
        if not self.size or self.covered:
            return
        if self.reader is not None:
            self.reader.at(self.monotonic())
            self._change_at = self.next_change()
        self.draw_parts()
        self.draw_bars()

    def wait_a_second(self) -> None:
        """Wake up when the clock shows another second, unless it is so set already or nobody would see it."""
        if self.reader is not None and self._second_timer is None and not self.covered:
            self._second_timer = self.set_timer(self.reader.next_second(), self._tick)

    def _tick(self) -> None:
        self._second_timer = None
        if self.reader is not None and not self.covered:
            self.reader.at(self.monotonic())
            if self.view.monotonic >= self._change_at:
                self.draw()
            elif self.size:
                self.draw_header()
        self.wait_a_second()

    # Telling.

    def tell(self, words: str, ink: Ink = Ink.TEXT) -> None:
        """Say a result in the footer; any text may come from elsewhere and passes the text door."""
        self.status = (Span(clean(words), ink),) if words else ()
        if self._status_timer is not None:
            self._status_timer.stop()
        self._status_timer = self.set_timer(STATUS_SECONDS, self._fall_silent) if words else None
        self.draw_bars()

    def _fall_silent(self) -> None:
        self._status_timer, self.status = None, ()
        self.draw_bars()
