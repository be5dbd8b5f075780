"""The board as one container that places its parts itself, with no boxes in between.

Placing by one pure function means that a change of shape, of the focused panel or of the tab is one layout pass, and
that no frame shows panels at the size of another shape.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from corr_tui.ui.screens.places import SHARING, places
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.panel import Panel

BARS = ("header", "tabs", "footer")


class Board(Widget):
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
        self._layout = BoardLayout()

    def compose(self) -> ComposeResult:
        """The parts, in the order of their numbers."""
        yield self.header
        yield self.tabs
        yield from self.panels.values()
        yield self.footer

    @property
    def layout(self) -> Layout:
        """The layout of the board."""
        return self._layout

    def activate(self, name: str) -> None:
        """Make a panel the active one, and lay out anew where that shows another."""
        before = self.places(self.size).keys()
        self.active = name
        if name in SHARING:
            self.sharing = name
        if self.places(self.size).keys() != before:
            self._lay_out()

    def make_room(self, reports: int) -> None:
        """Make room for so many presence reports where there is any."""
        if reports != self.reports:
            before, self.reports = self.places(self.size), reports
            if self.places(self.size) != before:
                self._lay_out()

    def _lay_out(self) -> None:
        # a widget that asks for layout makes its ancestors forget theirs, not itself: so a child asks
        self.header.refresh(layout=True)

    def places(self, size: Size) -> dict[str, Region]:
        """Where each part that is shown stands at a size."""
        return places(size.width, size.height, self.active, self.sharing, self.reports)


class BoardLayout(Layout):
    """Places the children of a Board by their ids; what has no place is not shown."""

    name = "board"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        """A placement for each child that is shown."""
        assert isinstance(parent, Board)
        regions = parent.places(size)
        return [
            WidgetPlacement(regions[child.id], NULL_OFFSET, Spacing(), child)
            for child in children
            if child.id in regions
        ]
