"""How far the service's projection may be believed now (§6: absence means something only when complete).

One rule decides for every panel that draws the voice: complete and heard is complete; anything that may be missing is
truncated; a view that cannot be had, or that cannot be asked for again, is the last good one, or none at all. In its
place stands what is computed here, where the whole history is here to compute it from.
"""

from __future__ import annotations

from enum import StrEnum

from corr_tui.protocol.records import Claims, Conflicts
from corr_tui.state.snapshot import Computed, LinkState, ProjectionState, Snapshot

CUT_OFF = frozenset({LinkState.OFFLINE, LinkState.UNAUTHORIZED, LinkState.HELD})
"""Links that do not ask; a link that reconnects or polls can, and so says nothing about the view."""

MAX_OVERLAPS = 128
MAX_OVERLAP_PATHS = 16
"""The bounds of overlap rows in a voice (§7.1)."""


class Standing(StrEnum):
    """What the projection shown is worth."""

    LOADING = "loading"
    """Nothing was answered yet."""
    COMPLETE = "complete"
    """Absence means none."""
    TRUNCATED = "truncated"
    """More may exist than is shown."""
    LAST_GOOD = "last good view"
    """The current one cannot be had; this one is as old as it is."""
    COMPUTED = "computed here"
    """The current one cannot be had; this one follows from the whole history, as far as that was read."""
    UNAVAILABLE = "unavailable"
    """There is no view, which is not the same as an empty one."""


def standing(snapshot: Snapshot) -> Standing:
    """What the whole voice of a Snapshot is worth; never COMPUTED, for that is no voice."""
    projection = snapshot.projection
    if _not_to_be_had(snapshot):
        return Standing.UNAVAILABLE if projection.voice is None else Standing.LAST_GOOD
    if projection.voice is None:
        return Standing.LOADING
    voice = projection.voice
    if projection.state is ProjectionState.COMPLETE and not voice.truncated and voice.projection_status == "complete":
        return Standing.COMPLETE
    return Standing.TRUNCATED


def _not_to_be_had(snapshot: Snapshot) -> bool:
    return snapshot.projection.state is ProjectionState.UNAVAILABLE or snapshot.link.state in CUT_OFF


def computed_here(snapshot: Snapshot) -> Computed | None:
    """What is computed here, where it stands in place of the service's projection."""
    computed = snapshot.computed
    return computed if computed is not None and computed.complete and _not_to_be_had(snapshot) else None


def claims_standing(snapshot: Snapshot) -> Standing:
    """What the claims are worth: complete as well where their own projection is, though the voice is truncated."""
    if computed_here(snapshot):
        return Standing.COMPUTED
    worth, claims = standing(snapshot), snapshot.projection.claims
    if worth is not Standing.TRUNCATED or claims is None or claims.truncated:
        return worth
    return Standing.COMPLETE if claims.projection_status == "complete" else worth


def conflicts_standing(snapshot: Snapshot) -> Standing:
    """What the conflicts are worth.

    What was raised is known with the whole history only. With it and complete claims, forks and missing parents are
    all here; overlaps are, unless the voice is at its bound for them.
    """
    if computed_here(snapshot):
        return Standing.COMPUTED
    worth, voice = standing(snapshot), snapshot.projection.voice
    if worth is Standing.COMPLETE and not snapshot.history.complete:
        return Standing.LOADING
    if worth is not Standing.TRUNCATED or voice is None or not snapshot.history.complete:
        return worth
    rows = voice.conflicts.overlapping_claims
    bounded = len(rows) >= MAX_OVERLAPS or any(len(row.paths) >= MAX_OVERLAP_PATHS for row in rows)
    return worth if bounded else claims_standing(snapshot)


def claims_view(snapshot: Snapshot) -> Claims | None:
    """The active claims to show: as computed here where that stands, by themselves where they were read so, else those
    of the voice."""
    if computed := computed_here(snapshot):
        return computed.claims
    projection = snapshot.projection
    if projection.claims is not None or projection.voice is None:
        return projection.claims
    voice = projection.voice
    return Claims(voice.evaluated_at, voice.cursor, voice.projection_status, voice.truncated, voice.active_claims)


def conflicts_view(snapshot: Snapshot) -> Conflicts | None:
    """The overlaps, forks and missing parents to show, as computed here where that stands."""
    if computed := computed_here(snapshot):
        return computed.conflicts
    return snapshot.projection.voice.conflicts if snapshot.projection.voice else None
