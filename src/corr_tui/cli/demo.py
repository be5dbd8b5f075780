"""`corr-tui demo`: scripted correspondents at work, on a board, in a temporary home."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import click

from corr_tui.cli.failures import Unreached
from corr_tui.cli.look import LookFlags, connection_flags, look_flags, look_of
from corr_tui.cli.screen import run_board

if TYPE_CHECKING:
    from corr_tui.demo.theatre import Theatre
    from corr_tui.state.border import Correspondence


@click.command()
@click.option(
    "--speed", type=click.FloatRange(0.01, 1000), default=1.0, show_default=True, help="Times the human pace."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same number tells the same story.")
@click.option("--frozen", is_flag=True, help="Play everything at once, then stand still.")
@look_flags
def demo(speed: float, seed: int, frozen: bool, look: LookFlags) -> None:
    """Watch scripted correspondents at work, in a temporary home.

    Five of them say all 21 kinds of things; you sit among them as maya and may answer for real. Nothing of yours is
    touched, and nothing remains.
    """
    opened: list[Theatre] = []

    async def open_session() -> Correspondence:
        theatre = await asyncio.to_thread(_theatre, speed, seed, frozen)
        opened.append(theatre)
        return await theatre.open()

    try:
        code = run_board(open_session, title="corr-tui demo", look=partial(look_of, look, connection_flags()))
    finally:
        for theatre in opened:
            theatre.close()
    if opened and opened[0].interrupted:
        raise Unreached(opened[0].interrupted)
    click.get_current_context().exit(code)


def _theatre(speed: float, seed: int, frozen: bool) -> Theatre:
    """Imported here, in a thread: the board is painted before the libraries of client and service are loaded."""
    from corr_tui.demo.theatre import Theatre

    return Theatre(seed=seed, speed=speed, frozen=frozen)
