"""The edges of a lineage graph: from each event to those that name it as predecessor. Pure.

An edge leaves an event to the right; where several follow, a trunk runs down from it to their lanes. Edges to what is
not valid are dashed. What lies beside the generations in view is pointed to by `‹` and `›`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import START
from corr_tui.ui.line import Ink
from corr_tui.ui.views.lineage_graph import Graph, Spot
from corr_tui.ui.views.track import Track

BETWEEN = 9
"""Cells between the box of an event and the next one's: its edge and the trunk."""
TRUNK = 4
"""Cells from the trunk to the next box."""
SOLID, DASHED = "─", "╌"


@dataclass(frozen=True, slots=True)
class Frame:
    """The generations in view."""

    first: int
    """The column of the graph at the left."""
    shown: int
    cells: int
    """Of each generation."""

    def shows(self, column: int) -> bool:
        """Whether a column of the graph is in view."""
        return self.first <= column < self.first + self.shown

    def box(self, place: int) -> tuple[int, int]:
        """The cells of an event at a place in view: from the first up to, and without, the last."""
        start = START + place * self.cells
        return start, start + self.cells - BETWEEN

    def edge(self, place: int) -> tuple[int, int]:
        """The cells between an event and the next one's box."""
        return START + (place + 1) * self.cells - BETWEEN, START + (place + 1) * self.cells


class Edges:
    """The edges of one graph in view."""

    def __init__(self, graph: Graph, frame: Frame) -> None:
        self._graph, self._frame = graph, frame
        self._trunks: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        """By lane, the trunks that pass it or end at it: their column of cells, and the lane each ends at."""
        for key, following in graph.after.items():
            spot = graph.spots.get(key)
            if spot is None or not frame.shows(spot.column):
                continue
            at = frame.edge(spot.column - frame.first)[1] - TRUNK
            lanes = sorted(graph.spots[each].lane for each in following if each in graph.spots)
            for lane in range(spot.lane, lanes[-1] + 1):
                if lanes[-1] > spot.lane:
                    self._trunks[lane].append((at, lanes[-1]))

    def draw(self, lane: int, tracks: Sequence[Track]) -> None:
        """Draw the trunks beside the events of a lane."""
        begins = self._graph.lanes[lane][0].before
        for at, last in self._trunks[lane]:
            started = self._starts(lane, at)
            for track in tracks[1 if started else 0 :] if lane < last else ():
                track.put(at, "│", Ink.FAINT)
        if begins is None:
            return
        spot, parent = self._graph.lanes[lane][0], self._graph.spots[begins]
        if self._frame.shows(parent.column) and parent.lane != lane:
            place = parent.column - self._frame.first
            at, end = self._frame.edge(place)[1] - TRUNK, self._frame.edge(place)[1]
            ends_here = all(last == lane for column, last in self._trunks[lane] if column == at)
            tracks[0].put(at, "└" if ends_here else "├", Ink.FAINT)
            tracks[0].fill(at + 1, end, _stroke(spot), Ink.FAINT)

    def draw_on(self, spot: Spot, track: Track, frame: Frame) -> None:
        """Draw the edge from an event to the next of its lane, and what points out of view."""
        place = spot.column - frame.first
        if spot.before is not None and place == 0:
            track.put(START, Glyph.BEFORE.symbol, Ink.DIM)
        following = [
            self._graph.spots[each] for each in self._graph.after.get(spot.key, ()) if each in self._graph.spots
        ]
        if not following:
            return
        start, end = frame.edge(place)
        if place == frame.shown - 1:
            track.put(start, Glyph.AFTER.symbol, Ink.DIM)
            return
        along = next((each for each in following if each.lane == spot.lane), None)
        first = _after_text(track, *frame.box(place)) + 2
        trunk = any(each.lane != spot.lane for each in following)
        stroke = _stroke(along or following[0])
        track.fill(first, end if along else end - TRUNK, stroke, Ink.FAINT)
        if trunk:
            track.put(end - TRUNK, "┬", Ink.FAINT)

    def _starts(self, lane: int, at: int) -> bool:
        """Whether a trunk at a column of cells begins in this lane."""
        for spot in self._graph.lanes[lane]:
            if self._frame.shows(spot.column) and self._frame.edge(spot.column - self._frame.first)[1] - TRUNK == at:
                following = (self._graph.spots.get(each) for each in self._graph.after.get(spot.key, ()))
                if any(each is not None and each.lane > lane for each in following):
                    return True
        return False


def _stroke(spot: Spot) -> str:
    return SOLID if spot.node is not None and spot.node.status == "valid" else DASHED


def _after_text(track: Track, start: int, end: int) -> int:
    """The cell after the last word in a box."""
    while end > start and not track.cells[end - 1].text.strip():
        end -= 1
    return end
