"""Pins that are lost or damaged: it is said, and the keys the history was proved under stand in for them (§3)."""

from __future__ import annotations

import sqlite3
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from corr_tui.state.snapshot import Snapshot, Verdict
from tests.state.fake_service import FakeService


@pytest.fixture
def service() -> FakeService:
    fake = FakeService()
    for number in range(30):
        fake.world.say(("ana", "bo", "kit")[number % 3], "observation", summary=str(number))
    return fake


def removed(path: Path) -> None:
    """The file is gone."""
    path.unlink()


def overwritten(path: Path) -> None:
    """It is no database."""
    path.write_bytes(b"\xff\x00no database" * 800)


def emptied(path: Path) -> None:
    """There is nothing in it."""
    path.write_bytes(b"")


def keys_damaged(path: Path) -> None:
    """The keys are none."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE pinned_key SET public_key = CAST(x'ff' AS TEXT)")


def identities_damaged(path: Path) -> None:
    """Whose keys they are is not known."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE pinned_key SET identity_id = CAST(x'fffe' AS TEXT)")


async def seen(service: FakeService, home: Path) -> Snapshot:
    """What a session shows."""
    async with service.open(home, me=None) as session:
        await session.refresh()
        return session.snapshot


@pytest.mark.parametrize("ruin", [removed, overwritten, emptied, keys_damaged, identities_damaged])
async def test_a_key_that_changed_while_its_pin_was_lost_is_found_out(
    ruin: Callable[[Path], None], service: FakeService, tmp_path: Path
) -> None:
    first = await seen(service, tmp_path)
    assert (first.troubles.pins, {each.verdict for each in first.events}) == ("", {Verdict.LISTED})
    ruin(tmp_path / "data" / "trust.sqlite3")
    other = b64encode(bytes(32 - 1) + b"\x01").decode()
    service.key_changes["bo"] = {"public_key": other}
    snapshot = await seen(service, tmp_path)
    bo = service.world.people["bo"].sender().identity_id
    for each in snapshot.events:
        assert each.event is not None
        changed = each.event.sender.identity_id == bo
        assert each.verdict is (Verdict.KEY_CHANGED if changed else Verdict.VERIFIED)
    assert "3 keys under which the history kept here was proved stand in for them" in snapshot.troubles.pins


async def test_pins_that_are_whole_are_no_trouble(service: FakeService, tmp_path: Path) -> None:
    await seen(service, tmp_path)
    snapshot = await seen(service, tmp_path)
    assert (snapshot.troubles.pins, {each.verdict for each in snapshot.events}) == ("", {Verdict.VERIFIED})


async def test_a_key_kept_beside_an_event_that_it_did_not_sign_is_not_pinned(
    service: FakeService, tmp_path: Path
) -> None:
    await seen(service, tmp_path)
    removed(tmp_path / "data" / "trust.sqlite3")
    with closing(sqlite3.connect(tmp_path / "data" / "history.sqlite3")) as connection, connection:
        connection.execute("UPDATE event SET proved_under = ?", (bytes(32),))
    snapshot = await seen(service, tmp_path)
    assert {each.verdict.holds for each in snapshot.events} == {True}
    assert Verdict.KEY_CHANGED not in {each.verdict for each in snapshot.events}
