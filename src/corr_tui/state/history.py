"""The history on disk: every event read, by service, project and repository, in streams (§4, §7).

A stream is what one service told, in the order of its cursors. When another history turns up at the same address, the
stream is closed and kept, and a new one begins, or one that was closed goes on where the service tells it again: two
histories never meet in one stream. An event is written once; what is told of it later replaces its diagnostics, and its
bytes only where those were not genuine.

Several boards share the file: each writes what it reads, and what is there already stays. A file that is none of ours,
or of a later version, is left as it is. Whatever goes wrong is HistoryUnusable, and nobody loses more than the copy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from corr_tui.state.history_file import HistoryFile
from corr_tui.state.kept import COLUMNS, DIGITS, Damaged, Kept, padded, plain, recalled
from corr_tui.state.trust import Place


class Diverged(Exception):
    """The disk holds another event at a cursor than the service tells: two histories."""


class Stream(NamedTuple):
    """One stream, and how far it is kept."""

    id: int
    events: int
    through: str | None
    """The cursor of its last event."""
    last_event_id: str
    whole: bool = False
    """Whether the service had nothing after that event when it was last read."""


_NO_CURSOR = f"(length(cursor) <> {DIGITS} OR cursor GLOB '*[^0-9]*')"
"""What is true of a cursor that was written by nobody here."""
_CLOSED = 8
"""Closed streams of which one may go on."""
_LOOKED_AT = 1_000
"""Events at the end of a stream among which one is looked for that can be read back."""

Words = tuple[str, ...]
"""The words of one event for the index, column by column."""


class Streams:
    """The streams of one place. Methods block, and may be called from any thread; all raise HistoryUnusable. They take
    and give cursors as the service writes them."""

    def __init__(self, path: Path, place: Place) -> None:
        self.file = HistoryFile(path)
        """The file they lie in."""
        self._place = place

    @property
    def searchable(self) -> bool:
        """Whether this SQLite can search."""
        return self.file.searchable

    @property
    def unwritable(self) -> str:
        """Why nothing can be written, or empty."""
        return self.file.unwritable

    @property
    def is_gone(self) -> bool:
        """Whether the file was taken away since it was opened."""
        return self.file.is_gone

    def open(self) -> Stream:
        """Open the file, and the stream that goes on here; one is begun where none is."""
        self.file.open()
        return self._open_stream()

    def close(self) -> None:
        """Let go of the file."""
        self.file.close()

    def keep(self, stream: Stream, rows: Sequence[tuple[Kept, Words]]) -> None:
        """Write a page, all or nothing: columns, and words for the index. Raises Diverged when the stream holds another
        event at one of the cursors; what it holds already stays."""
        with self.file.writing() as connection:
            before = connection.total_changes
            connection.executemany(
                f"INSERT OR IGNORE INTO event (stream_id, indexed, {COLUMNS}) VALUES (?, 0{', ?' * len(Kept._fields)})",
                ((stream.id, *row) for row, _ in rows),
            )
            if connection.total_changes - before < len(rows):
                self._check_same(connection, stream, [row for row, _ in rows])
            self.file.index(connection, self._new(connection, stream, rows))

    def renew(self, stream: Stream, rows: Iterable[Kept], listing: tuple[str, bytes] | None = None) -> None:
        """Replace what is said of events that are kept; `listing` is by which list of an identity's keys."""
        assigned = ", ".join(f"{name} = ?" for name in Kept._fields[2:])
        with self.file.writing() as connection:
            connection.executemany(
                f"UPDATE event SET {assigned} WHERE stream_id = ? AND cursor = ? AND event_id = ?",
                ((*row[2:], stream.id, row.cursor, row.event_id) for row in rows),
            )
            if listing is not None:
                connection.execute("REPLACE INTO listing VALUES (?, ?, ?)", (stream.id, *listing))

    def replace(self, stream: Stream, rows: Iterable[Kept]) -> None:
        """Put what the service tells at these cursors in place of what is damaged there."""
        with self.file.writing() as connection:
            _put(connection, stream, rows)

    def tell_whole(self, stream: Stream, cursor: str) -> None:
        """The service has nothing after a cursor now. What is left of events whose cursors were damaged has been read
        again by then, and goes."""
        with self.file.writing() as connection:
            connection.execute(f"DELETE FROM event WHERE stream_id = ? AND {_NO_CURSOR}", (stream.id,))
            connection.execute(
                "INSERT INTO stream_told (stream_id, whole) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET whole = ?2",
                (stream.id, padded(cursor)),
            )

    def closed(self) -> list[Stream]:
        """The streams that were here before, as far as they can be read back, the newest of them first."""
        place = (self._place.service, self._place.project_id, self._place.repository_id)
        find = (
            "SELECT id FROM stream WHERE (place, project_id, repository_id) = (?, ?, ?) AND closed_at IS NOT NULL"
            f" ORDER BY closed_at DESC LIMIT {_CLOSED}"
        )
        with self.file.reading() as connection:
            streams = [_stream(connection, number) for (number,) in connection.execute(find, place).fetchall()]
        return [stream for stream in streams if stream.through is not None]

    def begin_again(self, stream: Stream, other: Stream | None = None) -> Stream:
        """Close a stream that the service does not tell any more; the one that goes on in its place. That is `other`,
        which was closed before, unless another process has just begun one."""
        with self.file.writing() as connection:
            connection.execute(
                "UPDATE stream SET closed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
                " WHERE id = ? AND closed_at IS NULL",
                (stream.id,),
            )
            if other is not None:
                connection.execute("UPDATE OR IGNORE stream SET closed_at = NULL WHERE id = ?", (other.id,))
        return self._open_stream()

    def after(self, stream: Stream, cursor: str | None, most: int) -> list[Kept]:
        """The events after a cursor, in receipt order."""
        return self._rows("stream_id = ? AND cursor > ? ORDER BY cursor LIMIT ?", stream.id, padded(cursor or 0), most)

    def before(self, stream: Stream, cursor: str, most: int) -> list[Kept]:
        """The newest events before a cursor, in receipt order."""
        rows = self._rows("stream_id = ? AND cursor < ? ORDER BY cursor DESC LIMIT ?", stream.id, padded(cursor), most)
        return rows[::-1]

    def named(self, stream: Stream, event_id: str) -> list[Kept]:
        """The events that are called so: one, unless a service told two under one name."""
        return self._rows("event_id = ? AND stream_id = ? ORDER BY cursor", event_id, stream.id)

    def said_by(self, stream: Stream, identity_id: str, after: str | None, most: int) -> list[Kept]:
        """Events of one identity after a cursor, in receipt order."""
        return self._rows(
            "stream_id = ? AND identity_id = ? AND cursor > ? ORDER BY cursor LIMIT ?",
            *(stream.id, identity_id, padded(after or 0), most),
        )

    def found(self, stream: Stream, expression: str, most: int) -> list[Kept]:
        """The newest events that an FTS5 expression finds, newest first."""
        return self._rows(
            "id IN (SELECT words.rowid FROM words JOIN event ON event.id = words.rowid"
            " WHERE words MATCH ? AND stream_id = ? ORDER BY words.rowid DESC LIMIT ?) ORDER BY cursor DESC",
            *(expression, stream.id, most),
        )

    def proved(self, stream: Stream) -> list[Kept]:
        """One event of each key under which events of the stream were proved."""
        return self._rows(
            "id IN (SELECT min(id) FROM event WHERE stream_id = ? AND proved_under IS NOT NULL AND genuine"
            " GROUP BY identity_id, proved_under) ORDER BY id",
            stream.id,
        )

    def listings(self, stream: Stream) -> dict[str, bytes]:
        """By identity, the list of keys by which its events were judged."""
        with self.file.reading() as connection:
            return dict(connection.execute("SELECT identity_id, digest FROM listing WHERE stream_id = ?", (stream.id,)))

    @staticmethod
    def _new(
        connection: sqlite3.Connection, stream: Stream, rows: Sequence[tuple[Kept, Words]]
    ) -> list[tuple[int, Words]]:
        """The numbers of rows that are not in the index yet, with their words."""
        if not rows:
            return []
        words = {row.cursor: each for row, each in rows}
        found = connection.execute(
            "SELECT id, cursor FROM event WHERE stream_id = ? AND cursor BETWEEN ? AND ? AND NOT indexed",
            (stream.id, rows[0][0].cursor, rows[-1][0].cursor),
        )
        return [(number, words[cursor]) for number, cursor in found.fetchall() if cursor in words]

    @staticmethod
    def _check_same(connection: sqlite3.Connection, stream: Stream, rows: Sequence[Kept]) -> None:
        for row in rows:
            there = connection.execute(
                f"SELECT {COLUMNS} FROM event WHERE stream_id = ? AND cursor = ?", (stream.id, row.cursor)
            ).fetchone()
            if there is not None and not _is_sound(Kept(*there)):
                _put(connection, stream, [row])
            elif there is None or there[1] != row.event_id:
                raise Diverged(f"event #{plain(row.cursor)} is another on this disk")

    def _open_stream(self) -> Stream:
        """The stream of this place that is open; one is begun when none is."""
        place = (self._place.service, self._place.project_id, self._place.repository_id)
        find = "SELECT id FROM stream WHERE (place, project_id, repository_id) = (?, ?, ?) AND closed_at IS NULL"
        with self.file.reading() as connection:
            found = connection.execute(find, place).fetchone()
        if found is None:
            with self.file.writing() as connection:
                begin = "INSERT OR IGNORE INTO stream (place, project_id, repository_id) VALUES (?, ?, ?)"
                connection.execute(begin, place)
                found = connection.execute(find, place).fetchone()
        with self.file.reading() as connection:
            return _stream(connection, found[0])

    def _rows(self, where: str, *values: object) -> list[Kept]:
        with self.file.reading() as connection:
            rows = connection.execute(f"SELECT {COLUMNS} FROM event WHERE {where}", values).fetchall()
        return [Kept(*row) for row in rows]


