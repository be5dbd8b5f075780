"""A writer's turn at one project's stream, within one transaction (§4, §6).

The rule: whoever has selected the stream row for update is alone with the project until the transaction ends, so it
counts receipts, and notes what reconciliation did, in memory, and writes the row once. Receipts of one turn share one
instant of the database clock.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select, update

from corr_tui.server.database import Database
from corr_tui.server.frontier import reconcile
from corr_tui.server.tables import streams

_STREAM_TURN = select(streams).where(streams.c.project_id == bindparam("project_id")).with_for_update()
_END_TURN = (
    update(streams)
    .where(streams.c.project_id == bindparam("of_project_id"))
    .values(
        received_seq=bindparam("seq"),
        received_at=bindparam("at"),
        reconciled_at=bindparam("settled_at"),
        incomplete=bindparam("remains"),
    )
)


@dataclass(slots=True)
class Turn:
    """The state of a stream while one writer has it."""

    connection: Connection
    project_id: str
    now: str
    """The database clock when the turn began, as RFC3339-ms."""
    received_seq: int
    received_at: str | None
    reconciled_at: str | None
    incomplete: bool
    _written: tuple[int, str | None, str | None, bool]

    @classmethod
    def begun(cls, connection: Connection, database: Database, project_id: str) -> Turn:
        """Wait for the stream, then look at the clock."""
        row = connection.execute(_STREAM_TURN, {"project_id": project_id}).one()
        state = (row.received_seq, row.received_at, row.reconciled_at, row.incomplete)
        return cls(connection, project_id, database.now(connection), *state, state)

    def receive(self) -> int:
        """The number of a new receipt, whose instant is `now`."""
        self.received_seq += 1
        self.received_at = self.now
        return self.received_seq

    def reconcile(self) -> None:
        """Settle one bounded step of ready lineage."""
        settled, remains = reconcile(self.connection, self.project_id)
        self.note(changed=settled > 0, remains=remains)

    def note(self, *, changed: bool, remains: bool) -> None:
        """Note what became of claim rows, and whether ready work remains; only a change moves the watermark (§6)."""
        self.incomplete = remains
        if changed:
            self.reconciled_at = max(self.now, self.reconciled_at or self.now)

    def end(self) -> None:
        """Write the row where it changed; the transaction may still be undone."""
        state = (self.received_seq, self.received_at, self.reconciled_at, self.incomplete)
        if state != self._written:
            values = dict(zip(("seq", "at", "settled_at", "remains"), state, strict=True))
            self.connection.execute(_END_TURN, {"of_project_id": self.project_id, **values})
            self._written = state
