"""What passes between here and a service, written down."""

from __future__ import annotations

import asyncio
import errno
import io
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.client.blanking import BLANK, Blanking
from corr_tui.client.errors import ClientError, Unreachable
from corr_tui.client.http import MEDIA_TYPE, Client
from corr_tui.client.recorder import Recorder
from corr_tui.client.wake import FrameKind, subscribe
from tests.client.answering import BASE_URL, BEARER, always, json_answer, raw_answer

IDENTITY = "00000000-0000-4000-8000-000000000001"
Answering = Callable[[httpx.Request], httpx.Response]


class Kept(io.BytesIO):
    """A file that can be read after it was closed, and that may be full."""

    def __init__(self, room: int = 1 << 30) -> None:
        super().__init__()
        self.room = room
        self.kept = b""

    def write(self, data: Any) -> int:
        """Take as much as there is room for, as a disk does."""
        taken = bytes(data)[: self.room]
        if not taken:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= len(taken)
        self.kept += taken
        return len(taken)

    def lines(self) -> list[dict[str, Any]]:
        """Every whole line."""
        return [json.loads(line) for line in self.kept.split(b"\n")[:-1]]


@asynccontextmanager
async def recorded(answer: Answering, file: Kept) -> AsyncIterator[tuple[Client, Recorder]]:
    """A client that is answered by a function and recorded."""
    recorder = Recorder(file)  # type: ignore[arg-type]
    recorder.begin(BASE_URL, "acme/widgets", secrets=(BEARER,))
    client = Client(BASE_URL, BEARER, transport=httpx.MockTransport(answer), recorder=recorder)
    try:
        yield client, recorder
    finally:
        await client.aclose()
        recorder.close()


def streaming(*chunks: bytes, then: Exception | None = None) -> Answering:
    """A wake stream of these pieces."""

    class Pieces(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for chunk in chunks:
                yield chunk
            if then is not None:
                raise then

    return lambda _: httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=Pieces())


async def kinds_of(client: Client) -> list[FrameKind]:
    """The frames of one subscription."""
    return [frame.kind async for frame in subscribe(client, IDENTITY)]


async def test_a_read_is_two_lines_with_what_matters_of_it() -> None:
    file = Kept()
    project = json_answer(
        {"project": {"id": IDENTITY}}, headers={"Date": "Mon, 30 Nov 2026 20:00:00 GMT", "X-Powered-By": "x"}
    )
    async with recorded(always(project), file) as (client, _):
        await client.project()
    header, asked, answered = file.lines()
    assert (header["is"], header["format"], header["version"]) == ("recording", "corr-tui-recording", 1)
    assert (asked["is"], asked["n"], asked["method"], asked["target"]) == ("ask", 1, "GET", "/v1/wake")
    assert set(asked["headers"]) == {"accept"}
    assert (answered["is"], answered["n"], answered["status"], answered["how"]) == ("answer", 1, 200, "whole")
    assert answered["headers"] == {"content-type": MEDIA_TYPE, "date": "Mon, 30 Nov 2026 20:00:00 GMT"}
    assert json.loads(answered["text"]) == {"project": {"id": IDENTITY}}
    assert header["ms" if "ms" in header else "version"] <= asked["ms"] + 1
    assert asked["ms"] <= answered["ms"]


@pytest.mark.parametrize("body", [b"\xff\xfe", b"nul \x00", b"escape \x1b[2J", "C1 \x9b".encode()])
async def test_what_is_not_printable_is_written_in_base64(body: bytes) -> None:
    file = Kept()
    async with recorded(always(raw_answer(body)), file) as (client, _):
        with pytest.raises(ClientError):
            await client.project()
    assert "text" not in file.lines()[-1]
    assert "base64" in file.lines()[-1]


@pytest.mark.parametrize(
    ("error", "how"),
    [
        (httpx.ConnectError("x"), "connect"),
        (httpx.ReadTimeout("x"), "timeout"),
        (httpx.RemoteProtocolError("x"), "cut"),
    ],
)
async def test_a_fault_of_the_network_is_written_by_its_kind(error: Exception, how: str) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise error

    file = Kept()
    async with recorded(fail, file) as (client, _):
        with pytest.raises(Unreachable):
            await client.project()
    lost = [line for line in file.lines() if line["is"] == "lost"]
    assert {line["how"] for line in lost} == {how}
    assert len(lost) == (2 if how == "cut" else 1)  # a read that was cut is tried once more


