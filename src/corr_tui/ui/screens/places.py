"""Where the parts of the board stand at a given size (look: the three pictures). Pure geometry.

Wide: three columns, the selected event at the foot. Medium: threads over presence on the left, events on the right,
claims and conflicts sharing one place below them. Narrow: one panel at a time under numbered tabs; so is a board of any
width with one panel maximised. A strip: one panel, and one line below it. What is hidden leaves its place to the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Region

from corr_tui.ui.line import Layout
from corr_tui.ui.sides import LEFT, sides

PANELS = ("threads", "events", "claims", "conflicts", "presence", "selected")
"""In the order of their numbers."""
SHARING = ("claims", "conflicts")
"""The two panels that share one place on a medium board, and whose tabs say how many rows they have."""
WIDE, MEDIUM = 140, 100
ROOMY = 40
"""The height from which a blank row separates panels."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How a person wants the board divided, beyond its size; kept as long as the board runs."""

    hidden: frozenset[str] = frozenset()
    """Panels that have no place; never the events."""
    maximised: bool = False
    """Whether the focused panel has the room of all."""
    strip: bool = False
    """Whether the board is a strip beside something else: one panel and one line."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The panels that may have a place, in the order of their numbers."""
        return tuple(name for name in PANELS if name not in self.hidden)


AS_IT_IS = Arrangement()
"""Nobody wants it otherwise."""


def layout_of(width: int) -> Layout:
    """The layout of a width in cells."""
    if width >= WIDE:
        return Layout.WIDE
    return Layout.MEDIUM if width >= MEDIUM else Layout.NARROW


def places(
    width: int,
    height: int,
    active: str,
    sharing: str = "claims",
    reports: int = 6,
    arrangement: Arrangement = AS_IT_IS,
) -> dict[str, Region]:
    """The region of each part that is shown.

    `active` is the focused panel, which is always shown; `sharing` is which of claims and conflicts a medium board
    shows; `reports` is the number of presence reports, which a wide one makes room for.
    """
    if height < (3 if arrangement.strip else 5):
        return {active: Region(0, 0, max(0, width), max(0, height))}
    if arrangement.strip:
        return {active: Region(0, 0, width, height - 1), "footer": Region(0, height - 1, width, 1)}
    layout, hidden = layout_of(width), arrangement.hidden
    if layout is Layout.NARROW or arrangement.maximised:
        return _narrow(width, height, active, told=not arrangement.maximised and "selected" not in hidden)
    selected = 0 if "selected" in hidden else selected_height(height)
    gap = 1 if height >= ROOMY else 0
    below = 1 if height >= 30 else 0
    foot = height - 1 - below
    body = Region(0, 1 + gap, width, max(0, foot - selected - (gap if selected else 0) - 1 - gap))
    parts = {"header": Region(0, 0, width, 1), "footer": Region(0, height - 1, width, 1)}
    if selected:
        parts["selected"] = Region(0, foot - selected, width, selected)
    inner = _wide(body, gap, reports, hidden) if layout is Layout.WIDE else _medium(body, sharing, hidden)
    if active == "selected" and not selected:
        inner = {"selected": body}
    return parts | inner


def with_foot(parts: dict[str, Region], lines: int) -> dict[str, Region]:
    """The same parts with so many lines of the events given to the line a filter is written in, at their foot."""
    if not lines or "events" not in parts:
        return parts
    events = parts["events"]
    upper, foot = events.split_horizontal(max(events.height - lines, events.height // 2))
    return parts | {"events": upper, "filter": foot}


def selected_height(height: int) -> int:
    """The lines of the selected event at the foot of a screen, its rule among them."""
    if height >= ROOMY:
        return 10
    if height >= 24:
        return 8
    return 4 if height >= 16 else 0


def _wide(body: Region, gap: int, reports: int, hidden: frozenset[str]) -> dict[str, Region]:
    left, right = sides(body.width)
    outer = _column(body.x, left, body, gap, ("threads", "presence"), _presence(body, reports), hidden)
    claims = (body.height - gap) * 17 // 32
    x = body.right - right
    outer |= _column(x, right, body, gap, SHARING, body.height - gap - claims, hidden)
    start = body.x if {"threads", "presence"} <= hidden else body.x + left + 1
    end = body.right if hidden.issuperset(SHARING) else x - 1
    return outer | {"events": Region(start, body.y, end - start, body.height)}


def _presence(body: Region, reports: int) -> int:
    return max(3, min(reports + 3, body.height * 2 // 5))


def _column(
    x: int, width: int, body: Region, gap: int, pair: tuple[str, ...], lower: int, hidden: frozenset[str]
) -> dict[str, Region]:
    """Two panels one over the other, the second `lower` lines high; one alone has the whole column."""
    shown = [name for name in pair if name not in hidden]
    if len(shown) == 1:
        return {shown[0]: Region(x, body.y, width, body.height)}
    if not shown:
        return {}
    upper = body.height - lower
    return {
        shown[0]: Region(x, body.y, width, upper - gap),
        shown[1]: Region(x, body.y + upper, width, lower),
    }


def _medium(body: Region, sharing: str, hidden: frozenset[str]) -> dict[str, Region]:
    lower = max(3, body.height * 36 // 100)
    upper = body.height - lower
    outer = _column(body.x, LEFT, body, 0, ("threads", "presence"), lower, hidden)
    second = body.x + LEFT + 1 if outer else body.x
    rest = body.right - second
    shared = [sharing, *SHARING]
    below = next((name for name in shared if name not in hidden), None)
    if below is None:
        return outer | {"events": Region(second, body.y, rest, body.height)}
    return outer | {
        "events": Region(second, body.y, rest, upper),
        below: Region(second, body.y + upper, rest, lower),
    }


def _narrow(width: int, height: int, active: str, *, told: bool) -> dict[str, Region]:
    """One panel under the tabs; the selected event is told below the events where there is room and it is wanted."""
    parts = {
        "header": Region(0, 0, width, 1),
        "tabs": Region(0, 1, width, 1),
        "footer": Region(0, height - 1, width, 1),
    }
    selected = 3 if told and active == "events" and height >= 14 else 0
    parts[active] = Region(0, 2, width, height - 3 - selected)
    if selected:
        parts["selected"] = Region(0, height - 1 - selected, width, selected)
    return parts
