"""No query reads more than its index leads it to, and every index leads with the project (§6)."""

from __future__ import annotations

import re
from types import ModuleType

import pytest
from sqlalchemy import Connection, Delete, Select, Update
from sqlalchemy.dialects import sqlite

from corr_tui.server import frontier, projection, rebuild, record, store, wake
from corr_tui.server.database import Database
from corr_tui.server.tables import metadata, projects, schema_versions, tokens

Statement = Select[tuple[object, ...]] | Update | Delete

EVERY = {"rebuild_projects", "rebuild_claims"}
"""What reads every row it names on purpose: a person asked for all of them."""


def statements(module: ModuleType) -> list[tuple[str, Statement]]:
    """The statements a module keeps."""
    found = [(name, part) for name, part in vars(module).items() if isinstance(part, Select | Update | Delete)]
    short = module.__name__.rpartition(".")[2]
    return [(f"{short}{name.lower()}", part) for name, part in found]


KEPT = [
    pytest.param(statement, id=name)
    for module in (frontier, projection, rebuild, record, store, wake)
    for name, statement in statements(module)
    if name not in EVERY
]


def sqlite_plan(connection: Connection, statement: Statement) -> list[str]:
    """The steps by which SQLite runs a statement."""
    compiled = statement.compile(dialect=sqlite.dialect())
    given = compiled.construct_params(_check=False)
    values = tuple(given.get(name) or 1 for name in compiled.positiontup or ())
    sql = re.sub(r"\(__\[POSTCOMPILE_\w+\]\)", "(?)", str(compiled))
    return [str(row[-1]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)]


def postgresql_plan(connection: Connection, statement: Statement) -> list[str]:
    """The lines by which PostgreSQL runs a statement, whatever its values and however few rows there are."""
    for way in ("seqscan", "bitmapscan"):
        connection.exec_driver_sql(f"SET LOCAL enable_{way} = off")
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
    assert plan
    assert not [step for step in plan if "SCAN" in step or "TEMP B-TREE" in step]
    assert all("project_id=?" in step for step in plan if "SEARCH" in step)


@pytest.mark.parametrize("kind", ["postgresql"], indirect=True)
@pytest.mark.parametrize("statement", KEPT)
def test_every_statement_searches_an_index_and_sorts_nothing_on_postgresql(
    database: Database, statement: Statement
) -> None:
    with database.writing() as connection:
        plan = postgresql_plan(connection, statement)
    lines = [line.strip() for line in plan]
    scans = [line for line in lines if " Scan" in line]
    conditions = [line for line in lines if line.startswith("Index Cond:")]
    assert scans
    assert all("Index" in line for line in scans)
    assert len(conditions) == len(scans)
    assert all("project_id = " in line for line in conditions)
    assert not [line for line in lines if "Sort" in line or line.startswith("Hash")]


def test_every_key_and_index_leads_with_the_project() -> None:
    for table in metadata.tables.values():
        if table in (schema_versions, projects, tokens):
            continue
        keys = [list(table.primary_key), *(list(index.columns) for index in table.indexes)]
        assert {columns[0].name for columns in keys} == {"project_id"}
