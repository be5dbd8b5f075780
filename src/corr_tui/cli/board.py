"""`corr-tui` without a verb: the board on the configured service, else on the local project of this folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from corr_tui.cli.flags import Flags
from corr_tui.cli.look import UNSAID, LookFlags, look_of
from corr_tui.cli.screen import run_board
from corr_tui.cli.streams import working_folder
from corr_tui.cli.unsent import kept_words, whom

if TYPE_CHECKING:
    from corr_tui.cli.mounted import Change, Mounted
    from corr_tui.state.border import Correspondence


def board(
    flags: Flags,
    look: LookFlags = UNSAID,
    *,
    change: Change | None = None,
    title: str = "",
    on_board: Callable[[Callable[[str], None]], None] | None = None,
) -> int:
    """Run the board; returns its exit code. Raises Ended when there is nothing to show it on, or to show.

    `change` is what a verb makes of the connection before the session is there; `on_board` is as in `run_board`.
    """
    opened: list[Mounted] = []

    async def open_session() -> Correspondence:
        return (await asyncio.to_thread(_mount, flags, opened, change)).session

    try:
        code = run_board(
            open_session,
            title=title,
            introduce=lambda: opened[-1].introduction,
            folder=working_folder(),
            on_board=on_board,
            look=partial(look_of, look, flags),
        )
    finally:
        for mounted in opened:
            mounted.close()
    for mounted in opened:
        if mounted.whole_introduction:
            click.echo(mounted.whole_introduction, err=True)
        if mounted.unsent:
            click.echo(kept_words(mounted.unsent, whom(mounted.session.snapshot.me)), err=True)
    return code


def _mount(flags: Flags, opened: list[Mounted], change: Change | None) -> Mounted:
    """Imported here, in a thread: the board is painted before the libraries of client and service are loaded.

    What was mounted is noted here too, since a board that is left early does not wait for this to return.
    """
    from corr_tui.cli.mounted import mount

    opened.append(mount(flags) if change is None else mount(flags, change))
    return opened[-1]
