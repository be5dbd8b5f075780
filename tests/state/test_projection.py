"""Facts from events heard: threads, presence reports, declarations, citations, forks (§4, §5, §8)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from corr_tui.protocol.records import Record
from corr_tui.state.facts import ReportState, ThreadState
from corr_tui.state.projection import facts, facts_of, strongest
from corr_tui.state.snapshot import Heard, Snapshot, Verdict, instant
from tests.correspondents import World, uuid

ANA, BO, KIT = uuid(2, 1), uuid(2, 2), uuid(2, 3)


def judged(snapshot: Snapshot, number: int, verdict: Verdict) -> tuple[Heard, ...]:
    """The events with another verdict on one of them; numbers begin at 1."""
    events = list(snapshot.events)
    events[number - 1] = replace(events[number - 1], verdict=verdict)
    return tuple(events)


def test_a_thread_has_its_count_its_last_receipt_and_the_words_of_its_first_intent() -> None:
    world = World()
    world.say("ana", "progress", summary="begun", thread="task:1")
    world.say("ana", "intent", summary="retries", thread="task:1")
    world.say("bo", "intent", summary="other words", thread="task:1")
    thread = facts_of(world.snapshot().events).threads["task:1"]
    assert (thread.count, thread.last_seq, thread.words) == (3, 3, "retries")
    assert thread.state is ThreadState.OPEN


def test_facts_of_the_same_events_are_computed_once() -> None:
    events = World().snapshot().events
    assert facts_of(events) is facts_of(events)


def test_a_close_stands_until_somebody_works_on() -> None:
    world = World()
    intent = world.say("ana", "intent", summary="retries")
    closed = world.say("ana", "close")
    world.say("bo", "ack.seen", target=intent)
    world.say("bo", "observation", summary="it works")
    thread = facts_of(world.snapshot().events).threads["task:42"]
    assert (thread.state, thread.by, thread.event_id) == (ThreadState.CLOSED, ANA, closed.event.event_id)
    world.say("bo", "progress", summary="one thing more")
    assert facts_of(world.snapshot().events).threads["task:42"].state is ThreadState.OPEN


def test_a_handoff_stands_until_somebody_works_on() -> None:
    world = World()
    world.say("ana", "handoff", summary="half done", next_safe_action="run the tests")
    assert facts_of(world.snapshot().events).threads["task:42"].state is ThreadState.HANDED_OFF
    world.say("bo", "claim.open", claim_id=uuid(6, 1), expires_in=60)
    assert facts_of(world.snapshot().events).threads["task:42"].state is ThreadState.OPEN


def test_only_a_resume_by_the_same_identity_that_cites_the_very_event_ends_a_pause() -> None:
    """§5: resume cites the pause or rest it ends."""
    world = World()
    first = world.say("kit", "pause", thread="task:1")
    second = world.say("kit", "rest", thread="task:2")
    world.say("ana", "resume", target=first, thread="task:1")
    assert facts_of(world.snapshot().events).threads["task:1"].state is ThreadState.PAUSED
    world.say("kit", "resume", target=second, thread="task:2")
    known = facts_of(world.snapshot().events)
    assert known.threads["task:1"].state is ThreadState.PAUSED
    assert known.threads["task:2"].state is ThreadState.OPEN
    assert known.reports[KIT].state is ReportState.PAUSED
    world.say("kit", "resume", target=first, thread="task:1")
    known = facts_of(world.snapshot().events)
    assert known.threads["task:1"].state is ThreadState.OPEN
    assert known.reports[KIT].state is ReportState.RESUMED


def test_work_after_a_pause_does_not_resume_it() -> None:
    world = World()
    world.say("kit", "pause")
    world.say("kit", "progress", summary="a little")
    assert facts_of(world.snapshot().events).reports[KIT].state is ReportState.PAUSED


def test_an_until_that_passes_ends_nothing() -> None:
    """Honesty 6: passed is not resumed."""
    world = World()
    until = instant(world.now + timedelta(minutes=5))
    world.say("kit", "rest", until=until)
    report = facts_of(world.snapshot().events).reports[KIT]
    assert not report.passed(None)
    assert not report.passed(instant(world.now))
    assert report.passed(until)
    assert report.state is ReportState.RESTING
    assert facts_of(world.snapshot().events).threads["task:42"].state is ThreadState.RESTING


def test_a_later_pause_in_the_same_thread_takes_the_place_of_the_one_before() -> None:
    world = World()
    world.say("kit", "pause")
    rest = world.say("kit", "rest")
    world.say("kit", "resume", target=rest)
    assert facts_of(world.snapshot().events).reports[KIT].state is ReportState.RESUMED


def test_a_refusal_is_a_report_and_a_pause_that_stands_comes_before_it() -> None:
    world = World()
    world.say("ana", "refusal")
    assert facts_of(world.snapshot().events).reports[ANA].state is ReportState.DECLINED
    world.say("ana", "pause")
    world.say("ana", "refusal")
    assert facts_of(world.snapshot().events).reports[ANA].state is ReportState.PAUSED


def test_an_event_that_is_not_proved_counts_in_its_thread_and_drives_no_state() -> None:
    world = World()
    intent = world.say("ana", "intent", summary="retries")
    for kind in ("pause", "close"):
        world.say("kit", kind)
    world.say("bo", "ack.seen", target=intent)
    snapshot = world.snapshot()
    for number in (2, 3, 4):
        snapshot = replace(snapshot, events=judged(snapshot, number, Verdict.NO_KEY))
    known = facts(snapshot)
    assert known.threads["task:42"].count == 4
    assert known.threads["task:42"].state is ThreadState.OPEN
    assert KIT not in known.reports
    assert not known.declared


def test_an_event_under_a_key_revoked_since_still_counts() -> None:
    world = World()
    world.say("kit", "pause")
    snapshot = world.snapshot()
    assert facts_of(judged(snapshot, 1, Verdict.KEY_REVOKED)).reports[KIT].state is ReportState.PAUSED


def test_each_acknowledgement_is_declared_by_itself_and_the_furthest_is_known() -> None:
    """§5: seen, understood, accepted, applied are separate declarations; rejected is none of the steps."""
    world = World()
    offer = world.say("ana", "artifact.offer", artifact={"kind": "git_commit", "revision": "a" * 40})
    world.say("bo", "ack.accepted", target=offer)
    world.say("bo", "ack.seen", target=offer)
    world.say("kit", "ack.rejected", target=offer)
    said = facts_of(world.snapshot().events).declared[offer.event.event_id]
    assert [(each.kind, each.identity_id) for each in said] == [
        ("ack.accepted", BO),
        ("ack.seen", BO),
        ("ack.rejected", KIT),
    ]
    assert {who: each.kind for who, each in strongest(said).items()} == {BO: "ack.accepted"}


def test_cited_by_names_events_other_than_acknowledgements() -> None:
    world = World()
    intent = world.say("ana", "intent", summary="retries")
    world.say("bo", "ack.seen", target=intent)
    repair = world.say("bo", "repair", targets=(intent,), summary="not so")
    known = facts_of(world.snapshot().events)
    assert known.cited_by[intent.event.event_id] == (repair.event.event_id,)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(3)))
def test_a_fork_has_its_events_in_the_order_of_their_ids_whatever_came_first(order: list[int]) -> None:
    """§4: a session fork is kept, and no time chooses."""
    world = World()
    events = [world.event("zed", "observation", summary=str(number), seq=7) for number in range(3)]
    for place in order:
        world.store(events[place])
    (found,) = facts_of(world.snapshot().events).forks.values()
    assert found == tuple(sorted(event.event_id for event in events))


def pair(world: World) -> tuple[Record, Record]:
    return world.say("zed", "observation", summary="passes"), world.say("zed", "observation", summary="fails")


def raised(world: World) -> set[str]:
    return set(facts_of(world.snapshot().events).raised)


def test_a_raised_conflict_stands_until_a_resolution_cites_it() -> None:
    """§5: conflict.resolve reports a reconciliation of what it cites."""
    world = World()
    events = pair(world)
    said = world.say("lin", "conflict.raise", targets=events)
    assert facts_of(world.snapshot().events).raised == {
        said.event.event_id: tuple(each.event.event_id for each in events)
    }
    world.say("maya", "repair", targets=(said,), summary="cited by another kind")
    world.say("maya", "ack.seen", target=said)
    assert raised(world) == {said.event.event_id}
    world.say("maya", "conflict.resolve", targets=(said,), summary="both hold")
    assert not raised(world)


def test_a_resolution_of_all_targets_resolves_what_was_raised_before_it_only() -> None:
    world = World()
    one, other = pair(world)
    third = world.say("ana", "observation", summary="neither")
    first = world.say("lin", "conflict.raise", targets=(one, other))
    world.say("maya", "conflict.resolve", targets=(other,), summary="one of two")
    wider = world.say("bo", "conflict.raise", targets=(other, one, third))
    assert raised(world) == {first.event.event_id, wider.event.event_id}
    world.say("maya", "conflict.resolve", targets=(other, one), summary="both")
    assert raised(world) == {wider.event.event_id}
    again = world.say("lin", "conflict.raise", targets=(one, other))
    assert raised(world) == {wider.event.event_id, again.event.event_id}


def test_a_resolution_received_before_the_raise_it_cites_resolves_it() -> None:
    """§4: a parent may arrive after its child."""
    world = World()
    late = world.event("lin", "conflict.raise", targets=pair(world))
    world.say("maya", "conflict.resolve", targets=(late,), summary="both hold")
    world.store(late)
    assert not raised(world)


def test_neither_raise_nor_resolution_counts_unless_it_is_proved() -> None:
    world = World()
    said = world.say("lin", "conflict.raise", targets=pair(world))
    world.say("maya", "conflict.resolve", targets=(said,), summary="both hold")
    snapshot = world.snapshot()
    assert not facts_of(judged(snapshot, 3, Verdict.NO_KEY)).raised
    assert set(facts_of(judged(snapshot, 4, Verdict.NO_KEY)).raised) == {said.event.event_id}


def test_a_refusal_stands_in_its_thread_until_its_sender_works_there_all_the_same() -> None:
    """§5: it declines, and asks no reason; nobody else is spoken for."""
    world = World()
    world.say("ana", "intent", summary="words")
    refusal = world.say("zed", "refusal")
    world.say("ana", "progress", summary="on")
    thread = facts_of(world.snapshot().events).threads["task:42"]
    assert (thread.state, thread.event_id) == (ThreadState.REFUSED, refusal.event.event_id)
    assert thread.ended is None
    world.say("zed", "progress", summary="after all")
    thread = facts_of(world.snapshot().events).threads["task:42"]
    assert (thread.state, thread.reports) == (ThreadState.OPEN, ())


def test_a_pause_is_ended_only_by_a_resume_that_cites_it() -> None:
    """§5; honesty 6."""
    world = World()
    first = world.say("kit", "pause")
    other = world.say("lin", "pause")
    world.say("kit", "resume", target=other)
    reports = facts_of(world.snapshot().events).threads["task:42"].reports
    assert [each.event_id for each in reports] == [first.event.event_id, other.event.event_id]
    world.say("kit", "progress", summary="here all the same")
    assert len(facts_of(world.snapshot().events).threads["task:42"].reports) == 2
    world.say("kit", "resume", target=first)
    reports = facts_of(world.snapshot().events).threads["task:42"].reports
    assert [each.event_id for each in reports] == [other.event.event_id]


def test_repairs_and_resolutions_are_told_of_the_events_they_cite() -> None:
    """§8: they append, and change nothing."""
    world = World()
    pair = [world.say(who, "intent", summary=who) for who in ("ana", "bo")]
    repair = world.say("bo", "repair", targets=pair[1:], summary="better")
    resolve = world.say("lin", "conflict.resolve", targets=pair, summary="both")
    known = facts_of(world.snapshot().events).amended
    assert [each.event_id for each in known[pair[1].event.event_id]] == [repair.event.event_id, resolve.event.event_id]
    assert [each.kind for each in known[pair[0].event.event_id]] == ["conflict.resolve"]


def test_a_repair_that_is_not_proved_amends_nothing() -> None:
    world = World()
    said = world.say("ana", "intent", summary="words")
    world.say("zed", "repair", targets=[said], summary="worse")
    events = world.snapshot().events
    doubted = (events[0], replace(events[1], verdict=Verdict.MISMATCH))
    assert not facts_of(doubted).amended
