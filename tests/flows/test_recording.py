"""A session that was recorded against a real service shows the same again without one."""

from __future__ import annotations

import asyncio
import io
import json
import platform
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from corr_tui.client.recorded import Recording
from corr_tui.client.recorder import Recorder
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import EventRefused
from corr_tui.state.home import Home
from corr_tui.state.played import NOTHING_SENT, PlayedSession
from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState, Snapshot, Verdict

from .running import REPOSITORY_ID, Running, live, observation, posted, send, summaries, until


@asynccontextmanager
async def recording(running: Running, path: Path, name: str | None = "maya") -> AsyncIterator[Session]:
    """Somebody's session while it runs and is recorded."""
    connection = running.connection(name)
    recorder = Recorder(io.FileIO(path, "x"))
    recorder.begin(
        connection.base_url,
        REPOSITORY_ID,
        identity_id=connection.identity_id,
        secrets=(connection.bearer, connection.seed.hex() if connection.seed else ""),
    )
    session = Session(replace(connection, recorder=recorder), running.home(name))
    task = asyncio.create_task(session.run())
    try:
        yield session
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await session.close()
        recorder.close()
        assert recorder.trouble == ""


async def played(path: Path, home: Path, speed: float | None = None) -> Snapshot:
    """The snapshot a recording ends with."""
    session = PlayedSession(Recording(path), Home.under(home), speed)
    task = asyncio.create_task(session.run())
    try:
        return await until(session, lambda snapshot: snapshot.link.state is LinkState.ENDED)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await session.close()


def shown(snapshot: Snapshot) -> dict[str, object]:
    """What of a snapshot is the same however and wherever it came about."""
    return {
        "project": (snapshot.project_id, snapshot.project_name, snapshot.repository_id),
        "events": [(heard.record, heard.verdict, heard.detail, heard.genuine) for heard in snapshot.events],
        "identities": dict(snapshot.identities),
        "voice": snapshot.projection.voice,
        "claims": snapshot.projection.claims,
        "state": (snapshot.projection.state, snapshot.projection.error),
        "history": snapshot.history,
        "computed": snapshot.computed,
        "differs": snapshot.differs,
    }


def settled(snapshot: Snapshot) -> bool:
    """Whether everything in a snapshot is of the same event."""
    voice, computed, through = snapshot.projection.voice, snapshot.computed, snapshot.history.through
    if voice is None or computed is None or not snapshot.events:
        return False
    newest = snapshot.events[-1].record.receipt.received_seq
    return live(snapshot) and {voice.cursor, computed.through, newest} == {through}


def claim(claim_id: str, *paths: str) -> Draft:
    """A draft of a new claim."""
    body = {"claim_id": claim_id, "generation": 1, "expires_at": "2099-01-01T00:00:00.000Z"}
    return Draft(kind="claim.open", thread_id="task:1", body=body, paths=paths)


@pytest.mark.parametrize("speed", [None, 20.0])
async def test_a_recording_plays_to_the_snapshot_it_was_made_of(
    running: Running, tmp_path: Path, speed: float | None
) -> None:
    await running.say("ana", "before")
    async with running.watching("maya") as earlier:  # ana's key is pinned, bo's is not
        await until(earlier, live)
    path = tmp_path / "of.jsonl"
    async with recording(running, path) as session:
        await until(session, live)
        async with running.watching("bo") as bo:
            await until(bo, live)
            posted(await send(bo, claim("00000000-0000-4000-8000-000000000001", "src")))
            posted(await send(bo, claim("00000000-0000-4000-8000-000000000002", "src/api", "docs")))
        posted(await send(session, observation("mine")))
        before = await until(
            session,
            lambda snapshot: settled(snapshot) and len(snapshot.events) == 4,
        )
    after = await played(path, tmp_path / "elsewhere", speed)
    assert shown(after) == shown(before)
    assert {heard.verdict for heard in after.events} == {Verdict.VERIFIED, Verdict.LISTED}
    assert after.projection.voice is not None
    assert after.projection.voice.conflicts.overlapping_claims


