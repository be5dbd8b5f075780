"""The wake stream in pieces: marks, splits, sizes, silence, and ordinary ends (§7.1)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.client import wake
from corr_tui.client.errors import ClientError, IdentityUnknown, Phase, TooManyRequests, UnexpectedAnswer, Unreachable
from corr_tui.client.wake import Frame, FrameKind, subscribe
from tests.client.answering import always, client_of, json_answer
from tests.client.test_http import Body

IDENTITY = "22222222-2222-4222-8222-222222222222"
CHANGE = (
    b'event: change\ndata: {"key":"correspondence","wake_version":null,"context":{"received_seq":"7",'
    b'"repository_id":"repo:\xe2\x80\xa8x"}}\n\n'
)
STREAM = b'event: connected\ndata: {"identity_id":"x","keys":["correspondence"]}\n\n: still here\n\n' + CHANGE


def streaming(
    *pieces: bytes, error: Exception | None = None, content_type: str = "text/event-stream; charset=utf-8"
) -> Callable[[httpx.Request], httpx.Response]:
    """A stream of these pieces."""
    return lambda _: httpx.Response(200, headers={"Content-Type": content_type}, stream=Body(list(pieces), error))


async def frames(
    answer: Callable[[httpx.Request], httpx.Response], heard: Callable[[], None] = lambda: None
) -> list[Frame]:
    """Every frame until the stream ends."""
    async with client_of(answer) as client:
        return [frame async for frame in subscribe(client, IDENTITY, heard=heard)]


async def test_the_subscription_goes_to_the_advertised_address() -> None:
    """The caller expands the advertised template with one identity (§7)."""
    asked: list[str] = []
    template = '"/live?who={identity_id}"; rel="https://agenttool.dev/rels/correspondence-live"'

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        page = {"events": [], "page": {"after": None, "next_after": None, "has_more": False}}
        return json_answer(page, headers={"Link-Template": template}) if len(asked) == 1 else streaming(STREAM)(request)

    async with client_of(answer) as client:
        await client.events("repo:a")
        assert [frame.kind async for frame in subscribe(client, IDENTITY)] == [FrameKind.CONNECTED, FrameKind.CHANGE]
    assert asked[1] == f"http://service.example/live?who={IDENTITY}"


@given(st.lists(st.integers(0, len(STREAM) + 3), max_size=6), st.sampled_from([b"\n", b"\r\n", b"\r"]), st.booleans())
async def test_frames_do_not_depend_on_pieces_line_ends_or_a_leading_mark(
    cuts: list[int], line_end: bytes, mark: bool
) -> None:
    raw = (b"\xef\xbb\xbf" if mark else b"") + STREAM.replace(b"\n", line_end) + b": end" + line_end
    places = [0, *sorted(cuts), len(raw)]
    pieces = [raw[start:end] for start, end in pairwise(places) if start < end]
    found = await frames(streaming(*pieces))
    assert [frame.kind for frame in found] == [FrameKind.CONNECTED, FrameKind.CHANGE]
    assert found[1].wake is not None
    assert found[1].wake.context.repository_id == "repo:\u2028x"


async def test_a_comment_is_heard_though_it_is_no_frame() -> None:
    heard: list[None] = []
    assert await frames(streaming(b": heartbeat\n\n", b": heartbeat\n\n"), lambda: heard.append(None)) == []
    assert len(heard) == 2


@pytest.mark.parametrize("data", [b"not json", b"{}", b'{"key":1}', b'{"key":"x","key":"y"}', b""])
async def test_a_change_whose_data_is_of_no_use_still_means_that_something_changed(data: bytes) -> None:
    assert await frames(streaming(b"event: change\ndata: " + data + b"\n\n")) == [Frame(FrameKind.CHANGE)]


async def test_an_unknown_event_a_retry_and_an_id_are_heartbeats() -> None:
    found = await frames(streaming(b"retry: 0\n\n", b"event: news\ndata: x\n\n", b"id: 1\ndata: y\n\n"))
    assert {frame.kind for frame in found} == {FrameKind.WELCOME}


@pytest.mark.parametrize("kind", [FrameKind.REFRESH, FrameKind.DISCONNECT, FrameKind.WELCOME])
async def test_named_frames_are_told_apart(kind: FrameKind) -> None:
    assert await frames(streaming(f"event: {kind}\ndata: {{}}\n\n".encode())) == [Frame(kind)]


@pytest.mark.parametrize("error", [None, httpx.RemoteProtocolError("incomplete chunked read"), httpx.ReadError("cut")])
async def test_a_close_and_a_cut_are_ordinary_ends(error: Exception | None) -> None:
    assert [frame.kind for frame in await frames(streaming(STREAM, error=error))] == [
        FrameKind.CONNECTED,
        FrameKind.CHANGE,
    ]


async def test_a_stream_without_a_byte_is_given_up_as_silent() -> None:
    with pytest.raises(Unreachable) as raised:
        await frames(streaming(STREAM, error=httpx.ReadTimeout("silence")))
    assert raised.value.phase is Phase.SILENT


async def test_a_service_that_is_not_there_is_unreachable() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no")

    with pytest.raises(Unreachable):
        await frames(answer)


@pytest.mark.parametrize("content_type", ["text/html", "application/json", ""])
async def test_another_content_type_is_no_stream(content_type: str) -> None:
    with pytest.raises(UnexpectedAnswer):
        await frames(streaming(STREAM, content_type=content_type))


@pytest.mark.parametrize("piece", [b"x", b"data: x\n", b": x\r\n"])
async def test_a_frame_without_an_end_is_given_up(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wake, "MAX_FRAME", 1000)
    with pytest.raises(UnexpectedAnswer, match="larger"):
        await frames(streaming(*[piece] * 1001))


async def test_a_frame_over_the_cap_in_one_piece_is_given_up_and_one_at_the_cap_is_read() -> None:
    for over in (0, 1):
        frame = b"event: change\ndata: "
        frame += b"x" * (wake.MAX_FRAME + over - len(frame) - 2) + b"\n\n"
        raw = STREAM + frame + STREAM
        for pieces in ([raw], [raw[:9], raw[9:40_000], raw[40_000:]]):
            if over:
                with pytest.raises(UnexpectedAnswer, match="larger"):
                    await frames(streaming(*pieces))
            else:
                assert len(await frames(streaming(*pieces))) == 5


async def test_many_small_frames_are_no_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wake, "MAX_FRAME", 1000)
    assert len(await frames(streaming(*[CHANGE] * 100))) == 100


async def test_a_refused_subscription_is_typed() -> None:
    with pytest.raises(IdentityUnknown):
        await frames(always(json_answer({"error": "identity_revoked"}, 410)))
    with pytest.raises(UnexpectedAnswer):
        await frames(always(httpx.Response(302)))


@pytest.mark.parametrize("data", [b'{"reason":"full","hint":"wait"}', b"not json", b"[]"])
async def test_a_rejected_subscription_asks_to_back_off(data: bytes) -> None:
    with pytest.raises(TooManyRequests):
        await frames(streaming(b"event: rejected\ndata: " + data + b"\n\n"))


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=40),
            st.sampled_from([b"\n", b"\r", b"\r\n", b"\n\n", b"data:", b"event: change\n", b"retry: 0\n", b"id\n"]),
            st.sampled_from([b"\xef\xbb\xbf", "\u2028".encode(), b"\xff\xfe", b"retry: 9" * 3, CHANGE]),
        ),
        max_size=12,
    )
)
async def test_any_bytes_are_frames_or_an_error_of_ours(pieces: list[bytes]) -> None:
    try:
        found = await frames(streaming(*filter(None, pieces)))
    except ClientError:
        return
    assert all(isinstance(frame, Frame) for frame in found)
