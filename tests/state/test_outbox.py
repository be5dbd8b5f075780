"""Reserve, sign and store as one; a number once taken is never taken again (§4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from corr_tui.protocol.compose import Draft, compose
from corr_tui.protocol.event import Core, Event
from corr_tui.protocol.signing import event_jcs, sign
from corr_tui.state.outbox import Attempt, Outbox, OutboxRefused, SequenceTaken, Stored
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


def kept(outbox: Outbox) -> list[tuple[str, UnsentState]]:
    """What is kept: summaries and states."""
    return [
        (stored.event.evidence["body"]["summary"], stored.state) for stored in outbox.kept(PROJECT_ID, REPOSITORY_ID)
    ]


def test_the_stored_bytes_are_the_canonical_event_and_private(outbox: Outbox, path: Path) -> None:
    stored = outbox.store(core(1), signed)
    assert stored.raw == event_jcs(stored.event.evidence)
    (read,) = outbox.kept(PROJECT_ID, REPOSITORY_ID)
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
    assert kept(outbox) == []


def test_processes_at_once_take_a_number_once(path: Path) -> None:
    def attempt(number: int) -> bool:
        try:
            Outbox(path, "local").store(core(1, f"{number}"), signed)
        except SequenceTaken:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(16))) == 1
    assert len(kept(Outbox(path, "local"))) == 1


def test_a_later_process_finds_what_an_earlier_one_left(path: Path, outbox: Outbox) -> None:
    outbox.store(core(1, "first"), signed)
    doubtful = outbox.store(core(2, "second"), signed)
    refused = outbox.store(core(3, "third"), signed)
    outbox.begin(doubtful.event.event_id)
    outbox.refuse(refused.event.event_id, "no")
    assert kept(Outbox(path, "local")) == [
        ("first", UnsentState.UNSENT),
        ("second", UnsentState.UNKNOWN),
        ("third", UnsentState.REFUSED),
    ]


def test_events_for_another_service_project_or_repository_wait_for_theirs(path: Path, outbox: Outbox) -> None:
    outbox.store(core(1), signed)
    assert Outbox(path, "https://other.example").kept(PROJECT_ID, REPOSITORY_ID) == ()
    assert outbox.kept(PROJECT_ID, "repo:other") == ()
    assert outbox.kept("other", REPOSITORY_ID) == ()


@pytest.mark.parametrize(
    "use",
    [
        lambda outbox: outbox.next_seq(SESSION),
        lambda outbox: outbox.store(core(1), signed),
        lambda outbox: outbox.kept(PROJECT_ID, REPOSITORY_ID),
        lambda outbox: outbox.settle("x"),
    ],
)
def test_a_file_that_is_no_outbox_is_said(use: Callable[[Outbox], object], path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database, but it is long enough to be looked at by one")
    with pytest.raises(OutboxRefused):
        use(Outbox(path, "local"))


TAMPERED = {
    "another value": b'{"not":"an event"}',
    "no JSON": b"\xff",
    "text": "text",
    "a number": 7,
    "nothing": b"",
}


@pytest.mark.parametrize("what", [*TAMPERED, "another event"])
def test_bytes_that_are_not_those_that_were_signed_are_named_and_not_posted_and_hold_up_no_other(
    what: str, outbox: Outbox, path: Path
) -> None:
    first = outbox.store(core(1, "first"), signed)
    outbox.store(core(2, "second"), signed)
    raw = event_jcs(signed(core(1, "other")).evidence) if what == "another event" else TAMPERED[what]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE unsent SET raw = ? WHERE session_seq = 1", (raw,))
    assert kept(outbox) == [("second", UnsentState.UNSENT)]
    assert [(row.event_id, row.stored() is None) for row in outbox.everything()][:1] == [(first.event.event_id, True)]
    assert outbox.next_seq(SESSION) == 3


def test_a_state_that_nobody_here_wrote_says_that_nothing_is_known(outbox: Outbox, path: Path) -> None:
    outbox.store(core(1), signed)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE unsent SET state = 'posted'")
    assert kept(outbox) == [("hello", UnsentState.UNKNOWN)]


def state(outbox: Outbox) -> UnsentState:
    """How the only event stands."""
    ((_, known),) = kept(outbox)
    return known


def begun(outbox: Outbox, stored: Stored) -> Attempt:
    """An attempt that began."""
    attempt = outbox.begin(stored.event.event_id)
    assert attempt is not None
    return attempt


def test_an_event_is_doubtful_before_its_bytes_leave_and_unsent_again_when_they_did_not(outbox: Outbox) -> None:
    """A process that ends in the middle leaves no event that is called unsent and may have been received."""
    stored = outbox.store(core(1), signed)
    attempt = begun(outbox, stored)
    assert state(outbox) is UnsentState.UNKNOWN
    assert outbox.put_off(attempt, "could not connect", left=False)
    assert state(outbox) is UnsentState.UNSENT
    (row,) = outbox.everything()
    assert row.reason == "could not connect"


def test_an_event_that_was_doubtful_once_stays_so_until_there_is_an_answer(outbox: Outbox) -> None:
    stored = outbox.store(core(1), signed)
    outbox.put_off(begun(outbox, stored), "no answer in time", left=True)
    outbox.put_off(begun(outbox, stored), "could not connect", left=False)
    assert state(outbox) is UnsentState.UNKNOWN


def test_of_two_processes_that_post_one_event_neither_undoes_what_the_other_knows(path: Path) -> None:
    one, other = Outbox(path, "local"), Outbox(path, "local")
    stored = one.store(core(1), signed)
    mine, theirs = begun(one, stored), begun(other, stored)
    one.put_off(mine, "could not connect", left=False)
    assert state(one) is UnsentState.UNKNOWN, "the other attempt may be on its way"
    other.refuse(stored.event.event_id, "no")
    assert not one.put_off(mine, "no answer in time", left=True)
    assert one.begin(stored.event.event_id) is None
    assert state(one) is UnsentState.REFUSED
    other.settle(stored.event.event_id)
    assert not one.refuse(stored.event.event_id, "no")
    assert not one.put_off(theirs, "no answer in time", left=True)
    assert kept(one) == []


def test_a_discarded_event_is_not_posted_and_its_number_stays_used(outbox: Outbox) -> None:
    stored = outbox.store(core(1), signed)
    assert outbox.discard(stored.event.event_id)
    assert not outbox.discard(stored.event.event_id)
    assert outbox.begin(stored.event.event_id) is None
    assert outbox.next_seq(SESSION) == 2


def test_events_are_kept_in_the_order_they_were_stored_whatever_the_clock_says(outbox: Outbox, path: Path) -> None:
    for seq in range(1, 4):
        outbox.store(core(seq, f"{seq}"), signed)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE unsent SET stored_at = '1999-01-01T00:00:00.000Z' WHERE session_seq = 3")
    assert [summary for summary, _ in kept(outbox)] == ["1", "2", "3"]


def test_a_number_is_not_taken_again_when_an_older_copy_of_the_file_is_put_back(outbox: Outbox, path: Path) -> None:
    outbox.begin_session(SESSION)
    older = path.read_bytes()
    outbox.store(core(1), signed)
    path.write_bytes(older)
    assert outbox.next_seq(SESSION) == 2
    with pytest.raises(SequenceTaken):
        outbox.store(core(1, "other"), signed)


def test_a_file_that_was_taken_away_is_made_again_and_private(outbox: Outbox, path: Path) -> None:
    outbox.store(core(1), signed)
    path.unlink()
    outbox.store(core(2, "second"), signed)
    assert kept(outbox) == [("second", UnsentState.UNSENT)]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_session_is_recorded_once_when_it_begins(outbox: Outbox) -> None:
    outbox.begin_session(SESSION)
    outbox.store(core(1), signed)
    outbox.begin_session(SESSION)
    assert outbox.next_seq(SESSION) == 2


def test_whoever_only_looks_makes_no_file(outbox: Outbox, path: Path) -> None:
    assert outbox.everything() == ()
    assert not path.parent.exists()
