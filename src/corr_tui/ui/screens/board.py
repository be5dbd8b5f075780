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
from corr_tui.ui.screens.board_view import BoardView
from corr_tui.ui.screens.places import PANELS
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.panel import Panel

if TYPE_CHECKING:  # loaded by `begin`, after the first paint
    from corr_tui.state.border import Sent
    from corr_tui.state.snapshot import Heard


class BoardScreen(BoardView):
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
        if self.reader is not None:
            self.reader.open_text(message.key)
            self.reader.select(message.key, by_person=True)
            self.redraw()
        self.action_panel("selected")

    @on(LineList.Opened, "#claims")
    @on(LineList.Opened, "#conflicts")
    @on(LineList.Opened, "#presence")
    def _show_event(self, message: LineList.Opened) -> None:
        if self.reader is None:
            return
        found = self.reader.shown_by(message.line_list.id or "", message.key)
        if found is not None:
            self.show_event(found.event_id)
        elif message.line_list.id == "presence":
            self.tell(f"Nothing of {self.reader.snapshot.name_of(message.key)} was received here.")
        else:
            self.tell("No event of this is known here.")

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
        # the composer is loaded when it is first asked for, not before the first paint
        from corr_tui.state.git_facts import GitFacts
        from corr_tui.ui.screens.compose import ComposeScreen, Pinned
        from corr_tui.ui.screens.reader import result_words

        def told(sent: Sent | None) -> None:
            panel.view.resume()
            self.tell(result_words(kind, sent) if sent else "")

        panel = self.subject_panel
        panel.view.hold()
        spot = panel.spot() if panel.panel_name in self.board.places(self.size) else None
        composer = ComposeScreen(
            self.correspondence,
            kind,
            subjects,
            self.reader.snapshot,
            pinned=None if spot is None else Pinned(*spot),
            git=None if self.folder is None else GitFacts(self.folder),
            kept=self.reader.kept,
            opened_by=opened_by,
            ascii_only=self.view.ascii_only,
        )
        await self.app.push_screen(composer, told)

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

    async def action_refresh_now(self) -> None:
        """Ask the service again now."""
        if self.correspondence is not None:
            self.tell("Asking the service again.")
            self.run_worker(self.correspondence.refresh(), group="refresh", exclusive=True)

    def action_help(self) -> None:
        """What the keys do and what the signs mean."""
        # loaded when it is first asked for, not before the first paint
        from corr_tui.ui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(ascii_only=self.view.ascii_only))

    def action_quit(self) -> None:
        """Leave."""
        self.app.exit()
