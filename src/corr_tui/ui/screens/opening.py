"""The board before anything is known: its frame alone, so that it can be painted before the rest is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Region, Size

from corr_tui.ui import commands
from corr_tui.ui.line import Content, Ink, Layout, Line, Span
from corr_tui.ui.screens.places import AS_IT_IS, PANELS, ROOMY, Arrangement, layout_of
from corr_tui.ui.widgets.bar import Part
from corr_tui.ui.widgets.footer import footer
from corr_tui.ui.widgets.header import header
from corr_tui.ui.widgets.panel import Frame
from corr_tui.ui.widgets.tabs import Tab, tabs

NAME = "corr-tui"


@dataclass(frozen=True, slots=True)
class Opening:
    """The frame of the board at one size; what `BoardContent` is once there is a snapshot."""

    size: Size
    active: str
    table: tuple[commands.Command, ...] = commands.COMMANDS
    """The commands, with the keys they have."""

    arrangement: Arrangement = AS_IT_IS
    """How a person wants the board divided."""

    @property
    def layout(self) -> Layout:
        """How the board is divided at this size."""
        return Layout.NARROW if self.arrangement.strip else layout_of(self.size.width)

    def panel(self, name: str, region: Region) -> tuple[Content, Frame]:
        """The title of a panel and nothing in it."""
        title = "Presence reports" if name == "presence" else name.capitalize()
        alone = self.layout is Layout.NARROW and name == self.active
        return Content(title=title), Frame(numbered=not alone, roomy=self.size.height >= ROOMY)

    def header(self) -> tuple[Part, ...]:
        """The name."""
        return header((Span(NAME, Ink.KEY),), (), self.size.width)

    def tabs(self) -> tuple[Part, ...]:
        """The tabs of a narrow board."""
        listed = [Tab(number, name, name.capitalize()) for number, name in enumerate(PANELS, 1)]
        return tabs(listed, self.active, self.size.width)

    def footer(self, status: Line) -> tuple[Part, ...]:
        """The keys work from the start."""
        return footer(commands.footer(self.active, self.table), self.size.width, status)
