"""Fixtures: a fake world, a database file with its accounts, and requests to an application over it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from shutil import copy

import pytest
import pytest_asyncio

from corr_tui.server.database import Database
from tests.correspondents import World
from tests.server.scene import Scene, open_world, settle_accounts


@pytest.fixture
def world() -> World:
    """Named people with keys, and a clock that tests move."""
    return World()


@pytest.fixture(scope="session")
def settled_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed database file with the world's accounts, to be copied."""
    path = tmp_path_factory.mktemp("settled") / "service.db"
    database = open_world(path, World())
    settle_accounts(database, World())
    database.close()
    return path


@pytest.fixture
def database(tmp_path: Path, settled_file: Path, world: World) -> Iterator[Database]:
    """An open database with the world's accounts."""
    path = copy(settled_file, tmp_path / "service.db")
    database = open_world(Path(path), world)
    yield database
    database.close()


@pytest_asyncio.fixture
async def scene(world: World, database: Database) -> AsyncIterator[Scene]:
    """Requests to an application over the database."""
    scene = Scene(world, database)
    async with scene.client:
        yield scene
