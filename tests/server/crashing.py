"""A service in a process of its own that is killed while many append, and what must hold afterwards (§4, §6).

The rule: whatever was acknowledged is there, once, under the receipt that was told; whatever was not is sent again as
the same bytes. Used by the tests for a few rounds and by `tests/bench/crash.py` for many.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event as Happened
from typing import Any

import httpx
from sqlalchemy import select

from corr_tui.protocol.event import Event
from corr_tui.protocol.lineage import lineage
from corr_tui.server.database import Database, open_database
from corr_tui.server.rebuild import Rebuilt, rebuild
from corr_tui.server.store import Store
from corr_tui.server.tables import claim_events, events, streams
from tests.correspondents import NAMES, PROJECT_ID, World, claim
from tests.server.scene import BEARER, EVENTS

SERVE = """
import sys
from corr_tui.server.database import open_database
from corr_tui.server.embed import serve
serve(open_database(sys.argv[1]), "127.0.0.1", 0, bearers={sys.argv[2]: sys.argv[3]},
      on_ready=lambda url: print(url, flush=True))
"""
CLIENTS = len(NAMES)
CHAIN = 6
"""How many events follow on each claim: renewals, each of the one before."""


@contextmanager
def serving(url: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A service in a process of its own: the process, and where it listens."""
    command = [sys.executable, "-c", SERVE, url, BEARER, PROJECT_ID]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().strip()
            assert base_url, "the service did not start"
            yield process, base_url
        finally:
            process.kill()


@dataclass
class Crashing:
    """Clients that append to one service, which is killed now and then."""

    url: str
    chance: random.Random
    world: World = field(default_factory=World)
    said: dict[str, Event] = field(default_factory=dict)
    receipts: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What was acknowledged: the receipt of each event."""
    told_otherwise: list[str] = field(default_factory=list)
    """The events whose second answer had another receipt than the first; there must be none."""
    _unsent: dict[str, deque[Event]] = field(default_factory=lambda: {name: deque() for name in NAMES})

    def round(self, acknowledged: int) -> None:
        """Append from all clients, and kill the service once so many appends were acknowledged."""
        for name in NAMES:
            while len(self._unsent[name]) < acknowledged:
                self._unsent[name].extend(self._chain(name))
        enough = Happened()
        target = len(self.receipts) + acknowledged
        with serving(self.url) as (process, base_url), ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(self._append, base_url, name, target, enough) for name in NAMES]
            if enough.wait(60):
                os.kill(process.pid, signal.SIGKILL)
            for client in clients:
                client.result()

    def finish(self) -> None:
        """Send everything that is still without an acknowledgement to a service that stays."""
        with serving(self.url) as (_, base_url), ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(self._append, base_url, name, None, Happened()) for name in NAMES]
            for client in clients:
                client.result()

    def _chain(self, name: str) -> list[Event]:
        """A claim and its renewals, in an order of arrival that has children before their predecessors."""
        number = len(self.said) + 1
        event = self.world.event(name, "claim.open", claim_id=claim(number), expires_in=1e9, paths=[f"src/{number}"])
        chain = [event]
        for _ in range(CHAIN):
            chain.append(event := self.world.event(name, "claim.renew", predecessor=event, expires_in=1e9))
        self.chance.shuffle(chain)
        self.said.update((each.event_id, each) for each in chain)
        return chain

    def _append(self, base_url: str, name: str, target: int | None, enough: Happened) -> None:
        """Append one client's events in turn, until the service is gone or nothing is left."""
        waiting = self._unsent[name]
        with httpx.Client(base_url=base_url, headers={"Authorization": f"Bearer {BEARER}"}, timeout=60) as client:
            while waiting:
                try:
                    answer = client.post(EVENTS, json=waiting[0].evidence)
                except httpx.TransportError:
                    return
                assert answer.status_code in (200, 201), answer.text
                self._acknowledge(answer.json())
                if self.chance.random() < 0.9:  # else it forgets that it was told, and asks again
                    waiting.popleft()
                if target is not None and len(self.receipts) >= target:
                    enough.set()

    def _acknowledge(self, record: dict[str, Any]) -> None:
        event_id, receipt = record["event"]["event_id"], record["receipt"]
        told = (receipt["received_seq"], receipt["received_at"])
        if self.receipts.setdefault(event_id, told) != told:
            self.told_otherwise.append(event_id)


@dataclass(frozen=True)
class Found:
    """What a database holds after everything."""

    receipts: dict[str, tuple[str, str]]
    rows: int
    statuses: dict[str, str]
    first: Rebuilt
    second: Rebuilt

    @classmethod
    def of(cls, url: str) -> Found:
        """Settle what is ready, read everything, and make the claim rows again twice."""
        database = open_database(url)
        try:
            _settle(database)
            rows = _rows(database)
            statuses = _statuses(database)
            first, second = rebuild(database), rebuild(database)
            assert _statuses(database) == statuses
        finally:
            database.close()
        receipts = {event_id: (str(received_seq), received_at) for event_id, received_seq, received_at in rows}
        return cls(receipts, len(rows), statuses, first, second)


def _settle(database: Database) -> None:
    """Wait for a commit that a killed process had asked for, and settle ready lineage until none remains."""
    incomplete = select(streams.c.incomplete).where(streams.c.project_id == PROJECT_ID)
    with database.writing() as connection:
        connection.execute(incomplete.with_for_update())
    remains = True
    while remains:
        Store(database).reconcile(PROJECT_ID)
        with database.reading() as connection:
            remains = bool(connection.execute(incomplete).scalar_one())


def _rows(database: Database) -> list[tuple[str, int, str]]:
    found = select(events.c.event_id, events.c.received_seq, events.c.received_at).order_by(events.c.received_seq)
    with database.reading() as connection:
        return [(row.event_id, row.received_seq, row.received_at) for row in connection.execute(found)]


def _statuses(database: Database) -> dict[str, str]:
    with database.reading() as connection:
        rows = connection.execute(select(claim_events.c.event_id, claim_events.c.lineage_status, claim_events.c.is_tip))
        return {row.event_id: f"{row.lineage_status} {row.is_tip}" for row in rows}


def check(crashing: Crashing, found: Found) -> None:
    """Every acknowledged event is there once, as told, with the lineage that all of them give; nothing else is."""
    assert crashing.told_otherwise == []
    assert found.rows == len(found.receipts)
    assert {event_id: found.receipts.get(event_id) for event_id in crashing.receipts} == crashing.receipts
    assert len({received_seq for received_seq, _ in found.receipts.values()}) == found.rows
    stored = [crashing.said[event_id] for event_id in found.receipts]
    pure = lineage(stored)
    assert {event_id: status.split()[0] for event_id, status in found.statuses.items()} == dict(pure.statuses)
    assert (found.first.changed, found.second.changed) == (0, 0)
