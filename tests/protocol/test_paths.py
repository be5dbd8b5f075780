"""Path prefixes and the overlap rule (§2.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.protocol.paths import WHOLE_REPOSITORY, covered, meeting, overlapping, overlapping_pairs, overlaps, reach
from corr_tui.protocol.scalars import Refusal, check_path_prefix
from tests.protocol.strategies import NEAR_PREFIXES, PREFIXES

LISTS = st.lists(NEAR_PREFIXES, min_size=1, max_size=4, unique=True)


@pytest.mark.parametrize(
    "path",
    [
        ".",
        "a",
        "packages/sdk-ts/src",
        ".github",
        "..a",
        "a..",
        "a/.b",
        "...",
        "with space",
        "é/\u200b",
        "~",
        "𝄞" * 256,
        "a:b",
        "-",
        "C:",
    ],
)
def test_normalized_prefixes_are_admitted(path: str) -> None:
    """§2.2: segments may hold anything but what is forbidden."""
    check_path_prefix(path)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", "path_length"),
        ("𝄞" * 257, "path_length"),
        ("a/" * 128 + "b", "path_length"),
        ("/", "path_edge_slash"),
        ("/a", "path_edge_slash"),
        ("a/", "path_edge_slash"),
        ("./", "path_edge_slash"),
        ("a//b", "path_segment"),
        ("./a", "path_segment"),
        ("a/.", "path_segment"),
        ("a/./b", "path_segment"),
        ("..", "path_segment"),
        ("../a", "path_segment"),
        ("a/../b", "path_segment"),
        ("a\\b", "path_backslash"),
        ("\\", "path_backslash"),
        ("a\nb", "path_character"),
        ("a\x7f", "path_character"),
        ("a\u0085", "path_character"),
        *((f"a{sign}b", "path_glob") for sign in "*?[]{}!"),
        ("!", "path_glob"),
    ],
)
def test_other_paths_are_refused(path: str, code: str) -> None:
    """§2.2: each rule of a prefix."""
    with pytest.raises(Refusal) as caught:
        check_path_prefix(path)
    assert caught.value.code == code


@given(PREFIXES)
def test_every_normalized_prefix_is_admitted(path: str) -> None:
    """§2.2: the rules admit whatever they do not name."""
    check_path_prefix(path)


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ("packages/sdk", "packages/sdk/src", True),
        ("packages/sdk", "packages/sdk-old", False),
        ("packages/sdk", "packages/sdk", True),
        ("packages/sdk", "packages", True),
        ("packages/sdk", "packages/SDK", False),
        ("é", "e\u0301", False),
        (".", "anything/at/all", True),
        (".", ".", True),
        (".github", ".", True),
        (".github", "..a", False),
        ("a", "b", False),
        ("a/b", "b", False),
        ("a", "aa", False),
    ],
)
def test_overlap_is_by_whole_segments(one: str, other: str, overlap: bool) -> None:
    """§2.2: the deterministic rule, compared as supplied."""
    assert overlaps(one, other) is overlap
    assert overlaps(other, one) is overlap


@given(NEAR_PREFIXES, NEAR_PREFIXES)
def test_overlap_is_symmetric_and_reflexive(one: str, other: str) -> None:
    """§2.2: the rule names no side."""
    assert overlaps(one, other) == overlaps(other, one)
    assert overlaps(one, one)
    assert overlaps(WHOLE_REPOSITORY, one)


@given(NEAR_PREFIXES, NEAR_PREFIXES)
def test_overlap_is_one_list_of_segments_leading_the_other(one: str, other: str) -> None:
    """§2.2: said once more, by segments."""

    def segments(path: str) -> list[str]:
        return [] if path == "." else path.split("/")

    shorter, longer = sorted((segments(one), segments(other)), key=len)
    assert overlaps(one, other) == (longer[: len(shorter)] == shorter)


def wider(one: str, other: str) -> str:
    """The one of two overlapping prefixes that covers the other, pair by pair."""
    return WHOLE_REPOSITORY if WHOLE_REPOSITORY in (one, other) else min(one, other, key=len)


@given(LISTS)
def test_reach_holds_whatever_overlaps_from_above(paths: list[str]) -> None:
    """§2.2: the paths, what they lie in, and the whole repository."""
    for prefix in reach(paths):
        assert prefix == WHOLE_REPOSITORY or any(path == prefix or path.startswith(f"{prefix}/") for path in paths)
    assert {WHOLE_REPOSITORY, *paths} <= reach(paths)


@given(LISTS, LISTS)
def test_overlapping_names_the_wider_of_each_pair_once_and_sorted(ones: list[str], others: list[str]) -> None:
    """§7.1: the `paths` of an overlap row, whichever side is named first."""
    found = overlapping(ones, others)
    assert found == sorted(set(found))
    assert found == overlapping(reversed(others), reversed(ones))
    assert set(found) <= {*ones, *others}
    assert set(found) == {wider(one, other) for one in ones for other in others if overlaps(one, other)}


def test_overlapping_examples() -> None:
    """§7.1."""
    assert overlapping(["src/api", "docs"], ["src", "docs/specs", "docs/a"]) == ["docs", "src"]
    assert overlapping(["src/api"], ["."]) == ["."]
    assert overlapping(["src/api"], ["docs"]) == []
    assert overlapping(["."], []) == overlapping([], ["."]) == []


def test_covered() -> None:
    """§6: a path asked for against the prefixes of a claim."""
    assert covered("src/api/x", ["docs", "src"])
    assert covered("src", ["docs", "src/api"])
    assert not covered("src-old", ["docs", "src"])
    assert not covered("src", [])


@given(st.lists(NEAR_PREFIXES, max_size=4), st.lists(NEAR_PREFIXES, max_size=4))
def test_paths_meet_others_just_where_any_pair_overlaps(paths: list[str], others: list[str]) -> None:
    """§2.2."""
    assert meeting(paths)(others) is any(overlaps(one, other) for one in paths for other in others)


@given(st.lists(LISTS, max_size=6))
def test_the_pairs_of_claims_are_those_that_overlap_in_order(claims: list[list[str]]) -> None:
    """§7.1: each pair once, with the wider prefixes sorted."""
    found = list(overlapping_pairs(claims))
    expected = [
        (left, right, wider)
        for left in range(len(claims))
        for right in range(left + 1, len(claims))
        if (wider := overlapping(claims[left], claims[right]))
    ]
    assert found == expected
