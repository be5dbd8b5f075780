"""Back and forward over the events somebody went to on the board."""

from __future__ import annotations

from corr_tui.ui.screens.board_asking import BoardAsking


class BoardMoving(BoardAsking):
    """The board with the trail of what was looked at."""

    def bring(self, event_id: str) -> bool:
        """Bring an event under the cursor of the events, and remember where the cursor was."""
        before = self.board.panels["events"].view.cursor
        found = super().bring(event_id)
        if found and self.reader is not None:
            self.reader.trail.went(before, event_id)
        return found

    def action_trail(self, steps: int) -> None:
        """Back to the event looked at before, or forward again; recalled where it is kept further back."""
        if self.reader is None:
            return
        trail = self.reader.trail
        event_id = trail.step(steps, self.board.panels["events"].view.cursor)
        if event_id is None:
            self.tell("There is nothing further back." if steps < 0 else "There is nothing further on.")
        elif not super().bring(event_id):
            self.show_event(event_id)
