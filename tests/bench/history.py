"""What a history of 100,000 events costs a board: reading it back, folding it, finding in it, and the memory it takes.

Loading is everything between opening the file and knowing all that follows from it, against strict decoding of the same
bytes; both in processor time. Of the event loop it is told how long any turn worked, since a key waits for no more.
"""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, thread_time

from corr_tui.protocol.event import read_event
from corr_tui.protocol.records import Receipt, Record
from corr_tui.protocol.signing import event_id_of, event_jcs
from corr_tui.protocol.strict_json import decode
from corr_tui.state.archive import Archive
from corr_tui.state.chronicle import Chronicle
from corr_tui.state.history import Streams
from corr_tui.state.kept import kept
from corr_tui.state.past import Past
from corr_tui.state.published import Published
from corr_tui.state.snapshot import Heard, Snapshot, Verdict, instant
from corr_tui.state.trust import Place, Trust
from corr_tui.state.wanted import indexed
from tests.correspondents import NAMES, PROJECT_ID, REPOSITORY_ID, START, World, claim

EVENTS = 100_000
THREADS = 40
PAGE = 200
KEY = b"k" * 32
HERE = Place("https://service.example", PROJECT_ID, REPOSITORY_ID)


def main() -> None:
    """Keep a long history once, and read it back as a board does."""
    with TemporaryDirectory(prefix="corr-tui-history-") as folder:
        raw = fill(Path(folder))
        asyncio.run(read_back(Path(folder), min(decoding(raw) for _ in range(3))))
        asyncio.run(weigh(Path(folder)))
        asyncio.run(turns(Path(folder)))


def fill(home: Path) -> list[bytes]:
    """Keep the history; returns the bytes of its events, and prints what keeping a page costs."""
    streams, raw = Streams(home / "history.sqlite3", HERE), []
    stream, page, spent = streams.open(), [], 0.0
    for heard in history():
        row = kept(heard, KEY)
        raw.append(row.raw)
        page.append((row, indexed(heard)))
        if len(page) == PAGE:
            started = perf_counter()
            streams.keep(stream, page)
            spent += perf_counter() - started
            page = []
    streams.close()
    size = (home / "history.sqlite3").stat().st_size
    print(f"kept {EVENTS:,} events in {spent:.1f} s of writing, {size / EVENTS:.0f} bytes each with their index")
    return raw


def history() -> Iterator[Heard]:
    """Events as a service told them, with identifiers of their own, and signatures that no reading proves."""
    world = World()
    said = [
        world.event(name, "observation", summary="seen of it " * 8, thread=f"task:{number}", paths=[f"src/{number}"])
        for number in range(THREADS)
        for name in NAMES
    ]
    said += [world.event("ana", "claim.open", claim_id=claim(n), expires_in=60, paths=[f"docs/{n}"]) for n in range(20)]
    for number in range(EVENTS):
        like = said[number % len(said)].evidence
        evidence = {**like, "session_seq": number + 1}
        del evidence["event_id"]
        if like["kind"] == "claim.open":
            evidence["body"] = {**like["body"], "claim_id": claim(number)}
        evidence["event_id"] = event_id_of(event_jcs(evidence))
        record = Record(read_event(evidence), Receipt(str(number + 1), instant(START)), (), "not_applicable")
        yield Heard(record, Verdict.VERIFIED, "key 3f0a…", genuine=True)


def decoding(raw: list[bytes]) -> float:
    """Processor seconds to decode them all."""
    started = process_time()
    for each in raw:
        decode(each)
    return process_time() - started


class Board:
    """What of a board has to do with its history."""

    def __init__(self, home: Path) -> None:
        trust = Trust(home / "trust.sqlite3", HERE)
        for person in World().people.values():
            trust.pin_mine(person.sender().identity_id, person.sender().signing_key_id, KEY)
        self.published = Published(Snapshot(REPOSITORY_ID))
        self.archive = Archive(home / "history.sqlite3", trust, _nothing)
        self.chronicle = Chronicle(self.archive, self.published, perf_counter)

    async def known(self) -> None:
        """Wait until everything that follows from the history is known."""
        async for snapshot in self.published.snapshots():
            if snapshot.facts is not None:
                return


async def read_back(home: Path, plain: float) -> None:
    """Time and search."""
    board = Board(home)
    started, spent = perf_counter(), process_time()
    await board.chronicle.load()
    window = perf_counter() - started
    await board.known()
    whole, spent = perf_counter() - started, process_time() - spent
    assert board.published.snapshot.history.count == EVENTS
    shown, title = len(board.published.snapshot.events), "load and fold ÷ strict decoding of the same bytes"
    print(f"the newest {shown:,} shown after {window:.2f} s, all known after {whole:.2f} s")
    print(f"{title:<58} {spent / plain:6.2f}   {spent:.2f} s / {plain:.2f} s")
    past = Past(board.archive, board.chronicle, board.published)
    for words in ("seen", '"task 7" observation', "docs/4", "nowhere"):
        started = perf_counter()
        found = await past.search(words, 200)
        print(f"search for {words}: {len(found)} events in {(perf_counter() - started) * 1e3:.0f} ms")
    await board.chronicle.close()


async def weigh(home: Path) -> None:
    """Memory above that of an empty session."""
    gc.collect()
    tracemalloc.start()
    board = Board(home)
    empty = tracemalloc.get_traced_memory()[0]
    await board.chronicle.load()
    await board.known()
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0] - empty
    tracemalloc.stop()
    print(f"memory above an empty session: {taken / 1e6:.0f} MB")
    await board.chronicle.close()


async def turns(home: Path) -> None:
    """How long the event loop works between two chances for whatever else waits."""
    board, worked = Board(home), [0.0]
    watching = asyncio.create_task(_watch(worked))
    await board.chronicle.load()
    await board.known()
    watching.cancel()
    print(f"longest turn of the event loop: {max(worked) * 1e3:.1f} ms of work   target ≤ 16 ms")
    await board.chronicle.close()


async def _watch(worked: list[float]) -> None:
    before = thread_time()
    while True:
        await asyncio.sleep(0)
        now = thread_time()
        worked[0] = max(worked[0], now - before)
        before = now


async def _nothing(_: str) -> tuple[Heard, ...]:
    return ()
