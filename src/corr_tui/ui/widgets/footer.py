"""The footer: the keys of the focused panel, read from the command table, or the result of what was just done."""

from __future__ import annotations

from collections.abc import Sequence

from corr_tui.ui.commands import Command
from corr_tui.ui.layout import END, START, blank, width_of
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.text import ELLIPSIS, cut
from corr_tui.ui.widgets.bar import Part

RIGHT = ("help", "palette")
"""The commands that stand at the right end."""

LONG_WORD = 24
"""Characters beyond which a word is worth reading though its end is cut off."""
LEAST_SPACE = 3
"""Cells between the keys on the left and those on the right."""


def footer(commands: Sequence[Command], width: int, status: Line = ()) -> tuple[Part, ...]:
    """The parts of the footer; a status takes the place of the keys on the left. When room is short the command of
    the highest rank goes first."""
    shown, inner = list(commands), width - START - END
    if status:
        return _told(shown, inner, status)
    while True:
        left = _keys([command for command in shown if command.id not in RIGHT])
        right = _keys([command for command in shown if command.id in RIGHT])
        space = inner - _width(left) - _width(right)
        if space >= LEAST_SPACE or not shown:
            return _from_start(left, space, right)
        shown.remove(max(shown, key=lambda command: command.footer or 0))


def _told(commands: Sequence[Command], inner: int, status: Line) -> tuple[Part, ...]:
    """A status, and beside it both keys on the right, or help alone where it would be cut, or nothing."""
    right: tuple[Part, ...] = ()
    for ids in (RIGHT, RIGHT[:1]):
        right = _keys([command for command in commands if command.id in ids])
        if width_of(status) + LEAST_SPACE + _width(right) <= inner:
            break
    right = right if _width(right) + LEAST_SPACE < inner else ()
    left = (Part(_worded(status, max(0, inner - _width(right) - (LEAST_SPACE if right else 0)))),)
    return _from_start(left, inner - _width(left) - _width(right), right)


def _from_start(left: tuple[Part, ...], space: int, right: tuple[Part, ...]) -> tuple[Part, ...]:
    return (Part(blank(START)), *left, Part(blank(max(0, space))), *right)


def _width(parts: Sequence[Part]) -> int:
    return sum(width_of(part.line) for part in parts)


def _worded(status: Line, room: int) -> Line:
    """The status in so many cells, cut at the end of a word; a path is cut where the room ends."""
    if width_of(status) <= room:
        return status
    whole = "".join(span.text for span in status)
    kept = cut(whole, room).removesuffix(ELLIPSIS)
    before, _, begun = kept.rpartition(" ")
    word = begun + whole[len(kept) :].partition(" ")[0]
    if before and word != begun and len(word) <= LONG_WORD:
        kept = before.rstrip()
    return (Span(f"{kept}{ELLIPSIS}", status[0].ink),) if room > 0 else ()


def _keys(commands: Sequence[Command]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for before, command in zip((None, *commands), commands, strict=False):
        if before is not None:
            parts.append(Part(blank(2 if before.group == command.group else 3)))
        parts.append(Part((Span(command.shown, Ink.KEY), Span(f" {command.verb}", Ink.DIM)), command_id=command.id))
    return tuple(parts)
