"""The scene played on the service, as a board would see it."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corr_tui.demo.scene import OPENING, SCENE
from corr_tui.demo.theatre import Theatre
from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.records import Voice
from corr_tui.state.border import Outcome
from corr_tui.state.snapshot import Snapshot


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where temporary homes are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
async def frozen(temporary: Path) -> AsyncIterator[Theatre]:
    """A theatre where everything has been played at once."""
    theatre = Theatre(frozen=True)
    yield theatre
    theatre.close()


async def test_everything_played_at_once_is_there_verified_and_complete(frozen: Theatre) -> None:
    session = await frozen.open()
    await session.refresh()
    snapshot = session.snapshot
    await session.close()
    assert len(snapshot.events) == sum(step.stored for step in SCENE)
    assert {heard.event.kind for heard in snapshot.events if heard.event} == set(KINDS)
    listed = {
        snapshot.name_of(e.event.sender.identity_id) for e in snapshot.events if e.event and e.verdict == "listed"
    }
    assert listed == {"zed"}
    assert all(heard.verdict.holds for heard in snapshot.events)
    assert snapshot.projection.state == "complete"
    voice = snapshot.projection.voice
    assert voice is not None
    check_conflicts(voice)


def check_conflicts(voice: Voice) -> None:
    """An overlap, branches, a session fork and a missing parent, as the service sees them (§7.1)."""
    claims = {claim.event_id: claim for claim in voice.active_claims}
    pairs = [(claims[row.left_event_id], claims[row.right_event_id]) for row in voice.conflicts.overlapping_claims]
    assert any({pair[0].scope.paths[0], pair[1].scope.paths[0]} == {"src/api", "src/api/client"} for pair in pairs)
    assert any(claim.conflicted for claim in voice.active_claims)
    assert [len(fork.event_ids) for fork in voice.conflicts.session_forks] == [2]
    assert len(voice.conflicts.missing_parents) == 1


async def test_whoever_sits_at_the_keyboard_acknowledges_for_real(frozen: Theatre) -> None:
    session = await frozen.open()
    await session.refresh()
    target = session.snapshot.events[-1]
    assert target.event is not None
    draft = Draft(kind="ack.seen", thread_id=target.event.thread_id, body={"target_event_id": target.event_id})
    sent = await session.send(await session.prepare(draft))
    assert session.snapshot.me is not None
    assert (sent.outcome, session.snapshot.me.name) == (Outcome.POSTED, "maya")
    await session.close()


async def test_the_opening_is_there_before_the_session_and_the_rest_unfolds(temporary: Path) -> None:
    theatre = Theatre(speed=1000)
    session = await theatre.open()
    opened = sum(step.stored for step in OPENING)
    whole = sum(step.stored for step in SCENE)

    async def until(count: int) -> Snapshot:
        async for snapshot in session.snapshots():
            if len(snapshot.events) >= count:
                return snapshot
        raise AssertionError("the session ended before the scene did")

    running = asyncio.create_task(session.run())
    try:
        assert len((await until(opened)).events) >= opened
        assert len((await until(whole)).events) == whole
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await session.close()
        theatre.close()
    assert theatre.interrupted == ""


async def test_nothing_is_left_behind(temporary: Path) -> None:
    theatre = Theatre(frozen=True)
    session = await theatre.open()
    await session.close()
    theatre.close()
    assert os.listdir(temporary) == []
    theatre.close()


async def test_a_scene_whose_service_is_gone_says_that_it_stopped_early(temporary: Path) -> None:
    theatre = Theatre(speed=1000)
    session = await theatre.open()
    await session.close()
    unfolding = theatre.unfolding
    assert unfolding is not None
    await asyncio.to_thread(theatre.close)
    await unfolding
    assert "stopped early" in theatre.interrupted
