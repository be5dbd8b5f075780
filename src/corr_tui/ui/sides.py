"""How wide the outer columns of a wide board are (look: panels). Pure numbers."""

from __future__ import annotations

LEFT, RIGHT = 32, 42
"""Cells of the outer columns where there is room for both beside the events."""
ROOM = 160
"""The width from which there is."""
GIVEN = 8
"""Cells each of them gives up, at most, before the events do without seconds or thread."""


def sides(width: int) -> tuple[int, int]:
    """The cells of the left and of the right column of a wide board."""
    given = min(GIVEN, max(0, ROOM - width + 1) // 2)
    return LEFT - given, RIGHT - given
