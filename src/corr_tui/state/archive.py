"""What a session keeps of its history on disk, and reads back, off the event loop.

The disk may refuse at any time. What could not be written waits in memory, and is written first as soon as the disk
takes it; `trouble` says why it waits. A file that cannot be used at the start is left alone until the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from corr_tui.protocol.event import Event
from corr_tui.state.history import Stream, Streams, Words
from corr_tui.state.history_file import HistoryBroken, HistoryUnusable
from corr_tui.state.kept import Damaged, Kept, Recalled, kept, recalled
from corr_tui.state.kept_apart import KeptApart
from corr_tui.state.replay import Known
from corr_tui.state.snapshot import Heard
from corr_tui.state.trust import Judgement, Trust
from corr_tui.state.wanted import Wanted, indexed

WRITTEN_AT_ONCE = 1_000
"""Events a transaction, where many have waited."""
TAKEN_AT_ONCE = 100
"""Events read back whose verdicts are looked at before whatever else waits has its turn."""

GONE = "its file was taken away while this runs; it is kept again when corr-tui is started anew"
"""Said where another file, or none, is where the history was."""

Row = tuple[Kept, Words]
Tells = Callable[[Known], Awaitable[bool]]
"""Whether the service tells this event at this cursor now; raises ClientError."""
Mend = Callable[[str], Awaitable[tuple[Heard, ...]]]
"""Reads a page of events that begins at a cursor from the service again; empty where that cannot be done now."""


class Archive:
    """The stream of this session on disk. What a disk does is in `trouble`, and raised only where that is said."""

    def __init__(self, path: Path | None, trust: Trust, mend: Mend, mine: str | None = None) -> None:
        """Without a path nothing is kept; `mine` is the identity whose events are missed in another history."""
        self._streams = Streams(path, trust.place) if path is not None else None
        self._stream: Stream | None = None
        self._trust = trust
        self._mend = mend
        self._waiting: list[Heard] = []
        self.apart = KeptApart(self._streams, trust, mine)
        """The histories that were at this address before."""
        self.listings: dict[str, bytes] = {}
        """By identity, the list of keys by which its events were judged."""
        self.unsure: set[str] = set()
        """Identities whose events read back are worth something else than when they were kept."""
        self.left_out: set[str] = set()
        """Cursors of events that are damaged on disk and could not be mended yet."""
        self.through = 0
        """The cursor up to which the history is on disk, as a number."""
        self.trouble = ""
        """Why not all of it is, or empty."""
        self._broken = False
        self._read_anew = False
        """Whether all of the stream is being read from the service, whatever is on disk of it."""
        self._whole = 0
        """The cursor after which the service is known on disk to have had nothing, as a number."""

    @property
    def searchable(self) -> bool:
        """Whether what is on disk can be searched."""
        return self._streams is None or self._streams.searchable

    async def open(self) -> Stream | None:
        """The stream that goes on; None where nothing is kept."""
        if self._streams is None:
            return None
        return await self._begin(self._streams.open)

    async def begin_again(self, other: Stream | None) -> Stream | None:
        """Part with a stream that the service does not tell any more; the one that goes on in its place: `other`, which
        was here before, or a new one."""
        before, streams, self._waiting = self._stream, self._streams, []
        if before is None or streams is None:
            return None
        return await self._begin(lambda: streams.begin_again(before, other))

    async def told_again(self, tells: Tells) -> Stream | None:
        """A stream that was here before and whose last event is told now; None where there is none."""
        if self._stream is None or self._streams is None:
            return None
        try:
            closed = await asyncio.to_thread(self._streams.closed)
        except HistoryUnusable:
            return None  # whatever reads next says so
        for each in closed:
            last = known(each)
            if last is not None and await tells(last):
                return each
        return None

    async def _begin(self, begin: Callable[[], Stream]) -> Stream | None:
        self.apart.begin(None)
        self._stream, self.listings, self.left_out, self.through, self._broken = None, {}, set(), 0, False
        assert self._streams is not None
        try:
            stream = await asyncio.to_thread(begin)
            self.listings = await asyncio.to_thread(self._streams.listings, stream)
            if self._trust.lacking and stream.through is not None:
                self._trust.lacking = False
                self._trust.recover(await asyncio.to_thread(_proved_events, self._streams, stream))
        except HistoryUnusable as unusable:
            self.trouble = str(unusable)
            return None
        self._stream, self.through, self.trouble = stream, int(stream.through or 0), self._streams.unwritable
        self.apart.begin(stream)
        self._whole, self._read_anew = self.through if stream.whole else 0, stream.through is None
        return stream

    async def close(self) -> None:
        """Let go of the file."""
        self._stream = None
        if self._streams is not None:
            await asyncio.to_thread(self._streams.close)

    @property
    def broken(self) -> bool:
        """Whether what is on disk cannot be read back, now or later: it is damaged, or was taken away."""
        return self._broken or (self._stream is not None and self._streams is not None and self._streams.is_gone)

    def give_up(self) -> None:
        """Keep nothing, and read nothing back: the file is broken. It is left as it is."""
        if self._streams is not None and self._streams.is_gone:
            self.trouble = GONE
        self.trouble = self.trouble or "what is kept there cannot be read back"
        self._stream, self._waiting, self.through, self._broken = None, [], 0, False
        self.listings, self.left_out = {}, set()

    async def keep(self, events: Sequence[Heard]) -> None:
        """Write events that follow those written before; raises Diverged where the disk holds another history."""
        stream, streams = self._stream, self._streams
        if stream is None or streams is None:
            return
        if streams.unwritable:
            return
        waiting = self._waiting = [*self._waiting, *events]
        try:
            while page := waiting[:WRITTEN_AT_ONCE]:
                rows = await asyncio.to_thread(_rows, self._proved(page))
                await asyncio.to_thread(streams.keep, stream, rows)
                self.through = page[-1].record.seq
                del waiting[: len(page)]
            self.trouble = ""
        except HistoryUnusable as unusable:
            self._broken, self.trouble = isinstance(unusable, HistoryBroken), str(unusable)

    async def tell_whole(self, through: str | None) -> None:
        """Write that the service has nothing after a cursor now, if everything up to there is on disk."""
        stream, streams, cursor = self._stream, self._streams, int(through or 0)
        if stream is None or streams is None or streams.unwritable or cursor in (0, self._whole):
            return
        if cursor != self.through:
            return
        try:
            await asyncio.to_thread(streams.tell_whole, stream, str(cursor))
            self._whole, self._read_anew = cursor, False
        except HistoryUnusable as unusable:
            self.trouble = str(unusable)

    async def renew(self, events: Sequence[Heard], listing: tuple[str, bytes] | None = None) -> None:
        """Write the newest word on events that are on disk, and by which list of keys they were judged."""
        stream, streams = self._stream, self._streams
        if listing is not None:
            self.listings[listing[0]] = listing[1]
        if stream is None or streams is None or not (events or listing):
            return
        try:
            rows = [row for row, _ in await asyncio.to_thread(_rows, self._proved(events))]
            await asyncio.to_thread(streams.renew, stream, rows, listing)
        except HistoryUnusable as unusable:
            self.trouble = str(unusable)

    async def after(self, cursor: str | None, most: int) -> tuple[Heard, ...]:
        """The events after a cursor, in receipt order, none of them left out: raises Damaged, and HistoryUnusable."""
        stream, streams = self._stream, self._streams
        if stream is None or streams is None:
            return ()
        try:
            rows = await asyncio.to_thread(streams.after, stream, cursor, most)
        except HistoryBroken as broken:
            self._broken, self.trouble = True, str(broken)
            raise
        return await self._taken(rows, whole=True)

    async def before(self, cursor: str, most: int) -> tuple[Heard, ...]:
        """The newest events before a cursor, in receipt order."""
        return await self._read(lambda streams, stream: streams.before(stream, cursor, most))

    async def named(self, event_id: str) -> Heard | None:
        """The event that is called so; bytes that are its own where there are others."""
        told = await self._read(lambda streams, stream: streams.named(stream, event_id))
        found: Heard | None = None
        for heard in told:
            found = found.retold(heard) if found else heard
        return found

    async def said_by(self, identity_id: str, after: str | None, most: int) -> tuple[Heard, ...]:
        """Events of one identity after a cursor, in receipt order."""
        return await self._read(lambda streams, stream: streams.said_by(stream, identity_id, after, most))

    async def found(self, wanted: Wanted, most: int) -> tuple[Heard, ...]:
        """The newest events on disk that hold the words, newest first; raises HistoryUnusable."""
        stream, streams = self._stream, self._streams
        if stream is None or streams is None:
            return ()
        return await self._taken(await asyncio.to_thread(streams.found, stream, wanted.expression(), most))

    def _proved(self, events: Iterable[Heard]) -> list[tuple[Heard, bytes | None]]:
        return [(heard, self._trust.proved_under(heard.record.event)) for heard in events]

    async def _read(self, ask: Callable[[Streams, Stream], list[Kept]]) -> tuple[Heard, ...]:
        stream, streams = self._stream, self._streams
        if stream is None or streams is None:
            return ()
        try:
            return await self._taken(await asyncio.to_thread(ask, streams, stream))
        except HistoryUnusable as unusable:
            self._broken, self.trouble = isinstance(unusable, HistoryBroken), str(unusable)
            return ()

    async def _taken(self, rows: list[Kept], *, whole: bool = False) -> tuple[Heard, ...]:
        """The events of rows, as they read now. Those that are damaged are mended; one that cannot be is left out, or
        raised where nothing may be."""
        events: list[Heard] = []
        mended: dict[str, Heard] = {}
        for number, each in enumerate(await asyncio.to_thread(_recalled, rows)):
            if isinstance(each, Damaged):
                if not each.cursor and self._read_anew:
                    continue
                self._broken = self._broken or not each.cursor
                if each.cursor and each.cursor not in mended:
                    mended |= await self._mended(each.cursor)
                if each.cursor in mended:
                    events.append(mended[each.cursor])
                    continue
                self.left_out.add(each.cursor)
                if whole:
                    raise each
            else:
                events.append(self._as_now(each, vouched=not whole))
            if number % TAKEN_AT_ONCE == TAKEN_AT_ONCE - 1:
                await asyncio.sleep(0)
        return tuple(events)

    async def _mended(self, cursor: str) -> dict[str, Heard]:
        """Events from a damaged one on as the service tells them, by their cursors; they are on disk again."""
        told = await self._mend(cursor)
        stream, streams = self._stream, self._streams
        if told and stream is not None and streams is not None and not streams.unwritable:
            await asyncio.to_thread(streams.replace, stream, [kept(each, proof) for each, proof in self._proved(told)])
        mended = {each.record.receipt.received_seq: each for each in told}
        self.left_out -= mended.keys()
        return mended

    def _as_now(self, read: Recalled, *, vouched: bool) -> Heard:
        """An event read back, with its verdict as it reads in this session. It is vouched for where it may be judged
        again soon; a whole history would only push out what is remembered."""
        heard, event = read.heard, read.heard.event
        if event is None:
            return heard
        if heard.genuine and vouched:
            self._trust.vouch(event, read.proved_under)
        before = Judgement(heard.verdict, heard.detail)
        now = self._trust.still(event, before, read.proved_under)
        if now == before:
            return heard
        if now.verdict.holds is not before.verdict.holds:
            self.unsure.add(event.sender.identity_id)
        return Heard(heard.record, now.verdict, now.detail, heard.genuine)


def known(stream: Stream) -> Known | None:
    """The last event of a stream, where a replay goes on."""
    return Known(stream.through, stream.last_event_id) if stream.through is not None else None


def _rows(proved: Iterable[tuple[Heard, bytes | None]]) -> list[Row]:
    return [(kept(heard, proof), indexed(heard)) for heard, proof in proved]


def _recalled(rows: list[Kept]) -> list[Recalled | Damaged]:
    return [_one(row) for row in rows]


def _one(row: Kept) -> Recalled | Damaged:
    try:
        return recalled(row)
    except Damaged as damaged:
        return damaged


def _proved_events(streams: Streams, stream: Stream) -> list[tuple[Event, bytes]]:
    """Events of a stream, each with the key under which it was proved; those that are damaged are left out."""
    read = [each for each in _recalled(streams.proved(stream)) if isinstance(each, Recalled)]
    return [
        (each.heard.event, each.proved_under)
        for each in read
        if each.heard.event is not None and each.proved_under is not None and each.heard.genuine
    ]
