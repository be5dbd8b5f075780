"""The causal graph: events by their signed parents, newest first, in the manner of `git log --graph` (look: graph).

Lines follow parents, never arrival: `lanes` lays them, `causal` says of which events, `graph_rows` draws a row.
"""

from __future__ import annotations

from corr_tui.state.snapshot import Heard, Snapshot
from corr_tui.state.standing import CUT_OFF
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import START, Cell, blank, columns, dim, finished, joined, merged, paragraph, text, words
from corr_tui.ui.line import Content, Ink, Layout, Line, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.history import history_banner, history_foot
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import cells, clean
from corr_tui.ui.views.causal import REFUTES, Causal
from corr_tui.ui.views.edges import Room, room_for
from corr_tui.ui.views.graph_rows import Absence, GraphRows, Shape
from corr_tui.ui.views.graph_rows import absence as why_absent
from corr_tui.ui.wording import listed

ROOM = {Layout.WIDE: 14, Layout.MEDIUM: 8, Layout.NARROW: 5}
"""Lanes that are drawn; what lies beyond is folded."""
LEAST_WHAT = 24
"""Cells `what` has before other columns go."""
LEGEND: tuple[Line, ...] = (
    (*text(Glyph.LIVE.symbol, Ink.STRONG), *dim(" event")),
    (*text(Glyph.ABSENT.symbol, Ink.ATTN), *dim(" parent not received here")),
    (*text(Glyph.AFTER.symbol), *dim(" goes on out of view")),
)
RULE = "lines follow signed parents, never arrival"


def content(snapshot: Snapshot, view: View, width: int, causal: Causal, above: int = 0) -> Content:
    """The graph as far as it is laid. `above` is how many events came that lie above what is in view."""
    reading = Reading(snapshot, view)
    room = room_for(causal.lanes.used, ROOM[view.layout])
    shape = shape_for(reading, causal, width - room.cells - START)
    rows = GraphRows(reading, causal, shape, room) if causal.laid else ()
    order = "by parents, newest first"
    return finished(
        Content(
            title="Causal graph",
            scope=f"{reading.scope} · {order}",
            info=_info(reading, causal, above) if rows else (),
            columns=_headings(shape, room) if rows else (),
            rows=rows,
            empty=() if rows else _empty(reading, causal, width),
            foot=(*_legend(width), *_doubtful(reading, width), *history_foot(reading, width)) if rows else (),
            banner=history_banner(reading, width),
        ),
        view,
    )


def shape_for(reading: Reading, causal: Causal, width: int) -> Shape:
    """The columns beside the lanes: as room shrinks first the id goes, then seconds, then the parents."""
    sender = min(max((cells(reading.name(each)) for each in causal.senders), default=4), 8)
    events = reading.snapshot.events
    number = max(5, len(str(events[-1].record.seq)) + 1 if events else 5)
    steps = [(8, 16, 16, 5), (8, 16, 12, 5), (8, 16, 12, 0), (5, 16, 12, 0), (5, 16, 0, 0), (5, 15, 0, 0)]
    if reading.view.layout is Layout.NARROW:
        steps = steps[-1:]
    shape = Shape(width, number, 8, sender, 16, 0, 0, 0)
    for received, kind, parents, brief in steps:
        taken = number + 2 + received + 2 + 2 + max(sender, 4) + 2 + kind + 2
        taken += (parents + 2 if parents else 0) + (brief + 2 if brief else 0)
        what = max(width - 3 - taken, 0)
        shape = Shape(width, number, received, max(sender, 4), kind, what, parents, brief)
        if what >= LEAST_WHAT:
            break
    return shape


def _headings(shape: Shape, room: Room) -> Line:
    # with minutes only, the word is wider than its column and takes the place of the verdict's missing heading
    rest = columns(
        shape.width,
        Cell(dim("event"), shape.number),
        Cell(dim("received"), 8, gap=4 if shape.seconds else 1),
        Cell(dim("from"), shape.sender),
        Cell(dim("kind"), shape.kind),
        Cell(dim("what"), shape.what),
        Cell(dim("parents"), shape.parents),
        Cell(dim("id"), shape.id, right=True),
    )
    return merged((*blank(START + room.cells), *rest))


