"""Where the parts of a view stand at a given size. Pure geometry.

The rows, and what is told of the row under the cursor at the foot or, on a wide screen, at the right. Where there is no
room for both, the one that has the focus is shown.
"""

from __future__ import annotations

from enum import Enum

from textual.geometry import Region

from corr_tui.ui.line import Layout
from corr_tui.ui.screens.places import ROOMY, layout_of
from corr_tui.ui.sides import RIGHT

PARTS = ("rows", "details")
LEAST_ROWS = 5
"""Lines the rows have at least, their rule among them, beside the details at the foot."""


class Details(Enum):
    """Where what is told of the row under the cursor stands."""

    FOOT = "foot"
    RIGHT = "right"
    """At the right of a wide screen, else at the foot."""
    NOWHERE = "nowhere"


def view_places(width: int, height: int, active: str, details: Details, wanted: int) -> dict[str, Region]:
    """The region of each part that is shown: header, rows, details, footer.

    `active` is the part with the focus; `wanted` is how many lines the details want at the foot, their rule among them.
    """
    if height < LEAST_ROWS:
        return {active: Region(0, 0, max(0, width), max(0, height))}
    gap, below = (1 if height >= ROOMY else 0), (1 if height >= 30 else 0)
    body = Region(0, 1 + gap, width, max(0, height - 2 - gap - below))
    bars = {"header": Region(0, 0, width, 1), "footer": Region(0, height - 1, width, 1)}
    if details is Details.RIGHT and layout_of(width) is Layout.WIDE:
        left, right = body.split_vertical(width - RIGHT - 1)
        return bars | {"rows": left, "details": right.shrink((0, 0, 0, 1))}
    foot = wanted if details is not Details.NOWHERE and body.height - gap - wanted >= LEAST_ROWS else 0
    if not foot:
        return bars | {active: body}
    rows, rest = body.split_horizontal(body.height - foot - gap)
    return bars | {"rows": rows, "details": rest.shrink((gap, 0, 0, 0))}
