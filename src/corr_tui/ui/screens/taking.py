"""What a person takes away from any screen over a snapshot: copies, and files (experience: keys).

Whichever way a copy goes is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from corr_tui.ui.screens.snapshot_screen import SnapshotScreen
from corr_tui.ui.terminal_app import copy_with
from corr_tui.ui.widgets.panel import Panel

if TYPE_CHECKING:  # loaded by the board's `begin`, after the first paint
    from corr_tui.state.snapshot import Heard

NOTHING = "There is no event with a receipt under the cursor."


class TakingScreen(SnapshotScreen):
    """A screen over a snapshot with the commands that copy and write."""

    def subjects(self) -> tuple[Heard, ...]:
        """The events under the cursor."""
        raise NotImplementedError

    @property
    def subject_panel(self) -> Panel:
        """The panel whose rows say what an event is said about."""
        raise NotImplementedError

    def events_at(self, panel: Panel, key: str) -> tuple[Heard, ...]:
        """The events at hand that a row of a panel is about."""
        return () if self.reader is None else self.reader.subjects(panel.panel_name, key)

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

    async def action_export(self) -> None:
        """Write the panel with the focus, or a picture of the screen, to a file."""
        if self.reader is None:
            self.tell("There is nothing to write yet.")
            return
        from corr_tui.ui.exporting import Exported
        from corr_tui.ui.screens.export import ExportScreen

        panel = self.focused if isinstance(self.focused, Panel) else self.subject_panel

        def about(key: str) -> tuple[Heard, ...]:
            return self.events_at(panel, key) if panel.view.chooses else self.subjects()

        exported = Exported(
            self.NAME or panel.panel_name,
            panel.content,
            self.reader.snapshot,
            self.view.thread_id,
            about,
            self.app.export_screenshot(),
        )
        screen = ExportScreen(exported, self.folder or Path.cwd(), ascii_only=self.view.ascii_only)
        await self.app.push_screen(screen, lambda words: self.tell(words or ""))
