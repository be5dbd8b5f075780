"""Where the parts of the board stand at a given size (look: the three pictures). Pure geometry.

Wide: three columns, the selected event at the foot. Medium: threads over presence on the left, events on the right,
claims and conflicts sharing one place below them. Narrow: one panel at a time under numbered tabs.
"""

from __future__ import annotations

from textual.geometry import Region

from corr_tui.ui.line import Layout

PANELS = ("threads", "events", "claims", "conflicts", "presence", "selected")
"""In the order of their numbers."""
SHARING = ("claims", "conflicts")
"""The two panels that share one place on a medium board, and whose tabs say how many rows they have."""
WIDE, MEDIUM = 140, 100
ROOMY = 40
"""The height from which a blank row separates panels."""
LEFT, RIGHT = 32, 42


def layout_of(width: int) -> Layout:
    """The layout of a width in cells."""
    if width >= WIDE:
        return Layout.WIDE
    return Layout.MEDIUM if width >= MEDIUM else Layout.NARROW


def places(width: int, height: int, active: str, sharing: str = "claims", reports: int = 6) -> dict[str, Region]:
    """The region of each part that is shown.

    `active` is the focused panel, which a narrow board shows; `sharing` is which of claims and conflicts a medium one
    shows; `reports` is the number of presence reports, which a wide board makes room for.
    """
    if height < 5:
        return {active: Region(0, 0, max(0, width), max(0, height))}
    layout = layout_of(width)
    if layout is Layout.NARROW:
        return _narrow(width, height, active)
    selected = selected_height(height)
    gap = 1 if height >= ROOMY else 0
    below = 1 if height >= 30 else 0
    foot = height - 1 - below
    body = Region(0, 1 + gap, width, max(0, foot - selected - gap - 1 - gap))
    parts = {"header": Region(0, 0, width, 1), "footer": Region(0, height - 1, width, 1)}
    if selected:
        parts["selected"] = Region(0, foot - selected, width, selected)
    inner = _wide(body, gap, reports) if layout is Layout.WIDE else _medium(body, sharing)
    if active == "selected" and not selected:
        inner = {"selected": body}
    return parts | inner


def selected_height(height: int) -> int:
    """The lines of the selected event at the foot of a screen, its rule among them."""
    if height >= ROOMY:
        return 10
    if height >= 24:
        return 8
    return 4 if height >= 16 else 0


def _wide(body: Region, gap: int, reports: int) -> dict[str, Region]:
    middle = body.width - LEFT - RIGHT - 2
    presence = max(3, min(reports + 3, body.height * 2 // 5))
    claims = (body.height - gap) * 17 // 32
    left, top, height = body.x, body.y, body.height
    third = left + LEFT + 1 + middle + 1
    return {
        "threads": Region(left, top, LEFT, height - presence - gap),
        "presence": Region(left, top + height - presence, LEFT, presence),
        "events": Region(left + LEFT + 1, top, middle, height),
        "claims": Region(third, top, RIGHT, claims),
        "conflicts": Region(third, top + claims + gap, RIGHT, height - claims - gap),
    }


def _medium(body: Region, sharing: str) -> dict[str, Region]:
    lower = max(3, body.height * 36 // 100)
    upper = body.height - lower
    second, rest = body.x + LEFT + 1, body.width - LEFT - 1
    return {
        "threads": Region(body.x, body.y, LEFT, upper),
        "presence": Region(body.x, body.y + upper, LEFT, lower),
        "events": Region(second, body.y, rest, upper),
        sharing: Region(second, body.y + upper, rest, lower),
    }


def _narrow(width: int, height: int, active: str) -> dict[str, Region]:
    parts = {
        "header": Region(0, 0, width, 1),
        "tabs": Region(0, 1, width, 1),
        "footer": Region(0, height - 1, width, 1),
    }
    selected = 3 if active == "events" and height >= 14 else 0
    parts[active] = Region(0, 2, width, height - 3 - selected)
    if selected:
        parts["selected"] = Region(0, height - 1 - selected, width, selected)
    return parts
