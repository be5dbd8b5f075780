"""What is told of one thing that may want my eyes: what it says, why it is listed, and what may be said (Triage).

Nothing of what may be said is owed; silence is an answer too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corr_tui.state.snapshot import Snapshot, UnsentState
from corr_tui.state.triage import Item, Reason, is_near
from corr_tui.ui import times
from corr_tui.ui.layout import END, START, blank, dim, finished, joined, paragraph, text, width_of, words
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, View
from corr_tui.ui.panels.blocks import labelled
from corr_tui.ui.panels.event_row import thread_of
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.told import UNDER, Subject, named, signed, subject_of, words_of
from corr_tui.ui.text import clean, clean_lines
from corr_tui.ui.views.triage import claimed, seconds_left

ACKS = (
    ("ack.seen", "seen", "bytes reached me"),
    ("ack.understood", "understood", "no agreement"),
    ("ack.accepted", "accepted", "no application"),
    ("ack.applied", "applied", "at a Git revision"),
    ("ack.rejected", "rejected", "no reason owed"),
)
"""What may be said of any event, and what it comes to."""
VERB = 14
"""Cells of a key and its word."""
BRIEF = 4
"""Lines below which there is room for two sentences only."""


def content(snapshot: Snapshot, view: View, width: int, item: Item | None, place: str) -> Content:
    """What is told of an item; `place` is where it stands among the others: `1 of 9`. Rows are keyed by their line."""
    reading = Reading(snapshot, replace(view, layout=Layout.MEDIUM, thread_id=None))
    if item is None:
        return finished(Content(title="Selected", empty=(words(width, dim("Nothing is selected.")),)), view)
    subject = subject_of(snapshot, item.event_id) or Subject()
    brief = 0 < view.height < BRIEF
    lines = _brief(item, subject, reading, width) if brief else list(_in_full(item, subject, reading, width))
    rows = tuple(Row(str(place), (line,)) for place, line in enumerate(lines))
    number = "unsent…" if subject.unsent else reading.number(item.event_id)
    return finished(Content(title="Selected", scope=number, info=dim(place), rows=rows), view)


def reason(item: Item, subject: Subject, reading: Reading) -> str:
    """Why an item is listed, in a sentence or two."""
    match item.reason:
        case Reason.UNACKNOWLEDGED:
            return "You have not acknowledged it."
        case Reason.RAISED:
            sides = " and ".join(map(reading.number, item.about))
            return f"It raises {sides} against each other, and no resolution cites that."
        case Reason.OVERLAP:
            paths = claimed(item._replace(event_id=item.about[0]), reading)
            return f"It overlaps your claim {reading.number(item.about[0])}, {paths}. Both may stay."
        case Reason.EXPIRY:
            return _expiry(item, reading)
        case Reason.FORK:
            sides = " and ".join(map(reading.number, item.about))
            return f"{sides} stand at one place of a session of yours. All of them stay."
        case Reason.REPAIR:
            mine = ", ".join(map(reading.number, item.about))
            return f"It corrects, or follows from, your {mine}, which stays as it is."
        case Reason.SIGNATURE:
            return _signature(subject)
        case Reason.UNSENT:
            return _unsent(subject)


def _expiry(item: Item, reading: Reading) -> str:
    left = seconds_left(item, reading)
    if left is not None and is_near(left):
        about = times.about_left(left, reading.snapshot.clock.uncertainty)
        return f"Your claim has {about} left, as signed. Nothing continues it so far."
    return f"Your claim lapsed {reading.in_full(item.expires_at)}, as signed. Nothing continues it."


def _signature(subject: Subject) -> str:
    if subject.heard is None:
        return "Its signature is not proved here."
    return f"Its signature is not proved here: {UNDER[subject.heard.verdict]}."


def _unsent(subject: Subject) -> str:
    match subject.unsent.state if subject.unsent else None:
        case UnsentState.REFUSED:
            return "You signed it, and the service refused it."
        case UnsentState.UNKNOWN:
            return "You signed it. Whether it was received is not known yet; the same event is sent again."
        case _:
            return "You signed it, and it has no receipt yet."


def _brief(item: Item, subject: Subject, reading: Reading, width: int) -> list[Line]:
    return [
        words(width, _title(subject), words_of(subject, reading)),
        words(width, dim(reason(item, subject, reading))),
    ]


def _in_full(item: Item, subject: Subject, reading: Reading, width: int) -> Iterator[Line]:
    room = max(width - START - END, 1)
    yield from _head(subject, reading, width)
    said = words_of(subject, reading)
    if said:
        yield blank(width)
        yield from (words(width, text(each)) for each in clean_lines(said[0].text, room))
    yield blank(width)
    yield words(width, text("Why it is here", Ink.STRONG))
    yield from paragraph(width, reason(item, subject, reading), Ink.TEXT)
    yield blank(width)
    if subject.heard is None and subject.unsent is None:
        yield from paragraph(width, "The event is not at hand; it is kept further back, or not read yet.")
    else:
        yield from (words(width, each) for each in labelled(signed(subject, reading), room))
        yield blank(width)
        yield from (words(width, each) for each in labelled(named(subject, reading), room))
    yield from _yours(item, subject, reading, width)


def _yours(item: Item, subject: Subject, reading: Reading, width: int) -> Iterator[Line]:
    """What may be said or done, each with its key."""
    me = reading.snapshot.me
    yield blank(width)
    if subject.unsent is not None:
        yield words(width, reading.key("outbox", "lists, exports and discards"))
        return
    if me is None or not me.can_sign or subject.heard is None:
        yield words(width, dim("Nothing can be said of it here."))
        return
    yield words(width, text("Yours to say, or not", Ink.STRONG))
    acks = () if item.reason in (Reason.EXPIRY, Reason.FORK) else ACKS
    for command, verb, bound in (*acks, ("repair", "repair", "it stays as it is")):
        key = reading.key(command)
        if key:
            head = (*key, *blank(1), *text(verb))
            yield words(width, (*head, *blank(VERB - sum(len(span.text) for span in head)), *dim(bound)))


def _title(subject: Subject) -> Line:
    return text(subject.event.kind if subject.event else "malformed" if subject.heard else "not at hand", Ink.STRONG)


def _head(subject: Subject, reading: Reading, width: int) -> Iterator[Line]:
    """`artifact.offer  by ana on laptop · task:42`; the thread stands below where there is no room for it."""
    event = subject.event
    if event is None:
        thread = clean(thread_of(subject.heard)) if subject.heard else ""
        yield words(width, _title(subject), dim(thread))
        return
    who = text(reading.name(event.sender.identity_id), Ink.STRONG)
    by = (*dim("by "), *who, *dim(f" on {reading.device(event.sender.device_id)}"))
    head, thread = joined((_title(subject), by), 2), clean(event.thread_id)
    together = (*head, *dim(f" · {thread}"))
    if width_of(together) <= width - START - END:
        yield words(width, together)
    else:
        yield words(width, head)
        yield words(width, dim(thread))
