"""Opening a database, its transactions, and what a failing one looks like from outside (§6, §7)."""

from __future__ import annotations

import logging
import re
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, create_engine, insert, inspect, select, text, update

from corr_tui.server import schema
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database, DatabaseRefused, StorageUnavailable, migrate, open_database
from corr_tui.server.tables import SCHEMA_VERSION, events, projects, schema_versions
from tests.correspondents import PROJECT_ID
from tests.server.scene import CLAIMS, EVENTS, VOICE, Scene


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("nonsense", "url_invalid"),
        ("mysql://host/name", "dialect_unsupported"),
        ("sqlite://", "file_required"),
        ("sqlite:///:memory:", "file_required"),
        ("sqlite:////nowhere/at/all.db", "unavailable"),
        ("postgresql+asyncpg://host/name", "dialect_unsupported"),
        ("postgresql://host:port/name", "url_invalid"),
        ("postgresql:///name?host=/nowhere/at/all", "unavailable"),
    ],
)
def test_what_cannot_be_opened_is_refused_by_name(url: str, reason: str) -> None:
    with pytest.raises(DatabaseRefused) as caught:
        open_database(url)
    assert caught.value.reason == reason


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    with pytest.raises(DatabaseRefused) as caught:
        open_database(f"sqlite:///{path}")
    assert caught.value.reason == "unavailable"
    assert path.read_text().startswith("not a database")


def test_what_cannot_be_opened_is_refused_without_its_password() -> None:
    with pytest.raises(DatabaseRefused) as caught:
        open_database("postgresql://maya:s3cret@/name?host=/nowhere/at/all")
    assert "s3cret" not in str(caught.value) + repr(caught.value.__cause__)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(("version", "reason"), [(99, "schema_newer"), (0, "schema_older")])
def test_another_schema_is_refused_and_left_alone(url: str, database: Database, version: int, reason: str) -> None:
    with database.writing() as connection:
        connection.execute(update(schema_versions).values(version=version))
    for opened in (open_database, migrate):
        with pytest.raises(DatabaseRefused) as caught:
            opened(url)
        assert caught.value.reason == reason
    with database.reading() as connection:
        assert connection.execute(select(schema_versions.c.version)).scalars().all() == [version]


def test_migrating_again_changes_nothing(url: str, database: Database) -> None:
    assert [migrate(url), migrate(url)] == [SCHEMA_VERSION] * 2
    assert [project.name for project in Accounts(database).projects()] == ["acme"]


