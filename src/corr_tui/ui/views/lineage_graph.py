"""Where the events of one claim stand in a graph by generation: columns, and lanes for branches (§6). Pure.

The first child of an event, by event id, goes on in its lane; each other one begins a lane below, and all that follows
from it stands above the next. So every lane is a row of the graph, and no order of time chooses among branches. What is
named as predecessor and is not at hand has a place of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from corr_tui.state.claimed import ClaimHistory, Node
from corr_tui.state.same import Same


@dataclass(frozen=True, slots=True)
class Spot:
    """One event in the graph, or the place of one that is not at hand."""

    key: str
    """Its event id."""
    node: Node | None
    """None for what is not at hand."""
    column: int
    """From 0: its generation less one. An invalid event stands after the one it names, whatever it says."""
    lane: int
    depth: int
    """How many branchings lie before it."""
    before: str | None
    """The key of the spot it follows, if that is in the graph."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The spots of one claim."""

    spots: Mapping[str, Spot]
    """By key, lane by lane, along each lane."""
    lanes: tuple[tuple[Spot, ...], ...]
    after: Mapping[str, tuple[str, ...]]
    """The keys of what follows each spot, by event id."""

    def nearest(self, lane: int, column: int) -> Spot:
        """The spot of a lane nearest to a column."""
        return min(self.lanes[lane], key=lambda spot: (abs(spot.column - column), spot.column))


def graph_of(history: ClaimHistory) -> Graph:
    """The graph of a claim; made once for one history."""
    return _graph(Same(history))


@lru_cache(maxsize=4)
def _graph(same: Same[ClaimHistory]) -> Graph:
    nodes = same.value.nodes
    after: defaultdict[str, list[str]] = defaultdict(list)
    roots: dict[str, int] = {}
    for event_id, node in sorted(nodes.items()):
        before = node.claim.predecessor_event_id
        if before is None or before == event_id:
            roots[event_id] = node.claim.generation - 1
            continue
        after[before].append(event_id)
        if before not in nodes:
            roots[before] = min(roots.get(before, node.claim.generation), max(node.claim.generation - 2, 0))
    spots: dict[str, Spot] = {}
    lanes: list[list[Spot]] = []
    for root, column in sorted(roots.items(), key=lambda each: (each[1], each[0])):
        _walk(root, column, nodes, after, spots, lanes)
    return Graph(spots, tuple(map(tuple, lanes)), {key: tuple(each) for key, each in after.items()})


def _walk(
    root: str,
    column: int,
    nodes: Mapping[str, Node],
    after: Mapping[str, list[str]],
    spots: dict[str, Spot],
    lanes: list[list[Spot]],
) -> None:
    """Place everything that follows from a root; walks, since a chain may be very long."""
    waiting: list[tuple[str, str | None, int, int]] = [(root, None, column, 0)]
    while waiting:
        key, before, column, depth = waiting.pop()
        lane: list[Spot] = []
        lanes.append(lane)
        here: str | None = key
        branches: list[tuple[str, str | None, int, int]] = []
        while here is not None and here not in spots:
            spot = Spot(here, nodes.get(here), column, len(lanes) - 1, depth, before)
            spots[here] = spot
            lane.append(spot)
            following = after.get(here, ())
            branches += [(other, here, column + 1, depth + 1) for other in reversed(following[1:])]
            before, here, column = here, next(iter(following), None), column + 1
        # of the branches of one lane the last to begin stands nearest below, so that no edge crosses another
        waiting += branches
