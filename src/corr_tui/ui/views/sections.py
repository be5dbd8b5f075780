"""A page in sections: headings, labelled lines under them, and keys by which a line is known (look: space).

A view that tells one thing in full is such a page: its lines are laid out when they are looked at, however many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from corr_tui.ui.layout import END, START, blank, dim, fit, padded, text, trim, words
from corr_tui.ui.line import Ink, Line, Row
from corr_tui.ui.text import clean_lines
from corr_tui.ui.views.drawn_rows import DrawnRows

ROOMY = 100
"""Cells from which labels have a wide column."""
HEADING, SPACE = "heading ", "space "
"""What the keys of headings, and of the blank lines above them, begin with."""


class Entry(NamedTuple):
    """One line: what it is known by within its section, its label, and what it says, cut where there is no room."""

    key: str
    label: str
    says: Line


class Section(NamedTuple):
    """Some lines under one heading; without a title they stand under none."""

    name: str
    title: str
    about: str
    entries: Sequence[Entry]


def label_width(width: int) -> int:
    """The cells of a label, its gap included."""
    return 12 if width >= ROOMY else 10


def room(width: int) -> int:
    """The cells of what stands beside a label."""
    return max(width - START - label_width(width) - END, 1)


def told(label: str, *lines: Line, key: str = "") -> Iterator[Entry]:
    """A label beside one or more lines; empty ones are left out."""
    for place, line in enumerate(each for each in lines if each):
        yield Entry(f"{key or label} {place}", "" if place else label, line)


def sentence(label: str, said: str, width: int, ink: Ink = Ink.TEXT, key: str = "") -> Iterator[Entry]:
    """A label beside words of any length, folded."""
    return told(label, *(text(line, ink) for line in clean_lines(said, room(width))), key=key)


def rows(sections: Iterable[Section], width: int) -> DrawnRows:
    """The lines of some sections; empty sections are left out. A line's key is `<section> <key of the entry>`."""
    keys: list[str] = []
    drawn: list[Section | Entry | None] = []
    for section in sections:
        if not section.entries:
            continue
        if drawn:
            keys.append(f"{SPACE}{section.name}")
            drawn.append(None)
        if section.title:
            keys.append(f"{HEADING}{section.name}")
            drawn.append(section)
        keys += (f"{section.name} {entry.key}" for entry in section.entries)
        drawn += section.entries
    labels = label_width(width)

    def draw(place: int) -> Row:
        here = drawn[place]
        if isinstance(here, Section):
            return Row(keys[place], (words(width, text(here.title, Ink.STRONG), dim(here.about)),), heading=True)
        if here is None:
            return Row(keys[place], (blank(width),), heading=True)
        line = (*blank(START), *fit(dim(here.label), labels - 1), *blank(1), *trim(here.says, room(width)))
        return Row(keys[place], (padded(line, width),))

    headings = {key for key, here in zip(keys, drawn, strict=True) if not isinstance(here, Entry)}
    return _Lines(keys, draw, headings)


class _Lines(DrawnRows):
    """Lines of a page: none of them is news."""

    def known(self, place: int) -> bool:
        """Nothing here counts as new."""
        return True


def first_of_section(keys: Sequence[str], name: str) -> str | None:
    """The key of the first line of a section."""
    return next((key for key in keys if key.startswith(f"{name} ")), None)
