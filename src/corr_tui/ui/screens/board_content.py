"""What each part of the board says at a size: contents, frames and bars from one Snapshot and one View. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from textual.geometry import Region, Size

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui import commands
from corr_tui.ui.layout import START, blank, trim
from corr_tui.ui.line import Content, Ink, Layout, Line, Span, View
from corr_tui.ui.panels import claims, conflicts, events, presence, selected, threads
from corr_tui.ui.panels.filtered import filtered
from corr_tui.ui.screens.bars import header_bar, speaking, strip_bar
from corr_tui.ui.screens.places import AS_IT_IS, PANELS, ROOMY, SHARING, Arrangement, layout_of
from corr_tui.ui.text import clean
from corr_tui.ui.widgets.bar import Part
from corr_tui.ui.widgets.footer import footer
from corr_tui.ui.widgets.panel import Frame, Title
from corr_tui.ui.widgets.tabs import Tab, tabs

CONTENTS: Mapping[str, Callable[[Snapshot, View, int], Content]] = {
    "threads": threads.content,
    "events": events.content,
    "claims": claims.content,
    "conflicts": conflicts.content,
    "presence": presence.content,
    "selected": selected.content,
}
COMPACT = 4
"""The height up to which the selected event is told in two lines."""
TITLES = {name: name.capitalize() for name in PANELS}
"""As tabs name the panels."""


@dataclass(frozen=True, slots=True)
class BoardContent:
    """The board at one size; `active` is the focused panel, `failure` why nothing could be opened."""

    snapshot: Snapshot
    view: View
    size: Size
    active: str
    failure: str = ""
    table: tuple[commands.Command, ...] = commands.COMMANDS
    """The commands, with the keys they have."""
    arrangement: Arrangement = AS_IT_IS
    """How a person wants the board divided."""

    @property
    def layout(self) -> Layout:
        """How the board is divided at this size."""
        return Layout.NARROW if self.arrangement.strip else layout_of(self.size.width)

    def panel(self, name: str, region: Region) -> tuple[Content, Frame]:
        """What stands in a panel and how it is framed there."""
        around = 1 if name == "selected" else 2
        view = replace(self.view, layout=self.layout, height=max(0, region.height - around))
        if name == "events":
            # which row has the cursor is the list's to draw, so that moving it computes no rows
            view = replace(view, selected=None)
        if self.failure and name == "events":
            content = self._failed(region.width)
        elif name == "selected" and region.height <= COMPACT:
            content = selected.compact(self.snapshot, view, region.width)
        else:
            content = filtered(
                name, CONTENTS[name](self.snapshot, view, region.width), self.snapshot, view, region.width
            )
        if self.arrangement.strip:
            content = replace(content, above=(), columns=())  # of a few lines, the rows come first
        return content, self._frame(name, content)

    def header(self) -> tuple[Part, ...]:
        """The parts of the header."""
        return header_bar(self.snapshot, replace(self.view, layout=self.layout), self.size.width)

    def tabs(self) -> tuple[Part, ...]:
        """The parts of the tab line of a narrow board."""
        listed = [
            Tab(number, name, TITLES[name], self._rows(name) if name in SHARING else None)
            for number, name in enumerate(PANELS, 1)
            if name in self.arrangement.shown
        ]
        return tabs(listed, self.active, self.size.width)

    def footer(self, status: Line) -> tuple[Part, ...]:
        """The parts of the footer."""
        shown = commands.footer(self.active, self.table, speaking=speaking(self.snapshot))
        if self.arrangement.strip:
            return strip_bar(self.snapshot, replace(self.view, layout=self.layout), self.size.width, shown, status)
        return footer(shown, self.size.width, status)

    def _frame(self, name: str, content: Content) -> Frame:
        titles: tuple[Title, ...] = ()
        if self.layout is Layout.MEDIUM and name in SHARING and not self.arrangement.maximised:
            titles = tuple(
                self._title(each, content if each == name else None)
                for each in SHARING
                if each in self.arrangement.shown
            )
        return Frame(
            numbered=self.arrangement.strip or self.layout is not Layout.NARROW or name != self.active,
            titles=titles,
            roomy=self.size.height >= ROOMY,
            airy=name != "selected",
            leads=name == "events",
        )

    def _title(self, name: str, content: Content | None) -> Title:
        number = Span(f"{PANELS.index(name) + 1} ", Ink.KEY)
        if content is not None:
            scope = (Span(f"  {content.scope}", Ink.DIM),) if content.scope else ()
            return Title(name, (number, Span(content.title, Ink.STRONG), *scope))
        rows = self._rows(name)
        return Title(name, (number, Span(TITLES[name]), *((Span(f"  {rows}", Ink.DIM),) if rows else ())))

    def _rows(self, name: str) -> int:
        view = replace(self.view, layout=self.layout)
        content, width = CONTENTS[name](self.snapshot, view, self.size.width), self.size.width
        return len(filtered(name, content, self.snapshot, view, width).rows)

    def _failed(self, width: int) -> Content:
        lines: tuple[Line, ...] = (
            (Span("Not open", Ink.STRONG),),
            trim((Span(clean(self.failure)),), width - START - 1),
            (Span(commands.find("quit", self.table).shown, Ink.KEY), Span(" quits", Ink.DIM)),
        )
        return Content(title="Events", empty=tuple((*blank(START), *line) for line in lines))
