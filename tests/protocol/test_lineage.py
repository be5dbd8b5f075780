"""Claim lineage and branch tips as a pure function of a set of events and an instant (§6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import permutations
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.event import Event, Scope
from corr_tui.protocol.lineage import ClaimEvent, Lineage, claim_event, claim_key, continues, lineage, lineage_of
from tests.protocol.examples import LATER, signed

NOW = "2026-01-01T00:00:00.000Z"
PAST = "2025-12-31T23:59:59.999Z"
FUTURE = "2026-01-01T00:00:00.001Z"


def opened(name: str = "open", expires: str = FUTURE, **changes: Any) -> ClaimEvent:
    """A claim.open."""
    paths = changes.pop("paths", ["docs"])
    claim = ClaimEvent(
        event_id=name,
        project_id="project",
        repository_id="repository",
        thread_id="thread",
        identity_id="ana",
        device_id="device",
        session_id="session",
        claim_id="claim",
        generation=1,
        predecessor_event_id=None,
        expires_at=expires,
        scope=Scope(base_revision=None, branch=None, paths=paths),
    )
    return replace(claim, **changes)


def renewed(name: str, before: ClaimEvent, expires: str = FUTURE, **changes: Any) -> ClaimEvent:
    """A claim.renew of an event."""
    generation = before.generation + 1
    values: dict[str, Any] = {
        "event_id": name,
        "generation": generation,
        "predecessor_event_id": before.event_id,
        "expires_at": expires,
    }
    if "paths" in changes:
        values["scope"] = Scope(base_revision=None, branch=None, paths=changes.pop("paths"))
    return replace(before, **{**values, **changes})


def released(name: str, before: ClaimEvent, **changes: Any) -> ClaimEvent:
    """A claim.release of an event."""
    return replace(renewed(name, before, **changes), expires_at=None)


def known(*claims: ClaimEvent, ordinary: Iterable[str] = ()) -> Lineage:
    """The lineage of claim events."""
    return lineage_of({claim.event_id: claim for claim in claims}, set(ordinary))


def active(found: Lineage, now: str = NOW) -> list[str]:
    """The live tips by id."""
    return sorted(tip.event_id for tip in found.active(now))


OPEN = opened()


# Statuses.


def test_a_root_is_valid_and_a_chain_is_valid() -> None:
    """§6: a valid branch terminates at one claim.open of generation 1."""
    two = renewed("two", OPEN)
    found = known(OPEN, two, released("three", two))
    assert dict(found.statuses) == {"open": "valid", "two": "valid", "three": "valid"}
    assert found.status("somewhere else") == "not_applicable"


def test_an_unknown_predecessor_leaves_everything_after_it_pending() -> None:
    """§6: appended and replayable, never in the projection."""
    two = renewed("two", OPEN)
    three = renewed("three", two)
    found = known(three, two)
    assert dict(found.statuses) == {"two": "pending", "three": "pending"}
    assert active(found) == []
    assert found.competing(three) == ()


MISMATCHES: list[dict[str, Any]] = [
    {"project_id": "other"},
    {"repository_id": "other"},
    {"claim_id": "other"},
    {"identity_id": "bo"},
    {"generation": 1},
    {"generation": 3},
    {"paths": ["src"]},
    {"paths": ["docs", "src"]},
    {"paths": ["docs/a"]},
]


@pytest.mark.parametrize("mismatch", MISMATCHES)
@pytest.mark.parametrize("kind", [renewed, released])
def test_a_mismatch_is_invalid_and_never_active(kind: Callable[..., ClaimEvent], mismatch: dict[str, Any]) -> None:
    """§6: generation n-1 of the same project, repository, claim and identity, with the same set of paths."""
    two = kind("two", OPEN, **mismatch)
    assert not continues(two, OPEN)
    after = renewed("three", two)
    found = known(OPEN, two, after)
    assert dict(found.statuses) == {"open": "valid", "two": "invalid", "three": "invalid"}
    assert active(found) == ["open"]


@pytest.mark.parametrize(
    "change", [{"device_id": "other"}, {"session_id": "other"}, {"thread_id": "other"}, {"paths": ["docs"]}]
)
def test_devices_sessions_and_threads_may_change(change: dict[str, Any]) -> None:
    """§6: the identity stays; devices, sessions and keys may change."""
    assert known(OPEN, renewed("two", OPEN, **change)).status("two") == "valid"


def test_the_order_of_paths_has_no_lineage_meaning() -> None:
    """§6: the same unique set."""
    first = opened(paths=["a", "b", "c"])
    assert known(first, renewed("two", first, paths=["c", "a", "b"])).status("two") == "valid"


def test_a_release_has_no_continuation() -> None:
    """§6: a release ends its branch."""
    two = released("two", OPEN)
    found = known(OPEN, two, renewed("three", two), released("four", two))
    assert [found.status(name) for name in ("two", "three", "four")] == ["valid", "invalid", "invalid"]
    assert active(found) == []


def test_a_predecessor_that_is_no_claim_event_is_invalid() -> None:
    """§6: only a claim event can be generation n-1."""
    two = renewed("two", OPEN)
    assert known(two, ordinary=["open"]).status("two") == "invalid"
    assert known(two, renewed("three", two), ordinary=["open"]).status("three") == "invalid"


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_a_circle_of_forged_identifiers_is_invalid(length: int) -> None:
    """§6: a branch must terminate at an open; only forged identifiers can go round."""
    ring = [
        replace(OPEN, event_id=f"{n}", generation=n + 2, predecessor_event_id=f"{(n + 1) % length}")
        for n in range(length)
    ]
    tail = renewed("tail", ring[0])
    for order in permutations([*ring[:3], tail]):
        found = known(*order, *ring[3:])
        assert set(found.statuses.values()) == {"invalid"}
        assert not found.tips


# Tips.


def test_an_event_ceases_to_be_a_tip_only_by_a_valid_direct_child() -> None:
    """§6, rule 1."""
    assert active(known(OPEN)) == ["open"]
    assert active(known(OPEN, renewed("bad", OPEN, identity_id="bo"))) == ["open"]
    assert active(known(OPEN, renewed("two", OPEN))) == ["two"]


def test_a_release_deactivates_only_its_branch() -> None:
    """§6, rules 2 and 5; a lower generation stays beside a higher one."""
    left, right = renewed("left", OPEN), renewed("right", OPEN)
    found = known(OPEN, left, right, renewed("left3", left), released("right3", right), renewed("other", OPEN))
    assert active(found) == ["left3", "other"]
    tips = found.tips[claim_key(OPEN)]
    assert [tip.event_id for tip in tips] == ["left3", "other", "right3"]
    assert found.competing(tips[1]) == ("left3", "right3")


def test_expiry_is_strictly_later_than_now() -> None:
    """§6, rule 3: active only while `expires_at` is later than the clock."""
    assert active(known(opened(expires=FUTURE))) == ["open"]
    assert active(known(opened(expires=NOW))) == []
    assert active(known(opened(expires=PAST))) == []
    assert opened(expires=FUTURE).live_at(NOW)
    assert not opened(expires=NOW).live_at(NOW)
    assert not released("two", OPEN).live_at("0001-01-01T00:00:00.000Z")
    assert opened(expires="9999-12-31T23:59:59.999Z").live_at("0999-01-01T00:00:00.000Z")


def test_an_expired_released_pending_or_invalid_tip_never_reactivates_an_ancestor() -> None:
    """§6, rule 4."""
    two = renewed("two", OPEN, expires=PAST)
    assert active(known(OPEN, two)) == []
    assert active(known(OPEN, two, renewed("three", two, identity_id="bo"))) == []
    assert active(known(OPEN, two, released("three", two))) == []
    assert active(known(OPEN, two, renewed("late", renewed("unknown", two)))) == []
    assert active(known(OPEN, two, renewed("three", two))) == ["three"]


def test_colliding_roots_are_both_kept_and_compete() -> None:
    """§6: two opens of one claim id; nobody is chosen by identity, time or arrival."""
    mine, theirs = opened("mine"), opened("theirs", identity_id="bo", paths=["src"])
    found = known(mine, theirs)
    assert active(found) == ["mine", "theirs"]
    assert found.competing(mine) == ("theirs",)
    assert found.competing(theirs) == ("mine",)


@pytest.mark.parametrize("place", ["project_id", "repository_id", "claim_id"])
def test_a_claim_id_elsewhere_is_another_claim(place: str) -> None:
    """§6: siblings share project, repository and claim."""
    here, there = opened("here"), opened("there", **{place: "other"})
    found = known(here, there)
    assert active(found) == ["here", "there"]
    assert found.competing(here) == found.competing(there) == ()


def test_live_tips_come_in_a_neutral_order() -> None:
    """By expiry, claim and event, never by generation or arrival."""
    one = opened("z", expires="2026-03-01T00:00:00.000Z", claim_id="a")
    two = opened("y", expires="2026-02-01T00:00:00.000Z", claim_id="b")
    three = opened("x", expires="2026-02-01T00:00:00.000Z", claim_id="a")
    four = opened("w", expires="2026-02-01T00:00:00.000Z", claim_id="a")
    assert [tip.event_id for tip in known(one, two, three, four).active(NOW)] == ["w", "x", "y", "z"]


def test_a_chain_of_50_000_is_walked_without_recursion() -> None:
    """§6: no unbounded recursion; the newest end first is the worst order."""
    chain = [OPEN]
    for number in range(50_000):
        chain.append(renewed(f"{number}", chain[-1]))
    found = known(*reversed(chain))
    assert set(found.statuses.values()) == {"valid"}
    assert active(found) == ["49999"]
    assert set(known(*reversed(chain[1:])).statuses.values()) == {"pending"}


# From events.


@pytest.mark.parametrize("kind", KINDS)
def test_only_claim_kinds_have_a_lineage(kind: str) -> None:
    """§7: `not_applicable` for every other kind."""
    event = signed(kind)
    claim = claim_event(event)
    found = lineage([event])
    if kind.startswith("claim."):
        assert claim is not None
        assert (claim.claim_id, claim.generation) == (
            event.evidence["body"]["claim_id"],
            event.evidence["body"]["generation"],
        )
        assert claim.is_release is (kind == "claim.release")
        assert (claim.identity_id, claim.thread_id) == (event.sender.identity_id, event.thread_id)
        assert found.claims == {event.event_id: claim}
        assert found.status(event.event_id) == ("valid" if kind == "claim.open" else "pending")
    else:
        assert claim is None
        assert found.status(event.event_id) == "not_applicable"
        assert found == lineage([])


def test_signed_events_make_a_lineage() -> None:
    """§6: open, renew, release, and a renewal of what is no claim event."""
    first = signed("claim.open")

    def after(before: Event, kind: str) -> Event:
        body = {
            "claim_id": first.evidence["body"]["claim_id"],
            "generation": 2,
            "predecessor_event_id": before.event_id,
        }
        if kind == "claim.renew":
            body["expires_at"] = LATER
        return signed(kind, body, parents=[before.event_id])

    seen = signed("intent")
    renewal, stray = after(first, "claim.renew"), after(seen, "claim.renew")
    release = after(first, "claim.release")
    events = [stray, seen, release, renewal, first]
    found = lineage(events)
    assert found == lineage(reversed(events))
    assert [found.status(each.event_id) for each in events] == ["invalid", "not_applicable", "valid", "valid", "valid"]
    assert lineage([stray]).status(stray.event_id) == "pending"
    assert active(found, "2026-07-19T11:59:59.999Z") == [renewal.event_id]


def test_a_forged_circle_of_events_is_invalid() -> None:
    """§6: identifiers that nobody proved."""
    one = msgspec.structs.replace(
        signed("claim.renew"), event_id=signed("claim.renew").evidence["body"]["predecessor_event_id"]
    )
    assert lineage([one]).status(one.event_id) == "invalid"


# Laws.

NAMES = [f"e{number}" for number in range(8)]


@st.composite
def claim_sets(draw: st.DrawFn) -> tuple[list[ClaimEvent], list[str]]:
    """Any set of claim events over few names: chains, forks, colliding roots, mismatches, gaps, circles, strangers."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=8, unique=True))
    claims = []
    for name in names:
        claim = opened(
            name,
            expires=draw(st.sampled_from([PAST, NOW, FUTURE])),
            identity_id=draw(st.sampled_from(["ana", "ana", "ana", "bo"])),
            claim_id=draw(st.sampled_from(["claim", "claim", "claim", "other"])),
            repository_id=draw(st.sampled_from(["repository", "repository", "repository", "other"])),
            paths=draw(st.sampled_from([["a", "b"], ["b", "a"], ["a", "b"], ["a"]])),
        )
        if draw(st.integers(0, 3)):
            generation = draw(st.sampled_from([2, 2, 3, 3, 4, 5]))
            before = draw(st.sampled_from(NAMES))
            release = draw(st.integers(0, 4)) == 0
            expires = None if release else claim.expires_at
            claim = replace(claim, generation=generation, predecessor_event_id=before, expires_at=expires)
        claims.append(claim)
    ordinary = draw(st.lists(st.sampled_from([name for name in NAMES if name not in names] or ["none"]), max_size=2))
    return claims, ordinary


