"""Lanes for events joined to their parents, in the manner of `git log --graph`. Pure; knows nothing of events.

Rows count from the bottom: the oldest has row 0. A node is laid above all its parents, so that what comes later adds
rows on top and lines that pass, and never moves what is there: the layout of a beginning is kept.

- A node goes on in the lane of a parent while nothing lies above that parent there. An acknowledgement leaves that lane
  to who works on.
- Every other line to a parent takes the first lane that is free from the parent up, and joins the parent on its row.
- A parent that is not here has a row of its own right below the node.
- What has no line below it never stands right above a mark it is not joined to, or it would look as if it were.
- Lines from `LANES` lanes on are not told apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

LANES = 32
"""Lanes that are told apart."""


class Node(NamedTuple):
    """One thing that names others as parents."""

    key: str
    parents: tuple[str, ...] = ()
    leaf: bool = False
    """Whether little goes on from it: an acknowledgement."""


class Mark(NamedTuple):
    """What has a row: a node, or a parent of one that is not here."""

    key: str
    lane: int
    absent: str = ""
    """The parent that is not here; `key` is the node that names it."""


class Joint(NamedTuple):
    """How the lines of a lane meet a row."""

    up: bool = False
    down: bool = False
    joins: bool = False
    """Whether they end or begin here, at the row's own mark in another lane."""


class _Line(NamedTuple):
    """A line from the node on top down to a row."""

    lane: int
    low: int


class _Step(NamedTuple):
    """What laying one node changed, to take it back."""

    first: int
    """Its lowest row: that of its last parent that is not here."""
    tops: tuple[tuple[int, int], ...]
    """Lanes and how far they were taken before."""
    lines: tuple[int, ...]
    """The lane of each line that was added."""
    joined: tuple[int, ...]
    """Rows of parents that lines join, one for each."""


