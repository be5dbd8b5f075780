"""What of a history a Snapshot holds: the newest events, and older ones that were asked for.

Only what is kept on disk may be let go.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import replace
from types import MappingProxyType

from corr_tui.state.snapshot import Heard, Snapshot

WINDOW = 5_000
"""Events a Snapshot holds before somebody asks for more."""
WIDENED = 1_000
"""Events that are asked for at once."""


def seq_of(heard: Heard) -> int:
    """The place of an event in receipt order."""
    return heard.record.seq


def through(snapshot: Snapshot, cursor: int) -> int:
    """How many of a Snapshot's events lie at or before a cursor."""
    return bisect_right(snapshot.events, cursor, key=seq_of)


def widened(snapshot: Snapshot, older: Iterable[Heard]) -> Snapshot:
    """With events that lie before those it holds, in receipt order; one that was recalled is among the events now."""
    merged, held = dict(snapshot.by_id), {heard.key for heard in snapshot.events}
    added: dict[str, Heard] = {}
    for heard in older:
        if heard.key not in held:
            before = added.get(heard.key)
            added[heard.key] = before.retold(heard) if before else heard
    merged.update(added)
    return replace(snapshot, events=(*added.values(), *snapshot.events), by_id=MappingProxyType(merged))


def slid(snapshot: Snapshot, most: int, kept_through: int, recalled: Collection[str]) -> Snapshot:
    """With no more than so many events, as far as those before lie on disk; the recalled ones stay known."""
    cut = min(len(snapshot.events) - most, through(snapshot, kept_through))
    if cut <= 0:
        return snapshot
    left = dict(snapshot.by_id)
    for heard in snapshot.events[:cut]:
        if heard.key not in recalled and left.get(heard.key) is heard:
            del left[heard.key]
    return replace(snapshot, events=snapshot.events[cut:], by_id=MappingProxyType(left))


def without(snapshot: Snapshot, recalled: Iterable[str]) -> Snapshot:
    """Without older events that were recalled long ago; those among the events stay."""
    first = seq_of(snapshot.events[0]) if snapshot.events else 0
    gone = [key for key in recalled if (heard := snapshot.by_id.get(key)) and seq_of(heard) < first]
    if not gone:
        return snapshot
    left = dict(snapshot.by_id)
    for key in gone:
        del left[key]
    return replace(snapshot, by_id=MappingProxyType(left))
