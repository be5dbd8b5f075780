"""Many threads and processes append to one file: nothing is lost, doubled or seen out of order (§4)."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import httpx
import pytest
from sqlalchemy import Connection, select, text

from corr_tui.protocol.compose import Draft, compose
from corr_tui.protocol.event import Event, Sender
from corr_tui.protocol.signing import public_key_of, sign
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database, StorageUnavailable
from corr_tui.server.embed import EmbeddedService
from corr_tui.server.projection import Focus, Projection
from corr_tui.server.store import Appended, Store
from corr_tui.server.submission import Submission, read_submission
from corr_tui.server.tables import streams
from tests.correspondents import NAMES, PROJECT_ID, REPOSITORY_ID, World, uuid
from tests.server.scene import BEARER, EVENTS, open_world

HEADERS = {"Authorization": f"Bearer {BEARER}"}
THREADS = 16
EACH = 80
FOCUS = Focus(PROJECT_ID, REPOSITORY_ID)


def submissions(who: str, count: int) -> list[Submission]:
    """Events of one participant, ready to be stored."""
    world = World()
    said = [world.event(who, "progress", summary=f"{who} {number}") for number in range(count)]
    return [read_submission(json.dumps(event.evidence).encode(), PROJECT_ID) for event in said]


def append_all(url: str, who: str) -> list[int]:
    """Append from many threads, each event twice; returns the receipt numbers of those that were new."""
    database = open_world(url, World())
    store = Store(database)
    waiting = submissions(who, EACH)
    with ThreadPoolExecutor(THREADS) as pool:
        appended = list(pool.map(store.append, waiting + waiting))
    database.close()
    first, second = appended[:EACH], appended[EACH:]
    assert [each.record.received_seq for each in first] == [each.record.received_seq for each in second]
    return [each.record.received_seq for each in appended if each.created]


def read_all(database: Database, writers: list[Future[list[int]]]) -> list[int]:
    """Follow the stream by its cursor while others write; returns every receipt number met, in that order."""
    projection = Projection(database)
    met: list[int] = []
    ended = False
    while not ended:
        ended = all(writer.done() for writer in writers)
        page = json.loads(projection.events(FOCUS, met[-1] if met else None, 200).json())
        while page["events"]:
            met += [int(record["receipt"]["received_seq"]) for record in page["events"]]
            page = json.loads(projection.events(FOCUS, met[-1], 200).json())
    return met


def test_two_processes_of_16_threads_append_without_loss_and_in_order_section_4(url: str, database: Database) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        writers = [pool.submit(append_all, url, who) for who in ("ana", "bo")]
        met = read_all(database, writers)
        created = [number for writer in writers for number in writer.result()]
    everything = list(range(1, 2 * EACH + 1))
    assert sorted(created) == everything
    assert met == everything


CLIENTS = 64
OF_EACH_CLIENT = 4


async def append_each(base_url: str, said: list[Event]) -> list[int]:
    """One client's appends, one after the other; returns their receipt numbers."""
    async with httpx.AsyncClient(base_url=base_url, headers=HEADERS, timeout=60) as client:
        answers = [await client.post(EVENTS, json=event.evidence) for event in said]
    assert {answer.status_code for answer in answers} == {201}
    return [int(answer.json()["receipt"]["received_seq"]) for answer in answers]


async def follow(base_url: str, ended: asyncio.Event) -> list[int]:
    """Every receipt number that a reader meets by its cursor, in that order, until nothing more can come."""
    met: list[int] = []
    more = True
    async with httpx.AsyncClient(base_url=base_url, headers=HEADERS, timeout=60) as client:
        while more:
            last = ended.is_set()
            after = {"after": str(met[-1])} if met else {}
            page = (await client.get(EVENTS, params={"repository_id": REPOSITORY_ID, **after})).json()
            met += [int(record["receipt"]["received_seq"]) for record in page["events"]]
            more = page["page"]["has_more"] or not last
    return met


async def test_64_clients_append_without_loss_and_no_reader_meets_a_number_out_of_order_section_4(
    database: Database, world: World
) -> None:
    said = [
        [world.event(NAMES[client % len(NAMES)], "progress", summary=f"{client}") for _ in range(OF_EACH_CLIENT)]
        for client in range(CLIENTS)
    ]
    ended = asyncio.Event()
    with EmbeddedService(database, bearers={BEARER: PROJECT_ID}) as service:
        readers = [asyncio.create_task(follow(service.base_url, ended)) for _ in range(2)]
        received = await asyncio.gather(*(append_each(service.base_url, each) for each in said))
        ended.set()
        met = await asyncio.gather(*readers)
    everything = list(range(1, CLIENTS * OF_EACH_CLIENT + 1))
    assert sorted(number for each in received for number in each) == everything
    assert all(each == sorted(each) for each in received)
    assert met == [everything] * 2


