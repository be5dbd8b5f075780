"""Rows in the order they stood in before, while somebody is about to act on one of them. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from corr_tui.ui.line import LazyRows, Row


class Reordered(LazyRows):
    """The same rows in another order."""

    def __init__(self, rows: LazyRows, keys: Sequence[str]) -> None:
        self.keys = tuple(keys)
        places = {key: place for place, key in enumerate(rows.keys)}
        self.lines, self.space = rows.lines, rows.space
        self._rows, self._places = rows, tuple(places[key] for key in self.keys)

    def row(self, place: int) -> Row:
        """The row at a place."""
        return self._rows.row(self._places[place])

    def known(self, place: int) -> bool:
        """As it is."""
        return self._rows.known(self._places[place])

    def note(self, place: int) -> bool:
        """As it is."""
        return self._rows.note(self._places[place])

    def heading(self, place: int) -> bool:
        """As it is."""
        return self._rows.heading(self._places[place])


def in_order(rows: Sequence[Row], before: tuple[str, ...]) -> Sequence[Row]:
    """The rows, those that were there before in the order they had; a new one stands below the one it would follow.

    Rows under headings belong to them, and stay as they are; so do rows that lines join.
    """
    if isinstance(rows, LazyRows) and rows.joined:
        return rows
    keys = rows.keys if isinstance(rows, LazyRows) else tuple(row.key for row in rows)
    here, known = frozenset(keys), frozenset(before)
    kept = tuple(key for key in before if key in here)
    if kept == tuple(key for key in keys if key in known):
        return rows
    order = _with_new(keys, known, kept)
    if isinstance(rows, LazyRows):
        return Reordered(rows, order)
    if any(row.heading for row in rows):
        return rows
    by_key = {row.key: row for row in rows}
    return tuple(by_key[key] for key in order)


def _with_new(keys: Iterable[str], known: frozenset[str], kept: tuple[str, ...]) -> list[str]:
    """The kept keys, each new one below the known one it follows; with none to follow it stands at the end."""
    following: defaultdict[str | None, list[str]] = defaultdict(list)
    last: str | None = None
    for key in keys:
        if key in known:
            last = key
        else:
            following[last].append(key)
    order = [each for key in kept for each in (key, *following[key])]
    return [*order, *following[None]]
