"""A scene for the panels' tests, and what a content says as plain text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from corr_tui.state.snapshot import Heard, Snapshot, Verdict, instant
from corr_tui.ui.layout import width_of
from corr_tui.ui.line import Content, Ink, Layout, Line, View
from tests.correspondents import World, claim

COMMIT = "ab12cd3" + "0" * 33
ABSENT = "sha256:" + "9d02" * 16


def scene() -> World:
    """Six participants: overlaps, branches, a fork, a missing parent, a pause, a rest whose time passed."""
    world = World()
    say = world.say
    intent = say("ana", "intent", summary="Move retries into the client, with full jitter", paths=["src/api/client"])
    opened = say("bo", "claim.open", claim_id=claim(1), paths=["src/api"], expires_in=3600)
    say("ana", "ack.seen", target=opened)
    say("bo", "claim.renew", predecessor=opened, expires_in=4000)
    say("ana", "claim.open", claim_id=claim(2), paths=["src/api/client"], expires_in=900)
    docs = say("kit", "claim.open", claim_id=claim(3), paths=["docs"], expires_in=3600, thread="task:40")
    say("kit", "claim.renew", predecessor=docs, expires_in=3700, device=2, session=2)
    say("kit", "claim.renew", predecessor=docs, expires_in=3700)
    packages = ["packages/sdk-py", "packages/sdk-ts", "tools"]
    say("lin", "claim.open", claim_id=claim(4), paths=packages, expires_in=5600, thread="task:41")
    say("zed", "claim.open", claim_id=claim(5), paths=["scripts/ci"], expires_in=300, thread="task:39")
    artifact = {"kind": "git_commit", "revision": COMMIT}
    paths = ["src/api/client"]
    offer = say("ana", "artifact.offer", artifact=artifact, summary="Cap at 30 s", parents=(intent,), paths=paths)
    say("bo", "ack.seen", target=offer)
    passes = say("zed", "observation", summary="Suite passes", seq=7, thread="task:39")
    fails = say("zed", "observation", summary="Suite fails on arm64, 2 of 3", seq=7, thread="task:39")
    say("maya", "conflict.raise", targets=(passes, fails), summary="one session", thread="task:39")
    say("kit", "pause", until=instant(world.now + timedelta(hours=2)), thread="task:40")
    say("lin", "rest", until=instant(world.now + timedelta(seconds=1)), thread="task:41")
    say("zed", "observation", summary="Flaky only when the cache is cold", parents=(ABSENT,))
    say("bo", "repair", targets=(passes,), summary="The cap is 30 s, not 3")
    say("lin", "close", thread="task:31")
    return world


def every_kind(words: str = "said") -> World:
    """One event of each of the 21 kinds, with the same words wherever there may be some."""
    world = World()
    first = world.say("ana", "intent", summary=words)
    opened = world.say("ana", "claim.open", claim_id=claim(1), paths=["src/api"], expires_in=600)
    renewed = world.say("ana", "claim.renew", predecessor=opened, expires_in=900)
    world.say("ana", "claim.release", predecessor=renewed, detail=words)
    for kind in ("progress", "observation"):
        world.say("bo", kind, summary=words)
    offer = world.say("ana", "artifact.offer", artifact={"kind": "git_commit", "revision": COMMIT}, summary=words)
    for ack in ("seen", "understood", "accepted", "rejected"):
        world.say("bo", f"ack.{ack}", target=offer, detail=words)
    world.say("bo", "ack.applied", target=offer, result_revision=COMMIT, detail=words)
    raised = world.say("kit", "conflict.raise", targets=(first, offer), summary=words)
    world.say("kit", "conflict.resolve", targets=(raised,), summary=words, result_revision=COMMIT)
    paused = world.say("kit", "pause", until=instant(world.now + timedelta(hours=1)), detail=words)
    world.say("lin", "rest", detail=words)
    world.say("kit", "resume", target=paused, detail=words)
    world.say("lin", "refusal", target=offer, detail=words)
    world.say("lin", "handoff", summary=words, next_safe_action=words)
    world.say("maya", "repair", targets=(first,), summary=words)
    world.say("maya", "close", summary=words)
    return world


def looking(world: World, layout: Layout = Layout.WIDE, **changes: Any) -> View:
    """A view two seconds after the world's now."""
    view = View(now=world.now + timedelta(seconds=2), monotonic=2.0, layout=layout, height=40)
    return replace(view, **changes)


def with_verdict(snapshot: Snapshot, number: int, verdict: Verdict, detail: str = "") -> Snapshot:
    """The snapshot with another verdict on one event; numbers begin at 1."""
    changed: Heard = replace(snapshot.events[number - 1], verdict=verdict, detail=detail)
    return snapshot.heard((changed,), snapshot.history)


def said(line: Line) -> str:
    """A line without its inks."""
    return "".join(span.text for span in line)


def lines_of(content: Content) -> Iterator[Line]:
    """Every line that is as wide as the panel."""
    if content.columns:
        yield content.columns
    for row in content.rows:
        yield from row.lines
    yield from (*content.empty, *content.foot, *content.banner)


def page(content: Content) -> str:
    """A content as text: the rule in one line, then every line, without blanks at their ends."""
    rule = " | ".join(part for part in (content.title, content.scope, said(content.info)) if part)
    return "\n".join([rule, *(said(line).rstrip() for line in lines_of(content))])


def inks(content: Content, words: str) -> set[Ink]:
    """The inks in which a content says some words."""
    every = (*lines_of(content), content.info)
    return {span.ink for line in every for span in line if words in span.text}


def check(content: Content, width: int) -> None:
    """Every line exactly as wide as the panel, and no character anywhere that a terminal would obey or hide."""
    for line in lines_of(content):
        assert width_of(line) == width, said(line)
    for text in (content.title, content.scope, said(content.info), *map(said, lines_of(content))):
        for character in text:
            assert unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}, repr(text)
