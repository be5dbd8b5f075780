"""A live list on Textual's Line API: rows keyed by what they show, repainted line by line.

The law of `patch`: the cursor stays on the same key while that row exists, and on the same screen line as far as the
ends of the list allow; only lines that differ are repainted. The one exception is a list that follows its tail: while
the cursor is on the last row because a person put it there, it goes to each new last row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.line import Line, Row
from corr_tui.ui.theme import Ground, inks_of
from corr_tui.ui.widgets.row_places import RowPlaces, surviving
from corr_tui.ui.widgets.strips import BLANK, FOCUSED_BAR, UNFOCUSED_BAR, Laid, draw, led, with_bar

WHEEL = 3
"""Lines a notch of the wheel scrolls."""
_KEPT_STRIPS = 512


class LineList(Widget, can_focus=True):
    """Rows of lines with a cursor, between fixed lines above (`head`) and below (`foot`)."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.LIST)]

    class Highlighted(Message):
        """The cursor came to another row; `key` is None when there is none."""

        def __init__(self, line_list: LineList, key: str | None, *, by_person: bool) -> None:
            super().__init__()
            self.line_list = line_list
            self.key = key
            self.by_person = by_person
            """Whether a key or the mouse put it there, rather than rows that came or went."""

        @property
        def control(self) -> LineList:
            """The list it happened in."""
            return self.line_list

    class BelowChanged(Message):
        """Another number of rows that arrived below the view is unseen."""

        def __init__(self, line_list: LineList) -> None:
            super().__init__()
            self.line_list = line_list

        @property
        def control(self) -> LineList:
            """The list it happened in."""
            return self.line_list

    class Opened(Message):
        """A person opened a row, by key or by mouse."""

        def __init__(self, line_list: LineList, key: str) -> None:
            super().__init__()
            self.line_list = line_list
            self.key = key

        @property
        def control(self) -> LineList:
            """The list it happened in."""
            return self.line_list

    def __init__(self, *, id: str | None = None, follow: bool = False, chooses: bool = True) -> None:
        super().__init__(id=id)
        self.places = RowPlaces()
        self.cursor: str | None = None
        """The key of the row under the cursor."""
        self.top = 0
        """The first line of the rows that is on the screen."""
        self.following = follow
        """Whether the cursor goes along when it is on the last row and rows arrive below it."""
        self.ascii_only = False
        """Whether glyphs are drawn by their ASCII stand-ins."""
        self.visited = False
        """Whether it ever had the focus: only then does its cursor keep a place worth showing without it."""
        self.leads = False
        """Whether the first text of the cursor's row is drawn strong."""
        self._follows = follow
        self._chooses = chooses
        self._unseen: set[str] = set()
        self._told_below = 0
        self._painted: list[Laid] = []
        self._strips: dict[Laid, Strip] = {}
        self._strips_width = 0

    # What is drawn above and below the rows; a panel overrides these.

    def head(self) -> tuple[Laid, ...]:
        """The fixed lines above the rows."""
        return ()

    def foot(self) -> tuple[Laid, ...]:
        """The fixed lines below the rows."""
        return ()

    def in_place_of_rows(self) -> tuple[Laid, ...]:
        """What is drawn while there are no rows."""
        return ()

    # The rows.

    @property
    def view_height(self) -> int:
        """Lines between head and foot."""
        return max(0, self.size.height - len(self.head()) - len(self.foot()))

    @property
    def below(self) -> int:
        """How many rows arrived below the view and were not seen since."""
        return len(self._unseen)

    def patch(self, rows: Sequence[Row]) -> None:
        """Replace the rows, keeping cursor and view by the law above."""
        before, after = self.places, RowPlaces(rows)
        key = self.cursor
        at_tail = bool(before.rows) and key == before.rows[-1].key
        anchor = self._anchor(before)
        self.places = after
        if at_tail and self.following and self._chooses:
            self._move_to(after.rows[-1].key if after.rows else None)
        else:
            self.cursor = self._cursor_after(before, after)
            self._hold(before, anchor)
        self._count_unseen(before, after)
        if self.cursor != key:
            self.post_message(self.Highlighted(self, self.cursor, by_person=False))
        self.repaint()

    def choose(self, key: str | None) -> None:
        """Put the cursor on a row, if it is there, and bring it into view."""
        if key is not None and key in self.places.index:
            self._move_to(key)
            self.following = self._follows and key == self.places.rows[-1].key
            self.post_message(self.Highlighted(self, key, by_person=True))
        self.repaint()

    def spot(self) -> tuple[tuple[Line, ...], int, int, int] | None:
        """The cursor's row as it stands on the screen: its lines, x, y and width; None while it is out of view."""
        place = None if self.cursor is None else self.places.index.get(self.cursor)
        if place is None:
            return None
        first, lines = self.places.firsts[place] - self.top, self.places.rows[place].lines
        if not 0 <= first <= self.view_height - len(lines):
            return None
        drawn = tuple(with_bar(led(line) if self.leads and not within else line) for within, line in enumerate(lines))
        return drawn, self.region.x, self.region.y + len(self.head()) + first, self.size.width

    def _cursor_after(self, before: RowPlaces, after: RowPlaces) -> str | None:
        if not after.rows or not self._chooses:
            return None
        kept = None if self.cursor is None else surviving(before, self.cursor, after)
        return kept if kept is not None else after.rows[-1 if self.following else 0].key

    def _anchor(self, places: RowPlaces) -> tuple[str, int] | None:
        """A key and its line on the screen: the cursor's while it is in view, else the first row's in view."""
        first = None if self.cursor is None else places.first_line(self.cursor)
        if self.cursor is not None and first is not None and self.top <= first < self.top + self.view_height:
            return self.cursor, first - self.top
        place = places.near(self.top)
        return None if place is None else (places.rows[place].key, places.firsts[place] - self.top)

    def _hold(self, before: RowPlaces, anchor: tuple[str, int] | None) -> None:
        key = None if anchor is None else surviving(before, anchor[0], self.places)
        first = None if key is None else self.places.first_line(key)
        if anchor is None or first is None:
            self._move_to(self.cursor)
        else:
            self._set_top(first - anchor[1])

    def _count_unseen(self, before: RowPlaces, after: RowPlaces) -> None:
        bottom = self.top + self.view_height
        self._unseen &= after.index.keys()
        if before.rows:
            arrived = after.index.keys() - before.index.keys()
            self._unseen |= {key for key in arrived if after.firsts[after.index[key]] >= bottom}

    # Moving.

    def _set_top(self, line: int) -> None:
        self.top = max(0, min(line, self.places.height - self.view_height))

    def _move_to(self, key: str | None) -> None:
        self.cursor = key
        place = None if key is None else self.places.index.get(key)
        if place is None:
            self._set_top(self.top)
            return
        first = self.places.firsts[place]
        last = first + self.places.lines_of(place)
        self._set_top(min(first, max(self.top, last - self.view_height)))

    def _step(self, rows: int) -> None:
        if not self._chooses or self.cursor is None:
            self._scroll(rows)
            return
        place = self.places.index[self.cursor] + rows
        self.choose(self.places.rows[max(0, min(place, len(self.places.rows) - 1))].key)

    def _scroll(self, lines: int) -> None:
        self._set_top(self.top + lines)
        self.repaint()

    def _page(self, direction: int) -> None:
        if not self._chooses or self.cursor is None:
            self._scroll(direction * self.view_height)
            return
        line = self.places.firsts[self.places.index[self.cursor]] + direction * max(1, self.view_height - 1)
        place = self.places.near(min(line, self.places.height - 1))
        if place is not None:
            self.choose(self.places.rows[place].key)

    def action_cursor_down(self) -> None:
        """Down one row."""
        self._step(1)

    def action_cursor_up(self) -> None:
        """Up one row."""
        self._step(-1)

    def action_cursor_first(self) -> None:
        """To the first row."""
        self._step(-len(self.places.rows))
        self._scroll(-self.places.height if not self._chooses else 0)

    def action_cursor_last(self) -> None:
        """To the last row, and stay with what arrives."""
        self.following = self._follows
        self._step(len(self.places.rows))
        self._scroll(self.places.height if not self._chooses else 0)

    def action_cursor_page_down(self) -> None:
        """Down one page."""
        self._page(1)

    def action_cursor_page_up(self) -> None:
        """Up one page."""
        self._page(-1)

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if self.cursor is not None:
            self.post_message(self.Opened(self, self.cursor))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel scrolls; the cursor stays."""
        event.stop()
        self._scroll(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel scrolls; the cursor stays."""
        event.stop()
        self._scroll(-WHEEL)

    def on_click(self, event: events.Click) -> None:
        """A click chooses a row, a second one opens it."""
        found = self.places.at(event.y - len(self.head()) + self.top) if self._is_row(event.y) else None
        if found is None or not self._chooses:
            return
        event.stop()
        self.choose(self.places.rows[found[0]].key)
        if event.chain == 2:
            self.action_open()

    def _is_row(self, y: int) -> bool:
        return len(self.head()) <= y < len(self.head()) + self.view_height

    # Drawing.

    def repaint(self) -> None:
        """Refresh the lines that differ from what was painted."""
        self._forget_seen()
        now = self._laid()
        if len(now) != len(self._painted):
            self._painted = now
            self.refresh()
            return
        width = self.size.width
        changed = [Region(0, y, width, 1) for y, laid in enumerate(now) if laid != self._painted[y]]
        self._painted = now
        if changed:
            self.refresh(*changed)

    def _forget_seen(self) -> None:
        bottom = self.top + self.view_height
        unseen = {key for key in self._unseen if self.places.firsts[self.places.index[key]] >= bottom}
        self._unseen = unseen
        if len(unseen) != self._told_below:
            self._told_below = len(unseen)
            self.post_message(self.BelowChanged(self))

    def _laid(self) -> list[Laid]:
        """Every line of the widget as it should stand now."""
        head, foot, height = self.head(), self.foot(), self.size.height
        room = max(0, height - len(head) - len(foot))
        if self.places.rows:
            body = [self._row_line(self.top + y) for y in range(room)]
        else:
            instead = self.in_place_of_rows()[:room]
            body = [*instead, *([BLANK] * (room - len(instead)))]
        return [*head, *body, *foot][:height]

    def _row_line(self, line: int) -> Laid:
        found = self.places.at(line)
        if found is None:
            return BLANK
        row = self.places.rows[found[0]]
        text = row.lines[found[1]] if row.lines else ()
        if row.key != self.cursor or not (self.has_focus or self.visited):
            return Laid(text, Ground.ALARM if row.alarm else Ground.PANEL)
        text = led(text) if self.leads and found[1] == 0 else text
        ground = Ground.CURSOR if self.has_focus else Ground.RAISED
        bar = FOCUSED_BAR if self.has_focus else UNFOCUSED_BAR
        return Laid(text, Ground.ALARM if row.alarm else ground, bar)

    def render_line(self, y: int) -> Strip:
        """One line of the widget, from the strips kept."""
        if y >= len(self._painted):
            self._painted = self._laid()
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

    def on_resize(self) -> None:
        """Keep the cursor in view at another height."""
        self._move_to(self.cursor)
        self._painted = []
        self.repaint()

    def on_focus(self) -> None:
        """The bar and its ground change with the focus."""
        self.visited = True
        self.repaint()

    def on_blur(self) -> None:
        """The bar and its ground change with the focus."""
        self.repaint()