async def test_a_stream_is_written_piece_by_piece_and_with_its_end() -> None:
    file = Kept()
    pieces = (b"event: connected\ndata: {}\n\n", b": still here\n", b"event: chan", b"ge\ndata: x\n\n")
    async with recorded(streaming(*pieces, then=httpx.ReadError("cut")), file) as (client, recorder):
        assert await kinds_of(client) == [FrameKind.CONNECTED, FrameKind.CHANGE]
        assert recorder.chunks == 4
    _, _, opened, *chunks, ended = file.lines()
    assert (opened["is"], opened["status"]) == ("open", 200)
    assert [chunk["text"].encode() for chunk in chunks] == list(pieces)
    assert (ended["is"], ended["how"]) == ("end", "cut")


async def test_a_stream_that_is_left_is_written_as_that() -> None:
    file = Kept()
    async with recorded(streaming(b"event: connected\ndata: {}\n\n", b"event: welcome\n\n"), file) as (client, _):
        async for _ in subscribe(client, IDENTITY):
            break
        await asyncio.sleep(0)
    assert file.lines()[2]["is"] == "open"


@given(st.integers(1, len(BEARER) - 1), st.sampled_from(["data: {}\n\n", "data: x{}y\n\n", ": {}\n"]))
def test_a_secret_cut_in_two_between_pieces_is_blanked(cut: int, frame: str) -> None:
    whole = frame.format(BEARER).encode()
    at = whole.index(BEARER.encode()) + cut

    async def take() -> Kept:
        file = Kept()
        async with recorded(streaming(whole[:at], whole[at:]), file) as (client, _):
            await kinds_of(client)
        return file

    file = asyncio.run(take())
    assert BEARER.encode() not in b"".join(line.get("text", "").encode() for line in file.lines())
    assert BLANK in file.kept


async def test_a_secret_that_ends_with_the_bytes_is_blanked_as_far_as_it_came() -> None:
    file = Kept()
    async with recorded(streaming(b"data: " + BEARER[:-1].encode()), file) as (client, _):
        await kinds_of(client)
    assert BEARER[:-1].encode() not in file.kept


@pytest.mark.parametrize(
    "echo",
    [
        BEARER,
        "".join(f"\\u00{ord(character):02x}" for character in BEARER),
        "".join(f"\\u00{ord(character):02X}" if number % 2 else character for number, character in enumerate(BEARER)),
    ],
)
async def test_a_bearer_echoed_in_a_body_is_blanked_however_it_is_written(echo: str) -> None:
    file = Kept()
    async with recorded(always(raw_answer(f'{{"project":{{"id":"{echo}"}}}}'.encode())), file) as (client, _):
        project = await client.project()
    assert project.id == BEARER
    assert json.loads(file.lines()[-1]["text"]) == {"project": {"id": BLANK.decode()}}


async def test_a_bearer_in_an_address_or_a_header_is_blanked() -> None:
    file = Kept()
    headers = {"ETag": f'"{BEARER}"', "Link-Template": f'"/x?{BEARER}={{identity_id}}"'}
    async with recorded(always(json_answer({"events": [], "page": {}}, headers=headers)), file) as (client, _):
        with pytest.raises(ClientError):
            await client.events(BEARER)
    assert BEARER.encode() not in file.kept
    assert file.kept.count(BLANK) == 3


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_blanking_leaves_everything_else(before: bytes, after: bytes) -> None:
    secret = "S3cret/word"
    assert Blanking((secret, ""))(before + secret.encode() + after) == before + BLANK + after
    assert secret.encode() not in Blanking((secret,)).end(before + secret.encode() + after)


def test_of_two_secrets_the_longer_is_blanked_whole() -> None:
    assert Blanking(("abc", "abcdef"))(b"abcdefabc") == BLANK * 2
    assert Blanking(("a/b",))(b"a\\/b a%2fb %61/b") == b" ".join([BLANK] * 3)


@pytest.mark.parametrize("room", [0, 100, 400, 600])
async def test_a_full_disk_ends_the_recording_and_nothing_else(room: int) -> None:
    told: list[str] = []
    file = Kept(room)
    async with recorded(always(json_answer({"project": {"id": IDENTITY}})), file) as (client, recorder):
        recorder.on_trouble = told.append
        for _ in range(5):
            assert (await client.project()).id == IDENTITY
    assert "No space left on device" in recorder.trouble
    assert told == ([recorder.trouble] if room >= 400 else [])  # a first line that finds no room tells whoever began
    assert len(file.kept) == room


def test_a_recording_holds_nothing_before_it_begins(tmp_path: Path) -> None:
    file = Kept()
    recorder = Recorder(file)  # type: ignore[arg-type]
    recorder.pins("p", ())
    assert (file.kept, recorder.size, recorder.now()) == (b"", 0, 0)
