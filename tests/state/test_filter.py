"""What each term finds in a snapshot, that a negated one finds the rest, and that order means nothing."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corr_tui.protocol.lineage import LineageStatus
from corr_tui.protocol.records import MalformedEvent, Receipt, Record
from corr_tui.state.filter import Need, doubts, matching, needs
from corr_tui.state.filter_grammar import Filter, Has, Is, Term, parse_filter
from corr_tui.state.snapshot import Heard, History, Identity, LinkState, Snapshot, Unsent, Verdict
from tests.correspondents import World, uuid
from tests.state.test_filter_grammar import FILTERS
from tests.ui.panel_scene import every_kind, scene, with_verdict

SCENE = scene().snapshot()
EVERY_KIND = every_kind("Said in ＣＡＦÉ").snapshot()


def found(text: str, snapshot: Snapshot = SCENE) -> list[int]:
    """The numbers of the events a filter finds."""
    test = matching(parse_filter(text), snapshot)
    return [heard.record.seq for heard in snapshot.events if test(heard)]


def numbers(snapshot: Snapshot = SCENE) -> list[int]:
    """Every number."""
    return [heard.record.seq for heard in snapshot.events]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kind:claim.renew", [4, 7, 8]),
        ("kind:ack.*", [3, 12]),
        ("by:BO", [2, 4, 12, 19]),
        ("by:an*", [1, 3, 5, 11]),
        (f"by:{uuid(2, 2)}", [2, 4, 12, 19]),
        ("thread:task:40", [6, 7, 8, 16]),
        ("thread:task:4*", sorted({*numbers()} - {10, 13, 14, 15, 20})),
        ("id:#7", [7]),
        ("jitter", [1]),
        ("JITTER -by:ana", []),
        ('"full jitter"', [1]),
        ('"task:31"', [20]),
        ("is:mine", [15]),
        ("has:missing", [18]),
        ("has:parents kind:observation", [18]),
        ("has:artifact", [11]),
        ("has:until", [16, 17]),
        ("has:acks", [2, 11]),
        ("has:citations kind:intent", [1]),
        ("has:my-ack", []),
        ("is:unresolved", [15]),
        ("is:repaired", [13]),
        ("is:closed", [20]),
        ("-is:open", [20]),
        ("is:live", [4, 5, 7, 8, 9, 10]),
        ("is:conflicted", [4, 5, 7, 8, 13, 14]),
        ("is:verified", numbers()),
        ("is:unverified", []),
        ("is:unsent", []),
    ],
)
def test_a_term_finds(text: str, expected: list[int]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [("src/api", [1, 2, 4, 5, 11]), ("src/api/client/deep", [1, 2, 4, 5, 11]), ("src/ap", []), ("docs/", [6, 7, 8])],
)
def test_a_path_finds_what_overlaps_it_by_the_prefix_rule(path: str, expected: list[int]) -> None:
    """§2.2: the whole repository overlaps every path."""
    whole = {heard.record.seq for heard in SCENE.events if heard.event and heard.event.scope.paths == ["."]}
    assert found(f"path:{path}") == sorted(whole | set(expected))


@pytest.mark.parametrize("verdict", list(Verdict))
def test_each_verdict_can_be_asked_for_by_its_word(verdict: Verdict) -> None:
    snapshot = with_verdict(with_verdict(SCENE, 5, verdict), 6, Verdict.KEY_REVOKED)
    word = {Verdict.KEY_REVOKED: "key-revoked"}.get(verdict, verdict.replace(" ", "-"))
    assert 5 in found(f"is:{word}", snapshot)
    assert (5 in found("is:unverified", snapshot)) is not verdict.holds
    assert found(f"is:{word} -id:#5", with_verdict(SCENE, 5, verdict)) == (
        [] if verdict is not Verdict.VERIFIED else [number for number in numbers() if number != 5]
    )


@pytest.mark.parametrize("status", ["pending", "invalid"])
def test_the_lineage_can_be_asked_for(status: LineageStatus) -> None:
    """§6"""
    heard = SCENE.events[3]
    told = replace(heard, record=Record(heard.record.event, heard.record.receipt, (), status))
    assert found(f"is:{status}", SCENE.heard((told,), SCENE.history)) == [4]


def test_words_are_found_in_all_that_is_said_whatever_the_kind() -> None:
    said = {heard.event.kind for heard in EVERY_KIND.events if heard.event and "Said in" in str(heard.event.evidence)}
    test = matching(parse_filter('"said  IN"'), EVERY_KIND)
    assert {heard.event.kind for heard in EVERY_KIND.events if heard.event and test(heard)} == said
    assert len(said) >= 17


def test_words_compare_composed_and_folded_and_never_as_patterns() -> None:
    world = World()
    world.say("ana", "observation", summary="Strasse cafe\u0301 50%\n  of .* [x]")
    world.say("ana", "observation", summary="other", thread="task:x")
    snapshot = world.snapshot()
    for text in ("straße", "CAFÉ", '"50% of"', '".* [x]"', "-other", "observation -task"):
        assert found(text, snapshot) == ([1] if text != "observation -task" else []), text
    for text in (".*x", '"[x] task:42"', "\u200b"):
        assert found(text, snapshot) == []


def test_a_sender_without_a_listed_name_is_found_by_the_start_of_its_id() -> None:
    unlisted = replace(SCENE, identities=MappingProxyType({}))
    assert found("by:bo", unlisted) == []
    assert found(f"by:{uuid(2, 2)[:4]}…", unlisted) == numbers()
    assert found("by:000", unlisted) == []


def test_a_name_is_compared_as_data() -> None:
    odd = Identity(uuid(2, 2), "B.o\u001b[2J *")
    named = replace(SCENE, identities=MappingProxyType({odd.identity_id: odd}))
    assert found('by:"b.o\u001b[2J *"', named) == found(f"by:{uuid(2, 2)}")
    assert found('by:"b_o*"', named) == []


def malformed(number: int) -> Heard:
    evidence = {"thread_id": "task:42", "kind": "intent", "body": {"summary": "jitter"}}
    event = MalformedEvent("sha256:6f9d", evidence, ())
    receipt = Receipt(str(number), "2026-05-14T13:30:00.000Z")
    return Heard(Record(event, receipt, (), "not_applicable"), Verdict.MALFORMED, genuine=False)


def test_a_malformed_event_is_found_by_what_is_known_of_it_alone() -> None:
    snapshot = SCENE.heard((malformed(99),), SCENE.history)
    for text in ("is:malformed", "is:unverified", "id:6f9d", "id:#99", "thread:task:42 id:6f9d"):
        assert found(text, snapshot) == [99], text
    for text in ("kind:*", "by:*", "path:.", "jitter", "has:parents", "is:mine", "is:listed", "has:artifact"):
        assert 99 not in found(text, snapshot), text


def test_my_unsent_events_are_asked_in_the_same_way() -> None:
    unsent = Unsent(World().event("maya", "intent", summary="Move retries", paths=["src"]))
    for text in ("is:unsent", "is:mine", "by:maya", "retries", "path:src/api", "-is:verified", "-is:unverified"):
        assert matching(parse_filter(text), SCENE)(unsent), text
    for text in ("id:#1", "is:pending", "has:missing", "is:live", "by:bo"):
        assert not matching(parse_filter(text), SCENE)(unsent), text


def test_nothing_is_mine_where_nobody_signs() -> None:
    assert found("is:mine", replace(SCENE, me=None)) == []
    assert found("has:my-ack", replace(SCENE, me=None)) == []
    assert found("has:my-ack", scene().snapshot(me="bo")) == [11]


def test_what_was_not_proved_acknowledges_and_repairs_nothing() -> None:
    """experience: honesty 8"""
    snapshot = with_verdict(with_verdict(SCENE, 19, Verdict.MISMATCH), 12, Verdict.NO_KEY)
    assert found("is:repaired", snapshot) == []
    assert found("has:acks", snapshot) == [2]


def test_what_cannot_be_known_now_is_said() -> None:
    """§6: absence means something only in a complete projection."""
    wanted = parse_filter("is:live has:acks flaky is:conflicted")
    assert doubts(wanted, SCENE) == ()
    truncated = replace(scene().snapshot("truncated"), history=History("20", complete=False))
    assert doubts(wanted, truncated) == (
        "is:live: projection truncated",
        "has:acks: history read through #20 only",
        "is:conflicted: projection truncated",
    )
    away = replace(SCENE, link=replace(SCENE.link, state=LinkState.OFFLINE), history=History())
    assert doubts(parse_filter("-is:live is:open"), away) == (
        "-is:live: projection last good view",
        "is:open: history not read yet",
    )


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("kind:ack.* id:6f thread:x path:src has:missing is:mine", set()),
        ("bo", {Need.NAMES}),
        ("by:bo", {Need.NAMES}),
        ("is:unverified", {Need.VERDICTS}),
        ("-has:acks", {Need.VERDICTS, Need.HISTORY}),
        ("is:live", {Need.PROJECTION}),
        ("is:conflicted", {Need.VERDICTS, Need.HISTORY, Need.PROJECTION}),
    ],
)
def test_a_filter_says_what_it_rests_on(text: str, needed: set[Need]) -> None:
    assert needs(parse_filter(text)) == needed


@pytest.mark.parametrize("word", [*(f"is:{each}" for each in Is), *(f"has:{each}" for each in Has)])
def test_every_state_and_possession_is_decided_for_every_event(word: str) -> None:
    snapshot = EVERY_KIND.heard((malformed(99),), EVERY_KIND.history)
    assert sorted(found(word, snapshot) + found(f"-{word}", snapshot)) == numbers(snapshot)


# Laws.


@given(FILTERS)
@example(parse_filter("kind:*"))
def test_a_negated_term_finds_exactly_the_rest(wanted: Filter) -> None:
    for term in wanted.terms:
        there = matching(Filter((term,)), SCENE)
        rest = matching(Filter((replace(term, negated=not term.negated),)), SCENE)
        assert all(there(heard) is not rest(heard) for heard in SCENE.events)


@given(FILTERS.flatmap(lambda wanted: st.tuples(st.just(wanted), st.permutations(wanted.terms))))
def test_terms_hold_together_in_any_order(both: tuple[Filter, list[Term]]) -> None:
    wanted, shuffled = both
    each = [matching(Filter((term,)), SCENE) for term in wanted.terms]
    one, other = matching(wanted, SCENE), matching(Filter(tuple(shuffled)), SCENE)
    for heard in SCENE.events:
        assert one(heard) == other(heard) == all(test(heard) for test in each)


def test_an_empty_filter_finds_everything() -> None:
    assert found("") == numbers()
