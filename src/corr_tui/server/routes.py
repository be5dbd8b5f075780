"""The routes: who asks, what for, and which bytes answer (§7, §7.1, §8).

The rule: a bearer is checked before anything else of a request is looked at, the query before the body, and the size
of a body while it is read. Everything that touches the database or proves a signature runs on threads.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import anyio
from starlette.requests import Request
from starlette.responses import Response

from corr_tui.server.accounts import Accounts, Bearers, digest
from corr_tui.server.atom import feed
from corr_tui.server.frames import KEY, rejected
from corr_tui.server.links import LIVE_TEMPLATE, links
from corr_tui.server.projection import Focus, Projection
from corr_tui.server.query import check_focus, check_page, check_path, read_query
from corr_tui.server.record import compact
from corr_tui.server.refusal import Refused
from corr_tui.server.representation import EVENT_OFFERS, chosen, collection, document
from corr_tui.server.store import Store
from corr_tui.server.stream import STREAM_HEADERS, WakeStream
from corr_tui.server.submission import (
    ATOM,
    MAX_BODY_BYTES,
    VENDOR_JSON,
    check_content_type,
    read_submission,
    too_large,
)
from corr_tui.server.wake import Hub

_Result = TypeVar("_Result")

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)

PRIVATE = {"Cache-Control": "private, no-store"}

NEXT_ACTIONS = (
    ("Read the finite voice of one repository", "GET", "/v1/correspondence/voice?repository_id={repository_id}"),
    ("Read the advisory path claims", "GET", "/v1/correspondence/claims?repository_id={repository_id}"),
    ("Replay signed events after a receipt cursor", "GET", "/v1/correspondence/events?repository_id={repository_id}"),
    ("Listen for missable invalidations as one active identity", "GET", LIVE_TEMPLATE),
    ("Append one locally signed event", "POST", "/v1/correspondence/events"),
)
"""The five links of the correspondence_open item: what it does, method, path (§8)."""

_THREADS_READING = 16
_THREADS_WRITING = 32


@dataclass(frozen=True, slots=True)
class Routes:
    """The handlers of one application."""

    accounts: Accounts
    bearers: Bearers
    store: Store
    projection: Projection
    hub: Hub
    _reading: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(_THREADS_READING))
    _writing: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(_THREADS_WRITING))

    async def events(self, request: Request) -> Response:
        """/v1/correspondence/events: append on POST, replay on GET."""
        return await (self.append(request) if request.method == "POST" else self.replay(request))

    async def append(self, request: Request) -> Response:
        """POST /v1/correspondence/events: 201 for a new event, 200 for an exact retry (§7)."""
        project_id = await self._project(request)
        read_query(request, ())
        check_content_type(request.headers.get("content-type"))
        raw = await _body(request)
        appended = await self._write(lambda: self.store.append(read_submission(raw, project_id)))
        if appended.created:
            self.hub.nudge()
        status = 201 if appended.created else 200
        return document(request, appended.record.json(), status, media_type=VENDOR_JSON)

    async def replay(self, request: Request) -> Response:
        """GET /v1/correspondence/events: one page after a cursor (§7)."""
        project_id = await self._project(request)
        query = read_query(request, ("repository_id", "thread_id", "after", "limit"))
        focus = Focus(project_id, *check_focus(query))
        after, limit = check_page(query)
        media_type = chosen(request, EVENT_OFFERS)
        leading = links(request, "events", query, media_type)

        def written() -> bytes:
            page = self.projection.events(focus, after, limit)
            return feed(project_id, page.records, leading) if media_type == ATOM else page.json().encode()

        return collection(request, await self._read(written), media_type, leading)

    async def claims(self, request: Request) -> Response:
        """GET /v1/correspondence/claims: the active claims (§6)."""
        project_id = await self._project(request)
        query = read_query(request, ("repository_id", "thread_id", "path"))
        focus = Focus(project_id, *check_focus(query))
        path = check_path(query)
        media_type = chosen(request)
        text = await self._read(lambda: self._settled(project_id).claims(focus, path))
        return collection(request, text.encode(), media_type, links(request, "claims", query, media_type))

    async def voice(self, request: Request) -> Response:
        """GET /v1/correspondence/voice: the finite voice (§7.1)."""
        project_id = await self._project(request)
        query = read_query(request, ("repository_id", "thread_id"))
        focus = Focus(project_id, *check_focus(query))
        media_type = chosen(request)
        text = await self._read(lambda: self._settled(project_id).voice(focus))
        return collection(request, text.encode(), media_type, links(request, "voice", query, media_type))

    async def wake_voice(self, request: Request) -> Response | WakeStream:
        """GET /v1/wake/voice: the stream of invalidations (§7.1)."""
        project_id = await self._project(request)
        identity_id = _identity_id(_once(request, "identity_id"))
        keys = _keys(_once(request, "keys"))
        identity = await self._read(lambda: self.accounts.identity(project_id, identity_id))
        if not identity.active:
            raise Refused(410, "identity_revoked", "This identity was revoked.", headers=PRIVATE)
        if request.method == "HEAD":
            return Response(None, 200, STREAM_HEADERS)
        subscriber = await self.hub.subscribe(
            project_id, identity_id, token_digest=self._token_digest(request), told=keys == "all" or KEY in keys
        )
        if subscriber is None:
            return Response(rejected(self.hub.pace.cap), 200, STREAM_HEADERS)
        return WakeStream(self.hub, subscriber, keys)

    async def wake(self, request: Request) -> Response:
        """GET /v1/wake: the project of the bearer, and that correspondence is open (§8)."""
        project_id = await self._project(request)
        project = await self._read(lambda: self.accounts.project(project_id))
        actions = [{"action": action, "method": method, "path": path} for action, method, path in NEXT_ACTIONS]
        item = {
            "kind": "correspondence_open",
            "count": 1,
            "summary": "Signed reports of this project can be read and appended. None of them is a permission.",
            "next_actions": actions,
        }
        body = {
            "project": {"id": project.project_id, "name": project.name},
            "you_can_now": {"items": [item]},
        }
        return document(request, compact(body))

    async def identities(self, request: Request) -> Response:
        """GET /v1/identities: the identities of the project, revoked ones too."""
        project_id = await self._project(request)
        found = await self._read(lambda: self.accounts.identities(project_id))
        listed = [
            {
                "id": identity.identity_id,
                "display_name": identity.name,
                "status": "active" if identity.active else "revoked",
                "created_at": identity.created_at,
                "revoked_at": identity.revoked_at,
            }
            for identity in found
        ]
        return document(request, compact({"identities": listed, "count": len(listed)}))

    async def keys(self, request: Request) -> Response:
        """GET /v1/identities/{id}/keys: the keys of an identity, revoked ones too."""
        project_id = await self._project(request)
        identity_id = _identity_id(request.path_params["identity_id"])
        found = await self._read(lambda: self.accounts.keys(project_id, identity_id))
        listed = [
            {
                "kid": key.signing_key_id,
                "public_key": b64encode(key.public_key).decode("ascii"),
                "label": key.label,
                "active": key.active,
                "created_at": key.created_at,
                "revoked_at": key.revoked_at,
            }
            for key in found
        ]
        return document(request, compact({"keys": listed}))

    async def _project(self, request: Request) -> str:
        """The project of the bearer, or Refused (401)."""
        presented = _bearer(request)
        project_id = self.bearers.remembered(presented) or await self._read(lambda: self.bearers.stored(presented))
        if project_id is None:
            raise _unauthorized("The bearer is not one of this service.")
        return project_id

    def _token_digest(self, request: Request) -> str | None:
        """What the accounts keep of the bearer; None for one that lives as long as this process."""
        bearer = _bearer(request)
        return None if self.bearers.remembered(bearer) else digest(bearer)

    def _settled(self, project_id: str) -> Projection:
        """The projection after one bounded step of ready lineage, which is committed before any snapshot (§6)."""
        self.store.reconcile(project_id)
        return self.projection

    async def _read(self, work: Callable[[], _Result]) -> _Result:
        return await anyio.to_thread.run_sync(work, limiter=self._reading)

    async def _write(self, work: Callable[[], _Result]) -> _Result:
        return await anyio.to_thread.run_sync(work, limiter=self._writing)


async def _body(request: Request) -> bytes:
    """The raw body, refused as soon as it is too large (§7)."""
    declared = request.headers.get("content-length", "")
    if len(declared) > 18 or (declared.isdecimal() and int(declared) > MAX_BODY_BYTES):
        raise too_large()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise too_large()
    return bytes(body)


def _bearer(request: Request) -> str:
    """The bearer a request presents, or Refused (401)."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not bearer.strip():
        raise _unauthorized("The request has no bearer.")
    return bearer.strip()


