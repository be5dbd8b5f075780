"""The event inspector: everything of one event, and what its kind does not establish beside it (look: composer).

Looking acknowledges nothing. The text of an event whose signature does not match it is shown here, under its verdict:
whoever inspects an event has opened it.
"""

from __future__ import annotations

from dataclasses import replace

from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.glyphs import VERDICTS, Glyph
from corr_tui.ui.layout import END, START, dim, finished, joined, paragraph, text, words
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.event_row import verdict_ink
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.told import Subject, subject_of
from corr_tui.ui.text import clean, clean_lines
from corr_tui.ui.views import sections
from corr_tui.ui.views.inspected import sections as sections_of
from corr_tui.ui.wording import does_not_establish

TITLE = "Event inspector"


def content(snapshot: Snapshot, view: View, width: int, event_id: str | None) -> Content:
    """The event with this id, from top to bottom. A row's key is its section and its place there."""
    reading = Reading(snapshot, replace(view, opened=view.opened | {event_id or ""}))
    subject = subject_of(snapshot, event_id)
    if subject is None:
        return finished(Content(title=TITLE, empty=_absent(reading, event_id, width)), view)
    shown = sections_of(subject, reading, width, aside=view.layout is Layout.WIDE)
    return finished(
        Content(title=TITLE, scope=_scope(subject, reading), info=_info(subject), rows=sections.rows(shown, width)),
        view,
    )


def beside(snapshot: Snapshot, view: View, width: int, event_id: str | None) -> Content:
    """What stands at the right of a wide inspector: what its kind does not establish, and what signing did."""
    subject = subject_of(snapshot, event_id)
    event = subject.event if subject else None
    if event is None:
        return finished(Content(title="Establishes"), view)
    reading = Reading(snapshot, view)
    lines: list[Line] = [words(width, text(f"{event.kind} does not establish", Ink.STRONG))]
    for each in does_not_establish(event.kind, reading.name(event.sender.identity_id)):
        lines += _point(each, width)
    lines += [words(width), words(width, text("What its signature covers", Ink.STRONG))]
    for each in ("its words, its targets and its authority", "its paths, as they are written", "issued_at, a report"):
        lines += _point(each, width)
    lines += [words(width), words(width, text("What it does not cover", Ink.STRONG))]
    for each in ("number and time of receipt", "missing parents, lineage, warnings", "that anybody read it"):
        lines += _point(each, width)
    return finished(
        Content(title="Establishes", rows=tuple(Row(str(at), (line,)) for at, line in enumerate(lines))), view
    )


def _point(said: str, width: int) -> list[Line]:
    first, *more = clean_lines(said, max(width - START - END - 2, 1))
    return [words(width, (*dim("– "), *text(first))), *(words(width, text(f"  {each}")) for each in more)]


def _scope(subject: Subject, reading: Reading) -> str:
    number = reading.number(subject.heard.key) if subject.heard else "unsent…"
    event = subject.event
    if event is None:
        return f"{number} malformed"
    return f"{number} {event.kind} by {reading.name(event.sender.identity_id)}"


def _info(subject: Subject) -> Line:
    if subject.heard is None:
        return dim(f"{Glyph.PENDING.symbol} unsent")
    verdict = subject.heard.verdict
    return text(f"{VERDICTS[verdict].symbol} {verdict}", verdict_ink(verdict))


def _absent(reading: Reading, event_id: str | None, width: int) -> tuple[Line, ...]:
    """Why there is nothing to inspect."""
    snapshot = reading.snapshot
    if event_id is None:
        return (
            words(width, text("No event to inspect", Ink.STRONG)),
            words(width, dim("The cursor of the board, or of a view, chooses one.")),
        )
    named = clean(snapshot.number_of(event_id))
    if event_id in facts(snapshot).noted:
        return (words(width, text(f"{named} is kept further back", Ink.STRONG)), words(width, dim("Reading it.")))
    if not snapshot.history.complete:
        return (words(width, text(f"{named} is not read yet", Ink.STRONG)), absence.reading_history(reading, width))
    return (
        words(
            width, joined((text(f"{Glyph.ABSENT.symbol} {named}", Ink.ATTN), text("is missing here", Ink.STRONG)), 1)
        ),
        *paragraph(width, "Another event names it, and the history kept here does not hold it."),
    )
