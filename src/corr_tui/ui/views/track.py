"""One line of a chart, drawn cell by cell, later strokes over earlier ones."""

from __future__ import annotations

from corr_tui.ui.layout import merged
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.text import cells, cut


class Track:
    """So many cells, blank at first; what falls outside of them is not drawn."""

    def __init__(self, cells: int) -> None:
        self.cells = [Span(" ")] * cells

    def put(self, column: int, character: str, ink: Ink) -> None:
        """Draw one character."""
        if 0 <= column < len(self.cells):
            self.cells[column] = Span(character, ink)

    def fill(self, start: int, end: int, character: str, ink: Ink) -> None:
        """Draw one character on every cell from `start` up to, and without, `end`."""
        for column in range(max(start, 0), min(end, len(self.cells))):
            self.cells[column] = Span(character, ink)

    def write(self, column: int, words: str, ink: Ink) -> int:
        """Write clean words as far as there is room; returns the column after them."""
        column = max(column, 0)
        shown = cut(words, max(len(self.cells) - column, 0))
        for character in shown:
            width = cells(character)
            if not width and 0 < column <= len(self.cells):
                before = self.cells[column - 1]
                self.cells[column - 1] = Span(before.text + character, before.ink)
            for place in range(width):
                self.put(column + place, "" if place else character, ink)
            column += width
        return column

    def line(self) -> Line:
        """The cells as a line."""
        return merged(self.cells)
