"""In what the service's projection and the one computed here differ, beyond what bounds explain (§6, §7.1).

The rules:
- they are compared only where both are of the same events: the newest event of the voice is the last one read here, and
  the history is whole and every claim in it proved;
- each is taken at the service's own `evaluated_at`: no expiry lies between that and its clock (§6);
- claims that call themselves truncated may lack rows and hold rows that lineage still to be settled will end; only what
  such a row says of its own event is compared;
- a voice names forks and missing parents of its recent events only, and no more than its bounds; a fork may have sides,
  and a parent may be stored, in another repository of the project;
- none of this says which of the two is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator

from corr_tui.protocol.records import ActiveClaim, Claims, Conflicts, Voice
from corr_tui.state.computed import MAX_CLAIMS, MAX_COMPETING, MAX_OVERLAP_PATHS, MAX_OVERLAPS
from corr_tui.state.facts import Facts
from corr_tui.state.snapshot import Computed, Projection, ProjectionState

MAX_WORDS = 12
"""Differences that are told one by one; of the rest their number."""
MAX_FORK_EVENTS = 16
NAME = 4
"""Characters of a claim's name, at least."""


def differs(projection: Projection, facts: Facts, at: Callable[[str], Computed]) -> tuple[str, ...]:
    """The differences in words; `at` gives the projection computed here at an RFC3339-ms instant, of `facts`."""
    voice = projection.voice
    if voice is None or projection.state in (ProjectionState.UNAVAILABLE, ProjectionState.LOADING):
        return ()
    computed = at(voice.evaluated_at)
    newest = voice.recent_events[0].receipt.received_seq if voice.recent_events else None
    if not computed.complete or newest != computed.through:
        return ()
    claims = projection.claims
    if claims is None or claims.cursor != voice.cursor:
        claims = Claims(voice.evaluated_at, voice.cursor, voice.projection_status, voice.truncated, voice.active_claims)
    told = [
        *_claims(claims, at(claims.evaluated_at).claims),
        *_overlaps(voice, computed, facts),
        *_forks(voice, facts),
        *_missing(voice, facts),
    ]
    every = (*claims.claims, *computed.claims.claims)
    found = tuple(_short(told, {claim.claim_id for claim in every}))
    more = len(found) - MAX_WORDS
    return (*found[:MAX_WORDS], f"and {more} more") if more > 0 else found


def _claims(theirs: Claims, ours: Claims) -> Iterator[str]:
    settled = not theirs.truncated and theirs.projection_status == "complete"
    there, here = ({claim.event_id: claim for claim in claims.claims} for claims in (theirs, ours))
    for event_id, claim in there.items():
        mine = here.get(event_id)
        if mine is not None:
            yield from _row(claim, mine, settled=settled)
        elif settled and len(here) < MAX_CLAIMS:
            yield f"{_claim(claim)} is live at the service and not here"
    for event_id, claim in here.items():
        if settled and event_id not in there:
            yield f"{_claim(claim)} is live here and not at the service"


def _row(theirs: ActiveClaim, ours: ActiveClaim, *, settled: bool) -> Iterator[str]:
    """What the service says otherwise of a claim that both show."""
    facts = (
        ("claim id", theirs.claim_id, ours.claim_id),
        ("generation", theirs.generation, ours.generation),
        ("identity", theirs.owner_identity_id, ours.owner_identity_id),
        ("device", theirs.device_id, ours.device_id),
        ("session", theirs.session_id, ours.session_id),
        ("thread", theirs.thread_id, ours.thread_id),
        ("expiry", theirs.expires_at, ours.expires_at),
        ("revision", theirs.scope.base_revision, ours.scope.base_revision),
        ("branch", theirs.scope.branch, ours.scope.branch),
        ("paths", set(theirs.scope.paths), set(ours.scope.paths)),
    )
    for name, said, computed in facts:
        if said != computed:
            yield f"{_claim(ours)} has another {name} at the service"
    competing, known = set(theirs.competing_event_ids), set(ours.competing_event_ids)
    bounded = len(known) >= MAX_COMPETING <= len(competing)
    if settled and theirs.conflicted != ours.conflicted:
        where = "at the service and not here" if theirs.conflicted else "here and not at the service"
        yield f"{_claim(ours)} has competing branches {where}"
    elif settled and competing != known and not bounded:
        yield f"{_claim(ours)} has other competing branches at the service"


