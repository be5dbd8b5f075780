"""The rows of the acknowledgements: an event in two lines, and beside it what each participant declared (look: ladder).

Only rows in view are laid out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corr_tui.protocol.bodies import ACK_KINDS
from corr_tui.state.facts import Declaration
from corr_tui.state.projection import facts, strongest
from corr_tui.state.snapshot import Heard, Unsent, Verdict
from corr_tui.ui import times
from corr_tui.ui.glyphs import ACKNOWLEDGED, Glyph
from corr_tui.ui.layout import GAP, START, Cell, blank, columns, cut_name, dim, dimmed, fit, joined, text
from corr_tui.ui.line import Ink, LazyRows, Line, Row
from corr_tui.ui.panels.declared import word
from corr_tui.ui.panels.event_row import UNSENT_GLYPHS, UNSENT_WORDS, saying
from corr_tui.ui.panels.reading import Reading

REJECTED = "ack.rejected"


class Shape(NamedTuple):
    """The widths of the columns, in cells."""

    width: int
    number: int
    sender: int
    kind: int
    left: int
    """What is told of an event takes all of this."""
    column: int
    """A participant, with the gap after it."""
    shown: int
    """How many participants there is room for."""

    @property
    def room(self) -> int:
        """The cells of a participant without the gap."""
        return self.column - GAP


class Ladder(NamedTuple):
    """What is shown."""

    reading: Reading
    shape: Shape
    events: tuple[Heard, ...]
    """By receipt."""
    people: tuple[str, ...]
    """The identities of the columns, mine first."""
    before: int
    after: int
    """How many participants are passed over on either side."""
    unsent: Mapping[str, Sequence[int]]
    """By event, the places of my acknowledgements of it among what is unsent."""

    @property
    def raised(self) -> tuple[int, int] | None:
        """The cells of my column."""
        me = self.reading.snapshot.me
        if me is None or me.identity_id not in self.people or not self.events:
            return None
        first = START + self.shape.left - GAP
        return first, min(first + self.shape.column - 1, self.shape.width - 1)


class LadderRows(LazyRows):
    """Two lines an event."""

    lines = 2

    def __init__(self, made: Ladder, space: int) -> None:
        self.keys = tuple(heard.key for heard in made.events)
        self.space = space
        self._made = made

    def row(self, place: int) -> Row:
        """An event and what was declared about it."""
        made, heard = self._made, self._made.events[place]
        reading, shape, event = made.reading, made.shape, heard.event
        assert event is not None  # no other is listed
        declared = facts(reading.snapshot).declared.get(heard.key, ())
        cells = [_cell(made, heard, each, declared) for each in made.people]
        upper = columns(
            shape.width,
            Cell(dim(f"#{heard.record.receipt.received_seq}"), shape.number, right=True),
            Cell(text(cut_name(reading.name(event.sender.identity_id), shape.sender), Ink.STRONG), shape.sender),
            Cell(text(event.kind), shape.left - shape.number - shape.sender - 4, gap=0),
            *(Cell(first, shape.room) for first, _ in cells),
        )
        lower = columns(
            shape.width,
            Cell(blank(1), shape.number),
            Cell(dimmed(saying(reading, heard)), max(shape.left - shape.number - 5, 0), gap=GAP + 1),
            *(Cell(second, shape.room) for _, second in cells),
        )
        return Row(heard.key, (upper, lower), heard.verdict is Verdict.KEY_CHANGED)

    def known(self, place: int) -> bool:
        """What was received before the board was opened is no news."""
        return self._made.events[place].record.seq <= self._made.reading.view.new_after

    def note(self, place: int) -> bool:
        """There is none."""
        return False


def _cell(made: Ladder, heard: Heard, identity_id: str, declared: Sequence[Declaration]) -> tuple[Line, Line]:
    """The two lines of a cell: the strongest declaration and when; a rejection beside it; silence as a dash."""
    event, me = heard.event, made.reading.snapshot.me
    own = [each for each in declared if each.identity_id == identity_id]
    step = strongest(own).get(identity_id)
    refused = next((each for each in own if each.kind == REJECTED), None)
    mine = made.unsent.get(heard.key, ()) if me is not None and identity_id == me.identity_id else ()
    waiting = [made.reading.snapshot.unsent[place] for place in mine]
    declarations = [each for each in (step, refused) if each is not None]
    lines = [_said(made, each, seconds=place == 0) for place, each in enumerate(declarations)]
    further = _furthest(waiting, step)
    if further is not None:
        lines.append(_waiting(further))
    if not lines:
        sender = event is not None and event.sender.identity_id == identity_id
        return dim("  sender" if sender else f"  {Glyph.SILENCE.symbol}"), ()
    if len(lines) == 1:
        return lines[0]
    return lines[0][0], _beside(lines[1:], made.shape.room)


def _said(made: Ladder, each: Declaration, *, seconds: bool) -> tuple[Line, Line]:
    """`▃ understood` over `12:48:10`, or over its day."""
    reading = made.reading
    when = times.day(each.received_at, reading.view.zone)
    clock = reading.clock(each.received_at, seconds=seconds)
    at = clock if reading.today in (None, when) else times.day_words(when, reading.today)
    return text(f"{ACKNOWLEDGED[each.kind].symbol} {word(each.kind)}"), dim(f"  {at}")


def _waiting(unsent: Unsent) -> tuple[Line, Line]:
    """`◦ seen` over `unsent…`."""
    glyph = UNSENT_GLYPHS[unsent.state].symbol
    return dim(f"{glyph} {word(unsent.event.kind)}"), dim(f"  {UNSENT_WORDS[unsent.state]}")


def _furthest(waiting: Sequence[Unsent], step: Declaration | None) -> Unsent | None:
    """Of my declarations without a receipt the furthest, where it says more than what was received."""
    said = -1 if step is None else ACK_KINDS.index(step.kind)
    further = [each for each in waiting if ACK_KINDS.index(each.event.kind) > said]
    return max(further, key=lambda each: ACK_KINDS.index(each.event.kind), default=None)


def _beside(others: Sequence[tuple[Line, Line]], room: int) -> Line:
    """What stands below a step, in one line: `← rejected 13:15`, as far as there is room."""
    first, second = others[0]
    after = tuple(span._replace(text=span.text.strip()) for span in second)
    whole = joined((first, after), 1)
    return whole if sum(len(span.text) for span in whole) <= room else tuple(fit(first, room))
