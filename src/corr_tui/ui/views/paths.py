"""The path tree: who claims what, as a tree of prefixes, overlaps marked by the prefix rule (§2.2, §6).

A claim is advisory: it stops nobody, and an overlap has no side that is preferred. What has expired is said to be, and
is not among the live. Where the projection cannot be believed, that is said, and nothing is called empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from corr_tui.protocol.records import ActiveClaim
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.standing import Standing, claims_standing, claims_view
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import Cell, columns, cut_name, cut_start, dim, dimmed, finished, joined, paragraph, text
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, Span, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels import claims as panel
from corr_tui.ui.panels.claims import Shown
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import cells, clean
from corr_tui.ui.views.claim_tree import Place, overlapped, places
from corr_tui.ui.views.drawn_rows import DrawnRows

STEP = "path "
"""What the key of a step on the way begins with."""
BY, GENERATION, LEFT = 8, 6, 7
FOOT = (
    "× overlap: two claims name the same prefix, or one within the other. Neither is preferred; a claim stops nobody."
)
WORTH = {
    Standing.LOADING: "loading",
    Standing.UNAVAILABLE: "no view yet",
    Standing.LAST_GOOD: "last good view, advisory",
    Standing.COMPUTED: "computed here, advisory",
    Standing.TRUNCATED: "who claims what, as far as it arrived",
    Standing.COMPLETE: "who claims what, advisory",
}


def content(snapshot: Snapshot, view: View, width: int) -> Content:
    """The tree. A row's key is an event id and a prefix; that of a step nobody claims begins with STEP."""
    reading = Reading(snapshot, replace(view, thread_id=None))
    worth, claims = claims_standing(snapshot), claims_view(snapshot)
    shown = {each.claim.event_id: each for each in panel.shown_claims(reading, claims)} if claims else {}
    found = places(claims.claims) if claims else ()
    live = sum(each.left is None or each.left > -each.unsure for each in shown.values())
    return finished(
        Content(
            title="Paths",
            scope=WORTH[worth],
            info=_info(reading, worth, live),
            columns=_headings(view, found, width) if shown else (),
            rows=_rows(reading, found, shown, width),
            empty=() if shown else panel.absent(reading, worth, claims, width),
            foot=_foot(worth, width) if shown and view.height >= 8 else (),
            banner=panel.banner(reading, worth, width),
            stale=worth is Standing.LAST_GOOD,
        ),
        view,
    )


def event_of(key: str) -> str | None:
    """The event of the claim that a row shows; a step that nobody claims has none."""
    return None if key.startswith(STEP) else key.split(" ", 1)[0]


def _info(reading: Reading, worth: Standing, live: int) -> Line:
    count = f"{live} live" if live else ""
    return text(count or "complete") if worth is Standing.COMPLETE else absence.info(reading, worth, count)


def _foot(worth: Standing, width: int) -> tuple[Line, ...]:
    more = f" {panel.MORE}" if worth is Standing.TRUNCATED else ""
    return paragraph(width, f"{FOOT}{more}")


def _rows(reading: Reading, found: tuple[Place, ...], shown: Mapping[str, Shown], width: int) -> DrawnRows:
    sizes = _sizes(reading.view, width, found)
    keys = [
        f"{place.claim.event_id} {place.node.path}" if place.claim else f"{STEP}{place.node.path}" for place in found
    ]
    steps = {key for key, place in zip(keys, found, strict=True) if place.claim is None}

    def draw(at: int) -> Row:
        place = found[at]
        line = _line(reading, place, shown[place.claim.event_id] if place.claim else None, sizes, width)
        return Row(keys[at], (line,), heading=place.claim is None)

    return DrawnRows(keys, draw, steps)


def _sizes(view: View, width: int, found: tuple[Place, ...]) -> tuple[int, int]:
    """The cells of the tree and of what a claim meets; generations go first where room is short."""
    room = width - 3 - BY - LEFT - 6 - (GENERATION + 2 if view.layout is not Layout.NARROW else 0)
    tree = min(max(room * 45 // 100, 12), max(_widest(Same(found)), 20))
    return tree, max(room - tree, 0)


@lru_cache(maxsize=4)
def _widest(same: Same[tuple[Place, ...]]) -> int:
    """The cells of the widest place of a tree."""
    return max((2 * max(len(place.last) - 1, 0) + cells(clean(place.name)) for place in same.value), default=0)


def _headings(view: View, found: tuple[Place, ...], width: int) -> Line:
    tree, state = _sizes(view, width, found)
    generation = (Cell(dim("gen"), GENERATION),) if view.layout is not Layout.NARROW else ()
    return columns(
        width,
        Cell(dim("path"), tree),
        Cell(dim("by"), BY),
        Cell(dim("state"), state),
        *generation,
        Cell(dim("left"), LEFT, right=True),
    )


def _line(reading: Reading, place: Place, shown: Shown | None, sizes: tuple[int, int], width: int) -> Line:
    tree, state = sizes
    named = _branch(place, tree)
    if shown is None:
        return columns(width, Cell(named, tree), Cell((), width))
    generation = (dim(f"gen {shown.claim.generation}"),) if reading.view.layout is not Layout.NARROW else ()
    over = shown.left is not None and shown.left <= -shown.unsure
    line = columns(
        width,
        Cell(named, tree),
        Cell(text(cut_name(shown.by, BY)), BY),
        Cell(_state(reading, place, shown, over=over), state),
        *(Cell(each, GENERATION) for each in generation),
        Cell(panel.left_words(reading, shown), LEFT, right=True),
    )
    return dimmed(line) if over else line


def _branch(place: Place, width: int) -> Line:
    """The prefix in its place: lines that lead to it, then what it adds to the one above."""
    *before, last = place.last or (True,)
    stem = "".join("  " if each else "│ " for each in before[1:]) if len(place.last) > 1 else ""
    turn = "" if len(place.last) < 2 else ("└ " if last else "├ ") if place.first else ("  " if last else "│ ")
    lead = stem + turn
    room = width - cells(lead)
    if room < 6:  # deeper than there is room for: the lines go, the prefix stays
        lead, room = "", width
    name = clean(place.name if lead or len(place.last) < 2 else place.node.path)
    ink = Ink.STRONG if place.claim else Ink.DIM
    said = text(cut_start(name, room), ink) if place.first else ()
    return (*((Span(lead, Ink.FAINT),) if lead else ()), *said)


def _state(reading: Reading, place: Place, shown: Shown, *, over: bool) -> Line:
    """What stands of it: expired, else overlap and branches by glyph and word, and with whom; else its thread."""
    if over:
        return dim(f"{Glyph.EXPIRED.symbol} {Glyph.EXPIRED.word}")
    words = [text(f"{glyph.symbol} {glyph.word}", Ink.ATTN) for glyph, _ in shown.states if glyph in _OF_A_CLAIM]
    met = overlapped(place.node, shown.claim.claim_id)
    if met is None:
        return joined((*words, *([dim(clean(shown.claim.thread_id))] if not words else ())), 2)
    overlap = text(f"{Glyph.OVERLAP.symbol} {Glyph.OVERLAP.word}", Ink.ATTN)
    return joined((overlap, dim(_whose(reading, *met)), *words), 2)


_OF_A_CLAIM = frozenset({Glyph.BRANCHES, Glyph.EXPIRES_SOON, Glyph.MISMATCH})
"""States that a claim has at each of its prefixes."""


def _whose(reading: Reading, path: str, claim: ActiveClaim) -> str:
    return f"with {reading.name(claim.owner_identity_id)}, {clean(path)}"
