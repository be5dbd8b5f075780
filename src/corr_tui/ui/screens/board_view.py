"""The board as it is drawn: one snapshot and one view of it in, panels patched in place (look: panels)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from corr_tui.ui.commands import Scope, commands_of, shown_keys
from corr_tui.ui.line import View
from corr_tui.ui.screens.asking import AskingScreen
from corr_tui.ui.screens.board_frame import Board
from corr_tui.ui.screens.opening import Opening
from corr_tui.ui.screens.places import PANELS, Arrangement
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.widgets.panel import Panel

if TYPE_CHECKING:  # loaded by `begin`, after the first paint
    from corr_tui.state.snapshot import Heard
    from corr_tui.ui.screens.board_content import BoardContent


class BoardView(AskingScreen):
    """Six panels over one snapshot; until `begin` only their frame."""

    CSS_PATH = stylesheet("board.tcss")
    AUTO_FOCUS = "#events"
    scopes: ClassVar[frozenset[Scope]] = AskingScreen.scopes | {Scope.BOARD}

    def __init__(
        self,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        zone: tzinfo = UTC,
        ascii_only: bool = False,
        folder: Path | None = None,
        strip: bool = False,
    ) -> None:
        """`strip` is whether it stands beside something else, with room for little."""
        super().__init__(View(zone=zone, ascii_only=ascii_only), monotonic=monotonic, folder=folder)
        self.board = Board(ascii_only=ascii_only)
        self.board.arrangement = Arrangement(strip=strip)

    def compose(self) -> ComposeResult:
        """The board is the whole screen."""
        yield self.board

    def begin(self) -> None:
        """Load what reads a snapshot, draw that none is here yet, and start the one timer."""
        from corr_tui.ui.screens.reader import Reader

        self.reader = Reader(replace(self._first_view, keys=shown_keys(commands_of(self.app))))
        self.snapshot = self.reader.snapshot
        self.wait_a_second()

    def fail(self, words: str) -> None:
        """Say in place why the correspondence could not be opened."""
        if self.reader is not None:
            self.reader.failure = words
            self.redraw()

    def choose_thread(self, thread_id: str | None) -> None:
        """Show the events of one thread, or of all."""
        if self.reader is not None:
            self.reader.choose_thread(thread_id)
            self.board.panels["events"].view.choose_anew()
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

    def on_screen_resume(self) -> None:
        """Shown again: another thread may have been chosen meanwhile."""
        if self.reader is not None:
            self.board.panels["threads"].choose(self.view.thread_id or "")

    def subjects(self) -> tuple[Heard, ...]:
        """The events under the cursor: of the conflict where conflicts have the focus, else of the events."""
        # the list itself is asked, not the view: a message about a cursor that just moved may still be on its way
        panel = self.subject_panel
        return () if self.reader is None else self.reader.subjects(panel.panel_name, panel.view.cursor or "")

    def at(self) -> str | None:
        """The id of the event under the cursor: of the claim where claims have the focus."""
        if self.board.active == "claims" and (key := self.board.panels["claims"].view.cursor):
            return key
        return super().at()

    @property
    def about(self) -> str:
        """The focused panel."""
        return self.board.active

    @property
    def subject_panel(self) -> Panel:
        """The panel whose rows say what an event is said about."""
        return self.board.panels["conflicts" if self.board.active == "conflicts" else "events"]

    def _content(self) -> BoardContent | Opening:
        if self.reader is None:
            return Opening(self.size, self.board.active, commands_of(self.app), self.board.arrangement)
        return self.reader.content(self.size, self.board.active, commands_of(self.app), self.board.arrangement)

    def draw_parts(self) -> None:
        """Draw every panel."""
        self.draw_panels(*PANELS)

    def draw_panels(self, *names: str) -> None:
        """Draw these panels, as far as they are shown."""
        regions, content = self.board.places(self.size), self._content()
        events = self.board.panels["events"]
        events.marked, events.marks = self.view.marked, len(self.view.marked)
        for name in names:
            if name in regions:
                self.board.panels[name].show(*content.panel(name, regions[name]))
        if self.reader is not None:
            self.board.make_room(len(self.board.panels["presence"].view.places.keys))

    def draw_header(self) -> None:
        """Draw the header alone."""
        self.board.header.show(self._content().header())

    def draw_bars(self) -> None:
        """Draw header, tabs and footer."""
        content = self._content()
        self.board.header.show(content.header())
        self.board.footer.show(content.footer(self.status))
        if "tabs" in self.board.places(self.size):
            self.board.tabs.show(content.tabs())

    def action_panel(self, name: str) -> None:
        """Go to a panel: it has the focus when this returns, so that the next key already reaches it."""
        self.set_focus(self.board.panels[name], scroll_visible=False)
        if name != self.board.active:
            if self.status:
                self.tell("")
            self.board.activate(name)
            self.draw()
