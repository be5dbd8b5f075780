"""What a real service says becomes records, typed errors and frames."""

from __future__ import annotations

import json

import httpx
import pytest

from corr_tui.client.errors import (
    ClientError,
    IdentityUnknown,
    ProjectionUnavailable,
    Refused,
    ServiceFailed,
    TooManyRequests,
    Unauthorized,
    UnexpectedAnswer,
)
from corr_tui.client.http import Fresh, NotModified
from corr_tui.client.links import CLAIMS, VOICE, live_template, read_link
from corr_tui.client.wake import FrameKind, subscribe
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import Record, Voice
from corr_tui.protocol.signing import verify
from tests.client.answering import always, client_of
from tests.client.recordings import Exchange, exchanges, needs_recordings, stream_of

pytestmark = needs_recordings

ALL = exchanges()
IDENTITY = "602304a6-d938-42f0-9b71-2e6d5f4c27b8"


def answered(method: str, status: int, *prefixes: str) -> list[Exchange]:
    """The recorded answers of a method and status whose names start so."""
    return [
        each
        for name, each in ALL.items()
        if each.method == method and each.response.status_code == status and name.startswith(prefixes)
    ]


PAGES = [each for each in answered("GET", 200, "events-") if each.name != "events-atom"]
VOICES = answered("GET", 200, "voice-")
CLAIMS_READ = answered("GET", 200, "claims-")
POSTS = [*answered("POST", 200, "post-"), *answered("POST", 201, "post-")]
REFUSALS = [each for each in ALL.values() if each.response.status_code >= 400]


def test_there_are_recordings_of_every_sort() -> None:
    assert all((PAGES, VOICES, CLAIMS_READ, POSTS, REFUSALS))


async def listed_keys() -> dict[str, bytes]:
    """The keys the service lists for its participants."""
    found = {}
    for name in ("identity-keys", "identity-keys-second"):
        async with client_of(always(ALL[name].response)) as client:
            found.update({key.kid: key.raw for key in await client.keys(IDENTITY)})
    return {kid: raw for kid, raw in found.items() if raw is not None}


async def prove(records: tuple[Record, ...]) -> None:
    """Every event is one of the profile and holds under its listed key."""
    keys = await listed_keys()
    for record in records:
        assert isinstance(record.event, Event)
        verify(record.event, keys[record.event.sender.signing_key_id])


@pytest.mark.parametrize("exchange", PAGES, ids=lambda each: each.name)
async def test_every_page_of_events_becomes_records_that_verify(exchange: Exchange) -> None:
    async with client_of(always(exchange.response)) as client:
        page = await client.events("repo:local/test")
    assert [record.receipt.received_seq for record in page.events] == [
        row["receipt"]["received_seq"] for row in json.loads(exchange.response.content)["events"]
    ]
    await prove(page.events)


@pytest.mark.parametrize("exchange", VOICES, ids=lambda each: each.name)
async def test_every_voice_becomes_a_record_whose_events_verify(exchange: Exchange) -> None:
    async with client_of(always(exchange.response)) as client:
        answer = await client.voice("repo:local/test")
    assert isinstance(answer, Fresh)
    assert answer.etag
    assert isinstance(answer.value, Voice)
    await prove(answer.value.recent_events)


@pytest.mark.parametrize("exchange", CLAIMS_READ, ids=lambda each: each.name)
async def test_every_claims_answer_becomes_a_record(exchange: Exchange) -> None:
    async with client_of(always(exchange.response)) as client:
        answer = await client.claims("repo:local/test")
    assert isinstance(answer, Fresh)
    assert len(answer.value.claims) == len(json.loads(exchange.response.content)["claims"])


@pytest.mark.parametrize("exchange", POSTS, ids=lambda each: each.name)
async def test_every_accepted_post_becomes_a_record_that_verifies(exchange: Exchange) -> None:
    async with client_of(always(exchange.response)) as client:
        record = await client.post_event(b"{}")
    await prove((record,))


