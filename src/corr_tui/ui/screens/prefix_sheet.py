"""The keys that may follow a key: a small sheet at the foot, which lists them and goes once one was pressed.

A prefix is added in three steps: a member of Scope and its commands, whose actions are `choose('…')` and `close`; a
subclass with `BINDINGS = bindings(Scope.<NAME>)` and `scope`; and the key's action, which pushes it and does what was
chosen. What stands on the sheet is read from the table of commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from corr_tui.ui.commands import Command, Scope, bindings, commands_of
from corr_tui.ui.layout import START, blank, dim, fit, trim, width_of
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.screens.sheet import sheet_heading
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.text import cells
from corr_tui.ui.widgets.inked import Inked

GAP = 3
"""Cells between two keys."""


class PrefixSheet(ModalScreen[str | None]):
    """Lists what may follow; the result is what was chosen, or None."""

    CSS_PATH = stylesheet("sheet.tcss")
    AUTO_FOCUS = ""
    TITLE: ClassVar[str | None] = ""
    scope: ClassVar[Scope]
    """The scope of the commands that may follow."""

    def __init__(self, prefix: str, notes: Mapping[str, str] | None = None, *, ascii_only: bool = False) -> None:
        """`prefix` is the key that was pressed, as people write it; `notes` say more of a command, by its id."""
        super().__init__()
        self._prefix, self._notes = prefix, notes or {}
        self._ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        """The rule, and the keys in columns."""
        with Vertical(id="prefix"):
            yield Inked(self._lines, ascii_only=self._ascii_only, id="prefix-lines")

    @property
    def listed(self) -> tuple[Command, ...]:
        """What may follow."""
        return tuple(each for each in commands_of(self.app) if each.scope is self.scope and each.keys)

    def _lines(self, width: int) -> tuple[Line, ...]:
        heading = sheet_heading(str(self.TITLE), f"{self._prefix} and then", width)
        return (heading, *in_columns(self.listed, self._notes, width))

    def action_choose(self, name: str) -> None:
        """This one."""
        self.dismiss(name)

    def action_close(self) -> None:
        """None of them."""
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """A click on a key is that key; beside the sheet it closes it."""
        lines = self.query_one("#prefix-lines", Inked)
        row = event.screen_y - lines.region.y - 1
        if row < 0:
            self.dismiss(None)
            return
        across, size = grid(self.listed, self._notes, lines.size.width)
        place = row * across + min((event.screen_x - START) // size, across - 1)
        if 0 <= place < len(self.listed):
            self.run_worker(self.run_action(self.listed[place].action))


def grid(listed: tuple[Command, ...], notes: Mapping[str, str], width: int) -> tuple[int, int]:
    """How many keys stand side by side, and the cells each has."""
    size = max((width_of(_stroke(each, notes)) for each in listed), default=1) + GAP
    return max((width - START) // size, 1), size


def in_columns(listed: tuple[Command, ...], notes: Mapping[str, str], width: int) -> tuple[Line, ...]:
    """Each key and its verb, as many side by side as there is room for."""
    across, size = grid(listed, notes, width)
    lines: list[Line] = []
    for first in range(0, len(listed), across):
        row: list[Span] = [*blank(START)]
        for each in listed[first : first + across]:
            row += fit(_stroke(each, notes), size)
        lines.append(trim(row, width))
    return tuple(lines)


def _stroke(command: Command, notes: Mapping[str, str]) -> Line:
    note = notes.get(command.id, "")
    key = command.shown
    return (
        *blank(max(3 - cells(key), 0)),
        Span(key, Ink.KEY),
        Span(f" {command.verb}", Ink.TEXT),
        *(dim(f"  {note}") if note else ()),
    )


class PanelsSheet(PrefixSheet):
    """Which panel to hide, or to show again."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.PANELS)]
    TITLE = "Hide or show a panel"
    scope = Scope.PANELS
