"""The frames of a wake stream, as bytes (§7.1, §8).

The rule: a frame is a name and one line of JSON, a hint without content or authority. `connected` comes first; then
`change`, and `welcome` as a heartbeat, named as the public service names it, so that clients that only see named
events notice it too; `refresh` at the end of a stream's lifetime, `disconnect` when its bearer or its identity has
ended, `rejected` beyond the cap.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from corr_tui.server.record import compact

KEY = "correspondence"
"""The one wake key this service knows."""


def frame(event: str, data: Mapping[str, Any]) -> bytes:
    """One SSE frame: a name and one line of JSON."""
    return f"event: {event}\ndata: {compact(data)}\n\n".encode()


def connected(identity_id: str, keys: Sequence[str] | str) -> bytes:
    """The first frame of every stream."""
    return frame("connected", {"identity_id": identity_id, "keys": keys})


def heartbeat() -> bytes:
    """A sign of life; it says nothing about correspondence."""
    return frame("welcome", {"by": "service", "at_unix_ms": int(time.time() * 1000)})


def refresh() -> bytes:
    """The last frame of a stream that reached its lifetime: connect again."""
    return frame("refresh", {"reason": "lifetime_reached", "hint": "connect again"})


def rejected(cap: int) -> bytes:
    """The only frame of a stream beyond the cap."""
    hint = f"at most {cap} streams of one identity are served at once; wait before connecting again"
    return frame("rejected", {"error": "subscriber_cap", "reason": "subscriber_cap_reached", "hint": hint})


def disconnect(reason: str) -> bytes:
    """The last frame of a stream whose bearer or identity has ended: connecting again tells why."""
    return frame("disconnect", {"reason": reason, "hint": "whoever may still listen connects again"})


@dataclass(frozen=True, slots=True)
class Change:
    """The invalidation for one committed event: identifiers and its receipt, no body (§7.1, §8).

    Written once, whoever is told: only the identity differs between the frames of one change.
    """

    rest: bytes

    @classmethod
    def of(cls, row: Row[Any]) -> Change:
        """The change of a row with event_id, received_seq, received_at, repository_id, thread_id and kind."""
        context = {
            "event_id": row.event_id,
            "received_seq": str(row.received_seq),
            "repository_id": row.repository_id,
            "thread_id": row.thread_id,
            "kind": row.kind,
        }
        rest = {
            "key": KEY,
            "kind": "updated",
            "occurred_at": row.received_at,
            "wake_version": row.received_seq,
            "automatic_action": "never",
            "context": context,
        }
        return cls(compact(rest)[1:].encode())

    def frame(self, identity_id: str) -> bytes:
        """The frame for one identity, whose id is a UUID."""
        head = f'event: change\ndata: {{"_format":"wake_event/v1","identity_id":"{identity_id}",'
        return b"%b%b\n\n" % (head.encode(), self.rest)
