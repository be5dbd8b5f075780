"""Where rows stand in a list: the first line of each, and which row has a given line. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from corr_tui.ui.line import LazyRows, Row


class RowPlaces:
    """The rows of a list laid one under another, each its lines and then its blank ones, none after the last."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self.rows: Sequence[Row] = rows if isinstance(rows, LazyRows) else tuple(rows)
        self.keys: tuple[str, ...] = rows.keys if isinstance(rows, LazyRows) else tuple(row.key for row in rows)
        self.index = dict(zip(self.keys, range(len(self.keys)), strict=True))
        self.firsts: Sequence[int]
        self.height: int
        """Lines from the first row to the last."""
        self.firsts, self.height = _stacked(self.rows)

    def first_line(self, key: str) -> int | None:
        """The line a row begins on, or None when it is not here."""
        place = self.index.get(key)
        return None if place is None else self.firsts[place]

    def lines_of(self, place: int) -> int:
        """How many lines the row at a place takes, without the blank ones after it."""
        return self.rows.lines if isinstance(self.rows, LazyRows) else max(1, len(self.rows[place].lines))

    def known(self, key: str) -> bool:
        """Whether the coming of a row that is here is no news."""
        rows, place = self.rows, self.index[key]
        return rows.known(place) if isinstance(rows, LazyRows) else rows[place].known

    def note(self, place: int) -> bool:
        """Whether the row at a place says something about the list itself."""
        rows = self.rows
        return rows.note(place) if isinstance(rows, LazyRows) else rows[place].note

    def heading(self, place: int) -> bool:
        """Whether the row at a place stands over others, so that the cursor passes it."""
        rows = self.rows
        return rows.heading(place) if isinstance(rows, LazyRows) else rows[place].heading

    def stop(self, place: int, direction: int = 1) -> int | None:
        """The nearest place the cursor may stop at: this one, else in the direction of the sign, else the other way."""
        last = len(self.keys)
        ahead, behind = range(place, last), range(place, -1, -1)
        for places in (ahead, behind) if direction > 0 else (behind, ahead):
            for each in places:
                if not self.heading(each):
                    return each
        return None

    def at(self, line: int) -> tuple[int, int] | None:
        """The place of the row on a line and which of its lines that is; None between rows or past the end."""
        if not 0 <= line < self.height:
            return None
        place = bisect_right(self.firsts, line) - 1
        within = line - self.firsts[place]
        return (place, within) if within < self.lines_of(place) else None

    def near(self, line: int) -> int | None:
        """The place of the row on a line, or of the one before it between rows; None when there are no rows."""
        if not self.rows:
            return None
        return max(0, bisect_right(self.firsts, max(0, line)) - 1)


def _stacked(rows: Sequence[Row]) -> tuple[Sequence[int], int]:
    """The first line of each row, and the lines of all."""
    if isinstance(rows, LazyRows):
        step = rows.lines + rows.space
        return range(0, len(rows) * step, step), max(len(rows) * step - rows.space, 0)
    firsts, line, space = [], 0, 0
    for row in rows:
        firsts.append(line)
        space = row.space
        line += max(1, len(row.lines)) + space
    return firsts, line - space


def surviving(before: RowPlaces, key: str, after: RowPlaces) -> str | None:
    """The key itself when it is still there, else the nearest row of before that is: first below it, then above.

    No heading of before takes the place of a row.
    """
    if key in after.index:
        return key
    place = before.index.get(key)
    if place is None:
        return None
    for neighbours in (range(place + 1, len(before.keys)), range(place - 1, -1, -1)):
        for each in neighbours:
            if before.keys[each] in after.index and not before.heading(each):
                return before.keys[each]
    return None
