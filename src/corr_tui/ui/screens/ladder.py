"""Acknowledgements over the board: who declared what about which event (look: ladder)."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.geometry import Size

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.line import Content, View
from corr_tui.ui.screens.snapshot_screen import SnapshotScreen
from corr_tui.ui.screens.view_screen import ViewScreen
from corr_tui.ui.views import ladder
from corr_tui.ui.views.ladder_rows import Ladder
from corr_tui.ui.widgets.column_panel import ColumnPanel
from corr_tui.ui.widgets.panel import Frame, Panel

LEAST_HEIGHT = 20
"""Lines of a screen from which there is room for what each declaration says."""


class LadderScreen(ViewScreen):
    """Events by participants."""

    NAME = "ladder"
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.LADDER)
    scopes: ClassVar[frozenset[Scope]] = ViewScreen.scopes | {Scope.LADDER}
    KEYS = (
        "ack.seen",
        "ack.understood",
        "ack.accepted",
        "ack.applied",
        "ack.rejected",
        "ladder.left",
        "ladder.right",
        "open",
    )

    shift = 0
    """How many of the others are passed over on the left."""
    made: Ladder | None = None
    """What is shown."""

    def __init__(self, before: SnapshotScreen, event_id: str | None) -> None:
        """Without an event to begin at it begins at the last one."""
        super().__init__(before, event_id or "")

    def make_rows(self) -> Panel:
        """With my column raised."""
        return ColumnPanel("", "rows")

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The ladder."""
        self.made = ladder.ladder(snapshot, view, width, self.shift)
        self.shift = self.made.before
        if isinstance(self.rows, ColumnPanel):
            self.rows.raise_column(self.made.raised)
        return ladder.content(self.made)

    def details(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """What each declaration says and does not say."""
        return ladder.declares(view, width)

    def row_of(self, event_id: str) -> str | None:
        """The row of an event, or of what it acknowledges."""
        return ladder.row_of(self.made, event_id) if self.made is not None else None

    def details_height(self, size: Size) -> int:
        """A line a declaration, under the rule; in a low screen the events have the room."""
        return 0 if size.height < LEAST_HEIGHT else 1 + len(ladder.DECLARES)

    def row_frame(self) -> Frame:
        """The number of the event under the cursor is strong."""
        frame = super().row_frame()
        return Frame(numbered=frame.numbered, roomy=frame.roomy, leads=True)

    def action_shift(self, columns: int) -> None:
        """Show the participants further left or right; mine stays."""
        before, made = self.shift, self.made
        self.shift = max(0, min(before + columns, before + (made.after if made else 0)))
        if self.shift == before:
            self.tell("There are no others on that side.")
        else:
            self.draw()
