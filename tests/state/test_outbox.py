"""Reserve, sign and store as one; a number once taken is never taken again (§4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from corr_tui.protocol.compose import Draft, compose
from corr_tui.protocol.event import Core, Event
from corr_tui.protocol.signing import event_jcs, sign
from corr_tui.state.outbox import Outbox, OutboxRefused, SequenceTaken
from corr_tui.state.snapshot import UnsentState
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World

PERSON = World().people["ana"]
SESSION = PERSON.sender().session_id


def core(seq: int, summary: str = "hello", session: int = 1) -> Core:
    """A prepared core."""
    return compose(
        Draft(kind="observation", thread_id="task:1", body={"summary": summary}),
        project_id=PROJECT_ID,
        repository_id=REPOSITORY_ID,
        sender=PERSON.sender(session=session),
        session_seq=seq,
        issued_at="2026-05-14T13:00:00.000Z",
    )


def signed(prepared: Core) -> Event:
    """Sign with the fixed key."""
    return sign(prepared.evidence, PERSON.seed)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "outbox.sqlite3"


@pytest.fixture
def outbox(path: Path) -> Outbox:
    return Outbox(path, "local")


def waiting(outbox: Outbox) -> list[tuple[str, UnsentState]]:
    """What still waits: summaries and states."""
    return [
        (stored.event.evidence["body"]["summary"], stored.state) for stored in outbox.waiting(PROJECT_ID, REPOSITORY_ID)
    ]


def test_the_stored_bytes_are_the_canonical_event_and_private(outbox: Outbox, path: Path) -> None:
    stored = outbox.store(core(1), signed)
    assert stored.raw == event_jcs(stored.event.evidence)
    (read,) = outbox.waiting(PROJECT_ID, REPOSITORY_ID)
    assert (read.raw, read.event.event_id) == (stored.raw, stored.event.event_id)
    assert path.stat().st_mode & 0o777 == 0o600


def test_numbers_follow_each_other_whatever_becomes_of_their_events(outbox: Outbox) -> None:
    """`session_seq` starts at one and increases (§4)."""
    assert outbox.next_seq(SESSION) == 1
    first = outbox.store(core(1), signed)
    outbox.settle(first.event.event_id)
    second = outbox.store(core(2), signed)
    outbox.refuse(second.event.event_id, "no")
    assert outbox.next_seq(SESSION) == 3
    assert outbox.next_seq(PERSON.sender(session=2).session_id) == 1


@pytest.mark.parametrize("seq", [1, 3])
def test_a_number_that_is_not_the_next_is_not_taken(seq: int, outbox: Outbox) -> None:
    outbox.store(core(1), signed)
    with pytest.raises(SequenceTaken):
        outbox.store(core(seq), signed)
    assert outbox.next_seq(SESSION) == 2


def test_a_signature_that_fails_takes_no_number(outbox: Outbox) -> None:
    def fail(_: Core) -> Event:
        raise RuntimeError("the key is gone")

    with pytest.raises(RuntimeError):
        outbox.store(core(1), fail)
    assert outbox.next_seq(SESSION) == 1
    assert waiting(outbox) == []


def test_processes_at_once_take_a_number_once(path: Path) -> None:
    def attempt(number: int) -> bool:
        try:
            Outbox(path, "local").store(core(1, f"{number}"), signed)
        except SequenceTaken:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(16))) == 1
    assert len(waiting(Outbox(path, "local"))) == 1


def test_a_later_process_finds_what_an_earlier_one_left(path: Path, outbox: Outbox) -> None:
    outbox.store(core(1, "first"), signed)
    doubtful = outbox.store(core(2, "second"), signed)
    refused = outbox.store(core(3, "third"), signed)
    outbox.doubt(doubtful.event.event_id)
    outbox.refuse(refused.event.event_id, "no")
    assert waiting(Outbox(path, "local")) == [("first", UnsentState.UNSENT), ("second", UnsentState.UNKNOWN)]


def test_events_for_another_service_project_or_repository_wait_for_theirs(path: Path, outbox: Outbox) -> None:
    outbox.store(core(1), signed)
    assert Outbox(path, "https://other.example").waiting(PROJECT_ID, REPOSITORY_ID) == ()
    assert outbox.waiting(PROJECT_ID, "repo:other") == ()
    assert outbox.waiting("other", REPOSITORY_ID) == ()


@pytest.mark.parametrize(
    "use",
    [
        lambda outbox: outbox.next_seq(SESSION),
        lambda outbox: outbox.store(core(1), signed),
        lambda outbox: outbox.waiting(PROJECT_ID, REPOSITORY_ID),
        lambda outbox: outbox.settle("x"),
    ],
)
def test_a_file_that_is_no_outbox_is_said(use: Callable[[Outbox], object], path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database, but it is long enough to be looked at by one")
    with pytest.raises(OutboxRefused):
        use(Outbox(path, "local"))


def test_stored_bytes_that_were_tampered_with_are_not_posted(outbox: Outbox, path: Path) -> None:
    outbox.store(core(1), signed)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE unsent SET raw = ?", (b'{"not":"an event"}',))
    connection.close()
    with pytest.raises(OutboxRefused):
        outbox.waiting(PROJECT_ID, REPOSITORY_ID)
