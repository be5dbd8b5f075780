"""The claim timeline: a row for each live or recent claim, a bar from receipt to expiry (§6; look: timeline).

Live claims are those the claims panel lists, with the same standing; what is recent, and not live, follows from the
events read here: it ended, or was received, within the stretch of time that is shown. Branches of one claim stand under
it by event id, and none is preferred. Rows stand by path and then by event id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby

from corr_tui.protocol.records import Claims
from corr_tui.state.claimed import ClaimHistory, Node, NodeState, claim_histories
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot, moment
from corr_tui.state.standing import Standing, claims_standing, claims_view
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import END, GAP, START, Cell, columns, dim, finished, joined, text, width_of, words
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, Span, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.claims import MORE, Shown, absent, banner, shown_claims
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.views.claim_bars import EXPIRY, OPENED, RENEWED, ended_at
from corr_tui.ui.views.drawn_rows import DrawnRows
from corr_tui.ui.views.time_axis import FIRST_ZOOM, Axis, axis
from corr_tui.ui.views.timeline_lines import Timeline, group_line, line_of, live_line, past_line, shape_of

RECENT, NONE_LIVE = "recent", "none live"
HEADINGS = frozenset({RECENT, NONE_LIVE})
"""The keys of the rows that are about no claim."""
GROUP = "claim:"
"""Begins the key of a row for a claim with branches."""
ENDS = (Glyph.RELEASED, Glyph.EXPIRED, Glyph.PENDING, Glyph.INVALID)
LEGEND: tuple[Line, ...] = (
    (*text(OPENED), *dim(" opened")),
    (*text(RENEWED), *dim(" renewed")),
    (*text(Glyph.LEFT.symbol), *dim(" elapsed")),
    (*text(f"{Glyph.SPENT.symbol}{EXPIRY}"), *dim(" until signed expiry")),
    *(
        (*text(each.symbol), *dim(f" {each.word}"))
        for each in (Glyph.RELEASED, Glyph.EXPIRED, Glyph.PENDING, Glyph.INVALID)
    ),
    (*text(Glyph.BRANCHES.symbol, Ink.ATTN), *dim(" branches, none preferred")),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One row before it is drawn."""

    key: str
    draw: Callable[[], Line]
    space: int = 1
    """Blank lines below it, where there is room."""


def content(snapshot: Snapshot, view: View, width: int, zoom: int = FIRST_ZOOM, shift: int = 0) -> Content:
    """Live and recent claims as bars. A row's key is the event id of the branch it shows."""
    reading, worth, claims = Reading(snapshot, view), claims_standing(snapshot), claims_view(snapshot)
    timeline = _timeline(reading, claims, width, zoom, shift)
    entries = _entries(timeline, worth) if claims else []
    chart = bool(entries)
    return finished(
        Content(
            title="Claim timeline",
            scope="live and recent" if reading.view.thread_id is None else f"live and recent in {reading.scope}",
            info=_info(timeline, worth),
            above=line_of(timeline, bars=timeline.axis.now_label()) if chart else (),
            columns=_headings(timeline) if chart else (),
            rows=_rows(entries, view.height - 1),
            between=line_of(timeline, bars=timeline.grid) if chart else (),
            empty=() if chart else absent(reading, worth, claims, width),
            foot=_foot(timeline, worth) if chart else (),
            banner=banner(reading, worth, width),
            stale=worth is Standing.LAST_GOOD,
        ),
        view,
    )


def axis_of(snapshot: Snapshot, view: View, width: int, zoom: int = FIRST_ZOOM, shift: int = 0) -> Axis:
    """The axis of the timeline at a width."""
    newest = snapshot.events[-1].record.receipt.received_at if snapshot.events else None
    anchor = moment(newest) if newest else datetime(1970, 1, 1, tzinfo=UTC)
    return axis(view.now, anchor, view.zone, shape_of(view.layout, width).bars, zoom=zoom, shift=shift)


def _timeline(reading: Reading, claims: Claims | None, width: int, zoom: int, shift: int) -> Timeline:
    return Timeline(
        reading,
        shape_of(reading.view.layout, width),
        axis_of(reading.snapshot, reading.view, width, zoom, shift),
        width,
        claim_histories(facts(reading.snapshot)),
        shown_claims(reading, claims) if claims else [],
    )


def _rows(entries: Sequence[Entry], height: int) -> Sequence[Row]:
    """All rows, blank lines between them where there is room; else they are drawn when they come into view."""

    def row(place: int) -> Row:
        entry = entries[place]
        return Row(entry.key, (entry.draw(),), heading=entry.key in HEADINGS)

    if len(entries) + sum(entry.space for entry in entries[:-1]) <= height:
        return tuple(row(place)._replace(space=entry.space) for place, entry in enumerate(entries))
    return DrawnRows([entry.key for entry in entries], row, HEADINGS)


def _entries(timeline: Timeline, worth: Standing) -> list[Entry]:
    live = [entry for claim in _by_claim(timeline.shown) for entry in _live(timeline, claim)]
    recent = _recent(timeline)
    if not live and not recent:
        return []
    if not live:
        live = [Entry(NONE_LIVE, lambda: words(timeline.width, _none_live(timeline, worth)))]
    if recent:
        live[-1:] = [Entry(live[-1].key, live[-1].draw, 2)]
        recent = [
            Entry(RECENT, lambda: line_of(timeline, dim("Recent, not live"), bars=timeline.grid)),
            *recent,
        ]
    return [*live, *recent]


