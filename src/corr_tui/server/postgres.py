"""PostgreSQL: one database that server processes of several machines share.

The rule: a writer waits for its project's stream row, so that receipts of one project are given in the order in which
they become visible, and writers of other projects do not wait for it; a reader's transaction is REPEATABLE READ and
read-only; a commit is flushed before it is answered. An append announces its project to every process from within its
own transaction (NOTIFY), so that a notice means a visible commit. A notice may be missed while a listening connection
is away: whoever listens again is told that everything may have changed.

Text is compared by bytes (collation "C" in `tables`), as SQLite and this program do.
"""

from __future__ import annotations

import logging
import selectors
import socket
from collections.abc import Callable, Collection, Mapping
from threading import Lock, Thread
from typing import Any

import psycopg
from sqlalchemy import Connection, Engine, bindparam, create_engine, event, text
from sqlalchemy.engine import URL

from corr_tui.server.dialect import DatabaseRefused

log = logging.getLogger("corr_tui.server")

CHANNEL = "correspondence"
"""What appends are announced on; the payload is a project_id and nothing else."""

POOL_SIZE = 8
POOL_OVERFLOW = 16
"""At most these together are open for transactions of one process, and one more connection listens."""
POOL_SECONDS = 5.0
"""How long a transaction waits for a connection of the pool."""

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 5.0
"""Seconds between two attempts to listen again; each is twice as long as the one before."""

CLOSING_SECONDS = 0.3

_CONNECTING: Mapping[str, Any] = {
    "application_name": "corr-tui",
    "client_encoding": "utf8",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""What a connection is opened with where the URL does not say otherwise: a peer that vanished is noticed in seconds."""

_SESSION = """
SELECT set_config('lock_timeout', '5s', false),
       set_config('statement_timeout', '30s', false),
       set_config('idle_in_transaction_session_timeout', '60s', false),
       set_config('plan_cache_mode', 'force_custom_plan', false),
       CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END
"""
"""A process that hangs must not hold a stream for ever, and an answered commit is a flushed one. A plan that is kept
from the time when a table was empty reads all of it once it is full, until somebody analyses the table."""

_NOTIFY = text("SELECT pg_notify(:channel, :project_id)").bindparams(bindparam("channel", CHANNEL))
_MIGRATING = text("SELECT pg_advisory_xact_lock(hashtext('corr_tui schema'))")


class NoticeWatch:
    """Listens on a connection of its own, in a thread of its own, and listens again when the database was away."""

    def __init__(self, connect: Callable[[], psycopg.Connection], on_change: Callable[[], None]) -> None:
        self._connect = connect
        self._on_change = on_change
        self._turn = Lock()
        self._noticed: set[str] = set()
        self._missed = False
        self._closed = False
        self._here, self._there = socket.socketpair()
        self._thread = Thread(target=self._run, name="correspondence-notices", daemon=True)
        self._thread.start()

    def changed(self, project_ids: Collection[str]) -> Collection[str]:
        """The projects whose notices came since the last call; all of them after a time without a connection."""
        with self._turn:
            noticed, self._noticed = self._noticed, set()
            missed, self._missed = self._missed, False
        return project_ids if missed else noticed.intersection(project_ids)

    def close(self) -> None:
        """End the thread; one that is just connecting ends when that does."""
        with self._turn:
            if self._closed:
                return
            self._closed = True
        self._there.close()
        self._thread.join(CLOSING_SECONDS)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        try:
            while not self._closed:
                try:
                    with self._connect() as connection:
                        connection.execute(f"LISTEN {CHANNEL}")
                        pause = FIRST_PAUSE
                        self._tell(missed=True)
                        self._hear(connection)
                except psycopg.Error as error:
                    log.warning("the database cannot be listened to (%s); trying again", type(error).__name__)
                    self._readable(None, pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
        finally:
            self._here.close()

    def _hear(self, connection: psycopg.Connection) -> None:
        """Take notices until the watch is closed; raises what the driver raises when the connection is lost."""
        while not self._closed:
            self._readable(connection, None)
            projects = {notice.payload for notice in connection.notifies(timeout=0)}
            if projects:
                self._tell(projects)

    def _tell(self, projects: Collection[str] = (), *, missed: bool = False) -> None:
        """Keep what was noticed, and say that there is something; nothing is said once the watch is closed."""
        with self._turn:
            self._noticed.update(projects)
            self._missed = self._missed or missed
            if not self._closed:
                self._on_change()

    def _readable(self, connection: psycopg.Connection | None, seconds: float | None) -> None:
        """Wait for the connection, for the end of the watch, or so many seconds."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._here, selectors.EVENT_READ)
            if connection is not None:
                selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.select(seconds)


class Postgres:
    """The dialect of `postgresql://user@host/name`, with everything that libpq takes from URL and environment."""

    clock = text("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24\\:MI\\:SS.MS\"Z\"')")
    errors: tuple[type[Exception], ...] = (psycopg.Error,)
    creates_schema = False

    def engine(self, url: URL) -> Engine:
        """An engine whose connections are proved alive before each use, so that a restart costs no second failure."""
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args={name: value for name, value in _CONNECTING.items() if name not in url.query},
            pool_size=POOL_SIZE,
            max_overflow=POOL_OVERFLOW,
            pool_timeout=POOL_SECONDS,
            pool_pre_ping=True,
            pool_use_lifo=True,
            hide_parameters=True,
        )
        event.listen(engine, "connect", _prepare_connection)
        with engine.connect() as connection:
            encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
        if encoding != "UTF8":
            engine.dispose()
            raise DatabaseRefused("encoding_unsupported", f"the database is encoded in {encoding}; events need UTF8")
        return engine

    def options(self, *, writing: bool) -> Mapping[str, Any]:
        """A reader's one snapshot; a writer sees what was committed before it had its turn."""
        if writing:
            return {"isolation_level": "READ COMMITTED"}
        return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}

    def check_kept(self, connection: Connection) -> None:
        """The server is what keeps a commit; it has said that it does."""

    def migrating(self, connection: Connection) -> None:
        """One migration at a time, before there is any table to wait for."""
        connection.execute(_MIGRATING)

    def announce(self, connection: Connection, project_id: str) -> None:
        """NOTIFY: delivered when, and only when, the transaction is committed."""
        connection.execute(_NOTIFY, {"project_id": project_id})

    def watch(self, engine: Engine, on_change: Callable[[], None]) -> NoticeWatch:
        """LISTEN: calls `on_change` at each notice, and whenever it has begun to listen."""
        arguments, options = engine.dialect.create_connect_args(engine.url)
        options = {**_CONNECTING, **options, "autocommit": True}
        return NoticeWatch(lambda: psycopg.connect(*arguments, **options), on_change)


def _prepare_connection(connection: psycopg.Connection, _record: object) -> None:
    """Settle what holds for every transaction of a connection."""
    connection.execute(_SESSION)
    connection.commit()