@st.composite
def growing_sets(draw: st.DrawFn) -> tuple[list[ClaimEvent], list[str]]:
    """Mostly valid trees: each event continues an earlier one rightly, now and then wrongly."""
    claims = [opened("r0", identity_id=draw(st.sampled_from(["ana", "bo"])))]
    for number in range(draw(st.integers(0, 9))):
        before = draw(st.sampled_from(claims))
        wrong = draw(st.sampled_from([{}, {}, {}, {}, *MISMATCHES]))
        kind = draw(st.sampled_from([renewed, renewed, renewed, released, None]))
        claims.append(opened(f"r{number + 1}") if kind is None else kind(f"n{number}", before, **wrong))
    dropped = draw(st.integers(0, len(claims) - 1)) if draw(st.booleans()) else None
    return [claim for place, claim in enumerate(claims) if place != dropped], []


SETS = claim_sets() | growing_sets()


@given(SETS, st.data())
def test_the_order_of_arrival_never_matters(events: tuple[list[ClaimEvent], list[str]], data: st.DataObject) -> None:
    """§6: receipt order never chooses."""
    claims, ordinary = events
    shuffled = data.draw(st.permutations(claims))
    found, again = known(*claims, ordinary=ordinary), known(*shuffled, ordinary=ordinary)
    assert found == again
    assert found.active(NOW) == again.active(NOW)
    assert list(found.tips) == list(again.tips)


