"""The lineage of one claim: every event of it by generation, and how each stands (§6; look: lineage).

Tips, released, expired, pending and invalid events are drawn as such, and so is a predecessor that is not at hand. None
is preferred: several live tips are several. A narrow screen lists the same, indented at each branching.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corr_tui.state.claimed import ClaimHistory, Node, NodeState
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.standing import CUT_OFF
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import END, START, dim, ends, finished, joined, text, width_of, words
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, Span, View
from corr_tui.ui.panels.reading import Reading, paths_words
from corr_tui.ui.text import clean
from corr_tui.ui.views.claim_bars import STATES
from corr_tui.ui.views.drawn_rows import DrawnRows
from corr_tui.ui.views.lineage_edges import Edges, Frame
from corr_tui.ui.views.lineage_graph import Graph, Spot, graph_of
from corr_tui.ui.views.track import Track
from corr_tui.ui.views.why import why_of

LEAST_COLUMN = 34
"""Cells of a generation, at least: an event and the edge to the next."""
MOST_COLUMNS = 4
LANE = "lane:"
"""Begins the key of a row of the graph, before the key of its first event."""
MOST_INDENT = 12
"""Branchings a list is indented for, at most."""
SIGNS = (Glyph.TIP, Glyph.RENEWED, Glyph.RELEASED, Glyph.EXPIRED, Glyph.PENDING, Glyph.INVALID, Glyph.ABSENT)
EXPLAINED = {Glyph.PENDING: "pending: predecessor not here", Glyph.INVALID: "invalid: kept, never live"}


@dataclass(frozen=True, slots=True)
class Said:
    """One event in two lines."""

    glyph: Glyph
    state: str
    detail: str

    @property
    def ink(self) -> Ink:
        """The ink of its glyph."""
        return {Glyph.TIP: Ink.ACCENT, Glyph.ABSENT: Ink.ATTN}.get(self.glyph, Ink.TEXT)


def frame_of(view: View, width: int, first: int) -> Frame:
    """How many generations are shown, from `first` on, and in how many cells each."""
    inner = width - START - END
    shown = max(min(inner // LEAST_COLUMN, MOST_COLUMNS), 1)
    return Frame(first, shown, max(inner // shown, 1))


def content(snapshot: Snapshot, view: View, width: int, history: ClaimHistory | None, first: int = 0) -> Content:
    """The lineage of a claim, from the generation at column `first` on.

    A row is a lane, keyed by its first event; on a narrow screen it is an event, keyed by its id.
    """
    reading = Reading(snapshot, view)
    if history is None:
        return finished(Content(title="Lineage", scope="no claim", empty=_none(reading, width)), view)
    graph, frame = graph_of(history), frame_of(view, width, first)
    narrow = view.layout is Layout.NARROW
    rows = _list(reading, graph, history, width) if narrow else _lanes(reading, graph, history, frame, width)
    return finished(
        Content(
            title="Lineage",
            scope=_scope(reading, history),
            info=_info(reading, history),
            columns=() if narrow else _headings(frame, width),
            rows=rows,
            foot=_foot(reading, width),
        ),
        view,
    )


def _none(reading: Reading, width: int) -> tuple[Line, ...]:
    return (
        words(width, text("No claim under the cursor", Ink.STRONG)),
        words(width, dim("Put the cursor on an event about a claim, or on a claim in 3, and open this again.")),
    )


def _scope(reading: Reading, history: ClaimHistory) -> str:
    some = min(history.nodes.values(), key=lambda node: (node.claim.generation, node.claim.event_id))
    by = "opened by" if some.claim.predecessor_event_id is None else "by"
    name = reading.name(some.claim.identity_id)
    return f"claim {paths_words(sorted(some.claim.scope.paths))} · {clean(history.claim_id[:4])}… · {by} {name}"


def _info(reading: Reading, history: ClaimHistory) -> Line:
    live = sum(node.state(reading.now) is NodeState.LIVE for node in history.branches)
    if live > 1:
        return (*text(f"{live} live tips", Ink.ATTN), *dim(" · none preferred"))
    return text("1 live tip" if live else "no live tip")


def _foot(reading: Reading, width: int) -> tuple[Line, ...]:
    lines: list[list[Line]] = [[]]
    for glyph in SIGNS:
        ink = Said(glyph, "", "").ink
        part = (*text(glyph.symbol, ink), *dim(f" {EXPLAINED.get(glyph, glyph.word)}"))
        if lines[-1] and width_of(joined([*lines[-1], part], 3)) > width - START - END:
            lines.append([])
        lines[-1].append(part)
    legend = [words(width, *line, gap=3) for line in lines]
    history = reading.snapshot.history
    if not history.complete:
        legend.append(words(width, dim(f"{Glyph.PARTIAL.symbol} the history is not whole here: more may belong to it")))
    elif reading.snapshot.link.state in CUT_OFF:
        legend.append(words(width, dim(f"From events to #{clean(history.through or '0')}. More may exist since.")))
    return tuple(legend)


def said_of(reading: Reading, history: ClaimHistory, spot: Spot) -> Said:
    """How one event is said."""
    if spot.node is None:
        if spot.key in facts(reading.snapshot).noted:
            return Said(Glyph.PARTIAL, "not proved here", "so it does not count")
        if not reading.snapshot.history.complete:
            return Said(Glyph.PARTIAL, "not read yet", "")
        return Said(Glyph.ABSENT, Glyph.ABSENT.word, "not received here")
    node, claim = spot.node, spot.node.claim
    state, device = node.state(reading.now), reading.device(spot.node.claim.device_id)
    return Said(
        STATES[state] if state is not NodeState.ENDED else Glyph.RENEWED,
        _word(node, state),
        joined_words(*_details(reading, history, node, state, device, claim.expires_at)),
    )


def _word(node: Node, state: NodeState) -> str:
    return "continued" if state is NodeState.ENDED else str(state)


def joined_words(*parts: str) -> str:
    """Parts with a dot between them."""
    return " · ".join(part for part in parts if part)


def _details(
    reading: Reading, history: ClaimHistory, node: Node, state: NodeState, device: str, expires_at: str | None
) -> tuple[str, ...]:
    received = reading.clock(node.heard.received_at)
    match state:
        case NodeState.LIVE:
            return (device, f"expires {reading.in_full(expires_at or '')}")
        case NodeState.EXPIRED:
            return (device, f"{reading.in_full(expires_at or '')} as signed")
        case NodeState.RELEASED:
            return (device, received)
        case NodeState.PENDING:
            return (device, f"names {reading.number(node.claim.predecessor_event_id or '')}")
        case NodeState.INVALID:
            return (device, why_of(reading, history, node))
        case _:
            return ("open" if node.claim.predecessor_event_id is None else "renew", device, received)


# The graph.


def _headings(frame: Frame, width: int) -> Line:
    track = Track(width)
    for place in range(frame.shown):
        track.write(frame.box(place)[0] + 4, f"generation {frame.first + place + 1}", Ink.DIM)
    return track.line()


def _lanes(reading: Reading, graph: Graph, history: ClaimHistory, frame: Frame, width: int) -> tuple[Row, ...]:
    edges = Edges(graph, frame)
    rows = []
    for lane, spots in enumerate(graph.lanes):
        tracks = (Track(width), Track(width), Track(width))
        edges.draw(lane, tracks)
        for spot in spots:
            if frame.shows(spot.column):
                _draw_spot(tracks, frame, spot, said_of(reading, history, spot), reading.number(spot.key))
                edges.draw_on(spot, tracks[0], frame)
        rows.append(Row(f"{LANE}{spots[0].key}", tuple(track.line() for track in tracks)))
    return tuple(rows)


def _draw_spot(tracks: Sequence[Track], frame: Frame, spot: Spot, said: Said, number: str) -> None:
    start, end = frame.box(spot.column - frame.first)
    for track in tracks[:2]:
        track.fill(start, end, " ", Ink.TEXT)
    first, second = Track(end - start), Track(end - start)
    first.put(2, said.glyph.symbol, said.ink)
    live = Ink.STRONG if said.glyph is Glyph.TIP else Ink.TEXT
    after = first.write(4, number, live)
    first.write(after + 2, said.state, live)
    second.write(4, said.detail, Ink.DIM)
    for track, drawn in zip(tracks, (first, second), strict=False):
        track.cells[start : start + len(drawn.cells)] = drawn.cells[: max(len(track.cells) - start, 0)]


# The list.


def _list(reading: Reading, graph: Graph, history: ClaimHistory, width: int) -> DrawnRows:
    keys = tuple(graph.spots)
    return DrawnRows(keys, lambda place: Row(keys[place], (_listed(reading, graph, history, keys[place], width),)))


def _listed(reading: Reading, graph: Graph, history: ClaimHistory, key: str, width: int) -> Line:
    spot = graph.spots[key]
    said = said_of(reading, history, spot)
    begins = spot.before is not None and graph.spots[spot.before].lane != spot.lane
    indent = "  " * min(max(spot.depth - 1, 0), MOST_INDENT)
    edge = f"{indent}{'└ ' if begins else '  ' if spot.depth else ''}"
    live = Ink.STRONG if said.glyph is Glyph.TIP else Ink.TEXT
    left = (
        Span(edge, Ink.FAINT),
        Span(said.glyph.symbol, said.ink),
        Span(f" {reading.number(key)}  {said.state}", live),
        *(dim(f"  after {reading.number(spot.before)}") if begins and spot.before else ()),
    )
    return ends(width, left, dim(joined_words(said.detail, f"gen {spot.column + 1}")))
