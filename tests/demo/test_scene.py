"""The scene as data, and the players without a service."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest

from corr_tui.demo.correspondents import Number, Player, Stage, play
from corr_tui.demo.scene import CAST, ONLOOKER, OPENING, SCENE, UNFOLDING, Step
from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.event import Event, read_event
from corr_tui.protocol.lineage import lineage
from corr_tui.protocol.signing import public_key_of, verify
from corr_tui.protocol.strict_json import decode
from corr_tui.state.snapshot import instant

NOW = datetime(2026, 5, 14, 13, 0, tzinfo=UTC)


def stage(seed: int = 1) -> Stage:
    """Everybody at their places, under identities that a service might have given them."""
    number = Number(seed)
    players = {
        name: Player(name, number.uuid("identity", name), number.uuid("key", name), number.digest("seed", name))
        for name in CAST
    }
    return Stage(number.uuid("project"), number, players)


async def told(steps: Iterable[Step] = SCENE, seed: int = 1) -> list[Event]:
    """What reaches a service when the steps are played at once, at a clock that stands still."""
    heard: list[Event] = []

    async def post(raw: bytes) -> None:
        heard.append(read_event(decode(raw)))

    await play(steps, stage(seed), post, speed=float("inf"), now=lambda: NOW)
    return heard


async def test_the_scene_says_every_kind_under_true_signatures() -> None:
    events = await told()
    keys = {player.identity_id: public_key_of(player.seed) for player in stage().players.values()}
    for event in events:
        verify(event, keys[event.sender.identity_id])
    assert {event.kind for event in events} == set(KINDS)


async def test_the_scene_has_overlaps_branches_a_fork_and_a_missing_parent() -> None:
    events = await told()
    known = lineage(events)
    paths = {tip.scope.paths[0] for tip in known.active(instant(NOW))}
    assert {"src/api", "src/api/client"} <= paths
    assert any(len(tips) > 1 for tips in known.tips.values())
    places = [(event.sender.session_id, event.session_seq) for event in events]
    assert len(set(places)) == len(places) - 1
    stored = {event.event_id for event in events}
    assert sum(parent not in stored for event in events for parent in event.parents) == 1


async def test_every_claim_event_of_the_scene_has_a_valid_lineage() -> None:
    events = await told()
    known = lineage(events)
    claims = [event for event in events if event.kind.startswith("claim.")]
    assert {known.status(event.event_id) for event in claims} == {"valid"}


async def test_the_same_number_tells_the_same_story_and_another_number_another() -> None:
    first = [event.event_id for event in await told(seed=3)]
    assert first == [event.event_id for event in await told(seed=3)]
    assert set(first).isdisjoint(event.event_id for event in await told(seed=4))


async def test_numbers_choose_among_the_words() -> None:
    spoken = {str([event.evidence["body"].get("summary") for event in await told(seed=seed)]) for seed in range(12)}
    assert len(spoken) > 1


async def test_nobody_speaks_for_the_onlooker() -> None:
    assert ONLOOKER not in CAST
    assert {step.who for step in SCENE} == set(CAST)


async def test_a_paused_or_resting_player_says_nothing_before_resuming() -> None:
    away: dict[str, str] = {}
    for step in SCENE:
        if step.kind == "resume":
            assert away.pop(step.who) == step.cites[0]
        assert step.who not in away, step
        if step.kind in ("pause", "rest"):
            away[step.who] = step.name


async def test_the_opening_waits_for_nothing_and_the_rest_unfolds_at_the_pace_asked_for() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def post(raw: bytes) -> None:
        pass

    here = stage()
    await play(OPENING, here, post, sleep=sleep, now=lambda: NOW)
    assert waits == []
    await play(UNFOLDING, here, post, speed=2, sleep=sleep, now=lambda: NOW)
    assert waits == [step.wait / 2 for step in UNFOLDING]
    assert all(1 <= step.wait <= 10 for step in UNFOLDING)


async def test_claims_expire_at_realistic_times_from_the_clock_that_plays() -> None:
    for event in await told():
        if expires := event.evidence["body"].get("expires_at"):
            assert timedelta(minutes=1) < datetime.fromisoformat(expires) - NOW < timedelta(hours=3)


async def test_a_scene_does_not_go_on_without_its_service() -> None:
    async def post(raw: bytes) -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await play(SCENE, stage(), post, speed=float("inf"), now=lambda: NOW)
