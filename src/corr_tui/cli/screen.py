"""The terminal as a board: whether there is one, and how a board ends (experience: Also)."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, NoReturn

from corr_tui.cli.failures import Ended, Invalid

if TYPE_CHECKING:
    from corr_tui.state.border import Correspondence


def require_terminal(instead: str) -> None:
    """Raise Invalid when there is no terminal to draw a board on; `instead` says what works without one."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Invalid(f"a board needs a terminal, and this is none. {instead}")
    if os.environ.get("TERM", "") in ("", "dumb"):
        term = os.environ.get("TERM") or "not set"
        raise Invalid(f"a board needs a terminal that can place text (TERM is {term}). {instead}")


def run_board(open_session: Callable[[], Awaitable[Correspondence]], *, title: str, instead: str) -> int:
    """Run the board until it is left; returns its exit code, which is not 0 after a crash.

    `open_session` is called once the board has been painted; when it raises Ended, the board is left and that is
    raised here. Raises Invalid when there is no terminal.
    """
    require_terminal(instead)
    gc.disable()  # loading the interface makes much that lives for good; the board turns it on once painted
    from corr_tui.ui.app import CorrTui, run

    ends: list[Ended] = []

    async def opening() -> Correspondence:
        try:
            return await open_session()
        except Ended as ended:
            ends.append(ended)
            app.exit(return_code=ended.exit_code)
            return await _never()

    app = CorrTui(opening, title=title, zone=_zone(), ascii_only=not _speaks_unicode())
    code = run(app)
    if ends:
        raise ends[0]
    return code


def _zone() -> tzinfo:
    """The zone this machine is in."""
    return datetime.now().astimezone().tzinfo or UTC


def _speaks_unicode() -> bool:
    """Whether the terminal takes UTF-8, as far as its encoding says."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


async def _never() -> NoReturn:
    """Wait until cancelled: the board is on its way out."""
    while True:
        await asyncio.Event().wait()
