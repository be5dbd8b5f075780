"""How a thread stands by its events, in words, and who said so (§5): several may have said different things.

    open · kit paused until 16:00 (#4796) · lin resting (#4801) · in conflict: overlap

Nothing here is more than a report: a pause is not absence, a close forbids nothing, and only a resume that cites a
pause ends it.
"""

from __future__ import annotations

from collections.abc import Iterable

from corr_tui.state.conflicts import ConflictKind
from corr_tui.state.facts import Report, ReportState, Thread, ThreadState
from corr_tui.ui.layout import dim, text
from corr_tui.ui.line import Ink, Line
from corr_tui.ui.panels.reading import Reading

REPORTED = {
    ReportState.PAUSED: "paused",
    ReportState.RESTING: "resting",
    ReportState.DECLINED: "refused",
    ReportState.RESUMED: "resumed",
}
"""What each report says of its sender in the thread."""
ENDED = (ThreadState.CLOSED, ThreadState.HANDED_OFF)


def who_said(reading: Reading, thread: Thread) -> str:
    """Whose report the state of a thread is, and how many others have one that stands: `kit paused +1`.

    A thread that is closed or handed off is so for everybody, whoever said it.
    """
    if thread.state in ENDED:
        return thread.state.value
    others = len({report.identity_id for report in thread.reports if report.identity_id != thread.by})
    name = reading.name(thread.by) if thread.by else ""
    return " ".join(part for part in (name, thread.state.value, f"+{others}" if others else "") if part)


def state_line(reading: Reading, thread: Thread, disputed: Iterable[ConflictKind]) -> Line:
    """Everything that stands in a thread: its end if it has one, each report with its sender and event, conflicts."""
    parts = [_ended(reading, thread), *(_report(reading, each) for each in thread.reports)]
    if kinds := ", ".join(dict.fromkeys(kind.value for kind in disputed)):
        parts.append(text(f"in conflict: {kinds}", Ink.ATTN))
    line: list[Line] = []
    for part in parts:
        line += [dim(" · "), part] if line else [part]
    return tuple(span for part in line for span in part)


def _ended(reading: Reading, thread: Thread) -> Line:
    if thread.ended is None:
        return text(ThreadState.OPEN.value)
    state, by, event_id = thread.ended
    return (*text(f"{state.value} by {reading.name(by)}"), *dim(f" ({reading.number(event_id)})"))


def _report(reading: Reading, report: Report) -> Line:
    until = ""
    if report.until is not None:
        when = reading.until(report.until)
        until = f", {when} passed" if report.passed(reading.now) else f" until {when}"
    said = f"{reading.name(report.identity_id)} {REPORTED[report.state]}{until}"
    return (*text(said), *dim(f" ({reading.number(report.event_id)})"))