@pytest.mark.parametrize("exchange", REFUSALS, ids=lambda each: each.name)
async def test_every_refusal_becomes_a_typed_error_in_the_service_s_words(exchange: Exchange) -> None:
    body = json.loads(exchange.response.content)
    async with client_of(always(exchange.response)) as client:
        with pytest.raises(Refused) as raised:
            await client.events("repo:local/test")
    refused = raised.value
    assert (refused.status, refused.error) == (exchange.response.status_code, body["error"])
    assert refused.message == body.get("message", "")
    assert [tuple(issue.path) for issue in refused.issues] == [tuple(each["path"]) for each in body.get("issues", [])]
    assert str(refused)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("401-bad-bearer", Unauthorized),
        ("wake-401", Unauthorized),
        ("pristine-voice-503", ProjectionUnavailable),
        ("pristine-claims-503", ProjectionUnavailable),
        ("wake-404-unknown-identity", IdentityUnknown),
        ("wake-410-revoked", IdentityUnknown),
        ("wake-identity-not-uuid", ServiceFailed),
    ],
)
async def test_refusals_are_told_apart(name: str, expected: type[ClientError]) -> None:
    async with client_of(always(ALL[name].response)) as client:
        with pytest.raises(expected):
            await client.voice("repo:local/test")


@pytest.mark.parametrize("name", ["voice-304", "voice-304-star", "voice-304-weak-form"])
async def test_a_304_means_that_what_was_read_is_current(name: str) -> None:
    async with client_of(always(ALL[name].response)) as client:
        assert await client.voice("repo:local/test", etag='"sha256-0"') == NotModified()


async def test_atom_is_not_taken_for_json() -> None:
    async with client_of(always(ALL["events-atom"].response)) as client:
        with pytest.raises(UnexpectedAnswer):
            await client.events("repo:local/test")


async def test_identities_and_their_names_are_read_tolerantly() -> None:
    async with client_of(always(ALL["identities-list"].response)) as client:
        assert {each.display_name: each.active for each in await client.identities()} == {"alice": True, "bob": True}


async def test_links_and_the_live_template_are_read() -> None:
    headers = ALL["voice-200"].response.headers
    rels = {rel for link in read_link(headers["Link"]) for rel in link.rels}
    assert {"self", "describedby", VOICE, CLAIMS} <= rels
    template = live_template(headers["Link-Template"])
    assert template == "http://service.example/v1/wake/voice?identity_id={identity_id}&keys=correspondence"


async def frames_of(body: bytes) -> list[FrameKind]:
    """The kinds of the frames of a stream."""
    response = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=body)
    async with client_of(always(response)) as client:
        return [frame.kind async for frame in subscribe(client, IDENTITY)]


@pytest.mark.parametrize("name", ["sse-change-alice", "sse-change-bob"])
async def test_a_recorded_stream_becomes_frames_each_change_with_its_cursor(name: str) -> None:
    body = stream_of(name)
    response = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=body)
    async with client_of(always(response)) as client:
        frames = [frame async for frame in subscribe(client, IDENTITY)]
    assert frames[0].kind is FrameKind.CONNECTED
    changes = [frame.wake for frame in frames if frame.kind is FrameKind.CHANGE]
    assert len(changes) == body.count(b"event: change\n")
    assert all(wake and wake.key == "correspondence" and wake.context.received_seq for wake in changes)


async def test_recorded_heartbeats_are_frames() -> None:
    frames = await frames_of(stream_of("sse-heartbeat-idle0-port55081"))
    assert frames == [FrameKind.CONNECTED, *[FrameKind.WELCOME] * 3]


async def test_the_recorded_rejection_asks_to_back_off() -> None:
    body = b'event: rejected\ndata: {"error":"subscriber_cap","reason":"subscriber_cap_reached","hint":"max 5"}\n\n'
    with pytest.raises(TooManyRequests) as raised:
        await frames_of(body)
    assert str(raised.value) == "subscriber_cap_reached"
