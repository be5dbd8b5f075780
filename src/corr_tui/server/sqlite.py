"""SQLite: one file that threads and processes of one machine share.

The rule: a writer holds the write turn of the whole file from its first statement (`BEGIN IMMEDIATE`; a deferred one
loses concurrent appends), readers see the write-ahead log as it was when they began, and a commit is flushed before it
is answered (`synchronous=FULL`). Commits of others are noticed by asking.

A connection stays with the file it opened, whatever becomes of the file's name. So each transaction first asks whether
the name still stands for that file, and each writer asks again once it has committed: an event is acknowledged only
where the next process will find it. A name that stands for no file is opened by nobody, and never created again.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from corr_tui.server.dialect import DatabaseRefused, StorageUnavailable, failure

BUSY_SECONDS = 5.0
"""How long a writer waits for another process's transaction on the same file."""

CACHE_KIBIBYTES = 8192
"""How much of the file a connection keeps: the part of the indexes that one page of events looks into, and more."""

_WRITING = "corr_writing"
_FILE = "corr_file"


class DatabaseFileMoved(sqlite3.OperationalError):
    """The name of the database stands for no file, or for another one than a connection has open."""


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The file that a connection has open, and the name it was opened by."""

    path: Path
    identity: tuple[int, int]
    """Device and inode: no other file has them while this one is open."""

    @classmethod
    def at(cls, path: Path) -> OpenedFile:
        """The file that a name stands for now; raises DatabaseFileMoved."""
        try:
            found = path.stat()
        except OSError:
            raise DatabaseFileMoved("the database file is not there") from None
        return cls(path, (found.st_dev, found.st_ino))

    def check(self) -> None:
        """Raise DatabaseFileMoved unless the name stands for this file still."""
        if self.at(self.path) != self:
            raise DatabaseFileMoved("the database file is another one")


class FileWatch:
    """Notices commits to the file by asking for its version; which project they are of is not told."""

    def __init__(self, engine: Engine) -> None:
        self._connection = engine.raw_connection()
        self._version = self._read()

    def changed(self, project_ids: Collection[str]) -> Collection[str]:
        """All of the projects when somebody committed since the last call; raises StorageUnavailable."""
        before, self._version = self._version, self._read()
        return project_ids if before != self._version else ()

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def _read(self) -> int:
        try:
            self._connection.info[_FILE].check()
            cursor = self._connection.cursor()
            cursor.execute("PRAGMA data_version")
            row = cursor.fetchone()
            cursor.close()
        except sqlite3.Error as error:
            raise StorageUnavailable(failure(error)) from None
        return int(row[0]) if row else 0


class Sqlite:
    """The dialect of `sqlite:///relative.db` and `sqlite:////absolute.db`."""

    clock = text("SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now')")
    errors: tuple[type[Exception], ...] = (sqlite3.Error,)
    creates_schema = True

    def engine(self, url: URL) -> Engine:
        """An engine over one file, which is created readable by its user only."""
        if not url.database or url.database == ":memory:":
            message = "the database must be a file, so that threads and processes share it"
            raise DatabaseRefused("file_required", message)
        _create_file(Path(url.database))
        engine = create_engine(
            url,
            connect_args={"timeout": BUSY_SECONDS},
            pool_size=8,
            max_overflow=56,
            hide_parameters=True,
        )
        event.listen(engine, "do_connect", _connect)
        event.listen(engine, "connect", _prepare_connection)
        event.listen(engine, "checkout", _check_file)
        event.listen(engine, "begin", _begin)
        _use_write_ahead_log(engine)
        return engine

    def options(self, *, writing: bool) -> Mapping[str, Any]:
        """Which of the two ways to begin."""
        return {_WRITING: writing}

    def check_kept(self, connection: Connection) -> None:
        """Raise DatabaseFileMoved when a commit went to a file that has no name, or another one."""
        connection.connection.info[_FILE].check()

    def migrating(self, connection: Connection) -> None:
        """The write turn of the file is enough."""

    def announce(self, connection: Connection, project_id: str) -> None:
        """A commit changes the version of the file, which is what watches ask for."""

    def watch(self, engine: Engine, on_change: Callable[[], None]) -> FileWatch:
        """A watch that has to be asked; it calls nothing by itself."""
        return FileWatch(engine)


def _create_file(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        message = f"the database file cannot be opened ({error.strerror})"
        raise DatabaseRefused("unavailable", message) from None


def _connect(
    _dialect: object, record: ConnectionPoolEntry, arguments: list[Any], options: dict[str, Any]
) -> sqlite3.Connection:
    """Open the file that the name stands for, never a new one."""
    path = Path(arguments[0])
    opened = OpenedFile.at(path)
    connection: sqlite3.Connection = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, **options)
    try:
        opened.check()
    except DatabaseFileMoved:
        connection.close()
        raise
    record.info[_FILE] = opened
    return connection


def _check_file(_connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
    """Before each transaction: have every connection opened again once the name stands for no file or another one."""
    try:
        record.info[_FILE].check()
    except DatabaseFileMoved as error:
        raise InvalidatePoolError(str(error)) from None


def _prepare_connection(connection: sqlite3.Connection, _record: object) -> None:
    """Take the transaction out of the driver's hands, and make a commit durable."""
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIBIBYTES}")


def _begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get(_WRITING, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _use_write_ahead_log(engine: Engine) -> None:
    """Switch the file to a write-ahead log once; the switch itself does not wait for other processes, so ask again."""
    end = time.monotonic() + BUSY_SECONDS
    connection = engine.raw_connection()
    try:
        while True:
            try:
                connection.cursor().execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
    finally:
        connection.close()
