"""Path prefixes and the one deterministic overlap rule (§2.2).

Prefixes are compared case-sensitively and byte for byte. The rule models no file system: not case-insensitivity, not
symlinks, not submodules.
"""

from __future__ import annotations

from collections.abc import Iterable

WHOLE_REPOSITORY = "."


def overlaps(one: str, other: str) -> bool:
    """Whether two prefixes overlap: either is `.`, they are equal, or one is the other and more segments (§2.2)."""
    return (
        one == other or WHOLE_REPOSITORY in (one, other) or one.startswith(f"{other}/") or other.startswith(f"{one}/")
    )


def overlapping(ones: Iterable[str], others: Iterable[str]) -> list[str]:
    """The wider prefix of each overlapping pair, each once, sorted (§7.1: the `paths` of an overlap row)."""
    others = list(others)
    return sorted({wider(one, other) for one in ones for other in others if overlaps(one, other)})


def wider(one: str, other: str) -> str:
    """The one of two overlapping prefixes that covers the other."""
    if WHOLE_REPOSITORY in (one, other):
        return WHOLE_REPOSITORY
    return min(one, other, key=len)


def covered(path: str, prefixes: Iterable[str]) -> bool:
    """Whether `path` overlaps any of `prefixes`."""
    return any(overlaps(path, prefix) for prefix in prefixes)
