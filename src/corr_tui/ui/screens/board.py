"""The board under keys and mouse: panels, threads, and what is said about an event (experience: keys).

Nothing here posts anything: a key opens the composer, and posting is the composer's. Looking acknowledges nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.binding import BindingType

from corr_tui.ui import commands
from corr_tui.ui.screens.board_asking import BoardAsking
from corr_tui.ui.screens.places import PANELS
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.panel import Panel

if TYPE_CHECKING:  # loaded by `begin`, after the first paint
    from corr_tui.state.snapshot import Heard


class BoardScreen(BoardAsking):
    """The board with its commands."""

    BINDINGS: ClassVar[list[BindingType]] = [*commands.bindings(commands.Scope.BOARD)]

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
        if isinstance(event.widget, Panel) and event.widget is self.focused:
            self.action_panel(event.widget.panel_name)

    def action_next_panel(self) -> None:
        """Go to the next panel."""
        self._go(1)

    def action_previous_panel(self) -> None:
        """Go to the previous panel."""
        self._go(-1)

    def _go(self, steps: int) -> None:
        self.action_panel(PANELS[(PANELS.index(self.board.active) + steps) % len(PANELS)])

    def action_back(self) -> None:
        """From the selected event to the events, from a thread to all threads, from any panel to the events."""
        if self.status:
            self.tell("")
        if self.board.active != "events":
            self.action_panel("events")
        elif self.view.thread_id is not None:
            self.choose_thread(None)

    @on(Bar.Chosen)
    async def _run_command(self, message: Bar.Chosen) -> None:
        command = commands.find(message.command_id)
        owner = {commands.Scope.LIST: self.focused, commands.Scope.APP: self.app}.get(command.scope, self)
        await self.app.run_action(command.action, owner or self)

    # Deeds.

    async def action_compose(self, kind: str, opened_by: str = "") -> None:
        """Open the composer, pinned to the events under the cursor; `opened_by` is a key other than the command's.

        The screen is there when this returns, so that of two strokes typed at once the second already reaches it.
        """
        subjects = self.subjects()
        if self.correspondence is None or self.reader is None or not subjects:
            self.tell("There is no event with a receipt under the cursor.")
            return
        await self.open_composer(kind, subjects, opened_by)

    def action_copy_id(self) -> None:
        """Copy the event id."""
        self._copy("id", lambda heard: heard.event_id)

    def action_copy_json(self) -> None:
        """Copy the event as JSON, as it was received."""
        self._copy("JSON", lambda heard: json.dumps(heard.record.event.evidence, indent=2))

    def _copy(self, what: str, text_of: Callable[[Heard], str]) -> None:
        subjects = self.subjects()
        if not subjects or self.reader is None:
            self.tell("There is no event with a receipt under the cursor.")
            return
        self.app.copy_to_clipboard(text_of(subjects[0]))
        number = self.reader.snapshot.number_of(subjects[0].event_id)
        self.tell(f"The {what} of {number} was handed to the terminal's clipboard (OSC 52).")

    def action_quit(self) -> None:
        """Leave."""
        self.app.exit()
