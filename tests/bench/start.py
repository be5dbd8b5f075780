"""From the command to the first painted frame, in a pseudo-terminal, against a blank Textual app (target 1)."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

BLANK = """
from textual.app import App
from textual.widgets import Static
class Blank(App):
    def compose(self):
        yield Static("ready now")
Blank().run()
"""


def first_paint(command: list[str], expected: bytes, env: dict[str, str]) -> float:
    """Seconds from spawning until `expected` reaches the terminal; the program is ended afterwards."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True, close_fds=True
    )
    os.close(slave)
    painted = b""
    try:
        while expected not in painted:
            if not select.select([master], [], [], 20)[0]:
                raise TimeoutError(f"{command[0]} painted nothing in 20 s")
            painted += os.read(master, 65536)
        return time.perf_counter() - started
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(master)


def main() -> None:
    """Print the ratios of start-up; needs the package installed, best as a wheel."""
    script = shutil.which("corr-tui", path=str(Path(sys.executable).parent)) or "corr-tui"
    with TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        env = {**os.environ, "TERM": "xterm-256color", "CORR_TUI_HOME": f"{folder}/home"}
        blank, board = [], []
        for _ in range(9):
            blank.append(first_paint([sys.executable, "-c", BLANK], b"ready", env))
            os.chdir(folder)
            board.append(first_paint([script], b"Threads", env))
        report("first paint of the board ÷ a blank Textual app", board, blank, "≤ 1.15")
        nothing = [timed([sys.executable, "-c", "pass"], env) for _ in range(9)]
        report(
            "corr-tui --version ÷ python -c pass",
            [timed([script, "--version"], env) for _ in range(9)],
            nothing,
            "≤ 1.5",
        )
        say = [script, "send", "observation", "--thread", "task:1", "--path", "docs", "--summary", "hello"]
        report("corr-tui send ÷ python -c pass", [timed(say, env) for _ in range(9)], nothing, "≤ 8")


def timed(command: list[str], env: dict[str, str]) -> float:
    """Seconds of one whole run."""
    started = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def report(title: str, ours: list[float], theirs: list[float], target: str) -> None:
    """Print the ratio of two medians."""
    mine, other = median(ours), median(theirs)
    print(f"{title:<58} {mine / other:6.2f}   {mine * 1e3:8.1f} ms / {other * 1e3:8.1f} ms   target {target}")
