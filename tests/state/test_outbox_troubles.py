"""An outbox that is damaged, in a part or as a whole: nothing of it is called sent, or none (experience: honesty 1)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from corr_tui.protocol.compose import Draft
from corr_tui.state.session import Session
from corr_tui.state.snapshot import Snapshot
from tests.state.fake_service import FakeService, refusing

EVENTS = "/v1/correspondence/events"
EVIL = "\x1b]0;x\x07\u202e"


def unposted(request: httpx.Request) -> httpx.Response | None:
    """Nobody takes an event."""
    return refusing(request) if request.method == "POST" else None


async def kept(service: FakeService, home: Path, *summaries: str) -> None:
    """Events that were signed and could not be posted."""
    service.faults[EVENTS] = unposted
    async with service.open(home) as session:
        for summary in summaries:
            await say(session, summary)
        assert len(session.snapshot.unsent) == len(summaries)


async def say(session: Session, summary: str) -> None:
    """Mean one event."""
    draft = Draft(kind="observation", thread_id="task:1", body={"summary": summary})
    await session.send(await session.prepare(draft))


async def looked(service: FakeService, home: Path) -> Snapshot:
    """What a new session shows of it."""
    async with service.open(home) as session:
        await session.refresh()
        return session.snapshot


def outbox(home: Path) -> Path:
    """The file."""
    return home / "state" / "outbox.sqlite3"


def cut(path: Path) -> None:
    """Half of the file is gone."""
    path.write_bytes(path.read_bytes()[:5000])


def overwritten(path: Path) -> None:
    """Something else is in its place."""
    path.write_bytes(b"\x00\xffno database" * 900)


def replaced(path: Path) -> None:
    """A folder is in its place."""
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("ruin", [cut, overwritten, replaced])
async def test_an_outbox_that_cannot_be_read_is_said_and_no_empty_one(
    ruin: Callable[[Path], None], tmp_path: Path
) -> None:
    service = FakeService()
    await kept(service, tmp_path, "one")
    ruin(outbox(tmp_path))
    snapshot = await looked(service, tmp_path)
    assert snapshot.troubles.outbox.startswith("the outbox of this installation cannot be used: ")
    assert snapshot.history.complete


async def test_an_outbox_that_can_be_read_again_is_no_trouble_any_more(tmp_path: Path) -> None:
    service = FakeService()
    await kept(service, tmp_path, "one")
    whole = outbox(tmp_path).read_bytes()
    async with service.open(tmp_path) as session:
        overwritten(outbox(tmp_path))
        await session.refresh()
        assert session.snapshot.troubles.outbox
        outbox(tmp_path).write_bytes(whole)
        await session.refresh()
        assert (session.snapshot.troubles.outbox, len(session.snapshot.unsent)) == ("", 1)


COLUMNS = ("raw", "state", "reason", "stored_at", "session_id")
VALUES: dict[str, object] = {"other words": EVIL, "no text": b"\xff\xfe\x80", "a number": 7, "nothing": ""}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("column", COLUMNS)
async def test_a_damaged_row_is_counted_or_shown_and_holds_up_no_other(column: str, value: str, tmp_path: Path) -> None:
    """Whatever is damaged of one event, it is there, and the other one is posted."""
    service = FakeService()
    await kept(service, tmp_path, "one", "two")
    with closing(sqlite3.connect(outbox(tmp_path))) as connection, connection:
        cast = "CAST(? AS TEXT)" if column != "raw" else "?"
        connection.execute(f"UPDATE unsent SET {column} = {cast} WHERE session_seq = 1", (VALUES[value],))
    snapshot = await looked(service, tmp_path)
    assert snapshot.troubles.outbox == ""
    assert len(snapshot.unsent) + len(snapshot.troubles.damaged) == 2
    assert bool(snapshot.troubles.damaged) is (column == "raw")
    assert replace(snapshot.troubles, damaged=()) == Snapshot("").troubles
    del service.faults[EVENTS]
    async with service.open(tmp_path) as session:
        await session.deliver()
        said = [record.event.evidence["body"]["summary"] for record in service.world.records]
        assert "two" in said
        assert (len(session.snapshot.troubles.damaged), session.snapshot.unsent) == (int(column == "raw"), ())
