"""Acknowledgements: events by participants, and in each cell the strongest declaration and when (§5; look: ladder).

Listed are intents, offers and handoffs, and whatever else somebody acknowledged, by receipt. Each of the declarations
stands by itself and none follows from another; a rejection is none of the steps and stands beside them. A dash is
silence, which is neither assent nor refusal, and says nothing about who is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from corr_tui.protocol.bodies import cited
from corr_tui.protocol.event import Event
from corr_tui.state.filter_rows import found
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Heard, Snapshot
from corr_tui.state.standing import CUT_OFF
from corr_tui.ui.glyphs import ACKNOWLEDGED, Glyph
from corr_tui.ui.layout import GAP, START, Cell, columns, dim, finished, joined, paragraph, text
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, Span, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.history import history_foot
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.what import is_ack
from corr_tui.ui.text import cells, clean
from corr_tui.ui.views.ladder_rows import Ladder, LadderRows, Shape

ASKING = frozenset({"intent", "artifact.offer", "handoff"})
"""Kinds that are listed though nobody acknowledged them."""
WIDEST, LEAST = 18, 15
"""Cells of a participant's column with the gap after it."""
ROOMY = 20
"""Lines from which on a blank one separates rows."""
DECLARES = (
    ("ack.seen", "its bytes reached who says so", "not understanding"),
    ("ack.understood", "read well enough to go on", "not agreement"),
    ("ack.accepted", "acceptance for coordination", "not applied, no authority"),
    ("ack.applied", "an applied revision, as reported", "not proof; Git can tell"),
    ("ack.rejected", "declines it", "no reason owed, no judgement"),
)
"""What each declaration says, and what it does not."""


def ladder(snapshot: Snapshot, view: View, width: int, shift: int = 0) -> Ladder:
    """The events and the participants to show; `shift` is how many of the others are passed over on the left."""
    reading = Reading(snapshot, view)
    unsent = _unsent(snapshot)
    events, senders = _in_scope(snapshot, view, unsent)
    people = list(_people(reading, events, senders))
    shape = shape_for(reading, events, len(people), width)
    me = 1 if snapshot.me is not None and people else 0
    last = max(len(people) - shape.shown, 0)
    shift = max(0, min(shift, last))
    shown = (*people[:me], *people[me + shift : shift + shape.shown])
    return Ladder(reading, shape, tuple(events), tuple(shown), shift, last - shift, unsent)


def content(made: Ladder) -> Content:
    """The ladder. A row's key is the id of its event."""
    reading, width = made.reading, made.shape.width
    space = int(reading.view.layout is not Layout.NARROW and reading.view.height >= ROOMY)
    rows: Sequence[Row] = LadderRows(made, space) if made.events else ()
    return finished(
        Content(
            title="Acknowledgements",
            scope=reading.scope,
            info=_info(made) if rows else (),
            columns=_headings(made) if rows else (),
            rows=rows,
            empty=() if rows else _empty(reading, width),
            foot=_foot(reading, width) if rows else (),
        ),
        reading.view,
    )


def declares(view: View, width: int) -> Content:
    """What each declaration says and does not say. Rows are keyed by their kind."""
    says = max(cells(each) for _, each, _ in DECLARES)
    rows = tuple(
        Row(
            kind,
            (
                columns(
                    width,
                    Cell(text(ACKNOWLEDGED[kind].symbol), 1, gap=1),
                    Cell(text(kind.removeprefix("ack."), Ink.STRONG), 10),
                    Cell(text(said), says, gap=3),
                    Cell(dim(limit), max(width - 20 - says, 0)),
                ),
            ),
        )
        for kind, said, limit in DECLARES
    )
    none = dim("none follows from another")
    return finished(Content(title="What each declares", info=none, rows=rows), view)