class Lanes:
    """The rows of nodes; each is laid once, until a node before it changes."""

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        """What stands on each row."""
        self.used = 0
        """How many lanes anything is in."""
        self.laid = 0
        """How many nodes were laid so far, those laid anew among them."""
        self._nodes: list[Node] = []
        """In the order they were laid."""
        self._rows: dict[str, int] = {}
        self._tops = [-1] * (LANES + 1)
        """By lane, the highest row it is taken on."""
        self._lows: list[list[int]] = [[] for _ in range(LANES + 1)]
        self._highs: list[list[int]] = [[] for _ in range(LANES + 1)]
        """By lane, the rows its lines run between; one after another, but in the last lane."""
        self._joined: defaultdict[int, list[int]] = defaultdict(list)
        """By row, the lanes of lines that meet its mark in another lane."""
        self._lowest: list[int] | None = []
        """In the last lane, by line, the lowest row that it or a later one runs to; None where that is to be told."""
        self._steps: list[_Step] = []

    def take(self, nodes: Sequence[Node], most: int | None = None) -> bool:
        """Lay these nodes in this order; what begins as before is kept as it is. At most so many are laid anew now;
        whether all are laid then."""
        same = sum(1 for _ in _common(self._nodes, nodes))
        while len(self._nodes) > same:
            self._take_back()
        end = len(nodes) if most is None else min(same + most, len(nodes))
        for node in nodes[same:end]:
            self._lay(node)
        self.used = 1 + max((lane for lane, top in enumerate(self._tops) if top >= 0), default=-1)
        return end == len(nodes)

    @property
    def count(self) -> int:
        """How many nodes are laid."""
        return len(self._nodes)

    def row_of(self, key: str) -> int | None:
        """The row of a node."""
        return self._rows.get(key)

    def children_of(self, key: str) -> list[str]:
        """Who names a node as parent, from the lowest."""
        return [node.key for node in self._nodes if key in node.parents]

    def parents_of(self, key: str) -> list[str]:
        """The parents of a node that are here, in the order it names them."""
        named = next((node.parents for node in self._nodes if node.key == key), ())
        return [parent for parent in named if parent in self._rows]

    def joints(self, row: int) -> list[Joint]:
        """How each lane in use meets a row; what passes through goes up and down and does not join."""
        joined = self._joined.get(row, ())
        return [self._joint(lane, row, joins=lane in joined) for lane in range(self.used)]

    def _joint(self, lane: int, row: int, *, joins: bool) -> Joint:
        if lane == LANES:
            passed = self._passes_beyond(row)
            return Joint(passed, passed, joins)
        lows, highs = self._lows[lane], self._highs[lane]
        last = bisect_right(lows, row) - 1
        if last < 0:
            return Joint(joins=joins)
        up = row < highs[last]
        down = lows[last] < row <= highs[last] or (last > 0 and highs[last - 1] == row)
        return Joint(up, down, joins)

    def _passes_beyond(self, row: int) -> bool:
        """Whether a line passes a row in the last lane, where lines lie over each other."""
        if self._lowest is None:
            self._lowest = list(accumulate(reversed(self._lows[LANES]), min))[::-1]
        first = bisect_right(self._highs[LANES], row)
        return first < len(self._lowest) and self._lowest[first] < row

    def _lay(self, node: Node) -> None:
        here = [row for parent in dict.fromkeys(node.parents) if (row := self._rows.get(parent)) is not None]
        absent = [parent for parent in dict.fromkeys(node.parents) if parent not in self._rows]
        first = len(self.marks)
        row = first + len(absent)
        lines: list[_Line] = []
        for low in here:
            lines.append(_Line(self._free(low, {line.lane for line in lines}, leaf=node.leaf), low))
        straight = (line.lane for line in lines if line.lane == self.marks[line.low].lane)
        below = self.marks[-1].lane if self.marks else -1
        own = next(straight, lines[0].lane if lines else int(below == 0))
        joined = [line for line in lines if line.lane != self.marks[line.low].lane]
        for line in joined:
            self._joined[line.low].append(line.lane)
        self._joined[row] += (line.lane for line in lines if line.lane != own)
        self._lay_absent(node.key, own, absent, lines)
        self.marks.append(Mark(node.key, own))
        self._rows[node.key] = row
        self._nodes.append(node)
        self._run(first, row, lines, joined)

    def _lay_absent(self, key: str, own: int, absent: Sequence[str], lines: list[_Line]) -> None:
        """Put parents that are not here below the node, the lowest in its own lane where no line runs on in that."""
        first, taken = len(self.marks), {line.lane for line in lines}
        below = self.marks[-1].lane if self.marks else -1
        for place, parent in enumerate(reversed(absent)):
            aside = (lane for lane in range(own + 1, LANES) if lane not in taken and lane != below)
            lane = own if place == 0 and own not in taken else next(aside, LANES)
            below = lane
            self.marks.append(Mark(key, lane, parent))
            if lane != own:
                self._joined[first + place].append(own)
        if absent and own not in taken:
            lines.append(_Line(own, first))

    def _run(self, first: int, row: int, lines: Sequence[_Line], joined: Iterable[_Line]) -> None:
        """Run the lines of the node on top down to where they end, and keep what that changed."""
        tops = {self.marks[place].lane: place for place in range(first, row + 1)}
        tops |= {line.lane: row for line in lines}
        before = tuple((lane, self._tops[lane]) for lane in tops)
        self._steps.append(_Step(first, before, tuple(line.lane for line in lines), tuple(line.low for line in joined)))
        for lane, low in lines:
            self._lows[lane].append(low)
            self._highs[lane].append(row)
        for lane, top in tops.items():
            self._tops[lane] = top
        self._lowest = None
        self.laid += 1

    def _free(self, low: int, taken: Collection[int], *, leaf: bool) -> int:
        """The lane of a line down to a row: its mark's own where that is free and may be taken, else the first free."""
        own = self.marks[low].lane
        if not leaf and own < LANES and self._tops[own] == low and own not in taken:
            return own
        return next((lane for lane in range(LANES) if self._tops[lane] < low and lane not in taken), LANES)

    def _take_back(self) -> None:
        """Forget the node on top."""
        node, step = self._nodes.pop(), self._steps.pop()
        for lane in step.lines:
            self._lows[lane].pop()
            self._highs[lane].pop()
        for low in step.joined:
            self._joined[low].pop()
        for row in range(step.first, len(self.marks)):
            self._joined.pop(row, None)
        del self.marks[step.first :]
        for lane, top in step.tops:
            self._tops[lane] = top
        del self._rows[node.key]
        self._lowest = None


def parents_first(nodes: Sequence[Node]) -> list[Node]:
    """The nodes in their order, but each parent before whoever names it.

    Of nodes that name each other in a circle, which bytes that are their own never do, the first stays first.
    """
    by_key = {node.key: node for node in nodes}
    done: set[str] = set()
    order: list[Node] = []
    for node in nodes:
        if node.key not in done and all(key in done or key not in by_key for key in node.parents):
            done.add(node.key)
            order.append(node)
            continue
        stack = [(node, iter(node.parents))] if node.key not in done else []
        begun = {node.key}
        while stack:
            each, rest = stack[-1]
            parent = next((key for key in rest if key in by_key and key not in done and key not in begun), None)
            if parent is not None:
                begun.add(parent)
                stack.append((by_key[parent], iter(by_key[parent].parents)))
                continue
            stack.pop()
            done.add(each.key)
            order.append(each)
    return order


def _common(one: Sequence[Node], other: Sequence[Node]) -> Iterator[Node]:
    """The nodes both begin with."""
    for node, same in zip(one, other, strict=False):
        if node is not same and node != same:
            return
        yield node
