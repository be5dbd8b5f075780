"""The threads panel: one line a thread, what was last reported of it, and how much is new here (look: threads).

`new` counts events received beyond what was looked at in this interface; looking tells nobody (experience: honesty 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from corr_tui.state.conflicts import ConflictKind, conflicts
from corr_tui.state.facts import Thread, ThreadState
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.standing import CUT_OFF
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import END, START, Cell, columns, dim, finished, joined, text, trim, width_of
from corr_tui.ui.line import Content, Ink, LazyRows, Line, Row, Span, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.event_row import thread_of
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.thread_state import who_said
from corr_tui.ui.text import cells, clean, first_words

ALL = ""
"""The key of the row for all threads; no thread has this id."""
STATE = 7
"""Cells of the state or of what is new, at least."""
GLYPHS = {
    ThreadState.PAUSED: Glyph.PAUSED,
    ThreadState.RESTING: Glyph.RESTING,
    ThreadState.REFUSED: Glyph.DECLINED,
    ThreadState.CLOSED: Glyph.CLOSED,
}
CONFLICT_GLYPHS = {
    ConflictKind.BRANCHES: Glyph.BRANCHES,
    ConflictKind.FORK: Glyph.FORK,
    ConflictKind.MISSING: Glyph.ABSENT,
    ConflictKind.OVERLAP: Glyph.OVERLAP,
    ConflictKind.RAISED: Glyph.RAISED,
}


def content(snapshot: Snapshot, view: View, width: int) -> Content:
    """All threads heard: the newest activity first, closed threads last. A row's key is its thread id."""
    reading = Reading(snapshot, view)
    threads = sorted(facts(snapshot).threads.values(), key=lambda each: -each.last_seq)
    threads.sort(key=lambda each: each.state is ThreadState.CLOSED)
    new = _new(snapshot, view)
    disputed = _disputed(snapshot)
    count = max(snapshot.history.count, len(snapshot.events))
    every = columns(
        width,
        Cell((), 1, gap=1),
        Cell(text("all", Ink.STRONG), max(width - START - END - 4 - STATE, 3)),
        Cell(dim(f"{count:,}"), STATE, right=True),
    )
    rows = ThreadRows(Row(ALL, (every,)), threads, new, disputed, reading, width) if threads else ()
    return finished(
        Content(
            title="Threads",
            info=_info(reading, count),
            rows=rows,
            empty=() if rows else _empty(reading, width),
        ),
        view,
    )


class ThreadRows(LazyRows):
    """The row for all threads, then one a thread."""

    def __init__(
        self,
        every: Row,
        threads: Sequence[Thread],
        new: Mapping[str, int],
        disputed: Mapping[str, ConflictKind],
        reading: Reading,
        width: int,
    ) -> None:
        self.keys = (ALL, *(each.thread_id for each in threads))
        self._every, self._threads, self._new, self._disputed, self._width = every, threads, new, disputed, width
        self._reading = reading

    def row(self, place: int) -> Row:
        """The row of a thread, or the one for all."""
        if place == 0:
            return self._every
        thread = self._threads[place - 1]
        new, disputed = self._new.get(thread.thread_id, 0), self._disputed.get(thread.thread_id)
        return _row(self._width, thread, who_said(self._reading, thread), new, disputed)

    def known(self, place: int) -> bool:
        """Of threads nothing is counted as new below."""
        return True

    def note(self, place: int) -> bool:
        """There is none."""
        return False


@lru_cache(maxsize=4096)
def _row(width: int, thread: Thread, who: str, new: int, conflict: ConflictKind | None) -> Row:
    """`who` is whose report the state is, and the state."""
    glyph, word = _state(thread, new, conflict)
    inner = max(width - START - END - 3, 0)
    name = clean(thread.thread_id)
    if not new and thread.by is not None and cells(name) + 2 + cells(who) <= inner:
        word = dim(who)
    size = max(STATE, width_of(word))
    room = max(inner - size, 0)
    middle = list(joined((text(name, Ink.STRONG if new else Ink.TEXT),)))
    spare = room - cells(name) - 2
    if new and thread.by is not None:
        said = next((each for each in (who, thread.state.value) if cells(each) <= spare), "")
        middle += dim(f"  {said}") if said else ()
        spare -= cells(said) + 2 if said else 0
    if thread.words and spare >= 4:
        middle += dim(f"  {first_words(thread.words, spare)}")
    line = columns(width, Cell(glyph, 1, gap=1), Cell(trim(middle, room), room, gap=1), Cell(word, size, right=True))
    return Row(thread.thread_id, (line,))


def _state(thread: Thread, new: int, conflict: ConflictKind | None) -> tuple[Line, Line]:
    """The glyph and the word at the right: what is new, else what was reported, else a conflict, else nothing was."""
    if new:
        return (Span(Glyph.NEW.symbol, Ink.ACCENT),), text(f"{new} new")
    if thread.state is not ThreadState.OPEN:
        glyph = GLYPHS.get(thread.state)
        return (dim(glyph.symbol) if glyph else ()), dim(thread.state.value)
    if conflict is not None:
        return text(CONFLICT_GLYPHS[conflict].symbol, Ink.ATTN), text(conflict.value, Ink.ATTN)
    return (), dim(ThreadState.OPEN.value)


def _new(snapshot: Snapshot, view: View) -> Mapping[str, int]:
    """By thread, how many events came beyond what was looked at here."""
    counts: dict[str, int] = {}
    mine = snapshot.me.identity_id if snapshot.me else None
    threads, through, after = facts(snapshot).threads, view.read_through, view.new_after
    reached = {each: max(through.get(each, 0), after) for each, thread in threads.items() if thread.last_seq > after}
    pending = [seq for each, seq in reached.items() if threads[each].last_seq > seq]
    least = min(pending, default=None)
    for heard in reversed(snapshot.events):
        seq = heard.record.seq
        if least is None or seq <= least:
            break  # nothing further back is new in any thread
        thread_id = thread_of(heard)
        event = heard.event
        if seq > reached.get(thread_id, after) and not (event and event.sender.identity_id == mine):
            counts[thread_id] = counts.get(thread_id, 0) + 1
    return counts


def _info(reading: Reading, count: int) -> Line:
    """`212 events`; while not all of the history is read, `212 so far`."""
    if not reading.snapshot.history.complete and count:
        return dim(f"{count:,} so far")
    return dim(f"{count:,} events" if count != 1 else "1 event")


def _disputed(snapshot: Snapshot) -> dict[str, ConflictKind]:
    """By thread, the first kind of conflict an event of it is in."""
    found: dict[str, ConflictKind] = {}
    for conflict in conflicts(snapshot):
        for thread_id in conflict.threads:
            found.setdefault(thread_id, conflict.kind)
    return found


def _empty(reading: Reading, width: int) -> tuple[Line, ...]:
    if reading.snapshot.history.complete:
        return absence.none(reading, width, "No threads yet", "The first event opens one.")
    if reading.snapshot.link.state in CUT_OFF:
        return absence.unavailable(reading, width)
    return absence.loading(reading, width)
