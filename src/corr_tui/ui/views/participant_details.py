"""One participant in full: identity, keys, claims, devices and sessions, and the forks of those (§3, §4, §6).

A key is pinned, listed, changed or revoked; none of that is about a person. Sequence numbers are a session's own: the
lowest and the highest heard say nothing of those between.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from corr_tui.state.facts import Facts, SessionHeard
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import KeyStanding, KnownKey, Snapshot
from corr_tui.state.standing import Standing, claims_standing, claims_view
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import dim, finished, joined, text, words
from corr_tui.ui.line import Content, Ink, View
from corr_tui.ui.panels.reading import Reading, quote
from corr_tui.ui.panels.what import what
from corr_tui.ui.text import clean
from corr_tui.ui.views.participants import last_of, said_of
from corr_tui.ui.views.sections import Entry, Section, rows, sentence, told

MOST_SESSIONS = 40
"""Sessions of one participant that are told; those heard last."""
MOST_PATHS = 8
"""Prefixes of one claim that are told; the path tree has them all."""
UNLISTED, UNASKED = "not listed now", "the service was not asked in this run"
"""Of a key that is not in the service's list, and of one whose list was not read yet."""
STANDINGS = {
    KeyStanding.PINNED: "known here before now",
    KeyStanding.FIRST_USE: "seen first in this run of corr-tui",
    KeyStanding.LISTED: "listed by the service, not used yet",
    KeyStanding.CHANGED: "the service lists another key under this id",
    KeyStanding.REVOKED: "the service says it is no longer in use",
    KeyStanding.UNUSABLE: "what is listed under this id is no key",
}


def details(snapshot: Snapshot, view: View, width: int, identity_id: str | None) -> Content:
    """The participant with this id; rows are keyed by what they tell."""
    reading, known = Reading(snapshot, view), facts(snapshot)
    if identity_id is None:
        lines = (words(width, text("No participant selected", Ink.STRONG)),)
        return finished(Content(title="Participant", empty=lines), view)
    parts = (
        Section("who", "", "", tuple(_who(reading, known, identity_id, width))),
        Section("keys", "Keys", "facts about bytes, not about a person", tuple(_keys(reading, known, identity_id))),
        Section("claims", "Claims", _worth(reading), tuple(_claims(reading, identity_id))),
        Section(
            "sessions", "Devices and sessions", "by their own numbers", tuple(_sessions(reading, known, identity_id))
        ),
    )
    return finished(Content(title="Participant", scope=reading.name(identity_id), rows=rows(parts, width)), view)


def _who(reading: Reading, known: Facts, identity_id: str, width: int) -> Iterator[Entry]:
    listed = reading.snapshot.identities.get(identity_id)
    yield from sentence("identity", clean(identity_id), width)
    standing = "not listed by the service" if listed is None else "active" if listed.active else "no longer active"
    yield from told("listed as", *([quote(listed.name)] if listed and listed.name else []), dim(standing))
    yield from told("report", said_of(known.reports.get(identity_id), reading))
    yield from told("received", last_of(reading, known, identity_id))
    heard = reading.snapshot.by_id.get(known.last_by.get(identity_id, ""))
    if heard is not None and heard.event is not None:
        yield from told("", what(heard.event, reading), key="said")


def _keys(reading: Reading, known: Facts, identity_id: str) -> Iterator[Entry]:
    keys = reading.snapshot.keys.get(identity_id, ())
    for key in keys:
        yield from _key(reading, key)
    unknown = {
        each
        for (of, _, _), session in known.sessions.items()
        if of == identity_id
        for each in session.key_ids
        if each not in {key.signing_key_id for key in keys}
    }
    for each in sorted(unknown):
        yield from told(
            "key",
            text(UNLISTED if any(key.asked for key in keys) else "not known here"),
            dim(f"id {clean(each)}"),
            key=f"key {each}",
        )


