"""The board under keys and mouse: panels, threads, and what is said about an event (experience: keys).

Nothing here posts anything: a key opens the composer, and posting is the composer's. Looking acknowledges nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType

from corr_tui.ui import commands
from corr_tui.ui.screens.board_arranging import BoardArranging
from corr_tui.ui.screens.board_filtering import BoardFiltering
from corr_tui.ui.screens.board_moving import BoardMoving
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.panel import Panel


class BoardScreen(BoardArranging, BoardMoving, BoardFiltering):
    """The board with its commands."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.bindings(commands.Scope.BOARD),
        *commands.bindings(commands.Scope.READING),
    ]

    # What a list says.

    @on(LineList.Highlighted, "#events")
    def _select(self, message: LineList.Highlighted) -> None:
        if message.by_person and self.status:
            self.tell("")
        if self.reader is not None and (message.key != self.view.selected or message.by_person):
            self.reader.select(message.key, by_person=message.by_person)
            self.draw_panels("selected", *(("threads",) if message.by_person else ()))
        if message.by_person and message.key is not None:
            self.came_to(message.key)

    @on(LineList.BelowChanged, "#events")
    def _count_below(self) -> None:
        if self.reader is not None:
            self.reader.view = replace(self.view, new_below=self.board.panels["events"].view.below)
            self.draw_panels("events")

    @on(LineList.Opened, "#threads")
    def _open_thread(self, message: LineList.Opened) -> None:
        self.choose_thread(message.key or None)
        self.action_panel("events")

    @on(LineList.Opened, "#events")
    def _open_event(self, message: LineList.Opened) -> None:
        if self.reader is not None and not self.opened_note(message.key):
            self.reader.open_text(message.key)
            self.reader.select(message.key, by_person=True)
            self.redraw()
            self.action_panel("selected")

    @on(LineList.Opened, "#claims")
    @on(LineList.Opened, "#conflicts")
    @on(LineList.Opened, "#presence")
    @on(LineList.Opened, "#selected")
    def _show_event(self, message: LineList.Opened) -> None:
        if self.reader is None:
            return
        panel = message.line_list.id or ""
        found = self.reader.shown_by(panel, message.key)
        if found is not None:
            self.show_event(found)
        elif panel == "presence":
            self.tell(f"Nothing of {self.reader.snapshot.name_of(message.key)} was received here.")
        else:
            self.tell("It names no other event." if panel == "selected" else "No event of this is known here.")

    # Focus.

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The focused panel is the one a narrow board shows, and whose keys the footer shows."""
        super().on_descendant_focus(event)
        if isinstance(event.widget, Panel) and event.widget is self.focused:
            self.action_panel(event.widget.panel_name)

    def action_next_panel(self) -> None:
        """Go to the next panel."""
        self._go(1)

    def action_previous_panel(self) -> None:
        """Go to the previous panel."""
        self._go(-1)

    def _go(self, steps: int) -> None:
        shown = self.board.arrangement.shown
        self.action_panel(shown[(shown.index(self.board.active) + steps) % len(shown)])

    def action_back(self) -> None:
        """One step back: from any panel to the events, from marks to none, from a thread to all threads, from what a
        filter finds to everything."""
        if self.status:
            self.tell("")
        if self.board.active != "events":
            self.action_panel("events")
        elif self.reader is not None and self.view.marked:
            self.reader.unmark()
            self.draw()
        elif self.view.thread_id is not None:
            self.choose_thread(None)
        else:
            self.narrow(None)

    def action_quit(self) -> None:
        """Leave."""
        self.app.exit()
