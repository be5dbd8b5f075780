"""The parts of a view in their one container."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.geometry import Region, Size

from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.panel import Panel
from corr_tui.ui.widgets.placed import Placed


class ViewFrame(Placed):
    """Header, rows, details and footer; `placing` gives their regions for a size and the active part."""

    def __init__(
        self, rows: Panel, details: Panel, placing: Callable[[Size, str], dict[str, Region]], *, ascii_only: bool
    ) -> None:
        super().__init__(id="view")
        self.panels = {"rows": rows, "details": details}
        for panel in self.panels.values():
            panel.ascii_only = ascii_only
        self.header, self.footer = (Bar(id=each, ascii_only=ascii_only) for each in ("header", "footer"))
        self.active = "rows"
        """The part with the focus, or the one that had it last."""
        self._placing = placing

    def compose(self) -> ComposeResult:
        """The parts, from top to bottom."""
        yield self.header
        yield from self.panels.values()
        yield self.footer

    def activate(self, name: str) -> None:
        """Make a part the active one, and lay out anew where that shows another."""
        before = self.places(self.size)
        self.active = name
        if self.places(self.size) != before:
            self.lay_out()

    def places(self, size: Size) -> dict[str, Region]:
        """Where each part that is shown stands at a size."""
        return self._placing(size, self.active)
