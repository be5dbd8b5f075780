"""The words: every kind has them, and none of them claims what the profile does not give."""

from __future__ import annotations

import re

import pytest

from corr_tui.protocol.bodies import ACK_KINDS, KINDS
from corr_tui.ui.commands import COMMANDS
from corr_tui.ui.wording import HONESTY, WORDING, does_not_establish, listed, says

NEVER = re.compile(
    r"\b(locks?|locked|lock-?step|owner|owns|owned|yours|blocked|blocking|online|offline|overdue|late|assigned to|must"
    r" answer|waiting for you|winner|latest|failed)\b",
    re.IGNORECASE,
)


def every_word() -> list[str]:
    said = [
        text for each in WORDING.values() for text in (each.says, each.rest, *each.does_not_establish, *each.briefly)
    ]
    return [*said, *HONESTY, *(f"{each.verb} {each.description} {each.group}" for each in COMMANDS)]


def test_each_of_the_21_kinds_has_words() -> None:
    assert tuple(WORDING) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_says_one_thing_and_denies_some(kind: str) -> None:
    wording = next(each for known, each in WORDING.items() if known == kind)
    assert wording.says.endswith(".")
    assert "{who}" in wording.says or kind == "ack.seen"
    assert len(wording.does_not_establish) >= 3
    assert len(wording.briefly) >= 3


def test_nothing_speaks_of_holding_owning_or_being_late() -> None:
    assert [words for words in every_word() if NEVER.search(words)] == []


def test_seen_is_about_bytes_and_nothing_else() -> None:
    """§5: ack.seen: bytes seen; no understanding."""
    assert says("ack.seen", "maya", ["#4810"]) == "The bytes of #4810 reached maya."
    assert "that it was understood" in does_not_establish("ack.seen", "maya")


@pytest.mark.parametrize("kind", ["pause", "rest", "refusal", "ack.rejected", "close"])
def test_kinds_that_ask_no_reason_say_so(kind: str) -> None:
    """§9: these MUST NOT require a reason."""
    assert next(each for known, each in WORDING.items() if known == kind).rest == "No reason is owed."


def test_no_acknowledgement_is_said_to_give_permission() -> None:
    """§9: no permission from an acknowledgement."""
    for kind in ACK_KINDS[:3]:
        denied = next(each for known, each in WORDING.items() if known == kind).does_not_establish
        assert any("permission" in each for each in denied)


def test_a_name_with_braces_is_only_a_name() -> None:
    assert says("ack.seen", "{target}", ["#1"]) == "The bytes of #1 reached {target}."


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "an event"),
        (["#1"], "#1"),
        (["#1", "#2"], "#1 and #2"),
        (["#1", "#2", "#3"], "#1, #2 and #3"),
        (["#1", "#2", "#3", "#4"], "#1, #2 and 2 more"),
    ],
)
def test_lists_of_events_read_as_sentences(names: list[str], words: str) -> None:
    assert listed(names) == words
