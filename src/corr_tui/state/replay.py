"""The replay by cursor, and what makes it unbelievable (§4, §7).

Cursors are compared as integers. A page must ascend, must lie after its cursor, and must advance when it says that
there is more. Whether the stream is still the one that was read before is checked by reading its last event again:
another database behind the same address would otherwise be mixed into this history. A doubt that comes up while a page
is on its way is about the next one: that page was not asked to begin with the last event.
"""

from __future__ import annotations

from typing import NamedTuple

from corr_tui.protocol.records import EventsPage, Record


class HistoryRefused(Exception):
    """A page that breaks the rules of the replay; the text says which."""


class HistoryReset(Exception):
    """The stream no longer holds what was read from it: it is another one."""


class Known(NamedTuple):
    """The last event read: its cursor and its identifier."""

    cursor: str
    event_id: str


class Asked(NamedTuple):
    """What one page was asked for."""

    after: str | None
    """The exclusive cursor."""
    doubts: int
    """How often the stream had been doubted by then."""
    doubted: bool
    """Whether the page has to begin with the last event known."""


class Replay:
    """How far one stream was read."""

    def __init__(self, known: Known | None = None) -> None:
        """From the beginning, or on from the last event that was read before, which is doubted."""
        self._known = known
        self._doubts = 1 if known is not None else 0
        self._answered = 0
        """How many of the doubts a page has answered."""
        self.reread: Record | None = None
        """What the page taken last said anew of the event known before it."""

    @property
    def known(self) -> Known | None:
        """The last event read, or None."""
        return self._known

    def back_to(self, known: Known | None) -> None:
        """Go back: what was taken after an event was lost on the way."""
        self._known = known
        self.doubt()

    @property
    def doubted(self) -> bool:
        """Whether the next page is to begin with the last event known."""
        return self._known is not None and self._doubts > self._answered

    def doubt(self) -> None:
        """The stream may have become another since it was last asked."""
        self._doubts += 1

    @property
    def through(self) -> str | None:
        """The cursor of the last event read, or None."""
        return self._known.cursor if self._known else None

    def has(self, cursor: str | None) -> bool:
        """Whether everything up to a cursor was read; False for what is no cursor."""
        if self._known is None or cursor is None or not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 64):
            return False
        return int(cursor) <= int(self._known.cursor)

    def ask(self) -> Asked:
        """What to ask for next."""
        if self._known is None or not self.doubted:
            return Asked(self.through, self._doubts, doubted=False)
        before = int(self._known.cursor) - 1
        return Asked(str(before) if before else None, self._doubts, doubted=True)

    def take(self, page: EventsPage, asked: Asked) -> tuple[Record, ...]:
        """The new records of the page that was asked for so.

        Raises HistoryRefused for a page against the rules and HistoryReset for another stream; neither moves the
        cursor.
        """
        records = page.events
        before = int(asked.after or 0)
        for record in records:
            if record.seq <= before:
                raise HistoryRefused("a page of events does not ascend from its cursor")
            before = record.seq
        if page.page.has_more and not records:
            raise HistoryRefused("a page says there is more and does not advance")
        if records and page.page.next_after != records[-1].receipt.received_seq:
            raise HistoryRefused("a page names a cursor that is not its last event's")
        self.reread = None
        if asked.doubted and self._known is not None:
            if not records or _known(records[0]) != self._known:
                raise HistoryReset(f"event #{self._known.cursor} is no longer there: this is another history")
            self.reread, records = records[0], records[1:]
        if asked.doubted:
            self._answered = asked.doubts
        if records:
            self._known = _known(records[-1])
        return records


def _known(record: Record) -> Known:
    return Known(record.receipt.received_seq, record.event.event_id)
