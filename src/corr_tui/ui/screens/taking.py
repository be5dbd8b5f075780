"""What a person takes away from any screen over a snapshot: copies, and files (experience: keys).

Whichever way a copy goes is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from corr_tui.ui.screens.snapshot_screen import SnapshotScreen
from corr_tui.ui.terminal_app import copy_with

if TYPE_CHECKING:  # loaded by the board's `begin`, after the first paint
    from corr_tui.state.snapshot import Heard

NOTHING = "There is no event with a receipt under the cursor."


class TakingScreen(SnapshotScreen):
    """A screen over a snapshot with the commands that copy and write."""

    def subjects(self) -> tuple[Heard, ...]:
        """The events under the cursor."""
        raise NotImplementedError

    def action_copy_id(self) -> None:
        """Copy the event id."""
        self._copy("id", lambda heard: heard.event_id)

    def action_copy_json(self) -> None:
        """Copy the event as JSON, as it was received."""
        self._copy("JSON", lambda heard: json.dumps(heard.record.event.evidence, indent=2))

    def _copy(self, what: str, text_of: Callable[[Heard], str]) -> None:
        subjects = self.subjects()
        if not subjects or self.reader is None:
            self.tell(NOTHING)
            return
        number = self.reader.snapshot.number_of(subjects[0].event_id)
        copy_with(self.app, f"the {what} of {number}", text_of(subjects[0]), self.tell)
