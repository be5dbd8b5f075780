"""Histories that were at this address before: kept on disk, told of, and looked through when somebody asks (§4).

Their events are never among those of the history that answers now. They are read as they were kept: the service that
answers now has nothing to say of them, so what is damaged there stays unread.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from corr_tui.state.history import Stream, Streams
from corr_tui.state.history_file import HistoryFile, HistoryUnusable
from corr_tui.state.kept import COLUMNS, Damaged, Kept, padded, plain, recalled
from corr_tui.state.snapshot import Apart, Heard
from corr_tui.state.trust import Judgement, Place, Trust
from corr_tui.state.wanted import Wanted

Found = tuple[tuple[Apart, tuple[Heard, ...]], ...]
"""By history, the newest first, the events found in it, newest first."""

_EARLIER = (
    "SELECT stream.id, closed_at, max(cursor), count(*) FROM stream JOIN event ON stream_id = stream.id"
    " WHERE (place, project_id, repository_id) = (SELECT place, project_id, repository_id FROM stream WHERE id = ?1)"
    " AND stream.id != ?1 AND closed_at IS NOT NULL GROUP BY stream.id ORDER BY closed_at DESC, stream.id DESC"
)
_LACKING = (
    "SELECT count(DISTINCT event_id) FROM event AS before WHERE stream_id = ? AND identity_id = ? AND NOT EXISTS"
    " (SELECT 1 FROM event AS now WHERE now.event_id = before.event_id AND now.stream_id = ?)"
)
_FOUND = (
    f"SELECT {COLUMNS} FROM event WHERE id IN (SELECT words.rowid FROM words JOIN event ON event.id = words.rowid"
    " WHERE words MATCH ? AND stream_id = ? ORDER BY words.rowid DESC LIMIT ?) ORDER BY cursor DESC"
)
_LAST = (
    "SELECT stream.id, max(cursor) FROM stream JOIN event ON stream_id = stream.id"
    " WHERE (place, project_id, repository_id) = (?, ?, ?) AND closed_at IS NULL GROUP BY stream.id"
)


class KeptApart:
    """What is kept apart beside one stream; `mine` is the identity whose events are counted."""

    def __init__(self, streams: Streams | None, trust: Trust, mine: str | None) -> None:
        self._streams = streams
        self._trust = trust
        self._mine = mine
        self._stream: Stream | None = None
        self._counted = False
        """Whether it is known what of mine is in the history before this one only."""
        self.newest: Apart | None = None
        """The history before this one, or None."""

    def begin(self, stream: Stream | None) -> None:
        """Another stream goes on, or none."""
        self._stream, self._counted, self.newest = stream, False, None

    async def look(self, *, counted: bool) -> None:
        """Learn what was here before this history; `counted` says that this one is whole, so that what of mine it lacks
        can be told. What is known already is not looked for again."""
        streams, stream = self._streams, self._stream
        if streams is None or stream is None or (counted and (self._counted or self.newest is None)):
            return
        with suppress(HistoryUnusable):  # whatever reads the history next says why
            self.newest = await asyncio.to_thread(_newest, streams, stream, self._mine if counted else None)
            self._counted = counted

    async def tell_seen(self) -> None:
        """Somebody was told of it."""
        streams, stream = self._streams, self._stream
        if streams is None or stream is None or self.newest is None or self.newest.seen:
            return
        self.newest = replace(self.newest, seen=True)
        with suppress(HistoryUnusable):  # a later run tells it again
            await asyncio.to_thread(_tell_seen, streams, stream)

    async def found(self, wanted: Wanted, most: int) -> Found:
        """The events that hold some words, at most so many of each history; raises HistoryUnusable."""
        streams, stream = self._streams, self._stream
        if streams is None or stream is None:
            return ()
        rows = await asyncio.to_thread(_found, streams, stream, wanted.expression(), most)
        return tuple((apart, tuple(filter(None, map(self._heard, kept)))) for apart, kept in rows)

    def _heard(self, row: Kept) -> Heard | None:
        """An event with its verdict as it reads now; None for one that is damaged."""
        try:
            heard, proved_under = recalled(row)
        except Damaged:
            return None
        now = self._trust.still(heard.record.event, Judgement(heard.verdict, heard.detail), proved_under)
        return Heard(heard.record, now.verdict, now.detail, heard.genuine)


def _earlier(connection: sqlite3.Connection, stream: Stream) -> list[tuple[int, Apart]]:
    """The histories at this address that were before this one and have events, the newest first."""
    rows = connection.execute(_EARLIER, (stream.id,)).fetchall()
    return [(row[0], Apart(through=plain(row[2]), count=row[3], noticed_at=row[1])) for row in rows]


def _newest(streams: Streams, stream: Stream, mine: str | None) -> Apart | None:
    with streams.file.reading() as connection:
        earlier = _earlier(connection, stream)[:1]
        if not earlier:
            return None
        (before, apart), seen, lacking = earlier[0], False, 0
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'stream_told'").fetchone():
            statement = "SELECT 1 FROM stream_told WHERE stream_id = ? AND seen = ?"
            seen = connection.execute(statement, (stream.id, before)).fetchone() is not None
        if mine is not None:
            (lacking,) = connection.execute(_LACKING, (before, mine, stream.id)).fetchone()
    return replace(apart, mine=lacking, seen=seen)


def _tell_seen(streams: Streams, stream: Stream) -> None:
    with streams.file.writing() as connection:
        for before, _ in _earlier(connection, stream)[:1]:
            connection.execute(
                "INSERT INTO stream_told (stream_id, seen) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET seen = ?2",
                (stream.id, before),
            )


def _found(streams: Streams, stream: Stream, expression: str, most: int) -> list[tuple[Apart, list[Kept]]]:
    with streams.file.reading() as connection:
        return [
            (apart, [Kept(*row) for row in connection.execute(_FOUND, (expression, before, most))])
            for before, apart in _earlier(connection, stream)
        ]


def contradicted(path: Path, place: Place, told: Mapping[str, str], *, whole: bool) -> str | None:
    """The last cursor of the history that goes on at a place, where what a service tells contradicts it; else None.

    `told` is event ids by their cursors: of the whole stream, or of any events of it. Nothing is written; a file that
    cannot be used contradicts nothing.
    """
    file = HistoryFile(path)
    if not (told or whole) or not path.exists():
        return None
    try:
        file.open()
        with file.reading() as connection:
            kept = connection.execute(_LAST, (place.service, place.project_id, place.repository_id)).fetchone()
            if kept is None:
                return None
            stream_id, last = kept
            at = last if whole else max(map(padded, told))
            if at > last:
                return None
            here = connection.execute("SELECT event_id FROM event WHERE stream_id = ? AND cursor = ?", (stream_id, at))
            same = here.fetchone() == (told.get(plain(at)),)
    except HistoryUnusable:
        return None
    finally:
        file.close()
    return None if same else plain(last)
