"""What a search over the history found: one line an event, the newest first, with the words that matched strong.

Words of others are cut around the first match. The text of an event whose bytes do not match its signature stays
hidden here as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from corr_tui.protocol.event import Event
from corr_tui.state.snapshot import Heard
from corr_tui.ui import times
from corr_tui.ui.glyphs import VERDICTS, Glyph
from corr_tui.ui.layout import Cell, columns, cut_name, dim, finished, paragraph, text, width_of, words
from corr_tui.ui.line import Content, Ink, LazyRows, Line, Row, Span
from corr_tui.ui.panels.event_row import Shape, hidden, thread_of, verdict_ink
from corr_tui.ui.panels.events import shape_for
from corr_tui.ui.panels.reading import Reading, quote
from corr_tui.ui.panels.what import is_ack, what
from corr_tui.ui.text import clean, cut

MOST = 200
"""Events a search shows at most."""
BEFORE = 10
"""Characters shown before the first match, where the words are cut at their start."""
SAID = ("summary", "detail", "next_safe_action")
"""The members of a body that hold words."""


class Stage(StrEnum):
    """How far a search is."""

    EMPTY = "nothing asked yet"
    LOOKING = "looking"
    FOUND = "found"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Search:
    """Words looked for and what became of it."""

    asked: str = ""
    stage: Stage = Stage.EMPTY
    found: tuple[Heard, ...] = ()
    """The newest first; of the search before while this one is looking."""
    reason: str = ""
    """Why it was refused."""


def content(search: Search, reading: Reading, width: int) -> Content:
    """What a search found. A row's key is its event id."""
    found = search.found if search.stage in (Stage.FOUND, Stage.LOOKING) else ()
    shape = shape_for(reading, found, (), width)
    return finished(
        Content(
            title="Results",
            scope="newest first" if found else "",
            info=_info(search),
            rows=ResultRows(search, reading, shape) if found else (),
            empty=() if found else _empty(search, reading, width),
        ),
        reading.view,
    )


def _info(search: Search) -> Line:
    if search.stage is Stage.LOOKING:
        return dim(f"{Glyph.PARTIAL.symbol} looking")
    if search.stage is not Stage.FOUND or not search.found:
        return ()
    count = len(search.found)
    return text(f"the newest {count}" if count >= MOST else str(count))


def _empty(search: Search, reading: Reading, width: int) -> tuple[Line, ...]:
    match search.stage:
        case Stage.EMPTY:
            first = words(width, text("Words, paths, threads, kinds and senders", Ink.STRONG))
            return (first, *paragraph(width, "An event is found when it holds all of what is typed here."))
        case Stage.REFUSED:
            return (words(width, text("Not searched", Ink.STRONG)), *paragraph(width, clean(search.reason)))
        case Stage.LOOKING:
            return (words(width, dim(f"{Glyph.PARTIAL.symbol} looking")),)
        case Stage.FOUND:
            asked = cut(" ".join(clean(search.asked).split()), max(width - 24, 8))
            first = words(width, text(f"Nothing holds “{asked}”", Ink.STRONG))
            return (first, *paragraph(width, _where(reading)))


def _where(reading: Reading) -> str:
    """What was searched, and what was not."""
    history = reading.snapshot.history
    count = max(history.count, len(reading.snapshot.events))
    if history.complete:
        return f"in {count:,} events."
    return f"in the {count:,} events read so far; more is not read yet."


class ResultRows(LazyRows):
    """One row an event found."""

    def __init__(self, search: Search, reading: Reading, shape: Shape) -> None:
        self.keys = tuple(each.key for each in search.found)
        self._found, self._reading, self._shape = search.found, reading, shape
        self._wanted = pattern(search.asked)

    def row(self, place: int) -> Row:
        """The row of an event."""
        heard, reading, shape = self._found[place], self._reading, self._shape
        event, receipt = heard.event, heard.record.receipt
        kind = event.kind if event else "malformed"
        quiet = is_ack(kind)
        when = times.day(receipt.received_at, reading.view.zone)
        received = reading.clock(receipt.received_at, seconds=shape.seconds)
        if reading.today not in (None, when):
            received = times.day_words(when) if shape.seconds else f"{when:%m-%d}"
        sender = reading.name(event.sender.identity_id if event else None)
        line = columns(
            shape.width,
            Cell(dim(f"#{receipt.received_seq}"), shape.number, right=True),
            Cell(dim(received), shape.received, right=True),
            Cell(text(VERDICTS[heard.verdict].symbol, verdict_ink(heard.verdict)), 1, gap=1),
            Cell(text(cut_name(sender, shape.sender), Ink.DIM if quiet else Ink.STRONG), shape.sender),
            Cell(text(kind, Ink.DIM if quiet else Ink.TEXT), shape.kind),
            Cell(self._what(heard), shape.what),
            Cell(dim(clean(thread_of(heard))), shape.thread),
        )
        return Row(self.keys[place], (line,), known=True)

    def known(self, place: int) -> bool:
        """What is found is no news."""
        return True

    def note(self, place: int) -> bool:
        """There is none."""
        return False

    def _what(self, heard: Heard) -> Line:
        if hidden(heard, self._reading.view):
            return dim("text hidden until opened with Enter")
        if heard.event is None:
            return dim(clean(heard.detail))
        said = next((each for each in _said(heard.event) if self._wanted and self._wanted.search(each)), None)
        if said is None:
            return what(heard.event, self._reading)
        return excerpt(said, self._wanted, self._shape.what)


def _said(event: Event) -> Sequence[str]:
    """The texts of an event, each clean and in one line: words first, then paths."""
    said = (getattr(event.body, name, None) for name in SAID)
    return [" ".join(clean(each).split()) for each in (*said, *event.scope.paths) if isinstance(each, str)]


def pattern(asked: str) -> re.Pattern[str] | None:
    """What matches any of the words looked for, whatever their case."""
    wanted = sorted(set(re.findall(r"\w+", asked)), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, wanted)), re.IGNORECASE) if wanted else None


def excerpt(said: str, wanted: re.Pattern[str] | None, room: int) -> Line:
    """Clean words in quotation marks around the first match, every match strong."""
    first = wanted.search(said) if wanted else None
    if first is None or wanted is None:
        return quote(said)
    start = 0 if width_of(quote(said[: first.end()])) < room else max(first.start() - BEFORE, 0)
    line = [Span("“…" if start else "“")]
    for found in wanted.finditer(said, start):
        line += (Span(said[start : found.start()]), Span(found.group(), Ink.STRONG))
        start = found.end()
    return tuple(span for span in (*line, Span(f"{said[start:]}”")) if span.text)
