"""What holds on PostgreSQL beyond what holds on both databases (§2.1, §4, §6, §7.1)."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Iterator
from threading import Event as Happened
from typing import Any

import psycopg
import pytest
from sqlalchemy import MetaData, create_engine, insert, select, text

from corr_tui.server import postgres
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database, DatabaseRefused, StorageUnavailable, migrate, open_database
from corr_tui.server.embed import EmbeddedService
from corr_tui.server.postgres import CHANNEL, NoticeWatch
from corr_tui.server.projection import Focus, Projection
from corr_tui.server.store import Store
from corr_tui.server.submission import read_submission
from corr_tui.server.tables import SCHEMA_VERSION, events, metadata, schema_versions, streams
from tests.correspondents import PROJECT_ID, World, claim, uuid
from tests.server.crashing import serving
from tests.server.databases import Server
from tests.server.scene import BEARER, CLAIMS, EVENTS, Scene, open_world, settle_accounts
from tests.server.test_wake import BEARERS, listening, post

PATIENCE = 20.0


@pytest.fixture
def kind() -> str:
    """The one kind of database that these tests are about."""
    return "postgresql"


def append(database: Database, world: World, who: str = "ana", kind: str = "progress", **words: Any) -> int:
    """Sign an event and store it; returns its receipt's number."""
    if kind == "progress":
        words.setdefault("summary", "news")
    raw = json.dumps(world.event(who, kind, **words).evidence).encode()
    return Store(database).append(read_submission(raw, PROJECT_ID)).record.received_seq


def test_a_database_without_a_schema_is_refused_with_the_command_that_makes_one(empty_url: str) -> None:
    with pytest.raises(DatabaseRefused) as caught:
        open_database(empty_url)
    assert caught.value.reason == "schema_missing"
    assert "corr-tui admin migrate --database URL" in caught.value.message
    assert migrate(empty_url) == SCHEMA_VERSION
    open_database(empty_url).close()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_database_may_be_named_in_each_of_the_usual_ways(url: str, scheme: str) -> None:
    database = open_database(url.replace("postgresql", scheme, 1))
    assert [project.name for project in Accounts(database).projects()] == ["acme"]
    database.close()


