"""Header and footer of a screen over a snapshot. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.commands import Command
from corr_tui.ui.layout import blank
from corr_tui.ui.line import Line, View
from corr_tui.ui.panels import header as header_panel
from corr_tui.ui.widgets.bar import Part
from corr_tui.ui.widgets.footer import footer
from corr_tui.ui.widgets.header import header, pill_ground


def header_bar(snapshot: Snapshot, view: View, width: int) -> tuple[Part, ...]:
    """The parts of the header."""
    found = header_panel.header(snapshot, view, width)
    return header(found.left, found.pills, width)


def strip_bar(
    snapshot: Snapshot, view: View, width: int, commands: Sequence[Command], status: Line
) -> tuple[Part, ...]:
    """The one line of a strip: the link and what the claims are worth, then the keys, or what was just done."""
    if status:
        return footer(commands, width, status)
    parts: list[Part] = []
    taken = 0
    for pill in header_panel.header(snapshot, view, width // 2).pills:
        size = header_panel.pills_width((pill,)) + 1
        if taken + size > width // 2:
            break
        parts += [Part((*blank(1), *pill, *blank(1)), pill_ground(pill)), Part(blank(1))]
        taken += size
    return (*parts, *footer(commands, width - taken))


def speaking(snapshot: Snapshot) -> bool:
    """Whether somebody may say something here, as far as is known."""
    return not snapshot.repository_id or (snapshot.me is not None and snapshot.me.can_sign)
