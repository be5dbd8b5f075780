"""A live list: rows keyed by what they show, a cursor, keys and mouse, repainted line by line.

What moves is in `cursor_view`, what is drawn in `canvas`; this widget joins the two and says what happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.line import Line, Row
from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.canvas import Canvas
from corr_tui.ui.widgets.cursor_view import CursorView
from corr_tui.ui.widgets.kept_order import in_order
from corr_tui.ui.widgets.strips import BLANK, FOCUSED_BAR, UNFOCUSED_BAR, Laid, led, with_bar, with_mark

WHEEL = 3
"""Lines a notch of the wheel scrolls."""


class ListMessage(Message):
    """Something happened in a list."""

    def __init__(self, line_list: LineList) -> None:
        super().__init__()
        self.line_list = line_list

    @property
    def control(self) -> LineList:
        """The list it happened in."""
        return self.line_list


class LineList(Canvas, can_focus=True):
    """Rows of lines with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.LIST)]

    class Highlighted(ListMessage):
        """The cursor came to another row; `key` is None when there is none."""

        def __init__(self, line_list: LineList, key: str | None, *, by_person: bool) -> None:
            super().__init__(line_list)
            self.key = key
            self.by_person = by_person
            """Whether a key or the mouse put it there, rather than rows that came or went."""

    class BelowChanged(ListMessage):
        """Another number of rows that arrived below the view is unseen."""

    class AtTop(ListMessage):
        """A person scrolled up, and there is nothing above."""

    class Opened(ListMessage):
        """A person opened a row, by key or by mouse."""

        def __init__(self, line_list: LineList, key: str) -> None:
            super().__init__(line_list)
            self.key = key

    def __init__(self, *, id: str | None = None, follow: bool = False, chooses: bool = True) -> None:
        super().__init__(id=id)
        self.view = CursorView(follow=follow, chooses=chooses)
        self.instead: tuple[Laid, ...] = ()
        """What is drawn while there are no rows."""
        self.between = BLANK
        """What is drawn on lines that no row has."""
        self.visited = False
        """Whether it ever had the focus: only then does its cursor keep a place worth showing without it."""
        self.driven = False
        """Whether keys of another widget move its cursor: it is drawn as if it had the focus."""
        self.leads = False
        """Whether the first text of the cursor's row is drawn strong."""
        self.marked: frozenset[str] = frozenset()
        """The keys of the rows that are marked."""
        self.frozen = False
        """Whether rows keep the order they have: somebody is about to act on one."""
        self._told_below = 0

    def body(self, height: int) -> list[Laid]:
        """The rows in view, or what stands in their place."""
        if self.view.places.keys:
            return [self._row_line(self.view.top + y) for y in range(height)]
        instead = self.instead[:height]
        return [*instead, *([BLANK] * (height - len(instead)))]

    def patch(self, rows: Sequence[Row]) -> None:
        """Replace the rows; cursor and view stay by the law of `CursorView.patch`."""
        if self.frozen:
            rows = in_order(rows, self.view.places.keys)
        moved = self.view.patch(rows, self.room, still=self.is_attached and self.screen.focused is self)
        if moved:
            self.post_message(self.Highlighted(self, self.view.cursor, by_person=False))
        self._came_to(None)

    def choose(self, key: str | None) -> None:
        """Put the cursor on a row, if it is there, and bring it into view."""
        self._came_to(self.view.choose(key))

    def spot(self) -> tuple[tuple[Line, ...], int, int, int] | None:
        """The cursor's row as it stands on the screen: its lines, x, y and width; None while it is out of view."""
        view, first = self.view, self.view.line_of_cursor()
        if view.cursor is None or first is None:
            return None
        lines = view.places.rows[view.places.index[view.cursor]].lines
        if first + len(lines) > view.height:
            return None
        drawn = tuple(with_bar(led(line) if self.leads and not within else line) for within, line in enumerate(lines))
        return drawn, self.region.x, self.region.y + len(self.head()) + first, self.size.width

    def _came_to(self, key: str | None) -> None:
        """A person put the cursor on this row, or only the view moved; draw it."""
        if key is not None:
            self.post_message(self.Highlighted(self, key, by_person=True))
        if self.view.below != self._told_below:
            self._told_below = self.view.below
            self.post_message(self.BelowChanged(self))
        self.repaint()

    def _row_line(self, line: int) -> Laid:
        view = self.view
        found = view.places.at(line)
        if found is None:
            return self.between
        row = view.places.rows[found[0]]
        text = row.lines[found[1]] if row.lines else ()
        focused = self.has_focus or self.driven
        if row.key in self.marked and found[1] == 0:
            text = with_mark(text, beside_bar=row.key == view.cursor and (focused or self.visited))
        if row.key != view.cursor or not (focused or self.visited):
            return Laid(text, Ground.ALARM if row.alarm else Ground.PANEL)
        text = led(text) if self.leads and found[1] == 0 else text
        ground, bar = (Ground.CURSOR, FOCUSED_BAR) if focused else (Ground.RAISED, UNFOCUSED_BAR)
        return Laid(text, Ground.ALARM if row.alarm else ground, bar)

    # Keys, as the command table names them.

    def action_cursor_down(self) -> None:
        """Down one row."""
        self._came_to(self.view.step(1))

    def action_cursor_up(self) -> None:
        """Up one row."""
        self._came_to(self.view.step(-1))

    def action_cursor_first(self) -> None:
        """To the first row."""
        self._came_to(self.view.step(-self.view.places.height))

    def action_cursor_last(self) -> None:
        """To the last row, and stay with what arrives."""
        self._came_to(self.view.step(self.view.places.height))

    def action_cursor_page_down(self) -> None:
        """Down one page."""
        self._came_to(self.view.page(1))

    def action_cursor_page_up(self) -> None:
        """Up one page."""
        self._came_to(self.view.page(-1))

    def action_open(self) -> None:
        """Open the row under the cursor; of a list without one, all that it shows."""
        if self.view.cursor is not None or (self.view.places.keys and not self.view.chooses):
            self.post_message(self.Opened(self, self.view.cursor or ""))

    # Mouse, size and focus.

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel scrolls; the cursor stays."""
        event.stop()
        self.view.scroll(WHEEL)
        self._came_to(None)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel scrolls; the cursor stays."""
        event.stop()
        self.view.scroll(-WHEEL)
        self._came_to(None)
        if self.view.top == 0:
            self.post_message(self.AtTop(self))

    def on_click(self, event: events.Click) -> None:
        """A click chooses a row, a second one opens it."""
        line = event.y - len(self.head())
        found = self.view.places.at(line + self.view.top) if 0 <= line < self.view.height else None
        if found is None or self.view.cursor is None:
            return
        event.stop()
        self.choose(self.view.places.keys[found[0]])
        if event.chain == 2:
            self.action_open()

    def on_resize(self) -> None:
        """Keep the cursor in view at another height."""
        self.view.resize(self.room)
        self.paint_all()

    def on_focus(self) -> None:
        """The bar and its ground change with the focus."""
        self.visited = True
        self.repaint()

    def on_blur(self) -> None:
        """The bar and its ground change with the focus."""
        self.repaint()
