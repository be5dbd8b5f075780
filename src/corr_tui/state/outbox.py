"""Events of mine between being meant and being received (§4).

One transaction takes the next `session_seq`, signs, and stores the exact bytes; only then is anything posted. What is
posted is always what is stored, so an answer that was lost is met with the same bytes again. A number once taken is
never taken again in its session, whatever became of its event.

    unsent ──attempt──▶ not known yet ──receipt──▶ (gone: it is the service's)
      ▲                   │      │
      └──never left here──┘      └──refused for good──▶ refused

An attempt is noted before its bytes leave, so that a process that ends in the middle of one leaves no event that is
called unsent and may have been received. Of two processes that post one event neither undoes what the other knows:
what is refused or gone stays so, and only the last attempt can say that the bytes never left.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corr_tui.protocol.errors import EventRefused, JsonRefused, SignatureRefused
from corr_tui.protocol.event import Core, Event, read_event
from corr_tui.protocol.signing import check_event_id, event_jcs
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
CREATE TABLE IF NOT EXISTS attempt (
    event_id TEXT PRIMARY KEY,
    count INTEGER NOT NULL
) WITHOUT ROWID;
"""
_COLUMNS = "event_id, place, project_id, repository_id, session_id, session_seq, raw, state, reason, stored_at"


class OutboxRefused(Exception):
    """An event cannot be kept here, and so is not sent; the text says why."""


class SequenceTaken(Exception):
    """The prepared sequence number is not the next one of its session any more."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One row, whosever it is and whatever became of its bytes."""

    event_id: str
    place: str
    project_id: str
    repository_id: str
    session_id: str
    session_seq: int
    raw: bytes
    state: UnsentState
    reason: str
    stored_at: str
    """By the clock of this machine, which orders nothing."""

    def stored(self) -> Stored | None:
        """The event in it; None when the bytes are not exactly those that were signed under its identifier."""
        try:
            event = read_event(decode(self.raw))
            check_event_id(event)
        except (JsonRefused, EventRefused, SignatureRefused):
            return None
        if event.event_id != self.event_id or event_jcs(event.evidence) != self.raw:
            return None
        return Stored(event, self.raw, self.state, self.reason, self.stored_at)


