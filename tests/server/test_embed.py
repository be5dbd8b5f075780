"""Running the service: embedded, on its own, and how both end (§7)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading

import httpx
import pytest

from corr_tui.server.database import Database
from corr_tui.server.embed import EmbeddedService, ServeRefused, listen, serve, url_of
from tests.correspondents import PROJECT_ID, uuid
from tests.server.scene import BEARER

HEADERS = {"Authorization": f"Bearer {BEARER}"}
BEARERS = {BEARER: PROJECT_ID}
STREAM = f"/v1/wake/voice?identity_id={uuid(2, 1)}&keys=correspondence"


def test_it_listens_on_loopback_once_started_and_is_gone_once_stopped(database: Database) -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    service = EmbeddedService(database, bearers=BEARERS)
    service.start()
    assert service.base_url.startswith("http://127.0.0.1:")
    assert httpx.get(f"{service.base_url}/v1/wake", headers=HEADERS).status_code == 200
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before
    service.stop()
    service.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{service.base_url}/v1/wake", headers=HEADERS)
    assert "correspondence-service" not in {thread.name for thread in threading.enumerate()}


def test_it_stops_with_streams_open_and_ends_them_whole(database: Database) -> None:
    service = EmbeddedService(database, bearers=BEARERS)
    service.start()
    with (
        httpx.Client(base_url=service.base_url, headers=HEADERS) as client,
        client.stream("GET", STREAM) as one,
        client.stream("GET", STREAM) as other,
    ):
        streams = [one.iter_lines(), other.iter_lines()]
        assert [next(lines) for lines in streams] == ["event: connected"] * 2
        service.stop()
        for lines in streams:
            assert not any(line.startswith("event: ") for line in lines)


def test_it_stops_although_a_reader_does_not_read(database: Database) -> None:
    service = EmbeddedService(database, bearers=BEARERS)
    service.start()
    host, port = service.base_url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as reader:
        request = f"GET {STREAM} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {BEARER}\r\n\r\n"
        reader.sendall(request.encode())
        assert reader.recv(16)
        service.stop()


def test_head_and_304_leave_the_connection_in_step_section_7(database: Database) -> None:
    query = "/v1/correspondence/voice?repository_id=acme/widgets"
    with (
        EmbeddedService(database, bearers=BEARERS) as service,
        httpx.Client(base_url=service.base_url, headers=HEADERS, limits=httpx.Limits(max_connections=1)) as client,
    ):
        got = client.get(query)
        headed = client.head(query)
        same = client.get(query, headers={"If-None-Match": got.headers["etag"]})
        again = client.get(query)
    assert [answer.status_code for answer in (got, headed, same, again)] == [200, 200, 304, 200]
    assert headed.headers["content-length"] == got.headers["content-length"]
    assert (headed.content, same.content, again.content) == (b"", b"", got.content)


def test_an_address_in_use_is_refused_by_name(database: Database) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        for start in (EmbeddedService(database, port=port).start, lambda: serve(database, "127.0.0.1", port)):
            with pytest.raises(ServeRefused) as caught:
                start()
            assert caught.value.reason == "address_in_use"


@pytest.mark.parametrize(("host", "port"), [("192.0.2.1", 0), ("127.0.0.1", 70_000), ("no such host", 0)])
def test_an_address_that_is_none_of_ours_is_refused_by_name(database: Database, host: str, port: int) -> None:
    with pytest.raises(ServeRefused) as caught:
        EmbeddedService(database, host, port).start()
    assert caught.value.reason == "address_refused"


def test_a_base_url_brackets_an_ipv6_address() -> None:
    try:
        listening = listen("::1", 0)
    except ServeRefused:
        pytest.skip("this machine has no IPv6 loopback")
    with listening:
        assert url_of(listening) == f"http://[::1]:{listening.getsockname()[1]}"


SERVE = """
import sys
from corr_tui.server.database import open_database
from corr_tui.server.embed import serve
database = open_database(sys.argv[1])
serve(database, "127.0.0.1", 0, bearers={sys.argv[2]: sys.argv[3]}, on_ready=lambda url: print(url, flush=True))
print("ended", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serving_ends_cleanly_on_a_signal_with_streams_open(
    url: str, database: Database, number: signal.Signals
) -> None:
    command = [sys.executable, "-c", SERVE, url, BEARER, PROJECT_ID]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            base_url = process.stdout.readline().strip()
            with httpx.Client(base_url=base_url, headers=HEADERS) as client, client.stream("GET", STREAM) as answer:
                lines = answer.iter_lines()
                assert next(lines) == "event: connected"
                os.kill(process.pid, number)
                assert not any(line.startswith("event: ") for line in lines)
            assert process.wait(timeout=10) == 0
            assert process.stdout.read() == "ended\n"
            assert process.stderr.read() == ""
        finally:
            process.kill()
