"""Rows, the cursor on one of them, and the stretch of lines that is in view. Pure: no widget, no terminal.

The law of `patch`: the cursor stays on the same key while that row exists, and on the same line of the view as far as
the ends of the list allow. The one exception is a list that follows its tail: while the cursor is on the last row
because a person put it there, it goes to each new last row. Following can be held, and resumed: then the cursor stays
where it is until something of others arrives. The cursor passes headings, and is never on one.
"""

from __future__ import annotations

from collections.abc import Sequence

from corr_tui.ui.line import Row
from corr_tui.ui.widgets.row_places import RowPlaces, surviving


class CursorView:
    """A view of `height` lines on rows; `follow` is whether its tail is followed, `chooses` whether it has a cursor."""

    def __init__(self, *, follow: bool = False, chooses: bool = True, height: int = 0) -> None:
        self.places = RowPlaces()
        self.cursor: str | None = None
        """The key of the row under the cursor."""
        self.top = 0
        """The first line of the rows that is in view."""
        self.height = height
        """How many lines are in view."""
        self.following = follow
        """Whether the cursor goes along when it is on the last row and rows arrive below it."""
        self.chooses = chooses
        """Whether one row has the cursor."""
        self._follows = follow
        self._held = self._resumed = self._anew = False
        self._unseen: set[str] = set()

    @property
    def below(self) -> int:
        """How many rows arrived below the view and were not in view since."""
        bottom = self.top + self.height
        index, firsts = self.places.index, self.places.firsts
        self._unseen = {key for key in self._unseen if firsts[index[key]] >= bottom}
        return len(self._unseen)

    def line_of_cursor(self) -> int | None:
        """The line of the view on which the cursor's row begins; None while that is out of view."""
        first = None if self.cursor is None else self.places.first_line(self.cursor)
        return None if first is None or not 0 <= first - self.top < self.height else first - self.top

    @property
    def above(self) -> int:
        """How many rows are out of view above, though all below them are in view: so that the cursor's row kept its
        line."""
        if self.top <= max(0, self.places.height - self.height):
            return 0
        place = self.places.near(self.top)
        return 0 if place is None else place

    def patch(self, rows: Sequence[Row], height: int, *, still: bool = False) -> bool:
        """Replace the rows by the law above; whether the cursor is on another row now.

        `still` is whether the cursor's row keeps its line beyond the end of the list: rows that come above it in a list
        that is all in view go out of view.
        """
        before, after, key = self.places, RowPlaces(rows), self.cursor
        anew, self._anew = self._anew, False
        added = after.index.keys() - before.index.keys() if before.keys and not anew else set()
        arrived = {each for each in added if not after.known(each)}
        at_tail = bool(before.keys) and (bool(arrived) if self._resumed else key == before.keys[-1])
        anchor = self._anchor()
        self.places, self.height = after, height
        if at_tail and self.following and self.chooses and not anew:
            self._resumed = False
            self._move_to(after.keys[-1] if after.keys else None)
        else:
            self.cursor = self._cursor_after(before)
            self._hold(before, anchor, still=still and not anew)
        if anew:
            self.following = self._follows and (not after.keys or self.cursor == after.keys[-1])
        self._unseen &= after.index.keys()
        if before.keys:
            self._unseen |= arrived
        return self.cursor != key

    def resize(self, height: int) -> None:
        """Another number of lines is in view; the cursor's row stays in it."""
        self.height = height
        self._move_to(self.cursor)

    def choose(self, key: str | None) -> str | None:
        """Put the cursor on a row, if it is there, and bring it into view; the key it is on then, else None.

        In place of a heading it is the first row below it.
        """
        if key is None or key not in self.places.index or not self.chooses:
            return None
        place = self.places.stop(self.places.index[key])
        if place is None:
            return None
        key = self.places.keys[place]
        self._move_to(key)
        self.following = self._follows and key == self.places.keys[-1]
        self._resumed = False
        return key

    def choose_anew(self) -> None:
        """The rows that come next are another choice of the same things: none of them arrived, and none is followed."""
        self._anew = True

    def hold(self) -> None:
        """Follow nothing until `resume`."""
        self._held, self.following = self._held or self.following, False

    def resume(self) -> None:
        """Follow again, if it did before."""
        if self._held:
            self._held, self.following, self._resumed = False, True, True

    def step(self, rows: int) -> str | None:
        """So many rows down, as far as there are any; without a cursor so many lines."""
        if self.cursor is None:
            self.scroll(rows)
            return None
        place = max(0, min(self.places.index[self.cursor] + rows, len(self.places.keys) - 1))
        return self._choose_near(place, rows)

    def page(self, direction: int) -> str | None:
        """A view down for 1, up for -1."""
        if self.cursor is None:
            self.scroll(direction * self.height)
            return None
        line = self.places.firsts[self.places.index[self.cursor]] + direction * max(1, self.height - 1)
        place = self.places.near(min(line, self.places.height - 1))
        return None if place is None else self._choose_near(place, direction)

    def scroll(self, lines: int) -> None:
        """Move the view, not the cursor."""
        self._set_top(self.top + lines)

    def _choose_near(self, place: int, direction: int) -> str | None:
        """Put the cursor on the row at a place, past a heading in this direction."""
        stop = self.places.stop(place, direction)
        return None if stop is None else self.choose(self.places.keys[stop])

    def _cursor_after(self, before: RowPlaces) -> str | None:
        if not self.places.keys or not self.chooses:
            return None
        kept = None if self.cursor is None else surviving(before, self.cursor, self.places)
        if kept is not None:
            return kept
        last = len(self.places.keys) - 1
        tail = self.following and not self.places.note(last)
        stop = self.places.stop(last, -1) if tail else self.places.stop(0)
        return None if stop is None else self.places.keys[stop]

    def _anchor(self) -> tuple[str, int] | None:
        """A key and its line of the view: the cursor's while it is in view, else the first row's.

        Rows that only say something about the list are passed over: what they stand for comes in their place.
        """
        places, line = self.places, self.line_of_cursor()
        if self.cursor is not None and line is not None and not places.note(places.index[self.cursor]):
            return self.cursor, line
        place = places.near(self.top)
        if place is None:
            return None
        while places.note(place) and place + 1 < len(places.keys):
            place += 1
        return places.keys[place], places.firsts[place] - self.top

    def _hold(self, before: RowPlaces, anchor: tuple[str, int] | None, *, still: bool) -> None:
        key = None if anchor is None else surviving(before, anchor[0], self.places)
        first = None if key is None else self.places.first_line(key)
        if anchor is None or first is None:
            self._move_to(self.cursor)
        elif still and key == self.cursor:
            self.top = max(0, first - anchor[1])
        else:
            self._set_top(first - anchor[1])

    def _set_top(self, line: int) -> None:
        self.top = max(0, min(line, self.places.height - self.height))

    def _move_to(self, key: str | None) -> None:
        self.cursor = key
        place = None if key is None else self.places.index.get(key)
        if place is None:
            self._set_top(self.top)
            return
        last = self.places.firsts[place] + self.places.lines_of(place)
        first = self.places.firsts[self._headed(place)]
        if last - first > self.height:
            first = self.places.firsts[place]
        self._set_top(min(first, max(self.top, last - self.height)))

    def _headed(self, place: int) -> int:
        """The place of the first heading right above the row at a place, else that row's."""
        while place and self.places.heading(place - 1):
            place -= 1
        return place
