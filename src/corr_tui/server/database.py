"""The database under a service: the only module that knows a dialect.

The rule: a reader sees one snapshot for as long as its transaction lasts; a writer holds the write turn of the whole
file from its first statement (`BEGIN IMMEDIATE`; a deferred one loses concurrent appends); a commit is on disk before
it is answered (`synchronous=FULL`). The database is the clock. Whatever the driver raises leaves as
StorageUnavailable, without the statement, its values or the driver's own words.

DatabaseRefused      a database that cannot be opened; carries one reason and a sentence
StorageUnavailable   a transaction that failed; nothing of it was stored
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from corr_tui.server.tables import SCHEMA_VERSION, metadata, schema_versions

Clock = Callable[[], str]
"""Gives an RFC3339-ms instant; stands in for the database clock in a frozen scene."""

BUSY_SECONDS = 5.0
"""How long a writer waits for another process's transaction on the same file."""

_WRITING = "corr_writing"
_DATABASE_CLOCK = text("SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now')")


class DatabaseRefused(Exception):
    """A database that cannot be opened: url_invalid, dialect_unsupported, file_required, schema_newer, schema_older,
    unavailable."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class StorageUnavailable(Exception):
    """A transaction that failed and left nothing behind."""


class ChangeWatch:
    """Notices commits to the file by anyone else: another connection, another process."""

    def __init__(self, engine: Engine) -> None:
        self._connection = engine.raw_connection()
        self._version = self._read()

    def changed(self) -> bool:
        """Whether somebody committed since the last call; raises StorageUnavailable."""
        before, self._version = self._version, self._read()
        return before != self._version

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def _read(self) -> int:
        try:
            cursor = self._connection.cursor()
            cursor.execute("PRAGMA data_version")
            row = cursor.fetchone()
            cursor.close()
        except sqlite3.Error as error:
            raise StorageUnavailable(type(error).__name__) from None
        return int(row[0]) if row else 0


class Database:
    """An open database with this code's schema. Safe to use from several threads."""

    def __init__(self, engine: Engine, clock: Clock | None = None) -> None:
        self._engine = engine
        self._clock = clock

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one snapshot; raises StorageUnavailable."""
        with self._transaction(writing=False) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that holds the write turn and commits at its end; raises StorageUnavailable."""
        with self._transaction(writing=True) as connection:
            yield connection

    @contextmanager
    def _transaction(self, writing: bool) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                connection.execution_options(**{_WRITING: writing})
                with connection.begin():
                    yield connection
        except SQLAlchemyError as error:
            raise StorageUnavailable(type(error).__name__) from None

    def now(self, connection: Connection) -> str:
        """The database clock as RFC3339-ms (§4: received_at; §6: expiry)."""
        return self._clock() if self._clock else str(connection.execute(_DATABASE_CLOCK).scalar_one())

    def watch(self) -> ChangeWatch:
        """A new watch on commits by others; close it when done."""
        try:
            return ChangeWatch(self._engine)
        except SQLAlchemyError as error:
            raise StorageUnavailable(type(error).__name__) from None

    def close(self) -> None:
        """Close every connection; transactions still open in other threads end first."""
        self._engine.dispose()


def open_database(url: str, *, clock: Clock | None = None) -> Database:
    """Open a database by URL, creating file and schema on first use; raises DatabaseRefused.

    `sqlite:///relative.db` or `sqlite:////absolute.db`. Several processes may open, and create, one file at once.
    """
    engine = _engine(_checked_url(url))
    try:
        _use_write_ahead_log(engine)
        database = Database(engine, clock)
        _create_schema(database)
    except (SQLAlchemyError, StorageUnavailable, sqlite3.Error) as error:
        engine.dispose()
        message = f"the database cannot be opened ({type(error).__name__})"
        raise DatabaseRefused("unavailable", message) from None
    except DatabaseRefused:
        engine.dispose()
        raise
    return database


def _checked_url(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError:
        raise DatabaseRefused("url_invalid", "a database is named like sqlite:///path/to/file.db") from None
    if url.get_backend_name() != "sqlite":
        raise DatabaseRefused("dialect_unsupported", f"{url.get_backend_name()} databases are not supported")
    if not url.database or url.database == ":memory:":
        raise DatabaseRefused("file_required", "the database must be a file, so that threads and processes share it")
    return url


def _engine(url: URL) -> Engine:
    """An engine over one SQLite file, which is created readable by its user only."""
    path = Path(url.database or "")
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        message = f"the database file cannot be opened ({error.strerror})"
        raise DatabaseRefused("unavailable", message) from None
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_SECONDS},
        pool_size=8,
        max_overflow=56,
        hide_parameters=True,
    )
    event.listen(engine, "connect", _prepare_connection)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare_connection(connection: sqlite3.Connection, _record: object) -> None:
    """Take the transaction out of the driver's hands, and make a commit durable."""
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous = FULL")


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


def _create_schema(database: Database) -> None:
    """Create the tables where there are none; refuse a layout that another version of this code made."""
    with database.reading() as connection:
        found = _schema_version(connection)
    if found is None:
        with database.writing() as connection:
            found = _schema_version(connection)
            if found is None:
                metadata.create_all(connection)
                connection.execute(schema_versions.insert().values(version=SCHEMA_VERSION))
                found = SCHEMA_VERSION
    if found != SCHEMA_VERSION:
        raise DatabaseRefused(
            "schema_newer" if found > SCHEMA_VERSION else "schema_older",
            f"the database has schema version {found}; this program reads version {SCHEMA_VERSION}",
        )


def _schema_version(connection: Connection) -> int | None:
    """The layout of a database, or None before there is one."""
    if not inspect(connection).has_table(schema_versions.name):
        return None
    return int(connection.execute(select(schema_versions.c.version)).scalar_one())
