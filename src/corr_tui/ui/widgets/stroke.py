"""A key and its verb, which can also be clicked."""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import Size

from corr_tui.ui.layout import width_of
from corr_tui.ui.line import Line
from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.inked import Inked


class Stroke(Inked):
    """One line, as wide as its words."""

    def __init__(
        self,
        label: Callable[[], Line],
        action: str,
        *,
        id: str,
        ground: Ground = Ground.PANEL,
        ascii_only: bool = False,
    ) -> None:
        super().__init__(lambda width: (label(),), ground=ground, ascii_only=ascii_only, id=id, classes="stroke")
        self._label = label
        self._action = action

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As wide as the words."""
        return width_of(self._label())

    async def on_click(self) -> None:
        """As if the key were pressed."""
        await self.screen.run_action(self._action)
