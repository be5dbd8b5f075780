"""`corr-tui record`: the board, or nothing to look at, while everything that passes is written into a file.

The history is read anew, so that the file holds all of it; everything else of the home is used as the board uses it.
The file belongs to this user alone: it holds the project's correspondence.
"""

from __future__ import annotations

import asyncio
import gc
import io
import os
import signal
import stat
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corr_tui.cli.failures import Invalid
from corr_tui.cli.flags import Flags, settings_flags
from corr_tui.cli.look import LookFlags, look_flags
from corr_tui.cli.screen import missing_terminal
from corr_tui.ui.text import clean

if TYPE_CHECKING:
    from corr_tui.cli.mounted import Mounted
    from corr_tui.client.recorder import Recorder
    from corr_tui.state.connection import Connection
    from corr_tui.state.session import Session

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PRIVATE = 0o600


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@click.option("--no-board", is_flag=True, help="Show nothing; record until interrupted.")
@settings_flags
@look_flags
def record(flags: Flags, look: LookFlags, file: Path, force: bool, no_board: bool) -> None:
    """Open the board and write what passes between here and the service into FILE.

    `corr-tui replay FILE` shows it without a service. The bearer and keys are left out; the correspondence is not, so
    the file is for whoever may read the project.
    """
    tape = Tape(file, force)
    try:
        if no_board or missing_terminal():
            code = asyncio.run(_headless(flags, tape))
        else:
            from corr_tui.cli.board import board

            code = board(flags, look, change=tape.change, title="corr-tui record", on_board=tape.on_board)
    finally:
        tape.close()
    click.echo(tape.summary, err=True)
    click.get_current_context().exit(code)


class Tape:
    """The file of a recording from before there is a session until after."""

    def __init__(self, path: Path, force: bool) -> None:
        """Make the file; raises Invalid when there is one, unless forced, or when it cannot be made."""
        self._path = path
        self._recorder: Recorder | None = None
        try:
            self._file = io.FileIO(
                os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if force else os.O_EXCL), PRIVATE), "w"
            )
            if stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
                os.fchmod(self._file.fileno(), PRIVATE)
        except FileExistsError:
            raise Invalid(f"{clean(str(path))} is there already; --force overwrites it") from None
        except OSError as error:
            raise Invalid(f"{clean(str(path))} cannot be written: {error.strerror}") from None

    def change(self, connection: Connection) -> Connection:
        """Let this connection be recorded; raises Invalid."""
        from corr_tui.client.recorder import Recorder

        self._recorder = Recorder(self._file)
        self._recorder.begin(
            connection.base_url,
            connection.repository_id,
            label=connection.label,
            identity_id=connection.identity_id,
            secrets=(connection.bearer, *_written(connection.seed)),
        )
        if self._recorder.trouble:
            raise Invalid(f"{clean(str(self._path))}: {self._recorder.trouble}")
        return replace(connection, recorder=self._recorder)

    def on_board(self, tell: Callable[[str], None]) -> None:
        """Say on the board when the recording ends before it does."""
        if self._recorder is not None:
            self._recorder.on_trouble = tell

    def close(self) -> None:
        """Let go of everything; a file that holds nothing is no recording and goes."""
        self._file.close()
        if self._recorder is None or not self._recorder.size:
            with suppress(OSError):
                if self._path.is_file() and not self._path.stat().st_size:
                    self._path.unlink()

    @property
    def summary(self) -> str:
        """What was recorded, in words."""
        path, recorder = clean(str(self._path)), self._recorder
        if recorder is None:
            return f"Nothing was recorded in {path}."
        exchanges, pieces = _count(recorder.exchanges, "exchange"), _count(recorder.chunks, "piece")
        lines = [
            f"Recorded {exchanges} and {pieces} of wake streams in {path} ({recorder.size / 1024:.0f} KiB).",
            "It holds the correspondence of this project and who takes part in it, without bearer and keys; only you "
            "can read it.",
        ]
        return "\n".join([*lines, *([f"{recorder.trouble}."] if recorder.trouble else [])])


async def _headless(flags: Flags, tape: Tape) -> int:
    """Record until interrupted; how the link fares is said on standard error."""
    from corr_tui.cli.mounted import mount

    gc.enable()
    interrupted = asyncio.Event()
    for number in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, interrupted.set)
    mounted = await asyncio.to_thread(mount, flags, tape.change)
    try:
        if mounted.whole_introduction:
            click.echo(mounted.whole_introduction, err=True)
        tape.on_board(lambda words: click.echo(words, err=True))
        await _recorded(mounted, interrupted)
    finally:
        await mounted.session.close()
        await asyncio.to_thread(mounted.close)
    return 0


async def _recorded(mounted: Mounted, interrupted: asyncio.Event) -> None:
    click.echo("Recording until interrupted.", err=True)
    session = mounted.session
    tasks = [asyncio.create_task(work) for work in (session.run(), _told(session), interrupted.wait())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _told(session: Session) -> None:
    """Say each state of the link."""
    said = ""
    async for snapshot in session.snapshots():
        link = snapshot.link
        words = f"{link.state}{f': {clean(link.detail)}' if link.detail else ''}"
        if words != said:
            click.echo(words, err=True)
        said = words


def _written(seed: bytes | None) -> tuple[str, ...]:
    """The ways a key is written."""
    if seed is None:
        return ()
    texts = (b64encode(seed).decode("ascii"), urlsafe_b64encode(seed).decode("ascii"))
    return (seed.hex(), *(form for text in texts for form in (text, text.rstrip("="))))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
