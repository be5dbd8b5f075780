"""What this terminal sends: press a key, and see how it is named and what it does in corr-tui (experience: keys).

Nothing is done by any key here but leaving: `ctrl+c`, or `q` twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.types import CSSPathType

from corr_tui.ui import commands
from corr_tui.ui.commands import Command, show_key
from corr_tui.ui.key_names import UNUSABLE
from corr_tui.ui.key_notes import note_of
from corr_tui.ui.layout import START, blank, dim, text, words
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.screens.page import page_heading
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.text import clean, clean_lines
from corr_tui.ui.theme import Ground, theme_named, themes, tokens_of, variables_of
from corr_tui.ui.widgets.inked import Inked

MOST = 20
"""Keys that are remembered."""
LEAVING = "ctrl+c"
TWICE = "q"


class KeyTester(App[None], inherit_bindings=False):
    """Shows each key that arrives."""

    CSS_PATH: ClassVar[CSSPathType | None] = [stylesheet("tokens.tcss"), stylesheet("keys.tcss")]
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, keys: Mapping[str, Sequence[str]] | None = None, *, theme: str = "", ascii_only: bool = False
    ) -> None:
        """`keys` are a person's own, as Textual has them; raises as CorrTui does."""
        super().__init__()
        self.commands = commands.table(keys)
        self.pressed: list[str] = []
        """Every key that arrived, as Textual names it; the last is the one pressed last."""
        self._ascii_only = ascii_only
        for each in themes():
            self.register_theme(each)
        self.theme = theme_named(theme, self.available_themes.values())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The tokens of a theme that is not ours."""
        return variables_of(tokens_of(self.current_theme))

    def compose(self) -> ComposeResult:
        """The rule, what the last key is, and how to leave."""
        yield Inked(lambda width: (page_heading("Keys", "press any", width),), ascii_only=self._ascii_only, id="head")
        yield Inked(self._told, ascii_only=self._ascii_only, id="told")
        yield Inked(self._foot, ground=Ground.CANVAS, ascii_only=self._ascii_only, id="foot")

    def on_key(self, event: events.Key) -> None:
        """Show the key; nothing else hears it."""
        event.stop()
        event.prevent_default()
        if event.key == LEAVING or (event.key == TWICE and self.pressed[-1:] == [TWICE]):
            self.exit()
            return
        self.pressed = [*self.pressed[-MOST + 1 :], event.key]
        for each in self.query(Inked):
            each.redraw()

    def _told(self, width: int) -> tuple[Line, ...]:
        if not self.pressed:
            return ((), words(width, text("What you press is shown here, and does nothing.")))
        return ((), *key_lines(self.pressed[-1], self.commands, width))

    def _foot(self, width: int) -> tuple[Line, ...]:
        before = " ".join(show_key(clean(each)) for each in self.pressed[:-1][::-1])
        leave = (Span("^c", Ink.KEY), Span(" leaves, ", Ink.DIM), Span("q q", Ink.KEY), Span(" too", Ink.DIM))
        return (words(width, leave, dim(f"before: {before}" if before else "")),)


def key_lines(key: str, table: Sequence[Command], width: int) -> tuple[Line, ...]:
    """What a key is called, what it does and where, and what commonly becomes of it on its way."""
    named = clean(key)
    lines: list[Line] = [
        words(width, text(show_key(named), Ink.KEY), dim("Textual calls it"), text(named, Ink.STRONG)),
        (),
    ]
    found = [command for command in table if key in command.keys]
    for command in found:
        lines.append(words(width, text(f"{command.group}:"), text(command.verb, Ink.STRONG), dim(command.id)))
        lines += _folded(command.description, width, START + 2, Ink.DIM)
    if not found:
        lines += _folded("No command has this key.", width)
    lines.append(())
    if key in UNUSABLE:
        lines += _folded(f"No command can have it: it {UNUSABLE[key]}.", width)
    note = note_of(key)
    said = f"It arrived here; elsewhere it may not: {note}." if note else "Terminals and tmux commonly pass it on."
    return (*lines, *_folded(said, width))


def _folded(sentence: str, width: int, start: int = START, ink: Ink = Ink.TEXT) -> list[Line]:
    return [(*blank(start), Span(line, ink)) for line in clean_lines(sentence, max(width - start - 1, 1))]
