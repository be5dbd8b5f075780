"""Triage: what may want my eyes, under the reason why it is listed, none with a deadline (experience: Triage).

Looking takes nothing off the list, and hiding a row hides it here alone. What may be missing is said at the foot, and
that nothing is listed is said of what is known here only (experience: honesty 1, 5, 6).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from corr_tui.protocol.records import MalformedEvent
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Heard, Snapshot, Unsent, UnsentState, Verdict, moment
from corr_tui.state.standing import CUT_OFF, Standing, claims_view, conflicts_standing
from corr_tui.state.triage import Group, Item, Reason, is_near, shown, triage
from corr_tui.ui import times
from corr_tui.ui.glyphs import VERDICTS, Glyph
from corr_tui.ui.layout import (
    Cell,
    blank,
    columns,
    cut_name,
    dim,
    dimmed,
    ends,
    finished,
    joined,
    paragraph,
    text,
    words,
)
from corr_tui.ui.line import Content, Ink, LazyRows, Line, Row, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.event_row import QUIET_VERDICTS, UNSENT_WORDS, hidden, thread_of, verdict_ink
from corr_tui.ui.panels.events import shape_for
from corr_tui.ui.panels.reading import Reading, paths_words, quote
from corr_tui.ui.panels.what import is_ack, what
from corr_tui.ui.text import clean

REASONS = {
    Reason.UNACKNOWLEDGED: "Offers and intents you have not acknowledged",
    Reason.RAISED: "Conflicts raised, not resolved",
    Reason.OVERLAP: "Overlaps with your live claims",
    Reason.EXPIRY: "Your claims near expiry or lapsed",
    Reason.FORK: "Forks of your sessions",
    Reason.REPAIR: "Repairs of your events",
    Reason.SIGNATURE: "Signatures that did not verify here",
    Reason.UNSENT: "Your events not sent yet",
}
FOOT = "Each is here for the reason above it. None has a deadline; hiding one posts nothing."
FOOT_SHORT = "Here for the reason above. None has a deadline; hiding posts nothing."
NOTHING = "Nothing may want your eyes, as far as is known here"
FEET = 3
"""Lines at the foot that a blank line at the top is not worth."""
HEADING, SPACE = "heading ", "space "
"""What the keys of headings, and of the blank lines above them, begin with."""


class Listed(NamedTuple):
    """What is listed, and which of it somebody hid here."""

    groups: tuple[Group, ...]
    hidden: frozenset[str]
    """The keys of what is hidden, listed or not."""
    here: int
    """How many are there that are not hidden."""

    @property
    def items(self) -> tuple[Item, ...]:
        """What is listed, from the top."""
        return tuple(item for group in self.groups for item in group.items)


def listed(snapshot: Snapshot, view: View, hidden: Collection[str], *, every: bool) -> Listed:
    """What may want my eyes; `every` lists what is hidden too."""
    groups = triage(snapshot, view.now)
    keys = {item.key for group in groups for item in group.items}
    left = shown(groups, hidden)
    gone = frozenset(keys & frozenset(hidden))
    return Listed(groups if every else left, gone, len(keys) - len(gone))


def event_of(key: str) -> str | None:
    """The id of the event that the row with this key shows."""
    if key.startswith((HEADING, SPACE)):
        return None
    return key.split(" ")[1]


def content(snapshot: Snapshot, view: View, width: int, found: Listed) -> Content:
    """The list. A row's key is that of its item."""
    reading = Reading(snapshot, replace(view, thread_id=None))
    rows = _Rows(reading, found, width) if found.groups else ()
    return finished(
        Content(
            title="Triage",
            scope="what may want your eyes",
            info=_info(found),
            columns=rows.headings if isinstance(rows, _Rows) else (),
            rows=rows,
            empty=() if rows else _empty(reading, found, width),
            foot=(
                *(paragraph(width, FOOT if width > len(FOOT) + 3 else FOOT_SHORT) if rows else ()),
                *_doubtful(reading, width),
            ),
        ),
        view,
    )


def doubts(reading: Reading) -> list[str]:
    """What is not known, so that more may want my eyes than is listed; each in a sentence."""
    snapshot, said = reading.snapshot, []
    history = snapshot.history
    if not history.complete:
        through = f"read to #{clean(history.through)} only" if history.through else "not read yet"
        said.append(f"The history is {through}: what lies after is not listed.")
    if snapshot.me is None:
        said.append("Nobody signs here, so nothing is listed of what would be yours.")
    elif view_of := _OVERLAPS.get(conflicts_standing(snapshot)):
        said.append(view_of)
    if snapshot.me is not None and reading.view.now is None:
        said.append("The service’s clock is not known: nothing is listed for expiry.")
    if snapshot.link.state in CUT_OFF:
        said.append("Cut off from the service: more may have come since.")
    return said


_OVERLAPS = {
    Standing.LOADING: "The claims are not read yet: overlaps may be missing.",
    Standing.TRUNCATED: "The projection is truncated: overlaps may be missing.",
    Standing.LAST_GOOD: "Overlaps are those of the last good view.",
    Standing.UNAVAILABLE: "The projection is unavailable: overlaps are not known.",
}


