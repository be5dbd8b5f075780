"""Who takes part, as the service last listed them (§7).

Whoever starts while the service is away still shows people by their names. A name is untrusted text, of one project at
one service, and stands until the service lists it anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from corr_tui.state.local_database import LocalDatabase
from corr_tui.state.snapshot import Identity
from corr_tui.state.trust import Place

_SCHEMA = """
CREATE TABLE IF NOT EXISTS listed_identity (
    place TEXT NOT NULL,
    project_id TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    name TEXT NOT NULL,
    active INTEGER NOT NULL,
    PRIMARY KEY (place, project_id, identity_id)
) WITHOUT ROWID;
"""


class ListedNames:
    """What is remembered of one project. A file that cannot be used remembers nothing: the service is asked anyway."""

    def __init__(self, path: Path, place: Place) -> None:
        self._database = LocalDatabase(path, _SCHEMA)
        self._of = (place.service, place.project_id)

    def recall(self) -> Mapping[str, Identity]:
        """The identities that were listed last, by their ids."""
        statement = "SELECT identity_id, name, active FROM listed_identity WHERE place = ? AND project_id = ?"
        if not self._database.exists:
            return MappingProxyType({})
        try:
            with self._database.reading() as connection:
                rows = connection.execute(statement, self._of).fetchall()
        except (sqlite3.Error, OSError):
            return MappingProxyType({})
        return MappingProxyType({row[0]: Identity(str(row[0]), str(row[1]), bool(row[2])) for row in rows})

    def remember(self, identities: Mapping[str, Identity]) -> None:
        """The service has just listed these, in place of those before."""
        if self.recall() == identities:
            return
        rows = [(*self._of, each.identity_id, each.name, each.active) for each in identities.values()]
        try:
            with self._database.writing() as connection:
                connection.execute("DELETE FROM listed_identity WHERE place = ? AND project_id = ?", self._of)
                connection.executemany("INSERT INTO listed_identity VALUES (?, ?, ?, ?, ?)", rows)
        except (sqlite3.Error, OSError):
            return  # they are listed again
