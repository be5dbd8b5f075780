"""Live claims as a tree of path prefixes, and where two of them overlap by the one prefix rule (§2.2). Pure.

Two claims overlap where a prefix of one is equal to a prefix of the other, or lies within it; branches of one claim do
not overlap each other. In a tree that is: on the way up to the root, or anywhere below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from corr_tui.protocol.paths import WHOLE_REPOSITORY
from corr_tui.protocol.records import ActiveClaim
from corr_tui.state.same import Same


@dataclass(eq=False)
class Node:
    """One directory or file named by a prefix, or on the way to one."""

    path: str
    above: Node | None = None
    children: dict[str, Node] = field(default_factory=dict)
    claims: list[ActiveClaim] = field(default_factory=list)
    """Those that name this very prefix, by event id."""
    beneath: set[str] = field(default_factory=set)
    """The ids of the claims here and below."""


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
    root = Node(WHOLE_REPOSITORY)
    for claim in sorted(claims, key=lambda each: each.event_id):
        for path in dict.fromkeys(claim.scope.paths):
            node = root
            node.beneath.add(claim.claim_id)
            for segment in () if path == WHOLE_REPOSITORY else path.split("/"):
                if segment not in node.children:
                    below = segment if node is root else f"{node.path}/{segment}"
                    node.children[segment] = Node(below, node)
                node = node.children[segment]
                node.beneath.add(claim.claim_id)
            node.claims.append(claim)
    return root


def _walk(root: Node) -> Iterator[Place]:
    """The places, depth first; walks, since a prefix may be deep. Steps that only lead on are joined into one."""
    for number, claim in enumerate(root.claims):
        yield Place(root, claim, WHOLE_REPOSITORY, number == 0, ())
    waiting = _below(root, ())
    while waiting:
        node, name, last = waiting.pop()
        while not node.claims and len(node.children) == 1:
            ((segment, node),) = node.children.items()
            name = f"{name}/{segment}"
        if not node.claims:
            yield Place(node, None, name, True, last)
        for number, claim in enumerate(node.claims):
            yield Place(node, claim, name, number == 0, last)
        waiting += _below(node, last)


def _below(node: Node, last: tuple[bool, ...]) -> list[tuple[Node, str, tuple[bool, ...]]]:
    """The children, the first by name at the end."""
    named = sorted(node.children.items(), reverse=True)
    return [(child, name, (*last, place == 0)) for place, (name, child) in enumerate(named)]


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
        down = next(child for _, child in sorted(down.children.items()) if child.beneath - {claim_id})
    return None
