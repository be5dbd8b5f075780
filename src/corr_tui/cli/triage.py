"""`corr-tui triage`: what may want my eyes, each thing under its reason, as text or JSON (experience: Triage).

It is the list of the view of that name, without what was hidden there. What the service has further is read and kept
first; what is not known, so that more may belong here, is said beside it. Where it is not reached, or refuses the
bearer (exit code 3), the list is that of the history kept here, with overlaps and claims computed of it.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from corr_tui.cli.failures import Declined, in_words
from corr_tui.cli.flags import Flags, settings_flags

if TYPE_CHECKING:
    from corr_tui.cli.plain import Names
    from corr_tui.state.session import Session
    from corr_tui.state.snapshot import Heard, Snapshot
    from corr_tui.state.triage import Group, Item

NOTHING = "Nothing may want your eyes, as far as is known here."


@click.command()
@click.option("--all", "every", is_flag=True, help="List what was hidden here too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with what is not known.")
@settings_flags
def triage(flags: Flags, every: bool, as_json: bool) -> None:
    """Print what may want my eyes, each with its reason; none has a deadline.

    Offers and intents I have not acknowledged; conflicts raised and not resolved; overlaps with my live claims; my
    claims near expiry or lapsed; forks of my sessions; repairs of my events; signatures that did not verify; what of
    mine is unsent. Nothing is posted, and nothing is taken off the list.
    """
    if asyncio.run(_triage(flags, every, as_json)):
        click.get_current_context().exit(Declined.exit_code)


async def _triage(flags: Flags, every: bool, as_json: bool) -> bool:
    """Returns whether the service refused the bearer."""
    from corr_tui.cli.place import place, session_at
    from corr_tui.cli.search import lacking, read_on
    from corr_tui.state.snapshot import LinkState
    from corr_tui.state.triage import shown, triage
    from corr_tui.ui.line import View
    from corr_tui.ui.panels.reading import Reading
    from corr_tui.ui.views.triage import doubts

    async with place(flags, make=False) as here:
        session = session_at(here.connection, here.home)
        try:
            with in_words():
                await session.open(refused=True)
            reached = await read_on(session)
            snapshot = session.snapshot if reached else _cut_off(session.snapshot)
            now = snapshot.clock.now(time.monotonic())
            if now is None and here.connection.transport is not None:
                now = datetime.now(UTC)  # the service is in this process, and its clock that of this machine
            groups = triage(snapshot, now)
            listed = groups if every else shown(groups, session.hidden)
            heard = await _heard(session, listed)
        finally:
            await session.close()
    unknown = [*lacking(snapshot, reached), *doubts(Reading(snapshot, View(now=now)))]
    refused = snapshot.link.state is LinkState.UNAUTHORIZED
    hidden = 0 if every else sum(len(each.items) for each in groups) - sum(len(each.items) for each in listed)
    if as_json:
        click.echo(_json(snapshot, listed, heard, unknown, hidden))
        return refused
    for line in unknown:
        click.echo(line, err=True)
    for line in _lines(snapshot, listed, heard, hidden):
        click.echo(line)
    return refused


def _cut_off(snapshot: Snapshot) -> Snapshot:
    """A snapshot of which a read failed, as the end of it: a command asks once, while a board waits for a second
    failure before it calls the service away and takes what is computed here."""
    from corr_tui.state.snapshot import LinkState, ProjectionState

    if snapshot.link.state in (LinkState.LIVE, LinkState.POLLING, LinkState.UNAUTHORIZED):
        return snapshot
    projection = replace(snapshot.projection, state=ProjectionState.UNAVAILABLE, error=snapshot.link.detail)
    return replace(snapshot, link=replace(snapshot.link, state=LinkState.OFFLINE), projection=projection)


async def _heard(session: Session, groups: tuple[Group, ...]) -> dict[str, Heard]:
    """The events listed, wherever in the history they are kept."""
    ids = {item.event_id for group in groups for item in group.items}
    found = {event_id: await session.recall(event_id) for event_id in ids}
    return {event_id: heard for event_id, heard in found.items() if heard is not None}


def _lines(snapshot: Snapshot, groups: tuple[Group, ...], heard: dict[str, Heard], hidden: int) -> list[str]:
    from corr_tui.cli.plain import Names, numbers_of
    from corr_tui.ui.views.triage import REASONS

    records = (*(each.record for each in snapshot.events), *(each.record for each in heard.values()))
    names = Names({each.identity_id: each.name for each in snapshot.identities.values()}, numbers_of(records))
    lines: list[str] = []
    for group in groups:
        lines += [*([""] if lines else []), f"{REASONS[group.reason]} ({len(group.items)})"]
        lines += [f"  {_line(item, snapshot, heard, names)}" for item in group.items]
    lines = lines or [NOTHING]
    return [*lines, "", f"{hidden} hidden here; --all lists them."] if hidden else lines


def _line(item: Item, snapshot: Snapshot, heard: dict[str, Heard], names: Names) -> str:
    from corr_tui.cli.plain import event_line
    from corr_tui.state.triage import Reason

    if item.reason is Reason.UNSENT:
        unsent = next(each for each in snapshot.unsent if each.event.event_id == item.event_id)
        return f"{unsent.state}  {unsent.event.kind}  {names.event(item.event_id)}"
    found = heard.get(item.event_id)
    line = event_line(found.record, names) if found else f"{names.event(item.event_id)}  not at hand"
    match item.reason:
        case Reason.SIGNATURE if found:
            # what a signature does not prove is not repeated as said by anybody
            return f"#{found.record.receipt.received_seq}  {found.verdict}  {names.event(item.event_id)}"
        case Reason.OVERLAP | Reason.FORK:
            against = [names.event(each) for each in item.about if each != item.event_id]
            return f"{line}  × {' × '.join(against)}"
        case _:
            return line


def _json(
    snapshot: Snapshot, groups: tuple[Group, ...], heard: dict[str, Heard], unknown: list[str], hidden: int
) -> str:
    """Escaped to ASCII, so that nothing in it reaches a terminal as a control."""
    printed = {
        "groups": [
            {"reason": str(group.reason), "items": [_item(item, heard) for item in group.items]} for group in groups
        ],
        "hidden": hidden,
        "unknown": unknown,
        "through": snapshot.history.through,
    }
    return json.dumps(printed, indent=2)


def _item(item: Item, heard: dict[str, Heard]) -> dict[str, Any]:
    from corr_tui.cli.search import record_json

    found = heard.get(item.event_id)
    return {
        "event_id": item.event_id,
        "about": list(item.about),
        "expires_at": item.expires_at or None,
        "record": record_json(found) if found else None,
    }