def test_one_event_from_many_threads_is_stored_once_section_4(database: Database) -> None:
    store = Store(database)
    (submission,) = submissions("ana", 1)
    with ThreadPoolExecutor(THREADS) as pool:
        appended = list(pool.map(store.append, [submission] * 64))
    assert sum(each.created for each in appended) == 1
    assert {each.record.received_seq for each in appended} == {1}


def append_together(database: Database, store: Store, waiting: list[Submission]) -> list[Future[Appended]]:
    """Have every submission wait while somebody else has the stream, so that they meet in one commit."""
    with ThreadPoolExecutor(len(waiting)) as pool:
        with database.writing() as connection:
            connection.execute(select(streams).where(streams.c.project_id == PROJECT_ID).with_for_update())
            appends = [pool.submit(store.append, waiting[0])]
            while not store.committing:  # it is alone in its commit, and waits for the stream
                pass
            appends += [pool.submit(store.append, submission) for submission in waiting[1:]]
            while store.waiting < len(waiting) - 1:
                pass
        return appends


def test_appends_that_wait_together_are_committed_together(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    commits: list[int] = []
    writing = Database.writing

    def counted(self: Database) -> AbstractContextManager[Connection]:
        commits.append(1)
        return writing(self)

    monkeypatch.setattr(Database, "writing", counted)
    appends = append_together(database, Store(database), submissions("ana", 12))
    assert sorted(append.result().record.received_seq for append in appends) == list(range(1, 13))
    assert len(commits) == 1 + 2


POISON = {
    "sqlite": [
        "CREATE TRIGGER poison BEFORE INSERT ON events WHEN NEW.event_id = '{event_id}' "
        "BEGIN SELECT RAISE(ABORT, 'poisoned'); END"
    ],
    "postgresql": [
        "CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE division_by_zero; END'",
        "CREATE TRIGGER poison BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.event_id = '{event_id}') "
        "EXECUTE FUNCTION poison()",
    ],
}
"""What makes the insertion of one event fail."""


def test_a_group_that_fails_does_not_take_its_members_down_section_7(kind: str, database: Database) -> None:
    waiting = submissions("ana", 8)
    poisoned = waiting[4].event.event_id
    with database.writing() as connection:
        for statement in POISON[kind]:
            connection.execute(text(statement.format(event_id=poisoned.replace(":", "\\:"))))
    appends = append_together(database, Store(database), waiting)
    assert [isinstance(append.exception(), StorageUnavailable) for append in appends] == [
        submission.event.event_id == poisoned for submission in waiting
    ]
    stored = [append.result().record.received_seq for append in appends if append.exception() is None]
    assert sorted(stored) == list(range(1, 8))


def test_a_database_that_goes_away_under_a_group_is_not_asked_for_every_member_section_7(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[int] = []
    writing = Database.writing

    @contextmanager
    def going_away(self: Database) -> Iterator[Connection]:
        attempts.append(1)
        if len(attempts) > 3:
            raise StorageUnavailable("away")
        with writing(self) as connection:
            yield connection
            if len(attempts) == 3:  # after the holder of the stream, and the one who waited for it alone
                raise StorageUnavailable("going away")

    monkeypatch.setattr(Database, "writing", going_away)
    appends = append_together(database, Store(database), submissions("ana", 12))
    failed = [append for append in appends if isinstance(append.exception(), StorageUnavailable)]
    assert (len(failed), len(attempts)) == (11, 4)
    monkeypatch.undo()
    assert read_all(database, []) == [1]


def test_an_append_waits_for_its_own_project_only_section_4(kind: str, database: Database) -> None:
    """On SQLite a file has one writer; on PostgreSQL a stream has, whichever process it is in."""
    if kind == "sqlite":
        pytest.skip("one file, one writer")
    accounts = Accounts(database)
    other_project = accounts.create_project("other")
    identity_id = accounts.create_identity(other_project, "ana")
    seed = bytes(range(32))
    sender = Sender(
        identity_id=identity_id,
        signing_key_id=accounts.add_key(identity_id, public_key_of(seed)),
        device_id=uuid(4, 1),
        session_id=uuid(5, 1),
    )
    draft = Draft(kind="progress", thread_id="task:1", body={"summary": "elsewhere"})
    issued_at = "2026-05-14T13:00:00.000Z"
    core = compose(
        draft, project_id=other_project, repository_id="r", sender=sender, session_seq=1, issued_at=issued_at
    )
    elsewhere = read_submission(json.dumps(sign(core.evidence, seed).evidence).encode(), other_project)
    store = Store(database)
    (here,) = submissions("ana", 1)
    with ThreadPoolExecutor(2) as pool:
        with database.writing() as connection:
            connection.execute(select(streams).where(streams.c.project_id == PROJECT_ID).with_for_update())
            held_up = pool.submit(store.append, here)
            while not store.committing:
                pass
            assert pool.submit(store.append, elsewhere).result(timeout=30).created
            assert not held_up.done()
        assert held_up.result(timeout=30).created
