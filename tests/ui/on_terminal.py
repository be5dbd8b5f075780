"""The whole app on a pseudo-terminal of its own, and every byte that reaches it.

The program draws the scene; `deed` is code that runs in it once its session is there, with `app`, `session` and
`world` in reach; `settings` are what CorrTui takes beside the session, as code.
"""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyte

ROOT = Path(__file__).parent.parent.parent
ENTERED, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"
PATIENCE = 20.0
"""Seconds after which bytes are given up; they come in a fraction of one."""
CLEAN = ("NO_COLOR", "TEXTUAL", "TMUX", "STY", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "VISUAL", "EDITOR")
"""Variables of whoever runs the tests that must not reach the program."""
PROGRAM = """
import asyncio, sys
from dataclasses import replace
from corr_tui.ui.app import CorrTui, run
from screenshots.scene import scene
from tests.ui.fake_session import FakeSession

world, snapshot = scene()
session = FakeSession(world)
session.show(snapshot)

async def opening():
{deed}
    return session

app = CorrTui(opening, {settings})
sys.exit(run(app))
"""


class OnTerminal:
    """A program on a pseudo-terminal."""

    def __init__(self, deed: str, settings: str, environment: dict[str, str]) -> None:
        self.ours, theirs = pty.openpty()
        program = PROGRAM.format(
            deed=textwrap.indent(textwrap.dedent(deed).strip() or "pass", "    "), settings=settings
        )
        inherited = {name: value for name, value in os.environ.items() if name not in CLEAN}
        self.process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=ROOT,
            env={**inherited, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30", **environment},
            start_new_session=True,
        )
        os.close(theirs)
        self.output = b""

    def type(self, keys: str) -> None:
        """Type."""
        os.write(self.ours, keys.encode())

    def read_until(self, wanted: bytes, since: int = 0) -> None:
        """Read what is written until it holds these bytes, after so many."""
        while wanted not in self.output[since:] and self._read():
            pass
        assert wanted in self.output[since:], self.output[since:][-2000:]

    def read_to_the_end(self) -> int:
        """Read until the program is gone; its exit code."""
        while self._read():
            pass
        return self.process.wait(PATIENCE)

    def screen(self) -> str:
        """What stands on the terminal now."""
        screen = pyte.Screen(100, 30)
        # pyte draws what it does not know; queries of private modes and key protocols are such
        drawn = re.sub(rb"\x1b\[(\?[\d;]*\$p|[<>=?][\d;]*[um])|\x1bP[^\x1b]*\x1b\\", b"", self.output)
        pyte.ByteStream(screen).feed(drawn)
        return "\n".join(line.rstrip() for line in screen.display)

    def _read(self) -> bool:
        ready, _, _ = select.select([self.ours], [], [], PATIENCE)
        try:
            found = os.read(self.ours, 65_536) if ready else b""
        except OSError:  # how Linux says that nobody holds the terminal any more
            return False
        self.output += found
        return bool(found)


@contextmanager
def on_terminal(deed: str = "", settings: str = "", **environment: str) -> Iterator[OnTerminal]:
    """The app over the scene, drawn; it is gone afterwards."""
    terminal = OnTerminal(deed, settings, environment)
    try:
        terminal.read_until(b"#44")
        yield terminal
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()
        terminal.process.wait(PATIENCE)
        os.close(terminal.ours)
