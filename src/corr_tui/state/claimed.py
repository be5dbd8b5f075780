"""The claims of a whole history, live or long over: each by its events, their branches and how each branch stands (§6).

The rules:
- what counts is what the lineage counts: events about claims whose signature is proved. Whether one is valid, pending
  or invalid is the lineage's word; everything here follows from that, and the order of coming changes nothing;
- a branch ends at a tip, a valid event that no valid one continues; a pending or invalid event is a branch by itself;
- an event whose predecessor is not at hand begins where it is heard of; what lies before it is called absent;
- several branches of one claim are listed by event id, and none is preferred.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from corr_tui.protocol.lineage import ClaimEvent, LineageStatus
from corr_tui.state.facts import ClaimHeard, Facts
from corr_tui.state.same import Same


class NodeState(StrEnum):
    """How one event about a claim stands."""

    LIVE = "live tip"
    RENEWED = "renewed"
    """Continued by a renew: no tip any more."""
    ENDED = "then released"
    """Continued by a release alone."""
    RELEASED = "released"
    EXPIRED = "expired"
    PENDING = "pending"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Node:
    """One event about a claim among the others of its claim."""

    heard: ClaimHeard
    status: LineageStatus
    children: tuple[str, ...]
    """The events that name it as predecessor, by event id, valid or not."""
    continued: bool
    """Whether a valid one is among them, so that it is no tip."""
    renewed: bool
    """Whether one of those is a renew."""

    @property
    def claim(self) -> ClaimEvent:
        """What the event says of its claim."""
        return self.heard.claim

    @property
    def is_branch(self) -> bool:
        """Whether a branch ends here."""
        return not self.continued

    def state(self, now: str | None) -> NodeState:
        """How it stands at an RFC3339-ms instant; while that is unknown no expiry has passed."""
        if self.status == "pending":
            return NodeState.PENDING
        if self.status != "valid":
            return NodeState.INVALID
        if self.claim.is_release:
            return NodeState.RELEASED
        if self.continued:
            return NodeState.RENEWED if self.renewed else NodeState.ENDED
        return NodeState.LIVE if now is None or self.claim.live_at(now) else NodeState.EXPIRED


@dataclass(frozen=True, slots=True)
class ClaimHistory:
    """Every event heard about one claim."""

    claim_id: str
    nodes: Mapping[str, Node]
    """By event id."""

    branches: tuple[Node, ...]
    """The nodes at which a branch ends, by event id."""

    def path(self, event_id: str) -> tuple[Node, ...]:
        """From the first event known of a branch to this one."""
        path: dict[str, Node] = {}
        here: str | None = event_id
        while here is not None and here in self.nodes and here not in path:
            path[here] = self.nodes[here]
            here = path[here].claim.predecessor_event_id
        return tuple(reversed(path.values()))


def claim_histories(facts: Facts) -> Mapping[str, ClaimHistory]:
    """By claim id, what was heard of every claim; computed once until something about a claim is heard."""
    # a fold only ever adds claims, so the first of them says which fold it is, and their number how far it has come
    first = next(iter(facts.claims.values()), None)
    seen = (Same(first), len(facts.claims), tuple(facts.unsettled.items()))
    if _Last.seen != seen:
        _Last.seen, _Last.found = seen, _histories(facts)
    return _Last.found


class _Last:
    """What was computed last, and of what."""

    seen: tuple[object, ...] = ()
    found: Mapping[str, ClaimHistory] = MappingProxyType({})


def _histories(facts: Facts) -> Mapping[str, ClaimHistory]:
    children: defaultdict[str, list[str]] = defaultdict(list)
    for event_id, heard in facts.claims.items():
        if heard.claim.predecessor_event_id is not None:
            children[heard.claim.predecessor_event_id].append(event_id)
    nodes: defaultdict[str, dict[str, Node]] = defaultdict(dict)
    for event_id, heard in facts.claims.items():
        named = tuple(sorted(children.get(event_id, ())))
        valid = [facts.claims[each].claim for each in named if each not in facts.unsettled]
        nodes[heard.claim.claim_id][event_id] = Node(
            heard,
            facts.unsettled.get(event_id, "valid"),
            named,
            continued=bool(valid),
            renewed=any(not each.is_release for each in valid),
        )
    return {claim_id: ClaimHistory(claim_id, found, _branches(found)) for claim_id, found in nodes.items()}


def _branches(nodes: Mapping[str, Node]) -> tuple[Node, ...]:
    ends = (node for node in nodes.values() if node.is_branch)
    return tuple(sorted(ends, key=lambda node: node.claim.event_id))