def _info(found: Listed) -> Line:
    """`9 here · 2 hidden`."""
    here = (*text(str(found.here)), *dim(" here"))
    return (*here, *dim(f" · {len(found.hidden)} hidden")) if found.hidden else here


def _doubtful(reading: Reading, width: int) -> tuple[Line, ...]:
    return tuple(line for each in doubts(reading) for line in paragraph(width, each))


def _empty(reading: Reading, found: Listed, width: int) -> tuple[Line, ...]:
    snapshot = reading.snapshot
    if not snapshot.events and not snapshot.history.complete:
        if snapshot.link.state in CUT_OFF:
            return absence.unavailable(reading, width)
        return absence.loading(reading, width)
    count = len(found.hidden)
    held = (*dim(f"{count} hidden here.   "), *reading.key("triage.hidden", "shows them")) if count else ()
    return (words(width, text(NOTHING, Ink.STRONG)), words(width, held or reading.key("refresh", "asks again")))


class _Heading(NamedTuple):
    reason: Reason
    items: int


class _Rows(LazyRows):
    """A heading a reason and a line an item, each laid out when it is looked at."""

    def __init__(self, reading: Reading, found: Listed, width: int) -> None:
        self._reading, self._width, self._hidden = reading, width, found.hidden
        self._unsent = {each.event.event_id: each for each in reading.snapshot.unsent}
        self._entries: list[Item | _Heading | None] = []
        keys: list[str] = []
        for group in found.groups:
            self._entries += (None, _Heading(group.reason, len(group.items)), *group.items)
            keys += (f"{SPACE}{group.reason}", f"{HEADING}{group.reason}", *(item.key for item in group.items))
        if len(keys) > reading.view.height - FEET:
            keys, self._entries = keys[1:], self._entries[1:]
        self.keys = tuple(keys)
        heard = list(self._heard(found.items))
        self._shape = shape_for(reading, heard, list(self._unsent.values()), width)

    @property
    def headings(self) -> Line:
        """The headings of the columns."""
        shape = self._shape
        # with minutes only, the word is wider than its column
        sender = shape.sender if shape.seconds else max(shape.sender - 2, 4)
        return columns(
            self._width,
            Cell(blank(1), 1, gap=1),
            Cell(dim("event"), shape.number),
            Cell(dim("received"), 8, gap=2 if shape.seconds else 1),
            Cell(dim("from"), sender, gap=2 + shape.sender - sender - (0 if shape.seconds else 2)),
            Cell(dim("kind"), shape.kind),
            Cell(dim("what and why"), shape.what),
            Cell(dim("thread"), shape.thread),
        )

    def row(self, place: int) -> Row:
        """An item, a heading, or the blank line above one."""
        entry, key = self._entries[place], self.keys[place]
        if entry is None:
            return Row(key, (blank(self._width),), known=True, heading=True)
        if isinstance(entry, _Heading):
            line = ends(self._width, text(REASONS[entry.reason], Ink.STRONG), dim(str(entry.items)))
            return Row(key, (line,), known=True, heading=True)
        heard = self._reading.snapshot.by_id.get(entry.event_id)
        line = self._line(entry, heard)
        alarm = heard is not None and heard.verdict is Verdict.KEY_CHANGED
        return Row(key, (dimmed(line) if entry.key in self._hidden else line,), alarm)

    def known(self, place: int) -> bool:
        """Nothing here is counted as new below."""
        return True

    def note(self, place: int) -> bool:
        """There is none."""
        return False

    def heading(self, place: int) -> bool:
        """Whether no item stands there."""
        return not isinstance(self._entries[place], Item)

    def _heard(self, items: Iterable[Item]) -> Iterator[Heard]:
        by_id = self._reading.snapshot.by_id
        return (heard for item in items if (heard := by_id.get(item.event_id)))

    def _line(self, item: Item, heard: Heard | None) -> Line:
        unsent = self._unsent.get(item.event_id) if item.reason is Reason.UNSENT else None
        sender, kind, thread = self._names(item, heard, unsent)
        shape, reading = self._shape, self._reading
        quiet = is_ack(kind) or unsent is not None
        said = unsent_why(unsent, reading) if unsent else why(item, heard, reading)
        if item.key in self._hidden:
            said = joined((dim("hidden here"), said), 2)
        lead = (
            (Cell(dim(UNSENT_WORDS[unsent.state]), shape.number + 2 + shape.received),)
            if unsent
            else (
                Cell(dim(reading.number(item.event_id)), shape.number, right=True),
                Cell(dim(received(reading, heard, seconds=shape.seconds)), shape.received, right=True),
            )
        )
        return columns(
            self._width,
            Cell(blank(1), 1, gap=1),
            *lead,
            Cell(text(cut_name(sender, shape.sender), Ink.STRONG), shape.sender),
            Cell(text(kind, Ink.DIM if quiet else Ink.TEXT), shape.kind),
            Cell(said, shape.what),
            Cell(dim(clean(thread)), shape.thread),
        )

    def _names(self, item: Item, heard: Heard | None, unsent: Unsent | None) -> tuple[str, str, str]:
        """Sender, kind and thread, from whatever is at hand."""
        reading = self._reading
        event = unsent.event if unsent else heard.event if heard else None
        if event is not None:
            return reading.name(event.sender.identity_id), event.kind, event.thread_id
        if heard is not None:
            return reading.name(None), "malformed", thread_of(heard)
        noted = facts(reading.snapshot).noted.get(item.event_id)
        if noted is not None:
            return reading.name(noted.identity_id), noted.kind or "malformed", noted.thread_id or ""
        return reading.name(None), Glyph.SILENCE.symbol, ""


