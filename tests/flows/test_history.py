"""A board over restarts of itself and of the service, and over another database behind the same address (§4, §8)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from corr_tui.state.snapshot import Snapshot, Verdict
from tests.flows.running import Running, live, until


def summaries(snapshot: Snapshot) -> list[str]:
    """What was said, in receipt order."""
    return [heard.event.evidence["body"]["summary"] for heard in snapshot.events if heard.event]


async def test_a_board_that_starts_again_shows_what_it_knew_and_what_was_said_meanwhile(running: Running) -> None:
    await running.say("ana", "one")
    async with running.watching("maya") as board:
        await until(board, lambda snapshot: snapshot.history.complete and live(snapshot))
    await running.say("bo", "two")
    async with running.watching("maya") as board:
        snapshot = await until(board, lambda snapshot: snapshot.history.count == 2 and snapshot.history.complete)
        assert summaries(snapshot) == ["one", "two"]
        assert snapshot.events[0].verdict is Verdict.VERIFIED
        assert (snapshot.history.reset_from, snapshot.history.trouble) == (None, "")


async def test_two_boards_of_one_home_follow_the_same_history(running: Running) -> None:
    async with running.watching("maya") as first, running.watching("bo", home="maya") as second:
        for board in (first, second):
            await until(board, live)
        for number in range(10):
            await running.say("ana", str(number))
        for board in (first, second):
            snapshot = await until(board, lambda snapshot: snapshot.history.count == 10)
            assert summaries(snapshot) == list("0123456789")
    async with running.watching("maya") as board:
        snapshot = await until(board, lambda snapshot: snapshot.history.complete)
        assert (summaries(snapshot), snapshot.history.count) == (list("0123456789"), 10)


async def test_a_new_database_behind_the_same_address_is_told_and_not_mixed(running: Running, tmp_path: Path) -> None:
    """A board that watches, and one that starts later, both notice; the address, project and bearer are the same."""
    with closing(sqlite3.connect(tmp_path / "service.sqlite3")) as empty:
        empty.execute(f"VACUUM INTO '{tmp_path / 'another.sqlite3'}'")
    for words in ("one", "two", "three"):
        await running.say("ana", words)
    async with running.watching("bo") as watching:
        async with running.watching("maya") as board:
            await until(board, lambda snapshot: snapshot.history.complete)
        await until(watching, lambda snapshot: live(snapshot) and snapshot.history.count == 3)
        running.stop()
        replaced(tmp_path / "service.sqlite3", tmp_path / "another.sqlite3")
        running.start()
        await running.say("ana", "another")
        snapshot = await until(
            watching, lambda snapshot: snapshot.history.complete and summaries(snapshot)[:1] == ["another"]
        )
        assert (summaries(snapshot), snapshot.history.reset_from) == (["another"], "3")
    async with running.watching("maya") as board:
        snapshot = await until(board, lambda snapshot: snapshot.history.complete and snapshot.projection.voice)
        assert (summaries(snapshot), snapshot.history.reset_from) == (["another"], "3")


def replaced(file: Path, by: Path) -> None:
    """Put another database in place of one that is closed."""
    for part in file.parent.glob(f"{file.name}*"):
        part.unlink()
    by.rename(file)
