"""Everything the interface may know, as one frozen value.

A Snapshot is replaced, never changed: whoever draws it compares the one before with the one now. It holds what was
heard (records with their verdicts), what the service last computed (the voice), what is still unsent, and how sure
each of these is. Nothing in it says whether a participant is online: nobody can know.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from corr_tui.protocol.event import Event
from corr_tui.protocol.records import Claims, Conflicts, Record, Voice
from corr_tui.state.facts import Facts
from corr_tui.state.troubles import Troubles
from corr_tui.state.verdict import Verdict as Verdict

LOCAL_SERVICE = "local"
"""What a service is called that has no address of its own: that of a local project."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One record as it arrived, with the verdict on its bytes."""

    record: Record
    verdict: Verdict
    detail: str = ""
    """What the verdict rests on, in a few words: a key fingerprint, or why not."""
    genuine: bool = True
    """Whether the bytes are those of their identifier, recomputed here (§3). Without that it is only called so."""

    @property
    def event_id(self) -> str:
        """The event's identifier; for a malformed event what the service calls it."""
        return self.record.event.event_id

    @property
    def key(self) -> str:
        """What it is found by: its identifier, else the receipt of an event that is called nothing."""
        return self.event_id or f"#{self.record.receipt.received_seq}"

    @property
    def event(self) -> Event | None:
        """The typed event, or None when it is malformed."""
        return self.record.event if isinstance(self.record.event, Event) else None

    def retold(self, newer: Heard) -> Heard:
        """The newer word on the same identifier. Where only this one is genuine its event and verdict stay, with the
        service's newest diagnostics."""
        if newer.genuine or not self.genuine:
            return newer
        told = newer.record
        return replace(self, record=Record(self.record.event, told.receipt, told.missing_parents, told.lineage_status))


@dataclass(frozen=True, slots=True)
class Identity:
    """A participant the service lists; the name is untrusted text."""

    identity_id: str
    name: str
    active: bool = True


class KeyStanding(StrEnum):
    """What is known here of a signing key; never of whoever holds it (§3)."""

    PINNED = "pinned"
    """Known here before this session."""
    FIRST_USE = "pinned on first use"
    """This session proved a signature under it first."""
    LISTED = "listed"
    """The service lists it, and nothing was proved under it here."""
    CHANGED = "key changed"
    """The service lists another key under an id pinned here. Loud."""
    REVOKED = "revoked since"
    UNUSABLE = "no key"
    """What the service lists under its id is no key."""


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A signing key of one identity."""

    signing_key_id: str
    standing: KeyStanding
    fingerprint: str
    """64 hexadecimal digits: the SHA-256 of the key, of the pinned one where one is pinned; empty where none is."""
    listed: bool = True
    """Whether the service lists its id now."""
    asked: bool = True
    """Whether the service listed its identity's keys in this run: else nobody knows whether it does."""
    other: str = ""
    """The fingerprint of what is listed in its place, for a key that changed."""


@dataclass(frozen=True, slots=True)
class Me:
    """Whom this process signs as; `can_sign` is False for a reader without a key, or without a
    folder that can say which installation this is."""

    identity_id: str
    name: str
    signing_key_id: str
    device_id: str
    device_name: str
    session_id: str
    can_sign: bool = True
    hindrance: str = ""
    """Why this installation signs nothing although it may have a key, in words; else empty."""


class LinkState(StrEnum):
    """The state of the connection to the service, never of a participant."""

    CONNECTING = "connecting"
    LIVE = "live"
    POLLING = "polling"
    RECONNECTING = "reconnecting"
    OFFLINE = "offline"
    UNAUTHORIZED = "unauthorized"
    HELD = "paused by me"
    """Somebody here told this session to stop asking; nothing is read until they say otherwise."""
    ENDED = "the recording has ended"
    """What is shown is the end of a recording; there is no service behind it."""


