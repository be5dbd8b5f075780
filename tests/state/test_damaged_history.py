"""A history whose file is damaged: what is lost is read again, and nobody is left with a part of it (§4, §8)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from corr_tui.state.history_file import HistoryFile
from corr_tui.state.kept import Kept, padded
from corr_tui.state.session import Session
from corr_tui.state.snapshot import Snapshot
from tests.state.fake_service import FakeService, refusing
from tests.state.virtual_time import settle

EVENTS = "/v1/correspondence/events"
COUNT = 40


def serving() -> FakeService:
    """A service with a history of some pages."""
    fake = FakeService(page_size=7)
    for number in range(COUNT):
        fake.world.say(("ana", "bo", "maya")[number % 3], "observation", summary=f"word{number}", thread="task:1")
    return fake


SERVICE = serving()


@pytest.fixture
def service() -> FakeService:
    return SERVICE


async def whole(session: Session) -> Snapshot:
    """The snapshot once the history is read and folded."""
    for _ in range(30):
        await session._following.refresher.now()
        await settle()
        if session.snapshot.history.complete:
            break
    return session.snapshot


async def kept(service: FakeService, home: Path) -> Path:
    """A home that has read it all; the file it is in."""
    async with service.open(home) as session:
        assert (await whole(session)).history.complete
    return home / "data" / "history.sqlite3"


async def check_whole(service: FakeService, home: Path, *, found: bool = True) -> Snapshot:
    """A session has all of it, however it came by it, and finds words in it."""
    async with service.open(home) as session:
        snapshot = await whole(session)
        assert snapshot.history.complete
        assert [each.event_id for each in snapshot.events] == [each.event.event_id for each in service.world.records]
        assert snapshot.history.count == COUNT
        assert {each.verdict.holds for each in snapshot.events} == {True}
        assert snapshot.facts is not None
        assert len(snapshot.facts.noted) == COUNT
        if found:
            assert [each.record.seq for each in await session.search("word17")] == [18]
        return snapshot


VALUES: dict[str, object] = {"no text": b"\xff\xfe", "a number": 7, "nothing": "", "bytes": b"{}", "text": "\x1b[2J"}


COLUMNS = [each for each in Kept._fields if each not in ("proved_under", "identity_id")]
CASES = [(column, value, (1, 20, COUNT)[at % 3]) for at, (column, value) in enumerate(product(COLUMNS, VALUES))]
CASES += [(column, "no text", seq) for column in ("cursor", "event_id", "raw") for seq in (1, 20, COUNT)]


@pytest.mark.parametrize(("column", "value", "seq"), CASES)
async def test_whatever_is_damaged_of_one_event_it_is_read_again_and_then_sound(
    column: str, value: str, seq: int, service: FakeService, tmp_path: Path
) -> None:
    path = await kept(service, tmp_path)
    before = sound(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        damaged = f"UPDATE event SET {column} = {'CAST(? AS TEXT)' if value == 'no text' else '?'} WHERE cursor = ?"
        connection.execute(damaged, (VALUES[value], padded(seq)))
    snapshot = await check_whole(service, tmp_path)
    assert (snapshot.history.trouble, snapshot.history.reset_from) == ("", None)
    assert sound(path) == before
    service.asked.clear()
    await check_whole(service, tmp_path)
    assert service.asked[f"GET {EVENTS}"] <= 2


def sound(path: Path) -> list[tuple[object, ...]]:
    """What is in a file, in the order of cursors, but for what is found out about an event anew."""
    columns = [each for each in Kept._fields if each not in ("proved_under", "verdict", "detail")]
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        return connection.execute(f"SELECT {', '.join(columns)} FROM event ORDER BY cursor").fetchall()


async def test_while_the_service_is_away_what_is_sound_is_shown(service: FakeService, tmp_path: Path) -> None:
    path = await kept(service, tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE event SET verdict = CAST(x'ff' AS TEXT) WHERE cursor = ?", (padded(20),))
    service.faults["*"] = refusing
    try:
        async with service.open(tmp_path) as session:
            await session.refresh()
            shown = [each.record.seq for each in session.snapshot.events]
            assert shown == [seq for seq in range(1, COUNT + 1) if seq != 20]
            assert not session.snapshot.history.complete
    finally:
        service.faults.clear()
    assert (await check_whole(service, tmp_path)).history.trouble == ""


@pytest.mark.parametrize("length", [0, 1, 100, 4096, 30_000])
async def test_a_file_that_was_cut_is_read_as_far_as_it_goes_or_not_at_all(
    length: int, service: FakeService, tmp_path: Path
) -> None:
    path = await kept(service, tmp_path)
    path.write_bytes(path.read_bytes()[:length])
    await check_whole(service, tmp_path)


def test_an_index_that_names_rows_for_ever_does_not_hold_up_opening(tmp_path: Path) -> None:
    """SQLite says that some rows are not in the index of words, whatever is written of them."""
    path = tmp_path / "history.sqlite3"
    with closing(HistoryFile(path)) as file:
        file.open()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO stream (id, place, project_id, repository_id) VALUES (1, '', '', '')")
        row = Kept(padded(1), "", "", b"", "", "", "", "", "", 0, None)
        marks = ", ".join("?" * len(row))
        connection.execute(
            f"INSERT INTO event (stream_id, indexed, {', '.join(row._fields)}) VALUES (1, 0, {marks})", row
        )
        connection.execute(
            "CREATE TRIGGER again AFTER UPDATE OF indexed ON event WHEN new.indexed BEGIN"
            " UPDATE event SET indexed = 0 WHERE id = new.id; END"
        )
    with closing(HistoryFile(path)) as file:
        file.open()
        assert file.searchable


def removed(path: Path) -> None:
    """Somebody cleared the folder."""
    for part in path.parent.glob(f"{path.name}*"):
        part.unlink()


def exchanged(path: Path) -> None:
    """Somebody put another file there."""
    removed(path)
    path.write_bytes(b"")


@pytest.mark.parametrize("take_away", [removed, exchanged])
async def test_a_file_that_is_taken_away_under_a_board_is_noticed_and_nothing_is_missing(
    take_away: Callable[[Path], None], tmp_path: Path
) -> None:
    service = serving()
    async with service.open(tmp_path) as session:
        await whole(session)
        take_away(tmp_path / "data" / "history.sqlite3")
        service.world.say("ana", "observation", summary="afterwards")
        snapshot = await whole(session)
        assert "taken away" in snapshot.history.trouble
        assert (snapshot.history.count, snapshot.history.earlier) == (COUNT + 1, 0)
        assert [each.record.seq for each in snapshot.events] == list(range(1, COUNT + 2))
        assert len(await session.search("afterwards")) == 1
        service.asked.clear()
        await session._following.refresher.now()
        assert service.asked[f"GET {EVENTS}"] == 1
    async with service.open(tmp_path) as session:
        snapshot = await whole(session)
        assert (snapshot.history.trouble, snapshot.history.count) == ("", COUNT + 1)
