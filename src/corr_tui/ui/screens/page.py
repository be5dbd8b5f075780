"""A page that is only read: it covers the board, scrolls, and goes at Esc."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from corr_tui.ui.commands import Command, Scope, bindings, commands_of, find
from corr_tui.ui.layout import ends, joined, width_of
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.inked import Inked


class PageScreen(ModalScreen[None]):
    """Scrolls; Esc, ? or q closes it."""

    CSS_PATH = stylesheet("page.tcss")
    BINDINGS = bindings(Scope.HELP)
    AUTO_FOCUS = ""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__()
        self._ascii_only = ascii_only

    def heading(self, width: int) -> Line:
        """The rule on top."""
        raise NotImplementedError

    def lines(self, width: int) -> tuple[Line, ...]:
        """Everything, top to bottom."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """The rule, what scrolls, and how to leave."""
        with Vertical(id="page"):
            yield Inked(lambda width: (self.heading(width),), ascii_only=self._ascii_only, id="page-heading")
            with VerticalScroll(id="page-body", can_focus=False):
                yield Inked(self.lines, ascii_only=self._ascii_only, id="page-lines")
            yield Inked(
                lambda width: (foot(commands_of(self.app), width),),
                ground=Ground.CANVAS,
                ascii_only=self._ascii_only,
                id="page-foot",
            )

    def action_close(self) -> None:
        """Back to where it was opened."""
        self.dismiss(None)

    def action_scroll_body(self, way: str) -> None:
        """By a line or by a page."""
        body = self.query_one("#page-body", VerticalScroll)
        rows = max(body.size.height - 2, 1) if way.startswith("page") else 1
        body.scroll_relative(y=-rows if way.endswith("up") else rows, animate=False)


def page_heading(title: str, about: str, width: int) -> Line:
    """`─ Help  keys, signs, words ─────`."""
    left: Line = (Span("─ ", Ink.ACCENT), Span(title, Ink.STRONG), Span(f"  {about} ", Ink.DIM))
    return (*left, Span("─" * max(width - width_of(left), 0), Ink.ACCENT))


def foot(commands: Sequence[Command], width: int) -> Line:
    """The keys of the page itself."""
    listed = [find(name, commands) for name in ("help.close", "help.down", "help.page_down")]
    strokes = joined(((Span(each.shown, Ink.KEY), Span(f" {each.verb}", Ink.DIM)) for each in listed if each.keys), 3)
    return ends(width, strokes)
