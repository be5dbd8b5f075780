"""`corr-tui voice`, `claims` and `events`: what the service says, as text or as its own JSON (§7).

JSON is the service's own shape, escaped to ASCII so that nothing in it reaches a terminal as a control. `events`
follows every page and prints one object: all events, or those a filter finds, and a page that reflects the whole.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import compress
from typing import TYPE_CHECKING, Any

import click

from corr_tui.cli.failures import Invalid, Unreached, in_words
from corr_tui.cli.filter_command import FilterCommand, filter_argument, filter_of
from corr_tui.cli.flags import Flags, settings_flags

if TYPE_CHECKING:
    from corr_tui.cli.place import Place
    from corr_tui.cli.plain import Names
    from corr_tui.protocol.records import Record
    from corr_tui.state.filter_grammar import Filter

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the service's own JSON.")
_THREAD = click.option("--thread", "thread_id", metavar="ID", help="Of one thread only.")


@click.command()
@_THREAD
@_JSON
@settings_flags
def voice(flags: Flags, thread_id: str | None, as_json: bool) -> None:
    """Print the finite coordination snapshot: recent events, active claims, conflicts."""
    asyncio.run(_voice(flags, thread_id, as_json))


async def _voice(flags: Flags, thread_id: str | None, as_json: bool) -> None:
    from corr_tui.cli.place import place
    from corr_tui.cli.plain import voice_lines
    from corr_tui.protocol.records import read_voice

    async with place(flags, make=False) as here:
        with in_words():
            answer = await here.client.voice_json(here.repository_id, thread_id=thread_id)
            heard = read_voice(answer)
            names = None if as_json else await _names(here, heard.recent_events)
    _print(answer, names, lambda names: voice_lines(heard, here.repository_id, names))


@click.command()
@_THREAD
@click.option("--path", metavar="PREFIX", help="That overlap this path only.")
@_JSON
@settings_flags
def claims(flags: Flags, thread_id: str | None, path: str | None, as_json: bool) -> None:
    """Print the active claims. They are advisory: none of them keeps anybody from anything."""
    asyncio.run(_claims(flags, thread_id, path, as_json))


async def _claims(flags: Flags, thread_id: str | None, path: str | None, as_json: bool) -> None:
    from corr_tui.cli.place import place
    from corr_tui.cli.plain import claims_lines
    from corr_tui.protocol.records import read_claims

    async with place(flags, make=False) as here:
        with in_words():
            answer = await here.client.claims_json(here.repository_id, thread_id=thread_id, path=path)
            active = read_claims(answer)
            names = None if as_json else await _names(here, ())
    _print(answer, names, lambda names: claims_lines(active, active.claims, names))


@click.command(cls=FilterCommand)
@click.argument("terms", nargs=-1, metavar="[FILTER]...", callback=filter_argument)
@_THREAD
@click.option("--after", metavar="NUMBER", help="Only what was received after this receipt number.")
@_JSON
@settings_flags
def events(flags: Flags, terms: tuple[str, ...], thread_id: str | None, after: str | None, as_json: bool) -> None:
    """Print the events in receipt order: all of them, or those a filter finds, such as `kind:ack.* -by:bo flaky`."""
    if after is not None:
        after = after.removeprefix("#")
        if not (after.isascii() and after.isdigit()):
            raise Invalid("--after: give a receipt number")
        after = after.lstrip("0") or None
    asyncio.run(_events(flags, filter_of(terms) if terms else None, thread_id, after, as_json))


async def _events(flags: Flags, wanted: Filter | None, thread_id: str | None, after: str | None, as_json: bool) -> None:
    from corr_tui.cli.another_history import tell_another
    from corr_tui.cli.place import place
    from corr_tui.cli.plain import event_line
    from corr_tui.protocol.records import read_events_page

    async with place(flags, make=False) as here:
        with in_words():
            whole = await _every_page(here, thread_id, after)
            records = read_events_page(whole).events
            found = await _found(here, wanted, records) if wanted else [True] * len(records)
            names = None if as_json else await _names(here, records)
            await tell_another(here, "", records, whole=thread_id is None and after is None)
    whole["events"] = list(compress(whole["events"], found))
    none = "No events match." if wanted else "No events."
    _print(whole, names, lambda names: [event_line(record, names) for record in compress(records, found)] or [none])


async def _found(here: Place, wanted: Filter, records: tuple[Record, ...]) -> list[bool]:
    """Of each record whether the filter finds it; what could not be wholly known is said on standard error."""
    from corr_tui.cli.finding import finding
    from corr_tui.protocol.records import read_events_page

    async def whole() -> tuple[Record, ...]:
        return read_events_page(await _every_page(here, None, None)).events

    found, doubts = await finding(here, wanted, records, whole)
    for doubt in doubts:
        click.echo(f"corr-tui: {doubt}", err=True)
    return found


async def _every_page(here: Place, thread_id: str | None, after: str | None) -> dict[str, Any]:
    """Every page as one, in the service's shape; raises Unreached when the cursor does not advance."""
    whole: dict[str, Any] = {}
    cursor, more = after, True
    while more:
        page: Any = await here.client.events_json(here.repository_id, thread_id=thread_id, after=cursor)
        if not whole:
            whole = page
        else:
            whole["events"] += page["events"]
            whole["page"] = {**page["page"], "after": after}
        more = page["page"]["has_more"]
        if more and page["page"]["next_after"] == cursor:
            raise Unreached("the service says there is more, and sends nothing further")
        cursor = page["page"]["next_after"]
    return whole


async def _names(here: Place, records: tuple[Record, ...]) -> Names:
    from corr_tui.cli.plain import Names, numbers_of

    listed = await here.client.identities()
    return Names({each.id: each.display_name or "" for each in listed}, numbers_of(records))


def _print(answer: object, names: Names | None, lines: Callable[[Names], list[str]]) -> None:
    """Print the service's JSON when no names were asked for, else lines of text."""
    click.echo(json.dumps(answer, indent=2) if names is None else "\n".join(lines(names)))
