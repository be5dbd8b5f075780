"""What a session tells of itself: how the link changed, what its refreshes met, its clock, stream and file.

For whoever wants to know why something looks as it does, and for a report of a fault. Nothing secret is in it: no
bearer, no key, no body, and of addresses only the last word of a path. Times are by the clock of this machine, since
the service's may be what is in doubt.
"""

from __future__ import annotations

from dataclasses import dataclass

from corr_tui.state.snapshot import LinkState

MOST_CHANGES = 200
MOST_REFRESHES = 50


@dataclass(frozen=True, slots=True)
class LinkChange:
    """The link became something, or the reason for it did."""

    at: str
    """RFC3339-ms, by the clock of this machine."""
    state: LinkState
    reason: str
    """In words, perhaps a service's; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """One refresh."""

    at: str
    """When it began: RFC3339-ms, by the clock of this machine."""
    seconds: float
    """How long it took."""
    answers: tuple[str, ...]
    """What was answered meanwhile, with its status: `voice 304`, `events 200 ×3`."""
    events: int
    """Events that the history grew by."""
    trouble: str = ""
    """Why it was not answered, or empty."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Everything a session tells of itself, as it is now."""

    links: tuple[LinkChange, ...] = ()
    """The last MOST_CHANGES, the first of them first."""
    refreshes: tuple[Refreshed, ...] = ()
    """The last MOST_REFRESHES, the first of them first."""
    offset: float | None = None
    """Seconds by which the service's clock is ahead of this machine's; None while it is not known."""
    measured: float | None = None
    """Seconds since the service's clock was last measured."""
    wake_opened: int = 0
    wake_ended: int = 0
    """Wake streams that opened, and that ended, in this run."""
    history_file: str = ""
    """The name of the file the history is kept in, without its folder; empty where none is."""
    history_bytes: int | None = None
