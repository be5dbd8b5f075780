"""What this installation cannot do as it should, each in words for a person: none of it is about a participant.

Whatever is named here goes on without: events are read and judged, and what can be signed and posted is.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Troubles:
    """Empty where there is none."""

    outbox: str = ""
    """Why the outbox cannot be read, so that what is unsent is not known."""
    damaged: tuple[str, ...] = ()
    """By the names they are kept under, untrusted: unsent events whose bytes are not those that were signed. They are
    not posted, and not given up either."""
    pins: str = ""
    """Why keys that are pinned cannot be read or kept, and what stands in for them."""
    runs: str = ""
    """Why no session can be marked as running."""
