"""Fixtures: a fake world, a database of either kind with its accounts, and requests to an application over it.

Whatever uses `database`, `url` or `scene` runs once on SQLite and once on PostgreSQL.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from shutil import copy

import pytest
import pytest_asyncio

from corr_tui.server.database import Database, migrate
from tests.correspondents import World
from tests.server.databases import Reused, Server, server
from tests.server.scene import Scene, open_world, settle_accounts

__all__ = ["server"]

KINDS = ("sqlite", "postgresql")


@pytest.fixture
def world() -> World:
    """Named people with keys, and a clock that tests move."""
    return World()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of database a test runs on."""
    return str(request.param)


def settle(url: str) -> None:
    """Give an empty database the schema and the world's accounts."""
    migrate(url)
    database = open_world(url, World())
    settle_accounts(database, World())
    database.close()


@pytest.fixture(scope="session")
def settled_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed database file with the world's accounts, to be copied."""
    path = tmp_path_factory.mktemp("settled") / "service.db"
    settle(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def reused(server: Server) -> Iterator[Reused]:
    """A database with the world's accounts, to be used by one test after the other."""
    settle(server.create("settled_kept"))
    reused = Reused(server, "settled")
    yield reused
    reused.close()


@pytest.fixture
def empty_url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of this test alone, with nothing in it."""
    if kind == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server: Server = request.getfixturevalue("server")
    yield server.create("empty")
    server.drop("empty")


@pytest.fixture
def bare_url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A database of this test alone, with the schema and nothing else in it."""
    if kind == "sqlite":
        url = f"sqlite:///{tmp_path / 'bare.db'}"
        migrate(url)
        return url
    reused: Reused = request.getfixturevalue("reused")
    return reused.url(accounts=False)


@pytest.fixture
def url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A database of this test alone, with the world's accounts."""
    if kind == "sqlite":
        return f"sqlite:///{copy(request.getfixturevalue('settled_file'), tmp_path / 'service.db')}"
    reused: Reused = request.getfixturevalue("reused")
    return reused.url(accounts=True)


@pytest.fixture
def database(url: str, world: World) -> Iterator[Database]:
    """An open database with the world's accounts."""
    database = open_world(url, world)
    yield database
    database.close()


@pytest_asyncio.fixture
async def scene(world: World, database: Database) -> AsyncIterator[Scene]:
    """Requests to an application over the database."""
    scene = Scene(world, database)
    async with scene.client:
        yield scene
