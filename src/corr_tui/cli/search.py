"""`corr-tui search`: which events hold some words, of the whole history that is kept here.

What the service has further is read and kept first. Where it is not reached the history at hand is searched all the
same, and through which event that goes is said.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import click

from corr_tui.cli.failures import Invalid, in_words
from corr_tui.cli.flags import Flags, settings_flags

if TYPE_CHECKING:
    from corr_tui.state.session import Session
    from corr_tui.state.snapshot import Heard, Snapshot

MOST = 200
NOT_FOUND = "No event holds these words."


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=MOST, show_default=True, help="The newest so many only."
)
@click.option("--json", "as_json", is_flag=True, help="Print records as JSON, with how far the history goes.")
@settings_flags
def search(flags: Flags, words: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Print the events that hold all of these words, in receipt order.

    A word is found where a word begins with it, in what was said, paths, thread, kind and sender. Words in one argument
    have to follow each other.
    """
    wanted = " ".join(f'"{each}"' if len(each.split()) > 1 else each for each in words)
    asyncio.run(_search(flags, wanted, limit, as_json))


async def _search(flags: Flags, wanted: str, limit: int, as_json: bool) -> None:
    from corr_tui.cli.place import place, session_at
    from corr_tui.state.border import SearchRefused

    async with place(flags, make=False) as here:
        session = session_at(here.connection, here.home)
        try:
            with in_words():
                await session.open()
            reached = await read_on(session)
            found = (await session.search(wanted, limit))[::-1]
        except SearchRefused as refused:
            raise Invalid(f"search: {refused}") from None
        finally:
            await session.close()
    for line in lacking(session.snapshot, reached):
        click.echo(line, err=True)
    click.echo(_json(session.snapshot, found, reached) if as_json else _text(session.snapshot, found))


async def read_on(session: Session) -> bool:
    """Read what the service has further; returns whether it answered to the end."""
    from corr_tui.state.snapshot import LinkState

    while True:
        through = session.snapshot.history.through
        await session.refresh()
        history = session.snapshot.history
        if session.snapshot.link.state not in (LinkState.LIVE, LinkState.POLLING):
            return False
        if not session.unfinished:
            return True
        if history.through == through:
            return False


def lacking(snapshot: Snapshot, reached: bool) -> list[str]:
    """Through which event the history goes where that may not be all, and what keeps it from being kept."""
    from corr_tui.ui.text import clean

    history, said = snapshot.history, []
    if not reached:
        why = f" ({clean(snapshot.link.detail)})" if snapshot.link.detail else ""
        through = f"through #{clean(history.through)}" if history.through else "in which nothing was read yet"
        said.append(f"The service was not reached{why}: this is the history kept here, {through}.")
    return [*said, *([clean(history.trouble)] if history.trouble else [])]


def _text(snapshot: Snapshot, found: tuple[Heard, ...]) -> str:
    from corr_tui.cli.plain import Names, event_line, numbers_of

    records = tuple(heard.record for heard in found)
    numbers = numbers_of((*(heard.record for heard in snapshot.events), *records))
    names = Names({each.identity_id: each.name for each in snapshot.identities.values()}, numbers)
    return "\n".join(event_line(record, names) for record in records) or NOT_FOUND


def _json(snapshot: Snapshot, found: tuple[Heard, ...], reached: bool) -> str:
    """Escaped to ASCII, so that nothing in it reaches a terminal as a control."""
    printed = {
        "events": [record_json(heard) for heard in found],
        "through": snapshot.history.through,
        "complete": reached,
    }
    return json.dumps(printed, indent=2)


def record_json(heard: Heard) -> dict[str, Any]:
    """One record with the verdict on it, as JSON has it."""
    import msgspec

    record = heard.record
    return {
        "event": record.event.evidence,
        "receipt": msgspec.to_builtins(record.receipt),
        "missing_parents": list(record.missing_parents),
        "lineage_status": record.lineage_status,
        "verdict": str(heard.verdict),
    }
