"""Fixtures: a fake world, a database file with its accounts, and requests to an application over it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from corr_tui.server.database import Database
from tests.correspondents import World
from tests.server.scene import Scene, open_world, settle_accounts


@pytest.fixture
def world() -> World:
    """Named people with keys, and a clock that tests move."""
    return World()


@pytest.fixture
def database(tmp_path: Path, world: World) -> Iterator[Database]:
    """An open database with the world's accounts."""
    database = open_world(tmp_path / "service.db", world)
    settle_accounts(database, world)
    yield database
    database.close()


@pytest_asyncio.fixture
async def scene(world: World, database: Database) -> AsyncIterator[Scene]:
    """Requests to an application over the database."""
    scene = Scene(world, database)
    async with scene.client:
        yield scene
