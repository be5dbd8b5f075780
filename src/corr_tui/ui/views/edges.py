"""The lines of a causal graph as text: what each lane shows on a row, two cells a lane (look: graph).

A line that passes another goes over it; only where lines meet at the row's own mark is a corner or a branch. What lies
beyond the lanes there is room for is folded into `›`.
"""

from __future__ import annotations

from typing import NamedTuple

from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import merged
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.views.lanes import Joint, Lanes

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
_BOXES = {
    UP: "│",
    DOWN: "│",
    UP | DOWN: "│",
    LEFT: "─",
    RIGHT: "─",
    LEFT | RIGHT: "─",
    UP | LEFT: "┘",
    DOWN | LEFT: "┐",
    UP | RIGHT: "└",
    DOWN | RIGHT: "┌",
    UP | DOWN | LEFT: "┤",
    UP | DOWN | RIGHT: "├",
    UP | LEFT | RIGHT: "┴",
    DOWN | LEFT | RIGHT: "┬",
    UP | DOWN | LEFT | RIGHT: "┼",
    0: " ",
}
_ASCII = {"│": "|", "─": "-", " ": " "}
"""Every other stand-in is `+`."""


class Room(NamedTuple):
    """How many lanes are drawn, and whether what lies beyond them is folded."""

    lanes: int
    folded: bool

    @property
    def cells(self) -> int:
        """How many cells that takes."""
        return 2 * self.lanes + 1 if self.folded else max(2 * self.lanes - 1, 1)


def room_for(used: int, most: int) -> Room:
    """Room for the lanes in use, `most` of them drawn."""
    return Room(most, True) if used > most else Room(used, False)


def edges(lanes: Lanes, row: int, room: Room, mark: Span, *, ascii_only: bool) -> Line:
    """What the lanes show on a row, exactly as wide as the room; `mark` is a glyph of one cell."""
    lane = lanes.marks[row].lane
    joints = lanes.joints(row)
    cells = _cells(joints, lane, room, ascii_only=ascii_only)
    spans = [Span(each, Ink.FAINT) for each in cells]
    if lane < room.lanes:
        spans[2 * lane] = mark
    elif room.folded:
        spans[2 * room.lanes - 1] = mark
    return merged(spans)


def _cells(joints: list[Joint], lane: int, room: Room, *, ascii_only: bool) -> list[str]:
    """A character a cell, without the mark."""
    ends = [lane, *(place for place, joint in enumerate(joints) if joint.joins)]
    first, last = min(ends), max(ends)
    cells: list[str] = []
    for place in range(room.lanes):
        joint = joints[place] if place < len(joints) else Joint()
        sides = (UP if joint.up else 0) | (DOWN if joint.down else 0)
        within = first <= place <= last
        if within and (joint.joins or not sides):
            sides |= (LEFT if place > first else 0) | (RIGHT if place < last else 0)
        cells += (_box(sides, ascii_only), _box(LEFT | RIGHT if first <= place < last else 0, ascii_only))
    if room.folded:
        beyond = any(joint != Joint() for joint in joints[room.lanes :]) or lane >= room.lanes
        return [*cells, Glyph.AFTER.symbol if beyond else " "]
    return cells[: room.cells]


def _box(sides: int, ascii_only: bool) -> str:
    box = _BOXES[sides]
    return _ASCII.get(box, "+") if ascii_only else box