def _is_sound(row: Kept) -> bool:
    """Whether a row can be read back."""
    try:
        recalled(row)
    except Damaged:
        return False
    return True


def _whole(connection: sqlite3.Connection, stream_id: int) -> str:
    """The padded cursor after which the service had nothing; empty where that is not known."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'stream_told'").fetchone():
        return ""  # a file that can only be read, from before this was kept
    row = connection.execute("SELECT whole FROM stream_told WHERE stream_id = ?", (stream_id,)).fetchone()
    return str(row[0]) if row else ""


def _stream(connection: sqlite3.Connection, stream_id: int) -> Stream:
    """A stream, and how far it can be read back."""
    last = _last(connection, stream_id)
    if last is None:
        return Stream(stream_id, 0, None, "")
    (count,) = connection.execute(
        "SELECT count(*) FROM event WHERE stream_id = ? AND cursor <= ?", (stream_id, last.cursor)
    ).fetchone()
    whole = _whole(connection, stream_id) == last.cursor
    return Stream(stream_id, count, plain(last.cursor), last.event_id, whole)


def _last(connection: sqlite3.Connection, stream_id: int) -> Kept | None:
    """The last event that can be read back. None where a cursor is damaged, too: the event it was of is missing at
    a place that nobody knows, and all of them are read again."""
    if connection.execute(f"SELECT 1 FROM event WHERE stream_id = ? AND {_NO_CURSOR}", (stream_id,)).fetchone():
        return None
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM event WHERE stream_id = ? ORDER BY cursor DESC LIMIT {_LOOKED_AT}", (stream_id,)
    )
    return next((row for row in (Kept(*each) for each in rows) if _is_sound(row)), None)


def _put(connection: sqlite3.Connection, stream: Stream, rows: Iterable[Kept]) -> None:
    assigned = ", ".join(f"{name} = ?" for name in Kept._fields)
    connection.executemany(
        f"UPDATE event SET {assigned} WHERE stream_id = ? AND cursor = ?",
        ((*row, stream.id, row.cursor) for row in rows),
    )
