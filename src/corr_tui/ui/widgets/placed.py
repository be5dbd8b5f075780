"""A container that places its parts itself, with no boxes in between.

Placing by one pure function means that a change of shape, of the focused panel or of the tab is one layout pass, and
that no frame shows panels at the size of another shape.
"""

from __future__ import annotations

from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget


class Placed(Widget):
    """Parts by their ids, each in its region."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._layout = PlacedLayout()

    @property
    def layout(self) -> Layout:
        """The layout, which asks `places`."""
        return self._layout

    def places(self, size: Size) -> dict[str, Region]:
        """Where each part that is shown stands at a size, by its id."""
        raise NotImplementedError

    def lay_out(self) -> None:
        """Place anew."""
        # a widget that asks for layout makes its ancestors forget theirs, not itself: so a child asks
        if self.children:
            self.children[0].refresh(layout=True)


class PlacedLayout(Layout):
    """Places the children of a Placed by their ids; what has no place is not shown."""

    name = "placed"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        """A placement for each child that is shown."""
        assert isinstance(parent, Placed)
        regions = parent.places(size)
        return [
            WidgetPlacement(regions[child.id], NULL_OFFSET, Spacing(), child)
            for child in children
            if child.id in regions
        ]