@dataclass(frozen=True, slots=True)
class Link:
    """The connection: its state, since when, and when the service was last heard (monotonic seconds)."""

    state: LinkState = LinkState.CONNECTING
    since: float = 0.0
    heard_at: float | None = None
    detail: str = ""
    """The reason in words, for offline and unauthorized."""
    retry_at: float | None = None
    """When it is tried again by itself (monotonic seconds), while reconnecting or offline."""
    attempt: int = 0
    """Reads in a row that were not answered."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The service's now: a pair of its time and the local monotonic clock, and how far off it may be (seconds)."""

    service_time: datetime | None = None
    measured_at: float = 0.0
    uncertainty: float = 0.0

    def now(self, monotonic: float) -> datetime | None:
        """The service's time at a local monotonic instant; None when it was never measured, or is no date."""
        if self.service_time is None:
            return None
        try:
            return self.service_time + timedelta(seconds=monotonic - self.measured_at)
        except (OverflowError, ValueError):
            return None


class ProjectionState(StrEnum):
    """How complete the service says its projection is; `loading` until it first answers."""

    LOADING = "loading"
    COMPLETE = "complete"
    TRUNCATED = "truncated"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Projection:
    """The service's last voice and whether it may still be believed.

    When `state` is unavailable, `voice` is the last good one, if any, and `error` is the service's word; it is drawn
    dimmed with its age and never as an empty set.
    """

    state: ProjectionState = ProjectionState.LOADING
    voice: Voice | None = None
    read_at: float | None = None
    """When the voice was last confirmed (monotonic seconds)."""
    error: str = ""
    claims: Claims | None = None
    """The active claims by themselves, where the voice says truncated: past fifty events it always does (§7.1)."""

    @property
    def stale(self) -> bool:
        """Whether the voice shown is the last good one rather than the current one."""
        return self.state is ProjectionState.UNAVAILABLE and self.voice is not None


@dataclass(frozen=True, slots=True)
class Apart:
    """A history that was at this address before, and is kept apart on disk."""

    through: str
    """The cursor of its last event."""
    count: int
    noticed_at: str
    """When another one was noticed in its place, by the clock of this machine (RFC3339-ms)."""
    mine: int = 0
    """Events of whom this process signs as that are in it and not in this one; 0 while this one is not whole."""
    seen: bool = False
    """Whether somebody here was told of it in full."""


@dataclass(frozen=True, slots=True)
class History:
    """How far the replay by cursor has come, and what of it is at hand."""

    through: str | None = None
    complete: bool = False
    """Whether every event up to `through` is here and the service had none after it."""
    reset_from: str | None = None
    """The cursor that was lost when another history turned up at the same address; it is kept apart on disk and never
    mixed with this one."""
    apart: Apart | None = None
    """The history that was here before this one, for as long as this one goes on."""
    count: int = 0
    """Events of this history read so far, however many a Snapshot holds."""
    earlier: int = 0
    """Those of them that are kept on disk and lie before the events a Snapshot holds."""
    target: str | None = None
    """The highest cursor the service is known to have reached, while the replay is on its way there."""
    folding: bool = False
    """Whether all of it was read, and what follows from it is still being worked out."""
    stopped: bool = False
    """Whether somebody here stopped a long replay; it goes on when they ask to read again."""
    trouble: str = ""
    """Why the history cannot be kept on disk, or empty."""


@dataclass(frozen=True, slots=True)
class Computed:
    """What the rules of the service make of the events read here (§6, §7.1), of the same forms as its own answers.

    It stands where the service's projection cannot be had, and is always named: "computed here from events through
    #N". Without the whole history it says nothing about absence.
    """

    through: str | None
    """The cursor of the last event it rests on."""
    complete: bool
    """Whether the history up to there is whole, so that absence means none."""
    claims: Claims
    conflicts: Conflicts