def _key(reading: Reading, key: KnownKey) -> Iterator[Entry]:
    me, loud = reading.snapshot.me, key.standing is KeyStanding.CHANGED
    glyph = f"{Glyph.KEY_CHANGED.symbol} " if loud else ""
    mine = dim("the one signed with here") if me and me.signing_key_id == key.signing_key_id else ()
    yield from told(
        "key",
        joined((text(f"{glyph}{key.standing}", Ink.ALARM if loud else Ink.TEXT), mine), 2),
        dim(STANDINGS[key.standing]),
        dim(f"sha256 {key.fingerprint[:16]}…") if key.fingerprint else (),
        text(f"now listed {key.other[:16]}…", Ink.ALARM) if key.other else (),
        () if key.listed else dim(UNLISTED if key.asked else UNASKED),
        dim(f"id {clean(key.signing_key_id)}"),
        key=f"key {key.signing_key_id}",
    )


def _worth(reading: Reading) -> str:
    """What the claims shown are worth."""
    worth = claims_standing(reading.snapshot)
    return "advisory" if worth is Standing.COMPLETE else f"advisory · {worth}"


def _claims(reading: Reading, identity_id: str) -> Iterator[Entry]:
    view = claims_view(reading.snapshot)
    mine = [claim for claim in (view.claims if view else ()) if claim.owner_identity_id == identity_id]
    for claim in sorted(mine, key=lambda each: (min(each.scope.paths), each.event_id)):
        label = reading.number(claim.event_id)
        expires = dim(f"gen {claim.generation} · expires {reading.until(claim.expires_at)}")
        every = sorted(claim.scope.paths)
        paths = (text(clean(path), Ink.STRONG) for path in every[:MOST_PATHS])
        more = dim(f"and {len(every) - MOST_PATHS} more prefixes") if len(every) > MOST_PATHS else ()
        yield from told(label, *paths, more, expires, key=claim.event_id)
    if not mine and claims_standing(reading.snapshot) is Standing.COMPLETE:
        yield from told("claims", dim("none live"))


def _sessions(reading: Reading, known: Facts, identity_id: str) -> Iterator[Entry]:
    """The sessions heard last, device by device, with their forks."""
    mine = [(place, session) for place, session in known.sessions.items() if place[0] == identity_id]
    mine.sort(key=lambda each: _seq(known, each[1]), reverse=True)
    by_device: defaultdict[str, list[tuple[tuple[str, str, str], SessionHeard]]] = defaultdict(list)
    for place, session in mine[:MOST_SESSIONS]:
        by_device[place[1]].append((place, session))
    for device_id, sessions in by_device.items():
        yield from told(
            "device", joined((text(reading.device(device_id)), dim(device_id)), 2), key=f"device {device_id}"
        )
        for place, session in sessions:
            yield from _session(reading, known, place, session)
    if len(mine) > MOST_SESSIONS:
        yield from told("", dim("and earlier sessions"), key="earlier")


def _session(reading: Reading, known: Facts, place: tuple[str, str, str], session: SessionHeard) -> Iterator[Entry]:
    first, last = session.first_seq, session.last_seq
    span = f"sequence {first}" if first == last else f"sequence {first} to {last}"
    me = reading.snapshot.me
    mine = dim("this session") if me and me.session_id == place[2] else ()
    forks = [
        text(f"{Glyph.FORK.symbol} fork at {at[3]}: {' · '.join(reading.number(each) for each in ids[:4])}", Ink.ATTN)
        for at, ids in known.forks.items()
        if at[:3] == place
    ]
    yield from told(
        "session",
        joined((text(f"{place[2][:8]}…"), text(span), dim(f"last {reading.number(session.event_id)}"), mine), 2),
        *forks,
        key=f"session {place[2]}",
    )


def _seq(known: Facts, session: SessionHeard) -> int:
    noted = known.noted.get(session.event_id)
    return noted.seq if noted else 0
