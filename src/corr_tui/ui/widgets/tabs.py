"""Tabs of a narrow board: every panel by number and name, the one that is shown on the accent ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corr_tui.ui.layout import blank, width_of
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.bar import Part


class Tab(NamedTuple):
    """One panel as its tab says it."""

    number: int
    name: str
    """The panel's name in the command table."""
    title: str
    rows: int | None = None
    """How many rows it has, where that is worth saying."""


def tabs(listed: Sequence[Tab], active: str, width: int) -> tuple[Part, ...]:
    """The parts of the tab line; counts go first when room is short, then the titles of the others."""
    for counted, titled in ((True, True), (False, True), (False, False)):
        parts = _parts(listed, active, counted=counted, titled=titled)
        if sum(width_of(part.line) for part in parts) < width:
            break
    return parts


def _parts(listed: Sequence[Tab], active: str, *, counted: bool, titled: bool) -> tuple[Part, ...]:
    parts: list[Part] = []
    for tab in listed:
        is_active = tab.name == active
        parts.append(Part(blank(1)))
        line = _line(tab, active=is_active, counted=counted, titled=titled or is_active)
        parts.append(Part(line, Ground.ACCENT if is_active else Ground.CANVAS, f"panel.{tab.name}"))
    return tuple(parts)


def _line(tab: Tab, *, active: bool, counted: bool, titled: bool) -> Line:
    line: list[Span] = [Span(" "), Span(str(tab.number), Ink.KEY)]
    if titled:
        line.append(Span(f" {tab.title}", Ink.STRONG if active else Ink.DIM))
    if counted and tab.rows is not None:
        line.append(Span(f" {tab.rows}", Ink.TEXT if active else Ink.DIM))
    return (*line, Span(" "))
