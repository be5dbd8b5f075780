"""The bar of one branch of a claim: from its receipt to its signed expiry, renewals as ticks (§6). Pure.

A bar says what was received and signed, never what is done. What is live is heavy up to now; what is not is thin
throughout and ends in the sign of what it is; what is pending or invalid is dashed. Where a bar goes on out of view,
`‹` and `›` say so.
"""

from __future__ import annotations

from collections.abc import Sequence

from corr_tui.state.claimed import Node, NodeState
from corr_tui.state.snapshot import moment
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.line import Ink
from corr_tui.ui.views.time_axis import Axis
from corr_tui.ui.views.track import Track

OPENED, RENEWED, EXPIRY = "┣", "╋", "┤"
THIN_OPENED, THIN_RENEWED, DASH = "├", "┼", "╌"
INVALID_CELLS = 3
"""Cells of the bar of an invalid event, which was never live."""

STATES = {
    NodeState.LIVE: Glyph.TIP,
    NodeState.RENEWED: Glyph.RENEWED,
    NodeState.ENDED: Glyph.RELEASED,
    NodeState.RELEASED: Glyph.RELEASED,
    NodeState.EXPIRED: Glyph.EXPIRED,
    NodeState.PENDING: Glyph.PENDING,
    NodeState.INVALID: Glyph.INVALID,
}
"""The glyph of each state of an event about a claim; the state is its word."""


def live_bar(axis: Axis, path: Sequence[Node], expires_at: str, *, soon: bool) -> tuple[Track, int]:
    """The bar of a live branch, given by what is known of its events, and the column after it.

    Without any event of it at hand the bar begins out of view.
    """
    track = axis.grid()
    begins = _column(axis, path[0].heard.received_at) if path else -1
    end = _column(axis, expires_at)
    now = axis.cells if axis.now is None else axis.column(axis.now)
    elapsed = min(now + 1, end) if axis.now is not None else begins
    track.fill(begins, elapsed, Glyph.LEFT.symbol, Ink.STRONG)
    track.fill(max(elapsed, begins), end, Glyph.SPENT.symbol, Ink.ATTN if soon else Ink.DIM)
    if axis.now_column is not None and begins <= now < end:
        track.put(now, Glyph.LEFT.symbol, Ink.ACCENT)
    for node in path[1:]:
        track.put(_column(axis, node.heard.received_at), RENEWED, Ink.STRONG)
    track.put(end, EXPIRY, Ink.ATTN if soon else Ink.DIM)
    track.put(begins, OPENED if begun(path) else Glyph.BEFORE.symbol, Ink.STRONG)
    _cut_off(track, begins, end, Ink.TEXT)
    return track, min(max(end, 0), axis.cells - 1) + 1


def past_bar(axis: Axis, path: Sequence[Node], state: NodeState) -> tuple[Track, int]:
    """The bar of a branch that is not live, and the column after it."""
    track, tip = axis.grid(), path[-1]
    if state in (NodeState.PENDING, NodeState.INVALID):
        begins = _column(axis, tip.heard.received_at)
        expires = tip.claim.expires_at
        until = _column(axis, expires) if expires and state is NodeState.PENDING else 0
        end = max(until, begins + INVALID_CELLS)
        track.fill(begins, end, DASH, Ink.DIM)
        track.put(begins, THIN_OPENED, Ink.DIM)
    else:
        begins, end = _column(axis, path[0].heard.received_at), _column(axis, ended_at(tip))
        track.fill(begins, end, Glyph.SPENT.symbol, Ink.DIM)
        for node in path[1:]:
            track.put(_column(axis, node.heard.received_at), THIN_RENEWED, Ink.DIM)
        track.put(begins, THIN_OPENED if begun(path) else Glyph.BEFORE.symbol, Ink.DIM)
    track.put(end, STATES[state].symbol, Ink.TEXT)
    _cut_off(track, begins, end, Ink.DIM)
    return track, min(max(end, 0), axis.cells - 1) + 1


def begun(path: Sequence[Node]) -> bool:
    """Whether the first event of a branch that is known opens it."""
    return bool(path) and path[0].claim.predecessor_event_id is None


def ended_at(tip: Node) -> str:
    """When a branch ended or ends: at the receipt of its release, else at its signed expiry."""
    return tip.claim.expires_at or tip.heard.received_at


def _column(axis: Axis, instant: str) -> int:
    return axis.column(moment(instant))


def _cut_off(track: Track, begins: int, end: int, ink: Ink) -> None:
    """Say where the bar goes on out of view; a bar that is all out of view is one sign at that edge."""
    last = len(track.cells) - 1
    if begins < 0:
        track.put(0, Glyph.BEFORE.symbol, ink)
    if end > last or begins > last:
        track.put(last, Glyph.AFTER.symbol, ink)
