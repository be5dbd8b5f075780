"""GET /v1/correspondence/voice: the finite coordination snapshot (§7.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.protocol.paths import overlapping, overlapping_pairs
from corr_tui.protocol.records import read_voice
from tests.correspondents import claim
from tests.server.scene import EVENTS, VOICE, Scene


async def test_a_voice_says_what_the_fake_world_says_section_7_1(scene: Scene) -> None:
    world = scene.world
    opened = world.say("ana", "claim.open", claim_id=claim(1), paths=["src"], expires_in=3600)
    world.say("bo", "claim.open", claim_id=claim(2), paths=["src/api", "docs"], expires_in=1800)
    world.say("kit", "ack.seen", target=opened, parents=[f"sha256:{'0' * 64}"])
    world.say("lin", "intent", summary="one", seq=4)
    world.say("lin", "intent", summary="other", seq=4)
    for event in world.events():
        await scene.post(event)
    body = await scene.read(VOICE)
    expected = world.voice()
    for record in (*body["recent_events"], *expected["recent_events"]):
        del record["receipt"]
    assert body == expected


async def test_recent_events_are_the_newest_50_newest_first_section_7_1(scene: Scene) -> None:
    said = [await scene.say("ana", "progress", summary=str(number)) for number in range(50)]
    body = await scene.read(VOICE)
    assert [record["event"]["event_id"] for record in body["recent_events"]] == [
        event.event_id for event in reversed(said)
    ]
    assert (body["truncated"], body["projection_status"]) == (False, "complete")
    await scene.say("ana", "progress", summary="one more")
    body = read_voice(await scene.read(VOICE))
    assert (len(body.recent_events), body.truncated, body.projection_status) == (50, True, "truncated")
    assert body.recent_events[0].receipt.received_seq == "51"


async def test_missing_parents_come_from_the_recent_window_and_go_when_they_arrive_section_7_1(scene: Scene) -> None:
    parent = scene.world.event("ana", "intent", summary="late")
    child = await scene.say("bo", "ack.seen", target=parent)
    conflicts = (await scene.read(VOICE))["conflicts"]
    assert conflicts["missing_parents"] == [
        {"event_id": child.event_id, "missing_parent_ids": [parent.event_id]},
    ]
    await scene.post(parent)
    assert (await scene.read(VOICE))["conflicts"]["missing_parents"] == []


async def test_a_fork_is_found_whatever_thread_its_siblings_are_in_section_7_1(scene: Scene) -> None:
    one = await scene.say("ana", "intent", summary="one", seq=3, thread="task:1")
    other = await scene.say("ana", "intent", summary="other", seq=3, thread="task:2")
    body = await scene.read(VOICE, thread_id="task:1")
    sender = one.sender
    assert body["conflicts"]["session_forks"] == [
        {
            "identity_id": sender.identity_id,
            "device_id": sender.device_id,
            "session_id": sender.session_id,
            "session_seq": 3,
            "event_ids": sorted([one.event_id, other.event_id]),
        }
    ]


@pytest.mark.parametrize(("events", "truncated"), [(16, False), (17, True)])
async def test_a_fork_lists_16_events_and_admits_more_section_7_1(scene: Scene, events: int, truncated: bool) -> None:
    for number in range(events):
        await scene.say("ana", "intent", summary=str(number), seq=1)
    body = await scene.read(VOICE)
    (fork,) = body["conflicts"]["session_forks"]
    assert (len(fork["event_ids"]), body["truncated"]) == (16, truncated)


async def test_overlaps_are_pairs_of_live_tips_even_of_one_identity_section_7_1(scene: Scene) -> None:
    left = await scene.say("ana", "claim.open", claim_id=claim(1), paths=["src", "docs/a"], expires_in=60)
    right = await scene.say("ana", "claim.open", claim_id=claim(2), paths=["src/api", "docs"], expires_in=70)
    body = await scene.read(VOICE)
    assert body["conflicts"]["overlapping_claims"] == [
        {"left_event_id": left.event_id, "right_event_id": right.event_id, "paths": ["docs", "src"]}
    ]
    assert [row["conflicted"] for row in body["active_claims"]] == [False, False]


async def test_at_most_128_overlaps_are_listed_and_more_are_admitted_section_7_1(scene: Scene) -> None:
    for number in range(16):
        await scene.say("ana", "claim.open", claim_id=claim(number), paths=["src"], expires_in=600)
    body = await scene.read(VOICE)
    assert (len(body["conflicts"]["overlapping_claims"]), body["truncated"]) == (120, False)
    await scene.say("ana", "claim.open", claim_id=claim(16), paths=["src"], expires_in=600)
    body = await scene.read(VOICE)
    assert (len(body["conflicts"]["overlapping_claims"]), body["truncated"]) == (128, True)


async def test_an_overlap_lists_16_prefixes_and_admits_more_section_7_1(scene: Scene) -> None:
    paths = [f"p{number:02}" for number in range(17)]
    await scene.say("ana", "claim.open", claim_id=claim(1), paths=paths, expires_in=600)
    await scene.say("bo", "claim.open", claim_id=claim(2), paths=paths, expires_in=600)
    body = await scene.read(VOICE)
    (row,) = body["conflicts"]["overlapping_claims"]
    assert (row["paths"], body["truncated"]) == (paths[:16], True)


async def test_cursor_and_instant_are_the_projects_and_not_the_repositorys_section_6(scene: Scene) -> None:
    await scene.say("ana", "intent", summary="here")
    before = await scene.read(VOICE)
    await scene.say("ana", "intent", summary="there", repository="acme/other")
    after = await scene.read(VOICE)
    assert (before["cursor"], after["cursor"]) == ("1", "2")
    assert after["recent_events"] == before["recent_events"]


async def test_evidence_survives_every_kind_of_text_section_2(scene: Scene) -> None:
    summary = '\u001b[31m e\u0301 \u00e9 \U0001f600 \u2028 \\ " / \u007f \ufeff \u200b \ue000'
    event = await scene.say("ana", "intent", summary=summary)
    for path, part in ((EVENTS, "events"), (VOICE, "recent_events")):
        (record,) = (await scene.read(path))[part]
        assert record["event"] == event.evidence


segments = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)
declared = st.lists(st.one_of(st.just("."), segments), min_size=1, max_size=4, unique=True)


@given(st.lists(declared, max_size=5))
def test_stated_reach_gives_the_overlaps_of_the_one_rule_section_2_2(claims: list[list[str]]) -> None:
    expected = [
        (left, right, paths)
        for left in range(len(claims))
        for right in range(left + 1, len(claims))
        if (paths := overlapping(claims[left], claims[right]))
    ]
    assert list(overlapping_pairs(claims)) == expected
