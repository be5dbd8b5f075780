"""What a long history costs: the reads of 100,000 events against those of 1,000, on SQLite and on PostgreSQL.

A fifth of the events are about claims: chains that end released or expired, and as many live ones in the long history
as in the short one. The rows are written as appends would leave them, without their signatures, which no read proves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import insert, update

from corr_tui.server.database import Database, migrate
from corr_tui.server.projection import Focus, Projection
from corr_tui.server.store import Store
from corr_tui.server.tables import claim_events, events, streams
from corr_tui.state.snapshot import instant
from tests.bench.measure import side_by_side
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World, claim, uuid
from tests.server.databases import Server
from tests.server.scene import open_world, settle_accounts

SHORT, LONG = 1_000, 100_000
CLAIM_EVERY = 5
CHAIN = 4
"""The events of one claim: opened, renewed, renewed, and then released, or renewed once more and left to expire."""
LIVE = 30
THREADS = 8
BATCH = 5_000
PAGE = 200

Row = dict[str, Any]
Read = Callable[[Projection, int], object]

WHOLE = Focus(PROJECT_ID, REPOSITORY_ID)
THREAD = Focus(PROJECT_ID, REPOSITORY_ID, "task:3")
READS: dict[str, Read] = {
    "voice": lambda projection, _: projection.voice(WHOLE),
    "voice of a thread": lambda projection, _: projection.voice(THREAD),
    "claims": lambda projection, _: projection.claims(WHOLE, None),
    "claims on a path": lambda projection, _: projection.claims(WHOLE, "src/7/deep"),
    "events, from the middle": lambda projection, count: projection.events(WHOLE, count // 2, PAGE),
    "events, the newest": lambda projection, count: projection.events(WHOLE, count - PAGE, PAGE),
    "events of a thread": lambda projection, count: projection.events(THREAD, count // 2, PAGE // THREADS),
}


def main() -> None:
    """Fill a short and a long history on each kind of database, and read both in turn."""
    with TemporaryDirectory(prefix="corr-tui-scale-") as folder:
        compare("sqlite", lambda name: f"sqlite:///{folder}/{name}.db")
        with Server.started(Path(folder) / "data") as server:
            compare("postgresql", server.create)


def compare(kind: str, url: Callable[[str], str]) -> None:
    """Print the ratio of every read, the one step of reconciliation before it included."""
    counts = {"long": LONG, "short": SHORT}
    databases = {name: filled(url(name), count) for name, count in counts.items()}

    def reading(name: str, read: Read) -> Callable[[], object]:
        store, projection = Store(databases[name]), Projection(databases[name])

        def once() -> object:
            store.reconcile(PROJECT_ID)
            return read(projection, counts[name])

        return once

    for title, read in READS.items():
        side_by_side(f"{kind}: {title}, {LONG:,} / {SHORT:,}", reading("long", read), reading("short", read), "≤ 1.5")
    for database in databases.values():
        database.close()


def filled(url: str, count: int) -> Database:
    """A database with that many events, a fifth of them about claims."""
    migrate(url)
    world = World()
    database = open_world(url, world)
    settle_accounts(database, world)
    said, claimed = event_rows(world, count), claim_rows(world, count)
    with database.writing() as connection:
        for table, rows in ((events, said), (claim_events, claimed)):
            while batch := list(islice(rows, BATCH)):
                connection.execute(insert(table), batch)
        state = {"received_seq": count, "received_at": instant(world.now), "incomplete": False}
        connection.execute(update(streams).where(streams.c.project_id == PROJECT_ID).values(**state))
    return database


def event_id(number: int) -> str:
    """The id of the event with that receipt: spread as digests are."""
    return f"sha256:{sha256(str(number).encode()).hexdigest()}"


def event_rows(world: World, count: int) -> Iterator[Row]:
    """The rows of `events`: everybody speaks in turn, each about what was said just before."""
    evidence = json.dumps(world.event("ana", "progress", summary="word " * 40, paths=["src/api"]).evidence)
    for number in range(1, count + 1):
        yield {
            "project_id": PROJECT_ID,
            "received_seq": number,
            "event_id": event_id(number),
            "received_at": instant(world.now),
            "repository_id": REPOSITORY_ID,
            "thread_id": thread_of(number),
            **session_of(number),
            "session_seq": number,
            "kind": "claim.renew" if number % CLAIM_EVERY == 0 else "progress",
            "parents": " ".join(parents_of(number)),
            "evidence": evidence,
        }


def claim_rows(world: World, count: int) -> Iterator[Row]:
    """The rows of `claim_events`: the newest claims are live, each chain before them has ended."""
    numbers = range(CLAIM_EVERY, count + 1, CLAIM_EVERY)
    for place, number in enumerate(numbers):
        live = place >= len(numbers) - LIVE
        chain, step = divmod(place, CHAIN)
        last = step == CHAIN - 1 or live
        first = step == 0 or live
        released = last and not live and chain % 2 == 0
        expires_in = timedelta(hours=1 + place % 7) if live else timedelta(minutes=place - count)
        path = f"src/{place % LIVE}"
        yield {
            "project_id": PROJECT_ID,
            "event_id": event_id(number),
            "repository_id": REPOSITORY_ID,
            "thread_id": thread_of(number),
            "claim_id": claim(count + place if live else chain),
            "generation": 1 if first else step + 1,
            **session_of(number),
            "predecessor_event_id": None if first else event_id(number - CLAIM_EVERY),
            "expires_at": None if released else instant(world.now + expires_in),
            "scope": json.dumps({"base_revision": None, "branch": None, "paths": [path]}),
            "lineage_status": "valid",
            "is_tip": last,
        }


def parents_of(number: int) -> list[str]:
    """What an event follows on: the one just before, and now and then one from anywhere earlier."""
    far = [int(sha256(str(number).encode()).hexdigest(), 16) % number] if number % 4 == 0 else []
    return [event_id(each) for each in dict.fromkeys([number - 1, *far]) if each > 0]


def thread_of(number: int) -> str:
    """The thread of an event, the same for a whole chain or not: reads of one thread find claims either way."""
    return f"task:{number % THREADS}"


def session_of(number: int) -> Row:
    """Who says an event."""
    speaker = number % 6 + 1
    return {"identity_id": uuid(2, speaker), "device_id": uuid(4, speaker), "session_id": uuid(5, speaker)}
