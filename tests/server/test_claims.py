"""Claim lineage, the ready frontier and the active-claim projection (§6)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from corr_tui.protocol.event import Event
from corr_tui.protocol.records import read_claims
from corr_tui.protocol.signing import public_key_of, sign
from corr_tui.server import projection as projection_module
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database
from corr_tui.server.projection import Focus, Projection
from corr_tui.server.store import Store
from corr_tui.server.submission import read_submission
from corr_tui.state.snapshot import instant
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World, claim
from tests.server.scene import CLAIMS, EVENTS, VOICE, Scene, decoded, open_world, statuses


async def status_of(scene: Scene, event: Event) -> str:
    """The lineage status a service gives an event on its first post."""
    return str(decoded(await scene.post(event))["lineage_status"])


async def active(scene: Scene, **query: str) -> list[str]:
    """The event ids of the active claims, in their order."""
    return [row["event_id"] for row in (await scene.read(CLAIMS, **query))["claims"]]


async def test_an_active_row_has_just_its_eleven_members_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), paths=["src/api", "docs"], expires_in=60)
    body = await scene.read(CLAIMS)
    sender = opened.sender
    assert body == {
        "protocol": "agent-correspondence/v0.1",
        "scope": "project_private",
        "evaluated_at": instant(scene.world.now),
        "cursor": "1",
        "projection_status": "complete",
        "truncated": False,
        "claims": [
            {
                "claim_id": claim(1),
                "generation": 1,
                "event_id": opened.event_id,
                "owner_identity_id": sender.identity_id,
                "device_id": sender.device_id,
                "session_id": sender.session_id,
                "thread_id": "task:42",
                "scope": {"base_revision": None, "branch": None, "paths": ["src/api", "docs"]},
                "expires_at": instant(scene.world.now + timedelta(seconds=60)),
                "conflicted": False,
                "competing_event_ids": [],
            }
        ],
    }
    assert read_claims(body).claims[0].event_id == opened.event_id


async def test_a_valid_renewal_takes_the_place_of_its_predecessor_alone_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    renewed = scene.world.event("ana", "claim.renew", predecessor=opened, expires_in=120, device=2, session=2)
    assert await status_of(scene, renewed) == "valid"
    assert await active(scene) == [renewed.event_id]


async def test_a_release_ends_only_its_branch_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    left = await scene.say("ana", "claim.renew", predecessor=opened, expires_in=90)
    right = await scene.say("ana", "claim.renew", predecessor=opened, expires_in=120)
    released = await scene.say("ana", "claim.release", predecessor=left)
    (row,) = (await scene.read(CLAIMS))["claims"]
    assert (row["event_id"], row["conflicted"], row["competing_event_ids"]) == (
        right.event_id,
        True,
        [released.event_id],
    )


async def test_a_lower_generation_sibling_stays_active_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    low = await scene.say("ana", "claim.renew", predecessor=opened, expires_in=90)
    other = await scene.say("ana", "claim.renew", predecessor=opened, expires_in=100)
    high = await scene.say("ana", "claim.renew", predecessor=other, expires_in=110)
    assert await active(scene) == [low.event_id, high.event_id]


async def test_two_opens_of_one_claim_id_are_colliding_roots_that_compete_section_6(scene: Scene) -> None:
    one = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    other = await scene.say("bo", "claim.open", claim_id=claim(1), expires_in=30)
    rows = (await scene.read(CLAIMS))["claims"]
    assert [(row["event_id"], row["competing_event_ids"]) for row in rows] == [
        (other.event_id, [one.event_id]),
        (one.event_id, [other.event_id]),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"who": "bo"},
        {"generation": 3},
        {"claim_id": claim(2)},
        {"paths": ["docs"]},
        {"repository": "acme/other"},
    ],
    ids=["identity", "generation", "claim", "paths", "repository"],
)
async def test_a_mismatch_is_kept_as_invalid_and_never_active_section_6(scene: Scene, wrong: dict[str, Any]) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), paths=["src"], expires_in=60)
    words = {"who": "ana", "predecessor": opened, "expires_in": 90, **wrong}
    renewed = scene.world.event(words.pop("who"), "claim.renew", **words)
    assert await status_of(scene, renewed) == "invalid"
    assert await active(scene) == [opened.event_id]
    child = scene.world.event("ana", "claim.renew", predecessor=renewed, expires_in=120)
    assert await status_of(scene, child) == "invalid"


async def test_the_order_of_paths_means_nothing_to_lineage_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), paths=["src", "docs"], expires_in=60)
    renewed = scene.world.event("ana", "claim.renew", predecessor=opened, paths=["docs", "src"], expires_in=90)
    assert await status_of(scene, renewed) == "valid"


async def test_a_renewal_of_something_that_is_no_claim_is_invalid_section_6(scene: Scene) -> None:
    said = scene.world.event("ana", "intent", summary="not a claim")
    words: dict[str, Any] = {"predecessor_event_id": said.event_id, "claim_id": claim(1), "generation": 2}
    renewed = scene.world.event("ana", "claim.renew", parents=(said,), expires_in=60, **words)
    assert await status_of(scene, renewed) == "pending"
    await scene.post(said)
    assert statuses(await scene.read(EVENTS))[renewed.event_id] == "invalid"


async def test_a_renewal_of_a_release_is_invalid_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    released = await scene.say("ana", "claim.release", predecessor=opened)
    renewed = scene.world.event("ana", "claim.renew", predecessor=released, expires_in=60)
    assert await status_of(scene, renewed) == "invalid"
    assert await active(scene) == []


def chain(world: World, length: int) -> list[Event]:
    """A claim renewed again and again."""
    events = [world.event("ana", "claim.open", claim_id=claim(1), expires_in=600)]
    while len(events) < length:
        events.append(world.event("ana", "claim.renew", predecessor=events[-1], expires_in=600 + len(events)))
    return events


async def test_a_pending_renewal_is_replayable_and_settles_when_its_predecessor_arrives_section_6(
    scene: Scene,
) -> None:
    opened, renewed, again = chain(scene.world, 3)
    assert await status_of(scene, again) == "pending"
    assert await status_of(scene, renewed) == "pending"
    assert await active(scene) == []
    assert await status_of(scene, opened) == "valid"
    assert await active(scene) == [again.event_id]
    assert set(statuses(await scene.read(EVENTS)).values()) == {"valid"}


async def test_one_append_settles_32_rows_and_reads_settle_the_rest_section_6(scene: Scene) -> None:
    first, *rest = chain(scene.world, 70)
    for event in reversed(rest):
        await scene.post(event)
    await scene.post(first)
    settled = list(statuses(await scene.read(EVENTS)).values()).count("valid")
    assert settled == 1 + 32
    before = await scene.read(CLAIMS)
    assert (before["projection_status"], before["truncated"]) == ("truncated", True)
    assert list(statuses(await scene.read(EVENTS)).values()).count("valid") == 1 + 64
    after = await scene.read(CLAIMS)
    assert (after["projection_status"], after["truncated"]) == ("complete", False)
    assert [row["event_id"] for row in after["claims"]] == [rest[-1].event_id]


async def test_an_exact_retry_settles_a_step_too_section_6(scene: Scene) -> None:
    first, *rest = chain(scene.world, 60)
    for event in reversed(rest):
        await scene.post(event)
    await scene.post(first)
    retried = decoded(await scene.post(rest[-1]))
    assert retried["lineage_status"] == "valid"
    assert (await scene.read(CLAIMS))["projection_status"] == "complete"


async def test_wide_frontiers_share_a_step_section_6(scene: Scene) -> None:
    opened = [scene.world.event("ana", "claim.open", claim_id=claim(number), expires_in=900) for number in (1, 2)]
    children = [
        [scene.world.event("ana", "claim.renew", predecessor=root, expires_in=1000 + number) for number in range(60)]
        for root in opened
    ]
    for event in (*children[0], *children[1], *opened):
        await scene.post(event)
    settled = statuses(await scene.read(EVENTS, limit=200))
    shares = [sum(settled[event.event_id] == "valid" for event in group) for group in children]
    assert shares == [32 + 16, 16]


async def test_a_reconciliation_moves_evaluated_at_and_the_entity_tag_without_an_event_section_6(
    scene: Scene,
) -> None:
    first, *rest = chain(scene.world, 60)
    for event in (*reversed(rest), first):
        await scene.post(event)
    scene.world.now += timedelta(seconds=5)
    moved = await scene.get(CLAIMS)
    assert moved.json()["evaluated_at"] == instant(scene.world.now)
    scene.world.now += timedelta(seconds=5)
    still = await scene.get(CLAIMS)
    assert (still.content, still.headers["etag"]) == (moved.content, moved.headers["etag"])


async def test_expiry_is_the_database_clocks_and_changes_the_bytes_without_an_event_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    received_at = instant(scene.world.now)
    scene.world.now += timedelta(seconds=59, milliseconds=999)
    before = await scene.get(CLAIMS)
    assert before.json()["evaluated_at"] == received_at
    scene.world.now += timedelta(milliseconds=1)
    after = await scene.get(CLAIMS)
    assert after.json()["claims"] == []
    assert after.json()["evaluated_at"] == opened.evidence["body"]["expires_at"]
    assert after.headers["etag"] != before.headers["etag"]


async def test_an_event_that_arrives_expired_or_late_reactivates_nothing_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    expired = scene.world.event("ana", "claim.renew", predecessor=opened, expires_in=-1)
    assert await status_of(scene, expired) == "valid"
    assert await active(scene) == []


async def test_an_expired_sibling_tip_still_competes_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    expired = await scene.say("ana", "claim.renew", predecessor=opened, expires_in=-1)
    await scene.say("ana", "claim.renew", predecessor=opened, expires_in=90)
    (row,) = (await scene.read(CLAIMS))["claims"]
    assert (row["conflicted"], row["competing_event_ids"]) == (True, [expired.event_id])


async def test_claims_are_ordered_by_expiry_claim_and_event_and_by_nothing_else_section_6(scene: Scene) -> None:
    await scene.say("ana", "claim.open", claim_id=claim(3), expires_in=60)
    await scene.say("bo", "claim.open", claim_id=claim(1), expires_in=60)
    await scene.say("kit", "claim.open", claim_id=claim(2), expires_in=30)
    await scene.say("lin", "claim.open", claim_id=claim(1), expires_in=60)
    rows = (await scene.read(CLAIMS))["claims"]
    places = [(row["expires_at"], row["claim_id"], row["event_id"]) for row in rows]
    assert places == sorted(places)


async def test_path_and_thread_narrow_the_claims_section_6(scene: Scene) -> None:
    sdk = await scene.say("ana", "claim.open", claim_id=claim(1), paths=["packages/sdk"], expires_in=60)
    old = await scene.say("bo", "claim.open", claim_id=claim(2), paths=["packages/sdk-old"], expires_in=61)
    whole = await scene.say("kit", "claim.open", claim_id=claim(3), paths=["."], expires_in=62, thread="task:9")
    assert await active(scene, path="packages/sdk/src") == [sdk.event_id, whole.event_id]
    assert await active(scene, path="packages/sdk-old") == [old.event_id, whole.event_id]
    assert await active(scene, path=".") == [sdk.event_id, old.event_id, whole.event_id]
    assert await active(scene, thread_id="task:9") == [whole.event_id]
    assert await active(scene, thread_id="task:9", path="nowhere") == [whole.event_id]


async def test_at_most_128_rows_are_shown_and_the_rest_is_admitted_section_6(scene: Scene) -> None:
    for number in range(129):
        await scene.say("ana", "claim.open", claim_id=claim(number), paths=[f"p{number}"], expires_in=600)
    body = await scene.read(CLAIMS)
    assert (len(body["claims"]), body["truncated"], body["projection_status"]) == (128, True, "truncated")
    narrowed = await scene.read(CLAIMS, path="p7")
    assert (len(narrowed["claims"]), narrowed["truncated"]) == (1, False)


@pytest.mark.parametrize(("tips", "truncated"), [(17, False), (18, True)])
async def test_at_most_16_competitors_are_listed_and_more_are_admitted_section_6(
    scene: Scene, tips: int, truncated: bool
) -> None:
    for number in range(tips):
        await scene.say("ana", "claim.open", claim_id=claim(1), paths=[f"p{number}"], expires_in=600)
    body = await scene.read(CLAIMS, path="p3")
    (row,) = body["claims"]
    assert (len(row["competing_event_ids"]), body["truncated"]) == (16, truncated)
    assert row["event_id"] not in row["competing_event_ids"]


async def test_a_project_without_correspondence_was_evaluated_in_1970_section_6(scene: Scene) -> None:
    body = await scene.read(CLAIMS)
    assert (body["evaluated_at"], body["cursor"], body["projection_status"]) == (
        "1970-01-01T00:00:00.000Z",
        None,
        "complete",
    )


async def test_a_claim_keeps_nobody_from_anything_section_6(scene: Scene) -> None:
    """Neither another claim on its paths nor work in them is refused, and no advisory is asked for on a write."""
    await scene.say("ana", "claim.open", claim_id=claim(1), paths=["src"], expires_in=60)
    for kind, words in (
        ("claim.open", {"claim_id": claim(2), "expires_in": 60}),
        ("claim.open", {"claim_id": claim(1), "expires_in": 60}),
        ("progress", {"summary": "at work in there"}),
    ):
        answer = await scene.post(scene.world.event("bo", kind, paths=["src"], **words))
        assert (answer.status_code, answer.json()["warnings"]) == (201, [])
    assert len(await active(scene)) == 3


async def test_devices_sessions_and_keys_of_one_identity_may_change_section_6(scene: Scene, database: Database) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    seed = bytes([77]) * 32
    second = Accounts(database).add_key(opened.sender.identity_id, public_key_of(seed))
    renewed = scene.world.event("ana", "claim.renew", predecessor=opened, expires_in=90, device=3, session=4)
    core = {name: part for name, part in renewed.evidence.items() if name not in ("event_id", "signature")}
    by_second = sign({**core, "sender": {**core["sender"], "signing_key_id": second}}, seed)
    assert await status_of(scene, by_second) == "valid"
    assert await active(scene) == [by_second.event_id]


async def test_a_predecessor_that_is_no_parent_is_refused_section_6(scene: Scene) -> None:
    opened = await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    renewed = scene.world.event("ana", "claim.renew", predecessor=opened, expires_in=90)
    answer = await scene.post(json.dumps({**renewed.evidence, "parents": []}).encode())
    assert (answer.status_code, answer.json()["error"]) == (400, "event_invalid")
    assert [issue["code"] for issue in answer.json()["issues"]] == ["cited_event_not_in_parents"]


async def test_the_ready_frontier_outlives_its_process_section_6(scene: Scene, url: str) -> None:
    first, *rest = chain(scene.world, 60)
    for event in (*reversed(rest), first):
        await scene.post(event)
    again = open_world(url, scene.world)
    store, projection = Store(again), Projection(again)
    focus = Focus(PROJECT_ID, REPOSITORY_ID)
    assert json.loads(projection.claims(focus, None))["projection_status"] == "truncated"
    store.reconcile(PROJECT_ID)
    body = json.loads(projection.claims(focus, None))
    again.close()
    assert body["projection_status"] == "complete"
    assert [row["event_id"] for row in body["claims"]] == [rest[-1].event_id]


@pytest.mark.parametrize("route", [CLAIMS, VOICE])
async def test_a_projection_scan_holds_no_stream_and_is_one_snapshot_section_6(
    scene: Scene, database: Database, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    """Ready lineage is settled and committed before the snapshot; an append in the middle of a scan is not kept out,
    and is seen by the next read."""
    first, *rest = chain(scene.world, 60)
    for event in (*reversed(rest), first):
        await scene.post(event)
    meanwhile = scene.world.event("bo", "claim.open", claim_id=claim(9), expires_in=60)
    scan = projection_module._active_claims

    def appended_meanwhile(*arguments: Any) -> Any:
        monkeypatch.undo()
        raw = json.dumps(meanwhile.evidence).encode()
        assert Store(database).append(read_submission(raw, PROJECT_ID)).created
        return scan(*arguments)

    monkeypatch.setattr(projection_module, "_active_claims", appended_meanwhile)
    before, after = await scene.read(route), await scene.read(route)
    shown = "claims" if route == CLAIMS else "active_claims"
    assert (before["cursor"], after["cursor"]) == ("60", "61")
    assert [row["event_id"] for row in before[shown]] == [rest[-1].event_id]
    assert {row["event_id"] for row in after[shown]} == {rest[-1].event_id, meanwhile.event_id}
