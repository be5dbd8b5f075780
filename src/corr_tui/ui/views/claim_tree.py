"""Live claims as a tree of path prefixes, and where two of them overlap by the one prefix rule (§2.2). Pure.

Two claims overlap where a prefix of one is equal to a prefix of the other, or lies within it; branches of one claim do
not overlap each other. In a tree that is: on the way up to the root, or anywhere below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from corr_tui.protocol.paths import WHOLE_REPOSITORY
from corr_tui.protocol.records import ActiveClaim
from corr_tui.state.same import Same


@dataclass(eq=False)
class Node:
    """A prefix that somebody claims, or at which several part."""

    path: str
    above: Node | None = None
    children: list[Node] = field(default_factory=list)
    """By name, segment by segment."""
    claims: list[ActiveClaim] = field(default_factory=list)
    """Those that name this very prefix, by event id."""
    beneath: set[str] = field(default_factory=set)
    """The ids of the claims here and below."""

    @property
    def name(self) -> str:
        """What it adds to the prefix above it."""
        inside = self.above is not None and self.above.above is not None
        return self.path[len(self.above.path) + 1 :] if inside and self.above else self.path


class Place(NamedTuple):
    """A claim at one of its prefixes, or, without a claim, a step on the way; `steps` says how it hangs in the tree."""

    node: Node
    claim: ActiveClaim | None
    name: str
    """What is added to the prefix above it."""
    first: bool
    """Whether it is the first of its node, and so bears its name."""
    last: tuple[bool, ...]
    """By step from the root down, whether that one is the last of its siblings."""


def places(claims: tuple[ActiveClaim, ...]) -> tuple[Place, ...]:
    """Every place of the tree from top to bottom, siblings by name; made once for one tuple of claims."""
    return _places(Same(claims))


@lru_cache(maxsize=4)
def _places(same: Same[tuple[ActiveClaim, ...]]) -> tuple[Place, ...]:
    return tuple(_walk(_tree(same.value)))


def _tree(claims: Iterable[ActiveClaim]) -> Node:
    """The tree of the prefixes, without the steps that only lead on: a prefix may be a hundred deep."""
    naming: defaultdict[str, list[ActiveClaim]] = defaultdict(list)
    for claim in sorted(claims, key=lambda each: each.event_id):
        for path in dict.fromkeys(claim.scope.paths):
            naming[path].append(claim)
    root = Node(WHOLE_REPOSITORY, claims=naming.pop(WHOLE_REPOSITORY, []))
    way, before = [(0, root)], list[str]()
    for segments in sorted(path.split("/") for path in naming):
        common, last = _in_common(before, segments), root
        while way[-1][0] > common:
            last = way.pop()[1]
        if way[-1][0] < common:
            way.append((common, _part(way[-1][1], last, "/".join(segments[:common]))))
        path = "/".join(segments)
        node = Node(path, way[-1][1], claims=naming[path])
        way[-1][1].children.append(node)
        way.append((len(segments), node))
        before = segments
    _sum_up(root)
    return root


def _in_common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many segments two prefixes begin with in common."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


def _part(above: Node, last: Node, path: str) -> Node:
    """A step at which the last child parts from what comes next."""
    step = Node(path, above, [last])
    above.children[-1] = last.above = step
    return step


def _sum_up(root: Node) -> None:
    """Tell every node which claims stand at it and below."""
    ordered = [root]
    for node in ordered:
        ordered += node.children
    for node in reversed(ordered):
        node.beneath.update(*(child.beneath for child in node.children), (each.claim_id for each in node.claims))


def _walk(root: Node) -> Iterator[Place]:
    """The places, depth first; walks, since the tree may be deep."""
    for number, claim in enumerate(root.claims):
        yield Place(root, claim, WHOLE_REPOSITORY, number == 0, ())
    waiting = _below(root, ())
    while waiting:
        node, last = waiting.pop()
        if not node.claims:
            yield Place(node, None, node.name, True, last)
        for number, claim in enumerate(node.claims):
            yield Place(node, claim, node.name, number == 0, last)
        waiting += _below(node, last)


def _below(node: Node, last: tuple[bool, ...]) -> list[tuple[Node, tuple[bool, ...]]]:
    """The children, the first at the end."""
    return [(child, (*last, place == 0)) for place, child in enumerate(reversed(node.children))]


def overlapped(node: Node, claim_id: str) -> tuple[str, ActiveClaim] | None:
    """A prefix and a claim that overlaps this claim here: the nearest on the way up, else the first below; or None."""
    up: Node | None = node
    while up is not None:
        for claim in up.claims:
            if claim.claim_id != claim_id:
                return up.path, claim
        up = up.above
    down = node
    while down.beneath - {claim_id}:
        for claim in down.claims:
            if claim.claim_id != claim_id:
                return down.path, claim
        down = next(child for child in down.children if child.beneath - {claim_id})
    return None
