"""What the bounds of the projections leave out is admitted, and history never hides what is live (§6, §7.1).

The rows of these claims are written as an append would leave them, without their events, since no projection of
claims reads those.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert

from corr_tui.server.database import Database
from corr_tui.server.projection import MAX_CANDIDATES, MAX_CLAIMS
from corr_tui.server.record import compact
from corr_tui.server.tables import claim_events
from corr_tui.state.snapshot import instant
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World, claim, uuid
from tests.server.scene import CLAIMS, VOICE, Scene


def tip(world: World, number: int, expires_in: float | None, path: str = "src") -> dict[str, Any]:
    """The row of a claim's one tip: live, expired, or released when it has no expiry."""
    return {
        "project_id": PROJECT_ID,
        "event_id": f"sha256:{number:064x}",
        "repository_id": REPOSITORY_ID,
        "thread_id": "task:42",
        "claim_id": claim(number),
        "generation": 1 if expires_in is not None else 2,
        "identity_id": uuid(2, 1),
        "device_id": uuid(4, 1),
        "session_id": uuid(5, 1),
        "predecessor_event_id": None,
        "expires_at": None if expires_in is None else instant(world.now + timedelta(seconds=expires_in)),
        "scope": compact({"base_revision": None, "branch": None, "paths": [path]}),
        "lineage_status": "valid",
        "is_tip": True,
    }


def write(database: Database, rows: Iterable[dict[str, Any]]) -> None:
    """Put claim rows into a database."""
    with database.writing() as connection:
        connection.execute(insert(claim_events), list(rows))


@pytest.mark.parametrize("route", [CLAIMS, VOICE])
async def test_expired_and_released_history_never_hides_a_live_tip_section_6(
    scene: Scene, database: Database, route: str
) -> None:
    many = MAX_CANDIDATES + 1
    write(database, (tip(scene.world, number, -1.0 - number) for number in range(1, many)))
    write(database, (tip(scene.world, number, None) for number in range(many, 2 * many)))
    live = await scene.say("ana", "claim.open", claim_id=claim(5000), expires_in=60)
    body = await scene.read(route)
    rows = body["claims" if route == CLAIMS else "active_claims"]
    assert [row["event_id"] for row in rows] == [live.event_id]
    assert (body["projection_status"], body["truncated"]) == ("complete", False)


@pytest.mark.parametrize(("live", "truncated"), [(MAX_CANDIDATES - 1, False), (MAX_CANDIDATES, True)])
async def test_a_narrowed_answer_is_complete_only_when_every_candidate_was_looked_at_section_6(
    scene: Scene, database: Database, live: int, truncated: bool
) -> None:
    await scene.say("ana", "intent", summary="a stream")
    write(database, (tip(scene.world, number, 60.0 + number, f"p{number}") for number in range(live)))
    body = await scene.read(CLAIMS, path="p7")
    assert [row["scope"]["paths"] for row in body["claims"]] == [["p7"]]
    assert body["truncated"] is truncated
    assert body["projection_status"] == ("truncated" if truncated else "complete")


@pytest.mark.parametrize(("live", "truncated"), [(MAX_CLAIMS, False), (MAX_CLAIMS + 1, True)])
async def test_a_voice_with_more_claims_than_it_may_show_is_truncated_section_7_1(
    scene: Scene, database: Database, live: int, truncated: bool
) -> None:
    await scene.say("ana", "intent", summary="a stream")
    write(database, (tip(scene.world, number, 60.0 + number, f"p{number}") for number in range(live)))
    body = await scene.read(VOICE)
    assert (len(body["active_claims"]), body["truncated"]) == (MAX_CLAIMS, truncated)
    assert body["projection_status"] == ("truncated" if truncated else "complete")


@pytest.mark.parametrize(("tips", "truncated"), [(17, False), (18, True)])
async def test_a_voice_with_more_competitors_than_it_may_list_is_truncated_section_6(
    scene: Scene, database: Database, tips: int, truncated: bool
) -> None:
    await scene.say("ana", "intent", summary="a stream")
    rows = (tip(scene.world, number, 60 if number == 1 else -60) for number in range(1, tips + 1))
    write(database, ({**row, "claim_id": claim(1)} for row in rows))
    body = await scene.read(VOICE)
    (row,) = body["active_claims"]
    assert (len(row["competing_event_ids"]), row["conflicted"], body["truncated"]) == (16, True, truncated)


async def test_a_focus_on_one_thread_still_sees_competitors_in_another_section_6(
    scene: Scene, database: Database
) -> None:
    one = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60, thread="task:1")
    other = await scene.say("bo", "claim.open", claim_id=claim(1), expires_in=60, thread="task:2")
    (row,) = (await scene.read(CLAIMS, thread_id="task:1"))["claims"]
    assert (row["event_id"], row["competing_event_ids"]) == (one.event_id, [other.event_id])


async def test_missing_parents_are_looked_for_in_the_recent_window_only_and_older_ones_are_admitted_section_7_1(
    scene: Scene,
) -> None:
    early = await scene.say("ana", "intent", summary="early", parents=[f"sha256:{'ab' * 32}"])
    for number in range(49):
        await scene.say("ana", "progress", summary=str(number))
    body = await scene.read(VOICE)
    assert [row["event_id"] for row in body["conflicts"]["missing_parents"]] == [early.event_id]
    await scene.say("ana", "progress", summary="one more")
    body = await scene.read(VOICE)
    assert body["conflicts"]["missing_parents"] == []
    assert (body["truncated"], body["projection_status"]) == (True, "truncated")
