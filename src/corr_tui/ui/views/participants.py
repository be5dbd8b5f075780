"""Participants: what each identity last reported, was last heard to say and claims, and what is known of its keys.

Everything here is a report or a receipt: nothing says who is there, nothing counts what anybody did, and rows stand by
name (§4, §5, §9; experience: honesty 2, 6, 7). Silence is "no report".
"""

from __future__ import annotations

from dataclasses import replace

from corr_tui.state.facts import Facts, Report, ReportState
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import KeyStanding, KnownKey, Snapshot
from corr_tui.state.standing import CUT_OFF, Standing, claims_standing, claims_view
from corr_tui.ui import times
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import (
    END,
    START,
    Cell,
    blank,
    columns,
    cut_name,
    cut_start,
    dim,
    finished,
    joined,
    paragraph,
    spaced,
    text,
    width_of,
)
from corr_tui.ui.line import Content, Ink, Line, Row, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.presence import GLYPHS
from corr_tui.ui.panels.reading import Reading, paths_words
from corr_tui.ui.text import cells

MOST_WHO = 14
"""Cells of a name, at most."""
KEYS = 20
"""Cells of what is known of the keys."""
FOOT = "By name. A report is a report: nothing here says who is there."
LEAST_FOR_FOOT = 8
"""Lines of rows from which on there is room for the foot."""
NOT_KNOWN = "keys not known"
CLAIMS = {
    Standing.LOADING: "The claims are not read yet.",
    Standing.TRUNCATED: "Claims may be missing: the projection is truncated.",
    Standing.LAST_GOOD: "The claims are those of the last good view.",
    Standing.COMPUTED: "The claims are computed here.",
    Standing.UNAVAILABLE: "The claims are not known: the projection is unavailable.",
}
"""What the claims shown are worth, where they are not the whole of now (experience: honesty 1)."""


def content(snapshot: Snapshot, view: View, width: int) -> Content:
    """Every identity that is listed, or was heard, by name. A row's key is its identity id."""
    reading = Reading(snapshot, replace(view, thread_id=None))
    known = facts(snapshot)
    ids = identities(reading, known)
    who = min(max((cells(reading.name(each)) for each in ids), default=5), MOST_WHO)
    claimed = claims_by(snapshot)
    rows = [_row(reading, known, each, claimed.get(each, ()), who, width) for each in ids]
    return finished(
        Content(
            title="Participants",
            scope="identities of this project",
            rows=spaced(rows, view.height),
            empty=() if rows else _empty(reading, width),
            foot=_foot(reading, width) if rows and view.height >= LEAST_FOR_FOOT else (),
        ),
        view,
    )


def identities(reading: Reading, known: Facts) -> list[str]:
    """Everybody listed, or heard with a proved signature, by name."""
    found = reading.snapshot.identities.keys() | known.reports.keys() | known.last_by.keys()
    return sorted(found, key=lambda each: (reading.name(each).casefold(), each))


def claims_by(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """By identity, the prefixes of its live claims, sorted."""
    found: dict[str, set[str]] = {}
    view = claims_view(snapshot)
    for claim in view.claims if view else ():
        found.setdefault(claim.owner_identity_id, set()).update(claim.scope.paths)
    return {identity_id: tuple(sorted(paths)) for identity_id, paths in found.items()}


def _row(reading: Reading, known: Facts, identity_id: str, claimed: tuple[str, ...], who: int, width: int) -> Row:
    """Two lines: who, the report that stands and the keys; then the last event received and what is claimed."""
    keys, report = reading.snapshot.keys.get(identity_id, ()), known.reports.get(identity_id)
    inner = width - START - END
    right = min(KEYS, max(inner - who - 2 - 24, 0))
    first = columns(
        width,
        Cell(text(cut_name(reading.name(identity_id), who), Ink.STRONG), who),
        Cell(said_of(report, reading), max(inner - who - 2 - right - 2, 1)),
        Cell(_keys(keys), right, right=True),
    )
    last = last_of(reading, known, identity_id)
    room = inner - who - 2 - width_of(last) - 3 - cells("claims ")
    holds = (*dim("claims "), *text(cut_start(paths_words(claimed), room))) if claimed and room > 4 else ()
    second = columns(width, Cell(blank(who), who), Cell(joined((last, holds), 3), inner - who - 2))
    return Row(identity_id, (first, second), alarm=any(key.standing is KeyStanding.CHANGED for key in keys))


def said_of(report: Report | None, reading: Reading) -> Line:
    """`‖ paused  until 16:00`, `☾ resting  13:55 passed`, or that there is no report."""
    if report is None:
        return dim("no report")
    word = (*text(f"{GLYPHS[report.state].symbol} "), *text(str(report.state)))
    if report.until is not None:
        when = reading.until(report.until)
        return joined((word, dim(f"{when} passed" if report.passed(reading.now) else f"until {when}")), 2)
    if report.state is ReportState.DECLINED:
        return joined((word, dim("no reason owed")), 2)
    return joined((word, dim(f"since {reading.until(report.received_at)}")), 2)


def last_of(reading: Reading, known: Facts, identity_id: str) -> Line:
    """`last #4810  14:02:33  artifact.offer`: the last event received whose signature was proved."""
    event_id = known.last_by.get(identity_id)
    if event_id is None:
        return dim("nothing received of it here")
    heard, noted = reading.snapshot.by_id.get(event_id), known.noted.get(event_id)
    when = _when(heard.record.receipt.received_at, reading) if heard else ""
    kind = noted.kind if noted and noted.kind else ""
    return joined((dim(f"last {reading.number(event_id)}"), dim(when), dim(kind)), 2)


def _when(instant: str, reading: Reading) -> str:
    """The time of day of a receipt, after its day where that is not today."""
    day = times.day(instant, reading.view.zone)
    clock = reading.clock(instant, seconds=False)
    return clock if reading.today in (None, day) else f"{times.day_words(day, reading.today)} {clock}"


def _keys(keys: tuple[KnownKey, ...]) -> Line:
    """What is known of the keys, each word once; a change is loud."""
    if any(key.standing is KeyStanding.CHANGED for key in keys):
        return text(f"{Glyph.KEY_CHANGED.symbol} {KeyStanding.CHANGED}", Ink.ALARM)
    if not keys:
        return dim(NOT_KNOWN)
    standings = dict.fromkeys(str(key.standing) for key in keys)
    return dim(" · ".join(standings))


def _foot(reading: Reading, width: int) -> tuple[Line, ...]:
    worth = CLAIMS.get(claims_standing(reading.snapshot), "")
    return paragraph(width, f"{FOOT} {worth}".strip())


def _empty(reading: Reading, width: int) -> tuple[Line, ...]:
    if reading.snapshot.history.complete:
        return absence.none(reading, width, "No participants listed", "and nothing received of anybody so far.")
    if reading.snapshot.link.state in CUT_OFF:
        return absence.unavailable(reading, width)
    return absence.loading(reading, width)
