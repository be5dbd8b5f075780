"""The outbox: events I signed that have no receipt, each with where it stands and why (§4; experience: keys).

Nothing of it is sent because of looking at it, and nothing leaves it but by a receipt or by name. What was on its way
when the answer was lost may have been received: that is said wherever it is given up.
"""

from __future__ import annotations

from corr_tui.protocol.event import Event
from corr_tui.state.snapshot import Unsent, UnsentState
from corr_tui.ui.layout import Cell, columns, dim, ends, finished, joined, paragraph, text, words
from corr_tui.ui.line import Content, Ink, Line, Row
from corr_tui.ui.panels.event_row import UNSENT_GLYPHS
from corr_tui.ui.panels.notices import damaged_words
from corr_tui.ui.panels.reading import Reading, quote
from corr_tui.ui.panels.what import what
from corr_tui.ui.text import clean
from corr_tui.ui.waiting import UNSENT

KIND = 16
THREAD = 14
PLACE = 12
GIVING_UP = {
    UnsentState.UNSENT: "It is then sent to nobody.",
    UnsentState.UNKNOWN: "It may have been received; then it stays in the history.",
    UnsentState.REFUSED: "The service refused it; your words go with it.",
}
"""What discarding means, by where an event stands."""


def unsent_of(reading: Reading) -> tuple[Unsent, ...]:
    """What has no receipt, as the session keeps it."""
    return tuple(each for each in reading.snapshot.unsent if each.event.event_id not in reading.snapshot.by_id)


def place_of(event: Event) -> str:
    """Where an event stands in its session: `7f3a…:12`."""
    return f"{clean(event.sender.session_id[:4])}…:{event.session_seq}"


def content(reading: Reading, width: int, asked: str | None = None) -> Content:
    """Every unsent event; `asked` is the one that is about to be discarded. A row's key is its event id."""
    unsent = unsent_of(reading)
    count = len(unsent)
    return finished(
        Content(
            title="Unsent",
            scope="signed here, without a receipt" if unsent else "",
            info=text(str(count)) if count else (),
            columns=_headings(width) if unsent else (),
            rows=tuple(Row(each.event.event_id, _lines(each, reading, width), known=True) for each in unsent),
            empty=() if unsent else _empty(reading, width),
            banner=(*_amiss(reading, width), *_question(reading, unsent, asked, width)),
        ),
        reading.view,
    )


def _headings(width: int) -> Line:
    return columns(
        width,
        Cell((), 1, gap=1),
        Cell(dim("kind"), KIND),
        Cell(dim("thread"), THREAD),
        Cell(dim("what"), _room(width)),
        Cell(dim("session:seq"), PLACE, right=True),
    )


def _room(width: int) -> int:
    return max(width - 3 - 2 - KIND - 2 - THREAD - 2 - PLACE - 2, 0)


def _lines(unsent: Unsent, reading: Reading, width: int) -> tuple[Line, Line]:
    event = unsent.event
    ink = Ink.ATTN if unsent.state is UnsentState.REFUSED else Ink.DIM
    return (
        columns(
            width,
            Cell(text(UNSENT_GLYPHS[unsent.state].symbol, ink), 1, gap=1),
            Cell(text(event.kind, Ink.STRONG), KIND),
            Cell(text(clean(event.thread_id)), THREAD),
            Cell(what(event, reading), _room(width)),
            Cell(dim(place_of(event)), PLACE, right=True),
        ),
        columns(width, Cell((), 1, gap=1), Cell(_stands(unsent), max(width - 5, 0))),
    )


def _stands(unsent: Unsent) -> Line:
    """Where it stands, and why in the words of the service, or of what stood in the way."""
    match unsent.state:
        case UnsentState.REFUSED:
            return joined((text("refused", Ink.ATTN), quote(unsent.reason or "no reason given")), 2)
        case UnsentState.UNKNOWN:
            said = "not known yet: it may have been received; the same event goes out again"
        case UnsentState.UNSENT:
            said = UNSENT
    why = quote(unsent.reason or None, Ink.DIM)
    return joined((dim(said), why), 2)


def _amiss(reading: Reading, width: int) -> tuple[Line, ...]:
    """What keeps the outbox from being known as a whole; nothing when all is well."""
    troubles, lines = reading.snapshot.troubles, list[Line]()
    if troubles.outbox:
        lines += (words(width, text("The outbox cannot be read", Ink.ATTN)), *paragraph(width, clean(troubles.outbox)))
    if troubles.damaged:
        lines += paragraph(width, damaged_words(troubles.damaged), Ink.ATTN)
    return tuple(lines)


def _empty(reading: Reading, width: int) -> tuple[Line, ...]:
    troubles = reading.snapshot.troubles
    if troubles.outbox:
        unknown = text("What is unsent is not known", Ink.STRONG)
        return (words(width, unknown), words(width, reading.key("outbox.close", "closes")))
    if troubles.damaged:
        return (
            words(width, text("Nothing else is unsent", Ink.STRONG)),
            words(width, reading.key("outbox.close", "closes")),
        )
    return (
        words(width, text("Nothing is unsent", Ink.STRONG)),
        *paragraph(width, "Every event signed here has its receipt, or was discarded by name."),
        words(width, reading.key("outbox.close", "closes")),
    )


def _question(reading: Reading, unsent: tuple[Unsent, ...], asked: str | None, width: int) -> tuple[Line, ...]:
    """Asked once, in place: what would be discarded, and what that means."""
    found = next((each for each in unsent if each.event.event_id == asked), None)
    if found is None:
        return ()
    named = f"Discard {found.event.kind} {place_of(found.event)}?"
    keys = joined((reading.key("outbox.discard", "discards"), reading.key("outbox.close", "keeps")), 3)
    return (
        words(width, text(named, Ink.STRONG)),
        words(width, dim(f"{GIVING_UP[found.state]} Its number stays used.")),
        ends(width, keys),
    )
