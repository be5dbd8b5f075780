"""Requests that no client of ours sends: none of them is a fault of the service (§2, §7)."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from corr_tui.server.database import Database
from corr_tui.server.embed import EmbeddedService
from corr_tui.server.refusal import Refused
from corr_tui.server.submission import read_submission
from tests.correspondents import PROJECT_ID, World, uuid
from tests.server.scene import BEARER, CLAIMS, EVENTS, VOICE, Scene

EVIDENCE: dict[str, Any] = World().event("ana", "intent", summary="hello").evidence
GOOD = json.dumps(EVIDENCE).encode()

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)
members = st.dictionaries(st.sampled_from(sorted(EVIDENCE)), values, max_size=3)


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    """A good body cut somewhere, with some bytes in the middle replaced."""
    start, end = sorted((draw(st.integers(0, len(GOOD))), draw(st.integers(0, len(GOOD)))))
    return GOOD[:start] + draw(st.binary(max_size=6)) + GOOD[end:]


bodies = st.one_of(
    st.binary(max_size=64),
    mangled(),
    members.map(lambda changes: json.dumps({**EVIDENCE, **changes}).encode()),
    st.integers(1, 60_000).map(lambda depth: b"[" * depth),
)


def outcome(body: bytes) -> dict[str, Any]:
    """The evidence in a body, or how it is refused."""
    try:
        return read_submission(body, PROJECT_ID).event.evidence
    except Refused as refused:
        return {"status": refused.status, **refused.body()}


@given(bodies)
def test_any_bytes_are_read_or_refused_with_a_code_sections_2_7(body: bytes) -> None:
    found = outcome(body)
    assert found == EVIDENCE or (found["status"] in (400, 403) and json.dumps(found))


@pytest.fixture
def service(database: Database) -> Iterator[EmbeddedService]:
    """The service on a loopback socket."""
    with EmbeddedService(database, bearers={BEARER: PROJECT_ID}) as service:
        yield service


BEARING = f"Host: x\r\nAuthorization: Bearer {BEARER}\r\n"
HEAD = f"POST {EVENTS} HTTP/1.1\r\n{BEARING}Content-Type: application/json\r\n"
RAW = [
    b"\x00\xff\xfe\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"BREW /coffee HTTP/1.1\r\nHost: x\r\n\r\n",
    f"{HEAD}Content-Length: 10\r\n\r\n{{}}".encode(),
    f"{HEAD}Content-Length: nine\r\n\r\n{{}}".encode(),
    f"{HEAD}Content-Length: -1\r\n\r\n{{}}".encode(),
    f"{HEAD}Content-Length: {'9' * 400}\r\n\r\n{{}}".encode(),
    f"{HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}".encode(),
    f"{HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode(),
    f"{HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n".encode(),
    f"{HEAD}X-Large: {'x' * 200_000}\r\nContent-Length: 2\r\n\r\n{{}}".encode(),
    f"GET {EVENTS}?repository_id={'a' * 100_000} HTTP/1.1\r\n{BEARING}\r\n".encode(),
    f"GET {VOICE}?repository_id=%00%ff HTTP/1.1\r\n{BEARING}\r\n".encode(),
    f"GET {CLAIMS}?\xff HTTP/1.1\r\n{BEARING}\r\n".encode("latin-1"),
    "GET /v1/wake HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer at_\xff\xfe\r\n\r\n".encode("latin-1"),
    f"GET /v1/wake/voice?identity_id=%27%22 HTTP/1.1\r\n{BEARING}\r\n".encode(),
]


def test_no_raw_bytes_bring_a_fault_or_the_service_down_section_7(service: EmbeddedService) -> None:
    host, port = service.base_url.removeprefix("http://").split(":")
    for raw in RAW:
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            answer = read_all(connection)
        assert b" 500 " not in answer.split(b"\r\n")[0]
        assert b"Traceback" not in answer
    headers = {"Authorization": f"Bearer {BEARER}"}
    assert httpx.get(f"{service.base_url}/v1/wake", headers=headers).status_code == 200
    stored = httpx.post(service.base_url + EVENTS, json=EVIDENCE, headers=headers)
    assert stored.json()["receipt"]["received_seq"] == "1"


def read_all(connection: socket.socket) -> bytes:
    """Whatever the other side sends until it closes or resets."""
    answer = b""
    try:
        while part := connection.recv(65_536):
            answer += part
    except ConnectionResetError:
        pass
    return answer


async def test_a_request_that_ends_before_its_body_stores_nothing_section_7(scene: Scene) -> None:
    coming: list[Message] = [
        {"type": "http.request", "body": GOOD, "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent: list[Message] = []

    async def receive() -> Message:
        return coming.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"authorization", f"Bearer {BEARER}".encode()), (b"content-type", b"application/json")]
    await scene.app(
        {
            "type": "http",
            "method": "POST",
            "scheme": "http",
            "path": EVENTS,
            "raw_path": EVENTS.encode(),
            "query_string": b"",
            "headers": headers,
        },
        receive,
        send,
    )
    assert sent[0]["status"] == 400
    assert (await scene.read(EVENTS))["events"] == []


@pytest.mark.parametrize("path", ["/v1/identities/%00/keys", f"/v1/identities/{uuid(2, 1)}%0a/keys"])
async def test_a_malformed_identity_in_a_path_is_refused_section_7(scene: Scene, path: str) -> None:
    answer = await scene.client.get(path)
    assert (answer.status_code, answer.json()["error"]) == (400, "identity_id_invalid")


async def test_concurrent_requests_do_not_mix_their_answers_section_7(scene: Scene) -> None:
    events = [scene.world.event("ana", "progress", summary=str(number)) for number in range(20)]
    answers = await asyncio.gather(*(scene.post(event) for event in events))
    assert [answer.json()["event"]["event_id"] for answer in answers] == [event.event_id for event in events]