def test_tables_of_other_programs_are_never_taken_for_ours(empty_url: str) -> None:
    engine = create_engine(empty_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE events (x integer)"))
    with pytest.raises(DatabaseRefused) as refused:
        migrate(empty_url)
    assert refused.value.reason == "tables_foreign"
    with engine.connect() as connection:
        assert inspect(connection).get_table_names() == ["events"]
    engine.dispose()


def test_many_may_migrate_one_empty_database_at_once(empty_url: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(migrate, [empty_url] * 6)) == [SCHEMA_VERSION] * 6
    database = open_database(empty_url)
    with database.reading() as connection:
        assert connection.execute(select(schema_versions.c.version)).scalars().all() == [SCHEMA_VERSION]
    database.close()


def test_a_database_is_brought_from_each_layout_to_the_next(
    url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.close()
    steps = {SCHEMA_VERSION: "ALTER TABLE projects ADD COLUMN motto TEXT", SCHEMA_VERSION + 1: "DROP TABLE frontier"}
    monkeypatch.setattr(schema, "SCHEMA_VERSION", SCHEMA_VERSION + 2)
    with pytest.raises(DatabaseRefused) as caught:
        open_database(url)
    assert caught.value.reason == "schema_older"
    assert "corr-tui admin migrate --database URL" in caught.value.message

    def step(statement: str) -> Callable[[Connection], None]:
        return lambda connection: connection.exec_driver_sql(statement).close()

    monkeypatch.setattr(schema, "MIGRATIONS", {version: step(statement) for version, statement in steps.items()})
    assert migrate(url) == SCHEMA_VERSION + 2
    migrated = open_database(url)
    with migrated.reading() as connection:
        assert connection.execute(text("SELECT motto FROM projects")).all() == [(None,)]
        assert not inspect(connection).has_table("frontier")
    migrated.close()


def test_a_migration_that_fails_leaves_the_layout_as_it_was(
    url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(connection: Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE projects ADD COLUMN motto TEXT")
        connection.exec_driver_sql("SELECT s3cret FROM nowhere")

    monkeypatch.setattr(schema, "MIGRATIONS", {SCHEMA_VERSION: fails})
    with pytest.raises(DatabaseRefused) as caught:
        migrate(url)
    assert caught.value.reason == "unavailable"
    assert "s3cret" not in caught.value.message
    with database.reading() as connection:
        assert "motto" not in {column["name"] for column in inspect(connection).get_columns("projects")}


def test_many_may_create_one_file_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: open_database(url), range(8)))
    made = {Accounts(database).create_project("shared") for database in opened}
    assert {project.project_id for project in Accounts(opened[0]).projects()} == made
    for database in opened:
        database.close()


def test_only_its_user_may_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    open_database(f"sqlite:///{path}").close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_commits_are_durable_and_written_ahead(database: Database) -> None:
    with database.reading() as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar_one() == 2
        assert connection.execute(text("PRAGMA journal_mode")).scalar_one() == "wal"


def test_the_database_is_the_clock_section_4(url: str) -> None:
    database = open_database(url)
    with database.reading() as connection:
        told = [database.now(connection) for _ in range(3)]
    database.close()
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", instant) for instant in told)
    assert told == sorted(told)
    assert abs(datetime.fromisoformat(told[0]) - datetime.now(UTC)) < timedelta(minutes=5)


def test_a_reader_sees_one_snapshot_section_6(database: Database) -> None:
    with database.reading() as reader:
        before = reader.execute(select(projects.c.name)).scalars().all()
        Accounts(database).create_project("meanwhile")
        assert reader.execute(select(projects.c.name)).scalars().all() == before


def test_a_failed_transaction_leaves_nothing_and_tells_nothing(database: Database) -> None:
    row = {"project_id": "p", "name": "s3cret", "created_at": "now"}
    with pytest.raises(StorageUnavailable) as caught, database.writing() as connection:
        connection.execute(insert(projects), [row, row])
    assert str(caught.value) in ("IntegrityError", "UniqueViolation")
    assert caught.value.__suppress_context__
    assert [project.name for project in Accounts(database).projects()] == ["acme"]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_watch_notices_commits_of_others_once(database: Database) -> None:
    watch = database.watch(lambda: None)
    listened = (PROJECT_ID,)
    assert watch.changed(listened) == ()
    Accounts(database).create_project("news")
    assert watch.changed(listened) == listened
    assert watch.changed(listened) == ()
    watch.close()


def break_tables(database: Database) -> None:
    """Take away what every correspondence route needs."""
    with database.writing() as connection:
        connection.execute(text(f"ALTER TABLE {events.name} RENAME TO gone"))


async def test_a_storage_failure_on_append_is_a_sanitized_503_section_7(
    scene: Scene, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    event = scene.world.event("ana", "intent", summary="s3cret")
    break_tables(database)
    answer = await scene.post(event)
    assert (answer.status_code, answer.json()["error"]) == (503, "correspondence_append_unavailable")
    assert "same signed bytes" in answer.json()["hint"]
    private = f"s3cret|sqlite|psycopg|postgres|SELECT|{event.event_id}|{event.signature.value_b64url}"
    for told in (answer.text, caplog.text):
        assert not re.search(private, told)


@pytest.mark.parametrize(("path", "error"), [(CLAIMS, "projection"), (VOICE, "projection"), (EVENTS, "events")])
async def test_a_storage_failure_on_a_read_is_503_and_never_empty_section_6(
    scene: Scene, database: Database, path: str, error: str
) -> None:
    with database.writing() as connection:
        connection.execute(text("ALTER TABLE claim_events RENAME TO gone"))
    answer = await scene.get(path)
    assert (answer.status_code, answer.json()["error"]) == (503, f"correspondence_{error}_unavailable")
    assert "claims" not in answer.json()


async def test_a_bug_is_a_500_that_names_nothing(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: object) -> str:
        raise RuntimeError("s3cret")

    monkeypatch.setattr("corr_tui.server.projection.Projection.events", fault)
    transport = httpx.ASGITransport(scene.app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, headers=scene.client.headers) as client:
        answer = await client.get(f"http://service.example{EVENTS}?repository_id=a")
    assert (answer.status_code, answer.json()["error"]) == (500, "internal_error")
    assert "s3cret" not in answer.text


async def test_other_routes_say_that_the_service_cannot_read_its_database(scene: Scene, database: Database) -> None:
    with database.writing() as connection:
        connection.execute(text("ALTER TABLE identities RENAME TO gone"))
    answer = await scene.client.get("/v1/identities")
    assert (answer.status_code, answer.json()["error"]) == (503, "service_unavailable")
    assert answer.headers["retry-after"] == "1"
