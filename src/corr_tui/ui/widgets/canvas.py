"""A widget of laid lines on Textual's Line API: fixed ones above and below, live ones between.

`repaint` compares the lines as they should stand with those that stand there, and refreshes only lines that differ.
Strips are kept by what they show, so that a line that comes back is not drawn again.
"""

from __future__ import annotations

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from corr_tui.ui.theme import inks_of
from corr_tui.ui.widgets.strips import BLANK, Laid, draw

_KEPT_STRIPS = 512


class Canvas(Widget):
    """Lines that are repainted one by one."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.ascii_only = False
        """Whether glyphs are drawn by their ASCII stand-ins."""
        self._painted: list[Laid] = []
        self._strips: dict[Laid, Strip] = {}
        self._strips_width = 0

    def head(self) -> tuple[Laid, ...]:
        """The fixed lines above."""
        return ()

    def foot(self) -> tuple[Laid, ...]:
        """The fixed lines below."""
        return ()

    def body(self, height: int) -> list[Laid]:
        """The lines between, exactly `height`."""
        return [BLANK] * height

    @property
    def room(self) -> int:
        """Lines between head and foot."""
        return max(0, self.size.height - len(self.head()) - len(self.foot()))

    def laid(self) -> list[Laid]:
        """Every line of the widget as it should stand now."""
        return [*self.head(), *self.body(self.room), *self.foot()][: self.size.height]

    def repaint(self) -> None:
        """Refresh the lines that differ from what was painted."""
        now = self.laid()
        before, self._painted = self._painted, now
        if len(now) != len(before):
            self.refresh()
            return
        changed = [Region(0, y, self.size.width, 1) for y, laid in enumerate(now) if laid != before[y]]
        if changed:
            self.refresh(*changed)

    def paint_all(self) -> None:
        """Refresh every line."""
        self._painted = []
        self.repaint()

    def render_line(self, y: int) -> Strip:
        """One line of the widget, from the strips kept."""
        if y >= len(self._painted):
            self._painted = self.laid()
        laid = self._painted[y] if y < len(self._painted) else BLANK
        width = self.size.width
        if width != self._strips_width or len(self._strips) > _KEPT_STRIPS:
            self._strips.clear()
            self._strips_width = width
        strip = self._strips.get(laid)
        if strip is None:
            strip = self._strips[laid] = draw(laid, inks_of(self.app), width, ascii_only=self.ascii_only)
        return strip

    def notify_style_update(self) -> None:
        """Draw anew under another theme."""
        self._strips.clear()
        super().notify_style_update()
