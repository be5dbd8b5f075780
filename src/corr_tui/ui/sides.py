"""How wide the outer columns of a wide board are (look: panels). Pure numbers."""

from __future__ import annotations

LEFT, RIGHT = 32, 42
"""Cells of the outer columns where there is room for both beside the events."""
ROOM = 160
"""The width from which there is."""
GIVEN = (7, 13)
"""Cells they give up, at most, before the events do without seconds or thread: words, bars and the ends of ids."""


def sides(width: int) -> tuple[int, int]:
    """The cells of the left and of the right column of a wide board."""
    lacking = max(0, ROOM - width)
    left = min(GIVEN[0], lacking // 2)
    return LEFT - left, RIGHT - min(GIVEN[1], lacking - left)
