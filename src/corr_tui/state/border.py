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
from corr_tui.state.diagnostics import Diagnostics
from corr_tui.state.snapshot import Heard, Snapshot, UnsentState


class SearchRefused(Exception):
    """The history cannot be searched for these words; the text says why."""


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
    """There is no answer. The event is in the outbox, and the same bytes go out again; `Sent.state` says whether they
    have left this machine at all."""
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
    state: UnsentState | None = None
    """Of an outcome that is not known: UNSENT where the bytes have not left this machine, UNKNOWN where they may
    have."""


class DiscardRefused(Exception):
    """An unsent event cannot be given up now; the text says why, and the event is kept."""


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

    async def discard(self, event_id: str) -> bool:
        """Give up an unsent event of mine by name: its bytes are not sent again, its number stays used. What was on its
        way before may have been received. Returns whether it was kept here; raises DiscardRefused."""
        ...

    async def refresh(self) -> None:
        """Ask the service again now; a replay that was stopped goes on."""
        ...

    def hold(self) -> None:
        """Ask nothing by itself: no stream, no floor, nothing that waits is posted; LinkState.HELD. What somebody does
        by a key, to refresh or to send, is done all the same."""
        ...

    def release(self) -> None:
        """Ask at once, and by itself again."""
        ...

    def stop_replay(self) -> None:
        """Stop a long replay where it is; new events are heard of all the same."""
        ...

    async def recall(self, event_id: str) -> Heard | None:
        """An event of the whole history, which the snapshot's `by_id` then holds too; None when it was not read."""
        ...

    async def widen(self) -> bool:
        """Let the snapshot hold more of the earlier events; returns whether there were any."""
        ...

    async def search(self, words: str, most: int = 200) -> tuple[Heard, ...]:
        """The newest events of the whole history that hold all of these words, newest first; raises SearchRefused."""
        ...

    async def saw_apart(self) -> None:
        """Somebody was told in full of the history that was at this address before (`History.apart`): it is news no
        more, here and in later runs."""
        ...

    @property
    def hidden(self) -> frozenset[str]:
        """The keys of what was hidden from triage here."""
        ...

    async def hide(self, key: str, *, hidden: bool) -> str:
        """Hide something from triage here, or show it again, at once; nobody is told. Returns why that is not kept
        beyond this run, or nothing."""
        ...

    def diagnostics(self) -> Diagnostics:
        """What the session tells of itself: link, refreshes, clock, stream, file; no secret is in it."""
        ...

    async def run(self) -> None:
        """Keep the snapshot current until cancelled."""
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...
