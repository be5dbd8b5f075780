"""What a kind of database gives, so that everything above it is written once.

The rule: a reader sees one snapshot for as long as its transaction lasts; a writer has its project's stream to itself
from the first statement that touches it; a commit is on disk before it is answered; the database is the clock. How
that is had differs between `sqlite` and `postgres`, and nothing else does.

DatabaseRefused      a database that cannot be opened; carries one reason and a sentence
StorageUnavailable   a transaction that failed
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, TextClause
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

MIGRATE = "corr-tui admin migrate --database URL"
"""The command that gives a database the schema of this program."""


class DatabaseRefused(Exception):
    """A database that cannot be opened: url_invalid, dialect_unsupported, file_required, encoding_unsupported,
    schema_missing, schema_newer, schema_older, unavailable."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class StorageUnavailable(Exception):
    """A transaction that failed and left nothing behind; whether a commit that was cut off took place is unknown."""


class ChangeWatch(Protocol):
    """Notices commits by anyone else: another connection, another process."""

    def changed(self, project_ids: Collection[str]) -> Collection[str]:
        """Those of the projects in which somebody may have committed since the last call; raises
        StorageUnavailable."""

    def close(self) -> None:
        """Stop to notice; nothing is called any more."""


class Dialect(Protocol):
    """One kind of database."""

    clock: TextClause
    """Selects the database clock as RFC3339-ms."""
    errors: tuple[type[Exception], ...]
    """What its driver raises where SQLAlchemy does not wrap it."""
    creates_schema: bool
    """Whether opening an empty database creates the schema, or a person must ask for it."""

    def engine(self, url: URL) -> Engine:
        """An engine with a bounded pool, over a database that was reached once; raises DatabaseRefused or one of
        `errors`."""

    def options(self, *, writing: bool) -> Mapping[str, Any]:
        """The execution options of a connection that begins such a transaction."""

    def check_kept(self, connection: Connection) -> None:
        """Raise one of `errors` where a commit just made is not where others will look for it."""

    def migrating(self, connection: Connection) -> None:
        """Keep every other migration out until this transaction ends."""

    def announce(self, connection: Connection, project_id: str) -> None:
        """Have the watches of every process notice this transaction once it is committed."""

    def watch(self, engine: Engine, on_change: Callable[[], None]) -> ChangeWatch:
        """A watch that calls `on_change`, from whatever thread, when it notices by itself."""


def failure(error: Exception) -> str:
    """The kind of a driver's failure: the one thing of it that may be told."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return type(cause).__name__
