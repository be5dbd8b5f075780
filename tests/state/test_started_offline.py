"""A session that starts while the service is away: what was read before is as usable as in one that ran on (§6, §7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corr_tui.state.snapshot import LinkState
from corr_tui.state.standing import Standing, claims_standing, claims_view, conflicts_standing
from tests.client.answering import json_answer
from tests.state.fake_service import FakeService, Fault, refusing

EVENTS = "/v1/correspondence/events"
CLAIM_ID = "66666666-6666-4666-8666-666666666666"
CLAIM: dict[str, Any] = {"claim_id": CLAIM_ID, "generation": 1, "expires_at": "2099-01-01T00:00:00.000Z"}

AWAY: list[Fault] = [refusing, lambda _: json_answer({"error": "unauthorized", "message": "no"}, 401)]


@pytest.fixture
def service() -> FakeService:
    fake = FakeService()
    fake.world.say("ana", "observation", summary="one")
    fake.world.say("bo", "claim.open", **CLAIM, paths=("src",))
    return fake


@pytest.fixture(params=AWAY, ids=["refused", "401"])
def away(request: pytest.FixtureRequest) -> Fault:
    """How the service is away."""
    fault: Fault = request.param
    return fault


async def test_people_keep_the_names_the_service_listed_before(
    service: FakeService, tmp_path: Path, away: Fault
) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
        before = session.snapshot
    service.faults["*"] = away
    async with service.open(tmp_path) as session:
        await session.refresh()
        snapshot = session.snapshot
        assert snapshot.identities == before.identities
        assert (snapshot.me and snapshot.me.name, before.me and before.me.name) == ("maya", "maya")
        assert [each.record.seq for each in await session.search("bo")] == [2], "the sender is found by name"


async def test_names_that_are_not_listed_any_more_are_not_remembered(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
    service.fault_json("/v1/identities", {"identities": []})
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert session.snapshot.identities == {}
    service.faults["*"] = refusing
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert session.snapshot.identities == {}


async def test_a_history_that_was_whole_when_it_was_read_is_enough_to_compute_claims_from(
    service: FakeService, tmp_path: Path, away: Fault
) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
    service.faults["*"] = away
    async with service.open(tmp_path) as session:
        await session.refresh()
        await session.refresh()
        snapshot = session.snapshot
    assert snapshot.link.state in (LinkState.OFFLINE, LinkState.UNAUTHORIZED)
    assert (snapshot.history.through, snapshot.history.complete) == ("2", True)
    assert (claims_standing(snapshot), conflicts_standing(snapshot)) == (Standing.COMPUTED, Standing.COMPUTED)
    claims = claims_view(snapshot)
    assert claims
    assert [each.claim_id for each in claims.claims] == [CLAIM_ID]
    assert snapshot.computed
    assert snapshot.computed.through == "2"


async def test_a_history_that_was_left_in_the_middle_of_a_replay_is_not(service: FakeService, tmp_path: Path) -> None:
    service.page_size = 1
    service.faults[EVENTS] = lambda request: refusing(request) if request.url.params.get("after") == "1" else None
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert session.snapshot.history.through == "1"
    service.faults["*"] = refusing
    async with service.open(tmp_path) as session:
        await session.refresh()
        await session.refresh()
        assert not session.snapshot.history.complete
        assert claims_standing(session.snapshot) is Standing.UNAVAILABLE


async def test_what_comes_after_a_whole_history_is_read_before_it_is_called_whole_again(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
    for number in range(3):
        service.world.say("ana", "progress", summary=f"step {number}")
    service.page_size = 2
    service.faults[EVENTS] = lambda request: refusing(request) if request.url.params.get("after") == "3" else None
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert (session.snapshot.history.through, session.snapshot.history.complete) == ("3", False)
    service.faults["*"] = refusing
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert (session.snapshot.history.through, session.snapshot.history.complete) == ("3", False)


async def test_nothing_is_called_whole_until_the_service_answered_or_did_not(
    service: FakeService, tmp_path: Path
) -> None:
    """What came since the last run is read before anything is said of the whole."""
    async with service.open(tmp_path) as session:
        await session.refresh()
    seen: list[bool] = []

    def watched(_: object) -> None:
        seen.append(session.snapshot.history.complete)

    service.faults[EVENTS] = watched
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert (seen, session.snapshot.history.complete) == ([False], True)
