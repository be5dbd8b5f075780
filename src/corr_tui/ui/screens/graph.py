"""The causal graph over the board: from an event to its parents and to who names it (look: graph)."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import BindingType

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.line import Content, View
from corr_tui.ui.screens.snapshot_screen import SnapshotScreen
from corr_tui.ui.screens.view_screen import ViewScreen
from corr_tui.ui.views import causal, graph, graph_rows
from corr_tui.ui.widgets.line_list import LineList


class GraphScreen(ViewScreen):
    """Events by their parents."""

    NAME = "graph"
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.GRAPH)
    scopes: ClassVar[frozenset[Scope]] = ViewScreen.scopes | {Scope.GRAPH}
    KEYS = (
        "open",
        "graph.older",
        "graph.newer",
        "ack.seen",
        "ack.understood",
        "ack.accepted",
        "ack.applied",
        "ack.rejected",
        "repair",
        "copy.id",
    )

    _seen: int | None = None
    """The newest event that was in view; None until one was."""

    def __init__(self, before: SnapshotScreen, event_id: str | None) -> None:
        super().__init__(before, event_id)
        self.causal = causal.Causal()

    def draw_parts(self) -> None:
        """Go on to the events of now, some in each turn of the loop; until all are laid, what was drawn stays."""
        view = self.view
        laid = self.causal.take(causal.chosen(self.reading.snapshot, view))
        if not laid:
            self.call_later(self.redraw)
        if laid or not self.rows.content.rows:
            super().draw_parts()
        if laid and self._look():
            super().draw_parts()

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The graph."""
        above = 0 if self._seen is None else sum(1 for _ in self.causal.after(self._seen))
        return graph.content(snapshot, view, width, self.causal, above)

    def details(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The event under the cursor, or why a parent is not drawn."""
        key = self._node
        if key.startswith(graph_rows.PARENT) and self.selected not in snapshot.by_id:
            return graph.absent_details(snapshot, view, width, self.causal, key)
        return super().details(snapshot, view, width)

    def event_of(self, key: str) -> str | None:
        """The event of a row, or the parent that is not drawn."""
        return graph_rows.event_of(key)

    def row_of(self, event_id: str) -> str | None:
        """The row of an event."""
        return graph.row_of(self.causal, event_id)

    def action_older(self) -> None:
        """To the first parent that is drawn."""
        self._go(self.causal.lanes.parents_of(self._node), "No parent of it is drawn.")

    def action_newer(self) -> None:
        """To the first event that names it as parent."""
        self._go(self.causal.lanes.children_of(self._node), "No event drawn here names it as a parent.")

    @property
    def _node(self) -> str:
        """The key of the node under the cursor."""
        return self.rows.view.cursor or ""

    def _go(self, keys: list[str], none: str) -> None:
        if keys:
            self.rows.choose(keys[0])
        else:
            self.tell(none)

    @on(LineList.Highlighted, "#rows")
    def _came_up(self) -> None:
        if self._seen is not None and self._look():
            self.redraw()

    def _look(self) -> bool:
        """Take what is in view for seen; whether that changes how many are new above."""
        newest = graph.newest(self.causal)
        if self._seen is not None and (self.rows.view.top or newest <= self._seen):
            return False
        changed = self._seen is not None
        self._seen = newest
        return changed
