"""What follows from the events heard alone, as data: threads, reports, declarations, citations, forks (§4, §5).

`projection` says by which rules; a Snapshot carries one of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from corr_tui.protocol.lineage import ClaimEvent, LineageStatus


class ThreadState(StrEnum):
    """What was last reported about a thread; `open` says only that nothing of this was."""

    OPEN = "open"
    PAUSED = "paused"
    RESTING = "resting"
    REFUSED = "refused"
    """Somebody declined work in it, and nobody ended it; others may well work on."""
    HANDED_OFF = "handed off"
    CLOSED = "closed"


class ReportState(StrEnum):
    """What an identity last reported about its presence; never whether it is there."""

    PAUSED = "paused"
    RESTING = "resting"
    RESUMED = "resumed"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class Report:
    """A presence report that stands: a pause, rest, resume or refusal."""

    state: ReportState
    identity_id: str
    thread_id: str
    event_id: str
    received_at: str
    until: str | None = None
    """RFC3339-ms, for a pause or rest that names one."""

    def passed(self, now: str | None) -> bool:
        """Whether `until` has passed at the RFC3339-ms instant `now`; the report stands all the same."""
        return self.until is not None and now is not None and self.until <= now


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread, by its events heard."""

    thread_id: str
    count: int
    last_seq: int
    """The highest receipt number in it."""
    last_received_at: str
    words: str
    """The summary of its first intent, else of its first report in words; untrusted, perhaps empty."""
    state: ThreadState
    by: str | None = None
    """The identity whose report the state is, if any."""
    event_id: str | None = None
    """The event that reports the state, if any."""
    reports: tuple[Report, ...] = ()
    """Every pause, rest and refusal that stands in it: one of each identity, refusals last."""
    ended: tuple[ThreadState, str, str] | None = None
    """The close or handoff that stands: what it reports, by whom, in which event."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One acknowledgement of an event: what its sender declared, and when the service received that."""

    kind: str
    identity_id: str
    event_id: str
    received_at: str


@dataclass(frozen=True, slots=True)
class Amendment:
    """A repair or a resolution that cites an event; the event itself stays as it is (§8)."""

    kind: str
    event_id: str
    identity_id: str


@dataclass(frozen=True, slots=True)
class Noted:
    """What is kept of every event of the history, however few a Snapshot holds."""

    seq: int
    """Its receipt number."""
    thread_id: str | None
    identity_id: str | None
    kind: str | None
    """These three are None for a malformed event, but for a thread that it names."""
    generation: int | None
    """Of an event about a claim."""
    proved: bool
    """Whether its signature was proved, so that it drives state."""
    stored: bool
    """Whether its bytes are its own and nothing refutes them, so that who names it as parent misses nothing."""


@dataclass(frozen=True, slots=True)
class SessionHeard:
    """One session of an identity on a device, by its proved events (§4)."""

    first_seq: int
    last_seq: int
    """The lowest and the highest of its own sequence numbers that were heard; nothing says that all between were."""
    event_id: str
    """Its event received last."""
    key_ids: tuple[str, ...]
    """The keys it signed with, in the order they came up."""


@dataclass(frozen=True, slots=True)
class ClaimHeard:
    """One proved event about a claim, and its receipt."""

    claim: ClaimEvent
    seq: int
    """Its receipt number."""
    received_at: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything here that follows from the events heard alone."""

    threads: Mapping[str, Thread] = field(default_factory=dict)
    reports: Mapping[str, Report] = field(default_factory=dict)
    """The report that stands, by identity; who never reported has none."""
    declared: Mapping[str, tuple[Declaration, ...]] = field(default_factory=dict)
    """Acknowledgements by the event they are about, in receipt order."""
    amended: Mapping[str, tuple[Amendment, ...]] = field(default_factory=dict)
    """By event, the repairs and resolutions that cite it, in receipt order."""
    cited_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Events, other than acknowledgements, that name an event as parent; in receipt order."""
    forks: Mapping[tuple[str, str, str, int], tuple[str, ...]] = field(default_factory=dict)
    """Events at one place (identity, device, session, sequence) where there are several, ordered by id."""
    sessions: Mapping[tuple[str, str, str], SessionHeard] = field(default_factory=dict)
    """By identity, device and session, in the order they came up."""
    raised: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the event that raises it, the targets of each conflict that no resolution cites."""
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By event, those of its parents that are not stored as far as is known here, in their order; in receipt order."""
    unsettled: Mapping[str, LineageStatus] = field(default_factory=dict)
    """Events about a claim whose lineage is pending or invalid; every other proved one is valid (§6)."""
    claims: Mapping[str, ClaimHeard] = field(default_factory=dict)
    """Every proved event about a claim, by its id, in receipt order."""
    last_by: Mapping[str, str] = field(default_factory=dict)
    """By identity, its event received last."""
    noted: Mapping[str, Noted] = field(default_factory=dict)
    """Every event of the history by its id, in receipt order."""
