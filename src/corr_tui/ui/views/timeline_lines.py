"""The lines of the claim timeline: one branch of a claim each, its bar and what is left of it (look: timeline)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corr_tui.state.claimed import ClaimHistory, Node, NodeState
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import END, GAP, START, Cell, columns, cut_name, cut_start, dim, text
from corr_tui.ui.line import Ink, Layout, Line, Span
from corr_tui.ui.panels.claims import Shown, left_words
from corr_tui.ui.panels.reading import Reading, paths_words
from corr_tui.ui.text import cells
from corr_tui.ui.views.claim_bars import STATES, ended_at, live_bar, past_bar
from corr_tui.ui.views.time_axis import Axis
from corr_tui.ui.views.why import why_of

LEAST_NOTE = 12
"""Cells after a bar from which on there is room for words."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The cells of each column."""

    claim: int
    by: int
    generation: int
    bars: int
    left: int

    @property
    def before_bars(self) -> int:
        """The column of the panel the bars begin on."""
        return START + sum(size + GAP for size in (self.claim, self.by, self.generation) if size)


def shape_of(layout: Layout, width: int) -> Shape:
    """The columns at a width."""
    claim, by, generation, left = {Layout.WIDE: (22, 6, 3, 16), Layout.MEDIUM: (20, 6, 3, 16)}.get(
        layout, (16, 5, 0, 10)
    )
    bars = width - START - END - sum(size + GAP for size in (claim, by, generation, left) if size)
    return Shape(claim, by, generation, max(bars, 1), left)


@dataclass(frozen=True, slots=True)
class Timeline:
    """What is drawn: the snapshot, the axis and the columns."""

    reading: Reading
    shape: Shape
    axis: Axis
    width: int
    histories: Mapping[str, ClaimHistory]
    shown: Sequence[Shown]

    @property
    def grid(self) -> Line:
        """The lines at the ticks and at now, alone."""
        return self.axis.grid().line()


def group_line(timeline: Timeline, tip: Shown, branches: int) -> Line:
    """The row of a claim with branches."""
    mark = (Span(f" {Glyph.BRANCHES.symbol} branches", Ink.ATTN),)
    room = timeline.shape.claim - cells(mark[0].text)
    name = text(cut_start(tip.path, max(room, 4)), Ink.STRONG)
    return line_of(timeline, (*name, *mark), by=tip.by, bars=timeline.grid, left=text(f"{branches} tips"))


def live_line(timeline: Timeline, shown: Shown, history: ClaimHistory | None, edge: Line = ()) -> Line:
    """The row of a live branch; `edge` leads from its claim's row to it."""
    claim, reading = shown.claim, timeline.reading
    path = history.path(claim.event_id) if history else ()
    track, after = live_bar(timeline.axis, path, claim.expires_at, soon=shown.soon)
    states = [each for each in shown.states if not edge or each[0] is not Glyph.BRANCHES]
    left = _label(timeline, text(shown.path, Ink.STRONG), edge, claim.event_id, claim.device_id)
    marks: Line = ()
    if states:
        named = " ".join(f"{glyph.symbol} {glyph.word}" for glyph, _ in states)
        room = timeline.axis.cells - after - 1
        if room >= max(LEAST_NOTE, cells(named)):
            column = track.write(after + 1, named, Ink.ATTN)
            if states[0][0] is Glyph.OVERLAP:
                track.write(column, f" {states[0][1]}", Ink.DIM)
        else:
            marks = tuple(Span(f" {glyph.symbol}", Ink.ATTN) for glyph, _ in states)
    if marks and not edge:
        room = timeline.shape.claim - sum(cells(mark.text) for mark in marks)
        left = (*text(cut_start(shown.path, room), Ink.STRONG), *marks)
    return line_of(
        timeline, left, by=shown.by, generation=claim.generation, bars=track.line(), left=left_words(reading, shown)
    )


def _label(timeline: Timeline, name: Line, edge: Line, event_id: str, device_id: str) -> Line:
    """The path of a claim, cut at its start; of a branch its number and device."""
    if edge:
        return (*edge, *text(f"tip {timeline.reading.number(event_id)} {timeline.reading.device(device_id)}"))
    return tuple(Span(cut_start(span.text, timeline.shape.claim), span.ink) for span in name)


def past_line(timeline: Timeline, history: ClaimHistory, node: Node, edge: Line = ()) -> Line:
    """The row of a branch that is not live."""
    reading, claim, state = timeline.reading, node.claim, node.state(timeline.reading.now)
    path = history.path(claim.event_id) if node.status == "valid" else (node,)
    track, after = past_bar(timeline.axis, path, state)
    why = why_of(reading, history, node)
    if why:
        now = timeline.axis.now_column
        at = max(after + 1, now + 3 if now is not None else 0)
        if timeline.axis.cells - at >= LEAST_NOTE:
            track.write(at, why, Ink.DIM)
    name = dim(paths_words(sorted(claim.scope.paths)))
    return line_of(
        timeline,
        _label(timeline, name, edge, claim.event_id, claim.device_id),
        by=reading.name(claim.identity_id),
        generation=claim.generation,
        bars=track.line(),
        left=_ended(timeline, node, state),
        past=True,
    )


def _ended(timeline: Timeline, node: Node, state: NodeState) -> Line:
    glyph, reading = STATES[state], timeline.reading
    when = ""
    if node.status == "valid" and timeline.shape.left >= 16:
        when = f" {reading.until(ended_at(node))}"
    return dim(f"{glyph.symbol} {state}{when}")


def line_of(
    timeline: Timeline,
    claim: Line = (),
    *,
    by: str = "",
    generation: int | None = None,
    bars: Line = (),
    left: Line = (),
    past: bool = False,
) -> Line:
    """One line: claim, by, generation, bars, left."""
    shape, ink = timeline.shape, Ink.DIM if past else Ink.TEXT
    return columns(
        timeline.width,
        Cell(claim, shape.claim),
        Cell(text(cut_name(by, shape.by), ink), shape.by),
        Cell(dim(str(generation)) if generation is not None else (), shape.generation),
        Cell(bars, shape.bars),
        Cell(left, shape.left, right=True),
    )
