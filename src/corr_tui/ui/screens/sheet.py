"""What search and outbox share: a sheet at the foot of the screen under a heavy rule, its keys on the last line."""

from __future__ import annotations

from collections.abc import Sequence

from corr_tui.ui.commands import COMMANDS, Command, find
from corr_tui.ui.layout import END, START, blank, ends, joined, trim, width_of
from corr_tui.ui.line import Ink, Line, Span

HEAVY = "━"


def sheet_heading(title: str, scope: str, width: int) -> Line:
    """`━ Search  the whole history ━━━━`."""
    left: Line = (Span(f"{HEAVY} ", Ink.ACCENT), Span(title, Ink.STRONG), Span(f"  {scope} ", Ink.DIM))
    left = trim(left, max(width - 1, 0))
    return (*left, Span(HEAVY * max(width - width_of(left), 0), Ink.ACCENT))


def keys_line(ids: Sequence[str], width: int, commands: Sequence[Command] = COMMANDS) -> Line:
    """The keys of a sheet, as many as there is room for; the last one always."""
    listed = [find(each, commands) for each in ids]
    while True:
        strokes = joined(((Span(each.shown, Ink.KEY), Span(f" {each.verb}", Ink.DIM)) for each in listed), 3)
        if width_of(strokes) <= width - START - END or len(listed) < 2:
            return ends(width, strokes)
        del listed[-2]


def told_line(words: Line, width: int) -> Line:
    """A result in the place of the keys."""
    return (*blank(START), *trim(words, max(width - START - END, 0)))