def _info(reading: Reading, causal: Causal, above: int) -> Line:
    """`14 events · 1 parent missing`."""
    news = (*text(f"{above} new above ", Ink.ACCENT), *reading.key("move.first")) if above else ()
    count = text(f"{causal.count:,} event{'' if causal.count == 1 else 's'}")
    absent = {mark.absent: mark.key for mark in causal.lanes.marks if mark.absent}
    entries = causal.entries
    missing = sum(why_absent(reading, each, entries[key])[0] is Absence.MISSING for each, key in absent.items())
    lacks = text(f"{missing} parent{'' if missing == 1 else 's'} missing", Ink.ATTN) if missing else ()
    parts = [each for each in (news, count, lacks) if each]
    line = parts[0]
    for part in parts[1:]:
        line = (*line, *dim(" · "), *part)
    return line


def _legend(width: int) -> tuple[Line, ...]:
    parts = joined(LEGEND, 3)
    whole = joined((parts, dim(RULE)), 3)
    if sum(cells(span.text) for span in whole) + START + 1 <= width:
        return (words(width, whole),)
    return (words(width, parts),)


def _doubtful(reading: Reading, width: int) -> tuple[Line, ...]:
    """What is not drawn, as far as that is known."""
    snapshot, said = reading.snapshot, []
    if snapshot.link.state in CUT_OFF:
        said.append("Cut off from the service: more may have come since.")
    if not snapshot.history.complete:
        said.append(f"The history is read to #{clean(snapshot.history.through or '0')} only.")
    if snapshot.history.earlier:
        said.append(f"{snapshot.history.earlier:,} events and more lie further back; they are kept here and not drawn.")
    return tuple(line for each in said for line in paragraph(width, each))


def absent_details(snapshot: Snapshot, view: View, width: int, causal: Causal, key: str) -> Content:
    """What is told of a parent that is not drawn and not at hand; the key is that of its row."""
    reading = Reading(snapshot, view)
    _, child, parent = key.split(" ")
    why, where = why_absent(reading, parent, causal.entries[child])
    naming = [node for node in causal.lanes.children_of(parent) if isinstance(causal.entries[node], Heard)]
    named = f"named as a parent by {listed([reading.number(each) for each in naming])}" if naming else ""
    lines = (
        words(width, text(f"{why.glyph.symbol} {why.word}", Ink.STRONG), dim(where)),
        words(width, dim(clean(parent))),
        words(width, dim(named)),
        words(width, dim("Only its id is known here, from the bytes of who names it.")),
    )
    return finished(Content(title="Selected", scope=reading.number(parent), empty=lines), view)


def _empty(reading: Reading, causal: Causal, width: int) -> tuple[Line, ...]:
    """In place of rows: being laid, none so far, not to be had, or still reading."""
    snapshot = reading.snapshot
    if causal.count:
        return (*absence.loading(reading, width)[:-1], words(width, dim(_laying(causal))))
    if snapshot.history.complete:
        return absence.none(reading, width, "No events yet", f"in {reading.scope}.")
    if snapshot.link.state in CUT_OFF:
        return absence.unavailable(reading, width)
    return absence.loading(reading, width)


def _laying(causal: Causal) -> str:
    return f"{Glyph.PARTIAL.symbol} laying out {causal.count:,} events, {causal.lanes.count:,} done"


def row_of(causal: Causal, event_id: str) -> str | None:
    """The key of the row that shows an event."""
    return next((key for key in (event_id, f"{REFUTES}{event_id}") if key in causal.entries), None)


def newest(causal: Causal) -> int:
    """The highest receipt number among the events, or 0."""
    return next((heard.record.seq for heard in causal.after(0)), 0)
