"""The file the history lies in: whose it is, its tables, its index of words, and one connection to it.

A file that is none of ours, or of another version, is left as it is. One that can only be read is read. Where SQLite
cannot search, the index waits until one opens the file that can.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from corr_tui.state.kept import COLUMNS, Damaged, Kept, recalled
from corr_tui.state.local_database import BUSY_TIMEOUT, as_text
from corr_tui.state.wanted import indexed

APPLICATION = 0x636F7272
"""SQLite's mark of whose file it is: `corr`."""
VERSION = 1
_SCHEMA = f"""
CREATE TABLE stream (
    id INTEGER PRIMARY KEY,
    place TEXT NOT NULL,
    project_id TEXT NOT NULL,
    repository_id TEXT NOT NULL,
    begun_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    closed_at TEXT
);
CREATE UNIQUE INDEX stream_open ON stream (place, project_id, repository_id) WHERE closed_at IS NULL;
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES stream,
    cursor TEXT NOT NULL,
    event_id TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    raw BLOB NOT NULL,
    received_at TEXT NOT NULL,
    missing_parents TEXT NOT NULL,
    lineage_status TEXT NOT NULL,
    verdict TEXT NOT NULL,
    detail TEXT NOT NULL,
    genuine INTEGER NOT NULL,
    proved_under BLOB,
    indexed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (stream_id, cursor)
);
CREATE INDEX event_named ON event (event_id, stream_id);
CREATE INDEX event_by ON event (stream_id, identity_id, cursor);
CREATE INDEX event_unindexed ON event (id) WHERE NOT indexed;
CREATE TABLE listing (
    stream_id INTEGER NOT NULL REFERENCES stream,
    identity_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (stream_id, identity_id)
) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""
_WORDS = "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(said, paths, thread, kind, sender, content='')"
_TOLD = """
CREATE TABLE IF NOT EXISTS stream_told (
    stream_id INTEGER PRIMARY KEY REFERENCES stream,
    whole TEXT NOT NULL DEFAULT '',
    seen INTEGER NOT NULL DEFAULT 0
)
"""
"""Beside a stream: the cursor after which the service had nothing when it was last read, and the number of the stream
before it that somebody was told of."""
_INDEXED_AT_ONCE = 1_000


class HistoryUnusable(Exception):
    """The history cannot be kept, or read, on this disk; the text says why."""


class HistoryBroken(HistoryUnusable):
    """The file is damaged: what was kept in it cannot be read back, now or later."""


class HistoryFile:
    """One connection, for one piece of work at a time, on any thread. What goes wrong is HistoryUnusable."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._turn = Lock()
        self._connection: sqlite3.Connection | None = None
        self.searchable = True
        """Whether this SQLite can search."""
        self.unwritable = ""
        """Why the file can only be read, or empty."""
        self._is: tuple[int, int] | None = None
        """Which file was opened, by device and number."""

    def open(self) -> None:
        """Open the file, making it when there is none; what can only be read is opened for reading."""
        with self._alone():
            try:
                self._connection = self._writable()
            except (sqlite3.OperationalError, OSError) as error:
                if not self.path.exists():
                    raise
                self.unwritable = str(error)
                self._connection = self._readable()
            self._is = _which(self.path)

    @property
    def is_gone(self) -> bool:
        """Whether the file that was opened was taken away, or another is in its place: what is written is lost."""
        return self._connection is not None and self._is != _which(self.path)

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, to oneself."""
        with self._alone():
            if self._connection is None:
                raise HistoryUnusable("the history on this disk is closed")
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction."""
        with self.reading() as connection:
            if self.unwritable:
                raise HistoryUnusable(f"{self.path} cannot be written: {self.unwritable}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # a full disk, for one, has ended it already
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The file to oneself; what goes wrong with it becomes HistoryUnusable."""
        with self._turn:
            try:
                yield
            except (sqlite3.Error, OSError, UnicodeError) as error:  # the words of an error may be damaged themselves
                refusal = HistoryBroken if _is_damage(error) else HistoryUnusable
                raise refusal(f"the history cannot be kept in {self.path}: {error}") from None

    def index(self, connection: sqlite3.Connection, rows: Sequence[tuple[int, tuple[str, ...]]]) -> None:
        """Put the words of events, by their numbers, into the index; inside a transaction."""
        if not self.searchable:
            return
        connection.executemany(
            "INSERT INTO words (rowid, said, paths, thread, kind, sender) VALUES (?, ?, ?, ?, ?, ?)",
            ((number, *words) for number, words in rows),
        )
        connection.executemany("UPDATE event SET indexed = 1 WHERE id = ?", ((number,) for number, _ in rows))

    def _writable(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = _connected(self.path)
        try:
            made = self._check_ours(connection)  # before anything is changed
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # what a cut of power takes is read again
            if not made:
                self._make(connection)
            connection.execute(_TOLD)
            self._prepare_search(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _readable(self) -> sqlite3.Connection:
        """A connection to a file on a disk that takes no writes; without a place for SQLite's own files beside it, as
        it lies there."""
        failure: sqlite3.OperationalError | None = None
        for how in ("mode=ro", "immutable=1"):
            connection = _connected(f"{self.path.absolute().as_uri()}?{how}")
            try:
                self._check_ours(connection)
                connection.execute("SELECT 1 FROM stream LIMIT 1")
                return connection
            except sqlite3.OperationalError as error:
                failure = error
                connection.close()
            except BaseException:
                connection.close()
                raise
        raise failure or sqlite3.OperationalError("the file cannot be read")

    def _make(self, connection: sqlite3.Connection) -> None:
        """Make the tables in a new file, unless another process has just done so."""
        connection.execute("BEGIN IMMEDIATE")
        if not self._check_ours(connection):
            for statement in _SCHEMA.split(";\n"):
                connection.execute(statement)
        connection.execute("COMMIT")

    def _check_ours(self, connection: sqlite3.Connection) -> bool:
        """Whether the tables are there; raises HistoryUnusable for a file that is not ours to write."""
        application, version, tables = (
            connection.execute(question).fetchone()[0]
            for question in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema")
        )
        if application == APPLICATION and version == VERSION:
            return True
        if application == APPLICATION:
            raise HistoryUnusable(f"{self.path} was written by another version of corr-tui; it is left as it is")
        if tables or application or version:
            raise HistoryUnusable(f"{self.path} is no history of corr-tui; it is left as it is")
        return False

    def _prepare_search(self, connection: sqlite3.Connection) -> None:
        """Make the index, and put into it what was kept while there was none."""
        try:
            connection.execute(_WORDS)
            connection.execute("SELECT rowid FROM words LIMIT 1")
        except sqlite3.OperationalError as error:
            if "no such module" not in str(error):
                raise
            self.searchable = False
            return
        last = 0  # a damaged index names a row again and again
        while connection.execute("SELECT 1 FROM event WHERE NOT indexed AND id > ? LIMIT 1", (last,)).fetchone():
            connection.execute("BEGIN IMMEDIATE")
            rows = connection.execute(
                f"SELECT id, {COLUMNS} FROM event WHERE NOT indexed AND id > ? ORDER BY id LIMIT {_INDEXED_AT_ONCE}",
                (last,),
            ).fetchall()
            self.index(connection, [(row[0], _words(Kept(*row[1:]))) for row in rows])
            connection.execute("COMMIT")
            last = rows[-1][0] if rows else last + _INDEXED_AT_ONCE


def _connected(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False, uri=isinstance(path, str)
    )
    connection.text_factory = as_text
    return connection


def _which(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_damage(error: Exception) -> bool:
    """Whether a file is to blame for good, and not the moment: another process, a full or a missing disk."""
    damage = isinstance(error, sqlite3.DatabaseError | UnicodeError)
    return damage and not isinstance(error, sqlite3.OperationalError)


def _words(row: Kept) -> tuple[str, ...]:
    """The words of a row for the index; none of one that is damaged."""
    try:
        return indexed(recalled(row).heard)
    except Damaged:
        return ("",) * 5
