"""A home at work in processes of its own that end by SIGKILL at a step, for the tests of posting.

`Posting` is one process that has imported everything and forks a child for each piece of work, so that a test can
afford every step. The child counts its steps and ends itself before the one it was told; without one it says which
steps there were. What it signs is appended to a file before it goes on, so that nothing signed is ever forgotten.

    python -m tests.flows.posting_process        one JSON line in, one out, until end of file

A step is a statement on the outbox, a signature, or a part of an exchange with the service. Nothing in the program
itself knows of them.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from corr_tui.client.http import Client
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.event import Core, Event
from corr_tui.protocol.records import Record
from corr_tui.state.connection import Connection
from corr_tui.state.home import Home
from corr_tui.state.session import Session
from corr_tui.state.signer import Signer

OUTBOX = "outbox.sqlite3"


@dataclass(frozen=True)
class Work:
    """What one process does: send events with these summaries, then deliver what waits if told so."""

    base_url: str
    bearer: str
    repository_id: str
    identity_id: str
    signing_key_id: str
    seed: str
    home: str
    signed: str
    """The file that what is signed is appended to."""
    summaries: list[str] = field(default_factory=list)
    deliver: bool = False
    end_before: int | None = None
    """The number of the step that is not taken any more."""


@dataclass(frozen=True)
class Done:
    """How a process ended: its status as `os.waitstatus_to_exitcode` gives it, and the steps of one that was not
    killed."""

    status: int
    steps: list[str]


class Posting:
    """The process that forks."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def begin(self, work: Work) -> None:
        """Let it work; `end` waits for it."""
        assert self._process.stdin is not None
        print(json.dumps(asdict(work)), file=self._process.stdin, flush=True)

    def end(self) -> Done:
        """What became of the work begun."""
        assert self._process.stdout is not None
        return Done(**json.loads(self._process.stdout.readline()))

    def do(self, work: Work) -> Done:
        """Both."""
        self.begin(work)
        return self.end()


@contextmanager
def posting() -> Iterator[Posting]:
    """Such a process, ended afterwards."""
    command = [sys.executable, "-m", "tests.flows.posting_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Posting(process)
        finally:
            process.kill()


class Steps:
    """Counts, and ends this process before one of them."""

    def __init__(self, end_before: int | None) -> None:
        self.names: list[str] = []
        self._end_before = end_before
        self.counting = False

    def take(self, name: str) -> None:
        """Another step."""
        if not self.counting:
            return
        if len(self.names) == self._end_before:
            os.kill(os.getpid(), signal.SIGKILL)
        self.names.append(name)


def _outbox_steps(steps: Steps) -> None:
    """Every statement on the outbox is a step."""

    class Stepping(sqlite3.Connection):
        """A connection that counts."""

        def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
            steps.take(" ".join(statement.split()[:3]))
            return super().execute(statement, *parameters)

    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def connecting(path: Any, **options: Any) -> sqlite3.Connection:
        return connect(path, **options, **({"factory": Stepping} if OUTBOX in str(path) else {}))

    sqlite3.connect = connecting  # type: ignore[assignment]


def _signing_steps(steps: Steps, signed: Path) -> None:
    """So is a signature, before and after, and what is signed is written down."""
    sign = Signer.sign

    def signing(self: Signer, core: Core) -> Event:
        steps.take("sign")
        event = sign(self, core)
        place = (event.sender.session_id, event.session_seq, event.event_id, event.evidence["body"]["summary"])
        with signed.open("a") as file:
            print(json.dumps(place), file=file)
        steps.take("signed")
        return event

    Signer.sign = signing  # type: ignore[method-assign]


def _exchange_steps(steps: Steps) -> None:
    """And the parts of a post: before it, with its request received but its answer not read, and after it."""
    from corr_tui.client import http

    post, whole = Client.post_event, http._whole

    async def posting_event(self: Client, raw: bytes) -> Record:
        steps.take("post")
        record = await post(self, raw)
        steps.take("posted")
        return record

    async def reading(response: Any) -> Any:
        if response.request.method == "POST":
            steps.take("answered")
        return await whole(response)

    Client.post_event = posting_event  # type: ignore[method-assign]
    http._whole = reading


async def _work(work: Work, steps: Steps) -> None:
    connection = Connection(
        work.base_url,
        work.bearer,
        work.repository_id,
        identity_id=work.identity_id,
        signing_key_id=work.signing_key_id,
        seed=bytes.fromhex(work.seed),
    )
    session = Session(connection, Home.under(Path(work.home)))
    await session.open()
    steps.counting = True
    for summary in work.summaries:
        draft = Draft(kind="observation", thread_id="task:1", body={"summary": summary})
        await session.send(await session.prepare(draft))
    if work.deliver:
        await session.deliver()
    steps.take("end")
    steps.counting = False
    await session.close()


def _child(work: Work, told: IO[str]) -> None:
    steps = Steps(work.end_before)
    _outbox_steps(steps)
    _signing_steps(steps, Path(work.signed))
    _exchange_steps(steps)
    asyncio.run(_work(work, steps))
    told.write(json.dumps(steps.names))
    told.flush()


def main() -> None:
    """Fork for each line of standard input."""
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                with os.fdopen(writing, "w") as told:
                    _child(Work(**json.loads(line)), told)
                code = 0
            finally:
                os._exit(code)
        os.close(writing)
        with os.fdopen(reading) as told:
            names = told.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps(asdict(Done(status, json.loads(names or "[]")))), flush=True)


if __name__ == "__main__":
    main()
