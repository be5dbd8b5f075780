"""The presence panel: what each identity last reported about its presence, in its own words' kind (§5, §9; honesty 6).

A report is a report: nothing here says who is there, counts days, or asks for a reason. An `until` that has passed is
shown as passed, not as resumed; silence is "no report".
"""

from __future__ import annotations

from corr_tui.state.facts import Report, ReportState
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.standing import CUT_OFF
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import END, START, Cell, columns, cut_name, dim, finished, text
from corr_tui.ui.line import Content, Line, Row, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import cells

WHO = 5
"""Cells of a name, at least."""
WORD = 8
NO_REASON = "no reason owed"
"""Beside a refusal, where there is room."""
GLYPHS = {
    ReportState.PAUSED: Glyph.PAUSED,
    ReportState.RESTING: Glyph.RESTING,
    ReportState.RESUMED: Glyph.RESUMED,
    ReportState.DECLINED: Glyph.DECLINED,
}


def content(snapshot: Snapshot, view: View, width: int) -> Content:
    """Every identity listed or heard, by name. A row's key is its identity id."""
    reading = Reading(snapshot, view)
    reports = facts(snapshot).reports
    listed = {each.identity_id for each in snapshot.identities.values() if each.active or each.identity_id in reports}
    known = sorted(listed | reports.keys(), key=lambda each: (reading.name(each).casefold(), each))
    rights = {identity_id: _right(reading, reports.get(identity_id)) for identity_id in known}
    who = _who(reading, known, list(rights.values()), width)
    rows = tuple(_row(reading, each, reports.get(each), rights[each], who, width) for each in known)
    return finished(
        Content(
            title="Presence reports",
            rows=rows,
            empty=() if rows else _empty(reading, width),
        ),
        view,
    )


def _who(reading: Reading, known: list[str], rights: list[str], width: int) -> int:
    """The cells of the names: as many as they need and the reports leave; where it makes every name whole, the times
    beside them go without a word."""
    longest = max((cells(reading.name(each)) for each in known), default=WHO)
    right = max(map(cells, rights), default=0)
    if longest < WHO and _spare(width, WHO) < right:
        return longest
    room = _spare(width, WHO) + WHO
    if longest <= room - max(map(cells, map(_shorter, rights)), default=0):
        return max(longest, WHO)
    return min(max(longest, WHO), max(room - right, WHO))


def _spare(width: int, who: int) -> int:
    """The cells left for the right end of a report."""
    return max(width - START - END - who - 3 - WORD - 1, 0)


def _row(reading: Reading, identity_id: str, report: Report | None, right: str, who: int, width: int) -> Row:
    name, spare = cut_name(reading.name(identity_id), who), _spare(width, who)
    if report is None:
        line = columns(width, Cell(dim(name), who, gap=1), Cell((), 1, gap=1), Cell(dim("no report"), spare + WORD + 1))
        return Row(identity_id, (line,))
    if report.state is ReportState.DECLINED:
        right = NO_REASON if cells(NO_REASON) <= spare else ""
    elif cells(right) > spare:
        right = _shorter(right)
    line = columns(
        width,
        Cell(text(name), who, gap=1),
        Cell(text(GLYPHS[report.state].symbol), 1, gap=1),
        Cell(text(report.state.value), WORD, gap=1),
        Cell(dim(right), spare, right=True),
    )
    return Row(identity_id, (line,))


def _right(reading: Reading, report: Report | None) -> str:
    """`until 16:00`, `13:55 passed`, the time of a resume, or nothing; a refusal takes what room there is."""
    if report is None or report.state is ReportState.DECLINED:
        return ""
    if report.state is ReportState.RESUMED:
        return reading.until(report.received_at)
    if report.until is None:
        return ""
    when = reading.until(report.until)
    return f"{when} passed" if report.passed(reading.now) else f"until {when}"


def _shorter(right: str) -> str:
    """Of `until 16:00` the time, of `until 1 Dec` the day, of `13:55 passed` that it passed."""
    return "passed" if right.endswith(" passed") else right.removeprefix("until ")


def _empty(reading: Reading, width: int) -> tuple[Line, ...]:
    if reading.snapshot.history.complete:
        return absence.none(reading, width, "No participants listed", "and no presence report so far.")
    if reading.snapshot.link.state in CUT_OFF:
        return absence.unavailable(reading, width)
    return absence.loading(reading, width)
