"""`corr-tui search`: which events hold some words, of the whole history that is kept here.

What the service has further is read and kept first. Where it is not reached, or refuses the bearer, the history at hand
is searched all the same, and through which event that goes is said; the exit code tells of a refusal (3), not of a
service that is away. A history that was at the address before another one is searched only where that is asked for.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from corr_tui.cli.failures import Declined, Invalid, in_words
from corr_tui.cli.flags import Flags, settings_flags

if TYPE_CHECKING:
    from corr_tui.state.kept_apart import Found
    from corr_tui.state.session import Session
    from corr_tui.state.snapshot import Heard, Snapshot

MOST = 200
NOT_FOUND = "No event holds these words."
NONE_APART = "No other history was at this address, as far as is known here."


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=MOST, show_default=True, help="The newest so many only."
)
@click.option("--apart", is_flag=True, help="Search what was at this address before and is kept apart.")
@click.option("--json", "as_json", is_flag=True, help="Print records as JSON, with how far the history goes.")
@settings_flags
def search(flags: Flags, words: tuple[str, ...], limit: int, apart: bool, as_json: bool) -> None:
    """Print the events that hold all of these words, in receipt order.

    A word is found where a word begins with it, in what was said, paths, thread, kind and sender. Words in one argument
    have to follow each other. Without the service the history kept here is searched; where it refuses the bearer too,
    and the exit code is 3 then.
    """
    wanted = " ".join(f'"{each}"' if len(each.split()) > 1 else each for each in words)
    if asyncio.run(_search(flags, wanted, limit, apart, as_json)):
        click.get_current_context().exit(Declined.exit_code)


async def _search(flags: Flags, wanted: str, limit: int, apart: bool, as_json: bool) -> bool:
    """Returns whether the service refused the bearer."""
    from corr_tui.cli.place import place, session_at
    from corr_tui.state.border import SearchRefused
    from corr_tui.state.snapshot import LinkState

    async with place(flags, make=False, kept=True) as here:
        session = session_at(here.connection, here.home)
        try:
            with in_words():
                await session.open(refused=True)
            reached = await read_on(session)
            found = () if apart else (await session.search(wanted, limit))[::-1]
            before = await session.past.search_apart(wanted, limit) if apart else ()
        except SearchRefused as refused:
            raise Invalid(f"search: {refused}") from None
        finally:
            await session.close()
    snapshot = session.snapshot
    for line in lacking(snapshot, reached):
        click.echo(line, err=True)
    if apart:
        click.echo(_apart_json(before) if as_json else _apart_text(snapshot, before))
    else:
        click.echo(_json(snapshot, found, reached) if as_json else _text(snapshot, found))
    return snapshot.link.state is LinkState.UNAUTHORIZED


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
    """Through which event the history goes where that may not be all, what keeps it from being kept, and that it has
    just turned out to be another one."""
    from corr_tui.state.snapshot import LinkState
    from corr_tui.ui.panels.notices import apart_words
    from corr_tui.ui.text import clean

    history, said = snapshot.history, []
    if not reached:
        why = f" ({clean(snapshot.link.detail)})" if snapshot.link.detail else ""
        through = f"through #{clean(history.through)}" if history.through else "in which nothing was read yet"
        whole = ", all that it had when it was last read" if history.complete and history.through else ""
        refused = snapshot.link.state is LinkState.UNAUTHORIZED
        met = "The service refused the bearer" if refused else "The service was not reached"
        said.append(f"{met}{why}: this is the history kept here, {through}{whole}.")
    if history.reset_from is not None and history.apart is not None:
        said.append(apart_words(history.apart))
    return [*said, *([clean(history.trouble)] if history.trouble else [])]


def _text(snapshot: Snapshot, found: tuple[Heard, ...]) -> str:
    from corr_tui.cli.plain import Names, event_line, numbers_of

    records = tuple(heard.record for heard in found)
    numbers = numbers_of((*(heard.record for heard in snapshot.events), *records))
    names = Names({each.identity_id: each.name for each in snapshot.identities.values()}, numbers)
    return "\n".join(event_line(record, names) for record in records) or NOT_FOUND


def _apart_text(snapshot: Snapshot, before: Found) -> str:
    """Each history by itself: their numbers are those of different events."""
    from corr_tui.ui.text import clean

    if not before:
        return NONE_APART
    alone = replace(snapshot, events=())
    return "\n".join(
        f"The history to #{clean(apart.through)}, kept apart since {apart.noticed_at}:\n{_text(alone, found[::-1])}"
        for apart, found in before
    )


def _json(snapshot: Snapshot, found: tuple[Heard, ...], reached: bool) -> str:
    """Escaped to ASCII, so that nothing in it reaches a terminal as a control."""
    printed = {
        "events": [record_json(heard) for heard in found],
        "through": snapshot.history.through,
        "complete": reached or snapshot.history.complete,
        "reached": reached,
    }
    return json.dumps(printed, indent=2)


def _apart_json(before: Found) -> str:
    printed = [
        {
            "events": [record_json(heard) for heard in reversed(found)],
            "through": apart.through,
            "kept_apart_since": apart.noticed_at,
        }
        for apart, found in before
    ]
    return json.dumps({"apart": printed}, indent=2)


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
