"""Which records of a service a filter finds, as one command can know it.

What the filter rests on is read from the service, and only that: identities, keys, the whole history, the projection.
Signatures are checked by the keys pinned here and by those the service lists, and nothing is pinned by it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from corr_tui.cli.place import Place
from corr_tui.client.http import Fresh
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import Record
from corr_tui.protocol.signing import public_key_of
from corr_tui.state.connection import Connection
from corr_tui.state.directory import Directory
from corr_tui.state.filter import Need, doubts, matching, needs
from corr_tui.state.filter_grammar import Filter
from corr_tui.state.snapshot import Heard, History, Identity, Me, Projection, ProjectionState, Snapshot, Verdict
from corr_tui.state.timing import Timing
from corr_tui.state.trust import Place as Pinned
from corr_tui.state.trust import Trust
from corr_tui.ui.text import clean

Records = tuple[Record, ...]


async def finding(
    here: Place, wanted: Filter, records: Records, whole: Callable[[], Awaitable[Records]]
) -> tuple[list[bool], list[str]]:
    """Of each record whether it is found, and in words what could not be wholly known.

    `whole` reads every record of the repository; it is asked where the records at hand do not suffice. Raises
    ClientError and RecordRefused.
    """
    needed = needs(wanted)
    every = await whole() if Need.HISTORY in needed else records
    names: Mapping[str, Identity] = {}
    trouble: list[str] = []
    if Need.VERDICTS in needed:
        heard, names, trouble = await _judged(here, every)
    else:
        heard = tuple(Heard(record, Verdict.NO_KEY, "not checked", genuine=False) for record in every)
        if Need.NAMES in needed:
            listed = await here.client.identities()
            names = {each.id: Identity(each.id, each.display_name or "", each.active) for each in listed}
    projection = await _projection(here) if Need.PROJECTION in needed else Projection()
    through = every[-1].receipt.received_seq if every else None
    snapshot = Snapshot(here.repository_id, me=_me(here.connection), identities=names, projection=projection)
    snapshot = snapshot.heard(heard, History(through, complete=True))
    test = matching(wanted, snapshot)
    found = {each.record.seq for each in heard if test(each)}
    return [record.seq in found for record in records], [*trouble, *doubts(wanted, snapshot)]


async def _judged(here: Place, every: Records) -> tuple[tuple[Heard, ...], Mapping[str, Identity], list[str]]:
    """The records with their verdicts, who takes part, and what kept a list from being read."""
    connection = here.connection
    project = await here.client.project()
    pinned = Pinned(connection.place, project.id, connection.repository_id)
    trust = Trust(here.home.trust_file, pinned, keep=False)
    if connection.identity_id and connection.signing_key_id and connection.seed:
        trust.pin_mine(connection.identity_id, connection.signing_key_id, public_key_of(connection.seed))
    directory = Directory(here.client, Timing(monotonic=lambda: 0.0))  # time stands still: each list is read once
    events = [record.event for record in every if isinstance(record.event, Event)]
    while await directory.learn(events, trust):
        pass
    heard = tuple(Heard(record, *trust.judge(record.event), trust.genuine(record.event)) for record in every)
    return heard, directory.identities, [clean(each) for each in (trust.trouble, directory.trouble) if each]


async def _projection(here: Place) -> Projection:
    """The service's voice, and its claims by themselves where the voice is bounded (§7.1)."""
    voice = await here.client.voice(here.repository_id)
    assert isinstance(voice, Fresh)  # no validator was sent
    state = ProjectionState(voice.value.projection_status)
    if state is ProjectionState.UNAVAILABLE:
        return Projection(state)  # the voice is empty then, which says nothing
    if state is ProjectionState.COMPLETE:
        return Projection(state, voice.value)
    claims = await here.client.claims(here.repository_id)
    assert isinstance(claims, Fresh)
    return Projection(state, voice.value, claims=claims.value)


def _me(connection: Connection) -> Me | None:
    """Whom this command speaks as, where it says so; it signs nothing."""
    if connection.identity_id is None:
        return None
    key_id = connection.signing_key_id or ""
    return Me(connection.identity_id, "", key_id, device_id="", device_name="", session_id="", can_sign=False)
