"""The header: what is looked at, on the left; what is known of the connection and the view, in pills (look: header).

The connection is that to the service and never says that somebody is there. As room shrinks, words shorten and parts go
in one order; the link and the claims never go, nor does a changed key.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from corr_tui.state.same import Same
from corr_tui.state.snapshot import Heard, Link, LinkState, ProjectionState, Snapshot, Verdict, instant
from corr_tui.state.standing import Standing, claims_standing, standing
from corr_tui.ui import times
from corr_tui.ui.glyphs import Glyph, plain
from corr_tui.ui.layout import END, START, cut_start, dim, joined, text, width_of
from corr_tui.ui.line import Ink, Line, Span, View
from corr_tui.ui.panels.event_row import UNSENT_GLYPHS, thread_of
from corr_tui.ui.panels.notices import notices
from corr_tui.ui.panels.reading import Reading, my_name
from corr_tui.ui.text import clean
from corr_tui.ui.waiting import counted

NAME = "corr-tui"
PAD = 1
"""Cells of ground on each side of a pill; one cell lies between two pills."""
NAME_CELLS = 16
"""Cells of my name, and of my device's, at most."""
STATUS = re.compile(r"\b[45]\d\d\b")
"""The status of an answer in the words about it."""
GAP = 2
"""Cells between the left part and the first pill, at least."""


@dataclass(frozen=True, slots=True)
class Header:
    """The left part, without its edge, and the pills, without their padding.

    A pill stands on the ground of its first ink: attention, alarm, or that of every pill.
    """

    left: Line
    pills: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """Which parts there is room for; LADDER takes them away one by one."""

    shown: bool = True
    """`50 shown · 50 verified`, or `47 verified · 2 listed · 1 not proved`, rather than `49 of 50 proved`."""
    device: bool = True
    now: bool = True
    since: bool = True
    """Since when the service is not heard."""
    age: bool = True
    fault: bool = True
    """Why the service has no view, and since when."""
    scope: bool = True
    whole_words: bool = True
    """`claims complete` and `49 of 50 proved` rather than `complete` and `49/50 proved`."""
    me: bool = True
    verified: bool = True
    """How many signatures hold."""
    cursor: bool = True
    claims: bool = True
    """`claims` before a word about them that is not `complete`."""


PARTS = (
    "shown",
    "device",
    "now",
    "since",
    "age",
    "scope",
    "whole_words",
    "me",
    "verified",
    "cursor",
    "fault",
    "claims",
)
LAST = ("fault", "age", "since", "claims")
WITHOUT_SERVICE = (*(part for part in PARTS if part not in LAST), *LAST)
"""The same while the service is not heard: since when, and when it is tried again, goes late; what is unavailable is
named to the last."""
LADDER, LADDER_WITHOUT_SERVICE = (
    tuple(Room(**dict.fromkeys(parts[:count], False)) for count in range(len(parts) + 1))
    for parts in (PARTS, WITHOUT_SERVICE)
)
"""From everything to what never goes."""
HEARD = (LinkState.CONNECTING, LinkState.LIVE, LinkState.POLLING, LinkState.ENDED)


def header(snapshot: Snapshot, view: View, width: int) -> Header:
    """The header for a width: the most that fits."""
    reading = Reading(snapshot, view)
    for room in LADDER if snapshot.link.state in HEARD else LADDER_WITHOUT_SERVICE:
        found = Header(_left(reading, room), _pills(reading, room))
        spare = width - START - GAP - END - pills_width(found.pills) - width_of(found.left)
        if spare >= 0:
            break
    else:
        least = max(width - START - GAP - END - pills_width(found.pills), 0)
        found = Header(_cut_left(reading, least), found.pills)
    return Header(plain(found.left), tuple(map(plain, found.pills))) if view.ascii_only else found


def left(snapshot: Snapshot, view: View, width: int) -> Line:
    """The left part for a width, from column 2 on."""
    return header(snapshot, view, width).left


def pills(snapshot: Snapshot, view: View, width: int) -> tuple[Line, ...]:
    """The pills for a width: now, link, claims, cursor, verified, notices, what is unsent, which keys changed."""
    return header(snapshot, view, width).pills


def pills_width(found: tuple[Line, ...]) -> int:
    """The cells pills take with their padding and the gaps between them."""
    return sum(width_of(pill) + 2 * PAD for pill in found) + max(len(found) - 1, 0)


def _left(reading: Reading, room: Room) -> Line:
    snapshot = reading.snapshot
    name = text(_name(reading), Ink.KEY), text(clean(snapshot.repository_id), Ink.STRONG)
    scope = dim(f" · {reading.scope}") if room.scope else ()
    return (*joined(name, 2), *scope, *(_me(reading, room) if room.me else ()))


