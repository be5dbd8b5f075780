"""Running the application: embedded in another program, or on its own (§7).

The rule: a service that is told to stop ends its open streams first and is gone within a second or two, and it never
touches the signals of a program it is embedded in. It writes nothing to the terminal.

ServeRefused     an address that cannot be served on; carries one reason and a sentence
"""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from types import TracebackType
from typing import Self

import uvicorn

from corr_tui.server.app import create_app
from corr_tui.server.database import Database
from corr_tui.server.wake import Hub, Pace

STOP_SECONDS = 1
"""How long requests that are under way may take once the service stops."""

KEEP_ALIVE_SECONDS = 75
"""How long an idle connection stays open: longer than clients keep theirs, so that none is closed under a request."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


STUCK_SECONDS = 30
"""How long a reader may leave what was sent to it unread before the system cuts the connection, where it can."""


class ServeRefused(Exception):
    """An address that cannot be served on: address_in_use, address_refused, tls_refused."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class Tls:
    """A certificate chain and its private key, as PEM files; the key without a passphrase."""

    certificate: str
    key: str

    def check(self) -> None:
        """Raise ServeRefused unless both can be read and belong together."""
        try:
            # A passphrase is never asked for: it would be asked for on the terminal.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password=lambda: "")
        except (OSError, ValueError):
            message = "the certificate and its key cannot be used: two PEM files that belong together are needed"
            raise ServeRefused("tls_refused", message) from None


@dataclass(frozen=True, slots=True)
class Exposure:
    """How a service is reached from beyond this machine; not at all unless told."""

    tls: Tls | None = None
    behind_proxy: bool = False
    """A proxy in front ends TLS; what it says of the scheme it was reached by is believed."""

    @property
    def scheme(self) -> str:
        """The scheme this process itself speaks."""
        return "http" if self.tls is None else "https"


LOCAL = Exposure()
"""Reached from this machine only."""

DEFAULT_PACE = Pace()


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signals alone, tells when it listens, and ends streams before it stops."""

    def __init__(self, config: uvicorn.Config, hub: Hub, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._hub = hub
        self._on_started = on_started
        self.loop: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals belong to whoever runs this server."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then tell."""
        await super().startup(sockets)
        self.loop = asyncio.get_running_loop()
        self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the open streams, then the rest."""
        self._hub.close()
        await super().shutdown(sockets)

    def end(self) -> None:
        """Begin to stop; on the loop of the server."""
        self._hub.close()
        self.should_exit = True


def _server(
    database: Database,
    pace: Pace,
    bearers: Mapping[str, str],
    on_started: Callable[[], None],
    exposure: Exposure = LOCAL,
) -> _Server:
    app = create_app(database, pace=pace, bearers=bearers)
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=exposure.behind_proxy,
        forwarded_allow_ips="*",
        ssl_certfile=exposure.tls.certificate if exposure.tls else None,
        ssl_keyfile=exposure.tls.key if exposure.tls else None,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    return _Server(config, app.state.hub, on_started)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket on an address; port 0 takes a free one; raises ServeRefused."""
    if not 0 <= port <= 65_535:
        raise ServeRefused("address_refused", f"{port} is not a port")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.create_server(address[:2], family=family, backlog=128)
        # asyncio turns Nagle's delay off only for sockets made with an explicit protocol; connections inherit this
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if sys.platform == "linux":
            # A connection that is closed while its reader is stuck would wait for that reader for ever.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STUCK_SECONDS * 1000)
        return listening
    except OSError as error:
        reason = "address_in_use" if error.errno == errno.EADDRINUSE else "address_refused"
        raise ServeRefused(reason, f"cannot serve on {host} port {port}: {error.strerror}") from None


def url_of(listening: socket.socket, scheme: str = "http") -> str:
    """The base URL of a listening socket."""
    host, port = listening.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


class EmbeddedService:
    """The service on a loopback address, in a thread of another program.

    `start()` returns when it listens, `stop()` when it has ended, within about a second even with open streams. Also a
    context manager. Does not close the database.
    """

    def __init__(
        self,
        database: Database,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        bearers: Mapping[str, str] | None = None,
        heartbeat: float = 15.0,
        pace: Pace | None = None,
    ) -> None:
        self._database = database
        self._address = (host, port)
        self._bearers = dict(bearers or {})
        self._pace = pace or Pace(heartbeat=heartbeat)
        self._server: _Server | None = None
        self._thread: Thread | None = None
        self._base_url = ""

    @property
    def base_url(self) -> str:
        """`http://127.0.0.1:PORT` once started."""
        return self._base_url

    def start(self) -> None:
        """Listen; raises ServeRefused when the address is not to be had."""
        listening = listen(*self._address)
        started = Event()
        self._base_url = url_of(listening)
        self._server = server = _server(self._database, self._pace, self._bearers, started.set)

        def run() -> None:
            try:
                asyncio.run(server.serve([listening]))
            finally:
                listening.close()
                started.set()

        self._thread = Thread(target=run, name="correspondence-service", daemon=True)
        self._thread.start()
        started.wait()
        if not server.started:
            self.stop()
            raise ServeRefused("address_refused", "the service ended before it listened")

    def stop(self) -> None:
        """End open streams and the thread; harmless when not started or already ended."""
        server, thread = self._server, self._thread
        if server is None or thread is None:
            return
        if thread.is_alive() and server.loop is not None:
            server.loop.call_soon_threadsafe(server.end)
        thread.join()
        self._server = self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self.stop()


def serve(
    database: Database,
    host: str,
    port: int,
    *,
    on_ready: Callable[[str], None] | None = None,
    bearers: Mapping[str, str] | None = None,
    exposure: Exposure = LOCAL,
    pace: Pace = DEFAULT_PACE,
    on_end: Callable[[], None] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, in the main thread; raises ServeRefused.

    `on_ready` is called with the base URL once the service listens, `on_end` when a signal ends it. Returns after open
    streams have ended.
    """
    if exposure.tls is not None:
        exposure.tls.check()
    listening = listen(host, port)

    def started() -> None:
        if on_ready is not None:
            on_ready(url_of(listening, exposure.scheme))

    server = _server(database, pace, bearers or {}, started, exposure)

    def ending() -> None:
        server.end()
        if on_end is not None:
            on_end()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, ending)
        try:
            await server.serve([listening])
        finally:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)

    try:
        asyncio.run(run())
    finally:
        listening.close()
