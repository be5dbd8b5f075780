"""Raw requests as no client sends them: whatever comes, no answer is 500 and the service goes on (§2, §7)."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import copy
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corr_tui.server.embed import EmbeddedService
from tests.correspondents import PROJECT_ID, World, uuid
from tests.server.scene import BEARER, CLAIMS, EVENTS, VOICE, open_world

EVIDENCE: dict[str, Any] = World().event("ana", "intent", summary="hello").evidence
GOOD = json.dumps(EVIDENCE).encode()
STREAM = "/v1/wake/voice"
ROUTES = (EVENTS, CLAIMS, VOICE, STREAM, "/v1/wake", "/v1/identities", f"/v1/identities/{uuid(2, 1)}/keys", "/", "*")
FOCUS = "?repository_id=a"
SECONDS = 5.0

printable = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=12)
names = st.sampled_from(("repository_id", "thread_id", "after", "limit", "path", "identity_id", "keys"))
values = st.one_of(printable, st.sampled_from(("a", "1", "%00", "%ff", "%", "%F0%9F%98%80", "9" * 40, "x" * 9000)))
queries = st.lists(st.tuples(names, values), max_size=3).map(
    lambda pairs: "?" + "&".join("=".join(pair) for pair in pairs)
)
fields = st.lists(
    st.tuples(
        st.sampled_from(("Accept", "If-None-Match", "Content-Type", "Host", "X-Forwarded-Proto", "Expect", "X-Any")),
        st.one_of(
            printable,
            st.text(st.characters(min_codepoint=0x80, max_codepoint=0xFF), max_size=6),
            st.sampled_from(("*", "*/*;q=", '"', 'W/"', "application/json", "100-continue", "y" * 7_000)),
        ),
    ),
    max_size=3,
)
bodies = st.one_of(
    st.just(b""),
    st.binary(max_size=40),
    st.integers(0, len(GOOD)).map(lambda length: GOOD[:length]),
    st.integers(1, 30_000).map(lambda depth: b'{"a":' * depth),
    st.integers(1, 30_000).map(lambda depth: b"[" * depth + b"]" * depth),
    st.just(b" " * 70_000),
)
lengths = st.one_of(
    st.none(), st.just(0), st.just(0), st.integers(-3, 3), st.sampled_from(("x", "1e3", "9" * 30, "chunked"))
)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """A request that is wrong in some places and right in others."""
    method = draw(st.sampled_from(("GET", "HEAD", "POST", "POST", "PUT", "get", "\x7f")))
    target = f"{draw(st.sampled_from(ROUTES))}{draw(st.one_of(st.just(FOCUS), st.just(''), queries))}"
    body: bytes = draw(bodies)
    length = draw(lengths)
    given = [("Host", "x"), ("Authorization", f"Bearer {BEARER}"), ("Content-Type", "application/json"), *draw(fields)]
    if length == "chunked":
        given.append(("Transfer-Encoding", "chunked"))
        body = draw(st.sampled_from((b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body), body)))
    elif length is None:
        body = body[: draw(st.sampled_from((0, 0, 0, 50)))]
    else:
        given.append(("Content-Length", str(len(body) + length) if isinstance(length, int) else length))
    head = "".join(f"{name}: {value}\r\n" for name, value in given)
    start = f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1")
    return start + body


@pytest.fixture(scope="module")
def address(settled_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """Where a service listens; SQLite is enough, as these requests hardly reach a database."""
    path = copy(settled_file, tmp_path_factory.mktemp("fuzz") / "service.db")
    database = open_world(f"sqlite:///{path}", World())
    with EmbeddedService(database, bearers={BEARER: PROJECT_ID}) as service:
        host, port = service.base_url.removeprefix("http://").split(":")
        yield host, int(port)
        answer = httpx.get(f"{service.base_url}/v1/wake", headers={"Authorization": f"Bearer {BEARER}"})
        assert answer.status_code == 200
    database.close()


def first_line(address: tuple[str, int], raw: bytes) -> bytes:
    """The first line that answers some bytes; nothing when the connection is closed without one."""
    with socket.create_connection(address, timeout=SECONDS) as connection:
        with suppress(OSError):  # it may be closed while something is still sent
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        with suppress(ConnectionError):
            answer = connection.recv(65_536)
    return answer.partition(b"\r\n")[0]


@settings(max_examples=150, deadline=None)
@given(raw=st.one_of(requests(), st.binary(max_size=200)))
def test_no_request_is_answered_with_500_sections_2_and_7(address: tuple[str, int], raw: bytes) -> None:
    status = first_line(address, raw)
    assert status == b"" or status.startswith(b"HTTP/1.1 ")
    assert status[9:10] != b"5"
