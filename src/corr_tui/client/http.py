"""The routes of a service, one method each (§7).

Every answer is read under a size cap and a deadline, without redirects (the bearer would travel) and without content
coding (a small body must not grow), then decoded strictly, then read into a record. Nothing of httpx leaves this
module, `reach`, `wake`, `recorder` and `player`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from corr_tui import __version__
from corr_tui.client.answers import (
    ListedIdentity,
    ListedKey,
    NamedProject,
    read_identities,
    read_keys,
    read_project,
    read_refusal,
)
from corr_tui.client.bounds import bounded_page, bounded_record, bounded_voice
from corr_tui.client.errors import ClientError, Phase, UnexpectedAnswer, Unreachable, Unsendable
from corr_tui.client.fields import read_date, read_media_type, read_retry_after, read_validator
from corr_tui.client.links import expand_live, live_template, origin
from corr_tui.client.reach import trust, unreachable
from corr_tui.client.recorder import Recorder, client_of
from corr_tui.protocol.errors import JsonRefused
from corr_tui.protocol.records import (
    Claims,
    EventsPage,
    Record,
    RecordRefused,
    Voice,
    read_claims,
    read_events_page,
    read_record,
    read_voice,
)
from corr_tui.protocol.strict_json import COLLECTION_LIMITS, Json, decode

MEDIA_TYPE = "application/vnd.agenttool.correspondence+json"
MAX_ANSWER = 16 * 1024 * 1024
"""Bytes: 200 events of the 65,536 admitted by §7 fit with room."""
MAX_REFUSAL = 64 * 1024
"""Bytes of the body of a refusal."""
LARGE = 256 * 1024
"""Bytes from which a body is decoded beside the event loop, so that nobody who types waits for it."""
NO_ADDRESS = "the base URL makes no address that can be asked"
A_PAGE = "a web page answers in place of the service, as a network does that asks for a sign-in"
SIGN_IN = "the network asks for a sign-in before it lets anything through"
DEADLINE = 60.0
"""Seconds for one whole answer, however slowly it drips."""
TIMEOUT = httpx.Timeout(15.0, connect=5.0)

_EVENTS = "/v1/correspondence/events"
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Fresh(Generic[_Value]):
    """A representation and its validator."""

    value: _Value
    etag: str | None


@dataclass(frozen=True, slots=True)
class NotModified:
    """304: what the validator stands for is still current."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """When one answer came: the service's Date, and the local monotonic seconds around it."""

    date: datetime | None
    began: float
    ended: float
    asked: str = ""
    """The last word of the path that was asked for."""
    status: int = 0


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: httpx.Headers
    body: bytes


