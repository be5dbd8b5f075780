"""What a command says that meets another history at an address than the one that is kept here (§4).

A command that only prints or posts keeps no history: it says so once, and whoever reads the history next keeps the one
before apart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import click

from corr_tui.cli.place import Place
from corr_tui.client.errors import ClientError
from corr_tui.protocol.records import Record
from corr_tui.state.kept_apart import contradicted
from corr_tui.state.trust import Place as Kept
from corr_tui.ui.text import clean


async def tell_another(here: Place, project_id: str, records: Iterable[Record], *, whole: bool) -> None:
    """Say it where these records contradict what is kept here; `whole` says that they are all the service has.

    Without a project id the service is asked for it.
    """
    connection, file = here.connection, here.home.history_file
    if not await asyncio.to_thread(file.exists):
        return
    try:
        kept = Kept(connection.place, project_id or (await here.client.project()).id, connection.repository_id)
    except ClientError:
        return  # what was asked for was answered
    told = {each.receipt.received_seq: each.event.event_id for each in records}
    last = await asyncio.to_thread(contradicted, file, kept, told, whole=whole)
    if last is not None:
        click.echo(
            f"corr-tui: another history is at this address now than the one kept here, to #{clean(last)}. "
            "The board, or `corr-tui search`, reads it and keeps the other apart.",
            err=True,
        )
