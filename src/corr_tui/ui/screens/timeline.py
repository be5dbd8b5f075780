"""The claim timeline over the board: zoom, earlier and later, and what is told of the claim under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.geometry import Size

from corr_tui.state.claimed import ClaimHistory, claim_histories
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.line import Content, Layout, View
from corr_tui.ui.screens.places import layout_of
from corr_tui.ui.screens.view_screen import ViewScreen
from corr_tui.ui.views import timeline
from corr_tui.ui.views.claim_details import details
from corr_tui.ui.views.time_axis import FIRST_ZOOM, STEPS

LEAST_HEIGHT = 20
"""Lines of a screen from which on there is room for the details."""


class TimelineScreen(ViewScreen):
    """Claims as bars."""

    NAME = "timeline"
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.TIMELINE)
    scopes: ClassVar[frozenset[Scope]] = ViewScreen.scopes | {Scope.TIMELINE}
    KEYS = (
        "open",
        "view.lineage",
        "timeline.wider",
        "timeline.narrower",
        "timeline.now",
        "timeline.earlier",
        "timeline.later",
        "ack.seen",
        "repair",
        "copy.id",
    )

    zoom = FIRST_ZOOM
    shift = 0
    """How many ticks later than where it began."""

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """Live and recent claims."""
        return timeline.content(snapshot, view, width, self.zoom, self.shift)

    def details(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The claim under the cursor."""
        return details(snapshot, view, width, self.history, view.selected)

    @property
    def history(self) -> ClaimHistory | None:
        """What was heard of the claim under the cursor."""
        snapshot, key = self.reading.snapshot, self.rows.view.cursor
        claim_id = timeline.claim_id_of(key, snapshot) if key else None
        return claim_histories(facts(snapshot)).get(claim_id or "")

    def event_of(self, key: str) -> str | None:
        """The event of a branch; a row for a claim with branches, and a heading, have none."""
        return None if key.startswith(timeline.GROUP) or key in timeline.HEADINGS else key

    def opened(self, key: str) -> None:
        """Of a claim with branches none is preferred: its row opens none of them."""
        if key.startswith(timeline.GROUP):
            self.tell("This claim has several tips: choose one of the rows below.")
        else:
            super().opened(key)

    def at(self) -> str | None:
        """Of a claim with branches any event of it, so that its lineage opens."""
        return self.selected or (next(iter(self.history.nodes), None) if self.history else None)

    def details_height(self, size: Size) -> int:
        """What a claim takes; in a low screen the bars have the room."""
        if size.height < LEAST_HEIGHT:
            return 0
        return 6 if layout_of(size.width) is Layout.NARROW else super().details_height(size)

    def next_change(self) -> float:
        """Also whenever the line of now comes to another column."""
        axis = timeline.axis_of(
            self.reading.snapshot, self.looking(self.rows.region), self.size.width, self.zoom, self.shift
        )
        return min(super().next_change(), self.view.monotonic + axis.until_next_column())

    def action_zoom(self, steps: int) -> None:
        """Less time, so that each claim takes more room; or more."""
        self.zoom = min(max(self.zoom - steps, 0), len(STEPS) - 1)
        self.draw()

    def action_shift(self, ticks: int) -> None:
        """Look at what was earlier, or will be later."""
        self.shift += ticks
        self.draw()

    def action_now(self) -> None:
        """Back to now, at the scale it began with."""
        self.zoom, self.shift = FIRST_ZOOM, 0
        self.draw()
