"""A loopback proxy between a client and a service that does to each exchange what a schedule says.

A Fault is a value, so a schedule can be drawn and shrunk: for each route the faults of its first exchanges, in order.
What lies beyond a schedule passes unharmed. `standing` faults meet every exchange of a route until they are taken away.
What was asked, when, and what became of it, is kept in `asked`; every connection is counted in `connected_at`.

    async with FaultProxy(port) as proxy:
        proxy.schedule[Route.POST].append(Fault(Kind.CUT_AFTER))
        proxy.standing[Route.VOICE] = Fault(Kind.PROJECTION_UNAVAILABLE)
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from tests.flows.faults import BEFORE, PATIENT, Fault, Kind, Route

LOGIN_PAGE = b"<!DOCTYPE html><html><title>Sign in to the network</title><p>Accept the terms.</html>"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, when it came (seconds of the loop), and what was done to it."""

    route: Route
    at: float
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer of the service, or one in its name."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    def head(self, length: int | None) -> bytes:
        """The head, for a body of so many bytes, or one in chunks."""
        framing = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
        lines = [f"HTTP/1.1 {self.status} Answer", *(f"{name}: {value}" for name, value in self.headers)]
        framed = [] if self.status == 304 else [framing]
        return "\r\n".join([*lines, *framed, "", ""]).encode("latin-1")

    def raw(self) -> bytes:
        """The whole answer."""
        return self.head(len(self.body)) + self.body


class Severed(Exception):
    """The connection to the client is to be cut, without a word more."""


