"""The database under a service: transactions, the clock, and the watch, whatever kind of database it is.

The rule: whatever a driver raises leaves as StorageUnavailable, without the statement, its values or the driver's own
words. Which kind a URL names is decided here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from corr_tui.server.dialect import ChangeWatch, DatabaseRefused, Dialect, StorageUnavailable, failure
from corr_tui.server.schema import check_version, migrate_schema, version_of

__all__ = ["ChangeWatch", "Clock", "Database", "DatabaseRefused", "StorageUnavailable", "migrate", "open_database"]

Clock = Callable[[], str]
"""Gives an RFC3339-ms instant; stands in for the database clock in a frozen scene."""


class Database:
    """An open database with this code's schema. Safe to use from several threads."""

    def __init__(self, engine: Engine, dialect: Dialect, clock: Clock | None = None) -> None:
        self._engine = engine
        self._dialect = dialect
        self._clock = clock
        self._failures = _failures(dialect)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one snapshot; raises StorageUnavailable."""
        with self._transaction(writing=False) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that may write and commits at its end; raises StorageUnavailable.

        Its first statement about a project selects the stream row for update, which is what makes writers of one
        project take turns.
        """
        with self._transaction(writing=True) as connection:
            yield connection

    @contextmanager
    def _transaction(self, writing: bool) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                connection.execution_options(**self._dialect.options(writing=writing))
                with connection.begin():
                    yield connection
                if writing:
                    self._dialect.check_kept(connection)
        except self._failures as error:
            raise StorageUnavailable(failure(error)) from None

    def now(self, connection: Connection) -> str:
        """The database clock as RFC3339-ms (§4: received_at; §6: expiry)."""
        return self._clock() if self._clock else str(connection.execute(self._dialect.clock).scalar_one())

    def announce(self, connection: Connection, project_id: str) -> None:
        """Have every process notice the commit of this transaction as one of this project."""
        self._dialect.announce(connection, project_id)

    def watch(self, on_change: Callable[[], None]) -> ChangeWatch:
        """A new watch on commits by others; close it when done; raises StorageUnavailable.

        `on_change` is called from any thread when a watch notices by itself; one that does not has to be asked.
        """
        try:
            return self._dialect.watch(self._engine, on_change)
        except self._failures as error:
            raise StorageUnavailable(failure(error)) from None

    def close(self) -> None:
        """Close every connection; transactions still open in other threads end first."""
        self._engine.dispose()


def open_database(url: str, *, clock: Clock | None = None) -> Database:
    """Open a database by URL; raises DatabaseRefused.

    `sqlite:///relative.db` or `sqlite:////absolute.db`: file and schema are created on first use; several processes
    may open, and create, one file at once. `postgresql://user@host/name`: the schema is there by `migrate` only.
    """
    with _connected(url) as (engine, dialect):
        database = Database(engine, dialect, clock)
        with database.reading() as connection:
            found = version_of(connection)
        if found is None and dialect.creates_schema:
            with database.writing() as connection:
                found = migrate_schema(connection, dialect)
        check_version(found)
        return database


def migrate(url: str) -> int:
    """Give a database the schema of this program, and return its version; asking again changes nothing.

    Raises DatabaseRefused, as for a schema newer than this program.
    """
    with _connected(url) as (engine, dialect):
        database = Database(engine, dialect)
        with database.writing() as connection:
            version = migrate_schema(connection, dialect)
        database.close()
        return version


@contextmanager
def _connected(text: str) -> Iterator[tuple[Engine, Dialect]]:
    """An engine over the database a URL names; it is closed, and the cause is told as DatabaseRefused, on failure."""
    url = _parsed(text)
    dialect = _dialect(url)
    try:
        engine = dialect.engine(url)
        try:
            yield engine, dialect
        except BaseException:
            engine.dispose()
            raise
    except _failures(dialect) as error:
        raise _unavailable(failure(error)) from None
    except StorageUnavailable as error:
        raise _unavailable(str(error)) from None


def _unavailable(kind: str) -> DatabaseRefused:
    return DatabaseRefused("unavailable", f"the database cannot be opened ({kind})")


def _failures(dialect: Dialect) -> tuple[type[Exception], ...]:
    """Everything by which a driver says that it failed."""
    return (SQLAlchemyError, *dialect.errors)


def _parsed(text: str) -> URL:
    try:
        return make_url(text)
    except (ArgumentError, ValueError):
        message = "a database is named like sqlite:///path/to/file.db or postgresql://user@host/name"
        raise DatabaseRefused("url_invalid", message) from None


def _dialect(url: URL) -> Dialect:
    """The kind of database a URL names; its driver is loaded only now."""
    match url.drivername:
        case "sqlite":
            from corr_tui.server.sqlite import Sqlite

            return Sqlite()
        case "postgresql" | "postgres" | "postgresql+psycopg":
            from corr_tui.server.postgres import Postgres

            return Postgres()
    raise DatabaseRefused("dialect_unsupported", f"{url.drivername} databases are not supported")
