"""What reaches a terminal while much arrives: whole frames only, at any size, with a composer open too."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import struct
import termios
from collections.abc import Iterator

import pyte

from tests.ui.on_terminal import OnTerminal, on_terminal

ASKED, ANSWER = b"\x1b[?2026$p", "\x1b[?2026;2$y"
"""Whether the terminal can hold a frame back until it is whole, and that it can."""
BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"
LAST = "“the end”".encode()
WAKES = 600
"""Twenty a second for thirty seconds; they come faster here."""
UNKNOWN = re.compile(rb"\x1b\[(\?[\d;]*\$p|[<>=?][\d;]*[um])|\x1bP[^\x1b]*\x1b\\")
"""What pyte would draw as text: queries, and key protocols."""
WAKING = """
from corr_tui.state.projection import facts_of
from screenshots.scene import before_the_last

for number in range({wakes}):
    world.say("ana", "progress", summary=f"wake {{number}}")
world.say("ana", "progress", summary="the end")
whole = world.snapshot()
whole = replace(whole, facts=facts_of(whole.events))

async def wakes():
    for left in range({wakes} + 1, 0, -1):
        session.show(before_the_last(whole, left))
        await asyncio.sleep(0.003)
    session.show(whole)

app.waking = asyncio.create_task(wakes())
"""


def resize(terminal: OnTerminal, width: int, height: int) -> None:
    """Give the terminal another size."""
    fcntl.ioctl(terminal.ours, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    os.kill(terminal.process.pid, signal.SIGWINCH)


def frames(output: bytes, width: int, height: int) -> Iterator[list[str]]:
    """The screen as it stands after each whole frame."""
    screen = pyte.Screen(width, height)
    stream = pyte.ByteStream(screen)
    for frame in UNKNOWN.sub(b"", output).split(END)[:-1]:
        stream.feed(frame)
        yield [line.rstrip() for line in screen.display]


def numbers(lines: list[str]) -> list[int]:
    """The numbers of the events listed, on a board of 120 columns."""
    return [int(found[1]) for line in lines[2:17] if (found := re.match(r".{33}[▌▏ ]\s+#(\d+) ", line))]


def test_while_many_wakes_come_no_frame_is_blank_or_torn() -> None:
    with on_terminal(WAKING.format(wakes=WAKES), COLUMNS="120", LINES="36") as terminal:
        terminal.read_until(ASKED)
        terminal.type(ANSWER)
        terminal.type("G")
        terminal.read_until(BEGIN)
        since = len(terminal.output)
        terminal.read_until(LAST, since)
        terminal.read_until(END, terminal.output.index(LAST))
        whole = terminal.output
        before, _, held_back = whole[: whole.index(BEGIN)], BEGIN, whole[whole.index(BEGIN) :]
        assert b"\x1b[2J" not in held_back
        drawn = list(frames(before + END + held_back, 120, 36))[1:]
    assert len(drawn) > 20
    for lines in drawn:
        assert lines[0].startswith("  corr-tui  acme/widgets")
        assert lines[1].startswith("─ 1 Threads")
        assert "─ 2 Events" in lines[1]
        assert "─ 3 Claims" in lines[17]
        assert lines[26].startswith("─ 6 Selected")
        assert "? help" in lines[35]
        listed = numbers(lines)
        assert len(listed) >= 12
        assert listed == list(range(listed[0], listed[0] + len(listed)))
    assert numbers(drawn[-1])[-1] == 44 + WAKES + 1


def test_a_terminal_made_small_and_large_again_shows_the_whole_board_and_the_open_composer() -> None:
    with on_terminal(WAKING.format(wakes=200), COLUMNS="0", LINES="0") as terminal:
        resize(terminal, 300, 100)
        terminal.type("ks")
        terminal.read_until(b"pinned to")
        for width, height in ((20, 5), (300, 100), (20, 5), (80, 24), (300, 100)):
            since = len(terminal.output)
            resize(terminal, width, height)
            terminal.read_until(b"\x1b[", since)
        terminal.read_until(("━" * 200).encode(), since)
        terminal.type("\x1b")
        since = len(terminal.output)
        terminal.read_until(b"palette", since)
        terminal.type("G")
        terminal.read_until(LAST)
        assert terminal.process.poll() is None
        terminal.type("q")
        assert terminal.read_to_the_end() == 0
        assert b"Traceback" not in terminal.output
