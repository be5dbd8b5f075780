"""Text shown exactly as it is, folded at a width: no character is dropped, and none stands for another (§5).

The text door makes one line that is good to read; here every byte counts. A character that a terminal would obey, hide
or join to its neighbour is written out, as its bytes in angle brackets or as an escape of JSON, in an ink of its own.
The brackets themselves are written out too, so that nobody can write what only this module means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.text import cells, clean

_RUNS = re.compile(r"[\x20-\x7e]+|[^\x20-\x7e]+")
_BRACKETS = "⟨⟩"

Instead = Callable[[str], str]
"""What is written for one character: itself, where it shows as it is."""


@lru_cache(maxsize=8192)
def as_bytes(character: str) -> str:
    """A character that shows as it is, else its UTF-8 bytes: `⟨e2 80 ae⟩`."""
    if clean(character) == character and character not in _BRACKETS:
        return character
    return f"⟨{character.encode('utf-8', 'surrogatepass').hex(' ')}⟩"


@lru_cache(maxsize=8192)
def as_escape(character: str) -> str:
    """A character that shows as it is, else the escape that names the same character in JSON: `\\u202e`."""
    if clean(character) == character:
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def folded(parts: Iterable[tuple[str, Ink]], width: int, instead: Instead = as_bytes) -> list[tuple[int, Line]]:
    """The text of some parts, each in its ink, in lines of at most `width` cells: each with the offset of its first
    byte. What is written out stands in the ink of attention and is never divided."""
    lines: list[tuple[int, Line]] = []
    spans: list[Span] = []
    start = offset = used = 0
    for piece in _pieces(parts, instead):
        shown = piece.shown
        while shown:
            if used and used + piece.each > width:
                lines.append((start, tuple(spans)))
                spans, start, used = [], offset, 0
            taken = shown if piece.whole else shown[: max((width - used) // piece.each, 1)]
            _add(spans, taken, piece.ink)
            used += piece.each if piece.whole else len(taken) * piece.each
            offset += piece.whole or len(taken.encode("utf-8"))
            shown = shown[len(taken) :]
    return [*lines, (start, tuple(spans))]


class _Piece(NamedTuple):
    shown: str
    ink: Ink
    each: int
    """The cells of each of its characters; of what is written out, of all of it."""
    whole: int = 0
    """Of what is written out for a character, the bytes of that; 0 where characters stand for themselves."""


def _pieces(parts: Iterable[tuple[str, Ink]], instead: Instead) -> Iterator[_Piece]:
    """Runs of characters that show as they are, all as wide, and single ones that are written out."""
    for text, ink in parts:
        for run in _RUNS.findall(text):
            if run.isascii() and run.isprintable():
                yield _Piece(run, ink, 1)
                continue
            for each, same in groupby(run, lambda character: _cells_of(character, instead)):
                if each:
                    yield _Piece("".join(same), ink, each)
                else:
                    for character in same:
                        size = len(character.encode("utf-8", "surrogatepass"))
                        yield _Piece(instead(character), Ink.ATTN, len(instead(character)), size)


@lru_cache(maxsize=8192)
def _cells_of(character: str, instead: Instead) -> int:
    """The cells of a character that shows as it is; 0 for one that is written out."""
    return cells(character) if instead(character) == character else 0


def _add(spans: list[Span], shown: str, ink: Ink) -> None:
    if spans and spans[-1].ink is ink:
        spans[-1] = Span(spans[-1].text + shown, ink)
    else:
        spans.append(Span(shown, ink))
