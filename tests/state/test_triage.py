"""What may want my eyes: each reason, the order, and that a list that goes on is one begun anew (Triage)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.protocol.bodies import ACK_KINDS
from corr_tui.protocol.records import Record
from corr_tui.state.ledger import Ledger
from corr_tui.state.snapshot import Snapshot, Unsent, UnsentState, Verdict
from corr_tui.state.triage import NEAR, Item, Reason, is_near, shown, triage
from corr_tui.ui.panels.claims import _soon
from tests.correspondents import REPOSITORY_ID, World, claim
from tests.histories import Arrivals, events_of, histories
from tests.ui.panel_scene import with_verdict

REVISION = {"kind": "git_commit", "revision": "a" * 40}


def items(world: World, now: datetime | None = None, me: str = "maya", **changes: Any) -> dict[Reason, list[Item]]:
    """What is listed for one of the people, by reason."""
    return listed(replace(world.snapshot(me=me), **changes), now or world.now)


def listed(snapshot: Snapshot, now: datetime | None) -> dict[Reason, list[Item]]:
    """The same of a snapshot."""
    return {group.reason: list(group.items) for group in triage(snapshot, now)}


def ids(found: list[Item]) -> list[str]:
    """The events shown."""
    return [item.event_id for item in found]


def id_of(record: Record) -> str:
    """The id of an event said."""
    return record.event.event_id


def test_offers_and_intents_of_others_are_listed_newest_first_and_mine_and_other_kinds_are_not() -> None:
    world = World()
    intent = world.say("ana", "intent", summary="retries")
    offer = world.say("bo", "artifact.offer", artifact=REVISION, summary="done")
    world.say("maya", "intent", summary="mine")
    world.say("ana", "progress", summary="begun")
    assert ids(items(world)[Reason.UNACKNOWLEDGED]) == [id_of(offer), id_of(intent)]


@pytest.mark.parametrize("kind", [*ACK_KINDS, "refusal"])
def test_whatever_i_said_to_an_offer_takes_it_off_and_what_others_said_does_not(kind: str) -> None:
    world = World()
    offer = world.say("ana", "artifact.offer", artifact=REVISION, summary="done")
    applied = {"result_revision": "a" * 40} if kind == "ack.applied" else {}
    world.say("bo", kind, target=offer, **applied)
    assert ids(items(world)[Reason.UNACKNOWLEDGED]) == [id_of(offer)]
    world.say("maya", kind, target=offer, **applied)
    assert Reason.UNACKNOWLEDGED not in items(world)


@pytest.mark.parametrize("state", list(UnsentState))
def test_an_unsent_acknowledgement_counts_as_said_unless_it_was_refused(state: UnsentState) -> None:
    world = World()
    offer = world.say("ana", "artifact.offer", artifact=REVISION, summary="done")
    ack = Unsent(world.event("maya", "ack.seen", target=offer), state)
    found = items(world, unsent=(ack,))
    assert ids(found[Reason.UNSENT]) == [ack.event.event_id]
    assert (Reason.UNACKNOWLEDGED in found) == (state is UnsentState.REFUSED)


def test_an_unsent_event_that_was_received_after_all_is_not_listed() -> None:
    world = World()
    unsent = Unsent(world.event("maya", "intent", summary="mine"))
    world.store(unsent.event)
    assert Reason.UNSENT not in items(world, unsent=(unsent,))


def test_a_raised_conflict_is_listed_whoever_raised_it_until_it_is_resolved() -> None:
    world = World()
    one, other = (world.say("ana", "observation", summary=each) for each in ("a", "b"))
    raised = world.say("maya", "conflict.raise", targets=(one, other), summary="which?")
    assert ids(items(world)[Reason.RAISED]) == [id_of(raised)]
    assert set(items(world)[Reason.RAISED][0].about) == {id_of(one), id_of(other)}
    world.say("bo", "conflict.resolve", targets=(raised,), summary="the second")
    assert Reason.RAISED not in items(world)


def test_a_claim_that_overlaps_mine_is_listed_and_overlaps_of_others_or_of_mine_are_not() -> None:
    world = World()
    world.say("maya", "claim.open", claim_id=claim(1), paths=["src"], expires_in=3600)
    world.say("maya", "claim.open", claim_id=claim(2), paths=["src/ui"], expires_in=3600)
    world.say("ana", "claim.open", claim_id=claim(3), paths=["docs"], expires_in=3600)
    world.say("bo", "claim.open", claim_id=claim(4), paths=["docs/api"], expires_in=3600)
    assert Reason.OVERLAP not in items(world)
    theirs = world.say("ana", "claim.open", claim_id=claim(5), paths=["src/api"], expires_in=3600)
    assert ids(items(world)[Reason.OVERLAP]) == [id_of(theirs)]


@given(st.floats(min_value=-600, max_value=600))
def test_a_claim_is_near_its_expiry_just_where_the_claims_panel_says_so(left: float) -> None:
    assert is_near(left) == _soon(left)


def test_my_claim_is_listed_near_its_expiry_and_once_lapsed_until_it_is_continued() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(2), paths=["docs"], expires_in=10)
    opened = world.say("maya", "claim.open", claim_id=claim(1), paths=["src"], expires_in=3600)
    expires = world.now + timedelta(seconds=3599)
    snapshot = world.snapshot()
    assert Reason.EXPIRY not in listed(snapshot, expires - timedelta(seconds=NEAR))
    for left in (NEAR - 1, 0, -100_000):
        assert ids(listed(snapshot, expires - timedelta(seconds=left))[Reason.EXPIRY]) == [id_of(opened)]
    assert Reason.EXPIRY not in listed(snapshot, None), "no clock, no word about expiry"
    world.say("maya", "claim.renew", predecessor=opened, expires_in=7200)
    assert Reason.EXPIRY not in listed(world.snapshot(), expires)


def test_a_released_claim_is_not_listed() -> None:
    world = World()
    opened = world.say("maya", "claim.open", claim_id=claim(1), paths=["src"], expires_in=10)
    world.say("maya", "claim.release", predecessor=opened)
    assert Reason.EXPIRY not in items(world, world.now + timedelta(hours=1))


def test_a_fork_of_my_session_is_listed_with_both_events_and_anothers_is_not() -> None:
    world = World()
    for who in ("zed", "maya"):
        both = [world.say(who, "observation", summary=each, seq=7) for each in ("passes", "fails")]
    found = items(world)[Reason.FORK]
    assert len(found) == 1
    assert found[0].event_ids == tuple(sorted(map(id_of, both)))


def test_a_repair_of_my_event_is_listed_until_i_acknowledge_it_and_my_own_is_not() -> None:
    world = World()
    mine = world.say("maya", "observation", summary="it is 3 s")
    other = world.say("ana", "observation", summary="hm")
    world.say("bo", "repair", targets=(other,), summary="not mine")
    world.say("maya", "repair", targets=(mine,), summary="by me")
    repair = world.say("bo", "repair", targets=(mine,), summary="it is 30 s")
    assert [(each.event_id, each.about) for each in items(world)[Reason.REPAIR]] == [(id_of(repair), (id_of(mine),))]
    world.say("maya", "ack.seen", target=repair)
    assert Reason.REPAIR not in items(world)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_what_is_not_proved_is_listed_as_that_alone(verdict: Verdict) -> None:
    world = World()
    world.say("ana", "intent", summary="retries")
    found = listed(with_verdict(world.snapshot(), 1, verdict), world.now)
    assert set(found) == {Reason.UNACKNOWLEDGED if verdict.holds else Reason.SIGNATURE}


def test_without_an_identity_only_what_concerns_everybody_is_listed() -> None:
    world = World()
    one, other = (world.say("ana", "intent", summary=each) for each in ("a", "b"))
    world.say("ana", "conflict.raise", targets=(one, other), summary="which?")
    snapshot = with_verdict(replace(world.snapshot(), me=None), 1, Verdict.NO_KEY)
    assert set(listed(snapshot, world.now)) == {Reason.RAISED, Reason.SIGNATURE}


def test_what_is_hidden_is_left_out_and_a_reason_without_anything_too() -> None:
    world = World()
    world.say("ana", "intent", summary="a")
    world.say("ana", "intent", summary="b")
    groups = triage(world.snapshot(), world.now)
    first, second = groups[0].items
    assert shown(groups, {first.key})[0].items == (second,)
    assert shown(groups, {first.key, second.key}) == ()


@given(histories(), st.sampled_from(("ana", "bo", "kit")))
def test_a_list_that_went_on_is_the_list_begun_anew(history: Arrivals, me: str) -> None:
    world = World()
    events = events_of(world, history.acts, repository=REPOSITORY_ID)
    ledger, grown = Ledger(), None
    for place in history.order:
        world.store(events[place])
        snapshot = world.snapshot(me=me)
        ledger.note(snapshot.events[-1])
        grown = triage(replace(snapshot, facts=ledger.facts()), world.now)
    afresh = world.snapshot(me=me)
    assert grown in (None, triage(replace(afresh, facts=Ledger.of(afresh.events).facts()), world.now))


@given(histories(), st.sampled_from(("ana", "bo", "kit")))
def test_nothing_of_mine_wants_my_acknowledgement_and_keys_are_unique(history: Arrivals, me: str) -> None:
    world = World()
    events = events_of(world, history.acts, repository=REPOSITORY_ID)
    for place in history.order:
        world.store(events[place])
    snapshot = world.snapshot(me=me)
    assert snapshot.me is not None
    groups = triage(snapshot, world.now)
    keys = [item.key for group in groups for item in group.items]
    assert len(set(keys)) == len(keys)
    for group in groups:
        for item in group.items:
            event = snapshot.by_id[item.event_id].event
            assert event is not None
            if group.reason in (Reason.UNACKNOWLEDGED, Reason.OVERLAP, Reason.REPAIR):
                assert event.sender.identity_id != snapshot.me.identity_id
            if group.reason in (Reason.EXPIRY, Reason.FORK):
                assert event.sender.identity_id == snapshot.me.identity_id
