"""The selected panel: one event in full, as far as there is room (look: selected).

Three blocks in the wide layout (said and signed; what it names; declared about it), two in the medium one, one in the
narrow one, and two lines under the narrow events. Looking here acknowledges nothing (experience: honesty 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from corr_tui.state.snapshot import Snapshot, Verdict
from corr_tui.ui.glyphs import VERDICTS
from corr_tui.ui.layout import END, START, blank, dim, finished, fit, joined, text, words
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, View
from corr_tui.ui.panels import declared
from corr_tui.ui.panels.blocks import LABEL, beside, labelled
from corr_tui.ui.panels.event_row import UNSENT_GLYPHS, amended, hidden, thread_of, verdict_ink
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.told import Subject, Told, named, signed, subject_of, words_of
from corr_tui.ui.panels.what import what
from corr_tui.ui.sides import sides
from corr_tui.ui.text import clean, clean_lines


def content(snapshot: Snapshot, view: View, width: int) -> Content:
    """The event under the cursor of the events. Rows are keyed by their line."""
    reading = Reading(snapshot, view)
    subject = subject_of(snapshot, view.selected)
    if subject is None:
        return finished(_nothing(width), view)
    if view.layout is Layout.WIDE:
        lines = _wide(subject, reading, width)
    elif view.layout is Layout.MEDIUM:
        lines = _medium(subject, reading, width)
    else:
        lines = _narrow(subject, reading, width)
    return finished(_content(subject, reading, lines), view)


def compact(snapshot: Snapshot, view: View, width: int) -> Content:
    """The same event in two lines, under the narrow events."""
    reading = Reading(snapshot, view)
    subject = subject_of(snapshot, view.selected)
    if subject is None:
        return finished(_nothing(width), view)
    event = subject.event
    who = reading.name(event.sender.identity_id if event else None)
    head = (*text(_kind(subject), Ink.STRONG), *dim(" by "), *text(who, Ink.STRONG))
    said = what(event, reading) if event and not _hidden(subject, reading) else ()
    first = words(width, head, _verdict(subject), amended(reading, subject.event_id), said, gap=3)
    second = words(width, declared.in_one_line(subject.event_id, reading, every=True))
    return finished(_content(subject, reading, [first, second]), view)


def _content(subject: Subject, reading: Reading, lines: Sequence[Line]) -> Content:
    number = reading.number(subject.event_id) if subject.heard else "unsent…"
    alarm = subject.heard is not None and subject.heard.verdict is Verdict.KEY_CHANGED
    rows = tuple(Row(str(index), (line,), alarm and index == 0) for index, line in enumerate(lines))
    return Content(title="Selected", scope=number, rows=rows)


def _nothing(width: int) -> Content:
    lines = (
        words(width, text("No event selected", Ink.STRONG)),
        words(width, dim("The cursor of 2 Events selects one.")),
    )
    return Content(title="Selected", empty=lines)


def _wide(subject: Subject, reading: Reading, width: int) -> list[Line]:
    third = max(width - sides(width)[1] + START, 60)  # the left edge of the panels above
    second = START + round((third - START) * 0.542)
    head = _head(subject, reading)
    left = labelled(signed(subject, reading), second - START - 2)
    middle = labelled(named(subject, reading), third - second - 2)
    right = _declared(subject, reading, width - END - third)
    height = reading.view.height or 9
    spaced: list[Line] = [()] if height >= 7 else []
    lines = [beside(width, (START, head), (third, text("Declared about it", Ink.STRONG)))]
    for one, two, three in zip_longest([*spaced, *left], [*spaced, *middle], [*spaced, *right], fillvalue=()):
        lines.append(beside(width, (START, one), (second, two), (third, three)))
    return lines[:height]


def _medium(subject: Subject, reading: Reading, width: int) -> list[Line]:
    second = max(round(width * 0.4583), 30)
    height = reading.view.height or 6
    spaced: list[Line] = [()] if height >= 6 else []
    room = max(height - 1 - len(spaced), 1)
    left = labelled(signed(subject, reading), second - START - 2)[:room]
    told = named(subject, reading)[: room - 1]
    told.append(Told("declared", declared.in_one_line(subject.event_id, reading, every=False)))
    middle = labelled(told, width - END - second)
    lines = [beside(width, (START, _head(subject, reading)))]
    for one, two in zip_longest([*spaced, *left], [*spaced, *middle], fillvalue=()):
        lines.append(beside(width, (START, one), (second, two)))
    return lines


def _narrow(subject: Subject, reading: Reading, width: int) -> list[Line]:
    room = max(width - START - END, 1)
    lines = [words(width, _title(subject, reading))]
    said = words_of(subject, reading)
    if said:
        lines += [words(width, text(each)) for each in clean_lines(said[0].text, room)]
    lines.append(blank(width))
    told = [*signed(subject, reading), *named(subject, reading)]
    lines += [words(width, each) for each in labelled(told, room)]
    lines.append(blank(width))
    for label, who, when in declared.rows(subject.event_id, reading):
        lines.append(words(width, joined((fit(label, LABEL - 1), who, when), 1)))
    return [*lines, words(width, dim(declared.limit(subject.event_id, reading)))]


def _declared(subject: Subject, reading: Reading, room: int) -> list[Line]:
    lines: list[Line] = []
    for label, who, when in declared.rows(subject.event_id, reading):
        tail = max(room - LABEL - 10, 1)
        lines.append((*fit(label, LABEL), *fit(who, tail), *fit(when, room - LABEL - tail, right=True)))
    return [*lines, (), dim(declared.limit(subject.event_id, reading))]


def _head(subject: Subject, reading: Reading) -> Line:
    return joined((_title(subject, reading), _said(subject, reading)), 5)


def _title(subject: Subject, reading: Reading) -> Line:
    """`artifact.offer  by ana on laptop · task:42`."""
    event = subject.event
    if event is None:
        thread = clean(thread_of(subject.heard)) if subject.heard else ""
        return joined((text(_kind(subject), Ink.STRONG), dim(thread)), 2)
    place = f" on {reading.device(event.sender.device_id)} · {clean(event.thread_id)}"
    who = text(reading.name(event.sender.identity_id), Ink.STRONG)
    return (*text(_kind(subject), Ink.STRONG), *dim("  by "), *who, *dim(place))


def _said(subject: Subject, reading: Reading) -> Line:
    if _hidden(subject, reading):
        return dim("text hidden until opened with Enter")
    return words_of(subject, reading)


def _hidden(subject: Subject, reading: Reading) -> bool:
    return subject.heard is not None and hidden(subject.heard, reading.view)


def _kind(subject: Subject) -> str:
    return subject.event.kind if subject.event else "malformed"


def _verdict(subject: Subject) -> Line:
    if subject.heard is None:
        return dim(f"{UNSENT_GLYPHS[subject.unsent.state].symbol} {subject.unsent.state}" if subject.unsent else "")
    verdict = subject.heard.verdict
    return text(f"{VERDICTS[verdict].symbol} {verdict}", verdict_ink(verdict))
