"""The wake stream: bytes to frames (§7.1, §8). A frame is a hint; nothing is ever taken from it as content.

Liveness is judged on bytes: a comment is a heartbeat as much as a named event is, and a stream without a byte for
`silence` seconds is given up. A stream that ends, closed or cut, is an ordinary end: services cut quiet streams.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum

import httpx
import httpx_sse

from corr_tui.client.answers import decode_open
from corr_tui.client.bounds import MAX_WORDS, cut
from corr_tui.client.errors import Phase, TooManyRequests, UnexpectedAnswer, Unreachable
from corr_tui.client.fields import read_media_type
from corr_tui.client.http import A_PAGE, Client
from corr_tui.protocol.errors import JsonRefused
from corr_tui.protocol.records import RecordRefused, Wake, read_wake
from corr_tui.protocol.strict_json import decode

SILENCE = 45.0
"""Seconds without a byte after which a stream is given up: three heartbeats of the service."""
MAX_FRAME = 64 * 1024
"""Bytes of one frame; a change frame has a few hundred."""

_BOM = b"\xef\xbb\xbf"
_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r|\n\r\n")


class FrameKind(StrEnum):
    """What a frame is about, by its event name."""

    CONNECTED = "connected"
    CHANGE = "change"
    WELCOME = "welcome"
    """A heartbeat; so is any frame with an unknown name."""
    REFRESH = "refresh"
    """The stream has reached its age and is about to close."""
    DISCONNECT = "disconnect"
    """The subscriber was too slow; frames were lost."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; `wake` is there for a change whose data has its form."""

    kind: FrameKind
    wake: Wake | None = None


async def subscribe(
    client: Client, identity_id: str, *, silence: float = SILENCE, heard: Callable[[], None] = lambda: None
) -> AsyncGenerator[Frame, None]:
    """The frames of one subscription until it ends; `heard` is called for every piece of bytes.

    Raises Unreachable when the stream cannot be opened or falls silent, Refused when the service says no (a `rejected`
    frame is TooManyRequests), UnexpectedAnswer for anything that is not such a stream.
    """
    async with client.stream(identity_id, silence) as response:
        media_type = read_media_type(response.headers.get("content-type", ""))
        coding = response.headers.get("content-encoding", "identity")
        if media_type == "text/html":
            raise UnexpectedAnswer(A_PAGE)
        if media_type != "text/event-stream" or coding != "identity":
            raise UnexpectedAnswer("the wake route did not answer with an event stream")
        async with aclosing(_frames(response, heard)) as frames:
            async for frame in frames:
                yield frame


async def _frames(response: httpx.Response, heard: Callable[[], None]) -> AsyncGenerator[Frame, None]:
    watched = httpx.Response(
        200,
        headers={"Content-Type": "text/event-stream; charset=utf-8"},
        stream=_Watched(response, heard),
    )
    try:
        async for event in httpx_sse.EventSource(watched).aiter_sse():
            yield _frame(event.event, event.data)
    except httpx.ReadTimeout:
        raise Unreachable(Phase.SILENT) from None
    except (httpx.HTTPError, httpx.StreamError):
        return


class _Watched(httpx.AsyncByteStream):
    """The stream's bytes without a byte order mark, no frame over the cap, each piece noticed."""

    def __init__(self, response: httpx.Response, heard: Callable[[], None]) -> None:
        self._response = response
        self._heard = heard

    async def __aiter__(self) -> AsyncIterator[bytes]:
        start = b""
        started = False
        pending = 0
        tail = b""
        async for chunk in self._response.aiter_bytes():
            self._heard()
            if not started:
                start += chunk
                if _BOM.startswith(start):  # so far the beginning of a mark, or all of it
                    continue
                chunk, started = start.removeprefix(_BOM), True
            pending, tail = _pending(pending, tail, chunk)
            yield chunk


def _pending(pending: int, tail: bytes, chunk: bytes) -> tuple[int, bytes]:
    """How many bytes wait for the blank line that ends their frame; raises UnexpectedAnswer over the cap."""
    window = tail + chunk
    begun = len(tail) - pending
    for found in _BLANK_LINE.finditer(window):
        _cap(found.end() - begun)
        begun = found.end()
    _cap(len(window) - begun)
    return len(window) - begun, window[-3:]


def _cap(size: int) -> None:
    if size > MAX_FRAME:
        raise UnexpectedAnswer(f"a wake frame is larger than {MAX_FRAME} bytes")


def _frame(name: str, data: str) -> Frame:
    if name == "rejected":
        raise _rejected(data)
    if name == FrameKind.CHANGE:
        return Frame(FrameKind.CHANGE, _wake(data))
    return Frame(FrameKind(name) if name in set(FrameKind) else FrameKind.WELCOME)


def _wake(data: str) -> Wake | None:
    """The view of a change frame; None when the data is of no use, which still means that something changed."""
    try:
        return read_wake(decode(data.encode("utf-8", "surrogatepass")))
    except (JsonRefused, RecordRefused):
        return None


def _rejected(data: str) -> TooManyRequests:
    try:
        value = decode_open(data.encode("utf-8", "surrogatepass"))
    except UnexpectedAnswer:
        value = None
    body = value if isinstance(value, dict) else {}
    reason, hint = (cut(str(body.get(name, "")), MAX_WORDS) for name in ("reason", "hint"))
    return TooManyRequests(200, reason or "rejected", "", hint)
