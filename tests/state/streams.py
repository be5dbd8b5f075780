"""Wake streams in virtual time: pieces of bytes, and how they end."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx

from tests.state.virtual_time import VirtualTime

CONNECTED = b"event: connected\ndata: {}\n\n"
CHANGE = b'event: change\ndata: {"key":"correspondence","context":{"received_seq":"7"}}\n\n'
CUT = httpx.RemoteProtocolError("peer closed connection without sending complete message body")


class Streams(httpx.AsyncByteStream):
    """Pieces with the seconds to wait before each; then the end, or an exception. `closed` when it was let go."""

    def __init__(self, time: VirtualTime, pieces: list[tuple[float, bytes]], error: Exception | None = None) -> None:
        self.time = time
        self.pieces = pieces
        self.error = error
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for seconds, piece in self.pieces:
            await self.time.sleep(seconds)
            yield piece
        if self.error is not None:
            raise self.error

    async def aclose(self) -> None:
        """Remembered."""
        self.closed = True


def quiet(time: VirtualTime, opened: list[Streams]) -> httpx.Response:
    """A stream that is cut after ten quiet seconds, as the public service does."""
    opened.append(Streams(time, [(0, CONNECTED), (10, b":\n\n")], CUT))
    return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=opened[-1])
