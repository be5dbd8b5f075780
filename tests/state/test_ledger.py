"""The fold of a history: the same in parts as at once, and the same lineage in any order (§4, §5, §6)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from corr_tui.protocol.event import Event
from corr_tui.protocol.lineage import claim_event, lineage
from corr_tui.protocol.records import Record
from corr_tui.state.branches import Branches
from corr_tui.state.facts import Facts, SessionHeard
from corr_tui.state.ledger import Ledger
from corr_tui.state.projection import facts_of
from corr_tui.state.snapshot import Computed, Heard, Verdict, instant
from tests.correspondents import REPOSITORY_ID, World, claim
from tests.histories import Arrivals, events_of, histories

VERDICTS = (*(Verdict.LISTED,) * 6, Verdict.NO_KEY, Verdict.MISMATCH)


def heard(world: World) -> list[Heard]:
    """Everything stored, proved, with the diagnostics of when it was stored."""
    known: set[str] = set()
    found = []
    for record in world.records:
        assert isinstance(record.event, Event)
        missing = tuple(parent for parent in record.event.parents if parent not in known)
        known.add(record.event.event_id)
        found.append(Heard(replace_missing(record, missing), Verdict.LISTED))
    return found


def replace_missing(record: Record, missing: tuple[str, ...]) -> Record:
    """The record with other diagnostics."""
    return Record(record.event, record.receipt, missing, record.lineage_status)


def stored(history: Arrivals) -> tuple[World, list[Heard]]:
    """The events of a history as they arrive, each once."""
    world = World()
    said = events_of(world, history.acts, repository=REPOSITORY_ID)
    for event in {said[index].event_id: said[index] for index in history.order}.values():
        world.store(event)
    return world, heard(world)


def told(facts: Facts) -> Facts:
    """Facts whose maps compare by content."""
    return replace(facts, noted=dict(facts.noted), threads=dict(facts.threads))


def computed(ledger: Ledger, world: World) -> Computed:
    """What is computed now."""
    return ledger.computed(instant(world.now), None, complete=True)


@settings(max_examples=150)
@given(histories(), st.lists(st.sampled_from(VERDICTS), min_size=14, max_size=14), st.sets(st.integers(0, 14)))
def test_the_fold_of_the_parts_is_the_fold_of_the_whole(
    history: Arrivals, verdicts: list[Verdict], asked: set[int]
) -> None:
    """However often it is asked on the way."""
    world, events = stored(history)
    events = [replace(each, verdict=verdict) for each, verdict in zip(events, verdicts, strict=False)]
    ledger = Ledger()
    for number, each in enumerate(events):
        assert ledger.note(each)
        if number in asked:
            computed(ledger, world)
    whole = Ledger.of(events)
    assert told(ledger.facts()) == told(whole.facts()) == told(facts_of(tuple(events)))
    assert computed(ledger, world) == computed(whole, world)


@settings(max_examples=150)
@given(histories(), st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_lineage_of_the_set_section_6(history: Arrivals, chance: Random) -> None:
    world, events = stored(history)
    said = [each.event for each in events if each.event and each.event.repository_id == REPOSITORY_ID]
    expected = lineage(said)
    shuffled = list(said)
    chance.shuffle(shuffled)
    branches = Branches()
    for event in shuffled:
        branches.note(event.event_id, claim_event(event))
    live, _ = branches.active(instant(world.now), 128)
    assert tuple(live) == expected.active(instant(world.now))
    assert branches.unsettled() == {
        event_id: status for event_id, status in expected.statuses.items() if status != "valid"
    }
    for tip in live:
        assert tuple(each for each in branches.tips(tip.claim_id, 20) if each != tip.event_id) == expected.competing(
            tip
        )


def test_a_chain_far_deeper_than_a_stack_settles_when_its_root_comes_last() -> None:
    """§6: descendants settle with the predecessor they waited for."""
    world = World()
    chain = [world.event("ana", "claim.open", claim_id=claim(1), expires_in=60)]
    for _ in range(1500):
        chain.append(world.event("ana", "claim.renew", predecessor=chain[-1], expires_in=60))
    branches = Branches()
    for event in reversed(chain):
        branches.note(event.event_id, claim_event(event))
    live, _ = branches.active(instant(world.now), 5)
    assert [each.event_id for each in live] == [chain[-1].event_id]
    assert branches.unsettled() == {}


def test_facts_are_the_same_object_until_something_is_noted() -> None:
    world = World()
    world.say("ana", "intent", summary="words")
    ledger = Ledger.of(heard(world))
    before = ledger.facts()
    assert ledger.facts() is before
    world.say("ana", "progress", summary="words")
    ledger.note(heard(world)[-1])
    assert ledger.facts() is not before


def test_facts_taken_before_stay_as_they_were() -> None:
    world = World()
    intent = world.say("ana", "intent", summary="words")
    ledger = Ledger.of(heard(world))
    before = ledger.facts()
    copy = told(before)
    world.say("bo", "ack.seen", target=intent)
    seen = world.say("bo", "pause")
    for each in heard(world)[1:]:
        ledger.note(each)
    assert told(before) == copy
    assert seen.event.event_id not in before.noted
    assert before.noted.get(seen.event.event_id) is None
    assert len(ledger.facts().noted) == 3


def test_an_event_noted_again_changes_nothing() -> None:
    world = World()
    world.say("ana", "close")
    ledger = Ledger.of(heard(world))
    before = ledger.facts()
    assert ledger.note(replace(heard(world)[0], verdict=Verdict.KEY_REVOKED))
    assert ledger.facts() is before


def test_an_event_that_is_worth_something_else_now_is_not_taken() -> None:
    """Whoever holds the history folds it anew."""
    world = World()
    world.say("ana", "close")
    ledger = Ledger.of(heard(world))
    before = ledger.facts()
    assert not ledger.note(replace(heard(world)[0], verdict=Verdict.NO_KEY))
    assert ledger.facts() is before


def test_an_event_before_the_last_one_noted_is_not_taken() -> None:
    world = World()
    world.say("ana", "intent", summary="words")
    world.say("ana", "close")
    first, second = heard(world)
    ledger = Ledger.of([second])
    assert not ledger.note(first)
    assert len(ledger.facts().noted) == 1


def test_a_parent_is_missing_until_it_arrives_section_4() -> None:
    world = World()
    late = world.event("ana", "intent", summary="words")
    child = world.say("bo", "progress", summary="words", parents=(late,))
    ledger = Ledger.of(heard(world))
    assert ledger.facts().missing == {child.event.event_id: (late.event_id,)}
    world.store(late)
    ledger.note(heard(world)[-1])
    assert ledger.facts().missing == {}


def test_a_stale_diagnostic_is_not_believed_where_the_parent_is_here_section_4() -> None:
    world = World()
    parent = world.say("ana", "intent", summary="words")
    world.say("bo", "progress", summary="words", parents=(parent,))
    first, second = heard(world)
    stale = replace(second, record=replace_missing(second.record, (parent.event.event_id,)))
    assert Ledger.of([first, stale]).facts().missing == {}


def test_a_parent_that_the_service_says_is_stored_is_not_missing_section_4() -> None:
    """It may lie in another repository of the project."""
    world = World()
    elsewhere = world.event("ana", "intent", summary="words", repository="acme/other")
    world.say("bo", "progress", summary="words", parents=(elsewhere,))
    (child,) = heard(world)
    ledger = Ledger.of([child])
    assert len(ledger.facts().missing) == 1
    assert ledger.note(replace(child, record=replace_missing(child.record, ())))
    assert ledger.facts().missing == {}


def test_a_forged_parent_is_no_parent_section_3() -> None:
    world = World()
    late = world.event("ana", "intent", summary="words")
    world.say("bo", "progress", summary="words", parents=(late,))
    world.store(late)
    child, parent = heard(world)
    forged = replace(parent, verdict=Verdict.MISMATCH, genuine=False)
    assert len(Ledger.of([child, forged]).facts().missing) == 1
    unproved = replace(parent, verdict=Verdict.NO_KEY)
    assert Ledger.of([child, unproved]).facts().missing == {}


def test_an_identity_s_last_event_and_every_event_s_number_are_known() -> None:
    world = World()
    first = world.say("ana", "intent", summary="words")
    last = world.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    facts = Ledger.of(heard(world)).facts()
    assert isinstance(last.event, Event)
    assert facts.last_by == {last.event.sender.identity_id: last.event.event_id}
    noted = facts.noted[last.event.event_id]
    assert (noted.seq, noted.kind, noted.generation, noted.proved) == (2, "claim.open", 1, True)
    assert list(facts.noted) == [first.event.event_id, last.event.event_id]


def test_a_session_is_told_by_its_own_numbers_and_the_keys_it_signed_with() -> None:
    world = World()
    world.say("ana", "intent", summary="third", seq=3)
    last = world.say("ana", "intent", summary="first", seq=1)
    world.say("ana", "intent", summary="elsewhere", device=2, session=2)
    sender = world.people["ana"].sender()
    sessions = Ledger.of(world.snapshot().events).facts().sessions
    assert len(sessions) == 2
    told = sessions[sender.identity_id, sender.device_id, sender.session_id]
    assert told == SessionHeard(1, 3, last.event.event_id, (sender.signing_key_id,))
