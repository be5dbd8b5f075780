"""What one turn reads ahead for all of its members (§2.1, §4).

The rule: whoever has a turn is alone with the project's events, so what it has read stays true as long as it adds what
it appends itself. A revocation that commits meanwhile comes after the appends of this turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from corr_tui.protocol.event import Event
from corr_tui.server.record import stored_ids
from corr_tui.server.tables import identities, signing_keys

_KEYS = select(
    signing_keys.c.signing_key_id,
    signing_keys.c.identity_id,
    (signing_keys.c.revoked_at.is_(None) & identities.c.revoked_at.is_(None)).label("active"),
).where(
    signing_keys.c.project_id == bindparam("project_id"),
    signing_keys.c.signing_key_id.in_(bindparam("signing_key_ids", expanding=True)),
    identities.c.project_id == signing_keys.c.project_id,
    identities.c.identity_id == signing_keys.c.identity_id,
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the appends of one turn ask about."""

    stored: set[str]
    """Which of the events of the turn, and of their parents, are stored."""
    active: frozenset[tuple[str, str]]
    """Which of their keys are active, each with the active identity it belongs to."""

    @classmethod
    def of(cls, connection: Connection, project_id: str, said: Sequence[Event]) -> Facts:
        """The facts about some events of one project."""
        named = {each for event in said for each in (event.event_id, *event.parents)}
        keys = sorted({event.sender.signing_key_id for event in said})
        rows = connection.execute(_KEYS, {"project_id": project_id, "signing_key_ids": keys})
        active = frozenset((row.signing_key_id, row.identity_id) for row in rows if row.active)
        return cls(set(stored_ids(connection, project_id, named)), active)

    def may_sign(self, event: Event) -> bool:
        """Whether the sender is active and signs with an active key of its own (§2.1)."""
        return (event.sender.signing_key_id, event.sender.identity_id) in self.active

    def missing_parents(self, event: Event) -> tuple[str, ...]:
        """The parents that are not stored, in their order (§4)."""
        return tuple(parent for parent in event.parents if parent not in self.stored)
