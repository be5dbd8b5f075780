"""Claim rows are made again from the evidence, equal to what appends and reads arrive at (§6)."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import delete, select, update

from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database, StorageUnavailable
from corr_tui.server.frontier import RECONCILE_LIMIT
from corr_tui.server.rebuild import Rebuilt, rebuild
from corr_tui.server.tables import claim_events, events, frontier, streams
from corr_tui.state.snapshot import instant
from tests.correspondents import claim
from tests.server.scene import CLAIMS, VOICE, Scene


async def talk(scene: Scene) -> None:
    """Claims of every standing: live, released, invalid, pending, and one about an event that is none."""
    first = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60, paths=["src"])
    await scene.say("ana", "claim.renew", predecessor=first, expires_in=90)
    await scene.say("bo", "claim.renew", predecessor=first, expires_in=90)
    other = await scene.say("bo", "claim.open", claim_id=claim(2), expires_in=60, paths=["docs"])
    await scene.say("bo", "claim.release", predecessor=other)
    intent = await scene.say("ana", "intent", summary="no claim")
    words: dict[str, Any] = {"predecessor_event_id": intent.event_id, "parents": (intent,), "claim_id": claim(3)}
    await scene.say("ana", "claim.renew", generation=2, expires_in=60, **words)
    unheard = scene.world.event("ana", "claim.open", claim_id=claim(4), expires_in=60)
    await scene.say("ana", "claim.renew", predecessor=unheard, expires_in=60)


def rows(database: Database) -> list[Any]:
    """Every claim row and every stream."""
    with database.reading() as connection:
        claims = connection.execute(select(claim_events).order_by(claim_events.c.event_id)).all()
        return [*claims, *connection.execute(select(streams).order_by(streams.c.project_id)).all()]


async def test_what_is_right_is_left_untouched_section_6(scene: Scene, database: Database) -> None:
    await talk(scene)
    before = rows(database)
    assert rebuild(database) == Rebuilt(projects=1, events=8, claim_events=7, changed=0)
    assert rows(database) == before


async def test_rows_that_were_lost_or_wrong_are_made_again_and_the_answers_with_them_section_6(
    scene: Scene, database: Database
) -> None:
    await talk(scene)
    before, claims, voice = rows(database), await scene.read(CLAIMS), await scene.read(VOICE)
    with database.writing() as connection:
        connection.execute(delete(claim_events).where(claim_events.c.lineage_status == "pending"))
        connection.execute(update(claim_events).values(is_tip=False, lineage_status="invalid"))
    assert rebuild(database).changed == 1
    assert rows(database)[:-1] == before[:-1]
    assert rebuild(database).changed == 0
    assert (await scene.read(CLAIMS))["claims"] == claims["claims"]
    assert (await scene.read(VOICE))["active_claims"] == voice["active_claims"]


async def test_a_change_moves_the_watermark_that_evaluated_at_shows_section_6(scene: Scene, database: Database) -> None:
    await talk(scene)
    scene.world.now = scene.world.now.replace(microsecond=500_000)
    with database.writing() as connection:
        connection.execute(delete(claim_events))
    rebuild(database)
    assert (await scene.read(CLAIMS))["evaluated_at"] == instant(scene.world.now)


async def test_ready_work_that_remained_is_settled_section_6(scene: Scene, database: Database) -> None:
    root = scene.world.event("ana", "claim.open", claim_id=claim(1), expires_in=60)
    for _ in range(RECONCILE_LIMIT + 8):
        await scene.say("ana", "claim.renew", predecessor=root, expires_in=60)
    await scene.post(root)
    with database.reading() as connection:
        assert connection.execute(select(streams.c.incomplete)).scalar_one()
    assert rebuild(database).changed == 1
    claims = await scene.read(CLAIMS)
    assert (claims["projection_status"], len(claims["claims"])) == ("truncated", RECONCILE_LIMIT + 8)
    with database.reading() as connection:
        assert not connection.execute(select(streams.c.incomplete)).scalar_one()
        assert connection.execute(select(frontier)).all() == []


async def test_damaged_evidence_is_a_storage_failure_and_changes_nothing_section_6(
    scene: Scene, database: Database
) -> None:
    await talk(scene)
    with database.writing() as connection:
        connection.execute(update(events).where(events.c.kind == "claim.open").values(evidence='{"s3cret":1}'))
        connection.execute(update(claim_events).values(is_tip=False))
    before = rows(database)
    with pytest.raises(StorageUnavailable) as caught:
        rebuild(database)
    assert str(caught.value) == "evidence: EventRefused"
    assert rows(database) == before


async def test_each_project_is_rebuilt_and_none_of_them_needs_events_section_6(
    scene: Scene, database: Database
) -> None:
    await talk(scene)
    Accounts(database).create_project("empty")
    assert rebuild(database) == Rebuilt(projects=2, events=8, claim_events=7, changed=0)
