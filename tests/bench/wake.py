"""Wake under load: 500 subscribers of one process while 50 events a second are appended.

Three things are measured: the median latency of a POST against the same load with nobody listening (target within 2×),
whether every subscriber gets a frame at or after the last append, and how the memory of the process moves meanwhile.
CORR_TUI_BENCH_SECONDS sets how long each load lasts, 10 by default; 600 shows whether memory stays flat.
"""

from __future__ import annotations

import os
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import httpx

from corr_tui.server.accounts import Accounts
from corr_tui.server.database import open_database
from tests.correspondents import PROJECT_ID, World
from tests.server.crashing import serving
from tests.server.scene import BEARER, EVENTS, settle_accounts

SUBSCRIBERS = 500
STREAMS_OF_ONE = 5
RATE = 50.0
ROUNDS = 2
SECONDS = float(os.environ.get("CORR_TUI_BENCH_SECONDS", "10"))
LISTEN = "import sys; from tests.bench.wake import listen; listen(sys.argv[1], int(sys.argv[2]), sys.argv[3:])"

_VERSION = re.compile(rb'"wake_version":([0-9]+),')


def main() -> None:
    """Load a service with nobody listening and with everybody, in turn."""
    quiet: list[float] = []
    loud: list[float] = []
    for _ in range(ROUNDS):
        quiet += load(0).latencies
        loaded = load(SUBSCRIBERS)
        loud += loaded.latencies
        print(f"  {loaded.reached} of {SUBSCRIBERS} subscribers heard of the last append; memory {loaded.memory}")
    ours, theirs = median(loud), median(quiet)
    title = f"POST with {SUBSCRIBERS} subscribers / with none, {RATE:.0f} a second"
    print(f"{title:<58} {ours / theirs:6.2f}   {ours * 1e6:10.1f} µs / {theirs * 1e6:10.1f} µs   target ≤ 2")


@dataclass
class Loaded:
    """What a load gave."""

    latencies: list[float] = field(default_factory=list)
    """Seconds of each POST."""
    resident: list[int] = field(default_factory=list)
    """MiB of the process, in ten samples."""
    reached: int = 0

    @property
    def memory(self) -> str:
        """The samples in words."""
        return " → ".join(map(str, self.resident)) + " MiB"


def load(subscribers: int) -> Loaded:
    """Append at the rate for some seconds while so many listen."""
    with TemporaryDirectory(prefix="corr-tui-wake-") as folder:
        url = f"sqlite:///{folder}/service.db"
        database = open_database(url)
        settle_accounts(database, World())
        accounts = Accounts(database)
        people = range(subscribers // STREAMS_OF_ONE)
        identity_ids = [accounts.create_identity(PROJECT_ID, f"listener {number}") for number in people]
        database.close()
        with serving(url) as (process, base_url), listening(base_url, identity_ids) as listener:
            loaded = append(base_url, process.pid)
            if listener is not None:
                told, _ = listener.communicate(str(len(loaded.latencies)), timeout=60)
                loaded.reached = int(told)
            return loaded


def append(base_url: str, pid: int) -> Loaded:
    """Append at the rate, looking at the memory of the process now and then."""
    loaded = Loaded()
    world = World()
    count = int(SECONDS * RATE)
    with httpx.Client(base_url=base_url, headers={"Authorization": f"Bearer {BEARER}"}) as client:
        started = time.perf_counter()
        for number in range(count):
            event = world.event("ana", "progress", summary=str(number)).evidence
            time.sleep(max(0.0, started + number / RATE - time.perf_counter()))
            posted = time.perf_counter()
            answer = client.post(EVENTS, json=event)
            loaded.latencies.append(time.perf_counter() - posted)
            assert answer.status_code == 201
            if number % (count // 10) == 0:
                loaded.resident.append(resident(pid))
    return loaded


def resident(pid: int) -> int:
    """The MiB of memory a process has in use."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (kibibytes,) = re.findall(r"VmRSS:\s+(\d+) kB", status)
    return int(kibibytes) // 1024


@contextmanager
def listening(base_url: str, identity_ids: Sequence[str]) -> Iterator[subprocess.Popen[str] | None]:
    """Five streams for each identity, read in a process of their own; it is asked for its count at the end."""
    if not identity_ids:
        yield None
        return
    command = [sys.executable, "-c", LISTEN, base_url, str(STREAMS_OF_ONE), *identity_ids]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "listening\n"
            yield process
        finally:
            process.kill()


def listen(base_url: str, streams: int, identity_ids: Sequence[str]) -> None:
    """Read streams until standard input says which append was the last; print how many heard of it in time."""
    host, port = base_url.removeprefix("http://").split(":")
    heard: dict[int, int] = {}
    rest: dict[int, bytes] = {}
    with selectors.DefaultSelector() as selector:
        for number, identity_id in enumerate(each for each in identity_ids for _ in range(streams)):
            connection = socket.create_connection((host, int(port)))
            target = f"/v1/wake/voice?identity_id={identity_id}&keys=correspondence"
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {BEARER}\r\n\r\n".encode())
            assert connection.recv(15) == b"HTTP/1.1 200 OK"
            selector.register(connection, selectors.EVENT_READ, number)
        selector.register(sys.stdin, selectors.EVENT_READ, None)
        print("listening", flush=True)
        last: int | None = None
        end = float("inf")
        while time.monotonic() < end and not (last and all(heard.get(each, 0) >= last for each in range(number + 1))):
            for key, _ in selector.select(0.1):
                if key.data is None:
                    last, end = int(sys.stdin.readline()), time.monotonic() + 10
                    selector.unregister(sys.stdin)
                elif isinstance(key.fileobj, socket.socket):
                    text = rest.get(key.data, b"") + key.fileobj.recv(65_536)
                    rest[key.data] = text[-40:]
                    if versions := _VERSION.findall(text):
                        heard[key.data] = max(heard.get(key.data, 0), *map(int, versions))
    print(sum(version >= (last or 0) for version in heard.values()), flush=True)
