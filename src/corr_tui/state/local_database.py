"""The small SQLite files of this installation: private to this user, safe between processes.

A connection lives for one piece of work, so that it may run on any thread and nothing stays open. Writing takes the
file at once (BEGIN IMMEDIATE) and commits through to the disk.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BUSY_TIMEOUT = 5.0
"""Seconds to wait for another process."""


class LocalDatabase:
    """One file and its schema; every method raises sqlite3.Error or OSError for its caller to name."""

    def __init__(self, path: Path, schema: str) -> None:
        self._path = path
        self._schema = schema
        self._made = False

    @property
    def exists(self) -> bool:
        """Whether there is a file yet."""
        return self._path.exists()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read with. A file that cannot be written, as on a read-only disk, is read all the same."""
        try:
            with self._opened() as connection:
                yield connection
        except UnicodeError:  # in the words of an error about a damaged file
            raise sqlite3.DatabaseError("the file is damaged") from None

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = self._connect()
        except OSError:
            if not self._path.exists():
                raise
            connection = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        connection.text_factory = as_text
        try:
            yield connection
        finally:
            connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one transaction, which is committed unless the block raises."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:  # a full disk, for one, has ended it already
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        if (
            not self._made or not self.exists
        ):  # a file may be taken away at any time, and SQLite would make no private one
            self._made = False
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            if not self._made:
                connection.executescript(self._schema)
                self._made = True
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def as_text(raw: bytes) -> str:
    """The text of a value; a damaged one is still a text, so that it spoils no other."""
    return raw.decode(errors="replace")
