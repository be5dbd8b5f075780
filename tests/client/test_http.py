"""The routes: what goes out, and what a hostile or broken answer becomes."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from corr_tui.client import http
from corr_tui.client.errors import (
    AppendUnavailable,
    ClientError,
    Phase,
    Refused,
    TooManyRequests,
    UnexpectedAnswer,
    Unreachable,
    Unsendable,
)
from corr_tui.client.http import MEDIA_TYPE, Client, Exchange, Fresh, NotModified
from corr_tui.client.wake import subscribe
from tests.client.answering import BASE_URL, BEARER, always, client_of, json_answer, raw_answer
from tests.correspondents import World


def page() -> dict[str, object]:
    """An empty page of events."""
    return {"events": [], "page": {"after": None, "next_after": None, "has_more": False}}


async def test_a_read_sends_its_query_its_bearer_and_what_it_accepts() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return json_answer(page())

    async with client_of(answer) as client:
        await client.events("repo:a/b c", thread_id="task:1&x", after="9007199254740993", limit=7)
    (request,) = asked
    assert request.url.path == "/v1/correspondence/events"
    assert dict(request.url.params) == {
        "repository_id": "repo:a/b c",
        "thread_id": "task:1&x",
        "after": "9007199254740993",
        "limit": "7",
    }
    assert request.headers["Authorization"] == f"Bearer {BEARER}"
    assert request.headers["Accept"].startswith(MEDIA_TYPE)
    assert request.headers["Accept-Encoding"] == "identity"


async def test_a_post_sends_exactly_the_bytes_it_was_given() -> None:
    world = World()
    record = world.say("ana", "observation", summary="hello")
    sent: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.content)
        return json_answer(world.record_json(record), 201)

    async with client_of(answer) as client:
        posted = await client.post_event(b'{"exact":  "bytes"}')
    assert sent == [b'{"exact":  "bytes"}']
    assert posted.receipt == record.receipt


async def test_a_validator_goes_out_and_304_costs_no_body() -> None:
    """An exact matching If-None-Match is answered with 304 (§7)."""
    world = World()

    def answer(request: httpx.Request) -> httpx.Response:
        if request.headers.get("If-None-Match") == '"sha256-1"':
            return httpx.Response(304)
        return json_answer(world.voice(), headers={"ETag": '"sha256-1"'})

    async with client_of(answer) as client:
        fresh = await client.voice("repo:a")
        assert isinstance(fresh, Fresh)
        assert fresh.etag == '"sha256-1"'
        assert await client.voice("repo:a", etag=fresh.etag) == NotModified()


async def test_the_raw_json_is_what_the_service_sent() -> None:
    value = {**page(), "unheard_of": [1, None, "x"]}
    async with client_of(always(json_answer(value))) as client:
        assert await client.events_json("repo:a") == value


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(302, headers={"Location": "http://elsewhere.example/"}),
        httpx.Response(304),
        httpx.Response(200, headers={"Content-Type": "text/html"}, content=b"<html>sign in</html>"),
        raw_answer(b'{"events":[],"events":[]}'),
        raw_answer(b'{"events":[{"event":{},"receipt":{"received_seq":1.5}}]}'),
        raw_answer(b'\xef\xbb\xbf{"events":[]}'),
        raw_answer(b'{"events":[]}'),
        raw_answer(b"[" * 5000),
        raw_answer(b""),
        json_answer({"events": [], "page": {"after": None, "next_after": "007", "has_more": False}}),
        json_answer({"events": [], "page": {"after": None, "next_after": "9" * 5000, "has_more": False}}),
    ],
)
async def test_an_answer_outside_of_the_contract_is_unexpected(answer: httpx.Response) -> None:
    async with client_of(always(answer)) as client:
        with pytest.raises(UnexpectedAnswer):
            await client.events("repo:a")


async def test_a_compressed_answer_is_not_unpacked() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        headers = {"Content-Type": MEDIA_TYPE, "Content-Encoding": "gzip"}
        return httpx.Response(200, headers=headers, stream=Body([gzip.compress(json.dumps(page()).encode())]))

    async with client_of(answer) as client:
        with pytest.raises(UnexpectedAnswer, match="compressed"):
            await client.events("repo:a")


class Body(httpx.AsyncByteStream):
    """Pieces of a body, and perhaps an exception after them."""

    def __init__(self, pieces: list[bytes], error: Exception | None = None) -> None:
        self.pieces = pieces
        self.error = error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece
        if self.error is not None:
            raise self.error


async def test_no_redirect_takes_the_bearer_along() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(307, headers={"Location": "http://elsewhere.example/v1/wake"})

    async with client_of(answer) as client:
        with pytest.raises(UnexpectedAnswer):
            await client.project()
    assert [httpx.URL(url).host for url in asked] == ["service.example"]


async def test_an_answer_over_the_cap_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_ANSWER", 10)
    async with client_of(always(raw_answer(b'{"events":[1,2,3,4]}'))) as client:
        with pytest.raises(UnexpectedAnswer, match="larger"):
            await client.events("repo:a")


@pytest.mark.parametrize(
    ("error", "phase", "delivered"),
    [
        (httpx.ConnectError("no"), Phase.CONNECT, False),
        (httpx.ConnectTimeout("no"), Phase.CONNECT, False),
        (httpx.ReadTimeout("no"), Phase.TIMEOUT, True),
        (httpx.ReadError("no"), Phase.CUT, True),
        (httpx.RemoteProtocolError("no"), Phase.CUT, True),
    ],
)
async def test_a_lost_answer_says_how_far_the_request_came(error: Exception, phase: Phase, delivered: bool) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise error

    async with client_of(answer) as client:
        with pytest.raises(Unreachable) as raised:
            await client.post_event(b"{}")
    assert (raised.value.phase, raised.value.delivered) == (phase, delivered)


async def test_a_read_that_is_cut_is_tried_once_more_and_a_post_is_not() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.method)
        if len(asked) == 1:
            raise httpx.RemoteProtocolError("the kept connection had ended")
        return json_answer(page())

    async with client_of(answer) as client:
        await client.events("repo:a")
        assert asked == ["GET", "GET"]
        asked.clear()
        with pytest.raises(Unreachable):
            await client.post_event(b"{}")
        assert asked == ["POST"]


async def test_a_body_that_is_cut_is_lost() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        stream = Body([b'{"events"'], httpx.ReadError("cut"))
        return httpx.Response(200, headers={"Content-Type": MEDIA_TYPE}, stream=stream)

    async with client_of(answer) as client:
        with pytest.raises(Unreachable):
            await client.events("repo:a")


@pytest.mark.parametrize(
    ("status", "body", "expected", "definite"),
    [
        (503, {"error": "correspondence_append_unavailable"}, AppendUnavailable, False),
        (429, {"error": "slow_down"}, TooManyRequests, False),
        (403, {"error": "signature_invalid", "message": "no"}, Refused, True),
        (408, {}, Refused, False),
        (418, ["not", "an", "object"], Refused, True),
    ],
)
async def test_only_a_decision_against_the_event_is_definite(
    status: int, body: object, expected: type[Refused], definite: bool
) -> None:
    async with client_of(always(json_answer(body, status))) as client:
        with pytest.raises(expected) as raised:
            await client.post_event(b"{}")
    assert raised.value.definite is definite


DATE = "Mon, 30 Nov 2026 15:25:45 GMT"


@pytest.mark.parametrize(
    ("field", "date", "seconds"),
    [
        ("7", DATE, 7.0),
        ("7", None, 7.0),
        ("soon", DATE, None),
        ("9" * 400, DATE, 999_999_999.0),
        ("-1", DATE, None),
        ("Mon, 30 Nov 2026 15:27:45 GMT", DATE, 120.0),
        ("Monday, 30-Nov-26 15:27:45 GMT", DATE, 120.0),
        ("Mon, 30 Nov 2026 15:25:00 GMT", DATE, 0.0),
        ("Mon, 30 Nov 2026 15:27:45 GMT", None, None),
        ("Mon, 30 Nov 2026 15:27:45 GMT", "yesterday", None),
    ],
)
async def test_retry_after_is_read_in_seconds_or_as_a_moment_of_the_service(
    field: str, date: str | None, seconds: float | None
) -> None:
    headers = {"Retry-After": field, **({"Date": date} if date else {})}
    async with client_of(always(json_answer({"error": "later"}, 503, headers))) as client:
        with pytest.raises(Refused) as raised:
            await client.events("repo:a")
    assert raised.value.retry_after == seconds


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(200, headers={"Content-Type": "text/html"}, content=b"<html>sign in</html>"), "web page"),
        (httpx.Response(302, headers={"Location": "http://portal.example/"}), "302 leads elsewhere"),
        (httpx.Response(511, headers={"Content-Type": "text/html"}, content=b"<html>sign in</html>"), "sign-in"),
    ],
)
async def test_a_captive_portal_is_called_one_by_reads_and_by_the_stream(answer: httpx.Response, words: str) -> None:
    async with client_of(always(answer)) as client:
        with pytest.raises(UnexpectedAnswer, match=words):
            await client.events("repo:a")
        with pytest.raises(UnexpectedAnswer, match=words):
            await anext(subscribe(client, "22222222-2222-4222-8222-222222222222"))


async def test_a_proxy_that_is_none_makes_a_client_unsendable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "carrier-pigeon://x")
    with pytest.raises(Unsendable, match="proxy"):
        Client("https://service.example", BEARER)


async def test_authorities_that_cannot_be_read_make_a_client_unsendable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "authorities.pem"
    broken.write_text("no certificate", encoding="ascii")
    for path in (broken, tmp_path / "nowhere.pem"):
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        with pytest.raises(Unsendable, match="SSL_CERT_FILE"):
            Client("https://127.0.0.1:1", BEARER)


async def test_every_answer_tells_the_service_s_date_and_the_round_trip() -> None:
    heard: list[Exchange] = []
    answer = json_answer(page(), headers={"Date": "Mon, 30 Nov 2026 15:25:45 GMT"})
    async with client_of(always(answer), heard.append) as client:
        await client.events("repo:a")
    assert heard[0].date == datetime(2026, 11, 30, 15, 25, 45, tzinfo=UTC)
    assert heard[0].began <= heard[0].ended


async def test_a_fraction_outside_of_the_profile_is_passed_over() -> None:
    body = b'{"identities":[{"id":"x","display_name":"ana","trust_score":0.5,"big":123456789012345678901}]}'
    async with client_of(always(raw_answer(body))) as client:
        assert [each.display_name for each in await client.identities()] == ["ana"]


@pytest.mark.parametrize(
    "body",
    [b'{"project":{"id":1}}', b'{"project":{"id":"a","id":"b","x":0.5}}', b'{"x":0.5,"y":{"a":1,"a":2}}', b"1" * 9999],
)
async def test_a_broken_wake_document_is_unexpected(body: bytes) -> None:
    async with client_of(always(raw_answer(body))) as client:
        with pytest.raises(UnexpectedAnswer):
            await client.project()


@pytest.mark.parametrize(
    "base_url", ["", "service.example", "ftp://service.example", "http://", "http://u:p@s.example"]
)
def test_an_address_without_its_form_is_refused(base_url: str) -> None:
    with pytest.raises(Unsendable):
        Client(base_url, BEARER)


@pytest.mark.parametrize("bearer", ["", "two words", "line\nbreak", "ünïcode"])
def test_a_bearer_without_its_form_is_refused_and_not_repeated(bearer: str) -> None:
    with pytest.raises(Unsendable) as raised:
        Client(BASE_URL, bearer)
    assert not bearer or bearer not in str(raised.value)


async def _fail(client: Client) -> ClientError:
    try:
        await client.events("repo:a")
    except ClientError as error:
        return error
    raise AssertionError("the read was answered")


def _raise(error: Exception) -> Callable[[httpx.Request], httpx.Response]:
    def answer(_: httpx.Request) -> httpx.Response:
        raise error

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        always(json_answer({"error": "unauthorized", "message": "no"}, 401)),
        always(httpx.Response(302)),
        _raise(httpx.ConnectError(f"at {BEARER}")),
    ],
)
async def test_the_bearer_is_in_no_error_and_no_text_form(answer: Callable[[httpx.Request], httpx.Response]) -> None:
    async with client_of(answer) as client:
        error = await _fail(client)
        texts = (repr(client), str(error), repr(error), str(error.__dict__), repr(error.__cause__))
    assert not any(BEARER in text for text in texts)
    assert error.__context__ is None or error.__suppress_context__


@pytest.mark.parametrize(
    "body", [b"<html>bad gateway</html>", b"", b'{"error":7,"message":[],"issues":[1,{}]}', b"[" * 9999]
)
async def test_a_refusal_that_says_nothing_usable_is_still_one(body: bytes) -> None:
    async with client_of(always(httpx.Response(502, content=body))) as client:
        with pytest.raises(Refused) as raised:
            await client.events("repo:a")
    assert (raised.value.status, raised.value.error, str(raised.value)) == (502, "", "status 502")


async def test_an_answer_that_drips_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "DEADLINE", 0.01)

    async def answer(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    client = Client(BASE_URL, BEARER, transport=httpx.MockTransport(answer))
    with pytest.raises(Unreachable) as raised:
        await client.project()
    await client.aclose()
    assert raised.value.phase is Phase.TIMEOUT


@pytest.mark.parametrize("field", ["yesterday", "Mon, 99 Nov 2026 15:25:45 GMT", ""])
async def test_a_date_that_is_none_is_none(field: str) -> None:
    heard: list[Exchange] = []
    async with client_of(always(json_answer(page(), headers={"Date": field})), heard.append) as client:
        await client.events("repo:a")
    assert heard[0].date is None


async def test_claims_and_voice_are_read_raw_as_well() -> None:
    value = {"claims": [], "unheard_of": 1}
    async with client_of(always(json_answer(value))) as client:
        assert await client.claims_json("repo:a", path="src") == value
        assert await client.voice_json("repo:a", thread_id="task:1") == value


def test_what_is_no_transport_is_refused() -> None:
    with pytest.raises(Unsendable):
        Client(BASE_URL, BEARER, transport=object())
