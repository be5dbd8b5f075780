"""The rows of the causal graph: an event in its lane, and a parent that is not drawn on a row of its own (look: graph).

A parent is called missing only where the service says that it is not stored. One in another thread, one that is kept
further back and one that is not read yet are each called what they are. Only rows in view are laid out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, tzinfo
from enum import Enum
from typing import NamedTuple

from corr_tui.protocol.bodies import cited
from corr_tui.state.projection import facts
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Heard, Unsent, Verdict
from corr_tui.ui import times
from corr_tui.ui.glyphs import VERDICTS, Glyph
from corr_tui.ui.layout import START, Cell, blank, columns, cut_name, dim, dimmed, joined, merged, text
from corr_tui.ui.line import Ink, LazyRows, Line, Row, Span
from corr_tui.ui.panels.event_row import UNSENT_GLYPHS, UNSENT_WORDS, amended, saying, verdict_ink
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.what import is_ack, what
from corr_tui.ui.text import clean
from corr_tui.ui.views.causal import REFUTES, Causal, Entry, proves_parents
from corr_tui.ui.views.edges import Room, edges
from corr_tui.ui.views.lanes import Mark

PARENT = "parent "
"""Begins the key of the row of a parent that is not drawn."""
KEPT = 20_000
"""How many laid-out lines are kept before all are forgotten."""

ABOVE = 20
"""Rows that are asked for the event above: one may have as many as 16 parents that are not drawn."""


class Shape(NamedTuple):
    """The widths of the columns, in cells; `parents` and `id` are 0 where the column is gone."""

    width: int
    number: int
    received: int
    sender: int
    kind: int
    what: int
    parents: int
    id: int

    @property
    def seconds(self) -> bool:
        """Whether times of day have seconds."""
        return self.received == 8


class Absence(Enum):
    """Why a parent is not drawn, the glyph of it and its word."""

    MISSING = (Glyph.ABSENT, "missing")
    ELSEWHERE = (Glyph.AFTER, "elsewhere")
    EARLIER = (Glyph.AFTER, "earlier")
    UNREAD = (Glyph.PARTIAL, "not read")

    @property
    def glyph(self) -> Glyph:
        """Its glyph."""
        return self.value[0]

    @property
    def word(self) -> str:
        """Its word, in place of a kind."""
        return self.value[1]


def event_of(key: str) -> str | None:
    """The id of the event that the row with this key shows, or that of a parent that is not drawn."""
    if key.startswith(PARENT):
        return key.split(" ")[2]
    return key.removeprefix(REFUTES)


def key_of(mark: Mark) -> str:
    """The key of the row of a mark."""
    return f"{PARENT}{mark.key} {mark.absent}" if mark.absent else mark.key


def absence(reading: Reading, parent: str, entry: Entry) -> tuple[Absence, str]:
    """Why a parent of an event is not drawn, and in words where it is."""
    snapshot = reading.snapshot
    noted = facts(snapshot).noted.get(parent)
    if noted is not None and noted.stored:
        if reading.view.thread_id not in (None, noted.thread_id):
            return Absence.ELSEWHERE, f"in {clean(noted.thread_id or '—')}"
        return Absence.EARLIER, "kept further back"
    if isinstance(entry, Heard) and parent in entry.record.missing_parents:
        return Absence.MISSING, "not received here"
    if isinstance(entry, Unsent) and any(each.event.event_id == parent for each in snapshot.unsent):
        return Absence.ELSEWHERE, "not sent yet, in another thread"
    if not snapshot.history.complete:
        return Absence.UNREAD, "not among what is read so far"
    return Absence.ELSEWHERE, "not in this repository, as far as is read"


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Everything the columns of an event depend on."""

    entry: Same[Entry]
    shape: Shape
    sender: str
    numbers: tuple[str, ...]
    late: str
    amended: Line
    new_day: date | None
    today: date | None
    zone: tzinfo
    opened: bool


_KEPT: dict[_Drawn, Line] = {}


