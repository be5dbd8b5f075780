"""The events panel: one line an event, by receipt (look: events; experience: honesty 5, 8).

Receipt order is the order the service heard them in, not of causes. Events of mine without a receipt stand at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from corr_tui.protocol.event import Event
from corr_tui.state.conflicts import conflicts
from corr_tui.state.filter import doubts
from corr_tui.state.filter_rows import found
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Heard, Snapshot, Unsent, Verdict
from corr_tui.state.standing import CUT_OFF
from corr_tui.ui.glyphs import VERDICTS
from corr_tui.ui.layout import Cell, columns, dim, ends, finished, joined, paragraph, text, words
from corr_tui.ui.line import Content, Layout, Line, View
from corr_tui.ui.panels import absence, first_steps
from corr_tui.ui.panels.event_row import UNSENT_GLYPHS, Shape, thread_of, verdict_ink
from corr_tui.ui.panels.event_rows import EventRows
from corr_tui.ui.panels.filtered import none_found, scoped
from corr_tui.ui.panels.history import history_banner, history_foot
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.thread_state import state_line
from corr_tui.ui.text import cells, clean
from corr_tui.ui.waiting import counted

LEAST_WHAT = 24
"""Cells `what` has before seconds and the end of the kind go."""
NEWEST = 20_000
"""Events listed; a longer list is cut at its old end, and says so. A chosen thread reaches further back."""
LONG_NAME = 14
"""Cells of a name where `what` has room enough; 8 where it has not."""
POOR_WHAT = 16
"""Cells `what` has before the thread goes."""


def content(snapshot: Snapshot, view: View, width: int) -> Content:
    """The events of the chosen thread, or of all, and my unsent ones."""
    reading = Reading(snapshot, view)
    heard, unsent = _in_scope(reading, snapshot.events, snapshot.unsent)
    every = len(heard) + len(unsent)
    if view.filter:
        heard, unsent = _in_scope(reading, *found(view.filter, snapshot))
    if _begins(reading, every):
        return finished(
            Content("Events", reading.scope, rows=first_steps.rows(reading, width, *_nothing(reading))), view
        )
    newest = heard[-NEWEST:]
    shape = shape_for(reading, newest, unsent, width)
    rows = EventRows(reading, shape, newest, unsent)
    narrow = view.layout is Layout.NARROW
    below = _below(reading)
    order = "by receipt" if len(newest) == len(heard) else f"newest {len(newest):,} of {len(heard):,}"
    if view.filter:
        order = f"{len(heard) + len(unsent):,} of {every:,}"
    return finished(
        Content(
            title=reading.heading if narrow else "Events",
            scope=scoped(order if narrow else reading.scope, view.filter),
            info=below if narrow else dim(order),
            above=_above(reading, width),
            columns=_headings(shape),
            rows=rows,
            empty=() if rows else _empty(reading, every, width),
            foot=(
                *(() if narrow else (ends(width, _legend(heard, unsent), below),)),
                *_doubtful(reading, width),
                *history_foot(reading, width),
            ),
            banner=history_banner(reading, width),
        ),
        view,
    )


def _begins(reading: Reading, every: int) -> bool:
    """Whether nobody said anything yet, so that what may be done first stands here."""
    snapshot, view = reading.snapshot, reading.view
    nothing = not every and not snapshot.events and view.filter is None and view.thread_id is None
    return nothing and snapshot.history.complete and bool(first_steps.steps(snapshot))


def _in_scope(
    reading: Reading, heard: Sequence[Heard], unsent: Iterable[Unsent]
) -> tuple[Sequence[Heard], list[Unsent]]:
    """The events of the chosen thread, or of all, and of my unsent ones those without a receipt."""
    chosen, by_id = reading.view.thread_id, reading.snapshot.by_id
    if chosen is not None:
        heard = [each for each in heard if thread_of(each) == chosen]
    waiting = [each for each in unsent if each.event.event_id not in by_id and reading.in_scope(each.event.thread_id)]
    return heard, waiting


def _doubtful(reading: Reading, width: int) -> tuple[Line, ...]:
    """What the filter rests on that is not wholly known."""
    if not reading.view.filter:
        return ()
    return tuple(
        line for each in doubts(reading.view.filter, reading.snapshot) for line in paragraph(width, clean(each))
    )


def _above(reading: Reading, width: int) -> Line:
    """How the chosen thread stands, and who said so; nothing where all threads are shown."""
    thread = facts(reading.snapshot).threads.get(reading.view.thread_id or "")
    if thread is None:
        return ()
    disputed = [each.kind for each in conflicts(reading.snapshot) if thread.thread_id in each.threads]
    return words(width, state_line(reading, thread, disputed))


def shape_for(reading: Reading, heard: Sequence[Heard], unsent: Sequence[Unsent], width: int) -> Shape:
    """The columns for a width: first the seconds go, then the end of the kind, then `what` narrows, then the thread."""
    every = [event for each in heard if isinstance(event := each.record.event, Event)]
    every += (each.event for each in unsent)
    senders = {4, *(cells(reading.name(each)) for each in {event.sender.identity_id for event in every})}
    threads = {0, *(cells(clean(each)) for each in {event.thread_id for event in every})}
    events = reading.snapshot.events
    number = max(5, len(str(events[-1].record.seq)) + 1 if events else 5)
    whole, sender = min(max(*senders, 5), LONG_NAME), min(max(*senders, 5), 8)
    thread = 0 if reading.view.thread_id is not None else min(max(*threads, 7), 14)
    narrow = reading.view.layout is Layout.NARROW
    steps = [(8, 16, thread), (5, 16, thread), (5, 15, thread)][2 if narrow else 0 :]
    shape = Shape(width, number, 8, sender, 16, 0, thread)
    for received, kind, column in steps:
        for name in (whole, sender):
            shape = _sized(width, number, received, name, kind, column)
            if shape.what >= LEAST_WHAT:
                return shape
    return shape if shape.what >= POOR_WHAT else _sized(width, number, 5, sender, 15, 0)


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


def _legend(heard: Iterable[Heard], unsent: list[Unsent]) -> Line:
    """Each verdict that occurs, its word and how often; then where those of mine without a receipt stand."""
    counts = Counter(each.verdict for each in heard)
    parts: list[Line] = []
    for verdict in Verdict:
        if counts[verdict] or verdict is Verdict.VERIFIED:
            glyph = text(f"{VERDICTS[verdict].symbol} ", verdict_ink(verdict))
            parts.append((*glyph, *dim(f"{verdict} {counts[verdict]}")))
    parts += (dim(f"{UNSENT_GLYPHS[state].symbol} {state} {count}") for state, count in counted(unsent))
    return joined(parts, 3)


def _below(reading: Reading) -> Line:
    count = reading.view.new_below
    return (*text(f"{count} new below "), *reading.key("move.last")) if count else ()


def _nothing(reading: Reading) -> tuple[str, str]:
    """A sentence and its bounds: the cursor is the project's, so what other repositories have is told apart."""
    snapshot = reading.snapshot
    voice = snapshot.projection.voice
    cursor = clean(voice.cursor) if voice and voice.cursor and not voice.recent_events else ""
    sentence, bounds = "No events yet", f"in {reading.scope}."
    if not snapshot.events and cursor.strip("0"):
        sentence = f"No events in {clean(snapshot.repository_id)}"
        bounds = f"The project has events in other repositories: its cursor is #{cursor}."
    return sentence, bounds


def _empty(reading: Reading, every: int, width: int) -> tuple[Line, ...]:
    """In place of rows: none so far, none that a filter finds, not to be had, or still reading."""
    if reading.view.filter and every:
        return none_found(reading, width, f"in {every:,} events at hand, {reading.scope}.")
    if reading.snapshot.history.complete:
        return absence.none(reading, width, *_nothing(reading))
    if reading.snapshot.link.state in CUT_OFF:
        return absence.unavailable(reading, width)
    return absence.loading(reading, width)
