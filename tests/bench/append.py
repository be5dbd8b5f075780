"""How many durable appends a second one process does, with 16 threads and with one, on SQLite and on PostgreSQL.

Every append proves a signature and is flushed to the disk before it is answered. A quarter of the events are claims.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from corr_tui.server.database import Database, migrate, open_database
from corr_tui.server.store import Store
from corr_tui.server.submission import Submission, read_submission
from tests.correspondents import NAMES, PROJECT_ID, World, claim
from tests.server.databases import Server
from tests.server.scene import settle_accounts

THREADS = 16
APPENDS = 800
ALONE = 100
ROUNDS = 5


def main() -> None:
    """Append in turn to both kinds of database."""
    world = World()
    said = submissions(world)
    with TemporaryDirectory(prefix="corr-tui-append-") as folder, Server.started(Path(folder) / "data") as server:
        server.execute("ALTER SYSTEM SET fsync = on")
        server.execute("SELECT pg_reload_conf()")
        urls = {"sqlite": f"sqlite:///{folder}/service.db", "postgresql": server.create("append")}
        databases = {kind: opened(url, world) for kind, url in urls.items()}
        together: dict[str, list[float]] = {kind: [] for kind in databases}
        alone: dict[str, list[float]] = {kind: [] for kind in databases}
        for _ in range(ROUNDS):
            for kind, database in databases.items():
                together[kind].append(rate(database, said, APPENDS, THREADS))
                alone[kind].append(rate(database, said, ALONE, 1))
        for database in databases.values():
            database.close()
    for kind in databases:
        report(f"{kind}: {THREADS} threads / one", together[kind], alone[kind])
    report(f"postgresql / sqlite, {THREADS} threads", together["postgresql"], together["sqlite"])


def opened(url: str, world: World) -> Database:
    """An open database with the world's accounts."""
    migrate(url)
    database = open_database(url)
    settle_accounts(database, world)
    return database


def submissions(world: World) -> Iterator[Submission]:
    """Events that nobody has said yet, by everybody in turn, endlessly."""
    for number, name in enumerate(cycle(NAMES)):
        if number % 4 == 0:
            event = world.event(name, "claim.open", claim_id=claim(number), expires_in=3600, paths=[f"src/{number}"])
        else:
            event = world.event(name, "progress", summary=f"step {number}")
        yield read_submission(json.dumps(event.evidence).encode(), PROJECT_ID)


def rate(database: Database, said: Iterator[Submission], count: int, threads: int) -> float:
    """Appends a second, of that many appends from that many threads."""
    store = Store(database)
    waiting = [next(said) for _ in range(count)]
    with ThreadPoolExecutor(threads) as pool:
        started = perf_counter()
        answers = list(pool.map(store.append, waiting))
        seconds = perf_counter() - started
    assert all(answer.created for answer in answers)
    return count / seconds


def report(title: str, ours: list[float], theirs: list[float]) -> None:
    """Print the ratio of two medians."""
    mine, other = median(ours), median(theirs)
    print(f"{title:<58} {mine / other:6.2f}   {mine:8.0f} / {other:8.0f} appends a second")
