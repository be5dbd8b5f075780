"""Header and footer of a screen over a snapshot. Pure."""

from __future__ import annotations

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.line import View
from corr_tui.ui.panels import header as header_panel
from corr_tui.ui.widgets.bar import Part
from corr_tui.ui.widgets.header import header


def header_bar(snapshot: Snapshot, view: View, width: int) -> tuple[Part, ...]:
    """The parts of the header."""
    found = header_panel.header(snapshot, view, width)
    return header(found.left, found.pills, width)


def speaking(snapshot: Snapshot) -> bool:
    """Whether somebody may say something here, as far as is known."""
    return not snapshot.repository_id or (snapshot.me is not None and snapshot.me.can_sign)