class Client:
    """One service as one bearer sees it; raises Unsendable when it could never be asked anything.

    `exchanged` hears of every answer, for whoever keeps the service's clock. `transport` is an httpx transport that
    stands in for the network; `recorder` writes down what passes.
    """

    def __init__(
        self,
        base_url: str,
        bearer: str,
        *,
        transport: object | None = None,
        exchanged: Callable[[Exchange], None] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        recorder: Recorder | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        if origin(self.base_url) is None:
            raise Unsendable("the base URL is not an absolute http or https address")
        if not bearer or not bearer.isascii() or not bearer.isprintable() or " " in bearer:
            raise Unsendable("the bearer is not one word of visible ASCII")
        if transport is not None and not isinstance(transport, httpx.AsyncBaseTransport):
            raise Unsendable("what stands in for the network is no transport")
        self._exchanged = exchanged
        self._monotonic = monotonic
        self._advertised = ""
        self.streams = not isinstance(transport, httpx.ASGITransport)
        """Whether anything can be streamed: an application called in this process has to end its answer first."""
        headers = {
            "Authorization": f"Bearer {bearer}",
            "Accept-Encoding": "identity",
            "User-Agent": f"corr-tui/{__version__}",
        }
        try:
            self._http = client_of(
                recorder,
                headers=headers,
                timeout=TIMEOUT,
                follow_redirects=False,
                trust_env=not self.is_loopback,
                verify=trust(self.base_url),
                transport=transport,
            )
        except (ValueError, httpx.InvalidURL):
            raise Unsendable("the proxy that the environment names cannot be used") from None

    @property
    def is_loopback(self) -> bool:
        """Whether the service is on this machine: no proxy stands between, and retries are cheap."""
        return urlsplit(self.base_url).hostname in ("127.0.0.1", "::1", "localhost")

    @property
    def live_template(self) -> str | None:
        """The template of the wake stream as last advertised, or None (§7)."""
        return live_template(self._advertised)

    async def aclose(self) -> None:
        """Let go of every connection."""
        await self._http.aclose()

    async def post_event(self, raw: bytes) -> Record:
        """Append one signed event, exactly these bytes; the record with its receipt and warnings (§7)."""
        headers = {"Content-Type": MEDIA_TYPE, "Accept": MEDIA_TYPE}
        answer = await self._exchange("POST", _EVENTS, headers=headers, content=raw)
        if answer.status not in (200, 201):
            raise _refusal(answer)
        return bounded_record(await _decoded(answer, read_record))

    async def events(
        self, repository_id: str, *, thread_id: str | None = None, after: str | None = None, limit: int = 200
    ) -> EventsPage:
        """One page of the replay, ascending, after an exclusive cursor; `limit` is 1–200 (§7)."""
        answer = await self._get(_EVENTS, _page_query(repository_id, thread_id, after, limit))
        return bounded_page(await _decoded(answer, read_events_page))

    async def events_json(
        self, repository_id: str, *, thread_id: str | None = None, after: str | None = None, limit: int = 200
    ) -> Json:
        """The same page as the service sent it."""
        return await _decoded(await self._get(_EVENTS, _page_query(repository_id, thread_id, after, limit)), _same)

    async def claims(
        self, repository_id: str, *, thread_id: str | None = None, path: str | None = None, etag: str | None = None
    ) -> Fresh[Claims] | NotModified:
        """The active-claim projection; raises ProjectionUnavailable, from which nothing may be inferred (§6)."""
        query = {"repository_id": repository_id, "thread_id": thread_id, "path": path}
        return await self._conditional("/v1/correspondence/claims", query, etag, read_claims)

    async def claims_json(self, repository_id: str, *, thread_id: str | None = None, path: str | None = None) -> Json:
        """The same projection as the service sent it."""
        query = {"repository_id": repository_id, "thread_id": thread_id, "path": path}
        return await _decoded(await self._get("/v1/correspondence/claims", query), _same)

    async def voice(
        self, repository_id: str, *, thread_id: str | None = None, etag: str | None = None
    ) -> Fresh[Voice] | NotModified:
        """The finite voice; raises ProjectionUnavailable, from which nothing may be inferred (§7.1)."""
        query = {"repository_id": repository_id, "thread_id": thread_id}
        answer = await self._conditional("/v1/correspondence/voice", query, etag, read_voice)
        return Fresh(bounded_voice(answer.value), answer.etag) if isinstance(answer, Fresh) else answer

    async def voice_json(self, repository_id: str, *, thread_id: str | None = None) -> Json:
        """The same voice as the service sent it."""
        query = {"repository_id": repository_id, "thread_id": thread_id}
        return await _decoded(await self._get("/v1/correspondence/voice", query), _same)

    async def identities(self) -> tuple[ListedIdentity, ...]:
        """Every identity of the bearer's project."""
        return await _threaded(read_identities, (await self._get("/v1/identities", {})).body)

    async def keys(self, identity_id: str) -> tuple[ListedKey, ...]:
        """The signing keys of one identity, revoked ones included; `identity_id` is a UUID."""
        answer = await self._get(f"/v1/identities/{quote(identity_id, safe='')}/keys", {})
        return await _threaded(read_keys, answer.body)

    async def project(self) -> NamedProject:
        """The bearer's project."""
        return await _threaded(read_project, (await self._get("/v1/wake", {})).body)

    @asynccontextmanager
    async def stream(self, identity_id: str, silence: float) -> AsyncIterator[httpx.Response]:
        """The wake stream of one identity, at the advertised address (§7); for `wake` alone.

        `silence` is how many seconds may pass without a byte. Raises what any route raises.
        """
        url = expand_live(self.live_template, self.base_url, identity_id)
        timeout = httpx.Timeout(TIMEOUT.connect, read=silence)
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        began = self._monotonic()
        try:
            request = self._http.build_request("GET", url, headers=headers, timeout=timeout)
            response = await self._http.send(request, stream=True)
        except httpx.InvalidURL:
            raise Unsendable(NO_ADDRESS) from None
        except httpx.HTTPError as error:
            raise unreachable(error) from None
        try:
            self._note(response, began)
            if response.status_code != 200:
                raise _refusal(await _refused_body(response))
            yield response
        finally:
            await response.aclose()

    async def _conditional(
        self, path: str, query: Mapping[str, str | None], etag: str | None, read: Callable[[object], _Value]
    ) -> Fresh[_Value] | NotModified:
        answer = await self._get(path, query, etag)
        if answer.status == 304:
            return NotModified()
        return Fresh(await _decoded(answer, read), read_validator(answer.headers.get("etag")))

    async def _get(self, path: str, query: Mapping[str, str | None], etag: str | None = None) -> _Answer:
        """A read. One that is cut is tried once more: a kept connection may end between two requests."""
        headers = {"Accept": f"{MEDIA_TYPE}, application/json;q=0.9"}
        if etag is not None:
            headers["If-None-Match"] = etag
        params = {name: value for name, value in query.items() if value is not None}
        try:
            answer = await self._exchange("GET", path, headers=headers, params=params)
        except Unreachable as lost:
            if lost.phase is not Phase.CUT:
                raise
            answer = await self._exchange("GET", path, headers=headers, params=params)
        if answer.status == 200 or (answer.status == 304 and etag is not None):
            return answer
        raise _refusal(answer)

    async def _exchange(self, method: str, path: str, **request: Any) -> _Answer:
        began = self._monotonic()
        try:
            async with (
                asyncio.timeout(DEADLINE),
                self._http.stream(method, self.base_url + path, **request) as response,
            ):
                self._note(response, began)
                return await _whole(response)
        except TimeoutError:
            raise Unreachable(Phase.TIMEOUT) from None
        except httpx.InvalidURL:
            raise Unsendable(NO_ADDRESS) from None
        except httpx.HTTPError as error:
            raise unreachable(error) from None

    def _note(self, response: httpx.Response, began: float) -> None:
        """Remember what any answer says in passing: the service's clock and where its live stream is."""
        if self._exchanged is not None:
            asked = response.request.url.path.rsplit("/", 1)[-1]
            date = read_date(response.headers.get("date"))
            self._exchanged(Exchange(date, began, self._monotonic(), asked, response.status_code))
        self._advertised = response.headers.get("link-template", self._advertised)


def transport_to(application: Any) -> object:
    """A transport to an ASGI application in this process. It cannot stream, and what goes wrong in the application is
    an answer of the application."""
    return httpx.ASGITransport(application, raise_app_exceptions=False)


async def _whole(response: httpx.Response) -> _Answer:
    """The answer with its whole body, or UnexpectedAnswer when it is coded or too large.

    Of a refusal only a small body is kept: a larger one says nothing usable, and the status refuses all the same.
    """
    if response.headers.get("content-encoding", "identity") != "identity":
        raise UnexpectedAnswer("the answer is compressed, which was not asked for")
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if response.status_code >= 400 and len(body) > MAX_REFUSAL:
            return _Answer(response.status_code, response.headers, b"")
        if len(body) > MAX_ANSWER:
            raise UnexpectedAnswer(f"the answer is larger than {MAX_ANSWER} bytes")
    return _Answer(response.status_code, response.headers, bytes(body))


async def _refused_body(response: httpx.Response) -> _Answer:
    try:
        async with asyncio.timeout(DEADLINE):
            return await _whole(response)
    except TimeoutError:
        raise Unreachable(Phase.TIMEOUT) from None
    except httpx.HTTPError as error:
        raise unreachable(error) from None


def _refusal(answer: _Answer) -> ClientError:
    if 300 <= answer.status < 400 and answer.status != 304:
        return UnexpectedAnswer(f"status {answer.status} leads elsewhere, where the bearer does not go")
    if answer.status < 400:
        return UnexpectedAnswer(f"status {answer.status} is no answer to this request")
    if answer.status == 511:
        return UnexpectedAnswer(SIGN_IN)
    wait = read_retry_after(answer.headers.get("retry-after"), answer.headers.get("date"))
    return read_refusal(answer.status, answer.body, wait)


def _json(answer: _Answer) -> Json:
    """The strict value of a 200 body that says it is JSON (§2, §7)."""
    media_type = read_media_type(answer.headers.get("content-type", ""))
    if media_type == "text/html":
        raise UnexpectedAnswer(A_PAGE)
    if media_type not in (MEDIA_TYPE, "application/json"):
        raise UnexpectedAnswer("the answer is not JSON by its content type")
    try:
        return decode(answer.body, COLLECTION_LIMITS)
    except JsonRefused as refused:
        raise UnexpectedAnswer(f"the answer is not strict JSON: {refused}") from None


async def _decoded(answer: _Answer, read: Callable[[Any], _Value]) -> _Value:
    """The record in a 200 body."""
    return await _threaded(lambda _: _read(_json(answer), read), answer.body)


async def _threaded(read: Callable[[bytes], _Value], body: bytes) -> _Value:
    """What is read from a body, in a thread when it is large."""
    return read(body) if len(body) < LARGE else await asyncio.to_thread(read, body)


def _same(value: Json) -> Json:
    return value


def _page_query(repository_id: str, thread_id: str | None, after: str | None, limit: int) -> Mapping[str, str | None]:
    return {"repository_id": repository_id, "thread_id": thread_id, "after": after, "limit": str(limit)}


def _read(value: object, read: Callable[[object], _Value]) -> _Value:
    try:
        return read(value)
    except RecordRefused as refused:
        raise UnexpectedAnswer(f"the answer is not the record asked for: {refused}") from None
