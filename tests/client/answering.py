"""A client whose network is a function."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import httpx

from corr_tui.client.http import MEDIA_TYPE, Client, Exchange

BEARER = "at_secret-of-the-test"
BASE_URL = "http://service.example"


@asynccontextmanager
async def client_of(
    answer: Callable[[httpx.Request], httpx.Response], exchanged: Callable[[Exchange], None] | None = None
) -> AsyncIterator[Client]:
    """A client that is answered by a function."""
    client = Client(BASE_URL, BEARER, transport=httpx.MockTransport(answer), exchanged=exchanged)
    try:
        yield client
    finally:
        await client.aclose()


def always(response: httpx.Response) -> Callable[[httpx.Request], httpx.Response]:
    """The same answer to everything."""
    return lambda _: httpx.Response(response.status_code, headers=response.headers, content=response.content)


def json_answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> httpx.Response:
    """A JSON answer in the service's media type."""
    return raw_answer(json.dumps(value).encode(), status, headers)


def raw_answer(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> httpx.Response:
    """Any bytes in the service's media type."""
    return httpx.Response(status, headers={"Content-Type": MEDIA_TYPE, **(headers or {})}, content=body)
