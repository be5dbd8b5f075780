"""What search and outbox share: a sheet at the foot of the screen under a heavy rule, its keys on the last line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.screen import ModalScreen, ScreenResultType
from textual.types import CSSPathType

from corr_tui.ui.commands import Scope, commands_of, find
from corr_tui.ui.layout import trim, width_of
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.footer import footer
from corr_tui.ui.widgets.panel import Panel

HEAVY = "━"


class Sheet(ModalScreen[ScreenResultType]):
    """A list and its keys over the dimmed board; every key can be clicked."""

    CSS_PATH: ClassVar[CSSPathType | None] = stylesheet("sheet.tcss")

    def __init__(self, name: str, keys: Sequence[str], *, ascii_only: bool) -> None:
        """`name` is that of the list, `keys` are the commands of the last line."""
        super().__init__()
        self.list = Panel(0, name)
        self.list.ascii_only = ascii_only
        self.foot = Bar(ascii_only=ascii_only)
        self.keys = keys
        self.ascii_only = ascii_only

    def draw_foot(self, status: Line = ()) -> None:
        """The keys, or what was just done in their place."""
        commands = [find(each, commands_of(self.app)) for each in self.keys]
        self.foot.show(footer(commands, self.size.width, status))

    @on(Bar.Chosen)
    async def _run_command(self, message: Bar.Chosen) -> None:
        command = find(message.command_id)
        await self.app.run_action(command.action, self.list if command.scope is Scope.LIST else self)


def sheet_heading(title: str, scope: str, width: int) -> Line:
    """`━ Search  the whole history ━━━━`."""
    left: Line = (Span(f"{HEAVY} ", Ink.ACCENT), Span(title, Ink.STRONG), Span(f"  {scope} ", Ink.DIM))
    left = trim(left, max(width - 1, 0))
    return (*left, Span(HEAVY * max(width - width_of(left), 0), Ink.ACCENT))
