"""Conflicts visible in a Snapshot, without a preferred side (§4, §6, §8; experience: honesty 3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corr_tui.protocol.records import read_claims
from corr_tui.state.conflicts import Conflict, ConflictKind, conflicts
from corr_tui.state.snapshot import History, Link, LinkState, Projection, ProjectionState, Snapshot
from corr_tui.state.standing import Standing, claims_standing, claims_view, conflicts_standing, standing
from tests.correspondents import World, claim, uuid

UNKNOWN = "sha256:" + "9d02" * 16


def found(snapshot: Snapshot, kind: ConflictKind) -> list[Conflict]:
    return [each for each in conflicts(snapshot) if each.kind is kind]


def test_branches_list_every_tip_by_event_id() -> None:
    """§6: branches are exposed, and none is picked by generation or receipt."""
    world = World()
    root = world.say("kit", "claim.open", claim_id=claim(1), expires_in=600, paths=["docs"])
    tips = [world.say("kit", "claim.renew", predecessor=root, expires_in=700 + each, device=each) for each in (1, 2)]
    (branches,) = found(world.snapshot(), ConflictKind.BRANCHES)
    assert branches.event_ids == tuple(sorted(tip.event.event_id for tip in tips))
    assert branches.paths == ("docs",)
    assert [side.generation for side in branches.sides] == [2, 2]
    assert not found(world.snapshot(), ConflictKind.OVERLAP), "two tips of one claim are no overlap besides"


def test_colliding_roots_of_two_identities_compete() -> None:
    """§6: two opens of one claim_id are distinct colliding roots."""
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=600, paths=["docs"])
    world.say("bo", "claim.open", claim_id=claim(1), expires_in=600, paths=["docs"])
    (branches,) = found(world.snapshot(), ConflictKind.BRANCHES)
    assert set(branches.identities) == {uuid(2, 1), uuid(2, 2)}
    assert all(side.root for side in branches.sides)


def test_a_released_sibling_is_still_a_side() -> None:
    """§6: competing tips include released ones."""
    world = World()
    root = world.say("kit", "claim.open", claim_id=claim(1), expires_in=600)
    world.say("kit", "claim.renew", predecessor=root, expires_in=700)
    released = world.say("kit", "claim.release", predecessor=root)
    (branches,) = found(world.snapshot(), ConflictKind.BRANCHES)
    assert released.event.event_id in branches.event_ids


def test_an_overlap_comes_from_the_service_with_its_paths() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=600, paths=["src/api"])
    world.say("bo", "claim.open", claim_id=claim(2), expires_in=600, paths=["src/api/client"], thread="task:7")
    (overlap,) = found(world.snapshot(), ConflictKind.OVERLAP)
    assert overlap.paths == ("src/api",)
    assert overlap.threads == {"task:42", "task:7"}
    assert overlap.event_ids == tuple(sorted(overlap.event_ids))


def test_a_fork_older_than_the_voice_looks_is_found_among_the_events_here() -> None:
    world = World()
    for words in ("passes", "fails"):
        world.say("zed", "observation", summary=words, seq=7)
    snapshot = world.snapshot()
    assert snapshot.projection.voice is not None
    silent = replace(snapshot, projection=Projection())
    assert found(silent, ConflictKind.FORK) == found(snapshot, ConflictKind.FORK)
    assert found(silent, ConflictKind.FORK)[0].session_seq == 7


def test_a_missing_parent_is_a_conflict_until_it_arrives() -> None:
    """§4: currently missing parents are exposed until they arrive."""
    world = World()
    late = world.event("bo", "intent", summary="late")
    child = world.say("ana", "observation", summary="early", parents=(late, UNKNOWN))
    (missing,) = found(world.snapshot(), ConflictKind.MISSING)
    assert missing.event_ids == (child.event.event_id,)
    assert missing.missing == tuple(sorted((late.event_id, UNKNOWN)))
    before = world.snapshot()
    world.store(late)
    (missing,) = found(replace(world.snapshot(), projection=before.projection), ConflictKind.MISSING)
    assert missing.missing == (UNKNOWN,), "a voice from before the arrival does not bring it back"


def test_kinds_and_ids_order_conflicts_whatever_came_first() -> None:
    world = World()
    for number in range(4):
        world.say("ana", "observation", summary=str(number), parents=(f"sha256:{number:064x}",))
        world.say("zed", "observation", summary=str(number), seq=7)
    listed = conflicts(world.snapshot())
    assert [each.kind for each in listed] == [ConflictKind.FORK, *[ConflictKind.MISSING] * 4]
    assert [each.event_ids for each in listed[1:]] == sorted(each.event_ids for each in listed[1:])


def test_a_loading_or_complete_or_truncated_voice_is_worth_what_it_says() -> None:
    """§6: absence means something only when complete."""
    complete = World().snapshot()
    assert standing(replace(complete, projection=Projection())) is Standing.LOADING
    assert standing(complete) is Standing.COMPLETE
    assert standing(World().snapshot("truncated")) is Standing.TRUNCATED
    doubtful = replace(complete, projection=replace(complete.projection, state=ProjectionState.TRUNCATED))
    assert standing(doubtful) is Standing.TRUNCATED


@pytest.mark.parametrize("state", [LinkState.OFFLINE, LinkState.UNAUTHORIZED])
def test_a_view_that_cannot_be_asked_for_again_is_the_last_good_one(state: LinkState) -> None:
    """Honesty 1: no connection keeps the last good view."""
    cut_off = replace(World().snapshot(), link=Link(state))
    assert standing(cut_off) is Standing.LAST_GOOD
    assert standing(replace(cut_off, projection=Projection())) is Standing.UNAVAILABLE


@pytest.mark.parametrize("state", [LinkState.LIVE, LinkState.POLLING, LinkState.RECONNECTING, LinkState.CONNECTING])
def test_a_link_that_can_ask_says_nothing_about_the_view(state: LinkState) -> None:
    snapshot = replace(World().snapshot(), link=Link(state))
    assert standing(snapshot) is Standing.COMPLETE
    away = replace(snapshot, projection=replace(snapshot.projection, state=ProjectionState.UNAVAILABLE))
    assert standing(away) is Standing.LAST_GOOD


def with_claims(world: World, status: str) -> Snapshot:
    """A truncated voice beside the claims' own projection."""
    snapshot = world.snapshot("truncated")
    voice = world.voice("complete")
    claims = read_claims(
        {
            "evaluated_at": voice["evaluated_at"],
            "cursor": voice["cursor"],
            "projection_status": status,
            "truncated": status != "complete",
            "claims": voice["active_claims"],
        }
    )
    return replace(snapshot, projection=replace(snapshot.projection, claims=claims))