async def test_a_recording_outlives_a_service_that_was_away(running: Running, tmp_path: Path) -> None:
    path = tmp_path / "of.jsonl"
    async with recording(running, path) as session:
        await until(session, live)
        await running.say("ana", "one")
        await until(session, lambda snapshot: summaries(snapshot) == ["one"])
        await asyncio.to_thread(running.stop)
        await until(session, lambda snapshot: snapshot.link.state is not LinkState.LIVE)
        await asyncio.to_thread(running.start)
        await running.say("bo", "two")
        before = await until(session, lambda snapshot: settled(snapshot) and summaries(snapshot) == ["one", "two"])
    assert any('"is":"lost"' in line for line in path.read_text("utf-8").splitlines())
    assert shown(await played(path, tmp_path / "elsewhere")) == shown(before)


async def test_frames_of_a_recording_reach_the_session_at_their_times(running: Running, tmp_path: Path) -> None:
    path = tmp_path / "of.jsonl"
    async with recording(running, path) as session:
        await until(session, live)
        await running.say("ana", "by a frame")
        await until(session, lambda snapshot: len(snapshot.events) == 1)
    session = PlayedSession(Recording(path), Home.under(tmp_path / "elsewhere"), 0.25)
    task = asyncio.create_task(session.run())
    try:
        quiet = await until(session, live)
        told = await until(session, lambda snapshot: snapshot.events)
        assert (quiet.events, told.link.state, summaries(told)) == ((), LinkState.LIVE, ["by a frame"])
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await session.close()


async def test_nothing_can_be_sent_to_a_recording_and_its_clock_is_that_of_then(
    running: Running, tmp_path: Path
) -> None:
    path = tmp_path / "of.jsonl"
    async with recording(running, path) as session:
        before = await until(session, live)
    header, *rest = path.read_text("utf-8").splitlines()
    then = header.replace('"began":"20', '"began":"19')  # a century ago by the machine, and by the service
    assert then != header
    years = [line.replace(" 20", " 19") if '"date"' in line else line for line in rest]
    path.write_text("\n".join([then, *years]) + "\n", "utf-8")
    session = PlayedSession(Recording(path), Home.under(tmp_path / "elsewhere"), None)
    task = asyncio.create_task(session.run())
    try:
        after = await until(session, lambda snapshot: snapshot.link.state is LinkState.ENDED)
        assert after.me is not None
        assert before.me is not None
        assert (after.me.identity_id, after.me.can_sign, after.me.hindrance) == (
            before.me.identity_id,
            False,
            NOTHING_SENT,
        )
        assert after.clock.service_time is not None
        assert str(after.clock.service_time.year).startswith("19")
        with pytest.raises(EventRefused, match=NOTHING_SENT):
            await session.prepare(observation("no"))
        await session.refresh()
        session.hold()
        session.release()
        assert session.snapshot == after
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await session.close()


async def test_no_secret_and_nothing_of_this_machine_is_in_a_recording(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "node", lambda: "the-name-of-this-machine")
    path = tmp_path / "of.jsonl"
    key = running.seeds["maya"][2].hex()
    async with recording(running, path) as session:
        await until(session, live)
        posted(await send(session, observation(f"an echo of {running.bearer} and {key}")))
        await until(session, lambda snapshot: snapshot.events)
    written = path.read_text("utf-8")
    assert "an echo of [blanked] and [blanked]" in posts_in(written)
    for secret in (running.bearer, key, str(tmp_path), platform.node()):
        assert secret not in written
    assert '"authorization"' not in written.lower()


def posts_in(written: str) -> str:
    """The bodies that were posted."""
    lines = [json.loads(line) for line in written.splitlines()]
    return "".join(line["text"] for line in lines if line["is"] == "ask" and line["method"] == "POST")
