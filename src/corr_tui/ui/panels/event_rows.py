"""The rows of the events panel: the events in view, and what is said about the events that are not here.

    #0120   a recalled event, from before those at hand
    95,000 earlier kept here
    #4001 … #4120   read by the replay
    ◐ not read yet
    #4763 … #4812   told by the service's voice meanwhile
    unsent…

Only rows in view are laid out, so that a list of thousands costs no more than a screen of it. Notes have keys of
their own and never take the place of an event: whatever comes is placed above or below the cursor's row.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from corr_tui.state.snapshot import Heard, Unsent
from corr_tui.ui import times
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import dim, ends, joined, text
from corr_tui.ui.line import LazyRows, Line, Row
from corr_tui.ui.panels.event_row import Shape, event_row, thread_of, unsent_row
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import clean

EARLIER = "earlier events"
GAP = "events not read yet"
"""Keys of the two notes; no event id looks like them."""


class Note:
    """What stands in the list where events are missing."""

    __slots__ = ("key", "line")

    def __init__(self, key: str, line: Line) -> None:
        self.key = key
        self.line = line


class EventRows(LazyRows):
    """Events, notes and unsent events, each laid out when it is looked at."""

    def __init__(self, reading: Reading, shape: Shape, heard: Sequence[Heard], unsent: Sequence[Unsent]) -> None:
        self._reading, self._shape = reading, shape
        self._entries: list[Heard | Unsent | Note] = [*_with_notes(reading, shape, heard), *unsent]
        self.keys = tuple(map(_key, self._entries))
        me = reading.snapshot.me
        self._me = me.identity_id if me else None

    def row(self, place: int) -> Row:
        """One event, one unsent, or a note."""
        entry = self._entries[place]
        if isinstance(entry, Note):
            return Row(entry.key, (entry.line,), known=True, note=True)
        if isinstance(entry, Unsent):
            return unsent_row(self._reading, self._shape, entry)
        today, zone = self._reading.today, self._reading.view.zone
        before = self._before(place)
        shown = today if before is None else times.day(before.record.receipt.received_at, zone)
        when = times.day(entry.record.receipt.received_at, zone)
        row = event_row(self._reading, self._shape, entry, when if shown not in (None, when) else None)
        return row._replace(known=True) if self.known(place) else row

    def known(self, place: int) -> bool:
        """Notes, events of mine, and what a replay only now came to, are no news."""
        entry = self._entries[place]
        if not isinstance(entry, Heard):
            return True
        mine = entry.event is not None and entry.event.sender.identity_id == self._me
        return mine or entry.record.seq <= self._reading.view.new_after

    def note(self, place: int) -> bool:
        """Whether no event stands there."""
        return isinstance(self._entries[place], Note)

    def _before(self, place: int) -> Heard | None:
        """The event above, past a note."""
        above = reversed(self._entries[max(place - 2, 0) : place])
        return next((each for each in above if isinstance(each, Heard)), None)


def _key(entry: Heard | Unsent | Note) -> str:
    if isinstance(entry, Heard):
        return entry.event_id or f"#{entry.record.receipt.received_seq}"
    return entry.key if isinstance(entry, Note) else entry.event.event_id


def _with_notes(reading: Reading, shape: Shape, heard: Sequence[Heard]) -> list[Heard | Note]:
    """The events in receipt order, recalled ones before them, and a note wherever some are missing between."""
    snapshot = reading.snapshot
    first = snapshot.events[0].record.seq if snapshot.events else None
    entries: list[Heard | Note] = [
        known
        for each in reading.view.recalled
        if (known := snapshot.by_id.get(each.key))  # another history may be here by now
        and (first is None or known.record.seq < first)
        and reading.in_scope(thread_of(known))
    ]
    if snapshot.history.earlier > 0:
        entries.append(Note(EARLIER, _earlier(reading, shape)))
    read = gap_after(reading, heard)
    if read is None:
        return [*entries, *heard]
    return [*entries, *heard[:read], Note(GAP, _gap(reading, shape, heard[read])), *heard[read:]]


def gap_after(reading: Reading, heard: Sequence[Heard]) -> int | None:
    """How many of the events the replay has read, where later ones were told before it came to them; else None."""
    history = reading.snapshot.history
    if history.complete or not heard:
        return None
    through = int(history.through or 0)
    read = bisect_right(heard, through, key=lambda each: each.record.seq)
    return read if read < len(heard) else None


def _earlier(reading: Reading, shape: Shape) -> Line:
    """`95,000 earlier kept here   Enter shows more`."""
    of = "" if reading.view.thread_id is None else ", of all threads"
    count = dim(f"{reading.snapshot.history.earlier:,} earlier kept here{of}")
    return ends(shape.width, joined((count, reading.key("open", "shows more")), 3))


def _gap(reading: Reading, shape: Shape, after: Heard) -> Line:
    """`◐ not read yet, between #3120 and #4763   S stops reading`."""
    history = reading.snapshot.history
    through, to = clean(history.through or ""), clean(after.record.receipt.received_seq)
    where = f"between #{through} and #{to}" if through.strip("0") else f"before #{to}"
    word = (*text(Glyph.PARTIAL.symbol), *dim(f" not read yet, {where}"))
    verb = "goes on reading" if history.stopped else "stops reading"
    return ends(shape.width, joined((word, reading.key("history.stop", verb)), 3))
