"""An afternoon in which something of every reason wants maya's eyes, or does not any more."""

from __future__ import annotations

from dataclasses import replace

from corr_tui.state.snapshot import Heard, Snapshot, Unsent, UnsentState, Verdict
from tests.correspondents import World, claim

REVISION = "ab12cd3f" + "0" * 32


def triage_scene() -> tuple[World, Snapshot]:
    """The world, and what maya's board would draw of it."""
    world = World()
    say = world.say
    mine = say("maya", "observation", summary="The cap is 3 s", thread="task:39")
    say("maya", "claim.open", claim_id=claim(1), paths=["README.md"], expires_in=60, thread="task:40")
    say("maya", "claim.open", claim_id=claim(2), paths=["src/ui"], expires_in=400)
    say("maya", "claim.open", claim_id=claim(3), paths=["src/api"], expires_in=4000)
    say(
        "zed", "artifact.offer", artifact={"kind": "git_patch", "digest": "sha256:" + "5d20" * 16}, summary="Cache keys"
    )
    for words in ("Suite passes", "Suite fails"):
        say("maya", "progress", summary=words, seq=7, thread="task:39")
    world.now = world.now.replace(minute=4)
    no_key = say("lin", "progress", summary="Half of it is moved", thread="task:39")
    mismatch = say("zed", "observation", summary="Flaky only when the cache is cold")
    say("lin", "repair", targets=(mine,), summary="The cap is 30 s, not 3", thread="task:39")
    one, other = (say("bo", "observation", summary=each, thread="task:39") for each in ("it is on", "it is off"))
    say("maya", "conflict.raise", targets=(one, other), summary="one switch, two reports", thread="task:39")
    intent = say("bo", "intent", summary="Retries belong in one place")
    seen = say("ana", "intent", summary="Move retries into the client")
    say("maya", "ack.understood", target=seen)
    say("ana", "claim.open", claim_id=claim(4), paths=["src/api/client"], expires_in=3000)
    artifact = {"kind": "git_commit", "revision": REVISION}
    words = "Retry with full jitter, cap at 30 s"
    say("ana", "artifact.offer", artifact=artifact, summary=words, parents=(seen,), paths=["src/api/client"])
    snapshot = world.snapshot()
    judged = (judge(snapshot, no_key.seq, Verdict.NO_KEY), judge(snapshot, mismatch.seq, Verdict.MISMATCH))
    unsent = (
        Unsent(world.event("maya", "ack.seen", target=one), UnsentState.UNKNOWN),
        Unsent(
            world.event("maya", "progress", summary="Trying it with the cap"), UnsentState.REFUSED, "no such thread"
        ),
    )
    assert intent.seq < seen.seq
    return world, replace(snapshot.heard(judged, snapshot.history), unsent=unsent)


def judge(snapshot: Snapshot, seq: int, verdict: Verdict) -> Heard:
    """An event with another verdict."""
    return replace(snapshot.events[seq - 1], verdict=verdict, detail="")
