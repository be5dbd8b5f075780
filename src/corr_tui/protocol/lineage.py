"""Claim lineage and branch tips, as a pure function of a set of events and an instant (§6).

The rules:
- a claim.open of generation 1 is a valid root; two roots of one claim_id are both kept and compete;
- a renew or release is valid when its predecessor is a valid open or renew of generation n−1 of the same project,
  repository, claim and identity with the same set of paths; pending while its predecessor is unknown or pending;
  invalid otherwise, and for good;
- a tip is a valid event without a valid direct child; a live tip is an open or renew whose expiry is still to come;
- several tips of one claim are a conflict, at whatever generations, and none of them is preferred.

Nothing here depends on the order of the events: receipt order, issued_at and generation never choose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from corr_tui.protocol.bodies import CLAIM_KINDS, ClaimOpen, ClaimRelease, ClaimRenew
from corr_tui.protocol.event import Event, Scope

LineageStatus = Literal["not_applicable", "valid", "pending", "invalid"]


@dataclass(frozen=True, slots=True)
class ClaimEvent:
    """What lineage needs of a claim.open, claim.renew or claim.release."""

    event_id: str
    project_id: str
    repository_id: str
    thread_id: str
    identity_id: str
    device_id: str
    session_id: str
    claim_id: str
    generation: int
    predecessor_event_id: str | None
    expires_at: str | None
    """Absent on a release."""
    scope: Scope

    @property
    def is_release(self) -> bool:
        """Whether this event ends its branch."""
        return self.expires_at is None

    def live_at(self, now: str) -> bool:
        """Whether this event, as a tip, is an active claim at the RFC3339-ms instant `now`."""
        return self.expires_at is not None and self.expires_at > now


def claim_event(event: Event) -> ClaimEvent | None:
    """The claim view of an event, or None when it is not about a claim."""
    body = event.body
    if not isinstance(body, (ClaimOpen, ClaimRenew, ClaimRelease)):
        return None
    return ClaimEvent(
        event_id=event.event_id,
        project_id=event.project_id,
        repository_id=event.repository_id,
        thread_id=event.thread_id,
        identity_id=event.sender.identity_id,
        device_id=event.sender.device_id,
        session_id=event.sender.session_id,
        claim_id=body.claim_id,
        generation=body.generation,
        predecessor_event_id=None if isinstance(body, ClaimOpen) else body.predecessor_event_id,
        expires_at=None if isinstance(body, ClaimRelease) else body.expires_at,
        scope=event.scope,
    )


def continues(child: ClaimEvent, predecessor: ClaimEvent) -> bool:
    """Whether `child` rightly names `predecessor`, itself valid, as generation n−1 of its claim (§6)."""
    return (
        not predecessor.is_release
        and child.project_id == predecessor.project_id
        and child.repository_id == predecessor.repository_id
        and child.claim_id == predecessor.claim_id
        and child.identity_id == predecessor.identity_id
        and child.generation == predecessor.generation + 1
        and set(child.scope.paths) == set(predecessor.scope.paths)
    )


@dataclass(frozen=True, slots=True)
class Lineage:
    """The lineage of every claim event of a set."""

    claims: Mapping[str, ClaimEvent]
    """Every claim event by its event id."""
    statuses: Mapping[str, LineageStatus]
    """valid, pending or invalid, by event id."""
    tips: Mapping[str, tuple[ClaimEvent, ...]]
    """The valid terminal events of each claim, by claim key, ordered by event id."""

    def status(self, event_id: str) -> LineageStatus:
        """The lineage status of any event; not_applicable when it is not about a claim."""
        return self.statuses.get(event_id, "not_applicable")

    def competing(self, tip: ClaimEvent) -> tuple[str, ...]:
        """The ids of the other terminal events of the same claim, live or not (§6)."""
        siblings = self.tips.get(claim_key(tip), ())
        return tuple(other.event_id for other in siblings if other.event_id != tip.event_id)

    def active(self, now: str) -> tuple[ClaimEvent, ...]:
        """The live tips at `now`, in the service's neutral order: expiry, claim, event."""
        live = (tip for tips in self.tips.values() for tip in tips if tip.live_at(now))
        return tuple(sorted(live, key=lambda tip: (tip.expires_at or "", tip.claim_id, tip.event_id)))


def claim_key(claim: ClaimEvent) -> str:
    """What makes tips siblings: one claim id in one repository of one project."""
    return f"{claim.project_id}\n{claim.repository_id}\n{claim.claim_id}"


def lineage(events: Iterable[Event]) -> Lineage:
    """The lineage of a set of events, whatever their order (§6).

    An identifier stands for one content: events whose identifiers were never proved may share one, and are no set.
    """
    ordinary: set[str] = set()
    claims: dict[str, ClaimEvent] = {}
    for event in events:
        if event.kind in CLAIM_KINDS and (claim := claim_event(event)):
            claims[claim.event_id] = claim
        else:
            ordinary.add(event.event_id)
    return lineage_of(claims, ordinary)


def lineage_of(claims: Mapping[str, ClaimEvent], ordinary: frozenset[str] | set[str] = frozenset()) -> Lineage:
    """The lineage of claim events by id; `ordinary` are the ids of known events that are not about claims."""
    statuses: dict[str, LineageStatus] = {}
    for claim in claims.values():
        _settle(claim, claims, ordinary, statuses)
    continued = {
        claim.predecessor_event_id
        for event_id, claim in claims.items()
        if statuses[event_id] == "valid" and claim.predecessor_event_id
    }
    tips: dict[str, list[ClaimEvent]] = defaultdict(list)
    for event_id in sorted(claims):
        if statuses[event_id] == "valid" and event_id not in continued:
            tips[claim_key(claims[event_id])].append(claims[event_id])
    return Lineage(dict(claims), statuses, {key: tuple(found) for key, found in tips.items()})


def _settle(
    claim: ClaimEvent,
    claims: Mapping[str, ClaimEvent],
    ordinary: frozenset[str] | set[str],
    statuses: dict[str, LineageStatus],
) -> None:
    """Write the status of `claim` and of every ancestor it needs; walks, since a chain may be very long."""
    chain: dict[str, ClaimEvent] = {}
    here: ClaimEvent | None = claim
    while here is not None and here.event_id not in statuses and here.event_id not in chain:
        chain[here.event_id] = here
        here = claims.get(here.predecessor_event_id) if here.predecessor_event_id else None
    for link in reversed(chain.values()):
        statuses[link.event_id] = _status(link, claims, ordinary, statuses)


def _status(
    claim: ClaimEvent,
    claims: Mapping[str, ClaimEvent],
    ordinary: frozenset[str] | set[str],
    statuses: Mapping[str, LineageStatus],
) -> LineageStatus:
    """The status of one claim event whose predecessor, where known, is settled."""
    if claim.predecessor_event_id is None:
        return "valid"
    predecessor = claims.get(claim.predecessor_event_id)
    if predecessor is None:
        return "invalid" if claim.predecessor_event_id in ordinary else "pending"
    before = statuses.get(predecessor.event_id, "invalid")  # only forged identifiers can go round in a circle
    if before != "valid":
        return before
    return "valid" if continues(claim, predecessor) else "invalid"
