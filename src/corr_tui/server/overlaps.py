"""Which active claims overlap in their paths (§2.2, §7.1).

The rule is `protocol.paths.overlaps`. Asking it for every pair of paths of every pair of claims would let 128 claims of
64 paths cost millions of comparisons, so each claim states once which prefixes reach it: two claims overlap in just
those prefixes that one declares and that reach the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from corr_tui.protocol.paths import reach


def overlapping_pairs(claims: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, list[str]]]:
    """Each overlapping pair of claims, given their paths: two indexes and the wider prefixes, sorted."""
    declared = [frozenset(paths) for paths in claims]
    reaching = [reach(paths) for paths in claims]
    for left, right in combinations(range(len(claims)), 2):
        wider = (declared[left] & reaching[right]) | (declared[right] & reaching[left])
        if wider:
            yield left, right, sorted(wider)