def received(reading: Reading, heard: Heard | None, *, seconds: bool) -> str:
    """The time of day it was received, or its day where that is not today; nothing while it is not at hand."""
    if heard is None:
        return ""
    moment_received = heard.record.receipt.received_at
    when = times.day(moment_received, reading.view.zone)
    if reading.today not in (None, when):
        return times.day_words(when) if seconds else f"{when:%m-%d}"
    return reading.clock(moment_received, seconds=seconds)


def why(item: Item, heard: Heard | None, reading: Reading) -> Line:
    """What an item says, and where its reason does not say it all, why it is listed."""
    match item.reason:
        case Reason.SIGNATURE:
            return _unproved(heard, reading)
        case Reason.EXPIRY:
            return joined((text(claimed(item, reading)), expiry(item, reading)), 2)
        case Reason.OVERLAP:
            mine = reading.number(item.about[0])
            return joined((text(claimed(item, reading)), dim(f"{Glyph.OVERLAP.symbol} your {mine}")), 2)
        case Reason.FORK:
            return joined((text(_numbers(item.about, reading)), dim(_place(heard))), 2)
        case _:
            if heard is None or heard.event is None:
                return dim("kept further back")
            return what(heard.event, reading)


def expiry(item: Item, reading: Reading) -> Line:
    """`lapsed 13:53, as signed`, or `4 min left, as signed`."""
    left = seconds_left(item, reading)
    if left is not None and is_near(left):
        about = times.about_left(left, reading.snapshot.clock.uncertainty)
        return (*text(f"{Glyph.EXPIRES_SOON.symbol} {about} left", Ink.ATTN), *dim(", as signed"))
    return dim(f"lapsed {reading.until(item.expires_at)}, as signed")


def seconds_left(item: Item, reading: Reading) -> float | None:
    """Until a claim expires as it was signed, by the service's clock; None while that is unknown."""
    now = reading.view.now
    return None if now is None else (moment(item.expires_at) - now).total_seconds()


def unsent_why(unsent: Unsent, reading: Reading) -> Line:
    """What an event without a receipt says, and where it stands."""
    said = dimmed(what(unsent.event, reading))
    match unsent.state:
        case UnsentState.REFUSED:
            return joined((said, text("refused", Ink.ATTN), quote(unsent.reason or "no reason given")), 2)
        case UnsentState.UNKNOWN:
            return joined((said, dim("not known yet, sending again")), 2)
        case UnsentState.UNSENT:
            return joined((said, dim("not sent yet")), 2)


def _unproved(heard: Heard | None, reading: Reading) -> Line:
    """The verdict and what it leaves to be shown; the text of a mismatch stays hidden."""
    if heard is None:
        return dim("kept further back")
    word = text(f"{VERDICTS[heard.verdict].symbol} {heard.verdict}", verdict_ink(heard.verdict))
    if heard.verdict in QUIET_VERDICTS:
        return word
    if heard.verdict is Verdict.KEY_CHANGED:
        return joined((word, text(clean(heard.detail))), 2)
    if hidden(heard, reading.view):
        return joined((word, dim("text hidden")), 2)
    event = heard.record.event
    if isinstance(event, MalformedEvent):
        return joined((word, dim(clean(event.issues[0].message if event.issues else heard.detail))), 2)
    return joined((word, what(event, reading)), 2)


def claimed(item: Item, reading: Reading) -> str:
    """The paths of a claim, wherever its event is."""
    known = facts(reading.snapshot).claims.get(item.event_id)
    if known is not None:
        return paths_words(sorted(known.claim.scope.paths))
    view = claims_view(reading.snapshot)
    claim = next((each for each in view.claims if each.event_id == item.event_id), None) if view else None
    return paths_words(sorted(claim.scope.paths)) if claim else Glyph.SILENCE.symbol


def _numbers(event_ids: Sequence[str], reading: Reading) -> str:
    """`#4797 × #4798`, and how many more."""
    more = f" +{len(event_ids) - 2}" if len(event_ids) > 2 else ""
    return f" {Glyph.OVERLAP.symbol} ".join(map(reading.number, event_ids[:2])) + more


def _place(heard: Heard | None) -> str:
    event = heard.event if heard else None
    return f"one session, number {event.session_seq} each" if event else "one place of one session"
