"""Lines of ink that are drawn for whatever width there is: text without a cursor, without markup."""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from corr_tui.ui.glyphs import plain
from corr_tui.ui.line import Line
from corr_tui.ui.theme import Ground, inks_of
from corr_tui.ui.widgets.strips import Laid, draw


class Inked(Widget):
    """As high as the lines its function gives for its width."""

    def __init__(
        self,
        lines: Callable[[int], tuple[Line, ...]],
        *,
        ground: Ground = Ground.PANEL,
        ascii_only: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.can_focus = False
        self.ground = ground
        self.ascii_only = ascii_only
        self._lines = lines
        self._known: tuple[int, tuple[Line, ...]] | None = None

    def redraw(self) -> None:
        """Ask the function again."""
        self._known = None
        self.refresh(layout=True)

    def lines(self, width: int) -> tuple[Line, ...]:
        """What is drawn at this width."""
        if self._known is None or self._known[0] != width:
            drawn = self._lines(width)
            self._known = (width, tuple(map(plain, drawn)) if self.ascii_only else drawn)
        return self._known[1]

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """All there is."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One row a line."""
        return len(self.lines(width))

    def render_line(self, y: int) -> Strip:
        """One line, on the ground, exactly as wide as the widget."""
        lines = self.lines(self.size.width)
        line = lines[y] if y < len(lines) else ()
        return draw(Laid(line, self.ground), inks_of(self.app), self.size.width)

    @property
    def shown(self) -> str:
        """What is drawn now, as text."""
        return "\n".join("".join(span.text for span in line).rstrip() for line in self.lines(self.size.width))
