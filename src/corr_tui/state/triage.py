"""What may want my eyes, each thing with its reason and none with a deadline (experience: Triage).

The rules; an event counts where its signature was proved, but for those whose signature was not:
- unacknowledged: an intent or offer of somebody else that I neither acknowledged, a rejection included, nor refused;
  what I signed and is still unsent counts as said, what was refused by the service does not;
- raised: a conflict that somebody, perhaps I, raised and no resolution cites;
- overlap: a live claim of somebody else that overlaps a live one of mine;
- expiry: a branch of a claim of mine that no valid event continues, with less than NEAR left as signed, or lapsed;
- fork: a place of a session of mine that several events stand at;
- repair: a repair by somebody else that names an event of mine, and that I did not acknowledge or refuse;
- signature: an event whose signature is not proved here, whoever it names as sender;
- unsent: an event of mine without a receipt.

It rests on the facts of the whole history, as far as it was read; overlaps and the live claims rest on the projection.
Within a reason the order is that of receipt, the newest first: it says nothing about weight. Reasons do not exclude
each other. Nothing is posted by any of this, and looking takes nothing off the list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from corr_tui.protocol.bodies import ACK_KINDS
from corr_tui.state.conflicts import ConflictKind, conflicts
from corr_tui.state.facts import Facts, Noted
from corr_tui.state.noted import NotedThrough
from corr_tui.state.projection import facts
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Snapshot, UnsentState, moment
from corr_tui.state.standing import claims_view

NEAR = 330.0
"""Seconds left from which on a claim of mine is near its expiry: five minutes, to the nearest minute."""
OFFERED = frozenset({"intent", "artifact.offer"})
ANSWERS = frozenset({*ACK_KINDS, "refusal"})


class Reason(StrEnum):
    """Why something is listed, in the order of the list."""

    UNACKNOWLEDGED = "unacknowledged"
    RAISED = "raised"
    OVERLAP = "overlap"
    EXPIRY = "expiry"
    FORK = "fork"
    REPAIR = "repair"
    SIGNATURE = "signature"
    UNSENT = "unsent"


class Item(NamedTuple):
    """One thing that may want my eyes."""

    reason: Reason
    event_id: str
    """The event that is shown for it, perhaps not at hand; of a fork the first of its events by id."""
    about: tuple[str, ...] = ()
    """The events it stands against or is about, by id: the sides of a conflict, my events that a repair names."""
    expires_at: str = ""
    """Of a claim of mine, as it was signed."""

    @property
    def key(self) -> str:
        """What identifies it for as long as it is about the same events."""
        against = self.about if self.reason in (Reason.OVERLAP, Reason.FORK) else ()
        return " ".join((self.reason, self.event_id, *against))

    @property
    def event_ids(self) -> tuple[str, ...]:
        """The events that are under the cursor with it: of a fork each of them."""
        return self.about if self.reason is Reason.FORK else (self.event_id,)


@dataclass(frozen=True, slots=True)
class Group:
    """What is listed for one reason, the newest receipt first."""

    reason: Reason
    items: tuple[Item, ...]


def triage(snapshot: Snapshot, now: datetime | None) -> tuple[Group, ...]:
    """What may want my eyes at the service's time `now`, by reason; no reason without anything.

    Without `now` nothing is said of expiry, without an identity nothing of what is mine.
    """
    found = dict(_timeless(Same(snapshot)))
    found[Reason.EXPIRY] = tuple(_expiring(snapshot, now))
    return tuple(Group(reason, found[reason]) for reason in Reason if found.get(reason))


def shown(groups: Iterable[Group], hidden: Collection[str]) -> tuple[Group, ...]:
    """The groups without what is hidden; no reason without anything."""
    left = (Group(each.reason, tuple(item for item in each.items if item.key not in hidden)) for each in groups)
    return tuple(each for each in left if each.items)


def is_near(left: float) -> bool:
    """Whether a claim with so many seconds left is near its expiry, and not lapsed."""
    return 0 < left < NEAR


@lru_cache(maxsize=2)
def _timeless(same: Same[Snapshot]) -> dict[Reason, tuple[Item, ...]]:
    """All that does not depend on the time; computed once for a snapshot."""
    snapshot = same.value
    known, sifted = facts(snapshot), _sifted(snapshot)
    me = snapshot.me.identity_id if snapshot.me else None
    answered = _answering(snapshot, known, me)
    order = _Order(snapshot, known)
    return {
        Reason.UNACKNOWLEDGED: tuple(item for item in reversed(sifted.offered) if not answered(item.event_id)),
        Reason.RAISED: order.newest_first(Item(Reason.RAISED, each, ids) for each, ids in known.raised.items()),
        Reason.OVERLAP: order.newest_first(_overlaps(snapshot, me)),
        Reason.FORK: order.newest_first(_forks(snapshot, me)),
        Reason.REPAIR: order.newest_first(each for each in _repairs(sifted, known, me) if not answered(each.event_id)),
        Reason.SIGNATURE: tuple(reversed(sifted.unproved)),
        Reason.UNSENT: tuple(
            Item(Reason.UNSENT, each.event.event_id)
            for each in reversed(snapshot.unsent)
            if each.event.event_id not in snapshot.by_id
        ),
    }


class _Sifted:
    """The events of a history that a reason may name, in receipt order."""

    def __init__(self, me: str | None) -> None:
        self._me = me
        self.offered: list[Item] = []
        self.unproved: list[Item] = []
        self.mine: list[str] = []

    def take(self, event_id: str, noted: Noted) -> None:
        """One more event."""
        if not noted.proved:
            self.unproved.append(Item(Reason.SIGNATURE, event_id))
        elif self._me is None:
            return
        elif noted.identity_id == self._me:
            self.mine.append(event_id)
        elif noted.kind in OFFERED:
            self.offered.append(Item(Reason.UNACKNOWLEDGED, event_id))


class _Last:
    """The history sifted last: most often it is the next one too, with an event more."""

    noted: Mapping[str, Noted] | None = None
    me: str | None = None
    sifted = _Sifted(None)


def _sifted(snapshot: Snapshot) -> _Sifted:
    """The events of a Snapshot's history, sifted; what was sifted before is not looked at again."""
    noted, me = facts(snapshot).noted, snapshot.me.identity_id if snapshot.me else None
    more = None
    if isinstance(noted, NotedThrough) and _Last.noted is not None and _Last.me == me:
        more = noted.since(_Last.noted)
    sifted = _Last.sifted if more is not None else _Sifted(me)
    for event_id, each in noted.items() if more is None else more:
        sifted.take(event_id, each)
    _Last.noted, _Last.me, _Last.sifted = noted, me, sifted
    return sifted


