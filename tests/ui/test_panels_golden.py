"""What the six panels say of one scene, cell for cell, in the three layouts (look: panels; pictures of the board)."""

from __future__ import annotations

from pathlib import Path

import pytest

from corr_tui.state.snapshot import Verdict
from corr_tui.ui.line import Layout
from corr_tui.ui.panels import claims, conflicts, events, presence, selected, threads
from tests.ui.panel_scene import check, looking, page, scene, with_verdict

PAGES = Path(__file__).parent / "golden"
PANELS = (threads, events, claims, conflicts, presence, selected)
WIDTHS = {
    Layout.WIDE: (32, 84, 42, 42, 32, 160),
    Layout.MEDIUM: (32, 87, 87, 87, 32, 120),
    Layout.NARROW: (80,) * 6,
}
"""Of each panel on a board of 160, 120 and 80 columns."""
HEIGHTS = {Layout.WIDE: 9, Layout.MEDIUM: 6, Layout.NARROW: 40}
READ = dict.fromkeys(("task:39", "task:40", "task:41", "task:42"), 14)


def board(layout: Layout) -> str:
    """Every panel of the scene, one after another."""
    world = scene()
    snapshot = with_verdict(world.snapshot(), 18, Verdict.NO_KEY)
    offer = snapshot.events[10].event_id
    view = looking(world, layout, selected=offer, read_through=READ, height=HEIGHTS[layout], new_below=2)
    pages = []
    for panel, width in zip(PANELS, WIDTHS[layout], strict=True):
        content = panel.content(snapshot, view, width)
        check(content, width)
        pages.append(page(content))
    return "\n\n".join(pages) + "\n"


@pytest.mark.parametrize("layout", list(Layout))
def test_the_panels_of_a_layout_say_the_scene_cell_for_cell(layout: Layout) -> None:
    assert board(layout) == (PAGES / f"{layout}.txt").read_text(encoding="utf-8")