class UnsentState(StrEnum):
    """Where an event of mine stands before it has a receipt."""

    UNSENT = "unsent"
    UNKNOWN = "not known yet"
    """The answer was lost; the same bytes are sent again."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Unsent:
    """A signed event of mine without a receipt."""

    event: Event
    state: UnsentState = UnsentState.UNSENT
    reason: str = ""
    """Why it has no receipt: the service's words, when refused, or what stood in the way the last time."""
    stored_at: str = ""
    """When it was signed and stored, by the clock of this machine (RFC3339-ms); empty when that was a moment ago."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One consistent view of one repository of one project."""

    repository_id: str
    service: str = ""
    """The service's address, or what to call the local one."""
    recorded: bool = False
    """Whether this is a recording that is played, with no service behind it."""
    project_id: str = ""
    project_name: str = ""
    me: Me | None = None
    identities: Mapping[str, Identity] = field(default_factory=lambda: MappingProxyType({}))
    keys: Mapping[str, tuple[KnownKey, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """By identity, its keys that are pinned here or listed by the service, by their ids."""
    events: tuple[Heard, ...] = ()
    """The newest events heard, in receipt order; `history.earlier` says how many lie before them."""
    by_id: Mapping[str, Heard] = field(default_factory=lambda: MappingProxyType({}))
    """Those, and any older one that was recalled."""
    facts: Facts | None = None
    """What follows from every event of the history; None where `events` are all there is to know it from."""
    computed: Computed | None = None
    """The projection as computed here, while the service's cannot be had or believed."""
    differs: tuple[str, ...] = ()
    """In what the service's projection and the one computed here differ beyond what bounds explain; words for a
    diagnostic."""
    projection: Projection = Projection()
    link: Link = Link()
    clock: Clock = Clock()
    history: History = History()
    unsent: tuple[Unsent, ...] = ()
    troubles: Troubles = field(default_factory=Troubles)

    def heard(self, events: tuple[Heard, ...], history: History) -> Snapshot:
        """With more events, each id once, in receipt order; the newest word on an event replaces the one before.

        Bytes that are not those of their identifier never replace bytes that are. An older event that was recalled
        stays outside the events.
        """
        merged = self.by_id.copy() if isinstance(self.by_id, MappingProxyType) else dict(self.by_id)
        newer: dict[str, Heard] = {}
        for event in events:
            key, before = event.key, merged.get(event.key)
            merged[key] = newer[key] = before.retold(event) if before else event
        added = sorted(newer.values(), key=_seq)
        if added and len(merged) == len(self.by_id) + len(added):  # as every page of a replay does
            ordered = _spliced(self.events, added)
        else:
            first = _seq(self.events[0]) if self.events else 0
            within = [each for each in added if each.key not in self.by_id or _seq(each) >= first]
            ordered = tuple(sorted((*(each for each in self.events if each.key not in newer), *within), key=_seq))
        return replace(self, events=ordered, by_id=MappingProxyType(merged), history=history)

    def name_of(self, identity_id: str) -> str:
        """What to call an identity: its listed name, else the start of its id. Untrusted text."""
        known = self.identities.get(identity_id)
        return known.name if known and known.name else f"{identity_id[:4]}…"

    def number_of(self, event_id: str) -> str:
        """`#4810` for an event of the history, `6f9d…` for any other."""
        if known := self.by_id.get(event_id):
            return f"#{known.record.receipt.received_seq}"
        noted = self.facts.noted.get(event_id) if self.facts else None
        return f"#{noted.seq}" if noted else f"{event_id.removeprefix('sha256:')[:4]}…"


def _seq(heard: Heard) -> int:
    return heard.record.seq


def _spliced(events: tuple[Heard, ...], added: list[Heard]) -> tuple[Heard, ...]:
    """All of them in receipt order; a long history is not sorted for a page that lies in one place of it."""
    place = bisect_left(events, _seq(added[0]), key=_seq)
    if place < len(events) and _seq(events[place]) <= _seq(added[-1]):
        return tuple(sorted((*events, *added), key=_seq))
    return (*events[:place], *added, *events[place:])


def instant(moment: datetime) -> str:
    """A moment as RFC3339-ms (§2)."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(instant: str) -> datetime:
    """The moment an RFC3339-ms instant names (§2)."""
    return datetime.fromisoformat(instant)