def _me(reading: Reading, room: Room) -> Line:
    """Who signs here: ` · as maya on laptop`, ` · maya`; ` · reading only` where nobody does."""
    me = reading.snapshot.me
    if not reading.snapshot.repository_id:
        return ()
    if me is None or not me.can_sign:
        return (*dim(" · "), *text("reading only"))
    name = text(clean(my_name(me), NAME_CELLS))
    if not room.device:
        return (*dim(" · "), *name)
    return (*dim(" · as "), *name, *dim(f" on {clean(me.device_name, NAME_CELLS)}"))


def _cut_left(reading: Reading, room: int) -> Line:
    """The repository cut at its start, or not even that."""
    name = _name(reading)
    spare = room - len(name) - 2
    if spare >= 2:
        repository = cut_start(clean(reading.snapshot.repository_id), spare)
        return joined((text(name, Ink.KEY), text(repository, Ink.STRONG)), 2)
    return text(name, Ink.KEY) if room >= len(name) else ()


def _name(reading: Reading) -> str:
    """The program; of a recording it says so, whatever else there is no room for."""
    return f"{NAME} recording" if reading.snapshot.recorded else NAME


def _pills(reading: Reading, room: Room) -> tuple[Line, ...]:
    every = (
        _now(reading) if room.now else (),
        _link(reading, room),
        _claims(reading, room),
        _cursor(reading) if room.cursor else (),
        _verified(reading, room) if room.verified else (),
        _notices(reading.snapshot),
        _unsent(reading.snapshot, room),
        _changed(reading.snapshot),
    )
    return tuple(pill for pill in every if pill)


def _now(reading: Reading) -> Line:
    if reading.now is None:
        return text("now unknown", Ink.ATTN)
    off = times.plus_minus(reading.snapshot.clock.uncertainty)
    return (*text(f"now {reading.clock(reading.now)}"), *dim(f" {off}"))


def _link(reading: Reading, room: Room) -> Line:
    link, monotonic = reading.snapshot.link, reading.view.monotonic
    ago = None if link.heard_at is None else times.span(max(monotonic - link.heard_at, 0))
    lasted = times.span(max(monotonic - link.since, 0))
    events = "events " if standing(reading.snapshot) in (Standing.LAST_GOOD, Standing.UNAVAILABLE) else ""
    match link.state:
        case LinkState.LIVE:
            return _aged(f"{Glyph.LIVE.symbol} {events}live", f"{ago} ago" if ago else "", Ink.TEXT, room)
        case LinkState.POLLING:
            return _aged(f"{Glyph.PARTIAL.symbol} {events}polling", clean(link.detail), Ink.TEXT, room)
        case LinkState.OFFLINE:
            since = _since(reading, link) if room.since else ""
            return _aged(f"{Glyph.ABSENT.symbol} {link.state}{since}", lasted, Ink.ATTN, room)
        case LinkState.UNAUTHORIZED:
            return _aged(f"{Glyph.ABSENT.symbol} {link.state}", lasted, Ink.ATTN, room)
        case LinkState.HELD:
            return _aged(f"{Glyph.PAUSED.symbol} {link.state}", lasted, Ink.ATTN, room)
        case LinkState.RECONNECTING:
            return _aged(f"{Glyph.PARTIAL.symbol} {link.state}", _tries(link, monotonic, room), Ink.TEXT, room)
        case LinkState.CONNECTING:
            return text(f"{Glyph.PARTIAL.symbol} {link.state}")
        case LinkState.ENDED:
            return text("recording ended")


def _since(reading: Reading, link: Link) -> str:
    """` since 13:57`, by the service's clock; nothing while that is unknown."""
    now = reading.view.now
    if now is None:
        return ""
    began = now - timedelta(seconds=max(reading.view.monotonic - link.since, 0))
    return f" since {reading.clock(instant(began), seconds=False)}"


def _tries(link: Link, monotonic: float, room: Room) -> str:
    """`attempt 3, next try in 8 s`."""
    attempt = f"attempt {link.attempt}" if link.attempt else ""
    wait = 0.0 if link.retry_at is None else link.retry_at - monotonic
    soon = f"{'next try ' if room.device else ''}in {times.span(wait)}" if wait >= 1 else ""
    return ", ".join(part for part in (attempt, soon) if part)


def _claims(reading: Reading, room: Room) -> Line:
    worth = claims_standing(reading.snapshot)
    claims = "claims " if (room.whole_words if worth is Standing.COMPLETE else room.claims) else ""
    match worth:
        case Standing.COMPLETE:
            return text(f"{claims}complete")
        case Standing.TRUNCATED:
            return text(f"{Glyph.PARTIAL.symbol} {claims}truncated", Ink.ATTN)
        case Standing.LOADING:
            return text(f"{Glyph.PARTIAL.symbol} {claims}loading")
        case Standing.COMPUTED:
            return joined((text(f"{claims}computed here", Ink.ATTN), _fault(reading, room)), 2)
        case Standing.LAST_GOOD | Standing.UNAVAILABLE:
            word = text(f"{Glyph.ABSENT.symbol} {claims}unavailable", Ink.ATTN)
            return joined((word, _fault(reading, room)), 2)


