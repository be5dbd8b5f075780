"""Conflicts that are visible in a Snapshot, none of them with a preferred side (§4, §6, §7.1, §8).

Claim branches and overlaps are the service's to name: they come from its voice, or from what is computed here where
that stands in its place. Session forks and missing parents come from the voice and from the whole history, since the
voice looks at its newest fifty events only. What somebody raised comes from the history alone. Sides are ordered by
event id, which says nothing about time, generation or right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from corr_tui.protocol.bodies import ClaimOpen, ClaimRelease, ClaimRenew
from corr_tui.protocol.paths import meeting
from corr_tui.state.projection import facts
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.standing import MAX_OVERLAPS, claims_view, conflicts_view


class ConflictKind(StrEnum):
    """What stands against each other."""

    BRANCHES = "branches"
    """Several tips of one claim, colliding roots included (§6)."""
    FORK = "fork"
    """Several events at one place of one session (§4)."""
    MISSING = "missing"
    """An event whose parents are not all stored (§4)."""
    OVERLAP = "overlap"
    """Live claims whose prefixes overlap: a warning (§2.2)."""
    RAISED = "raised"
    """Events that somebody says stand against each other, and no resolution cites (§5)."""


@dataclass(frozen=True, slots=True)
class Side:
    """One event of a conflict, as far as it is known here."""

    event_id: str
    identity_id: str | None = None
    generation: int | None = None
    root: bool = False
    """Whether it opens its claim."""
    paths: tuple[str, ...] = ()
    """Of an overlap: those of its prefixes that overlap the other side's."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """One conflict; its sides are ordered by event id."""

    kind: ConflictKind
    sides: tuple[Side, ...]
    paths: tuple[str, ...] = ()
    """Of a claim, or the wider prefix of each overlapping pair."""
    session_seq: int | None = None
    """Of a fork."""
    missing: tuple[str, ...] = ()
    """Event ids of parents that are not stored."""
    threads: frozenset[str] = frozenset()
    """The threads of the sides that are known, and of the event that raises it."""
    raised_by: str = ""
    """Of a raised one: the event that raises it."""

    @property
    def event_ids(self) -> tuple[str, ...]:
        """The events it is about."""
        return tuple(side.event_id for side in self.sides)

    @property
    def key(self) -> str:
        """What identifies it for as long as it is about the same events."""
        return " ".join((self.kind, *self.event_ids, *((self.raised_by,) if self.raised_by else ())))

    @property
    def identities(self) -> tuple[str, ...]:
        """The identities of its sides, each once, in the order of the sides."""
        return tuple(dict.fromkeys(side.identity_id for side in self.sides if side.identity_id))


def conflicts(snapshot: Snapshot) -> tuple[Conflict, ...]:
    """Every conflict visible here, by kind and then by event ids; computed once for a snapshot."""
    return _conflicts(Same(snapshot))


@lru_cache(maxsize=2)
def _conflicts(snapshot: Same[Snapshot]) -> tuple[Conflict, ...]:
    known = _Known(snapshot.value)
    found = [*_branches(known), *_forks(known), *_missing(known), *_overlaps(known), *_raised(known)]
    order = list(ConflictKind)
    return tuple(sorted(found, key=lambda each: (order.index(each.kind), each.event_ids, each.raised_by)))


