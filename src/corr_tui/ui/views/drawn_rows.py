"""Rows of one line each that a function draws when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from corr_tui.ui.line import LazyRows, Row


class DrawnRows(LazyRows):
    """The rows of some keys; each is drawn once."""

    def __init__(self, keys: Sequence[str], draw: Callable[[int], Row], headings: Collection[str] = ()) -> None:
        self.keys = tuple(keys)
        self._headings = headings
        self._draw = draw
        self._drawn: dict[int, Row] = {}

    def row(self, place: int) -> Row:
        """The row at a place, drawn."""
        row = self._drawn.get(place)
        if row is None:
            row = self._drawn[place] = self._draw(place)
        return row

    def known(self, place: int) -> bool:
        """Every row may be news."""
        return False

    def note(self, place: int) -> bool:
        """None is about the list itself."""
        return False

    def heading(self, place: int) -> bool:
        """Whether its key is among those of headings."""
        return self.keys[place] in self._headings
