"""No query reads more than its index leads it to, and every index leads with the project (§6)."""

from __future__ import annotations

import re
from types import ModuleType

import pytest
from sqlalchemy import Delete, Select, Update
from sqlalchemy.dialects import sqlite

from corr_tui.server import frontier, projection, record, store, wake
from corr_tui.server.database import Database
from corr_tui.server.tables import metadata, projects, schema_versions, tokens

Statement = Select[tuple[object, ...]] | Update | Delete


def statements(module: ModuleType) -> list[tuple[str, Statement]]:
    """The statements a module keeps."""
    return [(name, part) for name, part in vars(module).items() if isinstance(part, Select | Update | Delete)]


KEPT = [
    pytest.param(statement, id=f"{module.__name__.rpartition('.')[2]}{name.lower()}")
    for module in (frontier, projection, record, store, wake)
    for name, statement in statements(module)
]


@pytest.mark.parametrize("statement", KEPT)
def test_every_statement_searches_an_index_and_sorts_nothing(database: Database, statement: Statement) -> None:
    compiled = statement.compile(dialect=sqlite.dialect())
    given = compiled.construct_params(_check=False)
    values = tuple(given.get(name) or 1 for name in compiled.positiontup or ())
    sql = re.sub(r"\(__\[POSTCOMPILE_\w+\]\)", "(?)", str(compiled))
    with database.reading() as connection:
        plan = [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)]
    assert plan
    assert not [step for step in plan if "SCAN" in step or "TEMP B-TREE" in step]
    assert all("project_id=?" in step for step in plan if "SEARCH" in step)


def test_every_key_and_index_leads_with_the_project() -> None:
    for table in metadata.tables.values():
        if table in (schema_versions, projects, tokens):
            continue
        keys = [list(table.primary_key), *(list(index.columns) for index in table.indexes)]
        assert {columns[0].name for columns in keys} == {"project_id"}
