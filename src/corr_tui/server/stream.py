"""A wake stream as an HTTP response (§7.1).

The rule: a stream ends when its reader leaves or may listen no more, when it reaches its lifetime, when the service
stops, or when the reader does not keep up; in the last case it is cut, because whatever were still sent would wait
behind what is unread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from starlette.types import Receive, Scope, Send

from corr_tui.server.frames import connected, heartbeat, refresh
from corr_tui.server.wake import Hub, Subscriber

STREAM_HEADERS = {
    "Cache-Control": "private, no-store, no-transform",
    "Content-Type": "text/event-stream",
    "X-Accel-Buffering": "no",
    "X-Content-Type-Options": "nosniff",
}


class WakeStream:
    """The ASGI response that carries one subscriber's frames."""

    def __init__(self, hub: Hub, subscriber: Subscriber, keys: list[str] | str) -> None:
        self._hub = hub
        self._subscriber = subscriber
        self._first = connected(subscriber.identity_id, keys)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send frames until the stream ends."""
        try:
            await _first_of(self._send_frames(send), _disconnected(receive), self._subscriber.dropped.wait())
        finally:
            self._hub.unsubscribe(self._subscriber)

    async def _send_frames(self, send: Send) -> None:
        headers = [(name.lower().encode(), value.encode()) for name, value in STREAM_HEADERS.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await _send(send, self._first)
        pace = self._hub.pace
        clock = asyncio.get_running_loop().time
        end = clock() + pace.lifetime
        while (remaining := end - clock()) > 0:
            try:
                async with asyncio.timeout(min(pace.heartbeat, remaining)):
                    frame = await self._subscriber.frames.get()
            except TimeoutError:
                frame = heartbeat() if end - clock() > 0 else refresh()
            frames = [frame, *self._waiting()]
            if body := b"".join(part for part in frames if part is not None):
                await _send(send, body)
            if None in frames:
                break
        await _send(send, b"", more=False)

    def _waiting(self) -> list[bytes | None]:
        """What is queued besides, so that it goes out in one piece."""
        waiting = self._subscriber.frames
        return [waiting.get_nowait() for _ in range(waiting.qsize())]


async def _send(send: Send, body: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _first_of(*works: Coroutine[Any, Any, Any]) -> None:
    """Run several works until one of them ends, and end the others; raises what the first one raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
