"""The terminal as a board: whether there is one, and how a board ends (experience: Also)."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from corr_tui.cli.failures import Ended, Invalid
from corr_tui.cli.look import Look

if TYPE_CHECKING:
    from corr_tui.state.border import Correspondence
    from corr_tui.ui.app import CorrTui


INSTEAD = "`corr-tui voice`, `claims` and `events` print the same as text, or as JSON with --json"


def require_terminal(instead: str = INSTEAD) -> None:
    """Raise Invalid, with what works instead, when there is no terminal to draw a board on."""
    if missing := missing_terminal():
        raise Invalid(f"the board needs a terminal{missing}. {instead}")


def missing_terminal() -> str:
    """What is missing to draw a board, as the end of a sentence; empty where nothing is.

    The board is drawn on standard error, and keys come from standard input; standard output is asked too, since who
    redirects it wants text.
    """
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return ", and this is none"
    term = os.environ.get("TERM", "")
    return f" that can place text (TERM is {term or 'not set'})" if term in ("", "dumb") else ""


def run_board(
    open_session: Callable[[], Awaitable[Correspondence]],
    *,
    title: str = "",
    introduce: Callable[[], str] = str,
    folder: Path | None = None,
    monotonic: Callable[[], float] = time.monotonic,
    instead: str = INSTEAD,
    on_board: Callable[[Callable[[str], None]], None] | None = None,
    look: Callable[[], Look] = Look,
) -> int:
    """Run the board until it is left; returns its exit code, which is not 0 after a crash.

    `look` is asked before anything is drawn, `open_session` once the board has been painted, and `introduce` for what
    to say in the footer then; `on_board` receives how to say something there later. `folder` is where Git is asked
    about revisions, `monotonic` the clock of the session's snapshots. When opening raises Ended, the board is left and
    that is raised here. Raises Invalid when there is no terminal, with what works `instead`, and what `look` raises.
    """
    require_terminal(instead)
    from corr_tui.ui.app import run

    ends: list[Ended] = []

    async def opening() -> Correspondence:
        try:
            correspondence = await open_session()
        except Ended as ended:
            ends.append(ended)
            app.exit(return_code=ended.exit_code)
            return await _never()
        if words := introduce():
            app.board.tell(words)
        if on_board is not None:
            on_board(app.board.tell)
        return correspondence

    app = _app(opening, look(), title, folder, monotonic)
    code = run(app)
    if ends:
        raise ends[0]
    return code


def _app(
    opening: Callable[[], Awaitable[Correspondence]],
    look: Look,
    title: str,
    folder: Path | None,
    monotonic: Callable[[], float],
) -> CorrTui:
    """The app as it is wanted to look."""
    from corr_tui.ui.app import CorrTui

    return CorrTui(
        opening,
        title=title,
        theme=look.theme,
        keys=look.keys,
        zone=_zone(),
        ascii_only=ascii_wanted(look),
        reduced_motion=look.reduced_motion,
        folder=folder,
        monotonic=monotonic,
        clipboard=look.clipboard,
        strip=look.compact,
        notices=look.notices,
        views=look.views,
    )


def _zone() -> tzinfo:
    """The zone this machine is in."""
    return datetime.now().astimezone().tzinfo or UTC


def ascii_wanted(look: Look) -> bool:
    """Whether to draw with ASCII alone: as asked for, else where the terminal's encoding is not UTF-8."""
    if look.ascii_only is not None:
        return look.ascii_only
    return not (sys.stderr.encoding or "").lower().replace("-", "").startswith("utf")


async def _never() -> NoReturn:
    """Wait until cancelled: the board is on its way out."""
    while True:
        await asyncio.Event().wait()
