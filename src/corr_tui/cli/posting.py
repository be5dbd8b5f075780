"""One event from the command line to the service, through the same outbox as the board's (§3, §4, §7)."""

from __future__ import annotations

import json
from typing import Any

import click

from corr_tui.cli.failures import Declined, Invalid, Unreached, in_words, refusal_words
from corr_tui.cli.flags import Flags
from corr_tui.cli.lookup import Lookup
from corr_tui.cli.place import Place, place, session_at
from corr_tui.cli.said import Said, draft_of, refusal_of
from corr_tui.client.errors import ClientError
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import EventRefused, SignatureRefused
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import Record
from corr_tui.protocol.signing import public_key_of, verify
from corr_tui.state.border import Outcome, Sent
from corr_tui.state.session import Session


async def post(said: Said, flags: Flags, *, as_json: bool) -> None:
    """Sign and post what was said, and print the receipt; raises Invalid, Declined or Unreached."""
    async with place(flags) as here:
        connection = here.connection
        if not connection.can_sign:
            raise Invalid("to sign, an identity, its signing key's id and the key file are needed")
        with in_words():
            draft = await _draft(said, here)
        session = session_at(connection, here.home)
        try:
            with in_words():
                await session.open()
            sent = await _send(session, draft)
            _tell(sent, public_key_of(connection.seed or b""), as_json)
            await _deliver_earlier(session)
        finally:
            await session.close()


async def _draft(said: Said, here: Place) -> Draft:
    """The draft that was meant, with everything it cites looked up."""
    lookup = Lookup(here.client, here.repository_id)
    targets = tuple([await lookup.cited(typed, option="--target") for typed in said.targets])
    parents = tuple([await lookup.cited(typed, option="--parent") for typed in said.parents])
    me = here.connection.identity_id
    assert me is not None
    if said.kind == "resume" and not targets:
        targets = (await lookup.to_resume(said, me),)
    tip = await lookup.tip_to_continue(said, me) if said.continues_claim else None
    return draft_of(said, targets, parents, tip, here.facts)


async def _send(session: Session, draft: Draft) -> Sent:
    """Prepare and send; prepares again when another event of this session took the number meanwhile."""
    while True:
        try:
            prepared = await session.prepare(draft)
        except EventRefused as refused:
            raise Invalid(refusal_of(draft.kind, refused.issues)) from None
        sent = await session.send(prepared)
        if sent.outcome is not Outcome.CHANGED:
            return sent


async def _deliver_earlier(session: Session) -> None:
    """Post what earlier commands could not; that some of it still waits is said, and is no failure of this one."""
    try:
        done = await session.deliver()
    except ClientError:
        done = False
    if not done:
        click.echo("corr-tui: earlier events still wait to be sent", err=True)


def _tell(sent: Sent, public_key: bytes, as_json: bool) -> None:
    """Print the receipt, or raise what became of the event instead."""
    match sent.outcome:
        case Outcome.REFUSED:
            raise Declined(f"the service refused: {refusal_words('', sent.reason, '', sent.issues)}")
        case Outcome.POSTED if sent.record is not None:
            _print(sent.record, public_key, as_json)
        case _:
            raise Unreached(
                f"not known yet whether {sent.event_id} was stored. It is kept here, and the same bytes go out again "
                "when this installation next connects"
            )


def _print(record: Record, public_key: bytes, as_json: bool) -> None:
    event = record.event
    if as_json:
        click.echo(json.dumps(record_json(record), indent=2))
        return
    assert isinstance(event, Event)
    try:
        verify(event, public_key)
        verdict = "verified"
    except SignatureRefused:
        verdict = "mismatch: the service answered with other bytes than were signed"
    click.echo(f"#{record.receipt.received_seq} {event.kind} {event.event_id} {verdict}")
    for warning in record.warnings:
        click.echo(f"  {refusal_words(warning.code, warning.detail, '', ())}", err=True)


def record_json(record: Record) -> dict[str, Any]:
    """A record in the service's shape (§7)."""
    warnings = [
        {"code": warning.code, "detail": warning.detail}
        | ({"event_ids": list(warning.event_ids)} if warning.event_ids else {})
        | ({"paths": list(warning.paths)} if warning.paths else {})
        for warning in record.warnings
    ]
    return {
        "event": record.event.evidence,
        "receipt": {
            "received_seq": record.receipt.received_seq,
            "received_at": record.receipt.received_at,
        },
        "missing_parents": list(record.missing_parents),
        "lineage_status": record.lineage_status,
        "warnings": warnings,
    }
