"""Where rows stand in a list: the first line of each, and which row has a given line. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from corr_tui.ui.line import Row


class RowPlaces:
    """The rows of a list laid one under another, each its lines and then its blank ones, none after the last."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self.rows = tuple(rows)
        self.index: dict[str, int] = {}
        self.firsts: list[int] = []
        line = 0
        for place, row in enumerate(self.rows):
            self.index.setdefault(row.key, place)
            self.firsts.append(line)
            line += max(1, len(row.lines)) + row.space
        self.height = line - self.rows[-1].space if self.rows else 0
        """Lines from the first row to the last."""

    def first_line(self, key: str) -> int | None:
        """The line a row begins on, or None when it is not here."""
        place = self.index.get(key)
        return None if place is None else self.firsts[place]

    def lines_of(self, place: int) -> int:
        """How many lines the row at a place takes, without the blank ones after it."""
        return max(1, len(self.rows[place].lines))

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


def surviving(before: RowPlaces, key: str, after: RowPlaces) -> str | None:
    """The key itself when it is still there, else the nearest row of before that is: first below it, then above."""
    if key in after.index:
        return key
    place = before.index.get(key)
    if place is None:
        return None
    below = (row.key for row in before.rows[place + 1 :])
    above = (row.key for row in reversed(before.rows[:place]))
    for neighbours in (below, above):
        for neighbour in neighbours:
            if neighbour in after.index:
                return neighbour
    return None
