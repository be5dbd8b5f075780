"""The replay by cursor, and what makes it unbelievable (§4, §7).

Cursors are compared as integers. A page must ascend, must lie after its cursor, and must advance when it says that
there is more. Whether the stream is still the one that was read before is checked by reading its last event again:
another database behind the same address would otherwise be mixed into this history.
"""

from __future__ import annotations

from corr_tui.protocol.records import EventsPage, Record


class HistoryRefused(Exception):
    """A page that breaks the rules of the replay; the text says which."""


class HistoryReset(Exception):
    """The stream no longer holds what was read from it: it is another one."""


class Replay:
    """How far one stream was read. `doubted` makes the next page begin with the last event known."""

    def __init__(self) -> None:
        self._through: Record | None = None
        self.doubted = False

    @property
    def through(self) -> str | None:
        """The cursor of the last event read, or None."""
        return self._through.receipt.received_seq if self._through else None

    def has(self, cursor: str | None) -> bool:
        """Whether everything up to a cursor was read; False for what is no cursor."""
        if self._through is None or cursor is None or not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 64):
            return False
        return int(cursor) <= self._through.seq

    def after(self) -> str | None:
        """The exclusive cursor to ask for next."""
        if self._through is None:
            return None
        if not self.doubted:
            return self.through
        return str(self._through.seq - 1) if self._through.seq > 1 else None

    def take(self, page: EventsPage) -> tuple[Record, ...]:
        """The new records of the page that was asked for with `after`.

        Raises HistoryRefused for a page against the rules and HistoryReset for another stream; neither moves the
        cursor.
        """
        records = page.events
        before = int(self.after() or 0)
        for record in records:
            if record.seq <= before:
                raise HistoryRefused("a page of events does not ascend from its cursor")
            before = record.seq
        if page.page.has_more and not records:
            raise HistoryRefused("a page says there is more and does not advance")
        if records and page.page.next_after != records[-1].receipt.received_seq:
            raise HistoryRefused("a page names a cursor that is not its last event's")
        if self.doubted and self._through is not None:
            records = self._beyond_known(self._through, records)
        self.doubted = False
        if records:
            self._through = records[-1]
        return records

    @staticmethod
    def _beyond_known(known: Record, records: tuple[Record, ...]) -> tuple[Record, ...]:
        """The records after the last known event, which must come first."""
        if not records or records[0].seq != known.seq or records[0].event.event_id != known.event.event_id:
            raise HistoryReset(f"event #{known.receipt.received_seq} is no longer there: this is another history")
        return records[1:]
