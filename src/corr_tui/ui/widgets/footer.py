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

LEAST_SPACE = 3
"""Cells between the keys on the left and those on the right."""


def footer(commands: Sequence[Command], width: int, status: Line = ()) -> tuple[Part, ...]:
    """The parts of the footer; a status takes the place of the keys on the left. When room is short the command of
    the highest rank goes first."""
    shown = list(commands)
    while True:
        left, right = _sides(shown, status)
        taken = sum(width_of(part.line) for part in (*left, *right))
        space = width - START - END - taken
        if space >= LEAST_SPACE or not shown:
            break
        shown.remove(max(shown, key=lambda command: command.footer or 0))
    if status:
        room = max(0, width - START - END - 1 - sum(width_of(part.line) for part in right))
        left = (Part(_worded(status, room)),)
        space = width - START - END - sum(width_of(part.line) for part in (*left, *right))
    return (Part(blank(START)), *left, Part(blank(max(0, space))), *right)


def _worded(status: Line, room: int) -> Line:
    """The status in so many cells, cut at the end of a word."""
    if width_of(status) <= room:
        return status
    whole = "".join(span.text for span in status)
    kept = cut(whole, room).removesuffix(ELLIPSIS)
    if whole[len(kept) : len(kept) + 1] != " ":
        kept = kept.rpartition(" ")[0] or kept
    return (Span(f"{kept.rstrip()}{ELLIPSIS}", status[0].ink),) if room > 0 else ()


def _sides(commands: Sequence[Command], status: Line) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    left = [command for command in commands if command.id not in RIGHT]
    right = [command for command in commands if command.id in RIGHT]
    return (() if status else _keys(left), _keys(right))


def _keys(commands: Sequence[Command]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for before, command in zip((None, *commands), commands, strict=False):
        if before is not None:
            parts.append(Part(blank(2 if before.group == command.group else 3)))
        parts.append(Part((Span(command.shown, Ink.KEY), Span(f" {command.verb}", Ink.DIM)), command_id=command.id))
    return tuple(parts)
