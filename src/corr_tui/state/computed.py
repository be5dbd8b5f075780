"""The projection as it follows from the events read here, by the rules of the service (§2.2, §4, §6, §7.1).

The rules:
- a service counts every event it accepted, and accepts none whose signature it has not proved (§3). Here counts what
  is proved here: under a pinned or listed key, revoked since or not, for a revocation does not undo what was accepted;
- what is refuted (another signer's bytes, another project's, no event of this profile) never counts;
- what is neither (its key is unknown here, or the service now lists another) does not count, for §3 lets nothing
  unproved affect a projection; while it is about a claim, what is computed is not complete, and absence says nothing;
- claims and overlaps have the order and the bounds of the service; forks and missing parents are those of the whole
  history, where a voice looks at its newest fifty events only;
- `evaluated_at` is the newest receipt or passed expiry known here; other repositories of the project, and when a
  service settled what, are not known here.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from corr_tui.protocol.lineage import ClaimEvent
from corr_tui.protocol.paths import overlapping_pairs
from corr_tui.protocol.records import (
    ActiveClaim,
    Claims,
    ClaimScope,
    Conflicts,
    MissingParents,
    OverlappingClaims,
    SessionFork,
)
from corr_tui.state.branches import Branches
from corr_tui.state.facts import Facts
from corr_tui.state.snapshot import Computed

MAX_CLAIMS = 128
MAX_COMPETING = 16
MAX_OVERLAPS = 128
MAX_OVERLAP_PATHS = 16
"""The bounds of claims, of their competitors, and of overlap rows (§6, §7.1)."""
EMPTY_INSTANT = "1970-01-01T00:00:00.000Z"
"""When a projection of nothing is evaluated (§6)."""


def active_claims(branches: Branches, now: str, *, through: str | None, received_at: str, complete: bool) -> Claims:
    """The active claims at the RFC3339-ms instant `now`; `received_at` is that of the last event (§6)."""
    live, passed = branches.active(now, MAX_CLAIMS + 1)
    truncated = not complete or len(live) > MAX_CLAIMS
    rows = []
    tips: dict[str, list[str]] = {}
    for claim in live[:MAX_CLAIMS]:
        if claim.claim_id not in tips:
            tips[claim.claim_id] = branches.tips(claim.claim_id, MAX_COMPETING + 2)
        competing = tuple(event_id for event_id in tips[claim.claim_id] if event_id != claim.event_id)
        truncated = truncated or len(competing) > MAX_COMPETING
        rows.append(_active_claim(claim, competing[:MAX_COMPETING]))
    return Claims(
        evaluated_at=max(received_at, passed or "") or EMPTY_INSTANT,
        cursor=through,
        projection_status="truncated" if truncated else "complete",
        truncated=truncated,
        claims=tuple(rows),
    )


def conflicts_among(claims: Claims, facts: Facts) -> Conflicts:
    """The overlaps of these claims, and the forks and missing parents of the history, newest first (§4, §7.1)."""
    return Conflicts(
        missing_parents=tuple(MissingParents(*row) for row in reversed(tuple(facts.missing.items()))),
        session_forks=tuple(SessionFork(*place, event_ids) for place, event_ids in facts.forks.items()),
        overlapping_claims=_overlapping(tuple((claim.event_id, claim.scope.paths) for claim in claims.claims)),
    )


def computed(
    branches: Branches, facts: Facts, now: str, *, through: str | None, received_at: str, complete: bool
) -> Computed:
    """The whole projection at `now`."""
    claims = active_claims(branches, now, through=through, received_at=received_at, complete=complete)
    return Computed(through, complete, claims, conflicts_among(claims, facts))


def _active_claim(claim: ClaimEvent, competing: tuple[str, ...]) -> ActiveClaim:
    scope = claim.scope
    return ActiveClaim(
        claim_id=claim.claim_id,
        generation=claim.generation,
        event_id=claim.event_id,
        owner_identity_id=claim.identity_id,
        device_id=claim.device_id,
        session_id=claim.session_id,
        thread_id=claim.thread_id,
        scope=ClaimScope(scope.base_revision, scope.branch, tuple(scope.paths)),
        expires_at=claim.expires_at or "",
        conflicted=bool(competing),
        competing_event_ids=competing,
    )


@lru_cache(maxsize=4)
def _overlapping(claims: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[OverlappingClaims, ...]:
    """The overlapping pairs of active claims; the same claims stay active over many refreshes."""
    pairs = overlapping_pairs([paths for _, paths in claims])
    return tuple(
        OverlappingClaims(claims[left][0], claims[right][0], tuple(paths[:MAX_OVERLAP_PATHS]))
        for left, right, paths in islice(pairs, MAX_OVERLAPS)
    )
