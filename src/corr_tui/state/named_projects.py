"""Which project a bearer is of, as the service last named it (§2.1, §7).

Whoever starts while the service is away still knows for which project to sign, and which history to show. A bearer is
of one project; it is kept as its digest only.
"""

from __future__ import annotations

import sqlite3
from hashlib import sha256
from pathlib import Path

from corr_tui.client.answers import NamedProject
from corr_tui.state.local_database import LocalDatabase

_SCHEMA = """
CREATE TABLE IF NOT EXISTS project (
    place TEXT NOT NULL,
    bearer_digest BLOB NOT NULL,
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (place, bearer_digest)
) WITHOUT ROWID;
"""


class NamedProjects:
    """What is remembered of one place. A file that cannot be used remembers nothing: the service is asked then."""

    def __init__(self, path: Path, place: str) -> None:
        self._database = LocalDatabase(path, _SCHEMA)
        self._place = place

    def remember(self, bearer: str, project: NamedProject) -> None:
        """The service has just named this project."""
        if self.recall(bearer) == project:
            return
        row = (self._place, _digest(bearer), project.id, project.name)
        try:
            with self._database.writing() as connection:
                connection.execute("INSERT OR REPLACE INTO project VALUES (?, ?, ?, ?)", row)
        except (sqlite3.Error, OSError):
            return  # it is asked for again

    def recall(self, bearer: str) -> NamedProject | None:
        """The project that was named last, or None."""
        if not self._database.exists:
            return None
        statement = "SELECT project_id, name FROM project WHERE place = ? AND bearer_digest = ?"
        try:
            with self._database.reading() as connection:
                row = connection.execute(statement, (self._place, _digest(bearer))).fetchone()
        except (sqlite3.Error, OSError):
            return None
        return NamedProject(str(row[0]), str(row[1])) if row else None


def _digest(bearer: str) -> bytes:
    return sha256(b"corr-tui bearer\x00" + bearer.encode("utf-8")).digest()
