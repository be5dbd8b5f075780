"""The path tree over the board: who claims what, and what is told of the claim under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual.geometry import Size

from corr_tui.state.claimed import claim_histories
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.line import Content, Layout, View
from corr_tui.ui.screens.places import layout_of
from corr_tui.ui.screens.view_screen import ViewScreen
from corr_tui.ui.views import paths
from corr_tui.ui.views.claim_details import details

LEAST_HEIGHT = 20
"""Lines of a screen from which on there is room for the details."""


class PathsScreen(ViewScreen):
    """Claims by their prefixes."""

    NAME = "paths"
    KEYS: ClassVar[tuple[str, ...]] = ("open", "view.lineage", "view.timeline", "ack.seen", "repair", "copy.id")

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The tree."""
        return paths.content(snapshot, view, width)

    def details(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The claim under the cursor."""
        known = facts(snapshot)
        heard = known.claims.get(view.selected or "")
        history = claim_histories(known).get(heard.claim.claim_id) if heard else None
        return details(snapshot, view, width, history, view.selected)

    def event_of(self, key: str) -> str | None:
        """The event of a claim; a step that nobody claims has none."""
        return paths.event_of(key)

    def row_of(self, event_id: str) -> str | None:
        """The first prefix of the claim whose tip this is."""
        keys = self.rows.view.places.keys
        return next((key for key in keys if paths.event_of(key) == event_id), None)

    def details_height(self, size: Size) -> int:
        """What a claim takes; in a low screen the tree has the room."""
        if size.height < LEAST_HEIGHT:
            return 0
        return 6 if layout_of(size.width) is Layout.NARROW else super().details_height(size)
