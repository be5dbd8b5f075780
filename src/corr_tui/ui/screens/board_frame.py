"""The board's parts in their one container."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.geometry import Region, Size

from corr_tui.ui.screens.places import AS_IT_IS, SHARING, Arrangement, places, with_foot
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.panel import Panel
from corr_tui.ui.widgets.placed import Placed

BARS = ("header", "tabs", "footer")


class Board(Placed):
    """Header, tabs, six panels and footer, placed by `places`."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="board")
        self.panels = {
            panel.panel_name: panel
            for panel in (
                Panel(1, "threads"),
                Panel(2, "events", follow=True),
                Panel(3, "claims"),
                Panel(4, "conflicts"),
                Panel(5, "presence"),
                Panel(6, "selected", chooses=False),
            )
        }
        for panel in self.panels.values():
            panel.ascii_only = ascii_only
        self.header, self.tabs, self.footer = (Bar(id=each, ascii_only=ascii_only) for each in BARS)
        self.panels["threads"].visited = True  # its row says which thread is shown
        self.active = "events"
        """The focused panel, or the one that had the focus last."""
        self.sharing = "claims"
        """Which of the two that share a place was focused last."""
        self.reports = 6
        self.arrangement = AS_IT_IS
        """How a person wants it divided."""
        self._foot = 0

    def compose(self) -> ComposeResult:
        """The parts, in the order of their numbers."""
        yield self.header
        yield self.tabs
        yield from self.panels.values()
        yield self.footer

    def activate(self, name: str) -> None:
        """Make a panel the active one, and lay out anew where that shows another."""
        before = self.places(self.size).keys()
        self.active = name
        if name in SHARING:
            self.sharing = name
        if self.places(self.size).keys() != before:
            self.lay_out()

    def divide(self, arrangement: Arrangement) -> None:
        """Divide it otherwise."""
        if arrangement != self.arrangement:
            self.arrangement = arrangement
            self.lay_out()

    def make_room(self, reports: int) -> None:
        """Make room for so many presence reports where there is any."""
        if reports != self.reports:
            before, self.reports = self.places(self.size), reports
            if self.places(self.size) != before:
                self.lay_out()

    def take_foot(self, lines: int) -> None:
        """Give so many lines at the foot of the events to the line a filter is written in."""
        self._foot = lines
        self.lay_out()

    def places(self, size: Size) -> dict[str, Region]:
        """Where each part that is shown stands at a size."""
        found = places(size.width, size.height, self.active, self.sharing, self.reports, self.arrangement)
        return with_foot(found, self._foot)
