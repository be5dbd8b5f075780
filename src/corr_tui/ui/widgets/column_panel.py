"""A panel of which one column lies on a raised ground, from its heading to a line below its rows (look: ladder)."""

from __future__ import annotations

from corr_tui.ui.line import Span
from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.panel import Panel
from corr_tui.ui.widgets.strips import Laid, Lit


class ColumnPanel(Panel):
    """The cursor's row lies over the column."""

    raised: tuple[int, int] | None = None
    """The cells of the column: from the first up to, and without, the last; None where none is raised."""

    def raise_column(self, cells: tuple[int, int] | None) -> None:
        """Raise another column from now on."""
        if cells != self.raised:
            self.raised, self._edges = cells, None
            self.repaint()

    def body(self, height: int) -> list[Laid]:
        """The rows, with the column under them."""
        laid, view = super().body(height), self.view
        last = view.places.height - view.top + 1 if view.places.keys else 0
        return [*map(self._over, laid[:last]), *laid[last:]]

    def _head(self) -> tuple[Laid, ...]:
        rule, *below = super()._head()
        return (rule, *map(self._over, below))

    def _over(self, laid: Laid) -> Laid:
        if self.raised is None or laid.ground is not Ground.PANEL or laid.bar is not None:
            return laid
        return laid._replace(lit=Lit(*self.raised, Ground.RAISED, Span(" ")))
