"""Notices in full: what to know about the history kept here, and where two views of the same events differ."""

from __future__ import annotations

from textual.reactive import reactive

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.layout import START, blank, text, words
from corr_tui.ui.line import Ink, Line
from corr_tui.ui.panels.notices import notices
from corr_tui.ui.screens.page import PageScreen, page_heading
from corr_tui.ui.text import clean_lines
from corr_tui.ui.widgets.inked import Inked


class NoticesScreen(PageScreen):
    """Every notice, one after another."""

    snapshot: reactive[Snapshot] = reactive(lambda: Snapshot(repository_id=""), init=False)

    def __init__(self, snapshot: Snapshot, *, ascii_only: bool = False) -> None:
        super().__init__(ascii_only=ascii_only)
        self.set_reactive(NoticesScreen.snapshot, snapshot)

    def watch_snapshot(self, before: Snapshot, now: Snapshot) -> None:
        """One came, or one no longer holds."""
        if notices(before) != notices(now):
            for each in self.query("#page-lines").results(Inked):
                each.redraw()

    def heading(self, width: int) -> Line:
        """The rule on top."""
        return page_heading("Notices", "about what is kept and shown here", width)

    def lines(self, width: int) -> tuple[Line, ...]:
        """Each in a paragraph of its own."""
        found = notices(self.snapshot)
        if not found:
            return ((), words(width, text("No notices", Ink.STRONG)))
        lines: list[Line] = [()]
        for notice in found:
            lines += ((*blank(START), *text(each)) for each in clean_lines(notice, width - START - 1))
            lines.append(())
        return tuple(lines)