class _Answered:
    """Which events I said something to: an acknowledgement, or a refusal of that very event."""

    def __init__(self, known: Facts, me: str | None, unsent: frozenset[str]) -> None:
        self._known, self._me, self._unsent = known, me, unsent

    def __call__(self, event_id: str) -> bool:
        known, me = self._known, self._me
        if event_id in self._unsent:
            return True
        if any(each.identity_id == me for each in known.declared.get(event_id, ())):
            return True
        return any(
            (cited := known.noted[each]).kind == "refusal" and cited.identity_id == me
            for each in known.cited_by.get(event_id, ())
        )


def _answering(snapshot: Snapshot, known: Facts, me: str | None) -> _Answered:
    unsent = (each.event for each in snapshot.unsent if each.state is not UnsentState.REFUSED)
    return _Answered(known, me, frozenset(cited for event in unsent if event.kind in ANSWERS for cited in event.cited))


class _Order:
    """The order of receipt, the newest first; what has no receipt here comes last, by id."""

    def __init__(self, snapshot: Snapshot, known: Facts) -> None:
        self._by_id, self._noted = snapshot.by_id, known.noted

    def newest_first(self, items: Iterable[Item]) -> tuple[Item, ...]:
        """The items in that order."""
        return tuple(sorted(items, key=lambda item: (-self._seq(item.event_id), item.key)))

    def _seq(self, event_id: str) -> int:
        noted = self._noted.get(event_id)
        if noted is not None:
            return noted.seq
        heard = self._by_id.get(event_id)
        return heard.record.seq if heard else 0


def _overlaps(snapshot: Snapshot, me: str | None) -> Iterable[Item]:
    for each in conflicts(snapshot):
        if each.kind is not ConflictKind.OVERLAP:
            continue
        mine = [side.event_id for side in each.sides if side.identity_id == me]
        others = [side.event_id for side in each.sides if side.identity_id not in (me, None)]
        if mine and others:
            yield Item(Reason.OVERLAP, others[0], (mine[0],))


def _forks(snapshot: Snapshot, me: str | None) -> Iterable[Item]:
    for each in conflicts(snapshot):
        if each.kind is ConflictKind.FORK and each.identities == (me,):
            yield Item(Reason.FORK, each.event_ids[0], each.event_ids)


def _repairs(sifted: _Sifted, known: Facts, me: str | None) -> Iterable[Item]:
    """By repair, the events of mine that it names as parents: what it corrects is among them (§5)."""
    found: dict[str, list[str]] = {}
    for event_id in sifted.mine:
        for citing in known.cited_by.get(event_id, ()):
            noted = known.noted[citing]
            if noted.kind == "repair" and noted.identity_id != me:
                found.setdefault(citing, []).append(event_id)
    return (Item(Reason.REPAIR, repair, tuple(mine)) for repair, mine in found.items())


def _expiring(snapshot: Snapshot, now: datetime | None) -> Iterable[Item]:
    """Claims of mine near expiry or lapsed, the newest first."""
    if now is None or snapshot.me is None:
        return ()
    ends = _ends(Same(snapshot))
    items = [
        Item(Reason.EXPIRY, event_id, expires_at=expires_at)
        for event_id, expires_at in ends.items()
        if (moment(expires_at) - now).total_seconds() < NEAR
    ]
    return _Order(snapshot, facts(snapshot)).newest_first(items)


@lru_cache(maxsize=2)
def _ends(same: Same[Snapshot]) -> dict[str, str]:
    """By claim event of mine that nothing continues, when it expires (§6)."""
    snapshot = same.value
    known, view = facts(snapshot), claims_view(snapshot)
    me = snapshot.me.identity_id if snapshot.me else None
    valid = [heard.claim for event_id, heard in known.claims.items() if event_id not in known.unsettled]
    continued = {claim.predecessor_event_id for claim in valid}
    ends = {claim.event_id: claim.expires_at for claim in valid if claim.identity_id == me and claim.expires_at}
    for claim in view.claims if view else ():
        if claim.owner_identity_id == me:
            ends.setdefault(claim.event_id, claim.expires_at)
    return {event_id: expires_at for event_id, expires_at in ends.items() if event_id not in continued}
