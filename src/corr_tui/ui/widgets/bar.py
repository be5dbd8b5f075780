"""One line of parts, each on its own ground and each, where it does something, to be clicked: header, tabs, footer."""

from __future__ import annotations

from typing import NamedTuple

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from corr_tui.ui.layout import width_of
from corr_tui.ui.line import Line
from corr_tui.ui.theme import Ground, inks_of
from corr_tui.ui.widgets.strips import Laid, draw


class Part(NamedTuple):
    """A stretch of the bar; `command_id` names the command a click on it runs, if any."""

    line: Line
    ground: Ground = Ground.CANVAS
    command_id: str = ""


class Bar(Widget):
    """A widget of one line; `show` replaces its parts and repaints only when they differ."""

    ALLOW_SELECT = False

    class Chosen(Message):
        """A part that names a command was clicked."""

        def __init__(self, command_id: str) -> None:
            super().__init__()
            self.command_id = command_id

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:
        super().__init__(id=id)
        self.ascii_only = ascii_only
        self.parts: tuple[Part, ...] = ()

    def show(self, parts: tuple[Part, ...]) -> None:
        """Draw these parts from the left edge; the rest of the line is canvas."""
        if parts != self.parts:
            self.parts = parts
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The parts on the first line, nothing below."""
        inks, width = inks_of(self.app), self.size.width
        strips = [
            draw(Laid(part.line, part.ground), inks, width_of(part.line), ascii_only=self.ascii_only)
            for part in self.parts
            if y == 0
        ]
        rest = draw(Laid((), Ground.CANVAS), inks, max(0, width - sum(strip.cell_length for strip in strips)))
        return Strip.join([*strips, rest]).crop(0, width)

    def on_click(self, event: events.Click) -> None:
        """Run the command of the part under the mouse."""
        end = 0
        for part in self.parts:
            end += width_of(part.line)
            if event.x < end:
                if part.command_id:
                    self.post_message(self.Chosen(part.command_id))
                return
