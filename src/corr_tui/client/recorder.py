"""Writing down what passes between here and a service, as it passes (format: `recording`).

    RecordingClient ─▶ Taped (one exchange) ─▶ Recorder ─▶ one line, written through at once

Only headers that matter are written, so `Authorization` never is; the bearer and the key are blanked wherever else they
might stand, and nothing of this machine is added: no folder, no user, no host. A file that cannot be written ends the
recording, never what is recorded.
"""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime
from io import RawIOBase
from typing import Any

import httpx

from corr_tui import __version__
from corr_tui.client.blanking import Blanking
from corr_tui.client.recording import (
    FORMAT,
    VERSION,
    Answered,
    Asked,
    Begun,
    Chunk,
    Ended,
    How,
    Lost,
    Opened,
    Pins,
    write_line,
    written_bytes,
)

_ASKED = ("accept", "cache-control", "content-type", "if-none-match", "last-event-id")
_ANSWERED = (
    "age",
    "cache-control",
    "content-encoding",
    "content-type",
    "date",
    "etag",
    "last-modified",
    "link",
    "link-template",
    "location",
    "retry-after",
    "vary",
)
"""The headers that are written; any other may hold what is nobody's business."""
MAX_FIELD = 16_384


class Recorder:
    """One recording into an open file. Nothing is written before `begin`, and nothing after `trouble`."""

    def __init__(
        self,
        file: RawIOBase,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] | None = None,
    ) -> None:
        self._file = file
        self._monotonic = monotonic
        self._wall = wall or _wall
        self._blank = Blanking()
        self._zero: float | None = None
        self._asked = 0
        self.trouble = ""
        """Why nothing more is written, or empty."""
        self.on_trouble: Callable[[str], None] = _nobody
        """Told of the trouble when it comes."""
        self.exchanges = 0
        self.chunks = 0
        self.size = 0
        """Bytes written."""

    def begin(
        self,
        base_url: str,
        repository_id: str,
        *,
        label: str = "",
        identity_id: str | None = None,
        secrets: Iterable[str],
    ) -> None:
        """Write the first line; `secrets` are blanked from here on."""
        self._blank = Blanking(secrets)
        self._zero = self._monotonic()
        members = {
            "format": FORMAT,
            "version": VERSION,
            "began": self._wall().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "base_url": self._blank.text(base_url),
            "repository_id": self._blank.text(repository_id),
            "label": self._blank.text(label),
            "identity_id": identity_id,
            "program": f"corr-tui {__version__}",
        }
        self._write(write_line(Begun, members))

    def pins(self, project_id: str, keys: Iterable[tuple[str, str, bytes]]) -> None:
        """Write which public keys were known before: (identity id, signing key id, 32 bytes)."""
        written = [
            {"identity_id": identity_id, "signing_key_id": key_id, "public_key": b64encode(key).decode("ascii")}
            for identity_id, key_id, key in keys
        ]
        self._write(write_line(Pins, {"ms": self.now(), "project_id": project_id, "keys": written}))

    def now(self) -> int:
        """Milliseconds since the recording began."""
        return 0 if self._zero is None else max(round((self._monotonic() - self._zero) * 1000), 0)

    def ask(self, request: httpx.Request, content: bytes) -> Taped:
        """Write a request; what becomes of it is told to what this returns."""
        self._asked += 1
        members = {
            "ms": self.now(),
            "n": self._asked,
            "method": request.method,
            "target": self._blank(request.url.raw_path).decode("ascii"),
            "headers": self._fields(request.headers, _ASKED),
            **written_bytes(self._blank(content)),
        }
        self._write(write_line(Asked, members))
        return Taped(self, self._asked)

    def tell_answer(self, n: int, response: httpx.Response, body: bytes, how: How) -> None:
        """Write an answer and what was read of its body."""
        self.exchanges += 1
        members = {"ms": self.now(), "n": n, **self._head(response), **written_bytes(self._blank.end(body)), "how": how}
        self._write(write_line(Answered, members))

    def tell_lost(self, n: int, how: How) -> None:
        """Write that there is no answer."""
        self.exchanges += 1
        self._write(write_line(Lost, {"ms": self.now(), "n": n, "how": how}))

    def tell_opened(self, n: int, response: httpx.Response) -> None:
        """Write that an event stream began."""
        self.exchanges += 1
        self._write(write_line(Opened, {"ms": self.now(), "n": n, **self._head(response)}))

    def tell_chunks(self, n: int, chunks: list[tuple[int, bytes]]) -> None:
        """Write pieces of a stream with their times, which end with a line; as one piece where a secret was in them."""
        whole = b"".join(chunk for _, chunk in chunks)
        blanked = self._blank.end(whole)
        told = chunks if blanked == whole else [(chunks[-1][0], blanked)]
        for ms, chunk in told:
            self.chunks += 1
            self._write(write_line(Chunk, {"ms": ms, "n": n, **written_bytes(chunk)}))

    def tell_ended(self, n: int, how: How) -> None:
        """Write that a stream ended."""
        self._write(write_line(Ended, {"ms": self.now(), "n": n, "how": how}))

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _head(self, response: httpx.Response) -> dict[str, Any]:
        return {"status": response.status_code, "headers": self._fields(response.headers, _ANSWERED)}

    def _fields(self, headers: httpx.Headers, names: tuple[str, ...]) -> dict[str, str]:
        """The headers that matter, as far as they are printable."""
        found: dict[str, str] = {}
        for name in names:
            values = [value.decode("latin-1") for key, value in headers.raw if key.lower() == name.encode("ascii")]
            joined = self._blank(", ".join(values).encode("latin-1")).decode("latin-1")
            if values and len(joined) <= MAX_FIELD and not any((c < " " and c != "\t") or c == "\x7f" for c in joined):
                found[name] = joined
        return found

    def _write(self, line: bytes) -> None:
        if self.trouble or self._zero is None or self._file.closed:
            return
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except OSError as error:
            self.trouble = f"the recording ends here: its file cannot be written ({error.strerror})"
            self.on_trouble(self.trouble)
            return
        self.size += len(line)


