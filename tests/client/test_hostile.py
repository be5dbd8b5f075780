"""A service that lies or rambles: whatever its headers and bodies hold is a value or a ClientError, and bounded."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.client import http
from corr_tui.client.bounds import MAX_NAME, MAX_WORDS, cut
from corr_tui.client.errors import Refused, TooManyRequests, UnexpectedAnswer, Unsendable
from corr_tui.client.http import Client, Exchange, Fresh
from corr_tui.client.links import LIVE, LIVE_TEMPLATE, MAX_TEMPLATE, expand_live, live_template
from corr_tui.client.wake import subscribe
from corr_tui.protocol.records import MalformedEvent
from corr_tui.protocol.strict_json import decode
from tests.client.answering import BASE_URL, BEARER, always, client_of, json_answer, raw_answer
from tests.correspondents import World, claim

IDENTITY = "22222222-2222-4222-8222-222222222222"
SPECIFIED = BASE_URL + LIVE_TEMPLATE.replace("{identity_id}", IDENTITY)
NAMED = f'; rel="{LIVE}"'

BAD_TEMPLATES = [
    "/x?i={identity_id:x}",
    "/x{identity_id:}",
    "/x{identity_id}{+:9}{:}{,,}",
    "/" + "a" * 70_000 + "{identity_id}",
    "/" + "{identity_id}" * 200,
    "http://[::1{identity_id}",
    "http://service.example:99999/{identity_id}",
    "//service.example:80@evil/{identity_id}",
    "/\\evil.example/{identity_id}",
    "/a b/{identity_id}",
]

PIECES = ["{", "}", "{identity_id}", "{+identity_id:3}", "{identity_id*}", ":", "*", ",", "/", "//", "?", "@", "[", "]"]
PIECES += ["\\\\", "%", "%zz", "http", "service.example", "#", ".", " ", "9" * 30, "a" * 3000, "^", "`"]
templates = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)


def asked_for(url: str) -> httpx.URL:
    """The address as the library asks for it; raises what it raises."""
    return httpx.AsyncClient(verify=False).build_request("GET", url).url


@pytest.mark.parametrize("template", BAD_TEMPLATES)
def test_a_template_that_leads_nowhere_gives_way_to_the_specified_route(template: str) -> None:
    assert expand_live(live_template(f'"{template}"{NAMED}'), BASE_URL, IDENTITY) == SPECIFIED
    assert expand_live(template, BASE_URL, IDENTITY) == SPECIFIED


@given(templates, st.sampled_from(["", NAMED, NAMED * 2, "; rel", "; rel=1", ", (", '"']))
def test_any_field_gives_an_address_on_the_origin_that_can_be_asked(template: str, rest: str) -> None:
    url = asked_for(expand_live(live_template(f'"{template}"{rest}'), BASE_URL, IDENTITY))
    assert (url.scheme, url.host, url.port, url.userinfo) == ("http", "service.example", None, b"")
    assert len(str(url)) <= MAX_TEMPLATE + 200


@given(st.text(max_size=60) | st.text('@9-1.:*?%"()=; ,\\', max_size=60))
def test_any_text_is_some_field_or_none(field: str) -> None:
    asked_for(expand_live(live_template(field), BASE_URL, IDENTITY))


@pytest.mark.parametrize("template", BAD_TEMPLATES)
async def test_the_stream_opens_on_the_specified_route_whatever_is_advertised(template: str) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"})

    async with client_of(always(json_answer({"project": {"id": "x"}}, headers=_advertising(template)))) as client:
        await client.project()
        advertised = client._advertised
    async with client_of(answer) as client:
        client._advertised = advertised
        assert [frame async for frame in subscribe(client, IDENTITY)] == []
    assert asked == [SPECIFIED]


def _advertising(template: str) -> dict[str, str]:
    return {"Link-Template": f'"{template}"{NAMED}'}


async def _asking(base_url: str) -> None:
    client = Client(base_url, BEARER, transport=httpx.MockTransport(lambda _: json_answer({}, 404)))
    await client.project()


async def _subscribing(base_url: str) -> None:
    client = Client(base_url, BEARER, transport=httpx.MockTransport(lambda _: json_answer({}, 404)))
    async for _ in subscribe(client, IDENTITY):
        raise AssertionError


@pytest.mark.parametrize("base_url", ["http://ä\u202e.example", "http://" + "ä" * 300])
@pytest.mark.parametrize("ask", [_asking, _subscribing])
async def test_an_address_that_makes_no_url_is_unsendable(ask: Callable[[str], Any], base_url: str) -> None:
    with pytest.raises(Unsendable):
        await ask(base_url)


WORDS = [b"Fri,", b"31", b"Dec", b"9999", b"0001", b"23:59:59", b"GMT", b"-2359", b"+99999999", b"0", b"0:0:0", b"\xff"]
WORDS += [b"-0000", b"Mon", b"Jan", b"9" * 40, b":", b"24:60:60", b"(", b"-", b"+2400"]


@given(st.lists(st.sampled_from(WORDS), max_size=8).map(b" ".join) | st.binary(max_size=40))
async def test_any_header_is_read_or_passed_over(value: bytes) -> None:
    """Date, ETag, Retry-After, Link-Template and Content-Type hold whatever a service writes."""
    heard: list[Exchange] = []
    value = value.replace(b"\r", b"").replace(b"\n", b"")
    names = (b"Date", b"ETag", b"Retry-After", b"Link-Template")
    headers = [(name, value) for name in names] + [(b"Content-Type", b"application/json")]
    body = json.dumps(World().voice()).encode()

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(429 if request.url.path == "/v1/wake" else 200, headers=headers, content=body)

    async with client_of(answer, heard.append) as client:
        first = await client.voice("repo:a")
        assert isinstance(first, Fresh)
        await client.voice("repo:a", etag=first.etag)
        with pytest.raises(TooManyRequests):
            await client.project()
        asked_for(expand_live(client.live_template, BASE_URL, IDENTITY))
    assert len(heard) == 3


@given(st.text(max_size=30), st.integers(1, 20))
def test_what_is_cut_ends_in_an_ellipsis_and_keeps_its_beginning(text: str, most: int) -> None:
    short = cut(text, most)
    assert len(short) <= most
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))


async def test_names_are_cut() -> None:
    rows = [{"id": IDENTITY, "display_name": "ana" + "x" * 500_000}]
    async with client_of(
        always(json_answer({"identities": rows, "project": {"id": "x", "name": "y" * 9999}}))
    ) as client:
        (listed,) = await client.identities()
        project = await client.project()
    assert listed.display_name is not None
    assert (len(listed.display_name), listed.display_name[:4], listed.display_name[-1]) == (MAX_NAME, "anax", "…")
    assert len(project.name) == MAX_NAME


async def test_what_is_listed_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corr_tui.client.answers.MAX_LISTED", 2)
    rows = {"identities": [{"id": IDENTITY}] * 3, "keys": [{"kid": IDENTITY, "public_key": "x"}] * 3}
    async with client_of(always(json_answer(rows))) as client:
        assert (len(await client.identities()), len(await client.keys(IDENTITY))) == (2, 2)


@pytest.mark.parametrize("name", ["id", "kid", "public_key"])
async def test_an_identifier_over_its_bound_is_no_list(name: str) -> None:
    row = {"id": "x", "kid": "x", "public_key": "x", name: "x" * 300}
    async with client_of(always(json_answer({"identities": [row], "keys": [row]}))) as client:
        with pytest.raises(UnexpectedAnswer):
            await (client.identities() if name == "id" else client.keys("x"))


async def test_the_words_of_a_refusal_are_cut() -> None:
    long = "w" * 5000
    issue = {"path": [long, 3, None], "code": long, "message": long}
    body = {"error": long, "message": long, "hint": long, "issues": [issue]}
    async with client_of(always(json_answer(body, 422))) as client:
        refused = await _refusal(client)
    said = [refused.error, refused.message, refused.hint, refused.issues[0].code, refused.issues[0].message]
    assert [len(each) for each in said] == [MAX_WORDS] * 5
    assert refused.issues[0].path == ("w" * (MAX_WORDS - 1) + "…", 3, "")


async def _refusal(client: Client) -> Refused:
    with pytest.raises(Refused) as raised:
        await client.events("repo:a")
    return raised.value


@pytest.mark.parametrize("size", [100, 65_000, 70_000, 17 * 1024 * 1024])
async def test_a_refusal_is_its_status_however_long_it_talks(size: int) -> None:
    body = json.dumps({"error": "internal_error", "message": "x", "more": "y" * size}).encode()
    async with client_of(always(raw_answer(body, 500))) as client:
        refused = await _refusal(client)
    assert (refused.status, refused.error) == (500, "internal_error" if size < http.MAX_REFUSAL - 100 else "")


async def test_what_is_no_event_keeps_its_members_cut() -> None:
    world = World()
    world.say("ana", "observation", summary="x")
    page = json.loads(json.dumps(world.page()))
    page["events"][0]["event"].update(thread_id="t" * 100_000, kind="k" * 100_000, event_id="e" * 100_000)
    page["events"][0]["event"]["n" * 100_000] = 1
    async with client_of(always(json_answer(page))) as client:
        (record,) = (await client.events("repo:a")).events
        event = record.event
    assert isinstance(event, MalformedEvent)
    assert (len(event.event_id), len(event.evidence["thread_id"]), len(event.evidence["kind"])) == (256, 1000, 1000)
    assert max(map(len, event.evidence)) == MAX_NAME


async def test_warnings_are_cut() -> None:
    world = World()
    row = world.record_json(world.say("ana", "observation", summary="x"))
    warning = {"code": "c" * 9999, "detail": "d" * 9999}
    async with client_of(always(json_answer({**row, "warnings": [warning] * 500}, 201))) as client:
        record = await client.post_event(b"{}")
    assert len(record.warnings) == 100
    assert (len(record.warnings[0].code), len(record.warnings[0].detail)) == (MAX_NAME, MAX_WORDS)


@pytest.mark.parametrize("name", ["claim_id", "thread_id", "owner_identity_id"])
async def test_a_claim_whose_words_are_over_their_bound_is_no_projection(name: str) -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), expires_in=3600)
    voice = json.loads(json.dumps(world.voice()))
    voice["active_claims"][0][name] = "x" * 5000
    async with client_of(always(json_answer(voice))) as client:
        with pytest.raises(UnexpectedAnswer):
            await client.voice("repo:a")


@pytest.mark.parametrize(("padding", "beside"), [(0, False), (http.LARGE, True)])
async def test_a_large_body_is_decoded_beside_the_event_loop(
    padding: int, beside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def noted(raw: bytes, *limits: Any) -> Any:
        threads.append(threading.get_ident())
        return decode(raw, *limits)

    monkeypatch.setattr(http, "decode", noted)
    page = {"events": [], "page": {"after": None, "next_after": None, "has_more": False}, "pad": "x" * padding}
    async with client_of(always(json_answer(page))) as client:
        await client.events("repo:a")
    assert [each != threading.get_ident() for each in threads] == [beside]


@pytest.mark.parametrize("read", ["identities", "project", "keys"])
async def test_a_large_list_is_a_value_or_an_error_from_its_thread(read: str) -> None:
    call: dict[str, Callable[[Client], Any]] = {
        "identities": lambda client: client.identities(),
        "project": lambda client: client.project(),
        "keys": lambda client: client.keys(IDENTITY),
    }
    async with client_of(always(raw_answer(b"[" + b"1," * http.LARGE + b"]"))) as client:
        with pytest.raises(UnexpectedAnswer):
            await call[read](client)
