"""Triage over the board: the list under its keys, and what somebody hides from it here (experience: Triage)."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.geometry import Region, Size

from corr_tui.state.snapshot import Heard, Snapshot
from corr_tui.state.triage import Item
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.line import Content, View
from corr_tui.ui.screens.places import MEDIUM
from corr_tui.ui.screens.view_parts import ViewParts
from corr_tui.ui.screens.view_places import Details, view_places
from corr_tui.ui.screens.view_screen import ViewScreen
from corr_tui.ui.views import triage, triage_details

LEAST_DETAILS = 40
"""Cells of the details at the right, at least."""
NOT_HERE = "There is nothing under the cursor."


class TriageScreen(ViewScreen):
    """What may want my eyes."""

    NAME = "triage"
    KEYS = (
        "triage.next",
        "triage.previous",
        "ack.seen",
        "ack.understood",
        "ack.accepted",
        "ack.applied",
        "ack.rejected",
        "repair",
        "triage.hide",
        "triage.hidden",
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.TRIAGE)]
    scopes: ClassVar[frozenset[Scope]] = ViewParts.scopes | {Scope.TRIAGE}

    every = False
    """Whether what is hidden is listed too."""
    found = triage.Listed((), frozenset(), 0)

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The list."""
        self.found = triage.listed(snapshot, view, self._hidden, every=self.every)
        return triage.content(snapshot, view, width, self.found)

    def details(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """What is told of the item under the cursor."""
        item, items = self.item, self.found.items
        place = f"{items.index(item) + 1} of {len(items)}" if item in items else ""
        return triage_details.content(snapshot, view, width, item, place)

    def event_of(self, key: str) -> str | None:
        """The event that a row shows."""
        return triage.event_of(key)

    def row_of(self, event_id: str) -> str | None:
        """The first row that shows an event."""
        return next((item.key for item in self.found.items if item.event_id == event_id), None)

    def places(self, size: Size, active: str) -> dict[str, Region]:
        """The details stand at the right from a medium width on."""
        if size.width < MEDIUM:
            return super().places(size, active)
        parts = view_places(size.width, size.height, active, Details.NOWHERE, 0)
        body = parts.pop(active)
        if not parts:  # too low for both
            return {active: body}
        left, right = body.split_vertical(size.width - max(LEAST_DETAILS, size.width * 35 // 100) - 1)
        return parts | {"rows": left, "details": right.shrink((0, 0, 0, 1))}

    @property
    def item(self) -> Item | None:
        """What is under the cursor."""
        key = self.rows.view.cursor
        return next((item for item in self.found.items if item.key == key), None)

    def subjects(self) -> tuple[Heard, ...]:
        """The events under the cursor: of a fork each of them."""
        item, by_id = self.item, self.reading.snapshot.by_id
        return tuple(by_id[each] for each in item.event_ids if each in by_id) if item else ()

    def at(self) -> str | None:
        """The id of the event under the cursor."""
        item = self.item
        return item.event_id if item else None

    @property
    def _hidden(self) -> frozenset[str]:
        return self.correspondence.hidden if self.correspondence is not None else frozenset()

    # Commands.

    def action_next(self) -> None:
        """To the next item."""
        self.rows.action_cursor_down()

    def action_previous(self) -> None:
        """To the item before."""
        self.rows.action_cursor_up()

    def action_hide(self) -> None:
        """Hide the item here, or where hidden ones are listed, show it again; nothing is posted."""
        item = self.item
        if item is None or self.correspondence is None:
            self.tell(NOT_HERE)
            return
        self.run_worker(self._hide(item.key, hidden=item.key not in self._hidden), group="hide")

    async def _hide(self, key: str, *, hidden: bool) -> None:
        assert self.correspondence is not None
        trouble = await self.correspondence.hide(key, hidden=hidden)
        self.redraw()
        back = f"; {self.key('triage.hidden')} lists it again" if hidden and not self.every else ""
        done = f"Hidden here{back}. Nothing is posted." if hidden else "Shown again."
        self.tell(f"{done} Not kept beyond this run: {trouble}" if trouble else done)

    def action_hidden(self) -> None:
        """List what is hidden too, or no longer."""
        self.every = not self.every
        self.rows.view.choose_anew()
        self.redraw()
        count = len(self.found.hidden)
        if self.every:
            self.tell(f"Listed with {count} hidden here." if count else "Nothing is hidden here.")
        else:
            self.tell("")
