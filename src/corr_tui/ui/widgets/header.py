"""The header: whose correspondence this is on the left, how far it can be believed in pills on the right."""

from __future__ import annotations

from collections.abc import Sequence

from corr_tui.ui.layout import END, START, blank, trim, width_of
from corr_tui.ui.line import Ink, Line
from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.bar import Part

_GROUNDS = {Ink.ALARM: Ground.ALARM, Ink.ATTN: Ground.ATTN}


def header(left: Line, pills: Sequence[Line], width: int) -> tuple[Part, ...]:
    """The parts of the header; the left is cut before a pill is, and pills end one cell before the edge."""
    right: list[Part] = []
    for pill in pills:
        right += [Part(blank(1))] if right else []
        right.append(Part((*blank(1), *pill, *blank(1)), pill_ground(pill)))
    taken = sum(width_of(part.line) for part in right)
    room = max(0, width - START - END - taken - 1)
    words = trim(left, room)
    space = width - START - width_of(words) - taken - END
    return (Part((*blank(START), *words, *blank(max(0, space)))), *right)


def pill_ground(pill: Line) -> Ground:
    """Attention and alarm have grounds of their own, by the ink a pill is written in."""
    inks = {span.ink for span in pill}
    return next((ground for ink, ground in _GROUNDS.items() if ink in inks), Ground.PILL)