def _once(request: Request, name: str) -> str | None:
    """A query parameter of a wake stream, or Refused (400) when it stands more than once.

    What else stands in the query is let pass there, as the public service lets it.
    """
    given = request.query_params.getlist(name)
    if len(given) > 1:
        message = f"The query parameter {name} stands more than once."
        raise Refused(400, "query_invalid", message, headers=PRIVATE)
    return given[0] if given else None


def _unauthorized(message: str) -> Refused:
    headers = {"WWW-Authenticate": "Bearer", "Vary": "Authorization", **PRIVATE}
    return Refused(401, "unauthorized", message, hint="Send Authorization: Bearer at_…", headers=headers)


def _identity_id(text: str | None) -> str:
    """An identity id in its canonical form, or Refused (400)."""
    if not text:
        raise Refused(400, "identity_id_required", "Name one identity_id of the project.", headers=PRIVATE)
    if not _UUID.fullmatch(text):
        raise Refused(400, "identity_id_invalid", "An identity_id is a UUID.", headers=PRIVATE)
    return text.lower()


def _keys(text: str | None) -> list[str] | str:
    """The wake keys that were asked for; all of them when none was named; raises Refused (400)."""
    if not text:
        return "all"
    named = [key for key in text.split(",") if key]
    if any(key != KEY for key in named):
        hint = f"The one key of this service is {KEY}."
        raise Refused(400, "unknown_wake_keys", "A key is unknown to this service.", hint=hint, headers=PRIVATE)
    return named
