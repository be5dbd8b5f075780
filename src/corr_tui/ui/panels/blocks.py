"""Blocks of labelled lines side by side: how one thing is told in full (look: selected)."""

from __future__ import annotations

from collections.abc import Sequence

from corr_tui.ui.layout import END, blank, dim, fit, padded
from corr_tui.ui.line import Line, Span
from corr_tui.ui.panels.told import Told

LABEL = 12
"""Cells of a label and the space after it."""


def labelled(told: Sequence[Told], room: int) -> list[Line]:
    """Each told thing after its label, in exactly `room` cells."""
    return [fit((*fit(dim(each.label), LABEL - 1), *blank(1), *each.spans), room) for each in told]


def beside(width: int, *blocks: tuple[int, Line]) -> Line:
    """Blocks at their columns in one line; each is cut two cells before the next."""
    spans: list[Span] = []
    at = 0
    for index, (start, block) in enumerate(blocks):
        end = blocks[index + 1][0] - 2 if index + 1 < len(blocks) else width - END
        spans += blank(start - at)
        spans += fit(block, max(end - start, 0))
        at = max(end, start)
    return padded(spans, width)
