"""The claims of a whole history: branches, how each event stands, and independence from the order of coming (§6)."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest

from corr_tui.protocol.records import Receipt, Record
from corr_tui.state.claimed import ClaimHistory, NodeState, claim_histories
from corr_tui.state.projection import facts_of
from corr_tui.state.snapshot import Heard, Verdict, instant
from tests.correspondents import World, claim

ABSENT = "sha256:" + "9d02" * 16


def docs() -> tuple[World, dict[str, Record]]:
    """One claim of every state there is."""
    world, said = World(), {}
    say = world.say
    said["opened"] = say("kit", "claim.open", paths=["docs"], claim_id=claim(1), expires_in=900)
    said["second"] = say("kit", "claim.renew", predecessor=said["opened"], expires_in=4000)
    said["live"] = say("kit", "claim.renew", predecessor=said["second"], expires_in=5000)
    said["other"] = say("kit", "claim.renew", predecessor=said["second"], expires_in=5000, device=2)
    said["phone"] = say("kit", "claim.renew", predecessor=said["opened"], expires_in=3000, device=3)
    said["released"] = say("kit", "claim.release", predecessor=said["phone"], device=3)
    said["expired"] = say("kit", "claim.renew", predecessor=said["opened"], expires_in=60, device=4)
    said["invalid"] = say("kit", "claim.renew", predecessor=said["live"], paths=["src"], expires_in=5000, device=2)
    pending = {"predecessor_event_id": ABSENT, "claim_id": claim(1), "generation": 4}
    said["pending"] = say("kit", "claim.renew", paths=["docs"], expires_in=5000, **pending)
    return world, said


def history(world: World, heard: list[Heard] | None = None) -> ClaimHistory:
    return claim_histories(facts_of(tuple(heard or world.snapshot().events)))[claim(1)]


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("opened", NodeState.RENEWED),
        ("second", NodeState.RENEWED),
        ("live", NodeState.LIVE),
        ("other", NodeState.LIVE),
        ("phone", NodeState.ENDED),
        ("released", NodeState.RELEASED),
        ("expired", NodeState.EXPIRED),
        ("invalid", NodeState.INVALID),
        ("pending", NodeState.PENDING),
    ],
)
def test_every_event_about_a_claim_stands_as_the_rules_say(name: str, state: NodeState) -> None:
    """§6"""
    world, said = docs()
    now = instant(world.now + timedelta(seconds=120))
    assert history(world).nodes[said[name].event.event_id].state(now) is state


def test_branches_are_tips_and_what_is_not_valid_by_event_id() -> None:
    """§6: several tips of one claim are a conflict, and none of them is preferred"""
    world, said = docs()
    ends = {said[name].event.event_id for name in ("live", "other", "released", "expired", "invalid", "pending")}
    found = [node.claim.event_id for node in history(world).branches]
    assert found == sorted(ends)


def test_a_path_begins_at_the_first_event_at_hand() -> None:
    world, said = docs()
    ids = {name: record.event.event_id for name, record in said.items()}
    known = history(world)
    assert [node.claim.event_id for node in known.path(ids["live"])] == [ids["opened"], ids["second"], ids["live"]]
    assert [node.claim.event_id for node in known.path(ids["pending"])] == [ids["pending"]]
    assert known.path(ABSENT) == ()


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_coming_changes_nothing(seed: int) -> None:
    """§6"""
    world, _ = docs()
    heard = list(world.snapshot().events)
    now = instant(world.now + timedelta(seconds=120))
    expected = {event_id: node.state(now) for event_id, node in history(world).nodes.items()}
    order = heard[:]
    Random(seed).shuffle(order)
    numbered = [Heard(_numbered(each.record, place), Verdict.VERIFIED) for place, each in enumerate(order, 1)]
    assert {event_id: node.state(now) for event_id, node in history(world, numbered).nodes.items()} == expected


def _numbered(record: Record, number: int) -> Record:
    return Record(record.event, Receipt(str(number), record.receipt.received_at), (), record.lineage_status)


def test_what_is_not_proved_is_no_claim_here() -> None:
    """§3: nothing unproved affects a projection"""
    world, said = docs()
    heard = [
        Heard(each.record, Verdict.NO_KEY if each.event_id == said["other"].event.event_id else each.verdict)
        for each in world.snapshot().events
    ]
    assert said["other"].event.event_id not in history(world, heard).nodes