def shape_for(reading: Reading, events: Sequence[Heard], people: int, width: int) -> Shape:
    """The columns: what is told of an event, then as many participants as there is room for."""
    names = {each.event.sender.identity_id for each in events if each.event}
    sender = min(max((cells(reading.name(each)) for each in names), default=4), 8)
    number = max(5, max((len(each.record.receipt.received_seq) + 1 for each in events), default=5))
    kind = 15 if reading.view.layout is Layout.NARROW else 16
    inner = max(width - 3, 0)
    least = number + 2 + max(sender, 4) + 2 + kind + 2
    shown = max(min(people, (inner - least) // LEAST), 1)
    column = max(min(WIDEST, (inner - least) // shown), LEAST)
    return Shape(width, number, max(sender, 4), kind, max(inner - shown * column, 0), column, shown)


def row_of(made: Ladder, event_id: str) -> str | None:
    """The key of the row that shows an event, or what it acknowledges; else of the last row."""
    keys = {heard.key for heard in made.events}
    heard = made.reading.snapshot.by_id.get(event_id)
    event = heard.event if heard else None
    for each in (event_id, *(cited(event.body) if event is not None and is_ack(event.kind) else ())):
        if each in keys:
            return each
    return made.events[-1].key if made.events else None


def _unsent(snapshot: Snapshot) -> dict[str, list[int]]:
    """By event, the places of my acknowledgements of it that have no receipt."""
    waiting: dict[str, list[int]] = {}
    for place, each in enumerate(snapshot.unsent):
        if is_ack(each.event.kind) and each.event.event_id not in snapshot.by_id:
            for target in cited(each.event.body):
                waiting.setdefault(target, []).append(place)
    return waiting


def _in_scope(snapshot: Snapshot, view: View, unsent: Mapping[str, object]) -> tuple[list[Heard], set[str]]:
    """The events to list, and whoever speaks in scope."""
    every: Iterable[Heard] = found(view.filter, snapshot).heard if view.filter else snapshot.events
    declared, events, senders = facts(snapshot).declared, list[Heard](), set[str]()
    for heard in every:
        event = heard.record.event
        if not isinstance(event, Event) or view.thread_id not in (None, event.thread_id):
            continue
        senders.add(event.sender.identity_id)
        asked = event.kind in ASKING or event.event_id in declared or event.event_id in unsent
        if asked and not is_ack(event.kind):
            events.append(heard)
    return events, senders


def _people(reading: Reading, events: Sequence[Heard], senders: Set[str]) -> Iterator[str]:
    """Me first, then by name whoever speaks in scope or declared something about what is listed."""
    snapshot, declared = reading.snapshot, facts(reading.snapshot).declared
    people = senders | {each.identity_id for heard in events for each in declared.get(heard.key, ())}
    if reading.view.thread_id is None and not reading.view.filter:
        people |= set(snapshot.identities)
    me = snapshot.me.identity_id if snapshot.me else None
    if me is not None:
        yield me
    yield from sorted(people - {me}, key=lambda each: (reading.name(each).casefold(), each))


def _headings(made: Ladder) -> Line:
    shape, me = made.shape, made.reading.snapshot.me
    mine = me.identity_id if me else None
    line = columns(
        shape.width,
        Cell(dim("event"), shape.number),
        Cell(dim("from"), shape.sender),
        Cell(dim("kind"), shape.left - shape.number - shape.sender - 4, gap=0),
        *(
            Cell(joined((text(made.reading.name(each), Ink.STRONG), dim("me") if each == mine else ()), 1), shape.room)
            for each in made.people
        ),
    )
    others = START + shape.left + (shape.column if mine in made.people else 0)
    line = _put(line, others - GAP, Glyph.BEFORE) if made.before else line
    return _put(line, shape.width - 1, Glyph.AFTER) if made.after else line


def _put(line: Line, at: int, glyph: Glyph) -> Line:
    """The line with a glyph in place of the blank in a cell."""
    start = 0
    for place, span in enumerate(line):
        within, start = at - start, start + cells(span.text)
        if start > at and span.text[within:].startswith(" ") and span.text.isascii():
            parts = (span._replace(text=span.text[:within]), Span(glyph.symbol, Ink.DIM))
            return (*line[:place], *parts, span._replace(text=span.text[within + 1 :]), *line[place + 1 :])
        if start > at:
            break
    return line


def _info(made: Ladder) -> Line:
    silence = "a dash is silence, not refusal"
    match made.reading.view.layout:
        case Layout.WIDE:
            said = f"strongest declaration by each, as received · {silence}"
        case Layout.MEDIUM:
            said = silence
        case Layout.NARROW:
            said = "a dash is silence"
    hidden = made.before + made.after
    more = text(f"{hidden} more ") if hidden else ()
    keys = (*made.reading.key("ladder.left"), *dim(" "), *made.reading.key("ladder.right")) if hidden else ()
    return joined(((*more, *keys), dim(said)), 3)


def _foot(reading: Reading, width: int) -> tuple[Line, ...]:
    """What a dash may be beside silence, and what is not listed."""
    snapshot, said = reading.snapshot, []
    if snapshot.link.state in CUT_OFF:
        said.append("Cut off from the service: more may have been declared since.")
    if not snapshot.history.complete:
        through = clean(snapshot.history.through or "0")
        said.append(f"The history is read to #{through} only: a dash may be what is not read yet.")
    if snapshot.history.earlier:
        said.append(f"{snapshot.history.earlier:,} events lie further back; they are kept here and not listed.")
    lines = tuple(line for each in said for line in paragraph(width, each))
    return (*lines, *history_foot(reading, width))


def _empty(reading: Reading, width: int) -> tuple[Line, ...]:
    if reading.snapshot.history.complete:
        bounds = f"in {reading.scope}. No intent, offer or handoff is there either."
        return absence.none(reading, width, "Nothing was acknowledged yet", bounds)
    if reading.snapshot.link.state in CUT_OFF:
        return absence.unavailable(reading, width)
    return absence.loading(reading, width)
