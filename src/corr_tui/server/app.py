"""The application: one database behind the routes of the profile (§7).

The rule: whatever goes wrong becomes one JSON body with a code of ours. A storage failure says what to do next and
nothing about the database; a bug says that it is one.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from corr_tui.server.accounts import AccountRefused, Accounts, Bearers
from corr_tui.server.database import Database, StorageUnavailable
from corr_tui.server.faults import FaultsContained
from corr_tui.server.projection import Projection
from corr_tui.server.refusal import Refused
from corr_tui.server.representation import refusal
from corr_tui.server.routes import PRIVATE, Routes
from corr_tui.server.store import Store
from corr_tui.server.wake import Hub, Pace

log = logging.getLogger("corr_tui.server")
log.addHandler(logging.NullHandler())

_EVENTS = "/v1/correspondence/events"
_PROJECTIONS = ("/v1/correspondence/claims", "/v1/correspondence/voice")


def create_app(
    database: Database,
    *,
    heartbeat: float = 15.0,
    bearers: Mapping[str, str] | None = None,
    pace: Pace | None = None,
) -> Starlette:
    """The ASGI application over an open database.

    `bearers` maps bearers that live only in this process to their project ids. `heartbeat` is in seconds; `pace`, when
    given, replaces it and sets the other habits of wake streams. `app.state.hub` is the Hub; whoever runs the
    application calls its `close()` on the loop to end open streams. Needs no lifespan.
    """
    accounts = Accounts(database)
    hub = Hub(database, pace or Pace(heartbeat=heartbeat))
    routes = Routes(accounts, Bearers(accounts, bearers or {}), Store(database), Projection(database), hub)
    app = Starlette(
        routes=[
            Route(_EVENTS, routes.events, methods=["GET", "POST"]),
            Route("/v1/correspondence/claims", routes.claims, methods=["GET"]),
            Route("/v1/correspondence/voice", routes.voice, methods=["GET"]),
            Route("/v1/wake/voice", routes.wake_voice, methods=["GET"]),
            Route("/v1/wake", routes.wake, methods=["GET"]),
            Route("/v1/identities", routes.identities, methods=["GET"]),
            Route("/v1/identities/{identity_id}/keys", routes.keys, methods=["GET"]),
        ],
        exception_handlers={
            Refused: _refused,
            AccountRefused: _account_refused,
            StorageUnavailable: _storage_unavailable,
            HTTPException: _http_exception,
            ClientDisconnect: _client_disconnect,
        },
        middleware=[Middleware(FaultsContained)],
    )
    app.router.redirect_slashes = False
    app.state.hub = hub
    return app


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return refusal(request, error)


async def _account_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, AccountRefused)
    code = "identity_not_found_in_project" if error.reason == "identity_unknown" else error.reason
    return refusal(request, Refused(404, code, f"There is {error.message}.", headers=PRIVATE))


async def _storage_unavailable(request: Request, error: Exception) -> Response:
    """503 with what to do next; of the failure only its kind is logged (§7)."""
    log.error("storage unavailable: %s", error)
    headers = {"Retry-After": "1"}
    if request.url.path == _EVENTS and request.method == "POST":
        code = "correspondence_append_unavailable"
        message = "The event may not have been stored."
        hint = "Send the same signed bytes again: the event is addressed by its content and is stored once."
    elif request.url.path in _PROJECTIONS:
        code = "correspondence_projection_unavailable"
        message = "The projection cannot be calculated now. This says nothing about claims or conflicts."
        hint = "Ask again later, or replay /v1/correspondence/events; do not read this as an empty projection."
    elif request.url.path == _EVENTS:
        code = "correspondence_events_unavailable"
        message = "The events cannot be read now."
        hint = "Ask again later, with the same cursor."
    else:
        code, message, hint = "service_unavailable", "The service cannot read its database now.", "Ask again later."
    return refusal(request, Refused(503, code, message, hint=hint, headers=headers))


async def _http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "request_invalid")
    refused = Refused(error.status_code, code, f"{error.detail}.", headers=error.headers)
    return refusal(request, refused)


async def _client_disconnect(request: Request, _error: Exception) -> Response:
    """Nobody reads this any more; it only ends the request."""
    return refusal(request, Refused(400, "request_incomplete", "The request ended before its body did."))
