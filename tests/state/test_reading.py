"""One refresh, one snapshot: events, voice and verdicts, and what becomes of them when a part is missing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from corr_tui.client.http import Client
from corr_tui.client.wake import subscribe
from corr_tui.state.directory import Directory
from corr_tui.state.published import Published
from corr_tui.state.reader import Reader
from corr_tui.state.snapshot import LinkState, ProjectionState, Snapshot, Verdict
from corr_tui.state.timing import Timing
from corr_tui.state.trust import Place, Trust
from tests.client.answering import BASE_URL, BEARER, client_of, json_answer
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World, claim, uuid
from tests.state.fake_service import FakeService, refusing, unavailable
from tests.state.virtual_time import VirtualTime

EVENTS = "/v1/correspondence/events"
VOICE = "/v1/correspondence/voice"


@pytest.fixture
def service() -> Iterator[FakeService]:
    fake = FakeService()
    fake.world.say("ana", "observation", summary="one")
    fake.world.say("bo", "observation", summary="two")
    yield fake
    assert not fake.asked["POST /v1/correspondence/events"]  # looking never acknowledges


async def test_a_refresh_brings_events_voice_names_and_verdicts(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        assert session.snapshot.link.state is LinkState.CONNECTING
        await session.refresh()
        snapshot = session.snapshot
    assert [heard.record.seq for heard in snapshot.events] == [1, 2]
    assert {heard.verdict for heard in snapshot.events} == {Verdict.LISTED}
    assert (snapshot.projection.state, snapshot.history.through) == (ProjectionState.COMPLETE, "2")
    assert snapshot.history.complete
    assert snapshot.name_of(service.world.people["bo"].sender().identity_id) == "bo"
    assert (snapshot.project_name, snapshot.me and snapshot.me.name) == ("acme", "maya")
    assert snapshot.link.state is LinkState.POLLING


async def test_a_refresh_without_news_is_conditional_and_keeps_what_is_there(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
        before, voices = session.snapshot, service.asked[f"GET {VOICE}"]
        await session._following.refresher.now()
        after = session.snapshot
    assert after.projection.voice is before.projection.voice
    assert after.events == before.events
    assert service.asked[f"GET {VOICE}"] == voices + 1
    assert service.asked["GET /v1/identities"] == 1


async def test_a_long_replay_follows_every_page(service: FakeService, tmp_path: Path) -> None:
    for number in range(20):
        service.world.say("ana", "progress", summary=str(number))
    service.page_size = 3
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert [heard.record.seq for heard in session.snapshot.events] == list(range(1, 23))
    assert session.snapshot.history.complete


async def test_an_unavailable_projection_is_said_and_the_events_go_on(service: FakeService, tmp_path: Path) -> None:
    """A 503 is never an empty claim set (§6)."""
    service.faults[VOICE] = unavailable
    async with service.open(tmp_path) as session:
        await session.refresh()
        snapshot = session.snapshot
        assert len(snapshot.events) == 2
        assert snapshot.projection.state is ProjectionState.UNAVAILABLE
        assert (snapshot.projection.voice, snapshot.projection.error) == (None, "no inference is safe")
        assert snapshot.link.state is LinkState.POLLING
        del service.faults[VOICE]
        await session.refresh()
        good = session.snapshot.projection
        service.faults[VOICE] = unavailable
        await session.refresh()
    assert good.state is ProjectionState.COMPLETE
    stale = session.snapshot.projection
    assert stale.stale
    assert (stale.voice, stale.read_at) == (good.voice, good.read_at)


async def test_a_voice_that_calls_itself_unavailable_does_not_replace_the_last_good_one(
    service: FakeService, tmp_path: Path
) -> None:
    """An unavailable projection is not rendered as an empty claim set (§6)."""
    service.world.say("ana", "claim.open", claim_id=claim(1), expires_in=3600)
    async with service.open(tmp_path) as session:
        await session.refresh()
        good = session.snapshot.projection
        empty = {**service.world.voice("unavailable"), "active_claims": []}
        service.faults[VOICE] = lambda _: json_answer(empty, headers={"ETag": '"sha256-empty"'})
        await session.refresh()
        stale = session.snapshot.projection
        del service.faults[VOICE]
        await session.refresh()
    assert stale.stale
    assert stale.voice is good.voice
    assert session.snapshot.projection.state is ProjectionState.COMPLETE


async def test_a_voice_that_is_none_is_no_empty_set_either(service: FakeService, tmp_path: Path) -> None:
    service.faults[VOICE] = lambda _: json_answer({"claims": []})
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert session.snapshot.projection.state is ProjectionState.UNAVAILABLE
    assert len(session.snapshot.events) == 2


async def test_a_bounded_voice_keeps_its_word_and_the_claims_are_read_by_themselves(
    service: FakeService, tmp_path: Path
) -> None:
    """A consumer reads absence as no claim only where the projection is complete (§6)."""
    opened = service.world.say("ana", "claim.open", claim_id=claim(1), expires_in=3600)
    service.faults[VOICE] = lambda _: json_answer(service.world.voice("truncated"))
    async with service.open(tmp_path) as session:
        await session.refresh()
        first = session.snapshot.projection
        await session.refresh()
        second = session.snapshot.projection
    assert first.state is ProjectionState.TRUNCATED
    assert first.claims is not None
    assert first.claims.projection_status == "complete"
    assert [each.event_id for each in first.claims.claims] == [opened.event.event_id]
    assert second.claims is first.claims


async def test_claims_that_fail_beside_a_bounded_voice_make_the_projection_unavailable(
    service: FakeService, tmp_path: Path
) -> None:
    service.faults[VOICE] = lambda _: json_answer(service.world.voice("truncated"))
    service.faults["/v1/correspondence/claims"] = unavailable
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert session.snapshot.projection.state is ProjectionState.UNAVAILABLE


async def test_a_complete_voice_needs_no_claims_beside_it(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert session.snapshot.projection.claims is None
    assert not service.asked["GET /v1/correspondence/claims"]


async def test_a_304_that_was_not_asked_for_is_no_projection(service: FakeService, tmp_path: Path) -> None:
    service.faults[VOICE] = lambda _: httpx.Response(304)
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert session.snapshot.projection.state is ProjectionState.UNAVAILABLE


async def test_identities_that_cannot_be_read_leave_ids(service: FakeService, tmp_path: Path) -> None:
    service.faults["/v1/identities"] = lambda _: json_answer({"error": "internal_error"}, 500)
    async with service.open(tmp_path) as session:
        await session.refresh()
    ana = service.world.people["ana"].sender().identity_id
    assert session.snapshot.name_of(ana) == f"{ana[:4]}…"
    assert len(session.snapshot.events) == 2


@pytest.mark.parametrize("path", ["/v1/identities", f"/v1/identities/{uuid(2, 1)}/keys", VOICE])
async def test_a_bearer_that_is_refused_anywhere_is_refused(path: str, service: FakeService, tmp_path: Path) -> None:
    service.faults[path] = lambda _: json_answer({"error": "unauthorized"}, 401)
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert session.snapshot.link.state is LinkState.UNAUTHORIZED


async def test_a_service_that_goes_away_is_offline_after_the_second_try_and_the_view_stays(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
        service.faults["*"] = refusing
        await session.refresh()
        once_failed = session.snapshot
        await session.refresh()
        away = session.snapshot
        service.faults.clear()
        await session.refresh()
        back = session.snapshot
    assert [each.link.state for each in (once_failed, away, back)] == [
        LinkState.RECONNECTING,
        LinkState.OFFLINE,
        LinkState.POLLING,
    ]
    assert [each.projection.stale for each in (once_failed, away, back)] == [False, True, False]
    assert {len(each.events) for each in (once_failed, away, back)} == {2}


async def test_a_refused_bearer_is_said(service: FakeService, tmp_path: Path) -> None:
    service.faults["*"] = lambda _: json_answer({"error": "unauthorized", "message": "we cannot verify it"}, 401)
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert (session.snapshot.link.state, session.snapshot.link.detail) == (
        LinkState.UNAUTHORIZED,
        "we cannot verify it",
    )


async def test_a_page_against_the_rules_is_said_and_moves_nothing(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
        page = {"events": [], "page": {"after": "2", "next_after": "2", "has_more": True}}
        service.faults[EVENTS] = lambda _: json_answer(page)
        await session.refresh()
        assert "does not advance" in session.snapshot.link.detail
        assert session.snapshot.history.through == "2"


async def test_another_history_behind_the_same_address_is_noticed_and_not_mixed(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
        service.world = World()
        service.world.say("kit", "observation", summary="elsewhere")
        await session.refresh()
        snapshot = session.snapshot
    assert [heard.event and heard.event.evidence["body"]["summary"] for heard in snapshot.events] == ["elsewhere"]
    assert (snapshot.history.reset_from, snapshot.history.through) == ("2", "1")


async def test_a_longer_other_history_is_noticed_after_an_outage(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
        service.faults["*"] = refusing
        await session.refresh()
        service.faults.clear()
        service.world = World()
        for number in range(5):
            service.world.say("kit", "observation", summary=str(number))
        await session.refresh()
        snapshot = session.snapshot
    assert len(snapshot.events) == 5
    assert snapshot.history.reset_from == "2"


async def test_a_later_word_on_a_known_event_replaces_the_one_before(service: FakeService, tmp_path: Path) -> None:
    parent = service.world.event("ana", "observation", summary="late")
    child = service.world.say("bo", "observation", summary="child", parents=(parent,))
    async with service.open(tmp_path) as session:
        await session.refresh()
        before = session.snapshot.by_id[child.event.event_id].record
        service.world.store(parent)
        await session.refresh()
        after = session.snapshot.by_id[child.event.event_id].record
    assert (before.missing_parents, after.missing_parents) == ((parent.event_id,), ())


async def test_a_malformed_event_does_not_take_the_page_down(service: FakeService, tmp_path: Path) -> None:
    page = service.world.page()
    page["events"][0]["event"] = {"event_id": 7}
    page["events"][1]["event"]["kind"] = "unheard.of"
    service.faults[EVENTS] = lambda _: json_answer(page)
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert [heard.verdict for heard in session.snapshot.events] == [Verdict.MALFORMED] * 2


async def test_keys_that_cannot_be_read_give_no_key_and_are_asked_for_again_later(
    service: FakeService, tmp_path: Path
) -> None:
    keys = f"/v1/identities/{service.world.people['ana'].sender().identity_id}/keys"
    service.faults[keys] = lambda _: json_answer({"error": "internal_error"}, 500)
    time = VirtualTime()
    async with service.open(tmp_path, timing=time.timing) as session:
        for _ in range(3):
            await session._following.refresher.now()
        assert [heard.verdict for heard in session.snapshot.events] == [Verdict.NO_KEY, Verdict.LISTED]
        assert service.asked[f"GET {keys}"] == 1
        del service.faults[keys]
        time.now += 31
        await session.refresh()
    assert [heard.verdict for heard in session.snapshot.events] == [Verdict.LISTED] * 2


async def test_a_revocation_and_a_changed_key_are_learnt_in_time(service: FakeService, tmp_path: Path) -> None:
    time = VirtualTime()
    async with service.open(tmp_path, timing=time.timing) as session:
        await session.refresh()
        service.key_changes["ana"] = {"active": False}
        service.key_changes["bo"] = {"public_key": b64encode(service.world.people["zed"].public_key).decode()}
        time.now += 301
        await session.refresh()
    assert [heard.verdict for heard in session.snapshot.events] == [Verdict.KEY_REVOKED, Verdict.KEY_CHANGED]


async def test_somebody_new_is_named_when_they_first_speak(service: FakeService, tmp_path: Path) -> None:
    zed = service.world.people.pop("zed")
    time = VirtualTime()
    async with service.open(tmp_path, timing=time.timing) as session:
        await session.refresh()
        service.world.people["zed"] = zed
        service.world.say("zed", "observation", summary="new here")
        time.now += 31
        await session.refresh()
    assert session.snapshot.name_of(zed.sender().identity_id) == "zed"
    assert session.snapshot.events[-1].verdict is Verdict.LISTED


async def test_hostile_identities_are_left_out(service: FakeService, tmp_path: Path) -> None:
    rows = [{"id": "../../keys", "display_name": "x"}, {"id": "", "display_name": None}]
    service.faults["/v1/identities"] = lambda _: json_answer({"identities": rows})
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert not session.snapshot.identities
    assert all(".." not in path for path in service.asked)


async def test_the_clock_is_measured_from_the_answers(service: FakeService, tmp_path: Path) -> None:
    def dated(request: httpx.Request) -> httpx.Response:
        return json_answer(service.world.page(), headers={"Date": "Thu, 14 May 2026 13:00:10 GMT"})

    service.faults[EVENTS] = dated
    time = VirtualTime()
    async with service.open(tmp_path, timing=time.timing) as session:
        await session.refresh()
    now = session.snapshot.clock.now(5.0)
    assert now is not None
    assert now == datetime(2026, 5, 14, 13, 0, 16, tzinfo=UTC)
    assert session.snapshot.clock.uncertainty == 1.0


@pytest.mark.parametrize(
    ("data", "news"),
    [
        (b"not json", True),
        (b'{"key":"correspondence","context":{"received_seq":"3"}}', True),
        (b'{"key":"correspondence"}', True),
        (b'{"key":"correspondence","context":{"received_seq":"not a cursor"}}', True),
        (b'{"key":"correspondence","context":{"received_seq":"2"}}', False),
        (b'{"key":"correspondence","context":{"received_seq":"3","repository_id":"repo:other"}}', False),
        (b'{"key":"correspondence","context":{"received_seq":"3","repository_id":"acme/widgets"}}', True),
        (b'{"key":"memory","context":{"received_seq":"3"}}', False),
    ],
)
async def test_a_frame_is_news_when_it_is_about_an_unread_event_of_this_repository(
    data: bytes, news: bool, service: FakeService, tmp_path: Path
) -> None:
    """Frames cover the whole project, may repeat, and carry nothing but a hint (§7.1)."""
    published = Published(Snapshot(REPOSITORY_ID))
    reader = Reader(
        Client(BASE_URL, BEARER, transport=service.transport),
        REPOSITORY_ID,
        trust=Trust(tmp_path / "trust.sqlite3", Place("x", PROJECT_ID, REPOSITORY_ID)),
        directory=Directory(Client(BASE_URL, BEARER, transport=service.transport), Timing()),
        published=published,
        monotonic=lambda: 0.0,
    )
    await reader.refresh(lambda snapshot: snapshot)
    stream = httpx.Response(
        200, headers={"Content-Type": "text/event-stream"}, content=b"event: change\ndata: " + data + b"\n\n"
    )
    async with client_of(lambda _: stream) as client:
        frames = [frame async for frame in subscribe(client, uuid(2, 1))]
    assert [reader.is_news(frame) for frame in frames] == [news]