@dataclass
class FaultProxy:
    """The proxy, on the running loop, in front of a service at a port of 127.0.0.1."""

    service_port: int
    host: str = "127.0.0.1"
    quiet_cut: float | None = None
    """Seconds without a frame after which a stream is cut, as the public service does; None leaves it open."""
    schedule: dict[Route, deque[Fault]] = field(default_factory=lambda: {route: deque() for route in Route})
    standing: dict[Route, Fault] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    connected_at: list[float] = field(default_factory=list)
    answered_at: float = 0.0
    """When a page of events was last asked for and answered as the service would have it."""

    async def __aenter__(self) -> Self:
        self._tasks: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._connected, self.host, 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def base_url(self) -> str:
        """Where the service seems to be."""
        return f"http://{self.host}:{self._server.sockets[0].getsockname()[1]}"

    def heal(self) -> None:
        """No more faults from now on; exchanges that suffer already go on suffering."""
        self.standing.clear()
        for faults in self.schedule.values():
            faults.clear()

    def break_all(self, fault: Fault) -> None:
        """The same fault on every route, until healed."""
        self.standing = dict.fromkeys(Route, fault)

    def count(self, *routes: Route, since: float = 0.0) -> int:
        """How often something was asked; anything, when no route is named."""
        return sum(each.at >= since and (not routes or each.route in routes) for each in self.asked)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connected_at.append(asyncio.get_running_loop().time())
        try:
            while request := await _request(reader):
                await self._exchange(_Exchange(*request, self.service_port, self.quiet_cut, reader, writer))
        except (Severed, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _exchange(self, exchange: _Exchange) -> None:
        waiting = self.schedule[exchange.route]
        fault = waiting.popleft() if waiting else self.standing.get(exchange.route)
        self.asked.append(Asked(exchange.route, asyncio.get_running_loop().time(), fault))
        await exchange.run(fault)
        if exchange.route is Route.EVENTS and (fault is None or fault.kind in PATIENT):
            self.answered_at = asyncio.get_running_loop().time()


@dataclass(frozen=True)
class _Exchange:
    """One request and what becomes of it."""

    head: bytes
    body: bytes
    service_port: int
    quiet_cut: float | None
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def route(self) -> Route:
        """What it is for, by its first line."""
        method, path = self.head.split(b" ", 2)[:2]
        if method == b"POST":
            return Route.POST
        routes = {b"events": Route.EVENTS, b"claims": Route.CLAIMS, b"wake": Route.PROJECT}
        last = path.partition(b"?")[0].rpartition(b"/")[2]
        if last == b"voice":
            return Route.STREAM if b"/wake/" in path else Route.VOICE
        return routes.get(last, Route.LISTS)

    async def run(self, fault: Fault | None) -> None:
        """Answer, or not; raises Severed where the connection is of no more use."""
        if fault is not None and fault.kind in BEFORE:
            await self._instead(fault)
        elif self.route is Route.STREAM:
            await self._stream(fault)
        else:
            await self._answer(fault)

    async def _say(self, raw: bytes) -> None:
        self.writer.write(raw)
        await self.writer.drain()

    async def _until_left(self) -> None:
        """Say nothing until the client has gone."""
        await self.reader.read()
        raise Severed

    async def _instead(self, fault: Fault) -> None:
        match fault.kind:
            case Kind.CUT_BEFORE:
                raise Severed
            case Kind.MUTE:
                await self._until_left()
            case Kind.GARBAGE:
                await self._say(b"\x16\x03\x01\x02\x00\x01\xff\x00garbage\r\n\r\n")
                raise Severed
            case _:
                await self._say(_in_its_name(fault).raw())

    async def _answer(self, fault: Fault | None) -> None:
        answer = await self._asked()
        kind, raw = (fault.kind if fault else None), answer.raw()
        half = len(answer.head(len(answer.body))) + len(answer.body) // 2
        match kind:
            case Kind.DELAY:
                await asyncio.sleep(fault.amount if fault else 0)
            case Kind.CUT_AFTER:
                raise Severed
            case Kind.CUT_WITHIN:
                await self._say(raw[:half])
                raise Severed
            case Kind.STALL_WITHIN:
                await self._say(raw[:half])
                await self._until_left()
            case Kind.SHORT:
                raw = _Answer(answer.status, answer.headers, answer.body[: len(answer.body) // 2]).raw()
            case Kind.DRIP:
                await self._drip(raw, fault.amount if fault else 1)
                return
            case Kind.OTHER_TYPE:
                others = tuple(each for each in answer.headers if each[0].lower() != "content-type")
                raw = _Answer(answer.status, (*others, ("Content-Type", "text/plain")), answer.body).raw()
            case Kind.APPENDED_UNAVAILABLE:
                raw = _in_its_name(Fault(Kind.APPEND_UNAVAILABLE)).raw()
            case Kind.TWICE:
                raw = (await self._asked()).raw()
        await self._say(raw)

    async def _drip(self, raw: bytes, seconds: int) -> None:
        """Byte after byte, within so many seconds of each other; the client may leave before the end."""
        for at in range(len(raw)):
            await self._say(raw[at : at + 1])
            if at % 64 == 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.reader.read(), seconds)
                    raise Severed

    async def _asked(self) -> _Answer:
        """What the service answers to the request."""
        reader, writer = await self._sent()
        try:
            answer = await _answer_head(reader)
            return _Answer(answer.status, answer.headers, await reader.read())
        finally:
            writer.close()

    async def _sent(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.service_port)
        first, _, rest = self.head.partition(b"\r\n")
        writer.write(first + b"\r\nConnection: close\r\n" + rest + self.body)
        return reader, writer

    async def _stream(self, fault: Fault | None) -> None:
        reader, writer = await self._sent()
        leaving = asyncio.ensure_future(self.reader.read())
        relaying = asyncio.ensure_future(self._relay(reader, fault))
        try:
            await asyncio.wait({leaving, relaying}, return_when=asyncio.FIRST_COMPLETED)
            if relaying.done():
                await relaying
        finally:
            writer.close()
            for task in (leaving, relaying):
                task.cancel()
            await asyncio.gather(leaving, relaying, return_exceptions=True)
        raise Severed

    async def _relay(self, reader: asyncio.StreamReader, fault: Fault | None) -> None:
        """The stream as it comes, or as the fault has it."""
        answer = await _answer_head(reader)
        if answer.status != 200:
            await self._say(_Answer(answer.status, answer.headers, await reader.read()).raw())
            return
        if fault is not None and fault.kind is Kind.DELAY:
            await asyncio.sleep(fault.amount)
        await self._say(answer.head(None))
        if fault is not None and fault.kind is Kind.REJECTED:
            await self._say(_chunk(b'event: rejected\ndata: {"reason":"too_many_streams"}\n\n') + _chunk(b""))
            return
        frames = _Frames(fault, self._say)
        async for frame in _frames(reader, self.quiet_cut):
            if not await frames.take(frame):
                break
        await self._say(_chunk(b""))


@dataclass
class _Frames:
    """What becomes of the frames of one stream; of the first `amount` of them nothing, where it breaks off later."""

    fault: Fault | None
    say: Callable[[bytes], Awaitable[None]]
    passed: int = 0
    kept: bytes | None = None

    async def take(self, frame: bytes) -> bool:
        """Pass a frame on, or not; returns whether the stream goes on. Raises Severed."""
        kind, amount = (self.fault.kind, self.fault.amount) if self.fault else (None, 0)
        self.passed += 1
        over = self.passed > amount
        match kind:
            case Kind.FRAMES_DROPPED if b"event: change" in frame:
                return True
            case Kind.FRAMES_TWICE:
                await self.say(_chunk(frame + frame))
            case Kind.FRAMES_LATE:
                await asyncio.sleep(amount)
                await self.say(_chunk(frame))
            case Kind.FRAMES_SWAPPED:
                await self._swap(frame)
            case Kind.STREAM_CUT if over:
                await self.say(_chunk(frame)[: len(frame) // 2])
                raise Severed
            case Kind.STREAM_ENDS if over:
                return False
            case Kind.STREAM_STALLS if over:
                await asyncio.Event().wait()
            case Kind.STREAM_GARBLED if over:
                await self.say(_chunk(b"\xef\xbb\xbfevent: change\r\ndata: {\xe2\x80\xa8\r\n\r\n\x00\xff: \r\r"))
                await self.say(_chunk(frame))
            case Kind.STREAM_UNCHUNKED if over:
                await self.say(b"no length\r\n" + frame)
                raise Severed
            case _:
                await self.say(_chunk(frame))
        return True

    async def _swap(self, frame: bytes) -> None:
        """Keep each other frame back until the next has gone out."""
        if self.kept is None:
            self.kept = frame
            return
        kept, self.kept = self.kept, None
        await self.say(_chunk(frame) + _chunk(kept))


async def _request(reader: asyncio.StreamReader) -> tuple[bytes, bytes] | None:
    """The head and body of the next request; None when there is none any more."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    length = next((value for name, value in _headers(head) if name.lower() == "content-length"), "0")
    return head, await reader.readexactly(int(length))


async def _answer_head(reader: asyncio.StreamReader) -> _Answer:
    """The head of an answer, without what frames its body."""
    head = await reader.readuntil(b"\r\n\r\n")
    framing = ("content-length", "transfer-encoding", "connection")
    kept = tuple(each for each in _headers(head) if each[0].lower() not in framing)
    return _Answer(int(head.split(b" ", 2)[1]), kept)


def _headers(head: bytes) -> list[tuple[str, str]]:
    lines = head.decode("latin-1").split("\r\n")[1:-2]
    return [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]


async def _frames(reader: asyncio.StreamReader, quiet_cut: float | None) -> AsyncIterator[bytes]:
    """The frames of a stream in chunks; raises Severed when it was quiet for too long."""
    pending = b""
    while True:
        try:
            async with asyncio.timeout(quiet_cut):
                length = int(await reader.readuntil(b"\r\n"), 16)
                pending += (await reader.readexactly(length + 2))[:-2]
        except TimeoutError:
            raise Severed from None
        *frames, pending = pending.split(b"\n\n")
        for frame in frames:
            yield frame + b"\n\n"
        if not length:
            return


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _in_its_name(fault: Fault) -> _Answer:
    """What somebody in between answers, or a service that cannot go on."""
    later = (("Retry-After", str(fault.amount)),) if fault.amount else ()
    page = (("Content-Type", "text/html"), *later)
    match fault.kind:
        case Kind.UNAUTHORIZED:
            return _refusal(401, "unauthorized", ())
        case Kind.TOO_MANY:
            return _refusal(429, "too_many_requests", later)
        case Kind.APPEND_UNAVAILABLE:
            return _refusal(503, "correspondence_append_unavailable", later)
        case Kind.PROJECTION_UNAVAILABLE:
            return _refusal(503, "correspondence_projection_unavailable", later)
        case Kind.UNAVAILABLE:
            return _Answer(503, later)
        case Kind.REDIRECT:
            return _Answer(302, (("Location", "http://127.0.0.1:9/login"),))
        case Kind.LOGIN_PAGE:
            return _Answer(200, page, LOGIN_PAGE)
        case Kind.FORBIDDEN_PAGE:
            return _Answer(403, page, LOGIN_PAGE)
        case Kind.NOT_FOUND_PAGE:
            return _Answer(404, page, LOGIN_PAGE)
        case _:
            return _Answer(500, page, b"<html><h1>Internal Server Error</h1></html>")


def _refusal(status: int, error: str, headers: tuple[tuple[str, str], ...]) -> _Answer:
    body = f'{{"error":"{error}","message":"{error} for a while."}}'.encode()
    return _Answer(status, (("Content-Type", "application/json"), *headers), body)
