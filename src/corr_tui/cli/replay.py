"""`corr-tui replay`: the board on a recording, with no service, and of the home only how a board is to look."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import click

from corr_tui.cli.failures import Invalid
from corr_tui.cli.look import Look, LookFlags, connection_flags, look_flags, look_of
from corr_tui.cli.screen import run_board
from corr_tui.ui.text import clean

if TYPE_CHECKING:
    from corr_tui.state.border import Correspondence
    from corr_tui.state.played import PlayedSession
    from corr_tui.state.snapshot import Snapshot

AT_ONCE = "max"
INSTEAD = "`corr-tui replay FILE --plain` prints the events of a recording as text"


class Speed(click.ParamType[float | None]):
    """Times the pace of then; `max` is without waiting, which is None."""

    name = "speed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        """The number; refuses what is none."""
        if value == AT_ONCE:
            return None
        try:
            speed = float(value)
        except ValueError:
            speed = -1.0
        if not 0.1 <= speed <= 1000:
            self.fail(f"give a number from 0.1 to 1000, or {AT_ONCE}", param, ctx)
        return speed


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--speed", type=Speed(), default="1", show_default=True, help="Times the pace of then, or max.")
@click.option("--plain", is_flag=True, help="Print the events it ends with, and show no board.")
@look_flags
def replay(file: Path, speed: float | None, plain: bool, look: LookFlags) -> None:
    """Show on the board what `corr-tui record` wrote into FILE.

    Nothing is asked of any service, nothing can be sent, and nothing of yours is read but how a board is to look.
    """
    with _stage(file) as stage:
        if plain:
            asyncio.run(_printed(stage))
            code = 0
        else:
            code = _shown(stage, speed, partial(look_of, look, connection_flags()))
        if stage.broken:
            click.echo(stage.broken, err=True)
    click.get_current_context().exit(code)


@dataclass
class _Stage:
    """Where one recording is played."""

    file: Path
    home: Path
    session: PlayedSession | None = None
    broken: str = ""
    """Where the recording breaks off, in words; else empty."""
    introduction: str = ""

    def open(self, speed: float | None) -> PlayedSession:
        """The session; raises Invalid for a file that is no recording."""
        from corr_tui.client.errors import Unsendable
        from corr_tui.client.recorded import Recording
        from corr_tui.client.recording import RecordingRefused
        from corr_tui.state.home import Home
        from corr_tui.state.played import PlayedSession, check_begun

        name = clean(str(self.file))
        try:
            recording = Recording(self.file, check_begun)
        except RecordingRefused as refused:
            raise Invalid(f"{name}: {clean(str(refused))}") from None
        if recording.broken:
            self.broken = f"{name} is played as far as it goes: {clean(recording.broken)}"
        self.introduction = self.broken or f"A recording of {recording.begun.began}: nothing can be sent."
        try:
            self.session = PlayedSession(recording, Home.under(self.home), speed)
        except (RecordingRefused, Unsendable) as refused:
            recording.close()
            raise Invalid(f"{name}: {clean(str(refused))}") from None
        return self.session

    def monotonic(self) -> float:
        """The clock of the recording."""
        return self.session.monotonic() if self.session is not None else 0.0


@contextmanager
def _stage(file: Path) -> Iterator[_Stage]:
    home = Path(mkdtemp(prefix="corr-tui-replay-"))
    try:
        yield _Stage(file, home)
    finally:
        rmtree(home, ignore_errors=True)


def _shown(stage: _Stage, speed: float | None, look: Callable[[], Look]) -> int:
    async def open_session() -> Correspondence:
        return await asyncio.to_thread(stage.open, speed)

    return run_board(
        open_session,
        title="corr-tui recording",
        introduce=lambda: stage.introduction,
        monotonic=stage.monotonic,
        instead=INSTEAD,
        look=look,
    )


async def _printed(stage: _Stage) -> None:
    """Play it without waiting, and print what is known at its end."""
    from corr_tui.cli.plain import Names, event_line, numbers_of

    session = stage.open(None)
    snapshot = await _end_of(session)
    if not snapshot.project_id:
        why = f" ({clean(snapshot.link.detail)})" if snapshot.link.detail else ""
        click.echo(f"In this recording no project was ever named{why}.", err=True)
    records = tuple(heard.record for heard in snapshot.events)
    names = Names({each.identity_id: each.name for each in snapshot.identities.values()}, numbers_of(records))
    if not records and not session.tells_events:
        raise Invalid("in this recording the service never answered for its events, so there are none to print")
    click.echo("\n".join(event_line(record, names) for record in records) or "No events.")


async def _end_of(session: PlayedSession) -> Snapshot:
    """The snapshot a recording ends with."""
    from corr_tui.state.snapshot import LinkState

    running = asyncio.create_task(session.run())
    try:
        async for snapshot in session.snapshots():
            if snapshot.link.state is LinkState.ENDED or running.done():
                break
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await session.close()
    return session.snapshot
