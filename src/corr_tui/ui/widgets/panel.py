"""A panel: one top rule with its title in it, columns, a live list, and at the foot its legend and banner.

There are no side or bottom borders (look: space and alignment). The whole panel is one widget that draws lines, so a
board is a handful of widgets and a changed row is one changed line. `Content` says what stands where; this module adds
the frame and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.geometry import Size

from corr_tui.ui.commands import commands_of, find
from corr_tui.ui.layout import trim, width_of
from corr_tui.ui.line import Content, Ink, LazyRows, Line, Row, Span
from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.strips import BLANK, Laid

RULE = "─"
BETWEEN_TITLES = f" {RULE * 4} "


class Title(NamedTuple):
    """The title of a panel in a rule it shares with another."""

    name: str
    line: Line


@dataclass(frozen=True, slots=True)
class Frame:
    """How the board frames a panel at its present size."""

    numbered: bool = True
    """Whether the number stands in the rule; a tab above has it otherwise."""
    titles: tuple[Title, ...] = ()
    """In place of the title where two panels share one place."""
    roomy: bool = False
    """Whether there is height for blank lines that only separate."""
    leads: bool = False
    """Whether the first text of the row under the cursor is strong: the number of an event."""
    airy: bool = True
    """Whether a blank line stands under the rule when there are no column headings."""


class Panel(LineList):
    """One numbered panel of the board."""

    def __init__(self, number: int | str, name: str, *, follow: bool = False, chooses: bool = True) -> None:
        super().__init__(id=name, follow=follow, chooses=chooses)
        self.number = number
        """What stands before its title: the key that goes to it."""
        self.panel_name = name
        self.content = Content(title="")
        self.marks = 0
        """How many events are marked, in view or not."""
        self.frame = Frame()
        self._wanted = 0
        """The lines its rows take, or what stands in their place."""
        self._edges: tuple[tuple[bool, Size, int], tuple[Laid, ...], tuple[Laid, ...]] | None = None

    def show(self, content: Content, frame: Frame) -> None:
        """Draw this content in this frame; cursor and view stay by the list's law."""
        self.content, self.frame, self.leads = content, frame, frame.leads
        self._edges = None
        self._wanted = _lines(content.rows) or len(content.empty)
        self.instead, self.between = tuple(map(Laid, content.empty)), Laid(content.between)
        self.patch(content.rows)

    def head(self) -> tuple[Laid, ...]:
        """The rule, then the column headings or a blank line."""
        return self._around()[1]

    def foot(self) -> tuple[Laid, ...]:
        """Legend and scope, then the banner on its own ground; in a low panel the rows come first."""
        return self._around()[2]

    # The frame.

    def _around(self) -> tuple[tuple[bool, Size, int], tuple[Laid, ...], tuple[Laid, ...]]:
        """What it was made for, head and foot; made once for one content at one size."""
        made_for = (self.has_focus, self.size, self.view.above)
        if self._edges is None or self._edges[0] != made_for:
            self._edges = (made_for, self._head(), self._foot())
        return self._edges

    def _head(self) -> tuple[Laid, ...]:
        rule = Laid(self._rule())
        if self.content.columns:
            return (rule, *((Laid(self.content.above),) if self.content.above else ()), Laid(self.content.columns))
        return (rule, BLANK) if self._airy() else (rule,)

    def _foot(self) -> tuple[Laid, ...]:
        lines = (*map(Laid, self.content.foot), *(Laid(line, Ground.ATTN) for line in self.content.banner))
        if not lines:
            return ()
        spare = self.size.height - 2 - len(lines) - self._wanted
        separated = self.frame.roomy and (spare > 0 or spare < -len(lines))  # never at the cost of the last row
        lines = (self.between, *lines) if separated else lines
        return lines[max(0, len(lines) - max(0, self.size.height - 3)) :]

    def _airy(self) -> bool:
        if not self.frame.airy:
            return False
        return self.size.height - 2 >= self._wanted + len(self.content.foot) + len(self.content.banner)

    def _rule(self) -> Line:
        content, width = self.content, self.size.width
        ink = Ink.ACCENT if self.has_focus else Ink.RULE
        info, titles = self._above() or content.info, self._titles()
        said = any(span.ink is not Ink.DIM for span in info)
        if said and sum(map(width_of, titles)) + width_of(info) + len(BETWEEN_TITLES) > width:
            titles = self._titles(scoped=False)  # a count or a doubt is worth more than a scope
        return rule(titles, info, ink, width)

    def _above(self) -> Line:
        """`2 above Home`, where rows came above the cursor's row and it kept its line."""
        above = self.view.above
        key = find("move.first", commands_of(self.app)).shown
        return (Span(f"{above} above "), Span(key, Ink.KEY)) if above else ()

    def _titles(self, *, scoped: bool = True) -> tuple[Line, ...]:
        if self.frame.titles:
            return tuple(tab.line for tab in self.frame.titles)
        number = (Span(f"{self.number} ", Ink.KEY),) if self.frame.numbered else ()
        scope = (Span(f"  {self.content.scope}", Ink.DIM),) if self.content.scope and scoped else ()
        marks = (Span(f"  {self.marks} marked", Ink.ACCENT),) if self.marks else ()
        return ((*number, Span(self.content.title, Ink.STRONG), *scope, *marks),)

    def on_click(self, event: events.Click) -> None:
        """A click on a title in the rule goes to that panel; below it, the list's own."""
        end = 2
        for tab in self.frame.titles if event.y == 0 else ():
            if end <= event.x < end + width_of(tab.line):
                event.stop()
                self.post_message(Bar.Chosen(f"panel.{tab.name}"))
            end += width_of(tab.line) + len(BETWEEN_TITLES)


def _lines(rows: Sequence[Row]) -> int:
    return len(rows) * rows.lines if isinstance(rows, LazyRows) else sum(len(row.lines) for row in rows)


def rule(titles: tuple[Line, ...], info: Line, ink: Ink, width: int) -> Line:
    """One rule: `─ 2 Events  all threads ─────── by receipt`; the info goes when title and info do not both fit.

    With several titles a stretch of the rule stands between each two.
    """
    line: list[Span] = [Span(RULE, ink), Span(" ")]
    for place, title in enumerate(titles):
        if place:
            line.append(Span(BETWEEN_TITLES, ink))
        line += title
    left = trim(line, max(0, width - 1))
    tail: Line = (Span(" "), *info, Span(" ")) if info else ()
    if width - width_of(left) - width_of(tail) < 2:
        tail = ()
    stretch = width - width_of(left) - width_of(tail) - 1
    middle = (Span(" "), Span(RULE * stretch, ink)) if stretch > 0 else ()
    return (*left, *middle, *tail)