def test_a_database_that_cannot_hold_every_character_is_refused(server: Server) -> None:
    server.execute("CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    for opened in (migrate, open_database):
        with pytest.raises(DatabaseRefused) as caught:
            opened(server.url("ascii"))
        assert caught.value.reason == "encoding_unsupported"
    server.drop("ascii")


def test_all_text_is_in_the_order_of_its_bytes_section_2_1(database: Database) -> None:
    found = text(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'"
    )
    with database.reading() as connection:
        assert connection.execute(found).all() == []


def test_the_longest_identifiers_fit_every_index_section_2_1(database: Database, world: World) -> None:
    characters = random.Random(5)
    repository, thread = ("".join(chr(characters.randint(0x20000, 0x2A6DF)) for _ in range(256)) for _ in range(2))
    words: dict[str, Any] = {"repository": repository, "thread": thread, "expires_in": 60}
    assert append(database, world, kind="claim.open", claim_id=claim(1), **words) == 1
    claims = json.loads(Projection(database).claims(Focus(PROJECT_ID, repository, thread), None))
    assert len(claims["claims"]) == 1


def test_a_reader_has_one_snapshot_and_writes_nothing_section_6(database: Database) -> None:
    with database.reading() as connection:
        assert connection.execute(text("SHOW transaction_isolation")).scalar_one() == "repeatable read"
    with pytest.raises(StorageUnavailable) as caught, database.reading() as connection:
        connection.execute(insert(schema_versions).values(version=7))
    assert str(caught.value) == "ReadOnlySqlTransaction"
    with database.writing() as connection:
        assert connection.execute(text("SHOW transaction_isolation")).scalar_one() == "read committed"


def test_an_answered_commit_is_flushed_whatever_the_database_is_set_to(server: Server, url: str) -> None:
    server.execute("ALTER DATABASE settled SET synchronous_commit = off")
    database = open_database(url)
    with database.writing() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar_one() == "on"
    database.close()
    server.execute("ALTER DATABASE settled RESET synchronous_commit")


def test_writers_of_other_projects_do_not_wait_for_a_stream_section_4(database: Database, world: World) -> None:
    other = Accounts(database).create_project("other")
    with database.writing() as connection:
        connection.execute(select(streams).where(streams.c.project_id == other).with_for_update()).one()
        assert append(database, world) == 1


def test_more_transactions_than_the_pool_has_connections_for_are_refused_in_time(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("POOL_SIZE", 1), ("POOL_OVERFLOW", 1), ("POOL_SECONDS", 0.01)):
        monkeypatch.setattr(postgres, name, value)
    database = open_database(url)
    with database.reading(), database.reading():
        with pytest.raises(StorageUnavailable) as caught, database.reading():
            pass
        assert str(caught.value) == "TimeoutError"
    database.close()


def test_a_connection_that_was_ended_meanwhile_costs_no_failure(server: Server, database: Database) -> None:
    with database.reading(), database.reading():
        pass
    server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'settled'")
    for _ in range(3):
        with database.reading() as connection:
            assert connection.execute(select(schema_versions.c.version)).scalar_one() == SCHEMA_VERSION


# Notices


@pytest.fixture
def stirred() -> Happened:
    """Set by a watch that noticed something."""
    return Happened()


def wait_for(happened: Happened) -> None:
    """Wait until a watch noticed something, and forget it."""
    assert happened.wait(PATIENCE)
    happened.clear()


def test_a_notice_names_the_project_and_nothing_else_section_7_1(
    server: Server, database: Database, world: World
) -> None:
    with psycopg.connect(server.url("settled"), autocommit=True) as connection:
        connection.execute(f"LISTEN {CHANNEL}".encode())
        append(database, world, summary="s3cret")
        (notice,) = connection.notifies(timeout=PATIENCE, stop_after=1)
    assert (notice.channel, notice.payload) == (CHANNEL, PROJECT_ID)


def test_a_watch_notices_appends_by_project_once_section_7_1(
    database: Database, world: World, stirred: Happened
) -> None:
    watch = database.watch(stirred.set)
    wait_for(stirred)
    assert watch.changed((PROJECT_ID, "other")) == (PROJECT_ID, "other")
    assert not watch.changed((PROJECT_ID, "other"))
    append(database, world)
    wait_for(stirred)
    assert set(watch.changed((PROJECT_ID, "other"))) == {PROJECT_ID}
    assert not watch.changed((PROJECT_ID, "other"))
    watch.close()
    watch.close()


def test_refusals_retries_and_other_transactions_announce_nothing_section_7_1(
    server: Server, database: Database, world: World
) -> None:
    submission = read_submission(json.dumps(world.event("ana", "intent", summary="x").evidence).encode(), PROJECT_ID)
    store = Store(database)
    store.append(submission)
    with psycopg.connect(server.url("settled"), autocommit=True) as connection:
        connection.execute(f"LISTEN {CHANNEL}".encode())
        store.append(submission)
        Accounts(database).create_project("other")
        append(database, world, "bo")
        assert len(list(connection.notifies(timeout=PATIENCE, stop_after=1))) == 1
        assert list(connection.notifies(timeout=0)) == []


def test_what_was_missed_while_not_listening_is_noticed_afterwards_section_7_1(
    server: Server, database: Database, world: World, stirred: Happened
) -> None:
    again = Happened()
    connections: list[int] = []

    def connect() -> psycopg.Connection:
        if connections:
            assert again.wait(PATIENCE)
        connection = psycopg.connect(server.url("settled"), autocommit=True)
        connections.append(connection.info.backend_pid)
        return connection

    watch = NoticeWatch(connect, stirred.set)
    wait_for(stirred)
    watch.changed(())
    server.execute(f"SELECT pg_terminate_backend({connections[0]}, 5000)")
    append(database, world)
    assert not stirred.is_set()
    again.set()
    wait_for(stirred)
    assert watch.changed((PROJECT_ID,)) == (PROJECT_ID,)
    assert len(connections) == 2
    watch.close()


def test_a_watch_that_cannot_connect_tries_again_and_says_so_without_detail_section_7_1(
    stirred: Happened, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "FIRST_PAUSE", 0.001)
    tried: list[int] = []
    enough = Happened()

    def connect() -> psycopg.Connection:
        tried.append(1)
        if len(tried) == 4:
            enough.set()
        raise psycopg.OperationalError("connection to s3cret refused")

    watch = NoticeWatch(connect, stirred.set)
    wait_for(enough)
    watch.close()
    assert not stirred.is_set()
    assert "OperationalError" in caplog.text
    assert "s3cret" not in caplog.text


# Several services, and a database that goes away


@pytest.fixture
def services(url: str, world: World) -> Iterator[tuple[EmbeddedService, EmbeddedService]]:
    """Two services that share nothing but the database."""
    first, second = open_world(url, world), open_world(url, world)
    with EmbeddedService(first, bearers=BEARERS) as here, EmbeddedService(second, bearers=BEARERS) as there:
        yield here, there
    first.close()
    second.close()


async def test_an_append_through_one_service_wakes_the_subscribers_of_the_other_section_7_1(
    services: tuple[EmbeddedService, EmbeddedService], world: World
) -> None:
    here, there = services
    async with listening(here.base_url) as ours, listening(there.base_url, uuid(2, 2)) as theirs:
        for number, service in enumerate((here, there, here), 1):
            await post(service.base_url, world, "kit", "progress", summary="news")
            for told in (ours, theirs):
                name, data = await anext(told)
                assert (name, data["context"]["received_seq"]) == ("change", str(number))


async def test_an_append_through_another_process_wakes_the_subscribers_of_this_one_section_7_1(
    url: str, services: tuple[EmbeddedService, EmbeddedService], world: World
) -> None:
    here, _ = services
    with serving(url) as (_, elsewhere):
        async with listening(here.base_url) as ours, listening(elsewhere, uuid(2, 2)) as theirs:
            await post(elsewhere, world, "kit", "progress", summary="from there")
            await post(here.base_url, world, "kit", "progress", summary="from here")
            for told in (ours, theirs):
                heard = [(await anext(told))[1]["context"]["received_seq"] for _ in range(2)]
                assert heard == ["1", "2"]


async def test_a_database_that_went_away_is_503_and_is_served_and_listened_to_again_sections_6_7(
    server: Server,
    services: tuple[EmbeddedService, EmbeddedService],
    database: Database,
    world: World,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "corr_tui")
    scene = Scene(world, database)
    here, there = services
    async with scene.client, listening(here.base_url) as told:
        await scene.say("ana", "intent", summary="before")
        assert (await anext(told))[1]["context"]["received_seq"] == "1"
        meanwhile = world.event("ana", "intent", summary="s3cret")
        server.stop()
        answers = [await scene.post(meanwhile), await scene.get(CLAIMS), await scene.get(EVENTS)]
        server.start()
        assert [answer.status_code for answer in answers] == [503] * 3
        assert [answer.json()["error"].rsplit("_", 1)[0] for answer in answers] == [
            "correspondence_append",
            "correspondence_projection",
            "correspondence_events",
        ]
        assert [(await scene.post(meanwhile)).status_code for _ in range(2)] == [201, 200]
        await post(there.base_url, world, "bo", "progress", summary="after")
        heard = [(await anext(told))[1]["context"]["received_seq"] for _ in range(2)]
        assert heard == ["2", "3"]
        assert len((await scene.read(EVENTS))["events"]) == 3
    for words in (*(answer.text for answer in answers), caplog.text):
        assert not any(private in words for private in ("s3cret", "psycopg", "postgres:", ".s.PGSQL", BEARER))


# A project is a shard


def partition(database_url: str, server: Server, name: str, parts: int) -> None:
    """Create the schema of this program with every table that a project's key leads spread over partitions."""
    spread = MetaData()
    for table in metadata.tables.values():
        copied = table.to_metadata(spread)
        if next(iter(table.primary_key)).name == "project_id":
            copied.dialect_options["postgresql"]["partition_by"] = "HASH (project_id)"
    engine = create_engine(database_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        spread.create_all(connection)
        connection.execute(insert(schema_versions).values(version=SCHEMA_VERSION))
    engine.dispose()
    for table in spread.tables.values():
        if table.dialect_options["postgresql"]["partition_by"]:
            for part in range(parts):
                server.execute(
                    f"CREATE TABLE {table.name}_{part} PARTITION OF {table.name} "
                    f"FOR VALUES WITH (MODULUS {parts}, REMAINDER {part})",
                    name,
                )


def test_projects_spread_over_hash_partitions_are_served_as_ever_section_6(server: Server, world: World) -> None:
    url = server.create("partitioned")
    partition(url, server, "partitioned", 4)
    assert migrate(url) == SCHEMA_VERSION
    database = open_world(url, world)
    settle_accounts(database, world)
    others = [Accounts(database).create_project(f"project {number}") for number in range(12)]
    first = world.event("ana", "claim.open", claim_id=claim(1), expires_in=60, paths=["src"])
    second = world.event("ana", "claim.renew", predecessor=first, expires_in=90)
    store = Store(database)
    for event in (second, first, first):
        store.append(read_submission(json.dumps(event.evidence).encode(), PROJECT_ID))
    focus = Focus(PROJECT_ID, first.repository_id)
    found = json.loads(Projection(database).claims(focus, None))
    assert [row["event_id"] for row in found["claims"]] == [second.event_id]
    with database.reading() as connection:
        assert sorted(connection.execute(select(events.c.received_seq)).scalars()) == [1, 2]
        homes = connection.execute(text("SELECT count(DISTINCT tableoid) FROM streams")).scalar_one()
        plan = connection.exec_driver_sql(
            "EXPLAIN SELECT * FROM events WHERE project_id = %s AND event_id = %s", (others[0], first.event_id)
        )
        visited = {line for (line,) in plan if " on events_" in line}
    assert homes > 1
    assert len(visited) == 1
    database.close()
    server.drop("partitioned")
