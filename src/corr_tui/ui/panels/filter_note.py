"""What stands under the line a filter is written in: where it is no filter, or what it finds and where (Also).

An error points at its token with carets, says the rule beside them, and what would be known there below.
"""

from __future__ import annotations

from dataclasses import dataclass

from corr_tui.state.filter import doubts
from corr_tui.state.filter_grammar import Field, Filter, FilterRefused
from corr_tui.state.filter_rows import found
from corr_tui.ui.layout import blank, dim, joined, text, trim
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.panels.filtered import covered
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import cells, clean

NUMBERS = {"threads": "1", "events": "2", "claims": "3", "conflicts": "4", "presence": "5"}
NOTE_LINES = 2


@dataclass(frozen=True, slots=True)
class Written:
    """A text in the line: the filter it writes down, or why it is none."""

    text: str = ""
    wanted: Filter | None = None
    """Of a text that is none, the last one that was."""
    refused: FilterRefused | None = None
    choices: tuple[str, ...] = ()
    """What could stand at the cursor, if somebody asked and it is more than one thing."""


def note(written: Written, reading: Reading, width: int, start: int, scrolled: int = 0) -> tuple[Line, Line]:
    """The two lines; the text begins at the column `start`, less the cells it is `scrolled` to the left."""
    room = max(width - 1, 0)
    if written.refused is not None:
        lines = _refused(written.text, written.refused, room, start, scrolled)
    else:
        lines = (_finds(written.wanted, reading), _doubtful(written.wanted, reading))
    if written.choices:
        lines = (lines[0], dim("  ".join(map(clean, written.choices))))
    first, second = ((*blank(2), *line) if line and not line[0].text.startswith(" ") else line for line in lines)
    return trim(first, room), trim(second, room)


def _refused(said: str, refused: FilterRefused, room: int, start: int, scrolled: int) -> tuple[Line, Line]:
    before = cells(clean(said[: refused.position]))
    size = max(cells(clean(said[refused.position : refused.position + refused.length])), 1)
    first = max(start + before - scrolled, start)
    end = min(max(start + before + size - scrolled, first + 1), room)
    first = min(first, end - 1)
    carets = Span("^" * (end - first), Ink.ATTN)
    rule = clean(refused.rule)
    known = dim(", ".join(map(clean, refused.known)))
    if end + 1 + cells(rule) <= room:
        return (*blank(first), carets, *text(f" {rule}")), known
    return (*blank(first), carets), joined((text(rule), known), 1)


def _finds(wanted: Filter | None, reading: Reading) -> Line:
    if not wanted:
        fields = " ".join(f"{field}:" for field in Field if field)
        return joined((dim("words or"), text(fields), dim("and - before what is taken away")), 1)
    snapshot = reading.snapshot
    heard, unsent = found(wanted, snapshot)
    of = len(snapshot.events) + len(snapshot.unsent)
    places = " ".join(NUMBERS[name] for name in covered(wanted))
    earlier = snapshot.history.earlier
    kept = dim(f"{earlier:,} earlier kept here are not looked at") if earlier else ()
    count = (*text(f"{len(heard) + len(unsent):,}"), *dim(f" of {of:,} events at hand"))
    return joined((count, dim(f"narrows {places}"), kept), 3)


def _doubtful(wanted: Filter | None, reading: Reading) -> Line:
    said = doubts(wanted, reading.snapshot) if wanted else ()
    return text(clean("; ".join(said)), Ink.ATTN) if said else ()


def naming(named: str, width: int) -> tuple[Line, Line]:
    """What stands under a name that is written: what it is for."""
    room = max(width - 1, 0)
    said = (*blank(2), *joined((dim("keeps"), text(clean(named)), dim("under this name in config.toml")), 1))
    return trim(said, room), ()
