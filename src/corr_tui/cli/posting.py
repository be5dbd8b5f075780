"""One event from the command line to the service, through the same outbox as the board's (§3, §4, §7)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import click

from corr_tui.cli.another_history import tell_another
from corr_tui.cli.failures import Declined, Ended, Invalid, Unreached, in_words, refusal_words
from corr_tui.cli.flags import Flags
from corr_tui.cli.lookup import Lookup, claim_words
from corr_tui.cli.place import Place, place, session_at
from corr_tui.cli.said import Said, draft_of, refusal_of
from corr_tui.cli.unsent import NOTHING, kept_here, kept_refused, kept_words, whom
from corr_tui.client.errors import ClientError
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import EventRefused, SignatureRefused
from corr_tui.protocol.event import Event
from corr_tui.protocol.lineage import claim_event
from corr_tui.protocol.records import Record
from corr_tui.protocol.signing import public_key_of, verify
from corr_tui.state.border import Outcome, Sent
from corr_tui.state.connection import Connection
from corr_tui.state.session import Session
from corr_tui.state.snapshot import UnsentState
from corr_tui.ui.text import clean


async def post(said: Said, flags: Flags, *, as_json: bool) -> None:
    """Sign and post what was said, and print the receipt; raises Invalid, Declined or Unreached."""
    async with place(flags, make=True) as here:
        connection = here.connection
        if not connection.can_sign:
            raise Invalid(f"to sign, {_missing(connection)} needed too")
        session = session_at(connection, here.home)
        try:
            with in_words(then=NOTHING):
                draft = await _draft(said, here)
                await session.open()
            sent = await _send(session, draft)
            if sent.outcome is Outcome.REFUSED and sent.event_id:
                raise Declined(await _refusal(sent, here))
            _tell(sent, session, public_key_of(connection.seed or b""), as_json)
            if sent.record is not None:
                await tell_another(here, session.snapshot.project_id, [sent.record], whole=False)
            await _deliver_earlier(session)
        except asyncio.CancelledError:
            click.echo(f"corr-tui: interrupted. {_left(session)}", err=True)
            raise
        finally:
            await session.close()


def _left(session: Session) -> str:
    """What becomes of the event of a command that is interrupted."""
    snapshot = session.snapshot
    if snapshot.events:
        return "The event has its receipt."
    mine = [each.event for each in snapshot.unsent if snapshot.me and _is_of(each.event, snapshot.me.session_id)]
    return f"{_in_doubt(mine[0].event_id)}. {kept_here(mine[0].event_id, whom(snapshot.me))}" if mine else NOTHING


def _is_of(event: Event, session_id: str) -> bool:
    return event.sender.session_id == session_id


def _missing(connection: Connection) -> str:
    """Which settings of a signer are not there, in words."""
    parts = {
        "an identity (CORR_TUI_IDENTITY_ID, --identity)": connection.identity_id,
        "the id of its key (CORR_TUI_SIGNING_KEY_ID, --signing-key)": connection.signing_key_id,
        "the key file (CORR_TUI_SIGNING_KEY_FILE, --signing-key-file)": connection.seed,
    }
    names = [name for name, value in parts.items() if value is None]
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


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
            raise Invalid(f"{refusal_of(draft.kind, refused.issues)}\n{NOTHING}") from None
        sent = await session.send(prepared)
        if sent.outcome is not Outcome.CHANGED:
            return sent


async def _deliver_earlier(session: Session) -> None:
    """Post what earlier commands could not; that some of it still waits is said, and is no failure of this one."""
    try:
        if await session.deliver():
            return
    except ClientError:
        pass
    waiting = sum(each.state is not UnsentState.REFUSED for each in session.snapshot.unsent)
    if waiting:
        click.echo(f"corr-tui: of earlier events, {kept_words(waiting, whom(session.snapshot.me))}", err=True)


async def _refusal(sent: Sent, here: Place) -> str:
    """The service's refusal in its words, and what of the settings is the likely cause where the key is not listed."""
    said = f"the service refused: {refusal_words('', sent.reason, '', sent.issues)}"
    return "\n".join([f"{said}\n  {kept_refused(sent.event_id)}", *await _mismatch(here)])


async def _mismatch(here: Place) -> list[str]:
    """A line when the service lists another key, or none, under the key id that is configured; else nothing.

    It is asked only after a refusal. A service that cannot say leaves its refusal as it is.
    """
    connection = here.connection
    assert connection.identity_id is not None
    assert connection.seed is not None
    try:
        listed = await here.client.keys(connection.identity_id)
    except ClientError:
        return []
    public_key, key_id = public_key_of(connection.seed), connection.signing_key_id
    if any(key.kid == key_id and key.raw == public_key for key in listed):
        return []
    right = [clean(key.kid) for key in listed if key.raw == public_key]
    known = any(key.kid == key_id for key in listed)
    cause = "lists another key than yours under" if known else "lists no key of this identity under"
    hint = f"; it lists your key as {right[0]}" if right else ""
    return [f"  The service {cause} CORR_TUI_SIGNING_KEY_ID (--signing-key), {key_id}: likely the cause{hint}."]


def _tell(sent: Sent, session: Session, public_key: bytes, as_json: bool) -> None:
    """Print the receipt, or raise what became of the event instead."""
    match sent.outcome:
        case Outcome.REFUSED:
            raise Invalid(f"{refusal_words('', sent.reason, '', sent.issues)}. {NOTHING}")
        case Outcome.NOT_STORED:
            raise Invalid(f"not posted: {clean(sent.reason)}. {NOTHING}")
        case Outcome.POSTED if sent.record is not None:
            try:
                _print(sent.record, public_key, as_json)
            except OSError as error:
                posted = f"posted as #{sent.record.receipt.received_seq}, {sent.event_id}"
                raise Ended(f"{posted}; standard output cannot be written: {error.strerror}") from None
        case _:
            state = next((each.state for each in session.snapshot.unsent if each.event.event_id == sent.event_id), None)
            was = f"{sent.event_id} was not posted" if state is UnsentState.UNSENT else _in_doubt(sent.event_id)
            if as_json:
                kept = {"event_id": sent.event_id, "state": (state or UnsentState.UNKNOWN).value, "reason": sent.reason}
                click.echo(json.dumps(kept, indent=2))
            raise Unreached(f"{was} ({clean(sent.reason)}). {kept_here(sent.event_id, whom(session.snapshot.me))}")


def _in_doubt(event_id: str) -> str:
    return f"Not known yet whether {event_id} was stored"


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
    click.echo(f"#{record.receipt.received_seq} {event.kind} {_claim_of(event)}{event.event_id} {verdict}")
    for warning in record.warnings:
        click.echo(f"  {refusal_words(warning.code, warning.detail, '', ())}", err=True)


def _claim_of(event: Event) -> str:
    """Which claim an event is about and its generation, or empty."""
    claim = claim_event(event)
    if claim is None:
        return ""
    return f"{claim_words(tuple(claim.scope.paths), claim.claim_id)} generation {claim.generation} "


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