class GraphRows(LazyRows):
    """Marks from the newest, each laid out when it is looked at."""

    joined = True

    def __init__(self, reading: Reading, causal: Causal, shape: Shape, room: Room) -> None:
        self._reading, self._causal, self._shape, self._room = reading, causal, shape, room
        self._marks = causal.lanes.marks[::-1]
        self.keys = tuple(mark.key if not mark.absent else key_of(mark) for mark in self._marks)

    def row(self, place: int) -> Row:
        """An event, or a parent that is not drawn."""
        mark, row = self._marks[place], len(self._marks) - 1 - place
        entry = self._causal.entries[mark.key]
        if mark.absent:
            why, where = absence(self._reading, mark.absent, entry)
            glyph, rest = _absent_glyph(why), self._absent(mark, why, where)
        else:
            glyph, rest = _event_glyph(entry), self._event(entry, mark.key, place)
        ascii_only = self._reading.view.ascii_only
        lines = edges(self._causal.lanes, row, self._room, glyph, ascii_only=ascii_only)
        line = merged((*blank(START), *lines, *rest))
        alarm = isinstance(entry, Heard) and entry.verdict is Verdict.KEY_CHANGED and not mark.absent
        return Row(self.keys[place], (line,), alarm)

    def known(self, place: int) -> bool:
        """What is new lies above, where nothing counts as new below."""
        return True

    def note(self, place: int) -> bool:
        """There is none."""
        return False

    def _event(self, entry: Entry, key: str, place: int) -> Line:
        """The columns of an event."""
        reading = self._reading
        event = entry.event
        late = self._causal.late.get(key, "")
        parents = event.parents if event is not None and proves_parents(entry) else ()
        named = (*parents, *(cited(event.body) if event else ()))
        drawn = _Drawn(
            Same(entry),
            self._shape,
            reading.name(event.sender.identity_id if event else None),
            tuple(map(reading.number, named)),
            reading.number(late) if late else "",
            amended(reading, key),
            self._new_day(entry, place),
            reading.today,
            reading.view.zone,
            isinstance(entry, Heard) and entry.event_id in reading.view.opened,
        )
        line = _KEPT.get(drawn)
        if line is None:
            if len(_KEPT) >= KEPT:
                _KEPT.clear()
            line = _KEPT[drawn] = _columns(reading, entry, drawn, parents)
        return line

    def _new_day(self, entry: Entry, place: int) -> date | None:
        """The day of an event where it differs from that of the event above, or of now."""
        if isinstance(entry, Unsent):
            return None
        reading = self._reading
        above = (self._causal.entries[mark.key] for mark in reversed(self._marks[max(place - ABOVE, 0) : place]))
        before = next((each for each in above if isinstance(each, Heard)), None)
        zone = reading.view.zone
        shown = reading.today if before is None else times.day(before.record.receipt.received_at, zone)
        when = times.day(entry.record.receipt.received_at, zone)
        return when if shown not in (None, when) else None

    def _absent(self, mark: Mark, why: Absence, where: str) -> Line:
        """The columns of a parent that is not drawn."""
        shape, reading = self._shape, self._reading
        child = self._causal.entries[mark.key]
        of = "an unsent event" if isinstance(child, Unsent) else reading.number(mark.key)
        words = f"{reading.number(mark.absent)}  {where}, a parent of {of}"
        return columns(
            shape.width,
            Cell((), shape.number),
            Cell((), shape.received),
            Cell((_absent_glyph(why),), 1, gap=1),
            Cell((), shape.sender),
            Cell(dim(why.word), shape.kind),
            Cell(dim(words), shape.what + (shape.parents + 2 if shape.parents else 0)),
        )


def _absent_glyph(why: Absence) -> Span:
    return Span(why.glyph.symbol, Ink.ATTN if why is Absence.MISSING else Ink.DIM)


def _event_glyph(entry: Entry) -> Span:
    if isinstance(entry, Unsent):
        return Span(UNSENT_GLYPHS[entry.state].symbol, Ink.DIM)
    return Span(Glyph.LIVE.symbol, Ink.STRONG)


def _columns(reading: Reading, entry: Entry, drawn: _Drawn, parents: tuple[str, ...]) -> Line:
    shape = drawn.shape
    cells = _unsent(reading, entry, shape) if isinstance(entry, Unsent) else _heard(reading, entry, drawn)
    event_id = entry.event.event_id if isinstance(entry, Unsent) else entry.event_id
    numbers = joined((dim(reading.number(each)) for each in parents), 2)
    if isinstance(entry, Heard) and not proves_parents(entry):
        numbers = dim("not proved")
    brief = f"{clean(event_id.removeprefix('sha256:')[:4])}…" if event_id else Glyph.SILENCE.symbol
    return columns(shape.width, *cells, Cell(numbers, shape.parents), Cell(dim(brief), shape.id, right=True))


def _heard(reading: Reading, heard: Heard, drawn: _Drawn) -> tuple[Cell, ...]:
    shape, event = drawn.shape, heard.event
    received = reading.clock(heard.record.receipt.received_at, seconds=shape.seconds)
    if drawn.new_day is not None:
        received = times.day_words(drawn.new_day) if shape.seconds else f"{drawn.new_day:%m-%d}"
    quiet = event is not None and is_ack(event.kind)
    late = dim(f"received after {drawn.late}, which names it") if drawn.late else ()
    return (
        Cell(dim(f"#{heard.record.receipt.received_seq}"), shape.number, right=True),
        Cell(dim(received), shape.received, right=True),
        Cell(text(VERDICTS[heard.verdict].symbol, verdict_ink(heard.verdict)), 1, gap=1),
        Cell(text(cut_name(drawn.sender, shape.sender), Ink.DIM if quiet else Ink.STRONG), shape.sender),
        Cell(text(event.kind if event else "malformed", Ink.DIM if quiet else Ink.TEXT), shape.kind),
        Cell(joined((late, saying(reading, heard)), 2), shape.what),
    )


def _unsent(reading: Reading, unsent: Unsent, shape: Shape) -> tuple[Cell, ...]:
    event = unsent.event
    return (
        Cell(dim(UNSENT_WORDS[unsent.state]), shape.number + 2 + shape.received),
        Cell((_event_glyph(unsent),), 1, gap=1),
        Cell(dim(cut_name(reading.name(event.sender.identity_id), shape.sender)), shape.sender),
        Cell(dim(event.kind), shape.kind),
        Cell(dimmed(what(event, reading)), shape.what),
    )
