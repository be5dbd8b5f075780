"""The board on a terminal, and the session mounted under it."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from corr_tui.cli.flags import Flags
from corr_tui.cli.mounted import mount

from .conftest import Cli


@dataclass
class Terminal:
    """A program in a pseudo-terminal."""

    process: subprocess.Popen[bytes]
    controller: int
    written: bytearray = field(default_factory=bytearray)

    def read_until(self, words: bytes | None) -> None:
        """Read what it draws until these words stand in it, or, without words, until it ends."""
        while words is None or words not in self.written:
            try:
                part = os.read(self.controller, 65536)
            except OSError:  # how Linux says that nobody holds the terminal any more
                part = b""
            if not part:
                assert words is None, bytes(self.written)
                return
            self.written += part

    def end(self) -> int:
        """Read to the end; the exit code."""
        self.read_until(None)
        return self.process.wait(timeout=30)


@contextmanager
def terminal(*arguments: str) -> Iterator[Terminal]:
    """`corr-tui` in a pseudo-terminal, which is gone afterwards."""
    controller, screen = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    command = (sys.executable, "-m", "corr_tui", *arguments)
    process = subprocess.Popen(command, stdin=screen, stdout=screen, stderr=screen, env=environment)
    os.close(screen)
    try:
        yield Terminal(process, controller)
    finally:
        process.kill()
        process.wait()
        os.close(controller)


def test_the_board_opens_the_local_project_says_so_and_is_left_with_q(cli: Cli) -> None:
    with terminal() as board:
        board.read_until(b"Made a local project")
        os.write(board.controller, b"q")
        assert board.end() == 0
    assert b"Made a local project" in board.written.rpartition(b"\x1b[?1049l")[2]
    assert cli.run("events").stderr == ""


def test_the_board_is_painted_anew_when_it_comes_back_to_the_foreground(cli: Cli) -> None:
    """The terminal forgets what stood on it while the board was stopped."""
    with terminal() as board:
        board.read_until(b"Made a local project")
        board.process.send_signal(signal.SIGTSTP)
        board.read_until(b"\x1b[?1049l")
        os.waitid(os.P_PID, board.process.pid, os.WSTOPPED | os.WNOWAIT)
        board.written.clear()
        board.process.send_signal(signal.SIGCONT)
        board.read_until(b"\x1b[?1049h")
        board.read_until(b"Presence reports")
        os.write(board.controller, b"q")
        assert board.end() == 0


def test_settings_that_break_a_rule_leave_the_board_with_words_and_exit_code_2(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORR_TUI_BASE_URL", "ftp://example.org")
    with terminal() as board:
        assert board.end() == 2
    assert b"CORR_TUI_BASE_URL" in board.written.rpartition(b"\x1b[?1049l")[2]


def test_the_demo_is_left_with_q_and_nothing_remains(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = cli.folder / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with terminal("demo", "--frozen") as board:
        board.read_until(b"#44")
        assert os.listdir(temporary) != []
        os.write(board.controller, b"q")
        assert board.end() == 0
    assert os.listdir(temporary) == []
    assert not cli.home.exists()


async def test_what_another_process_sends_reaches_a_mounted_session_unasked(cli: Cli) -> None:
    mounted = await asyncio.to_thread(mount, Flags())
    session = mounted.session
    running = asyncio.create_task(session.run())
    try:
        command = (sys.executable, "-m", "corr_tui", "send", "observation", "--thread", "task:1", "--summary", "hello")
        async for snapshot in session.snapshots():
            if snapshot.link.state == "live":
                break
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
        assert done.stdout.startswith("#1 observation")
        async for snapshot in session.snapshots():
            if snapshot.events:
                break
        assert [heard.verdict for heard in snapshot.events] == ["verified"]
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await session.close()
        await asyncio.to_thread(mounted.close)
