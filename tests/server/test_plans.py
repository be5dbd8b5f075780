"""No query reads more than its index leads it to, and every index leads with the project (§6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import ModuleType

import pytest
from sqlalchemy import Connection, Delete, Select, Update
from sqlalchemy.dialects import sqlite

from corr_tui.server import facts, frontier, projection, rebuild, record, store, turn, wake
from corr_tui.server.database import Database, migrate, open_database
from corr_tui.server.tables import metadata, projects, schema_versions, tokens
from tests.server.databases import Server

Statement = Select[tuple[object, ...]] | Update | Delete

EXCEPT = {"rebuild_projects", "rebuild_claims", "projection_records", "projection_tips"}
"""What a person asked to read whole, and what other statements are made of."""


def statements(module: ModuleType) -> list[tuple[str, Statement]]:
    """The statements a module keeps."""
    found = [(name, part) for name, part in vars(module).items() if isinstance(part, Select | Update | Delete)]
    short = module.__name__.rpartition(".")[2]
    return [(f"{short}{name.lower()}", part) for name, part in found]


KEPT = [
    pytest.param(statement, id=name)
    for module in (facts, frontier, projection, rebuild, record, store, turn, wake)
    for name, statement in statements(module)
    if name not in EXCEPT
]


def sqlite_plan(connection: Connection, statement: Statement) -> list[str]:
    """The steps by which SQLite runs a statement."""
    compiled = statement.compile(dialect=sqlite.dialect())
    given = compiled.construct_params(_check=False)
    values = tuple(given.get(name) or 1 for name in compiled.positiontup or ())
    sql = re.sub(r"\(__\[POSTCOMPILE_\w+\]\)", "(?)", str(compiled))
    return [str(row[-1]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)]


def postgresql_plan(connection: Connection, statement: Statement) -> list[str]:
    """The lines by which PostgreSQL runs a statement, whatever its values."""
    compiled = statement.compile(dialect=connection.dialect)
    number = iter(range(1, 100))
    sql = re.sub(r"\(__\[POSTCOMPILE_\w+\]\)", f"(${next(number)})", str(compiled))
    sql = re.sub(r"%\(\w+\)s", lambda _: f"${next(number)}", sql)
    return [str(row[0]) for row in connection.exec_driver_sql(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {sql}")]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("statement", KEPT)
def test_every_statement_searches_an_index_and_sorts_nothing_on_sqlite(
    database: Database, statement: Statement
) -> None:
    with database.reading() as connection:
        plan = sqlite_plan(connection, statement)
    plan = [step for step in plan if step != "SCAN asked_ids VIRTUAL TABLE INDEX 1:"]
    assert plan
    assert not [step for step in plan if "SCAN" in step or "TEMP B-TREE" in step]
    assert all("project_id=?" in step for step in plan if "SEARCH" in step)


FILL = """
INSERT INTO events SELECT 'p' || n % 3, n, 'sha256:' || n, 'at ' || n, 'r' || n % 2, 't' || n % 50, 'i' || n % 6,
  'd' || n % 12, 's' || n % 60, n / 60, 'progress', '', '{}' FROM generate_series(1, 30000) n;
INSERT INTO claim_events SELECT project_id, event_id, repository_id, thread_id, 'c' || received_seq / 2, 1,
  identity_id, device_id, session_id, CASE received_seq % 3 WHEN 0 THEN 'sha256:' || received_seq - 1 END, received_at,
  '{}', CASE received_seq % 9 WHEN 0 THEN 'pending' ELSE 'valid' END, received_seq % 2 = 0
  FROM events WHERE received_seq % 5 = 0;
INSERT INTO frontier SELECT project_id, event_id, received_seq FROM events WHERE received_seq % 10 = 0;
INSERT INTO streams SELECT 'p' || n, 0, NULL, NULL, false FROM generate_series(1, 2000) n;
INSERT INTO identities SELECT 'p' || n % 300, 'i' || n, '', '', NULL FROM generate_series(1, 3000) n;
INSERT INTO signing_keys SELECT project_id, 'k' || n || identity_id, identity_id, '', '', '', NULL
  FROM identities, generate_series(1, 9) n;
ANALYZE
"""
"""Enough of everything that an index is worth its while, and some of each."""


ASKED_LINES = ("Function Scan on json_array_elements_text asked_ids", "Filter: ((SubPlan 1) IS NOT NULL)")
"""The rows of a plan that are the ids a statement was asked about."""


@pytest.fixture(scope="module")
def filled(server: Server) -> Iterator[Database]:
    """A PostgreSQL database with many events, which knows that it has them."""
    url = server.create("filled")
    migrate(url)
    server.execute(FILL, "filled")
    database = open_database(url)
    yield database
    database.close()
    server.drop("filled")


@pytest.mark.parametrize("statement", KEPT)
def test_every_statement_searches_an_index_and_sorts_nothing_on_postgresql(
    filled: Database, statement: Statement
) -> None:
    with filled.writing() as connection:
        plan = postgresql_plan(connection, statement)
    lines = [line.strip() for line in plan if line.strip() not in ASKED_LINES]
    scans = [line for line in lines if " Scan" in line]
    conditions = [line for line in lines if line.startswith("Index Cond:")]
    assert scans
    assert all("Index" in line for line in scans), plan
    assert len(conditions) == len(scans)
    assert all("project_id = " in line for line in conditions)
    assert not [line for line in lines if "Sort" in line or "Hash" in line or line.startswith("Filter")], plan


def test_every_key_and_index_leads_with_the_project() -> None:
    for table in metadata.tables.values():
        if table in (schema_versions, projects, tokens):
            continue
        keys = [list(table.primary_key), *(list(index.columns) for index in table.indexes)]
        assert {columns[0].name for columns in keys} == {"project_id"}
