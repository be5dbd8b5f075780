"""Events of mine between being meant and being received (§4).

One transaction takes the next `session_seq`, signs, and stores the exact bytes; only then is anything posted. What is
posted is always what is stored, so an answer that was lost is met with the same bytes again. A number once taken is
never taken again in its session, whatever became of its event.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corr_tui.protocol.errors import EventRefused, JsonRefused
from corr_tui.protocol.event import Core, Event, read_event
from corr_tui.protocol.signing import event_jcs
from corr_tui.protocol.strict_json import decode
from corr_tui.state.local_database import LocalDatabase
from corr_tui.state.snapshot import UnsentState

_SCHEMA = """
CREATE TABLE IF NOT EXISTS session (
    session_id TEXT PRIMARY KEY,
    last_seq INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unsent (
    event_id TEXT PRIMARY KEY,
    place TEXT NOT NULL,
    project_id TEXT NOT NULL,
    repository_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    session_seq INTEGER NOT NULL,
    raw BLOB NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    stored_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    UNIQUE (session_id, session_seq)
);
"""


class OutboxRefused(Exception):
    """An event cannot be kept here, and so is not sent; the text says why."""


class SequenceTaken(Exception):
    """The prepared sequence number is not the next one of its session any more."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A signed event and the exact bytes that are posted."""

    event: Event
    raw: bytes
    state: UnsentState
    reason: str = ""


class Outbox:
    """The stored events for one service. Every method raises OutboxRefused when the file cannot be used."""

    def __init__(self, path: Path, place: str) -> None:
        self._database = LocalDatabase(path, _SCHEMA)
        self._place = place

    def next_seq(self, session_id: str) -> int:
        """The number the next event of a session will have; it is not taken yet."""
        try:
            with self._database.reading() as connection:
                return _last_seq(connection, session_id) + 1
        except (sqlite3.Error, OSError) as error:
            raise _refusal(error) from None

    def store(self, core: Core, sign: Callable[[Core], Event]) -> Stored:
        """Take the core's number, sign it and keep the bytes, all or nothing; raises SequenceTaken."""
        session_id = core.sender.session_id
        try:
            with self._database.writing() as connection:
                if core.session_seq != _last_seq(connection, session_id) + 1:
                    raise SequenceTaken
                stored = _stored(sign(core), UnsentState.UNSENT)
                connection.execute(
                    "INSERT INTO session (session_id, last_seq) VALUES (?, ?)"
                    " ON CONFLICT (session_id) DO UPDATE SET last_seq = excluded.last_seq",
                    (session_id, core.session_seq),
                )
                connection.execute(
                    "INSERT INTO unsent"
                    " (event_id, place, project_id, repository_id, session_id, session_seq, raw, state)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        stored.event.event_id,
                        self._place,
                        core.project_id,
                        core.repository_id,
                        session_id,
                        core.session_seq,
                        stored.raw,
                        stored.state.value,
                    ),
                )
        except (sqlite3.Error, OSError) as error:
            raise OutboxRefused(f"this installation cannot store it: {error}") from None
        return stored

    def waiting(self, project_id: str, repository_id: str) -> tuple[Stored, ...]:
        """Every event of a repository that has neither a receipt nor a refusal, of any session, oldest first."""
        try:
            with self._database.reading() as connection:
                rows = connection.execute(
                    "SELECT raw, state FROM unsent WHERE place = ? AND project_id = ? AND repository_id = ?"
                    " AND state <> ? ORDER BY stored_at, session_seq",
                    (self._place, project_id, repository_id, UnsentState.REFUSED.value),
                ).fetchall()
            return tuple(Stored(read_event(decode(raw)), raw, UnsentState(state)) for raw, state in rows)
        except (sqlite3.Error, OSError, JsonRefused, EventRefused, ValueError) as error:
            raise _refusal(error) from None

    def settle(self, event_id: str) -> None:
        """The event has a receipt: it is the service's now."""
        self._change("DELETE FROM unsent WHERE event_id = ?", event_id)

    def doubt(self, event_id: str) -> None:
        """The answer was lost: the event may or may not have been received."""
        self._change("UPDATE unsent SET state = ? WHERE event_id = ?", UnsentState.UNKNOWN.value, event_id)

    def refuse(self, event_id: str, reason: str) -> None:
        """The service refused the event for good; it is kept with the reason and not posted again."""
        statement = "UPDATE unsent SET state = ?, reason = ? WHERE event_id = ?"
        self._change(statement, UnsentState.REFUSED.value, reason, event_id)

    def discard(self, event_id: str) -> bool:
        """Somebody here gave the event up; returns whether it was kept. Its number stays used."""
        return self._change("DELETE FROM unsent WHERE event_id = ?", event_id)

    def _change(self, statement: str, *values: str) -> bool:
        """Change a row; returns whether there was one."""
        try:
            with self._database.writing() as connection:
                return connection.execute(statement, values).rowcount > 0
        except (sqlite3.Error, OSError) as error:
            raise _refusal(error) from None


def _last_seq(connection: sqlite3.Connection, session_id: str) -> int:
    row = connection.execute("SELECT last_seq FROM session WHERE session_id = ?", (session_id,)).fetchone()
    return int(row[0]) if row else 0


def _stored(event: Event, state: UnsentState) -> Stored:
    return Stored(event, event_jcs(event.evidence), state)


def _refusal(error: Exception) -> OutboxRefused:
    return OutboxRefused(f"the outbox of this installation cannot be used: {error}")