def _overlaps(voice: Voice, computed: Computed, facts: Facts) -> Iterator[str]:
    """Overlaps of claims that both show as live."""
    shown = {claim.event_id for claim in voice.active_claims} & {claim.event_id for claim in computed.claims.claims}
    theirs, ours = (_pairs(conflicts, shown) for conflicts in (voice.conflicts, computed.conflicts))
    rows = (voice.conflicts.overlapping_claims, computed.conflicts.overlapping_claims)
    bounded = any(len(each) >= MAX_OVERLAPS for each in rows)
    for pair in theirs.keys() | ours.keys():
        names = " and ".join(sorted(_event(event_id, facts) for event_id in pair))
        there, here = theirs.get(pair), ours.get(pair)
        if there is not None and here is not None:
            if there != here and not len(there) >= MAX_OVERLAP_PATHS <= len(here):
                yield f"{names} overlap in other paths at the service"
        elif not bounded:
            where = "here and not at the service" if there is None else "at the service and not here"
            yield f"{names} overlap {where}"


def _pairs(conflicts: Conflicts, shown: set[str]) -> dict[frozenset[str], frozenset[str]]:
    rows = conflicts.overlapping_claims
    ends = ((frozenset((row.left_event_id, row.right_event_id)), frozenset(row.paths)) for row in rows)
    return {pair: paths for pair, paths in ends if pair <= shown}


def _forks(voice: Voice, facts: Facts) -> Iterator[str]:
    recent = {record.event.event_id for record in voice.recent_events}
    there = {
        (row.identity_id, row.device_id, row.session_id, row.session_seq): set(row.event_ids)
        for row in voice.conflicts.session_forks
    }
    for place, ids in facts.forks.items():
        said = there.get(place, set())
        if not recent.isdisjoint(ids) and not said.issuperset(ids) and len(said) < MAX_FORK_EVENTS:
            yield f"{_place(ids, facts)} stand at one place of a session here and not at the service"
    for place, said in there.items():
        known = {event_id for event_id in said if (noted := facts.noted.get(event_id)) and noted.proved}
        if len(known) > 1 and not known.issubset(facts.forks.get(place, ())):
            yield f"{_place(tuple(known), facts)} stand at one place of a session at the service and not here"


def _missing(voice: Voice, facts: Facts) -> Iterator[str]:
    there = {row.event_id: set(row.missing_parent_ids) for row in voice.conflicts.missing_parents}
    for record in voice.recent_events:
        event_id = record.event.event_id
        noted, said = facts.noted.get(event_id), there.get(event_id, set())
        if noted is None or not noted.proved:
            continue
        here = set(facts.missing.get(event_id, ())).intersection(record.missing_parents)
        if not said <= here:
            yield f"{_event(event_id, facts)} misses a parent at the service that is known here"
        if not here <= said:
            yield f"{_event(event_id, facts)} misses a parent here and not at the service"


def _claim(claim: ActiveClaim) -> str:
    """A claim by its whole name, which `_short` cuts."""
    return f"claim {claim.claim_id}"


def _short(found: Collection[str], claim_ids: Collection[str]) -> Iterator[str]:
    """The words with names of claims cut as far as they stay distinct; what is said several times is said once."""
    named = [each for each in claim_ids if any(each in words for words in found)]
    length = next((cut for cut in range(NAME, 64) if len({each[:cut] for each in named}) == len(named)), 64)
    for words, count in Counter(found).items():
        for each in named:
            words = words.replace(each, f"{each[:length]}…" if length < len(each) else each)
        yield words if count == 1 else f"{words} ({count} times)"


def _event(event_id: str, facts: Facts) -> str:
    noted = facts.noted.get(event_id)
    return f"#{noted.seq}" if noted else f"{event_id.removeprefix('sha256:')[:4]}…"


def _place(ids: tuple[str, ...], facts: Facts) -> str:
    numbered = sorted(ids, key=lambda event_id: (noted.seq if (noted := facts.noted.get(event_id)) else 0, event_id))
    return " and ".join(_event(event_id, facts) for event_id in numbered)
