"""The lineage of one claim over the board: up and down among branches, left and right among generations."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.geometry import Size

from corr_tui.state.claimed import ClaimHistory, claim_histories
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.line import Content, Layout, View
from corr_tui.ui.screens.places import layout_of
from corr_tui.ui.screens.view_screen import ViewScreen
from corr_tui.ui.views import lineage
from corr_tui.ui.views.claim_details import details
from corr_tui.ui.views.lineage_graph import Graph, Spot, graph_of
from corr_tui.ui.views.timeline import claim_id_of
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.node_panel import NodePanel
from corr_tui.ui.widgets.panel import Panel


class LineageScreen(ViewScreen):
    """One claim by generation."""

    NAME = "lineage"
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.LINEAGE)
    scopes: ClassVar[frozenset[Scope]] = ViewScreen.scopes | {Scope.LINEAGE}
    KEYS = ("open", "lineage.older", "lineage.newer", "view.timeline", "ack.seen", "repair", "copy.id")

    claim_id: str | None = None
    spot_key: str | None = None
    """The event under the cursor; it stays while rows come and go."""
    first = 0
    """The generation at the left, from 0."""

    def make_rows(self) -> Panel:
        """The cursor lies on one event of a row."""
        return NodePanel("", "rows")

    # What it says.

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The claim, with the event under the cursor in view."""
        self._find(snapshot)
        self._bring_into_view(view, width)
        return lineage.content(snapshot, view, width, self.history, self.first)

    def details(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The event under the cursor, as a branch of its claim."""
        return details(snapshot, view, width, self.history, view.selected)

    def details_height(self, size: Size) -> int:
        """What a claim takes."""
        wanted = super().details_height(size)
        return max(wanted, 6) if wanted and size.height >= 20 else 0

    @property
    def history(self) -> ClaimHistory | None:
        """What was heard of the claim."""
        return claim_histories(facts(self.reading.snapshot)).get(self.claim_id or "")

    @property
    def graph(self) -> Graph | None:
        """Its events by generation."""
        return graph_of(self.history) if self.history else None

    @property
    def spot(self) -> Spot | None:
        """Where the cursor is."""
        return self.graph.spots.get(self.spot_key or "") if self.graph else None

    def event_of(self, key: str) -> str | None:
        """The event under the cursor, whichever row has it."""
        return self.spot_key

    def row_of(self, event_id: str) -> str | None:
        """Its lane; on a narrow screen the row is its own."""
        spot = self.graph.spots.get(event_id) if self.graph else None
        if spot is None or self.graph is None:
            return None
        return event_id if self.narrow else f"{lineage.LANE}{self.graph.lanes[spot.lane][0].key}"

    @property
    def narrow(self) -> bool:
        """Whether the events are listed."""
        return layout_of(self.size.width) is Layout.NARROW

    # Where the cursor is.

    def draw_parts(self) -> None:
        """Draw the rows, then the cursor on its event."""
        super().draw_parts()
        if self.spot_key is not None:
            self.rows.choose(self.row_of(self.spot_key))
        self._lie()

    def _find(self, snapshot: Snapshot) -> None:
        """Begin at the event this was opened on."""
        if self._begin_at is not None:
            self.claim_id, self.spot_key = claim_id_of(self._begin_at, snapshot), self._begin_at
        if self.graph is not None and self.spot_key not in self.graph.spots:
            self.spot_key = next(iter(self.graph.spots))

    def _bring_into_view(self, view: View, width: int) -> None:
        spot, shown = self.spot, lineage.frame_of(view, width, 0).shown
        if spot is None or self.graph is None:
            return
        last = max(each.column for each in self.graph.spots.values())
        self.first = min(max(self.first, spot.column - shown + 1), spot.column, max(last - shown + 1, 0))

    def _lie(self) -> None:
        spot, rows = self.spot, self.rows
        assert isinstance(rows, NodePanel)
        if spot is None or self.narrow:
            rows.lie(None)
        else:
            frame = lineage.frame_of(self.view, self.size.width, self.first)
            rows.lie(frame.box(spot.column - self.first))

    def _go_to(self, key: str | None) -> None:
        if key is None or self.graph is None or key not in self.graph.spots:
            return
        self.spot_key = key
        self.draw()

    @on(LineList.Highlighted, "#rows")
    def _another_row(self, message: LineList.Highlighted) -> None:
        """Another branch: the event of it nearest to the generation the cursor was at."""
        spot, graph = self.spot, self.graph
        if not message.by_person or graph is None or spot is None or message.key is None:
            return
        if self.narrow:
            self._go_to(message.key)
        elif message.key != self.row_of(spot.key):
            lane = graph.spots[message.key.removeprefix(lineage.LANE)].lane
            self._go_to(graph.nearest(lane, spot.column).key)

    @on(NodePanel.Pointed)
    def _pointed(self, message: NodePanel.Pointed) -> None:
        graph = self.graph
        if graph is None:
            return
        frame = lineage.frame_of(self.view, self.size.width, self.first)
        lane = graph.spots[message.key.removeprefix(lineage.LANE)].lane
        self._go_to(graph.nearest(lane, self.first + message.cell // frame.cells).key)

    def action_older(self) -> None:
        """To the event it continues."""
        if self.spot is not None:
            self._go_to(self.spot.before)

    def action_newer(self) -> None:
        """To the first event that continues it, by event id."""
        if self.graph is not None and self.spot is not None:
            self._go_to(next(iter(self.graph.after.get(self.spot.key, ())), None))
