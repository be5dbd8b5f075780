"""The projection computed here, what it is worth, and in what the service's differs (§3, §6, §7.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from corr_tui.protocol.records import Claims, Voice
from corr_tui.state.beside import beside
from corr_tui.state.computed import MAX_CLAIMS
from corr_tui.state.conflicts import ConflictKind, conflicts
from corr_tui.state.differences import _short
from corr_tui.state.ledger import Ledger
from corr_tui.state.snapshot import Clock, Heard, History, LinkState, ProjectionState, Snapshot, Verdict, instant
from corr_tui.state.standing import Standing, claims_standing, claims_view, conflicts_standing, standing
from tests.client.answering import json_answer
from tests.correspondents import World, claim
from tests.state.fake_service import FakeService, unavailable

VOICE = "/v1/correspondence/voice"
CLAIMS = "/v1/correspondence/claims"


def shown(world: World, verdicts: dict[int, Verdict] | None = None, voice: object = None) -> Snapshot:
    """A snapshot of everything, with what is computed of it; numbers of verdicts begin at 1."""
    snapshot = world.snapshot()
    events = tuple(
        replace(each, verdict=(verdicts or {}).get(each.record.seq, each.verdict)) for each in snapshot.events
    )
    snapshot = replace(snapshot, events=events, by_id={each.event_id: each for each in events})
    if isinstance(voice, Voice):
        snapshot = replace(snapshot, projection=replace(snapshot.projection, voice=voice))
    return beside(snapshot, Ledger.of(events), 0.0)


def down(snapshot: Snapshot) -> Snapshot:
    """The same while the service cannot calculate its projection, and never could."""
    gone = replace(snapshot.projection, state=ProjectionState.UNAVAILABLE, voice=None, error="503")
    return replace(snapshot, projection=gone)


def contested() -> World:
    """Two claims that overlap, one of them with two branches, and a fork."""
    world = World()
    opened = world.say("ana", "claim.open", claim_id=claim(1), paths=["src"], expires_in=60)
    world.say("ana", "claim.renew", predecessor=opened, expires_in=90)
    world.say("ana", "claim.renew", predecessor=opened, expires_in=120)
    world.say("bo", "claim.open", claim_id=claim(2), paths=["src/api"], expires_in=60)
    world.say("kit", "intent", summary="one", seq=5)
    world.say("kit", "intent", summary="other", seq=5)
    return world


def test_what_is_computed_is_what_the_service_says_and_nothing_differs() -> None:
    snapshot = shown(contested())
    assert snapshot.computed
    assert snapshot.projection.voice
    assert snapshot.computed.claims.claims == snapshot.projection.voice.active_claims
    assert snapshot.computed.conflicts == snapshot.projection.voice.conflicts
    assert snapshot.differs == ()


def test_it_stands_where_the_service_cannot_calculate_and_the_history_is_whole() -> None:
    snapshot = shown(contested())
    assert claims_standing(snapshot) is Standing.COMPLETE
    cut = down(snapshot)
    assert (claims_standing(cut), conflicts_standing(cut)) == (Standing.COMPUTED, Standing.COMPUTED)
    assert standing(cut) is Standing.UNAVAILABLE
    assert snapshot.computed
    assert claims_view(cut) is snapshot.computed.claims
    assert conflicts(cut) == conflicts(snapshot)
    assert {each.kind for each in conflicts(cut)} >= {ConflictKind.BRANCHES, ConflictKind.OVERLAP, ConflictKind.FORK}


@pytest.mark.parametrize("link", [LinkState.OFFLINE, LinkState.UNAUTHORIZED, LinkState.HELD])
def test_it_stands_where_the_link_does_not_ask(link: LinkState) -> None:
    snapshot = shown(contested())
    snapshot = replace(snapshot, link=replace(snapshot.link, state=link))
    assert claims_standing(snapshot) is Standing.COMPUTED


def test_with_part_of_the_history_the_last_good_view_stays_or_none() -> None:
    """§6: absence says nothing without the whole."""
    world = contested()
    events = world.snapshot().events
    part = replace(world.snapshot(), history=History("6", complete=False))
    part = beside(part, Ledger.of(events), 0.0)
    assert claims_standing(down(part)) is Standing.UNAVAILABLE
    assert claims_view(down(part)) is None
    last_good = replace(part, projection=replace(part.projection, state=ProjectionState.UNAVAILABLE))
    assert claims_standing(last_good) is Standing.LAST_GOOD


def test_a_claim_under_a_key_revoked_since_counts_section_3() -> None:
    """A revocation does not undo what was accepted."""
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    computed = shown(world, {1: Verdict.KEY_REVOKED}).computed
    assert computed
    assert len(computed.claims.claims) == 1
    assert computed.complete


@pytest.mark.parametrize("verdict", [Verdict.NO_KEY, Verdict.KEY_CHANGED])
def test_a_claim_that_no_known_key_proves_does_not_count_and_absence_says_nothing_section_3(verdict: Verdict) -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    snapshot = shown(world, {1: verdict})
    assert snapshot.computed
    assert snapshot.computed.claims.claims == ()
    assert snapshot.computed.claims.projection_status == "truncated"
    assert not snapshot.computed.complete
    assert snapshot.differs == ()
    assert claims_standing(down(snapshot)) is Standing.UNAVAILABLE


def test_unproved_words_leave_the_claims_complete() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    world.say("zed", "intent", summary="words")
    computed = shown(world, {2: Verdict.NO_KEY}).computed
    assert computed
    assert computed.complete


def test_a_forged_claim_never_counts_and_a_service_that_shows_it_is_said_to_differ_section_3() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    snapshot = shown(world, {1: Verdict.MISMATCH})
    assert snapshot.computed
    assert snapshot.computed.claims.claims == ()
    assert snapshot.computed.complete
    assert snapshot.differs == ("claim 0000… is live at the service and not here",)


def test_expiry_is_computed_on_the_service_s_clock_section_6() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    events = world.snapshot().events
    for seconds, live in ((0.0, 1), (58.999, 1), (59.0, 0)):  # the claim was signed a second before its receipt
        snapshot = beside(world.snapshot(), Ledger.of(events), seconds)
        assert snapshot.computed
        assert len(snapshot.computed.claims.claims) == live
    unknown = beside(replace(world.snapshot(), clock=Clock()), Ledger.of(events), 10_000.0)
    assert unknown.computed
    assert len(unknown.computed.claims.claims) == 1


def test_what_passed_is_part_of_when_it_was_evaluated_section_6() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    ledger = Ledger.of(world.snapshot().events)
    received_at, expires_at = instant(world.now), instant(world.now + timedelta(seconds=59))
    assert ledger.computed(received_at, "1", complete=True).claims.evaluated_at == received_at
    later = instant(world.now + timedelta(seconds=500))
    assert ledger.computed(later, "1", complete=True).claims.evaluated_at == expires_at


def test_nothing_is_computed_of_nothing() -> None:
    claims = Ledger().computed("2026-05-14T13:00:00.000Z", None, complete=True).claims
    assert (claims.evaluated_at, claims.cursor, claims.claims) == ("1970-01-01T00:00:00.000Z", None, ())


def test_more_claims_than_the_bound_are_truncated_here_too_section_6() -> None:
    world = World()
    for number in range(MAX_CLAIMS + 1):
        world.say("ana", "claim.open", claim_id=claim(number), paths=[f"p{number}"], expires_in=9000)
    ledger = Ledger.of(Heard(record, Verdict.LISTED) for record in world.records)
    claims = ledger.computed(instant(world.now), "129", complete=True).claims
    assert len(claims.claims) == MAX_CLAIMS
    assert claims.projection_status == "truncated"


Change = Callable[[Voice], Voice]


def without_claim(voice: Voice) -> Voice:
    return msgspec.structs.replace(voice, active_claims=voice.active_claims[1:])


def with_expiry(voice: Voice) -> Voice:
    first = msgspec.structs.replace(voice.active_claims[0], expires_at="2027-01-01T00:00:00.000Z")
    return msgspec.structs.replace(voice, active_claims=(first, *voice.active_claims[1:]))


def peaceful(voice: Voice) -> Voice:
    calm = tuple(
        msgspec.structs.replace(each, conflicted=False, competing_event_ids=()) for each in voice.active_claims
    )
    return msgspec.structs.replace(voice, active_claims=calm)


def without(name: str) -> Change:
    def change(voice: Voice) -> Voice:
        return msgspec.structs.replace(voice, conflicts=msgspec.structs.replace(voice.conflicts, **{name: ()}))

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without_claim, ("claim 0000… is live here and not at the service",)),
        (with_expiry, ("claim 0000… has another expiry at the service",)),
        (peaceful, ("claim 0000… has competing branches here and not at the service (2 times)",)),
        (without("session_forks"), ("#5 and #6 stand at one place of a session here and not at the service",)),
    ],
)
def test_what_the_service_leaves_out_is_told(change: Change, words: tuple[str, ...]) -> None:
    world = contested()
    voice = world.snapshot().projection.voice
    assert voice
    assert shown(world, voice=change(voice)).differs == words


def test_overlaps_that_only_one_of_the_two_names_are_told() -> None:
    world = contested()
    voice = world.snapshot().projection.voice
    assert voice
    differs = shown(world, voice=without("overlapping_claims")(voice)).differs
    assert sorted(differs) == [
        "#2 and #3 overlap here and not at the service",
        "#2 and #4 overlap here and not at the service",
        "#3 and #4 overlap here and not at the service",
    ]


def test_a_parent_that_only_one_of_the_two_misses_is_told() -> None:
    world = World()
    late = world.event("ana", "intent", summary="words")
    world.say("bo", "progress", summary="words", parents=(late,))
    voice = world.snapshot().projection.voice
    assert voice
    assert shown(world, voice=without("missing_parents")(voice)).differs == (
        "#1 misses a parent here and not at the service",
    )
    world.store(late)
    still = msgspec.structs.replace(world.snapshot().projection.voice or voice, conflicts=voice.conflicts)
    assert shown(world, voice=still).differs == ("#1 misses a parent at the service that is known here",)


def test_a_truncated_projection_is_not_blamed_for_what_it_may_leave_out_section_6() -> None:
    """Lineage that is still to be settled explains it."""
    world = contested()
    voice = world.snapshot().projection.voice
    assert voice
    partial = msgspec.structs.replace(without_claim(voice), truncated=True, projection_status="truncated")
    assert shown(world, voice=partial).differs == ()
    altered = msgspec.structs.replace(with_expiry(voice), truncated=True, projection_status="truncated")
    assert shown(world, voice=altered).differs == ("claim 0000… has another expiry at the service",)


def test_claims_read_by_themselves_are_compared_where_the_voice_is_truncated() -> None:
    world = contested()
    snapshot = world.snapshot()
    voice = snapshot.projection.voice
    assert voice
    partial = msgspec.structs.replace(voice, truncated=True, projection_status="truncated")
    claims = Claims(voice.evaluated_at, voice.cursor, "complete", False, voice.active_claims[1:])
    projection = replace(snapshot.projection, state=ProjectionState.TRUNCATED, voice=partial, claims=claims)
    told = beside(replace(snapshot, projection=projection), Ledger.of(snapshot.events), 0.0)
    assert told.differs == ("claim 0000… is live here and not at the service",)


def test_a_voice_of_other_events_is_not_compared() -> None:
    world = contested()
    before = world.snapshot().projection.voice
    world.say("bo", "claim.open", claim_id=claim(3), expires_in=60)
    assert before
    assert shown(world, voice=before).differs == ()


def test_a_great_many_differences_are_counted() -> None:
    world = World()
    for number in range(20):
        world.say("ana", "claim.open", claim_id=claim(number), paths=[f"p{number}"], expires_in=900)
    voice = world.snapshot().projection.voice
    assert voice
    differs = shown(world, voice=msgspec.structs.replace(voice, active_claims=())).differs
    assert len(differs) == 13
    assert differs[-1] == "and 8 more"


async def test_a_session_computes_what_the_service_cannot_section_6(tmp_path: Path) -> None:
    """The real service answers 503 on every projection while its events go on."""
    service = FakeService(contested())
    service.faults[VOICE] = service.faults[CLAIMS] = unavailable
    async with service.open(tmp_path) as session:
        await session.refresh()
        snapshot = session.snapshot
    claims = claims_view(snapshot)
    assert claims_standing(snapshot) is Standing.COMPUTED
    assert claims
    assert (claims.cursor, len(claims.claims)) == ("6", 3)
    assert {each.kind for each in conflicts(snapshot)} == {
        ConflictKind.BRANCHES,
        ConflictKind.OVERLAP,
        ConflictKind.FORK,
    }


async def test_a_session_says_in_what_the_service_differs(tmp_path: Path) -> None:
    service = FakeService(contested())
    lying = service.world.voice()
    lying["active_claims"] = [each for each in lying["active_claims"] if each["claim_id"] != claim(2)]
    service.faults[VOICE] = lambda request: json_answer(lying)
    async with service.open(tmp_path) as session:
        await session.refresh()
        differing = session.snapshot
        del service.faults[VOICE]
        await session.refresh()
        agreeing = session.snapshot
    assert differing.differs == ("claim 0000… is live here and not at the service",)
    assert agreeing.differs == ()


def test_claims_whose_names_begin_alike_are_told_apart() -> None:
    """Two differences never read the same unless they are."""
    ids = [f"00000006-0000-4000-8000-{number:012d}" for number in range(3)]
    words = [f"claim {each} is live here and not at the service" for each in (*ids, ids[0])]
    told = tuple(_short(words, set(ids)))
    assert len(set(told)) == 3
    assert told[0].endswith("(2 times)")
    assert tuple(_short(words[:1], set(ids))) == ("claim 0000… is live here and not at the service",)
