"""One event in one line, and one of mine that has no receipt yet (look: events; experience: honesty 8).

A verdict other than verified or listed puts its word first. The text of an event whose bytes do not match its signature
stays hidden until it is opened. A line once laid out is kept, since an event never changes and there may be many.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, tzinfo

from corr_tui.protocol.bodies import cited
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import MalformedEvent
from corr_tui.state.projection import facts
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Heard, Unsent, UnsentState, Verdict
from corr_tui.ui import times
from corr_tui.ui.glyphs import VERDICTS, Glyph
from corr_tui.ui.layout import Cell, columns, cut_name, dim, dimmed, joined, text
from corr_tui.ui.line import Ink, Line, Row, View
from corr_tui.ui.panels.reading import Reading, quote
from corr_tui.ui.panels.what import is_ack, what
from corr_tui.ui.text import clean
from corr_tui.ui.waiting import UNKNOWN

QUIET_VERDICTS = (Verdict.VERIFIED, Verdict.LISTED)
"""Verdicts whose glyph and legend say enough."""
UNSENT_WORDS = {UnsentState.UNSENT: "unsent…", UnsentState.UNKNOWN: "not known…", UnsentState.REFUSED: "refused"}
UNSENT_GLYPHS = {
    UnsentState.UNSENT: Glyph.PENDING,
    UnsentState.UNKNOWN: Glyph.PARTIAL,
    UnsentState.REFUSED: Glyph.DECLINED,
}
KEPT = 50_000
"""How many laid-out lines are kept before all are forgotten."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The widths of the columns, in cells; `thread` is 0 where the column is gone."""

    width: int
    number: int
    received: int
    sender: int
    kind: int
    what: int
    thread: int

    @property
    def seconds(self) -> bool:
        """Whether times of day have seconds."""
        return self.received == 8


def thread_of(heard: Heard) -> str:
    """The thread an event is in; of a malformed one, what it says, or nothing."""
    event = heard.record.event
    return event.thread_id if isinstance(event, Event) else _claimed(event, "thread_id")


def hidden(heard: Heard, view: View) -> bool:
    """Whether the text of an event stays hidden until it is opened."""
    return heard.verdict is Verdict.MISMATCH and heard.event_id not in view.opened


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Everything a line depends on: the event, the columns, and what its surroundings lend it."""

    heard: Same[Heard]
    shape: Shape
    sender: str
    cited: tuple[str, ...]
    amended: Line
    new_day: date | None
    today: date | None
    zone: tzinfo
    selected: bool
    opened: bool


_KEPT: dict[_Drawn, Row] = {}


def event_row(reading: Reading, shape: Shape, heard: Heard, new_day: date | None) -> Row:
    """One event; `new_day` is its day where that differs from the day of the row before."""
    event, view = heard.event, reading.view
    drawn = _Drawn(
        Same(heard),
        shape,
        _sender(reading, heard.record.event),
        tuple(map(reading.number, cited(event.body))) if event else (),
        amended(reading, heard.event_id),
        new_day,
        reading.today,
        view.zone,
        view.selected == heard.event_id,
        heard.event_id in view.opened,
    )
    row = _KEPT.get(drawn)
    if row is None:
        if len(_KEPT) >= KEPT:
            _KEPT.clear()
        row = _KEPT[drawn] = _row(reading, shape, heard, new_day)
    return row


def _row(reading: Reading, shape: Shape, heard: Heard, new_day: date | None) -> Row:
    event, record = heard.record.event, heard.record
    received = reading.clock(record.receipt.received_at, seconds=shape.seconds)
    if new_day is not None:
        received = times.day_words(new_day) if shape.seconds else f"{new_day:%m-%d}"
    proper = isinstance(event, Event)
    kind = event.kind if isinstance(event, Event) else clean(_claimed(event, "kind")) or "—"
    alarm = heard.verdict is Verdict.KEY_CHANGED
    quiet = proper and is_ack(kind)
    number_ink = Ink.STRONG if reading.view.selected == heard.event_id else Ink.DIM
    line = columns(
        shape.width,
        Cell(text(f"#{record.receipt.received_seq}", number_ink), shape.number, right=True),
        Cell(dim(received), shape.received, right=True),
        Cell(text(VERDICTS[heard.verdict].symbol, verdict_ink(heard.verdict)), 1, gap=1),
        Cell(text(cut_name(_sender(reading, event), shape.sender), Ink.DIM if quiet else Ink.STRONG), shape.sender),
        Cell(text(kind, Ink.DIM if quiet else Ink.TEXT), shape.kind),
        Cell(saying(reading, heard), shape.what),
        Cell(dim(clean(thread_of(heard))), shape.thread),
    )
    return Row(heard.event_id or f"#{record.receipt.received_seq}", (line,), alarm)


def verdict_ink(verdict: Verdict) -> Ink:
    """The ink of a verdict's glyph and word; verified is not a colour."""
    if verdict is Verdict.KEY_CHANGED:
        return Ink.ALARM
    return Ink.TEXT if verdict in QUIET_VERDICTS else Ink.ATTN