@dataclass(frozen=True, slots=True)
class Stored:
    """A signed event and the exact bytes that are posted."""

    event: Event
    raw: bytes
    state: UnsentState
    reason: str = ""
    stored_at: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to post an event."""

    event_id: str
    number: int
    before: UnsentState
    """What was known of the event before."""


class Outbox:
    """The stored events, and those for one service. Every method raises OutboxRefused when the file cannot be used."""

    def __init__(self, path: Path, place: str) -> None:
        self._database = LocalDatabase(path, _SCHEMA)
        self._place = place
        self._taken: dict[str, int] = {}
        """The last numbers taken through this object: the file may be put back to an older state at any time."""

    def begin_session(self, session_id: str) -> None:
        """Record a session that begins, before it takes a number."""
        self._change("INSERT OR IGNORE INTO session (session_id, last_seq) VALUES (?, 0)", session_id)

    def next_seq(self, session_id: str) -> int:
        """The number the next event of a session will have; it is not taken yet."""
        try:
            with self._database.reading() as connection:
                return self._last_seq(connection, session_id) + 1
        except (sqlite3.Error, OSError) as error:
            raise _refusal(error) from None

    def store(self, core: Core, sign: Callable[[Core], Event]) -> Stored:
        """Take the core's number, sign it and keep the bytes, all or nothing; raises SequenceTaken."""
        session_id = core.sender.session_id
        try:
            with self._database.writing() as connection:
                if core.session_seq != self._last_seq(connection, session_id) + 1:
                    raise SequenceTaken
                event = sign(core)
                stored = Stored(event, event_jcs(event.evidence), UnsentState.UNSENT)
                self._insert(connection, core, stored)
        except (sqlite3.Error, OSError) as error:
            raise OutboxRefused(f"this installation cannot store it: {error}") from None
        self._taken[session_id] = core.session_seq
        return stored

    def _insert(self, connection: sqlite3.Connection, core: Core, stored: Stored) -> None:
        session_id = core.sender.session_id
        connection.execute(
            "INSERT INTO session (session_id, last_seq) VALUES (?, ?)"
            " ON CONFLICT (session_id) DO UPDATE SET last_seq = excluded.last_seq",
            (session_id, core.session_seq),
        )
        connection.execute(
            "INSERT INTO unsent (event_id, place, project_id, repository_id, session_id, session_seq, raw, state)"
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

    def kept(self, project_id: str, repository_id: str) -> tuple[Stored, ...]:
        """Every event of a repository without a receipt, of any session, in the order they were stored; not those
        whose bytes are damaged, which `everything` still names."""
        return tuple(stored for row in self.rows(project_id, repository_id) if (stored := row.stored()) is not None)

    def rows(self, project_id: str, repository_id: str) -> tuple[Kept, ...]:
        """The same as rows, those whose bytes are damaged too."""
        condition = "WHERE place = ? AND project_id = ? AND repository_id = ?"
        return self._rows(condition, self._place, project_id, repository_id)

    def everything(self) -> tuple[Kept, ...]:
        """Every row of this installation, for any service, in the order they were stored. Makes no file."""
        return self._rows("") if self._database.exists else ()

    def begin(self, event_id: str) -> Attempt | None:
        """The event is about to be posted, so from now on it may have been received; None when it does not wait."""
        try:
            with self._database.writing() as connection:
                row = connection.execute("SELECT state FROM unsent WHERE event_id = ?", (event_id,)).fetchone()
                if row is None or row[0] == UnsentState.REFUSED.value:
                    return None
                (number,) = connection.execute(
                    "INSERT INTO attempt (event_id, count) VALUES (?, 1)"
                    " ON CONFLICT (event_id) DO UPDATE SET count = count + 1 RETURNING count",
                    (event_id,),
                ).fetchone()
                statement = "UPDATE unsent SET state = ? WHERE event_id = ?"
                connection.execute(statement, (UnsentState.UNKNOWN.value, event_id))
                return Attempt(event_id, number, _state(row[0]))
        except (sqlite3.Error, OSError) as error:
            raise _refusal(error) from None

    def put_off(self, attempt: Attempt, reason: str, *, left: bool) -> bool:
        """An attempt ended without an answer on the event; `left` says whether its bytes may have reached the service.
        Returns whether the event still waits."""
        never_left = not left and attempt.before is UnsentState.UNSENT
        return self._change(
            "UPDATE unsent SET reason = ?1, state = CASE WHEN ?2 AND"
            " (SELECT count FROM attempt WHERE attempt.event_id = ?4) = ?3 THEN ?5 WHEN ?7 THEN ?8 ELSE state END"
            " WHERE event_id = ?4 AND state <> ?6",
            reason,
            never_left,
            attempt.number,
            attempt.event_id,
            UnsentState.UNSENT.value,
            UnsentState.REFUSED.value,
            left,
            UnsentState.UNKNOWN.value,
        )

    def settle(self, event_id: str) -> None:
        """The event has a receipt: it is the service's now."""
        self._delete(event_id)

    def refuse(self, event_id: str, reason: str) -> bool:
        """The service refused the event for good; it is kept with the reason and not posted again. Returns whether it
        was still kept."""
        statement = "UPDATE unsent SET state = ?, reason = ? WHERE event_id = ?"
        return self._change(statement, UnsentState.REFUSED.value, reason, event_id)

    def discard(self, event_id: str) -> UnsentState | None:
        """Somebody here gave the event up; returns how it stood, or None. Its number stays used."""
        return self._delete(event_id)

    def _delete(self, event_id: str) -> UnsentState | None:
        try:
            with self._database.writing() as connection:
                row = connection.execute("SELECT state FROM unsent WHERE event_id = ?", (event_id,)).fetchone()
                connection.execute("DELETE FROM attempt WHERE event_id = ?", (event_id,))
                connection.execute("DELETE FROM unsent WHERE event_id = ?", (event_id,))
                return _state(row[0]) if row else None
        except (sqlite3.Error, OSError) as error:
            raise _refusal(error) from None

    def _rows(self, condition: str, *values: str) -> tuple[Kept, ...]:
        try:
            with self._database.reading() as connection:
                rows = connection.execute(
                    f"SELECT {_COLUMNS} FROM unsent {condition} ORDER BY rowid", values
                ).fetchall()
        except (sqlite3.Error, OSError) as error:
            raise _refusal(error) from None
        return tuple(_kept(*row) for row in rows)

    def _change(self, statement: str, *values: object) -> bool:
        """Change a row; returns whether there was one."""
        try:
            with self._database.writing() as connection:
                return connection.execute(statement, values).rowcount > 0
        except (sqlite3.Error, OSError) as error:
            raise _refusal(error) from None

    def _last_seq(self, connection: sqlite3.Connection, session_id: str) -> int:
        row = connection.execute("SELECT last_seq FROM session WHERE session_id = ?", (session_id,)).fetchone()
        return max(int(row[0]) if row else 0, self._taken.get(session_id, 0))


def _kept(
    event_id: str,
    place: str,
    project_id: str,
    repository_id: str,
    session_id: str,
    session_seq: int,
    raw: object,
    state: str,
    reason: str,
    stored_at: str,
) -> Kept:
    """A row as it stands in the file."""
    where = (place, project_id, repository_id, session_id)
    return Kept(event_id, *where, session_seq, _bytes(raw), _state(state), reason, stored_at)


def _state(text: str) -> UnsentState:
    """The state of a row; one that was written by nobody here says nothing."""
    try:
        return UnsentState(text)
    except ValueError:
        return UnsentState.UNKNOWN


def _bytes(value: object) -> bytes:
    """The bytes of a row; a value of another type was written by nobody here."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def _refusal(error: Exception) -> OutboxRefused:
    return OutboxRefused(f"the outbox of this installation cannot be used: {error}")
