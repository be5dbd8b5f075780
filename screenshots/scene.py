"""One fixed afternoon of six correspondents: what the pictures of the board show, and what its snapshot tests compare.

Nothing in it depends on the time or on chance: the clock is the world's, and every key is a public test key.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.correspondents import World, claim

from corr_tui.protocol.records import Record
from corr_tui.state.snapshot import Heard, Snapshot, Unsent, Verdict, instant

REVISION = "ab12cd3f" + "0" * 32


def scene() -> tuple[World, Snapshot]:
    """The world and what maya's board draws of it."""
    world = World()
    _earlier(world)
    _claims(world)
    flaky, offer = _talk(world)
    world.now += timedelta(seconds=21)
    snapshot = world.snapshot()
    heard = tuple(_verdicts(snapshot, flaky))
    unsent = (Unsent(world.event("maya", "ack.seen", target=offer)),)
    return world, replace(snapshot.heard(heard, snapshot.history), unsent=unsent)


def _verdicts(snapshot: Snapshot, flaky: Record) -> list[Heard]:
    changed = []
    for place, heard in enumerate(snapshot.events):
        if heard.record.seq == flaky.seq:
            heard = replace(heard, verdict=Verdict.NO_KEY, detail="")
        elif place in (2, 7):
            heard = replace(heard, verdict=Verdict.LISTED)
        changed.append(heard)
    return changed


def before_the_last(snapshot: Snapshot, count: int) -> Snapshot:
    """The same afternoon before its last events came."""
    nothing = replace(snapshot, events=(), by_id={})
    return nothing.heard(snapshot.events[:-count], snapshot.history)


def _at(world: World, minutes: float) -> None:
    world.now += timedelta(minutes=minutes)


def _earlier(world: World) -> None:
    """Threads that are closed, quiet or handed on."""
    for thread, words in (("task:28", "icons"), ("task:31", "lint rules"), ("task:38", "auth copy")):
        world.say("lin", "intent", thread=thread, summary=words)
        world.say("lin", "progress", thread=thread, summary=f"{words} merged")
        world.say("lin", "close", thread=thread)
        _at(world, 2)
    for thread, words in (("ops:release", "0.9"), ("task:43", "changelog"), ("task:45", "upload limits")):
        world.say("maya", "intent", thread=thread, summary=words)
        _at(world, 1)
    world.say("lin", "intent", thread="task:41", summary="sdk types")
    world.say("kit", "intent", thread="task:40", summary="docs")


def _claims(world: World) -> None:
    """Claims that branch, overlap and expire soon, and a session that forks."""
    docs = world.say("kit", "claim.open", thread="task:40", paths=["docs"], claim_id=claim(1), expires_in=5400)
    second = world.say("kit", "claim.renew", thread="task:40", predecessor=docs, expires_in=5400)
    world.say("kit", "claim.renew", thread="task:40", predecessor=second, expires_in=5400)
    world.say("kit", "claim.renew", thread="task:40", predecessor=second, expires_in=5500, device=2)
    _at(world, 3)
    quickstart = world.say("kit", "intent", thread="task:40", summary="Rewrite the quickstart around one command")
    world.say("maya", "ack.understood", thread="task:40", target=quickstart)
    paths = ["packages/sdk-ts", "packages/sdk-py", "docs/sdk"]
    world.say("lin", "claim.open", thread="task:41", paths=paths, claim_id=claim(2), expires_in=7500)
    _at(world, 4)
    retries = world.say("bo", "intent", summary="Retries belong in one place")
    world.say("ana", "ack.seen", target=retries)
    world.say("bo", "progress", summary="Backoff table sketched, caps still open")
    _at(world, 2)
    world.say("zed", "claim.open", thread="task:39", paths=["scripts/ci"], claim_id=claim(3), expires_in=760)
    world.say("kit", "pause", thread="task:40", until=instant(world.now + timedelta(hours=2)))
    passes = world.event("zed", "observation", thread="task:39", summary="Suite passes on arm64", seq=7)
    fails = world.event("zed", "observation", thread="task:39", summary="Suite fails on arm64, 2 of 318", seq=7)
    first, other = world.store(passes), world.store(fails)
    world.say(
        "maya",
        "conflict.raise",
        thread="task:39",
        targets=(first, other),
        summary="one session, one number, two reports",
    )
    _at(world, 1)
    half = world.say(
        "lin",
        "handoff",
        thread="task:39",
        summary="CI cache is half migrated; keys renamed, restore step is not",
        next_safe_action="Read the restore step before you run it",
    )
    world.say("maya", "ack.accepted", thread="task:39", target=half)
    world.say("lin", "rest", thread="task:39", until=instant(world.now + timedelta(minutes=4)))
    _at(world, 6)


def _talk(world: World) -> tuple[Record, Record]:
    """The thread the board is opened on; returns the event without a known key, and the offer."""
    opened = world.say("bo", "claim.open", paths=["src/api"], claim_id=claim(4), expires_in=3000)
    renewed = world.say("bo", "claim.renew", predecessor=opened, expires_in=3000)
    client = world.say("ana", "claim.open", paths=["src/api/client"], claim_id=claim(5), expires_in=1100)
    world.say("ana", "ack.seen", target=client)
    world.say("bo", "claim.renew", predecessor=renewed, expires_in=3000)
    move = world.say("ana", "intent", summary="Move retries into the client")
    world.say("bo", "ack.seen", target=move)
    flaky = world.say(
        "zed", "observation", summary="Flaky only when the cache is cold", parents=("sha256:" + "9d02" * 16,)
    )
    offer = world.say(
        "ana",
        "artifact.offer",
        artifact={"kind": "git_commit", "revision": REVISION},
        summary="Retry with full jitter, cap at 30 s",
        parents=(move,),
    )
    world.say("bo", "ack.seen", target=offer)
    world.say("zed", "intent", thread="task:44", summary="metrics")
    world.say("bo", "repair", targets=(renewed,), summary="The cap is 30 s, not 60 s")
    return flaky, offer
