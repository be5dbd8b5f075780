"""How far the service's projection may be believed now (§6: absence means something only when complete).

One rule decides for every panel that draws the voice: complete and heard is complete; anything that may be missing is
truncated; a view that cannot be had, or that cannot be asked for again, is the last good one, or none at all.
"""

from __future__ import annotations

from enum import StrEnum

from corr_tui.state.snapshot import LinkState, ProjectionState, Snapshot

CUT_OFF = frozenset({LinkState.OFFLINE, LinkState.UNAUTHORIZED})
"""Links that cannot ask; a link that reconnects or polls can, and so says nothing about the view."""


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
    UNAVAILABLE = "unavailable"
    """There is no view, which is not the same as an empty one."""


def standing(snapshot: Snapshot) -> Standing:
    """What the projection of a Snapshot is worth."""
    projection = snapshot.projection
    unavailable = projection.state is ProjectionState.UNAVAILABLE
    if unavailable or snapshot.link.state in CUT_OFF:
        return Standing.UNAVAILABLE if projection.voice is None else Standing.LAST_GOOD
    if projection.voice is None:
        return Standing.LOADING
    voice = projection.voice
    if projection.state is ProjectionState.COMPLETE and not voice.truncated and voice.projection_status == "complete":
        return Standing.COMPLETE
    return Standing.TRUNCATED