def test_claims_are_complete_by_their_own_projection_though_the_voice_is_truncated() -> None:
    """§7.1: past fifty events a voice is truncated, which says nothing about the claims."""
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=600)
    snapshot = with_claims(world, "complete")
    assert standing(snapshot) is Standing.TRUNCATED
    assert claims_standing(snapshot) is Standing.COMPLETE
    assert claims_view(snapshot) is snapshot.projection.claims
    assert claims_standing(with_claims(world, "truncated")) is Standing.TRUNCATED
    assert claims_standing(World().snapshot("truncated")) is Standing.TRUNCATED


def test_conflicts_are_complete_with_complete_claims_and_history_only() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=600)
    snapshot = with_claims(world, "complete")
    assert conflicts_standing(snapshot) is Standing.COMPLETE
    assert conflicts_standing(replace(snapshot, history=History("1"))) is Standing.TRUNCATED
    assert conflicts_standing(with_claims(world, "truncated")) is Standing.TRUNCATED


def test_conflicts_the_service_names_are_shown_before_their_events_are_here() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=600, paths=["src"])
    world.say("bo", "claim.open", claim_id=claim(2), expires_in=600, paths=["src"])
    for words in ("passes", "fails"):
        world.say("zed", "observation", summary=words, seq=7)
    early = replace(world.snapshot(), events=(), by_id={}, history=History())
    overlap, fork = found(early, ConflictKind.OVERLAP)[0], found(early, ConflictKind.FORK)[0]
    assert set(overlap.identities) == {uuid(2, 1), uuid(2, 2)}
    assert overlap.threads == {"task:42"}
    assert fork.identities == (uuid(2, 6),)
    assert fork.threads == frozenset()


def test_a_raised_conflict_names_its_targets_by_event_id_and_who_raises_it() -> None:
    """§5: conflict.raise, shown without a preferred side."""
    world = World()
    pair = [world.say("zed", "observation", summary=words, thread="task:39") for words in ("passes", "fails")]
    first = world.say("lin", "conflict.raise", targets=tuple(reversed(pair)), thread="task:40")
    second = world.say("maya", "conflict.raise", targets=tuple(pair), thread="task:40")
    listed = found(world.snapshot(), ConflictKind.RAISED)
    assert [each.raised_by for each in listed] == sorted(each.event.event_id for each in (first, second))
    assert {each.event_ids for each in listed} == {tuple(sorted(each.event.event_id for each in pair))}
    assert len({each.key for each in listed}) == 2
    assert listed[0].threads == {"task:39", "task:40"}


def test_conflicts_are_known_with_the_history_only() -> None:
    """§6: absence means something only when complete; a voice does not name what was raised."""
    snapshot = World().snapshot()
    assert standing(snapshot) is conflicts_standing(snapshot) is Standing.COMPLETE
    assert conflicts_standing(replace(snapshot, history=History("1"))) is Standing.LOADING


def test_the_sides_of_an_overlap_have_the_paths_that_overlap() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=600, paths=["docs", "src/api", "src/ui"])
    world.say("bo", "claim.open", claim_id=claim(2), expires_in=600, paths=["src", "tools"])
    (overlap,) = found(world.snapshot(), ConflictKind.OVERLAP)
    assert {side.identity_id: side.paths for side in overlap.sides} == {
        uuid(2, 1): ("src/api", "src/ui"),
        uuid(2, 2): ("src",),
    }
