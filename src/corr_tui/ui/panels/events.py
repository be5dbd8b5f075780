"""The events panel: one line an event, by receipt (look: events; experience: honesty 5, 8).

Receipt order is the order the service heard them in, not of causes. Events of mine without a receipt stand at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import chain

from corr_tui.protocol.event import Event
from corr_tui.protocol.records import MalformedEvent
from corr_tui.state.snapshot import Heard, Snapshot, Unsent, UnsentState, Verdict
from corr_tui.state.standing import CUT_OFF
from corr_tui.ui import times
from corr_tui.ui.glyphs import VERDICTS, Glyph
from corr_tui.ui.layout import Cell, columns, dim, dimmed, ends, finished, joined, text
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, Span, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.reading import Reading, quote
from corr_tui.ui.panels.what import is_ack, what
from corr_tui.ui.text import cells, clean

LEAST_WHAT = 24
"""Cells `what` has before seconds and the end of the kind go."""
POOR_WHAT = 16
"""Cells `what` has before the thread goes."""
QUIET_VERDICTS = (Verdict.VERIFIED, Verdict.LISTED)
"""Verdicts whose glyph and legend say enough."""
UNSENT_WORDS = {UnsentState.UNSENT: "unsent…", UnsentState.UNKNOWN: "unknown…", UnsentState.REFUSED: "refused"}
UNSENT_GLYPHS = {
    UnsentState.UNSENT: Glyph.PENDING,
    UnsentState.UNKNOWN: Glyph.PARTIAL,
    UnsentState.REFUSED: Glyph.DECLINED,
}


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


def content(snapshot: Snapshot, view: View, width: int) -> Content:
    """The events of the chosen thread, or of all, and my unsent ones."""
    reading = Reading(snapshot, view)
    heard = [each for each in snapshot.events if reading.in_scope(thread_of(each))]
    unsent = [
        each
        for each in snapshot.unsent
        if each.event.event_id not in snapshot.by_id and reading.in_scope(each.event.thread_id)
    ]
    shape = shape_for(reading, heard, unsent, width)
    rows = (*_rows(reading, shape, heard), *(_unsent_row(reading, shape, each) for each in unsent))
    narrow = view.layout is Layout.NARROW
    below = _below(view)
    return finished(
        Content(
            title=reading.heading if narrow else "Events",
            scope="by receipt" if narrow else reading.scope,
            info=below if narrow else dim("by receipt"),
            columns=_headings(shape),
            rows=rows,
            empty=() if rows else _empty(reading, width),
            foot=() if narrow else (ends(width, _legend(heard, unsent), below),),
        ),
        view,
    )


def shape_for(reading: Reading, heard: Iterable[Heard], unsent: Iterable[Unsent], width: int) -> Shape:
    """The columns for a width: first the seconds go, then the end of the kind, then `what` narrows, then the thread."""
    senders, threads, number = {4}, {0}, 5
    for event in chain((each.record.event for each in heard), (each.event for each in unsent)):
        if isinstance(event, Event):
            senders.add(cells(reading.name(event.sender.identity_id)))
            threads.add(cells(clean(event.thread_id)))
    events = reading.snapshot.events
    number = max(5, len(str(events[-1].record.seq)) + 1 if events else 5)
    sender = min(max(*senders, 5), 8)
    thread = 0 if reading.view.thread_id is not None else min(max(*threads, 7), 14)
    narrow = reading.view.layout is Layout.NARROW
    steps = [(8, 16, thread), (5, 16, thread), (5, 15, thread)][2 if narrow else 0 :]
    shape = Shape(width, number, 8, sender, 16, 0, thread)
    for received, kind, column in steps:
        shape = _sized(width, number, received, sender, kind, column)
        if shape.what >= LEAST_WHAT:
            return shape
    return shape if shape.what >= POOR_WHAT else _sized(width, number, 5, sender, 15, 0)


def thread_of(heard: Heard) -> str:
    """The thread an event is in; of a malformed one, what it says, or nothing."""
    event = heard.record.event
    return event.thread_id if isinstance(event, Event) else _claimed(event, "thread_id")


def hidden(heard: Heard, view: View) -> bool:
    """Whether the text of an event stays hidden until it is opened."""
    return heard.verdict is Verdict.MISMATCH and heard.event_id not in view.opened


def _sized(width: int, number: int, received: int, sender: int, kind: int, thread: int) -> Shape:
    fixed = number + 2 + received + 2 + 2 + sender + 2 + kind + 2 + (thread + 2 if thread else 0)
    return Shape(width, number, received, sender, kind, max(width - 3 - fixed, 0), thread)


def _headings(shape: Shape) -> Line:
    # with minutes only, the word is wider than its column and takes the place of the verdict's missing heading
    return columns(
        shape.width,
        Cell(dim("event"), shape.number),
        Cell(dim("received"), 8, gap=4 if shape.seconds else 1),
        Cell(dim("from"), shape.sender),
        Cell(dim("kind"), shape.kind),
        Cell(dim("what"), shape.what),
        Cell(dim("thread"), shape.thread),
    )


def _rows(reading: Reading, shape: Shape, heard: Iterable[Heard]) -> Iterable[Row]:
    before = reading.today
    for each in heard:
        when = times.day(each.record.receipt.received_at, reading.view.zone)
        yield _row(reading, shape, each, when if before not in (None, when) else None)
        before = when


def _row(reading: Reading, shape: Shape, heard: Heard, new_day: date | None) -> Row:
    """One event; `new_day` is its day where that differs from the day of the row before."""
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
        Cell(text(_sender(reading, event), Ink.DIM if quiet else Ink.STRONG), shape.sender),
        Cell(text(kind, Ink.DIM if quiet else Ink.TEXT), shape.kind),
        Cell(_what(reading, heard), shape.what),
        Cell(dim(clean(thread_of(heard))), shape.thread),
    )
    return Row(heard.event_id or f"#{record.receipt.received_seq}", (line,), alarm)


def verdict_ink(verdict: Verdict) -> Ink:
    """The ink of a verdict's glyph and word; verified is not a colour."""
    if verdict is Verdict.KEY_CHANGED:
        return Ink.ALARM
    return Ink.TEXT if verdict in QUIET_VERDICTS else Ink.ATTN


