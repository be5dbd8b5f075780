"""A panel of rows that each hold several things side by side: the cursor lies on one of them, not on the whole row."""

from __future__ import annotations

from textual import events
from textual.message import Message

from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.panel import Panel
from corr_tui.ui.widgets.strips import FOCUSED_BAR, UNFOCUSED_BAR, Laid, Lit

BOX_LINES = 2
"""Lines of a row that the cursor lies on."""


class NodePanel(Panel):
    """Its cursor is a row and a stretch of cells in it."""

    class Pointed(Message):
        """Somebody clicked in a row, at this cell of it."""

        def __init__(self, key: str, cell: int) -> None:
            super().__init__()
            self.key, self.cell = key, cell

    box: tuple[int, int] | None = None
    """The cells of the cursor's row that it lies on: from the first up to, and without, the last; None for all."""

    def lie(self, box: tuple[int, int] | None) -> None:
        """Lay the cursor on these cells of its row."""
        self.box = box
        self.repaint()

    def _row_line(self, line: int) -> Laid:
        laid, found = super()._row_line(line), self.view.places.at(line)
        if self.box is None or laid.bar is None or found is None:
            return laid
        if found[1] >= BOX_LINES:
            return Laid(laid.line)
        focused = self.has_focus or self.driven
        ground, bar = (Ground.CURSOR, FOCUSED_BAR) if focused else (Ground.RAISED, UNFOCUSED_BAR)
        return Laid(laid.line, lit=Lit(*self.box, ground, bar))

    def on_click(self, event: events.Click) -> None:
        """A click says where in its row it was; a second one opens."""
        line = event.y - len(self.head())
        found = self.view.places.at(line + self.view.top) if 0 <= line < self.view.height else None
        if found is not None and self.box is not None:
            self.post_message(self.Pointed(self.view.places.keys[found[0]], event.x))
