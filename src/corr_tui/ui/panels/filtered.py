"""What a filter leaves of the panels beside the events, and how each panel says so (experience: Also).

The events answer every term. Claims and conflicts answer terms about paths, senders and threads, reports terms about
senders and threads, and the list of threads terms about threads alone; a panel that answers none of the terms shows all
it has. What is left out is counted, and an empty panel is said to be empty by the filter (honesty 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from corr_tui.state.conflicts import conflicts
from corr_tui.state.filter_grammar import Field, Filter
from corr_tui.state.filter_rows import ASKED, Thing, asked_of_things, things_test
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.standing import claims_view
from corr_tui.ui.layout import dim, finished, joined, text, width_of, words
from corr_tui.ui.line import Content, Ink, LazyRows, Line, Row, View
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.threads import ALL
from corr_tui.ui.text import cells, clean, cut

ANSWERS: Mapping[str, frozenset[Field]] = {
    "threads": frozenset({Field.THREAD}),
    "claims": ASKED,
    "conflicts": ASKED,
    "presence": frozenset({Field.BY, Field.THREAD}),
}
"""Which terms each panel beside the events answers."""
ROOMY = 60
"""Cells from which a title has room for its scope and the filter."""
SHOWN = 40
"""Cells of a filter in a title, at most."""
LEAST = 8
"""And at least."""
AROUND = 18
"""Cells of a rule that neither the title, the filter nor the count have."""


def scoped(scope: str, wanted: Filter | None, room: int = SHOWN) -> str:
    """A scope, and by which filter it is narrowed: `all threads · filter kind:ack.*`, the filter in `room` cells."""
    words = f"filter {cut(clean(str(wanted)), room)}" if wanted else ""
    return " · ".join(part for part in (scope, words) if part)


def covered(wanted: Filter) -> tuple[str, ...]:
    """The panels that answer any of the terms, the events first."""
    return ("events", *(name for name, fields in ANSWERS.items() if asked_of_things(wanted, fields)))


def none_found(reading: Reading, width: int, of: str) -> tuple[Line, ...]:
    """What stands where the filter leaves nothing."""
    first = words(width, text("Nothing here that the filter finds", Ink.STRONG))
    keys = joined((reading.key("filter", "changes it"), reading.key("back", "clears it")), 3)
    return (first, words(width, dim(of)), words(width, keys))


def filtered(name: str, content: Content, snapshot: Snapshot, view: View, width: int) -> Content:
    """What a filter leaves of a panel."""
    wanted = asked_of_things(view.filter, ANSWERS.get(name, frozenset()))
    if not wanted or not content.rows:
        return content
    test, things = things_test(wanted, snapshot), _THINGS[name](snapshot)
    kept = [place for place, key in enumerate(_keys(content.rows)) if key == ALL or test(things.get(key, Thing()))]
    if name == "threads" and len(kept) == 1:
        kept = []
    before = len(content.rows) - (name == "threads")
    left = max(len(kept) - (name == "threads"), 0)
    info = (*text(f"{left:,} of {before:,}"), *(dim(" · ") + content.info if _warns(content.info) else ()))
    room = min(max(width - cells(content.title) - width_of(info) - AROUND, LEAST), SHOWN)
    said = Content(
        title="",
        scope=scoped(content.scope if width >= ROOMY else "", wanted, room),
        info=info,
        empty=() if kept else none_found(Reading(snapshot, view), width, f"in {before:,}."),
    )
    said = finished(said, view)
    return replace(content, scope=said.scope, info=said.info, rows=_picked(content.rows, kept), empty=said.empty)


def _warns(info: Line) -> bool:
    """Whether what stands at the end of a rule says that the view is not whole, or not of now."""
    return any(span.ink is Ink.ATTN for span in info)


class Picked(LazyRows):
    """Some of the rows, in their order."""

    def __init__(self, rows: LazyRows, places: Sequence[int]) -> None:
        self.keys = tuple(rows.keys[place] for place in places)
        self.lines, self.space = rows.lines, rows.space
        self._rows, self._places = rows, places

    def row(self, place: int) -> Row:
        """The row at a place among those picked."""
        return self._rows.row(self._places[place])

    def known(self, place: int) -> bool:
        """As it is."""
        return self._rows.known(self._places[place])

    def note(self, place: int) -> bool:
        """As it is."""
        return self._rows.note(self._places[place])

    def heading(self, place: int) -> bool:
        """As it is."""
        return self._rows.heading(self._places[place])


def _keys(rows: Sequence[Row]) -> Sequence[str]:
    return rows.keys if isinstance(rows, LazyRows) else tuple(row.key for row in rows)


def _picked(rows: Sequence[Row], kept: Sequence[int]) -> Sequence[Row]:
    return Picked(rows, kept) if isinstance(rows, LazyRows) else tuple(rows[place] for place in kept)


def _claims(snapshot: Snapshot) -> Mapping[str, Thing]:
    view = claims_view(snapshot)
    return {
        claim.event_id: Thing((claim.owner_identity_id,), (claim.thread_id,), claim.scope.paths)
        for claim in (view.claims if view else ())
    }


def _conflicts(snapshot: Snapshot) -> Mapping[str, Thing]:
    return {
        each.key: Thing(each.identities, each.threads, _paths(snapshot, each.paths, each.event_ids))
        for each in (conflicts(snapshot))
    }


def _paths(snapshot: Snapshot, named: tuple[str, ...], event_ids: tuple[str, ...]) -> tuple[str, ...]:
    """The paths a conflict is about; where it names none, those of its sides."""
    if named:
        return named
    events = (heard.event for each in event_ids if (heard := snapshot.by_id.get(each)))
    return tuple(path for event in events if event for path in event.scope.paths)


def _reports(snapshot: Snapshot) -> Mapping[str, Thing]:
    reports = facts(snapshot).reports
    return {
        each: Thing((each,), (reports[each].thread_id,) if each in reports else ())
        for each in {*snapshot.identities, *reports}
    }


def _threads(snapshot: Snapshot) -> Mapping[str, Thing]:
    return {each: Thing(thread_ids=(each,)) for each in facts(snapshot).threads}


_THINGS: Mapping[str, Callable[[Snapshot], Mapping[str, Thing]]] = {
    "threads": _threads,
    "claims": _claims,
    "conflicts": _conflicts,
    "presence": _reports,
}