def _what(reading: Reading, heard: Heard) -> Line:
    if heard.verdict in QUIET_VERDICTS and heard.event is not None:
        return what(heard.event, reading)
    word = text(heard.verdict.value, verdict_ink(heard.verdict))
    if heard.verdict is Verdict.KEY_CHANGED:
        return joined((word, text(clean(heard.detail))), 2)
    if hidden(heard, reading.view):
        return joined((word, dim("text hidden until opened with Enter")), 2)
    if heard.event is None:
        return joined((word, dim(clean(_first_issue(heard)))), 2)
    return joined((word, what(heard.event, reading)), 2)


def _unsent_row(reading: Reading, shape: Shape, unsent: Unsent) -> Row:
    event = unsent.event
    said: Line = dimmed(what(event, reading))
    if unsent.state is UnsentState.UNKNOWN:
        said = dim("not known yet, sending the same event again")
    if unsent.state is UnsentState.REFUSED:
        said = joined((quote(unsent.reason or "no reason given"), dim("draft kept")), 2)
    glyph_ink = Ink.ATTN if unsent.state is UnsentState.REFUSED else Ink.DIM
    line = columns(
        shape.width,
        Cell(dim(UNSENT_WORDS[unsent.state]), shape.number + 2 + shape.received),
        Cell(text(UNSENT_GLYPHS[unsent.state].symbol, glyph_ink), 1, gap=1),
        Cell(dim(reading.name(event.sender.identity_id)), shape.sender),
        Cell(dim(event.kind), shape.kind),
        Cell(said, shape.what),
        Cell(dim(clean(event.thread_id)), shape.thread),
    )
    return Row(event.event_id, (line,))


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


def _legend(heard: Iterable[Heard], unsent: list[Unsent]) -> Line:
    """Each verdict that occurs, its word and how often; then what is unsent."""
    counts = Counter(each.verdict for each in heard)
    parts: list[Line] = []
    for verdict in Verdict:
        if counts[verdict] or verdict is Verdict.VERIFIED:
            glyph = text(f"{VERDICTS[verdict].symbol} ", verdict_ink(verdict))
            parts.append((*glyph, *dim(f"{verdict} {counts[verdict]}")))
    if unsent:
        parts.append(dim(f"{Glyph.PENDING.symbol} unsent {len(unsent)}"))
    return joined(parts, 3)


def _below(view: View) -> Line:
    return (*text(f"{view.new_below} new below "), Span("G", Ink.KEY)) if view.new_below else ()


def _empty(reading: Reading, width: int) -> tuple[Line, ...]:
    """In place of rows: none so far, not to be had, or still reading."""
    if reading.snapshot.history.complete:
        return absence.none(width, "No events yet", f"in {reading.scope}.")
    if reading.snapshot.link.state in CUT_OFF:
        return absence.unavailable(reading, width)
    return absence.loading(reading, width)
