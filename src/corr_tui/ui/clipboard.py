"""Copying: by the platform's own program, whose answer is known, or by OSC 52, whose is not (experience: keys).

`auto` asks the program this session has a clipboard for, and where there is none, or it refuses, the terminal. Programs
get the text on standard input, never through a shell, and are given up after TIMEOUT. Whichever way it goes is said,
and what cannot be known is not claimed. The text passes the text door line by line: a clipboard is pasted into shells.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from corr_tui.ui.sequences import MAX_CLIPBOARD, Between, between, clipboard
from corr_tui.ui.text import clean

TIMEOUT = 2.0
"""Seconds a program has to take the text."""
PROGRAMS = "wl-copy, xclip, xsel, pbcopy, clip.exe or tmux"


class Way(StrEnum):
    """How to copy."""

    AUTO = "auto"
    OSC52 = "osc52"
    PLATFORM = "platform"
    NONE = "none"


class Tool(NamedTuple):
    """A program that takes a clipboard's text on standard input."""

    name: str
    command: tuple[str, ...]
    encoding: str = "utf-8"


class Copied(NamedTuple):
    """What became of one copy: `words` follow "Copied … " when done, and "Not copied: " else."""

    done: bool
    words: str


def tools(
    environment: Mapping[str, str],
    which: Callable[[str], str | None] = shutil.which,
    platform: str = sys.platform,
) -> tuple[Tool, ...]:
    """The programs that are here and have a clipboard to write to in this session, the nearest first."""
    found = []
    for tool in _fitting(environment, platform):
        path = which(tool.command[0])
        if path is not None:
            found.append(tool._replace(command=(path, *tool.command[1:])))
    return tuple(found)


def _fitting(environment: Mapping[str, str], platform: str) -> Iterator[Tool]:
    # over a remote shell a clipboard without a display is that of the far machine, where nobody pastes
    remote = bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
    if environment.get("WAYLAND_DISPLAY"):
        yield Tool("wl-copy", ("wl-copy",))
    if environment.get("DISPLAY"):
        yield Tool("xclip", ("xclip", "-selection", "clipboard", "-in"))
        yield Tool("xsel", ("xsel", "--clipboard", "--input"))
    if platform == "darwin" and not remote:
        yield Tool("pbcopy", ("pbcopy",))
    if (platform == "win32" or environment.get("WSL_DISTRO_NAME")) and not remote:
        yield Tool("clip.exe", ("clip.exe",), "utf-16-le")
    if environment.get("TMUX"):
        yield Tool("tmux", ("tmux", "load-buffer", "-w", "-"))


async def copy(text: str, way: Way, write: Callable[[str], None], environment: Mapping[str, str]) -> Copied:
    """Copy a text; `write` hands a sequence to the terminal."""
    if way is Way.NONE:
        return Copied(False, 'the configuration says clipboard = "none"')
    safe = "\n".join(clean(line) for line in text.split("\n"))
    refusals: list[str] = []
    for tool in tools(environment) if way is not Way.OSC52 else ():
        refusal = await _given(tool, safe)
        if not refusal:
            on = ", which hands it to the terminal where that takes it" if tool.name == "tmux" else ""
            return Copied(True, f"by {tool.name}{on}")
        refusals.append(f"{tool.name} {refusal}")
    if way is Way.PLATFORM:
        return Copied(False, "; ".join(refusals) or f"there is no {PROGRAMS} with a clipboard here")
    return _by_terminal(safe, write, between(environment))


def _by_terminal(text: str, write: Callable[[str], None], through: Between) -> Copied:
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_CLIPBOARD:
        return Copied(False, f"it has {size:,} bytes, and by OSC 52 at most {MAX_CLIPBOARD:,} go")
    write(clipboard(text, through))
    if through is Between.TMUX:
        return Copied(True, "by OSC 52; tmux takes it with set-clipboard or allow-passthrough on")
    return Copied(True, "by OSC 52; whether it was taken cannot be known")


async def _given(tool: Tool, text: str) -> str:
    """Give a program the text; why it did not take it, or empty."""
    try:
        # what stays behind to serve the clipboard must hold neither our terminal nor a pipe of ours
        process = await asyncio.create_subprocess_exec(
            *tool.command, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True
        )
    except OSError as error:
        return f"could not be run: {error.strerror}"
    try:
        async with asyncio.timeout(TIMEOUT):
            await process.communicate(text.encode(tool.encoding, "replace"))
    except TimeoutError:
        return f"did not take it in {TIMEOUT:g} s"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return f"ended with code {process.returncode}" if process.returncode else ""