def _fault(reading: Reading, room: Room) -> Line:
    """`503, 6 min`: the service's status, where it told one, and how long ago its view was confirmed."""
    projection = reading.snapshot.projection
    if not room.fault:
        return ()
    status = STATUS.search(projection.error) if projection.state is ProjectionState.UNAVAILABLE else None
    age = "" if projection.read_at is None else times.span(max(reading.view.monotonic - projection.read_at, 0))
    return dim(", ".join(part for part in (status.group() if status else "", age) if part))


def _aged(word: str, age: str, ink: Ink, room: Room) -> Line:
    return joined((text(word, ink), dim(age) if room.age else ()), 2)


def _cursor(reading: Reading) -> Line:
    """`#4812`; `◐ #3120 of #4812` while a replay is on its way there."""
    history = reading.snapshot.history
    at = f"#{clean(history.through)}" if history.through else ""
    if history.target is None or history.complete:
        return text(at)
    return (*text(f"{Glyph.PARTIAL.symbol} {at}".rstrip()), *dim(f" of #{clean(history.target)}"))


def _notices(snapshot: Snapshot) -> Line:
    count = len(notices(snapshot))
    return text(f"{count} notice{'s' if count > 1 else ''}", Ink.ATTN) if count else ()


def _verified(reading: Reading, room: Room) -> Line:
    """How many signatures hold, in the ink of attention where some bytes are not what they say.

    Verified and listed are both proved, which is the word for the two together. A missing key calls for nothing.
    """
    verdicts = _verdicts(Same(reading.snapshot.events), reading.view.thread_id)
    shown, verified = verdicts.total(), verdicts[Verdict.VERIFIED]
    if not shown:
        return ()
    if verified == shown:
        every = f"{verified} of {shown} verified" if room.whole_words else f"{verified}/{shown} verified"
        return (*text(f"{shown} shown"), *dim(f" · {verified} verified")) if room.shown else text(every)
    proved = sum(count for verdict, count in verdicts.items() if verdict.holds)
    ink = Ink.ATTN if verdicts[Verdict.MISMATCH] or verdicts[Verdict.MALFORMED] else Ink.TEXT
    if not room.shown:
        return text(f"{proved} of {shown} proved" if room.whole_words else f"{proved}/{shown} proved", ink)
    held = [(verdicts[each], each.value) for each in Verdict if each.holds]
    told = [f"{count} {word}" for count, word in held if count]
    missing = text(f"{shown - proved} not proved", ink) if proved < shown else ()
    first, rest = told[:1], "".join(f" · {each}" for each in told[1:])
    return (*text("".join(first)), *dim(rest), *(dim(" · ") if told and missing else ()), *missing)


def _unsent(snapshot: Snapshot, room: Room) -> Line:
    """`◦ 2 unsent · ← 1 refused`: where those of mine without a receipt stand; `◦ 3 without receipt` in less room."""
    if snapshot.troubles.outbox:
        return text("outbox unreadable", Ink.ATTN)
    waiting = counted(each for each in snapshot.unsent if each.event.event_id not in snapshot.by_id)
    parts = [(*dim(f"{UNSENT_GLYPHS[state].symbol} "), *text(f"{count} {state}")) for state, count in waiting]
    if len(waiting) > 1 and not room.whole_words:
        every = sum(count for _, count in waiting)
        parts = [(*dim(f"{Glyph.PENDING.symbol} "), *text(f"{every} without receipt"))]
    stands = tuple(span for number, part in enumerate(parts) for span in ((*dim(" · "), *part) if number else part))
    damaged = len(snapshot.troubles.damaged)
    said = text(f"{damaged} damaged" if stands else f"{damaged} unsent damaged", Ink.ATTN) if damaged else ()
    return joined((stands, said), 2)


def _changed(snapshot: Snapshot) -> Line:
    changed = _changed_keys(Same(snapshot.events))
    if not changed:
        return ()
    word = "key changed" if changed == 1 else "keys changed"
    return (Span(f"{Glyph.KEY_CHANGED.symbol} {changed} {word}", Ink.ALARM),)


@lru_cache(maxsize=4)
def _verdicts(events: Same[tuple[Heard, ...]], thread_id: str | None) -> Counter[Verdict]:
    """How many events of a thread, or of all, have each verdict."""
    return Counter(each.verdict for each in events.value if thread_id in (None, thread_of(each)))


@lru_cache(maxsize=4)
def _changed_keys(events: Same[tuple[Heard, ...]]) -> int:
    """How many keys changed."""
    changed = (each.event for each in events.value if each.verdict is Verdict.KEY_CHANGED)
    return len({event.sender.signing_key_id for event in changed if event is not None})