def _by_claim(shown: Iterable[Shown]) -> list[tuple[Shown, ...]]:
    """The live tips of each claim, the claims by path and then event id."""
    ordered = sorted(shown, key=lambda each: each.claim.claim_id)
    claims = [tuple(tips) for _, tips in groupby(ordered, key=lambda each: each.claim.claim_id)]
    return sorted(claims, key=lambda tips: (min(tips[0].claim.scope.paths), min(tip.claim.event_id for tip in tips)))


def _none_live(timeline: Timeline, worth: Standing) -> Line:
    if worth in (Standing.COMPLETE, Standing.COMPUTED):
        return text(f"No active claims in {timeline.reading.scope}", Ink.STRONG)
    return text("No active claim in what arrived. More may exist.", Ink.STRONG)


def _live(timeline: Timeline, tips: tuple[Shown, ...]) -> list[Entry]:
    """The rows of one live claim: one, or with branches one for the claim and one for each."""
    history = timeline.histories.get(tips[0].claim.claim_id)
    known = [node for node in history.branches if node.status == "valid"] if history else []
    branches = sorted({node.claim.event_id for node in known} | {tip.claim.event_id for tip in tips})
    if len(branches) < 2 and not tips[0].claim.conflicted:
        return [Entry(tips[0].claim.event_id, lambda: live_line(timeline, tips[0], history))]
    rows = [Entry(f"{GROUP}{tips[0].claim.claim_id}", lambda: group_line(timeline, tips[0], len(branches)), 0)]
    live = {tip.claim.event_id: tip for tip in tips}
    for place, event_id in enumerate(branches):
        last = place == len(branches) - 1
        rows.append(_branch(timeline, history, event_id, live.get(event_id), last=last))
    return rows


def _branch(timeline: Timeline, history: ClaimHistory | None, event_id: str, tip: Shown | None, *, last: bool) -> Entry:
    edge = (Span("└ " if last else "├ ", Ink.FAINT),)
    if tip is not None:
        return Entry(event_id, lambda: live_line(timeline, tip, history, edge), int(last))
    assert history is not None  # only the history knows of a tip that is not live
    return Entry(event_id, lambda: past_line(timeline, history, history.nodes[event_id], edge), int(last))


def _recent(timeline: Timeline) -> list[Entry]:
    """What is not live and ended, or was received, in the time that is shown; by path and then event id."""
    reading, first = timeline.reading, timeline.axis.first
    live = {shown.claim.claim_id for shown in timeline.shown}
    found: list[tuple[str, str, ClaimHistory, Node]] = []
    for history in timeline.histories.values():
        for node in history.branches:
            state = node.state(reading.now)
            if state is NodeState.LIVE or (history.claim_id in live and node.status == "valid"):
                continue
            since = ended_at(node) if node.status == "valid" else node.heard.received_at
            if reading.in_scope(node.claim.thread_id) and moment(since) >= first:
                found.append((min(node.claim.scope.paths), node.claim.event_id, history, node))
    ordered = sorted(found, key=lambda each: each[:2])
    return [Entry(event_id, partial(past_line, timeline, history, node)) for _, event_id, history, node in ordered]


def _headings(timeline: Timeline) -> Line:
    shape = timeline.shape
    return columns(
        timeline.width,
        Cell(dim("claim"), shape.claim),
        Cell(dim("by"), shape.by),
        Cell(dim("gen"), shape.generation),
        Cell(timeline.axis.labels(), shape.bars),
        Cell(dim("left"), shape.left, right=True),
    )


def _info(timeline: Timeline, worth: Standing) -> Line:
    count = f"{len(timeline.shown)} live" if timeline.shown else ""
    if worth is not Standing.COMPLETE:
        return absence.info(timeline.reading, worth, count)
    runs = dim("bars run from received to signed expiry") if timeline.reading.view.layout is Layout.WIDE else ()
    return joined((text(count or "complete"), runs), GAP)


def _foot(timeline: Timeline, worth: Standing) -> tuple[Line, ...]:
    lines = list(legend(timeline.width))
    if worth is Standing.TRUNCATED:
        lines.append(words(timeline.width, dim(MORE)))
    if not timeline.reading.snapshot.history.complete:
        part = "the history is not whole here: what is recent, and branches, may be missing"
        lines.append(words(timeline.width, dim(f"{Glyph.PARTIAL.symbol} {part}")))
    return tuple(lines)


def legend(width: int) -> tuple[Line, ...]:
    """What the signs mean, folded at the width."""
    lines: list[list[Line]] = [[]]
    for part in LEGEND:
        if lines[-1] and sum(map(width_of, lines[-1])) + width_of(part) + 3 * len(lines[-1]) > width - START - END:
            lines.append([])
        lines[-1].append(part)
    return tuple(words(width, *line, gap=3) for line in lines)


def claim_id_of(key: str, snapshot: Snapshot) -> str | None:
    """The claim a row is about."""
    if key.startswith(GROUP):
        return key.removeprefix(GROUP)
    heard = facts(snapshot).claims.get(key)
    if heard is not None:
        return heard.claim.claim_id
    view = claims_view(snapshot)
    return next((each.claim_id for each in (view.claims if view else ()) if each.event_id == key), None)
