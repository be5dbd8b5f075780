"""Lines of ink become strips of the terminal: the only place of the interface where a colour meets a text.

A line is drawn on one ground, padded to the width and cropped at it. Texts are put into segments as they are: no
markup is read from them.
"""

from __future__ import annotations

from typing import NamedTuple

from rich.segment import Segment
from textual.strip import Strip

from corr_tui.ui.glyphs import Glyph, plain
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.theme import Ground, Inks

FOCUSED_BAR = Span("▌", Ink.ACCENT)
UNFOCUSED_BAR = Span("▏", Ink.TEXT)


class Lit(NamedTuple):
    """A stretch of a line on a ground of its own, from cell `start` up to, and without, `end`; `bar` is its first."""

    start: int
    end: int
    ground: Ground
    bar: Span


class Laid(NamedTuple):
    """A line with what lies under it; `bar` takes column 0 in place of what the line has there."""

    line: Line = ()
    ground: Ground = Ground.PANEL
    bar: Span | None = None
    lit: Lit | None = None


BLANK = Laid()


def led(line: Line) -> Line:
    """The line with its first word strong."""
    for place, span in enumerate(line):
        start = len(span.text) - len(span.text.lstrip(" "))
        if span.text.strip(" "):
            word = span.text[start:].split(" ", 1)[0]
            before, after = span.text[:start], span.text[start + len(word) :]
            parts = (Span(before, span.ink), Span(word, Ink.STRONG), Span(after, span.ink))
            return (*line[:place], *(part for part in parts if part.text), *line[place + 1 :])
    return line


def with_bar(line: Line, bar: Span = FOCUSED_BAR) -> Line:
    """The line with the bar in place of its first, blank, cell."""
    if line and line[0].text.startswith(" "):
        line = (Span(line[0].text[1:], line[0].ink), *line[1:])
    return (bar, *line)


def with_mark(line: Line, *, beside_bar: bool) -> Line:
    """The line with the mark in its first, blank, cell; in its second where the bar takes the first."""
    if line and line[0].text.startswith("  "):
        rest = (Span(line[0].text[2:], line[0].ink), *line[1:])
        mark, blank = Span(Glyph.MARKED.symbol, Ink.ACCENT), Span(" ")
        return (blank, mark, *rest) if beside_bar else (mark, blank, *rest)
    return line


def draw(laid: Laid, inks: Inks, width: int, *, ascii_only: bool = False) -> Strip:
    """The strip of a laid line, exactly `width` cells; with `ascii_only` every glyph is its stand-in."""
    style = inks.style
    line = laid.line if laid.bar is None else with_bar(laid.line, laid.bar)
    line = plain(line) if ascii_only else line
    strip = Strip([Segment(span.text, style(span.ink, laid.ground)) for span in line if span.text])
    blank = style(Ink.TEXT, laid.ground)
    strip = strip.adjust_cell_length(width, blank)
    lit = laid.lit
    if lit is None or not 0 <= lit.start < min(lit.end, width):
        return strip
    under = draw(Laid(laid.line, lit.ground), inks, width, ascii_only=ascii_only)
    bar = draw(Laid((lit.bar,), lit.ground), inks, 1, ascii_only=ascii_only)
    inner = (strip.crop(0, lit.start), bar, under.crop(lit.start + 1, lit.end), strip.crop(lit.end, width))
    return Strip.join(inner)
