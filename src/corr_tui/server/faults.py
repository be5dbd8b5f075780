"""What happens when this program itself is wrong (§7, §9).

The rule: a fault is told by its type and its place in the code, never by its words, which may repeat what was signed.
So nothing of it reaches whatever server runs the application, which would log it whole.
"""

from __future__ import annotations

import logging
from asyncio import CancelledError
from types import TracebackType
from typing import Self

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from corr_tui.server.refusal import Refused
from corr_tui.server.representation import refusal

log = logging.getLogger("corr_tui.server")


_STOPPING = Refused(
    503,
    "service_stopping",
    "The service is stopping, and does not know what became of this request.",
    hint="Ask again once it is back; an event is stored once, however often the same one is posted.",
)


class FaultsContained:
    """Middleware that answers a fault with 500 and a request cut short with 503, or cuts an answer that has begun."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            with _Containment() as contained:
                await self._app(scope, receive, sending)
        except CancelledError:
            if not begun:
                await refusal(Request(scope), _STOPPING)(scope, receive, send)
            raise
        if contained.fault is None:
            return
        log.error("unexpected %s at %s", type(contained.fault).__name__, _place(contained.fault))
        if not begun:
            answer = refusal(Request(scope), Refused(500, "internal_error", "The service has a fault."))
            await answer(scope, receive, send)


class _Containment:
    """Ends a block at the fault that it keeps; what is no Exception, as a cancellation, goes on."""

    fault: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception):
            self.fault = error
        return self.fault is not None


def _place(error: Exception) -> str:
    """The file and line that raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "an unknown place"
