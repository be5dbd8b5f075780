"""The line a filter is written in, at the foot of the events, and under it what the text comes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.layout import START, blank
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.widgets.inked import Inked
from corr_tui.ui.widgets.word_field import WordLine

LABEL = 9
"""Cells of the label, its edge among them."""


class FilterLine(Widget):
    """A label, the text, and two lines that `note` gives for a width and the cells the text is scrolled."""

    DEFAULT_CSS = stylesheet("filter.tcss").read_text(encoding="utf-8")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.FILTER)]

    def __init__(
        self, label: str, words: str, note: Callable[[int, int, int], tuple[Line, ...]], *, ascii_only: bool
    ) -> None:
        super().__init__(id="filter")
        self.can_focus = False
        self._label, self._note = label, note
        self.line = WordLine(words, id="filter-words", compact=True, select_on_focus=False)
        self._head = Inked(lambda width: ((*blank(START), Span(self._label, Ink.KEY)),), id="filter-label")
        self.note = Inked(self._noted, ascii_only=ascii_only, id="filter-note")

    def compose(self) -> ComposeResult:
        """The label and the text, then the note."""
        with Horizontal(id="filter-line"):
            yield self._head
            yield self.line
        yield self.note

    @property
    def words(self) -> str:
        """What is written."""
        return self.line.value

    @property
    def cursor(self) -> int:
        """Where in it."""
        return self.line.cursor_position

    def relabel(self, label: str) -> None:
        """Say otherwise what is written here."""
        self._label = label
        self._head.redraw()

    def write(self, words: str, cursor: int) -> None:
        """Put a text in, and the cursor at a place of it."""
        self.line.value, self.line.cursor_position = words, cursor

    def _noted(self, width: int) -> tuple[Line, ...]:
        return self._note(width, LABEL + 1, self.line.scroll_offset.x)
