"""The board as it is drawn: one snapshot and one view of it in, panels patched in place (look: panels).

Drawing is coalesced: many snapshots in one turn of the loop are one patch. There is one timer, and a panel is drawn
by it only when a text in it changes. What reads a snapshot is loaded after the first paint.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.reactive import reactive
from textual.screen import Screen
from textual.timer import Timer

from corr_tui.ui.commands import commands_of, shown_keys
from corr_tui.ui.line import Ink, Layout, Line, Span, View
from corr_tui.ui.screens.board_frame import Board
from corr_tui.ui.screens.opening import Opening
from corr_tui.ui.screens.places import PANELS
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.text import clean
from corr_tui.ui.widgets.panel import Panel

if TYPE_CHECKING:  # loaded by `begin`, after the first paint
    from corr_tui.state.border import Correspondence
    from corr_tui.state.snapshot import Heard, Snapshot
    from corr_tui.ui.screens.board_content import BoardContent
    from corr_tui.ui.screens.reader import Reader


STATUS_SECONDS = 8.0
"""How long a result stays in the place of the keys."""


class BoardView(Screen[None]):
    """Six panels over one snapshot; until `begin` only their frame."""

    CSS_PATH = stylesheet("board.tcss")
    AUTO_FOCUS = "#events"

    snapshot: reactive[Snapshot | None] = reactive(None, init=False, repaint=False)
    """What is drawn; replaced, never changed."""

    def __init__(
        self,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        zone: tzinfo = UTC,
        ascii_only: bool = False,
        folder: Path | None = None,
    ) -> None:
        super().__init__()
        self.folder = folder
        """Where Git is asked about revisions, if anywhere."""
        self.board = Board(ascii_only=ascii_only)
        self.reader: Reader | None = None
        self.status: Line = ()
        """The result of what was last done, in the footer until the next thing is done or it was there long enough."""
        self.correspondence: Correspondence | None = None
        """Whom a draft is handed to, once it is open."""
        self._status_timer: Timer | None = None
        self._first_view = View(zone=zone, ascii_only=ascii_only)
        self._monotonic = monotonic
        self._draw_asked = False
        self._change_at = 0.0

    @property
    def view(self) -> View:
        """How the snapshot is looked at."""
        return self._first_view if self.reader is None else self.reader.view

    def compose(self) -> ComposeResult:
        """The board is the whole screen."""
        yield self.board

    def begin(self) -> None:
        """Load what reads a snapshot, draw that none is here yet, and start the one timer."""
        from corr_tui.ui.screens.reader import Reader

        self.reader = Reader(replace(self._first_view, keys=shown_keys(commands_of(self.app))))
        self.snapshot = self.reader.snapshot
        self._wait()

    def on_resize(self) -> None:
        """Other widths say more or less."""
        self.draw()

    def watch_snapshot(self, now: Snapshot | None) -> None:
        """Take a snapshot over."""
        if self.reader is not None and now is not None:
            self.reader.take(now)
            self.redraw()

    def fail(self, words: str) -> None:
        """Say in place why the correspondence could not be opened."""
        if self.reader is not None:
            self.reader.failure = words
            self.redraw()

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

    def choose_thread(self, thread_id: str | None) -> None:
        """Show the events of one thread, or of all."""
        if self.reader is not None:
            self.reader.choose_thread(thread_id)
            self.board.panels["threads"].choose(thread_id or "")
            self.redraw()

    def bring(self, event_id: str) -> bool:
        """Bring an event under the cursor of the events, in all threads if it is not in the chosen one; whether it is
        in the list."""
        panel = self.board.panels["events"]
        if event_id not in panel.view.places.index and self.view.thread_id is not None:
            self.choose_thread(None)
            self.draw()
        if event_id not in panel.view.places.index:
            return False
        panel.choose(event_id)
        self.action_panel("events")
        return True

    def subjects(self) -> tuple[Heard, ...]:
        """The events under the cursor: of the conflict where conflicts have the focus, else of the events."""
        # the list itself is asked, not the view: a message about a cursor that just moved may still be on its way
        panel = self.subject_panel
        return () if self.reader is None else self.reader.subjects(panel.panel_name, panel.view.cursor or "")

    @property
    def subject_panel(self) -> Panel:
        """The panel whose rows say what an event is said about."""
        return self.board.panels["conflicts" if self.board.active == "conflicts" else "events"]

    def redraw(self) -> None:
        """Draw once, after whatever else this turn of the loop brings."""
        if self.is_mounted and not self._draw_asked:
            self._draw_asked = True
            self.call_next(self.draw)

    def draw(self) -> None:
        """Draw everything, now."""
        self._draw_asked = False
        if not self.size:
            return
        if self.reader is not None:
            self.reader.at(self._monotonic())
            self._change_at = self.reader.next_change()
        self.draw_panels(*PANELS)
        self.draw_bars()

    def _content(self) -> BoardContent | Opening:
        if self.reader is None:
            return Opening(self.size, self.board.active, commands_of(self.app))
        return self.reader.content(self.size, self.board.active, commands_of(self.app))

    def draw_panels(self, *names: str) -> None:
        """Draw these panels, as far as they are shown."""
        regions, content = self.board.places(self.size), self._content()
        for name in names:
            if name in regions:
                self.board.panels[name].show(*content.panel(name, regions[name]))
        if self.reader is not None:
            self.board.make_room(len(self.board.panels["presence"].view.places.keys))

    def draw_bars(self) -> None:
        """Draw header, tabs and footer."""
        content = self._content()
        self.board.header.show(content.header())
        self.board.footer.show(content.footer(self.status))
        if content.layout is Layout.NARROW:
            self.board.tabs.show(content.tabs())

    def _wait(self) -> None:
        if self.reader is not None:
            self.set_timer(self.reader.next_second(), self._tick)

    def _tick(self) -> None:
        if self.reader is not None:
            self.reader.at(self._monotonic())
            if self.view.monotonic >= self._change_at:
                self.draw()
            elif self.size:
                self.board.header.show(self._content().header())
        self._wait()

    def action_panel(self, name: str) -> None:
        """Go to a panel: it has the focus when this returns, so that the next key already reaches it."""
        self.set_focus(self.board.panels[name], scroll_visible=False)
        if name != self.board.active:
            if self.status:
                self.tell("")
            self.board.activate(name)
            self.draw()