AMENDED = {"repair": "repaired by", "conflict.resolve": "resolved by"}
"""What a repair and a resolution make of the events they cite; these stay as they are (§8)."""


def amended(reading: Reading, event_id: str) -> Line:
    """`repaired by #4812`, by the last one received, and how many others; nothing where there is none."""
    found = facts(reading.snapshot).amended.get(event_id, ())
    parts: list[Line] = []
    for kind, words in AMENDED.items():
        ids = [each.event_id for each in found if each.kind == kind]
        more = f" +{len(ids) - 1}" if len(ids) > 1 else ""
        parts += [(*dim(f"{words} "), *text(reading.number(ids[-1])), *dim(more))] if ids else []
    return joined(parts, 2)


def saying(reading: Reading, heard: Heard) -> Line:
    """What an event says, after its verdict where that is not quiet, and after what repairs or resolves it."""
    note = amended(reading, heard.event_id)
    if heard.verdict in QUIET_VERDICTS and heard.event is not None:
        return joined((note, what(heard.event, reading)), 2)
    word = text(heard.verdict.value, verdict_ink(heard.verdict))
    if heard.verdict is Verdict.KEY_CHANGED:
        return joined((word, note, text(clean(heard.detail))), 2)
    if hidden(heard, reading.view):
        return joined((word, note, dim("text hidden until opened with Enter")), 2)
    if heard.event is None:
        return joined((word, note, dim(clean(_first_issue(heard)))), 2)
    return joined((word, note, what(heard.event, reading)), 2)


def unsent_row(reading: Reading, shape: Shape, unsent: Unsent) -> Row:
    """One event of mine without a receipt."""
    event = unsent.event
    said: Line = dimmed(what(event, reading))
    if unsent.state is UnsentState.UNKNOWN:
        said = dim(UNKNOWN)
    if unsent.state is UnsentState.REFUSED:
        said = joined((quote(unsent.reason or "no reason given"), dim("draft kept")), 2)
    glyph_ink = Ink.ATTN if unsent.state is UnsentState.REFUSED else Ink.DIM
    line = columns(
        shape.width,
        Cell(dim(UNSENT_WORDS[unsent.state]), shape.number + 2 + shape.received),
        Cell(text(UNSENT_GLYPHS[unsent.state].symbol, glyph_ink), 1, gap=1),
        Cell(dim(cut_name(reading.name(event.sender.identity_id), shape.sender)), shape.sender),
        Cell(dim(event.kind), shape.kind),
        Cell(said, shape.what),
        Cell(dim(clean(event.thread_id)), shape.thread),
    )
    return Row(event.event_id, (line,), known=True)


def _sender(reading: Reading, event: Event | MalformedEvent) -> str:
    return reading.name(event.sender.identity_id if isinstance(event, Event) else None)


def _claimed(event: MalformedEvent, name: str) -> str:
    """What a malformed event holds under a name, if that is text."""
    value = event.evidence.get(name) if isinstance(event.evidence, dict) else None
    return value if isinstance(value, str) else ""


def _first_issue(heard: Heard) -> str:
    event = heard.record.event
    if isinstance(event, MalformedEvent) and event.issues:
        return event.issues[0].message
    return heard.detail