@given(SETS)
def test_what_is_settled_stays_settled_when_more_arrives(events: tuple[list[ClaimEvent], list[str]]) -> None:
    """§6: valid and invalid are for good; only pending may change, and only a valid child ends a tip."""
    claims, ordinary = events
    before = known(ordinary=ordinary)
    for count in range(1, len(claims) + 1):
        now = known(*claims[:count], ordinary=ordinary)
        for name, status in before.statuses.items():
            assert status in ("pending", now.status(name))
        for tip in (tip for tips in before.tips.values() for tip in tips):
            children = [claim for claim in claims[:count] if claim.predecessor_event_id == tip.event_id]
            ended = any(now.status(child.event_id) == "valid" for child in children)
            assert (tip in now.tips.get(claim_key(tip), ())) is not ended
        before = now


def expected(
    claim: ClaimEvent, claims: dict[str, ClaimEvent], ordinary: list[str], seen: frozenset[str] = frozenset()
) -> str:
    """The status of an event, said once more by recursion over its ancestors."""
    before = claim.predecessor_event_id
    if before is None:
        return "valid"
    if before in ordinary or before in seen:
        return "invalid"
    if before not in claims:
        return "pending"
    status = expected(claims[before], claims, ordinary, seen | {claim.event_id, before})
    return status if status != "valid" or continues(claim, claims[before]) else "invalid"


@given(SETS)
def test_statuses_and_tips_follow_from_the_rules(events: tuple[list[ClaimEvent], list[str]]) -> None:
    """§6: against a plain recursive statement of the rules."""
    claims, ordinary = events
    by_id = {claim.event_id: claim for claim in claims}
    found = known(*claims, ordinary=ordinary)
    statuses = {name: expected(claim, by_id, ordinary, frozenset([name])) for name, claim in by_id.items()}
    assert found.statuses == statuses
    tips = {
        name
        for name in by_id
        if statuses[name] == "valid"
        and not any(claim.predecessor_event_id == name and statuses[claim.event_id] == "valid" for claim in claims)
    }
    assert {tip.event_id for each in found.tips.values() for tip in each} == tips
    assert {tip.event_id for tip in found.active(NOW)} == {
        name for name in tips if (by_id[name].expires_at or "") > NOW
    }
    for tip in (by_id[name] for name in tips):
        siblings = {name for name in tips if claim_key(by_id[name]) == claim_key(tip)}
        assert set(found.competing(tip)) == siblings - {tip.event_id}