class _Known:
    """What is known here of the events a conflict names."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.facts = facts(snapshot)
        self.named = conflicts_view(snapshot)
        claims = claims_view(snapshot)
        self.live = {claim.event_id: claim for claim in claims.claims} if claims else {}

    def sides(self, event_ids: Iterable[str], identity_id: str | None = None) -> tuple[Side, ...]:
        """The sides by event id; `identity_id` signs those that are not known."""
        return tuple(self._side(event_id, identity_id) for event_id in sorted(set(event_ids)))

    def threads(self, sides: Iterable[Side]) -> frozenset[str]:
        """The threads of the sides, where known."""
        found = set()
        for side in sides:
            heard, claim = self.snapshot.by_id.get(side.event_id), self.live.get(side.event_id)
            noted = self.facts.noted.get(side.event_id)
            if heard and heard.event:
                found.add(heard.event.thread_id)
            elif claim:
                found.add(claim.thread_id)
            elif noted and noted.thread_id:
                found.add(noted.thread_id)
        return frozenset(found)

    def has(self, event_id: str) -> bool:
        """Whether an event is stored, as far as the history and the snapshot tell."""
        noted = self.facts.noted.get(event_id)
        return noted.stored if noted else event_id in self.snapshot.by_id

    def paths(self, event_id: str) -> tuple[str, ...]:
        """The prefixes of a claim, where known."""
        heard, claim = self.snapshot.by_id.get(event_id), self.live.get(event_id)
        if claim:
            return tuple(claim.scope.paths)
        return tuple(heard.event.scope.paths) if heard and heard.event else ()

    def _side(self, event_id: str, identity_id: str | None) -> Side:
        heard, claim = self.snapshot.by_id.get(event_id), self.live.get(event_id)
        if heard and heard.event:
            body = heard.event.body
            generation = body.generation if isinstance(body, (ClaimOpen, ClaimRenew, ClaimRelease)) else None
            return Side(event_id, heard.event.sender.identity_id, generation, isinstance(body, ClaimOpen))
        if claim:
            return Side(event_id, claim.owner_identity_id, claim.generation, claim.generation == 1)
        if noted := self.facts.noted.get(event_id):
            return Side(event_id, noted.identity_id or identity_id, noted.generation, noted.kind == "claim.open")
        return Side(event_id, identity_id)


def _branches(known: _Known) -> Iterable[Conflict]:
    tips: dict[str, set[str]] = {}
    paths: dict[str, tuple[str, ...]] = {}
    for claim in known.live.values():
        if claim.conflicted or claim.competing_event_ids:
            tips.setdefault(claim.claim_id, set()).update((claim.event_id, *claim.competing_event_ids))
            paths.setdefault(claim.claim_id, tuple(claim.scope.paths))
    for claim_id, ids in tips.items():
        sides = known.sides(ids)
        yield Conflict(ConflictKind.BRANCHES, sides, paths[claim_id], threads=known.threads(sides))


def _overlaps(known: _Known) -> Iterable[Conflict]:
    for row in known.named.overlapping_claims if known.named else ():
        left, right = known.live.get(row.left_event_id), known.live.get(row.right_event_id)
        if left and right and left.claim_id == right.claim_id:
            continue  # two tips of one claim always overlap; that is what its branches say
        mine, theirs = (known.paths(each) for each in (row.left_event_id, row.right_event_id))
        paths = {row.left_event_id: _touching(mine, theirs), row.right_event_id: _touching(theirs, mine)}
        named = known.sides((row.left_event_id, row.right_event_id))
        sides = tuple(replace(side, paths=paths[side.event_id]) for side in named)
        yield Conflict(ConflictKind.OVERLAP, sides, tuple(row.paths), threads=known.threads(sides))


@lru_cache(maxsize=2 * MAX_OVERLAPS)
def _touching(paths: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """The prefixes that overlap any of the others, in order; found once, though every voice tells the claims anew."""
    meets = meeting(others)
    return tuple(sorted(path for path in paths if meets((path,))))


def _raised(known: _Known) -> Iterable[Conflict]:
    for event_id, targets in known.facts.raised.items():
        sides = known.sides(targets)
        threads = known.threads((*sides, Side(event_id)))
        yield Conflict(ConflictKind.RAISED, sides, threads=threads, raised_by=event_id)


def _forks(known: _Known) -> Iterable[Conflict]:
    found = {place: set(ids) for place, ids in known.facts.forks.items()}
    for row in known.named.session_forks if known.named else ():
        place = (row.identity_id, row.device_id, row.session_id, row.session_seq)
        found.setdefault(place, set()).update(row.event_ids)
    for place, ids in found.items():
        sides = known.sides(ids, place[0])
        yield Conflict(ConflictKind.FORK, sides, session_seq=place[3], threads=known.threads(sides))


def _missing(known: _Known) -> Iterable[Conflict]:
    rows = dict(known.facts.missing)
    for row in known.named.missing_parents if known.named else ():
        rows.setdefault(row.event_id, row.missing_parent_ids)
    for event_id, parents in rows.items():
        still = tuple(sorted(parent for parent in parents if not known.has(parent)))
        if still:
            sides = known.sides((event_id,))
            yield Conflict(ConflictKind.MISSING, sides, missing=still, threads=known.threads(sides))
