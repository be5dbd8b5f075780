"""Participants over the board: each identity, and beside it what is known of its keys, sessions and claims."""

from __future__ import annotations

from typing import ClassVar

from textual.geometry import Region, Size

from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.line import Content, View
from corr_tui.ui.screens.places import MEDIUM
from corr_tui.ui.screens.view_places import Details, view_places
from corr_tui.ui.screens.view_screen import ViewScreen
from corr_tui.ui.views import participants
from corr_tui.ui.views.participant_details import details


class ParticipantsScreen(ViewScreen):
    """Who takes part."""

    NAME = "participants"
    KEYS: ClassVar[tuple[str, ...]] = ("open", "view.details", "ack.seen", "ack.understood", "repair", "copy.id")

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """Everybody, by name."""
        return participants.content(snapshot, view, width)

    def details(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The participant under the cursor."""
        return details(snapshot, view, width, self.rows.view.cursor)

    def event_of(self, key: str) -> str | None:
        """The event of them received last."""
        return facts(self.reading.snapshot).last_by.get(key)

    def row_of(self, event_id: str) -> str | None:
        """The sender of an event."""
        heard = self.reading.snapshot.by_id.get(event_id)
        return heard.event.sender.identity_id if heard and heard.event else None

    def details_height(self, size: Size) -> int:
        """Half of the screen, where they stand at the foot."""
        return size.height // 2 - 1

    def places(self, size: Size, active: str) -> dict[str, Region]:
        """The details have the right half from a medium width on."""
        if size.width < MEDIUM:
            return super().places(size, active)
        parts = view_places(size.width, size.height, active, Details.NOWHERE, 0)
        body = parts.pop(active)
        if not parts:  # too low for both
            return {active: body}
        left, right = body.split_vertical(size.width // 2 - 1)
        return parts | {"rows": left, "details": right.shrink((0, 0, 0, 1))}