class Taped:
    """One exchange as it goes on. A body is written when it has ended, a stream line by line: a secret that is cut in
    two by a border between pieces is found all the same, since none of them holds the end of a line."""

    def __init__(self, recorder: Recorder, n: int) -> None:
        self._recorder = recorder
        self._n = n
        self._response: httpx.Response | None = None
        self._streams = False
        self._held: list[tuple[int, bytes]] = []
        self._ended = False

    def answered(self, response: httpx.Response) -> None:
        """The head of an answer is here."""
        self._response = response
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self._streams = response.status_code == 200 and media_type == "text/event-stream"
        if self._streams:
            self._recorder.tell_opened(self._n, response)

    def chunk(self, chunk: bytes) -> None:
        """A piece of its body is here."""
        self._held.append((self._recorder.now(), chunk))
        if self._streams and chunk.endswith((b"\n", b"\r")):
            self._tell_held()

    def end(self, how: How) -> None:
        """It ended; said once, whoever says it first."""
        if self._ended:
            return
        self._ended = True
        if self._response is None:
            self._recorder.tell_lost(self._n, how)
        elif self._streams:
            self._tell_held()
            self._recorder.tell_ended(self._n, how)
        else:
            self._recorder.tell_answer(self._n, self._response, b"".join(chunk for _, chunk in self._held), how)
        self._held.clear()

    def _tell_held(self) -> None:
        if self._held:
            self._recorder.tell_chunks(self._n, self._held)
            self._held = []


class RecordingClient(httpx.AsyncClient):
    """An httpx client whose every exchange is written down."""

    def __init__(self, recorder: Recorder, **options: Any) -> None:
        super().__init__(**options)
        self._recorder = recorder

    async def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        """Send as httpx does, and write down what comes of it."""
        taped = self._recorder.ask(request, await request.aread())
        try:
            response = await super().send(request, stream=True, **options)
        except BaseException as error:
            taped.end(_how(error))
            raise
        taped.answered(response)
        if response.is_stream_consumed:  # by a transport that had all of it
            taped.chunk(response.content)
            taped.end("whole")
        else:
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = _TapedStream(response.stream, taped)
        if not stream:
            await response.aread()
        return response


def client_of(recorder: Recorder | None, **options: Any) -> httpx.AsyncClient:
    """An httpx client with these options, written down by a recorder if there is one."""
    return httpx.AsyncClient(**options) if recorder is None else RecordingClient(recorder, **options)


class _TapedStream(httpx.AsyncByteStream):
    """The bytes of a body, each piece told as it passes."""

    def __init__(self, stream: httpx.AsyncByteStream, taped: Taped) -> None:
        self._stream = stream
        self._taped = taped

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream:
                self._taped.chunk(chunk)
                yield chunk
        except BaseException as error:
            self._taped.end(_how(error))
            raise
        self._taped.end("whole")

    async def aclose(self) -> None:
        self._taped.end("left")
        await self._stream.aclose()


def _how(error: BaseException) -> How:
    match error:
        case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.PoolTimeout() | httpx.UnsupportedProtocol():
            return "connect"
        case httpx.TimeoutException():
            return "timeout"
        case httpx.HTTPError() | httpx.StreamError():
            return "cut"
        case GeneratorExit():
            return "left"
        case _:
            return "cancelled"


def _wall() -> datetime:
    return datetime.now(UTC)


def _nobody(_: str) -> None:
    """Nobody is told."""
