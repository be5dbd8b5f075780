"""The layout of a database, and how one layout becomes the next.

The rule: a database says which layout it has, and no other one is read or written. A layout changes in one transaction
that keeps every other migration out, and asking twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sqlalchemy import Connection, inspect, select, update

from corr_tui.server.dialect import MIGRATE, DatabaseRefused, Dialect
from corr_tui.server.tables import SCHEMA_VERSION, metadata, schema_versions

MIGRATIONS: Mapping[int, Callable[[Connection], None]] = MappingProxyType({})
"""From the layout of each version to the one after it; the first layout is the only one so far."""


def version_of(connection: Connection) -> int | None:
    """The layout of a database, or None before there is one."""
    if not inspect(connection).has_table(schema_versions.name):
        return None
    return int(connection.execute(select(schema_versions.c.version)).scalar_one())


def check_version(found: int | None) -> None:
    """Refuse a layout other than this program's: schema_missing, schema_older, schema_newer."""
    if found is None:
        raise DatabaseRefused("schema_missing", f"the database has no tables for correspondence yet; run {MIGRATE}")
    if found < SCHEMA_VERSION:
        message = f"the database has schema version {found}; run {MIGRATE} to bring it to version {SCHEMA_VERSION}"
        raise DatabaseRefused("schema_older", message)
    if found > SCHEMA_VERSION:
        message = f"the database has schema version {found}; this program knows version {SCHEMA_VERSION} at most"
        raise DatabaseRefused("schema_newer", message)


def _check_free(connection: Connection) -> None:
    """Refuse a database that holds a table of one of our names, which then is somebody else's."""
    foreign = sorted(set(inspect(connection).get_table_names()) & set(metadata.tables))
    if foreign:
        message = f"the database has tables of other programs under our names: {', '.join(foreign)}; use one of its own"
        raise DatabaseRefused("tables_foreign", message)


def migrate_schema(connection: Connection, dialect: Dialect) -> int:
    """Give a database this program's layout, from none or from an older one; returns its version.

    Runs inside a writing transaction of the caller; raises DatabaseRefused(schema_newer), (schema_older) where no way
    leads on from the layout found, or (tables_foreign).
    """
    dialect.migrating(connection)
    found = version_of(connection)
    if found is None:
        _check_free(connection)
        metadata.create_all(connection)
        connection.execute(schema_versions.insert().values(version=SCHEMA_VERSION))
        return SCHEMA_VERSION
    version = found
    while version in MIGRATIONS:
        MIGRATIONS[version](connection)
        version += 1
    check_version(version)
    if version != found:
        connection.execute(update(schema_versions).values(version=version))
    return version
