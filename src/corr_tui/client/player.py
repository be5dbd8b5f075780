"""A recording in the place of a service: a transport that answers from it.

A question gets what it was answered last by the time of the play head, so the order in which they are asked does not
matter (for events see `recorded_pages`). Who asks because a piece of a stream came is told what was told then, however
soon this is. A stream gets the next that was open then, and its pieces at their times. Nothing can be sent to a
recording: a POST, and whatever was never asked while it was made, is refused in words.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Protocol

import httpx

from corr_tui.client.recorded import Answer, Recording, Span, Stream
from corr_tui.client.recorded_pages import RecordedPages
from corr_tui.client.recording import How, RecordingRefused

MEDIA_TYPE = "application/json"
NOT_RECORDED = "the recording holds no answer to this question"


class PlayHead(Protocol):
    """Where in a recording its playing is, in milliseconds."""

    @property
    def ms(self) -> float:
        """Now."""
        ...

    @property
    def slack_ms(self) -> float:
        """How much later an answer may have been asked for and still be the one."""
        ...

    async def until(self, ms: float) -> None:
        """Wait for a time; one that is over is now."""
        ...


class PlayedTransport(httpx.AsyncBaseTransport):
    """Plays one recording; `head` says when."""

    def __init__(self, recording: Recording, head: PlayHead) -> None:
        self._recording = recording
        self._pages = RecordedPages(recording)
        self._head = head
        self._played: dict[str, int] = {}
        """How many streams of each address were handed out or are over."""
        self._streamed_ms: int | None = None
        """When the last piece of a stream that was handed out came."""

    def streamed(self, ms: int) -> None:
        """A piece of a stream is handed out."""
        self._streamed_ms = max(self._streamed_ms or 0, ms)

    def _told_by(self, target: str) -> float:
        """When somebody asked here because of that piece."""
        return 0.0 if self._streamed_ms is None else self._recording.asked_next(target, self._streamed_ms)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded answer; raises httpx's errors where there was none."""
        target = request.url.raw_path.decode("ascii", "replace")
        if request.headers.get("accept") == "text/event-stream":
            return await self._open(target)
        if request.method != "GET":
            return _not_recorded()
        by = max(self._head.ms + self._head.slack_ms, self._told_by(target))
        answer = self._recording.answer("GET", target, by)
        page = self._pages.page(target, answer, by)
        if page is not None:
            return httpx.Response(200, headers={"Content-Type": MEDIA_TYPE}, content=page)
        if answer is None:
            return _not_recorded()
        await self._head.until(self._head.ms + answer.took_ms)
        if answer.status == 304 and answer.validator != request.headers.get("if-none-match"):
            whole = self._recording.validated("GET", target, answer)
            return _not_recorded() if whole is None else self._response(whole)
        return self._response(answer)

    async def _open(self, target: str) -> httpx.Response:
        """The next stream; without one this waits until it is given up."""
        streams = self._recording.streams(target)
        at = self._played.get(target, 0)
        while at < len(streams) and (over := streams[at].over_ms) is not None and over < self._head.ms:
            at += 1
        self._played[target] = at + 1
        if at >= len(streams):
            await _without_end()
        stream = streams[at]
        if stream.answer is not None:
            await self._head.until(stream.answer.ended_ms)
            return self._response(stream.answer)
        await self._head.until(stream.opened_ms or stream.asked_ms)
        return httpx.Response(
            200, headers=_fields(stream.headers), stream=_Played(self._recording, self._head, stream, self.streamed)
        )

    def _response(self, answer: Answer) -> httpx.Response:
        if answer.status == 0:
            raise _error(answer.how)
        body = _read(self._recording, answer.span)
        return httpx.Response(answer.status, headers=_fields(answer.headers), stream=_Body(body, answer.how))


class _Body(httpx.AsyncByteStream):
    """A body that was read to its end, or as far as it came."""

    def __init__(self, body: bytes, how: How) -> None:
        self._body = body
        self._how = how

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body
        if self._how in ("cut", "timeout"):
            raise _error(self._how)


class _Played(httpx.AsyncByteStream):
    """The pieces of a stream at their times."""

    def __init__(self, recording: Recording, head: PlayHead, stream: Stream, streamed: Callable[[int], None]) -> None:
        self._recording = recording
        self._head = head
        self._stream = stream
        self._streamed = streamed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        stream = self._stream
        for ms, span in stream.chunks:
            await self._head.until(ms)
            self._streamed(ms)
            yield _read(self._recording, span)
        if stream.ended_ms is None or stream.how in ("left", "cancelled"):
            await _without_end()
        await self._head.until(stream.ended_ms or 0)
        if stream.how != "whole":
            raise _error(stream.how)


def _read(recording: Recording, span: Span | None) -> bytes:
    try:
        return recording.body(span)
    except RecordingRefused as refused:
        raise httpx.ReadError(str(refused)) from None


def _error(how: How) -> httpx.HTTPError:
    """The fault of the network that was recorded."""
    match how:
        case "connect":
            return httpx.ConnectError(how)
        case "timeout":
            return httpx.ReadTimeout(how)
        case _:
            return httpx.ReadError(how)


def _fields(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]


def _not_recorded() -> httpx.Response:
    content = json.dumps({"error": "not_recorded", "message": NOT_RECORDED}).encode("ascii")
    return httpx.Response(503, headers={"Content-Type": "application/json"}, content=content)


async def _without_end() -> None:
    """Wait until cancelled."""
    await asyncio.Event().wait()
