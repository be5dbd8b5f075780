"""POST /v1/correspondence/events: receipts, retries, warnings, missing parents (§4, §7)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from sqlalchemy import update

from corr_tui.protocol.records import read_record
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database
from corr_tui.server.refusal import Refused
from corr_tui.server.store import Store
from corr_tui.server.submission import Submission, read_submission
from corr_tui.server.tables import events
from corr_tui.state.snapshot import instant
from tests.correspondents import PROJECT_ID, World, claim, uuid
from tests.server.scene import EVENTS, VENDOR, Scene, decoded


async def test_a_new_event_gets_201_and_one_complete_record_section_7(scene: Scene) -> None:
    event = scene.world.event("ana", "intent", summary="start")
    answer = await scene.post(event)
    assert answer.status_code == 201
    assert answer.headers["content-type"] == f"{VENDOR}; charset=utf-8"
    assert answer.headers["cache-control"] == "private, no-store"
    body = decoded(answer)
    assert body == {
        "event": event.evidence,
        "receipt": {"received_seq": "1", "received_at": instant(scene.world.now)},
        "missing_parents": [],
        "lineage_status": "not_applicable",
        "warnings": [],
    }
    assert read_record(body).event == event


async def test_the_receipt_is_the_databases_clock_and_never_issued_at_section_4(scene: Scene) -> None:
    event = scene.world.event("ana", "intent", summary="long ago")
    scene.world.now += timedelta(days=3)
    receipt = decoded(await scene.post(event))["receipt"]
    assert receipt["received_at"] == instant(scene.world.now) != event.issued_at


async def test_received_seq_rises_by_project_in_the_order_of_receipt_section_4(scene: Scene) -> None:
    said = [scene.world.event(who, "intent", summary=who) for who in ("ana", "bo", "kit")]
    answers = [decoded(await scene.post(event)) for event in reversed(said)]
    assert [answer["receipt"]["received_seq"] for answer in answers] == ["1", "2", "3"]


async def test_an_exact_retry_returns_the_first_receipt_with_200_section_4(scene: Scene) -> None:
    event = scene.world.event("ana", "intent", summary="once")
    first = await scene.post(event)
    scene.world.now += timedelta(hours=1)
    again = await scene.post(event)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.content == first.content
    page = await scene.read(EVENTS)
    assert len(page["events"]) == 1


async def test_member_order_and_whitespace_do_not_make_another_event_section_3(scene: Scene) -> None:
    event = scene.world.event("ana", "intent", summary="once")
    first = await scene.post(event)
    turned = json.dumps(dict(reversed(event.evidence.items())), indent=3).encode()
    again = await scene.post(turned)
    assert (again.status_code, again.content) == (200, first.content)


async def test_a_retry_is_answered_after_its_key_was_revoked_but_a_new_event_is_not_section_4(
    scene: Scene, database: Database
) -> None:
    event = await scene.say("ana", "intent", summary="before")
    Accounts(database).revoke_key(uuid(3, 1))
    assert (await scene.post(event)).status_code == 200
    refused = await scene.post(scene.world.event("ana", "intent", summary="after"))
    assert (refused.status_code, refused.json()["error"]) == (403, "sender_or_signing_key_not_active")


async def test_a_revoked_identity_signs_nothing_new_section_2_1(scene: Scene, database: Database) -> None:
    event = await scene.say("ana", "intent", summary="before")
    Accounts(database).revoke_identity(uuid(2, 1))
    assert (await scene.post(event)).status_code == 200
    refused = await scene.post(scene.world.event("ana", "intent", summary="after"))
    assert (refused.status_code, refused.json()["error"]) == (403, "sender_or_signing_key_not_active")


async def test_an_event_is_stored_before_its_parents_and_says_which_are_missing_section_4(scene: Scene) -> None:
    first = scene.world.event("ana", "intent", summary="first")
    second = scene.world.event("bo", "ack.seen", target=first)
    early = decoded(await scene.post(second))
    assert early["missing_parents"] == [first.event_id]
    await scene.post(first)
    page = await scene.read(EVENTS)
    assert [record["missing_parents"] for record in page["events"]] == [[], []]
    assert page["events"][0]["receipt"] == early["receipt"]


async def test_two_events_at_one_place_of_a_session_are_both_kept_and_warned_of_section_4(scene: Scene) -> None:
    one = await scene.say("ana", "intent", summary="one", seq=7)
    other = scene.world.event("ana", "intent", summary="other", seq=7)
    (warning,) = decoded(await scene.post(other))["warnings"]
    assert warning["code"] == "session_fork"
    assert warning["event_ids"] == sorted([one.event_id, other.event_id])
    assert 1 <= len(warning["detail"]) <= 500


async def test_a_fork_warning_lists_at_most_16_events_section_7(scene: Scene) -> None:
    for number in range(18):
        event = scene.world.event("ana", "intent", summary=str(number), seq=1)
        (warning,) = decoded(await scene.post(event))["warnings"] or [{"event_ids": []}]
    assert len(warning["event_ids"]) == 16


async def test_gaps_and_late_lower_sequences_are_valid_section_4(scene: Scene) -> None:
    await scene.say("ana", "intent", summary="later", seq=900)
    late = scene.world.event("ana", "intent", summary="late", seq=2)
    answer = await scene.post(late)
    assert (answer.status_code, answer.json()["warnings"]) == (201, [])


async def test_a_pending_claim_is_warned_of_section_7(scene: Scene) -> None:
    opened = scene.world.event("ana", "claim.open", claim_id=claim(1), expires_in=60)
    renewed = scene.world.event("ana", "claim.renew", predecessor=opened, expires_in=90)
    body = decoded(await scene.post(renewed))
    assert body["lineage_status"] == "pending"
    assert [(warning["code"], warning["event_ids"]) for warning in body["warnings"]] == [
        ("claim_lineage_pending", [renewed.event_id])
    ]


async def test_reads_never_carry_warnings_section_7(scene: Scene) -> None:
    await scene.say("ana", "intent", summary="one", seq=1)
    await scene.say("ana", "intent", summary="other", seq=1)
    page = await scene.read(EVENTS)
    assert all("warnings" not in record for record in page["events"])


async def test_a_body_of_exactly_the_cap_is_accepted_and_one_byte_more_is_not_section_7(scene: Scene) -> None:
    raw = json.dumps(scene.world.event("ana", "intent", summary="wide").evidence).encode()
    assert (await scene.post(raw.ljust(65_537))).json()["error"] == "body_too_large"
    assert (await scene.post(raw.ljust(65_536))).status_code == 201


async def test_a_body_without_a_length_is_refused_while_it_is_read_section_7(scene: Scene) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 16_384

    answer = await scene.client.post(EVENTS, content=endless(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (413, "body_too_large")
    assert sent <= 6


async def test_another_event_under_a_stored_event_id_is_a_conflict_section_4(scene: Scene, database: Database) -> None:
    event = await scene.say("ana", "intent", summary="first")
    with database.writing() as connection:
        connection.execute(update(events).values(evidence="{}"))
    answer = await scene.post(event)
    assert (answer.status_code, answer.json()["error"]) == (409, "event_id_conflict")


async def test_a_key_revoked_after_its_signature_was_proved_stores_nothing_section_2_1(
    scene: Scene, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def proved(store: Store, _: Submission) -> None:
        Accounts(store.database).revoke_key(uuid(3, 1))

    monkeypatch.setattr(Store, "_check_signature", proved)
    answer = await scene.post(scene.world.event("ana", "intent", summary="too late"))
    assert (answer.status_code, answer.json()["error"]) == (403, "sender_or_signing_key_not_active")
    assert (await scene.read(EVENTS))["events"] == []


async def test_arrival_makes_nobody_a_parent_section_4(scene: Scene) -> None:
    for summary in ("first", "second"):
        await scene.say("ana", "intent", summary=summary)
    for record in (await scene.read(EVENTS))["events"]:
        assert (record["event"]["parents"], record["missing_parents"]) == ([], [])


async def test_resolution_and_repair_are_appended_and_edit_nothing_section_8(scene: Scene) -> None:
    one = await scene.say("ana", "intent", summary="one")
    other = await scene.say("bo", "intent", summary="other")
    before = (await scene.read(EVENTS))["events"]
    cited = {"targets": (one, other), "parents": (one, other)}
    raised = await scene.say("kit", "conflict.raise", **cited)
    await scene.say("kit", "conflict.resolve", targets=(raised,), parents=(raised,), summary="one of them")
    await scene.say("kit", "repair", summary="neither", **cited)
    after = (await scene.read(EVENTS))["events"]
    assert after[:2] == before
    assert [record["event"]["kind"] for record in after[2:]] == ["conflict.raise", "conflict.resolve", "repair"]


def test_a_canonical_event_beyond_the_cap_is_refused_whatever_it_came_in_section_7() -> None:
    """64 paths of 256 four-byte characters are a valid scope, and too large an event."""
    paths = [f"{number:02}" + "\U00010000" * 254 for number in range(64)]
    event = World().event("ana", "intent", summary="wide", paths=paths)
    with pytest.raises(Refused) as caught:
        read_submission(json.dumps(event.evidence).encode(), PROJECT_ID)
    assert (caught.value.status, caught.value.error) == (413, "body_too_large")
