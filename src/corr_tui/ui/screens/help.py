"""Help: what every key does, what every sign means, and what each kind does and does not establish.

All of it is read from the tables the interface runs on: the commands, the glyphs and the wording. So nothing stands
here that does not work, and nothing works that does not stand here.
"""

from __future__ import annotations

from collections.abc import Sequence

from corr_tui.ui.about import ABOUT
from corr_tui.ui.commands import Command, commands_of, footer, show_key
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import START, blank, dim, fit
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.screens.page import PageScreen, page_heading
from corr_tui.ui.screens.places import PANELS
from corr_tui.ui.text import clean_lines
from corr_tui.ui.wording import HONESTY, SIGNATURES, WORDING

KEYS = 14
"""Cells of the column of keys, and of the kinds."""
SIGN = 24
"""Cells a sign and its word take."""


class HelpScreen(PageScreen):
    """What the panel or view in focus shows and cannot know; then every key, sign and kind."""

    def __init__(self, about: str = "", *, ascii_only: bool = False) -> None:
        """`about` is the name of that panel or view."""
        super().__init__(ascii_only=ascii_only)
        self._about = about

    def heading(self, width: int) -> Line:
        """The rule on top."""
        return page_heading("Help", "keys, signs, words", width)

    def lines(self, width: int) -> tuple[Line, ...]:
        """Everything, top to bottom."""
        commands = commands_of(self.app)
        return (*about_lines(self._about, commands, width), *help_lines(commands, width))


def about_lines(name: str, commands: Sequence[Command], width: int) -> tuple[Line, ...]:
    """What one panel or view shows, what it cannot know, and the keys its footer has; nothing for any other name."""
    about = ABOUT.get(name)
    if about is None:
        return ()
    key = next((each.shown for each in commands if each.id in (f"panel.{name}", f"view.{name}")), "")
    title = (*blank(START), *((Span(f"{key} ", Ink.KEY),) if key else ()), Span(about.title, Ink.STRONG))
    keys = footer(name, commands) if name in PANELS else ()
    return (
        (),
        title,
        *_sentences(about.shows, width),
        (),
        _title("What it cannot know"),
        *_sentences(about.unknown, width),
        (),
        *((_title("Keys here"),) if keys else ()),
        *(line for each in keys for line in _beside((Span(each.shown, Ink.KEY),), each.description, width)),
    )


def help_lines(commands: Sequence[Command], width: int) -> tuple[Line, ...]:
    """Everything, top to bottom."""
    return ((), *keys_lines(commands, width), *signs_lines(width), *honesty_lines(width), *kinds_lines(width))


def keys_lines(commands: Sequence[Command], width: int) -> tuple[Line, ...]:
    """Every command under the heading of its group."""
    lines: list[Line] = []
    for group in dict.fromkeys(command.group for command in commands):
        lines.append(_title(group))
        for command in commands:
            if command.group == group and command.keys:
                keys = Span(" ".join(map(show_key, command.keys)), Ink.KEY)
                lines += _beside((keys,), f"{command.description}", width)
        lines.append(())
    return tuple(lines)


def signs_lines(width: int) -> tuple[Line, ...]:
    """Every glyph with its word, in as many columns as there is room for."""
    columns = max((width - START) // SIGN, 1)
    signs = list(Glyph)
    rows = -(-len(signs) // columns)
    lines: list[Line] = [_title("What the signs mean")]
    for row in range(rows):
        line: list[Span] = [*blank(START)]
        for sign in signs[row::rows]:
            line += fit((Span(sign.symbol), Span(f"  {sign.word}", Ink.DIM)), SIGN)
        lines.append(tuple(line))
    return (*lines, (), *_sentences(SIGNATURES, width), ())


def honesty_lines(width: int) -> tuple[Line, ...]:
    """What this interface cannot know, and does not pretend to."""
    lines: list[Line] = [_title("What is not known here")]
    return (*lines, *_sentences(HONESTY, width), ())


def _sentences(notes: Sequence[str], width: int) -> tuple[Line, ...]:
    return tuple((*blank(START), Span(line)) for note in notes for line in clean_lines(note, width - START - 1))


def kinds_lines(width: int) -> tuple[Line, ...]:
    """For each kind what it says, and what it does not establish."""
    lines: list[Line] = [_title("What each kind says, and does not establish")]
    for kind, wording in WORDING.items():
        said = first_upper(wording.says.format(who="the sender", target="the events cited"))
        lines += _beside((Span(kind, Ink.STRONG),), f"{said} {wording.rest}".strip(), width)
        denied = "; ".join(each.format(who="the sender") for each in wording.does_not_establish)
        lines += _beside((), f"Not: {denied}.", width, Ink.DIM)
    return tuple(lines)


def first_upper(sentence: str) -> str:
    """A sentence as it begins: only its first letter is changed."""
    return sentence[:1].upper() + sentence[1:]


def _title(words: str) -> Line:
    return (*blank(START), Span(words, Ink.STRONG))


def _beside(left: Line, words: str, width: int, ink: Ink = Ink.TEXT) -> tuple[Line, ...]:
    """Something in the left column, words beside it, folded in their own column."""
    column = KEYS + 4 if width >= 60 else KEYS
    lines = clean_lines(words, width - START - column - 1)
    under = blank(START + column)
    head = (*blank(START), *fit(left, column - 1), *dim(" "))
    return tuple((*(under if index else head), Span(line, ink)) for index, line in enumerate(lines))
