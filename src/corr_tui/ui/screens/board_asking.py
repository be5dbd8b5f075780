"""What the board asks of the session by itself: events that are not at hand.

An event that is not at hand is recalled from the history kept here; earlier events are fetched when a person comes to
the top of the list.
"""

from __future__ import annotations

from functools import partial

from textual import on

from corr_tui.ui.screens.board_view import BoardView
from corr_tui.ui.terminal_app import copy_with
from corr_tui.ui.widgets.line_list import LineList


class BoardAsking(BoardView):
    """The board with its questions to the session."""

    def show_event(self, event_id: str) -> None:
        """Bring an event under the cursor of the events; recall it where it is kept further back."""
        if self.reader is not None and not self.bring(event_id):
            self.ask(partial(self._recall, event_id), "recall")

    def begin_at(self, event_id: str | None) -> None:
        """Bring an event under the cursor of the events."""
        if event_id is not None:
            self.show_event(event_id)

    async def _recall(self, event_id: str) -> None:
        if self.correspondence is None or self.reader is None:
            return
        heard = await self.correspondence.recall(event_id)
        if heard is None:
            known = self.reader.snapshot.history.complete
            self.tell("No event of this is known here." if known else "This event is not read yet, or is missing.")
            return
        self.reader.take(self.correspondence.snapshot)
        self.reader.recall(heard)
        self.draw()
        self.bring(heard.key)

    def came_to(self, key: str) -> None:
        """A person put the cursor of the events on this row: at the top of those at hand, more are fetched."""
        from corr_tui.ui.panels.event_rows import EARLIER

        if key == EARLIER:
            self._widen()

    def opened_note(self, key: str) -> bool:
        """Whether the row opened is a note, and what it offers is done."""
        from corr_tui.ui.panels.event_rows import EARLIER, GAP

        if key == EARLIER:
            self._widen()
        elif key == GAP:
            self.tell("What lies here is not read yet.")
        elif self._command(key):
            self.tell(f"{self.key('copy.id')} copies it; run it in a terminal.")
            return True
        return key in (EARLIER, GAP)

    def _command(self, key: str) -> str:
        """The command that stands in place of events in the row with this key, or nothing."""
        from corr_tui.ui.panels.first_steps import command_of

        return "" if self.reader is None else command_of(self.reader.snapshot, key)

    def action_copy_id(self) -> None:
        """Copy the event id; before there is any event, the command under the cursor."""
        command = self._command(self.board.panels["events"].view.cursor or "")
        if command and self.board.active == "events":
            copy_with(self.app, "the command", command, self.tell)
        else:
            super().action_copy_id()

    @on(LineList.AtTop, "#events")
    def _reached_top(self) -> None:
        self._widen()

    def _widen(self) -> None:
        """Fetch more of the earlier events; the row below them keeps its place."""
        from corr_tui.ui.panels.event_rows import EARLIER

        if self.correspondence is None or self.reader is None or not self.reader.snapshot.history.earlier:
            return
        view = self.board.panels["events"].view
        if view.cursor == EARLIER:
            after = view.places.index[EARLIER] + 1
            self.board.panels["events"].choose(view.places.keys[after] if after < len(view.places.keys) else None)
        self.ask(self.correspondence.widen, "widen")
