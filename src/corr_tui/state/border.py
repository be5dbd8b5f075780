"""The border between the session and whoever draws it: snapshots come out, drafts go in.

The interface is typed against `Correspondence`, so that it can paint before the client and its libraries are loaded,
and so that a test can stand in for the service.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import Issue
from corr_tui.protocol.event import Core
from corr_tui.protocol.records import Record
from corr_tui.state.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Prepared:
    """A draft composed and ready to sign: exactly these bytes will be."""

    draft: Draft
    core: Core
    core_jcs: bytes
    """The canonical bytes the signature covers (§3)."""
    digest: bytes
    """The 32-byte signing digest (§3)."""


class Outcome(StrEnum):
    """What became of an event sent."""

    POSTED = "posted"
    """The service gave a receipt."""
    REFUSED = "refused"
    """The service, or the profile itself, refused it for good; the draft is still the caller's."""
    NOT_STORED = "not stored here"
    """This installation cannot keep the event, so it was neither signed nor posted; the draft is still the caller's."""
    UNKNOWN = "not known yet"
    """The answer was lost. The event is in the outbox, and the same bytes go out again."""
    CHANGED = "changed"
    """The sequence number was taken meanwhile; the bytes must be prepared, and shown, again."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The answer to one send."""

    outcome: Outcome
    event_id: str = ""
    record: Record | None = None
    """With its receipt and warnings, when posted."""
    reason: str = ""
    """In the service's words when refused, in this installation's when not stored."""
    issues: tuple[Issue, ...] = ()


class Correspondence(Protocol):
    """What the interface needs of a session."""

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        ...

    def snapshots(self) -> AsyncIterator[Snapshot]:
        """The newest snapshot now, and again after each change; changes in between are not queued."""
        ...

    async def prepare(self, draft: Draft) -> Prepared:
        """Compose a draft with the next sequence number; raises EventRefused with every rule it breaks."""
        ...

    async def send(self, prepared: Prepared) -> Sent:
        """Sign exactly the prepared bytes, store them, post them. Returns once the outcome is known or lost."""
        ...

    async def refresh(self) -> None:
        """Ask the service again now."""
        ...

    async def run(self) -> None:
        """Keep the snapshot current until cancelled."""
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...
