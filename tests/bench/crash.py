"""`kill -9` of a serving process during appends, 20 times on each database: what is lost or stored twice (target 0)."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

from corr_tui.server.database import migrate, open_database
from tests.correspondents import World
from tests.server.crashing import Crashing, Found, check
from tests.server.databases import Server
from tests.server.scene import settle_accounts

ROUNDS = 20


def main() -> None:
    """Kill, start again, and look, on a file and on a PostgreSQL server of this run."""
    with TemporaryDirectory(prefix="corr-tui-crash-") as folder:
        crash(f"sqlite:///{folder}/service.db")
        with Server.started(Path(folder) / "data") as server:
            crash(server.create("crash"))


def crash(url: str) -> None:
    """Twenty rounds on one database; raises AssertionError when anything acknowledged is not as it was told."""
    migrate(url)
    database = open_database(url)
    settle_accounts(database, World())
    database.close()
    chance = random.Random(20)
    crashing = Crashing(url, chance)
    for _ in range(ROUNDS):
        crashing.round(chance.randint(1, 120))
        check(crashing, Found.of(url))
    crashing.finish()
    found = Found.of(url)
    check(crashing, found)
    kind = url.partition(":")[0]
    told = f"{len(crashing.receipts)} acknowledged, {found.rows} stored, lost 0, twice 0"
    print(f"kill -9 during appends, {ROUNDS} times, on {kind:<12} {told}")
