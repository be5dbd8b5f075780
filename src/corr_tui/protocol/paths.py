"""Path prefixes and the one deterministic overlap rule (§2.2).

Prefixes are compared case-sensitively and byte for byte. The rule models no file system: not case-insensitivity, not
symlinks, not submodules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

WHOLE_REPOSITORY = "."


def overlaps(one: str, other: str) -> bool:
    """Whether two prefixes overlap: either is `.`, they are equal, or one is the other and more segments (§2.2)."""
    return (
        one == other or WHOLE_REPOSITORY in (one, other) or one.startswith(f"{other}/") or other.startswith(f"{one}/")
    )


def reach(paths: Iterable[str]) -> frozenset[str]:
    """Every prefix that covers any of `paths`: the paths themselves, what they lie in, and the whole repository."""
    covering = {WHOLE_REPOSITORY}
    for path in paths:
        covering.add(path)
        covering.update(_above(path))
    return frozenset(covering)


def _above(path: str) -> Iterator[str]:
    """Every prefix that a path lies in, but for the whole repository."""
    end = path.find("/")
    while end > 0:
        yield path[:end]
        end = path.find("/", end + 1)


def meeting(paths: Iterable[str]) -> Callable[[Iterable[str]], bool]:
    """Whether others overlap any of these paths, for whoever asks of many others (§2.2)."""
    declared = frozenset(paths)
    reaching = reach(declared)

    def meets(others: Iterable[str]) -> bool:
        if WHOLE_REPOSITORY in declared:
            return any(True for _ in others)
        return bool(declared) and any(
            other in reaching or any(above in declared for above in _above(other)) for other in others
        )

    return meets


def overlapping(ones: Iterable[str], others: Iterable[str]) -> list[str]:
    """The wider prefix of each overlapping pair, each once, sorted (§7.1: the `paths` of an overlap row).

    It is each prefix of one side that reaches the other: asking pair by pair would cost the product of both.
    """
    ones, others = frozenset(ones), frozenset(others)
    if not ones or not others:
        return []
    return sorted((ones & reach(others)) | (others & reach(ones)))


def covered(path: str, prefixes: Iterable[str]) -> bool:
    """Whether `path` overlaps any of `prefixes`."""
    return any(overlaps(path, prefix) for prefix in prefixes)


def overlapping_pairs(claims: Sequence[Iterable[str]]) -> Iterator[tuple[int, int, list[str]]]:
    """Each overlapping pair of claims, given the paths of each: two indexes and the wider prefixes, sorted (§7.1).

    They come in the order of the claims. Each claim states once what it declares and what reaches it, and only claims
    that meet there are looked at: 128 claims of 64 paths would cost millions of comparisons otherwise.
    """
    declared = [frozenset(paths) for paths in claims]
    reaching = [reach(paths) for paths in declared]
    declaring, reached = _where(declared), _where(reaching)
    for left in range(len(declared)):
        wider: defaultdict[int, set[str]] = defaultdict(set)
        for prefixes, others in ((declared[left], reached), (reaching[left], declaring)):
            for prefix in prefixes:
                for right in others.get(prefix, ()):
                    if right > left:
                        wider[right].add(prefix)
        for right in sorted(wider):
            yield left, right, sorted(wider[right])


def _where(claims: Sequence[frozenset[str]]) -> Mapping[str, list[int]]:
    """By prefix, the claims that have it."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for index, prefixes in enumerate(claims):
        for prefix in prefixes:
            found[prefix].append(index)
    return found
