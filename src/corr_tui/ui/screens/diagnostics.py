"""Diagnostics over the board, and the way to take them along for a report of a fault."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType

from corr_tui.state.diagnostics import Diagnostics
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.line import Content, View
from corr_tui.ui.screens.view_places import Details
from corr_tui.ui.screens.view_screen import ViewScreen
from corr_tui.ui.terminal_app import copy_with
from corr_tui.ui.views import diagnostics


class DiagnosticsScreen(ViewScreen):
    """What this corr-tui tells of itself."""

    NAME = "diagnostics"
    DETAILS = Details.NOWHERE
    KEYS = ("diagnostics.copy", "refresh", "hold")
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.DIAGNOSTICS)
    scopes: ClassVar[frozenset[Scope]] = ViewScreen.scopes | {Scope.DIAGNOSTICS}

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """All of it, from top to bottom."""
        return diagnostics.content(snapshot, view, width, self._told, str(Path.home()))

    @property
    def _told(self) -> Diagnostics:
        return self.correspondence.diagnostics() if self.correspondence is not None else Diagnostics()

    def event_of(self, key: str) -> str | None:
        """No line here is about an event."""
        return None

    def opened(self, key: str) -> None:
        """There is nothing to open."""

    def on_mount(self) -> None:
        """There is no event to begin at. Whoever is here has been told of a history that is kept apart."""
        super().on_mount()
        self._begin_at = None
        if self.correspondence is not None:
            self.run_worker(self.correspondence.saw_apart(), group="saw")

    def begin_at(self, event_id: str | None) -> None:
        """There is no event to begin at."""

    def next_change(self) -> float:
        """Ages are told to the second."""
        return min(super().next_change(), self.view.monotonic + 1.0)

    def action_turn(self) -> None:
        """There is no other part."""

    def action_copy(self) -> None:
        """Copy all of it as text; no secret is in it."""
        told = diagnostics.report(self.reading.snapshot, self.view, self._told, str(Path.home()))
        copy_with(self.app, "the diagnostics", told, self.tell)
