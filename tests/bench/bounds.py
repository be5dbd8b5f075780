"""The board at the bounds of the contract, against an ordinary one: the longest turn of the event loop (§6, §7.1).

50 newest records of some 64 KiB, 128 claims of 64 paths of 256 characters, 128 overlaps, 50 records with a missing
parent and 50 session forks; 20 more events arrive one by one, as a session hands them on. Nothing else has its turn
while the board draws, so its longest turn is the longest anybody waits for a key.
"""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from time import process_time

from corr_tui.protocol.records import Voice, read_events_page, read_voice
from corr_tui.state.ledger import Ledger
from corr_tui.state.snapshot import Heard, ProjectionState, Snapshot, Verdict
from corr_tui.ui.app import CorrTui
from tests.correspondents import World, claim
from tests.ui.fake_session import FakeSession

CLAIMS, PATHS, LENGTH = 128, 64, 256
RECENT = 50
SHARING = 16
"""Claims that share a path, which makes 120 overlapping pairs; eight pairs more share one of their own."""
TURNS = 20
SIZE = (160, 48)
MOST = 0.050
"""Seconds of the longest turn that is still responsive."""


def long_paths(number: int, shared: str, character: str = "a") -> list[str]:
    """So many paths, all as long as they may be; the first is shared."""
    own = [f"{number:03d}-{each:02d}-".ljust(LENGTH, character) for each in range(1, PATHS)]
    return [shared.ljust(LENGTH, character), *own]


def bounded() -> World:
    """The world at its bounds."""
    world = World()
    for number in range(CLAIMS):
        shared = "all-" if number < SHARING else f"pair-{number // 2:03d}-" if number < SHARING * 2 else f"{number}-"
        who = ("ana", "bo", "kit")[number % 3]
        paths = long_paths(number, shared)
        world.say(who, "claim.open", claim_id=claim(number + 1), paths=paths, expires_in=36_000.0 + number)
    for number in range(RECENT):
        world.say("zed", "observation", summary="first", session=2, seq=number + 1)
    for number in range(RECENT):
        paths = long_paths(number, "seen-", "\U00010348")[: PATHS - 1]
        parent = f"sha256:{number:064x}"
        world.say("zed", "observation", summary="x" * 900, session=2, seq=number + 1, paths=paths, parents=(parent,))
    return world


def ordinary() -> World:
    """As many events, and nothing else."""
    world = World()
    for number in range(CLAIMS + 2 * RECENT):
        world.say("ana", "observation", summary=f"number {number}")
    return world


class Scene:
    """A world as a session tells of it: each event judged and folded once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.snapshot = world.snapshot("truncated")
        self._ledger = Ledger.of(self.snapshot.events)
        self.snapshot = replace(self.snapshot, facts=self._ledger.facts())

    def next(self) -> Snapshot:
        """One event more, with the voice that tells of it."""
        record = self._world.say("lin", "observation", summary="one more")
        page = {"events": [self._world.record_json(record)], "page": {"after": None, "has_more": False}}
        page["page"] = {"after": None, "next_after": record.receipt.received_seq, "has_more": False}
        (told,) = read_events_page(json.loads(json.dumps(page))).events
        heard = Heard(told, Verdict.VERIFIED, "3f0a…")
        self._ledger.note(heard)
        before = self.snapshot
        after = before.heard((heard,), replace(before.history, through=record.receipt.received_seq))
        voice = next_voice(before, self._world)
        projection = replace(before.projection, state=ProjectionState.TRUNCATED, voice=voice)
        self.snapshot = replace(after, facts=self._ledger.facts(), projection=projection)
        return self.snapshot


def next_voice(before: Snapshot, world: World) -> Voice:
    """The voice of before with the newest records: what stays is decoded anew, as every answer is."""
    voice = before.projection.voice
    assert voice is not None
    newest = [world.record_json(record) for record in reversed(world.records[-RECENT:])]
    body = {
        "evaluated_at": voice.evaluated_at,
        "cursor": world.records[-1].receipt.received_seq,
        "projection_status": "truncated",
        "truncated": True,
        "recent_events": newest,
        "active_claims": _VOICES[id(world)]["active_claims"],
        "conflicts": _VOICES[id(world)]["conflicts"],
    }
    return read_voice(json.loads(json.dumps(body)))


_VOICES: dict[int, dict[str, object]] = {}


async def longest_turns(make: Callable[[], World]) -> list[float]:
    """The longest turn of the loop, in processor seconds, after each of some events that arrive."""
    world = make()
    _VOICES[id(world)] = json.loads(json.dumps(world.voice("truncated")))
    scene = Scene(world)
    session = FakeSession(world)
    session.show(scene.snapshot)
    app = CorrTui(lambda: _opened(session))
    longest: list[float] = []
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        gc.collect()
        for _ in range(TURNS):
            snapshot = scene.next()
            longest.append(await _longest(session, snapshot))
    return longest


async def _opened(session: FakeSession) -> FakeSession:
    return session


async def _longest(session: FakeSession, snapshot: Snapshot) -> float:
    """The longest of the turns that follow a snapshot."""
    session.show(snapshot)
    most, before = 0.0, process_time()
    for _ in range(200):
        await asyncio.sleep(0)
        now = process_time()
        most, before = max(most, now - before), now
    return most


def main() -> None:
    """Print the ratio of the two boards' longest turns, and whether the bound holds."""
    ours, theirs = asyncio.run(longest_turns(bounded)), asyncio.run(longest_turns(ordinary))
    mine, other = median(ours), median(theirs)
    title = "longest turn at the bounds ÷ ordinary board"
    print(f"{title:<58} {mine / other:6.2f}   {mine * 1e3:8.2f} ms / {other * 1e3:8.2f} ms")
    held = "held" if max(ours) <= MOST else "not held"
    print(f"{'worst turn at the bounds':<58} {max(ours) * 1e3:8.2f} ms   target ≤ {MOST * 1e3:.0f} ms: {held}")


if __name__ == "__main__":
    main()
