"""The claims panel: live claims with what is left of them (§6; look: claims; experience: honesty 1, 3, 7).

A claim is advisory: it stops nobody. Rows stand by path and then by event id, so that no order suggests a right. There
are "no active claims" only when the projection is complete; otherwise absence means nothing, and the panel says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from corr_tui.protocol.lineage import claim_event
from corr_tui.protocol.records import ActiveClaim, Claims
from corr_tui.state.snapshot import Heard, Snapshot, moment
from corr_tui.state.standing import Standing, claims_standing, claims_view, conflicts_view
from corr_tui.ui import times
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import (
    Cell,
    columns,
    cut_name,
    cut_start,
    dim,
    ends,
    finished,
    joined,
    paragraph,
    spaced,
    text,
    words,
)
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, Span, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.reading import Reading, paths_words
from corr_tui.ui.text import cells, clean

SOON = 5
"""What is left, in minutes as they are told, from which on a claim expires soon."""
HORIZON = 2 * times.HOUR
"""The length of a bar, in seconds, where nobody here knows when its claim was received."""
ONE_LINE = 80
"""Cells from which a claim takes one line, but in the narrow layout."""
LEFT = 6
MORE = "Older or further branches may be missing."


@dataclass(frozen=True, slots=True)
class Shown:
    """A claim and what the panel knows about it."""

    claim: ActiveClaim
    path: str
    by: str
    left: float | None
    """Seconds to expiry by the service's clock, or None while that is unknown."""
    unsure: float
    """Seconds the clock may be off, where that is more than the words for what is left pass over anyway; else 0."""
    length: float
    """Seconds from receipt to expiry."""
    states: tuple[tuple[Glyph, str], ...]
    """Each state that holds, with its detail."""

    @property
    def soon(self) -> bool:
        """Whether what is left is little."""
        return self.left is not None and _soon(self.left)


def _soon(left: float) -> bool:
    return left > 0 and times.nearest(left, times.MINUTE) <= SOON


def content(snapshot: Snapshot, view: View, width: int) -> Content:
    """The live claims the service's voice names, in the scope looked at. A row's key is its event id."""
    reading = Reading(snapshot, view)
    worth = claims_standing(snapshot)
    claims = claims_view(snapshot)
    shown = shown_claims(reading, claims) if claims else []
    narrow = view.layout is Layout.NARROW
    return finished(
        Content(
            title=reading.heading if narrow else "Claims",
            scope=_scope(worth, len(shown), view.layout),
            info=_info(reading, worth, claims, len(shown)),
            columns=_headings(reading, width) if narrow and shown else (),
            rows=_rows(reading, shown, width),
            empty=() if shown else absent(reading, worth, claims, width),
            foot=_foot(reading, worth, claims, width),
            banner=banner(reading, worth, width),
            stale=worth is Standing.LAST_GOOD,
        ),
        view,
    )


def shown_claims(reading: Reading, claims: Claims) -> list[Shown]:
    """The claims in the scope looked at, by path and then by event id, with what is known about each."""
    tips = Counter(claim.claim_id for claim in claims.claims)
    others = _overlapping(reading, claims)
    shown = [
        _show(reading, claim, tips[claim.claim_id], others.get(claim.event_id, []))
        for claim in claims.claims
        if reading.in_scope(claim.thread_id)
    ]
    return sorted(shown, key=lambda each: (min(each.claim.scope.paths), each.claim.event_id))


def _overlapping(reading: Reading, claims: Claims) -> dict[str, list[str]]:
    """By event id, the paths of the claims the service names as overlapping; tips of one claim are no overlap."""
    named = conflicts_view(reading.snapshot)
    everyone = {claim.event_id: claim for claim in claims.claims}
    worded = {event_id: paths_words(sorted(claim.scope.paths)) for event_id, claim in everyone.items()}
    others: dict[str, list[str]] = {}
    for row in named.overlapping_claims if named else ():
        left, right = everyone.get(row.left_event_id), everyone.get(row.right_event_id)
        if left and right and left.claim_id == right.claim_id:
            continue
        for mine, other in ((row.left_event_id, row.right_event_id), (row.right_event_id, row.left_event_id)):
            others.setdefault(mine, []).append(worded.get(other, "another claim"))
    return others


def says(heard: Heard, claim: ActiveClaim) -> bool:
    """Whether the signed event a claim row names says what the row says; a row itself is signed by nobody (§6)."""
    event = heard.event
    if event is None or not heard.verdict.holds:
        return True  # an event that proves nothing contradicts nothing; its own row says so
    signed = claim_event(event)
    return signed is not None and (
        signed.claim_id == claim.claim_id
        and signed.generation == claim.generation
        and signed.identity_id == claim.owner_identity_id
        and signed.thread_id == claim.thread_id
        and signed.expires_at == claim.expires_at
        and set(signed.scope.paths) == set(claim.scope.paths)
    )


def _show(reading: Reading, claim: ActiveClaim, live_tips: int, overlapping: list[str]) -> Shown:
    heard = reading.snapshot.by_id.get(claim.event_id)
    expires = moment(claim.expires_at)
    left = None if reading.view.now is None else (expires - reading.view.now).total_seconds()
    received = moment(heard.record.receipt.received_at) if heard else None
    states: list[tuple[Glyph, str]] = []
    if heard and not says(heard, claim):
        states.append((Glyph.MISMATCH, f"not what {reading.snapshot.number_of(claim.event_id)} says"))
    off = reading.snapshot.clock.uncertainty
    off = off if off > times.MINUTE / 2 else 0.0
    if left is not None and left <= -off:
        states.append((Glyph.EXPIRED, clean(claim.thread_id)))
    if claim.conflicted or claim.competing_event_ids:
        tips = max(live_tips, len(claim.competing_event_ids) + 1)
        states.append((Glyph.BRANCHES, f"{tips} tips · {reading.device(claim.device_id)}"))
    if overlapping:
        more = f" +{len(overlapping) - 1}" if len(overlapping) > 1 else ""
        states.append((Glyph.OVERLAP, f"with {min(overlapping)}{more}"))
    if left is not None and _soon(left):
        states.append((Glyph.EXPIRES_SOON, clean(claim.thread_id)))
    return Shown(
        claim,
        paths_words(sorted(claim.scope.paths)),
        reading.name(claim.owner_identity_id),
        left,
        off,
        (expires - received).total_seconds() if received else HORIZON,
        tuple(states),
    )


def _rows(reading: Reading, shown: list[Shown], width: int) -> tuple[Row, ...]:
    by = min(max((cells(each.by) for each in shown), default=4), 8)
    if reading.view.layout is Layout.NARROW:
        rows = (Row(each.claim.event_id, _narrow(reading, each, width)) for each in shown)
        return spaced(rows, reading.view.height)
    if width >= ONE_LINE:
        return tuple(Row(each.claim.event_id, (_single(reading, each, width, by),)) for each in shown)
    return tuple(Row(each.claim.event_id, _double(reading, each, width, by)) for each in shown)


def _double(reading: Reading, shown: Shown, width: int, by: int) -> tuple[Line, Line]:
    """Two lines: path, by, bar, left; then the state and the generation."""
    bar = 6 if width >= 36 else 0
    left = _left_cells(reading)
    path = max(width - 3 - left - (bar + 1 if bar else 0) - by - 1 - 2, 4)
    generation = dim(f"gen {shown.claim.generation}")
    return (
        columns(
            width,
            Cell(_path(shown, path), path),
            Cell(text(cut_name(shown.by, by)), by, gap=1),
            Cell(_bar(shown, bar), bar, gap=1),
            Cell(left_words(reading, shown), left, right=True),
        ),
        ends(width, _state(shown), generation),
    )


def _single(reading: Reading, shown: Shown, width: int, by: int) -> Line:
    """One line: path, state, by, generation, bar, left."""
    by, generation = max(by, 5), max(5, len(f"gen {shown.claim.generation}"))
    path, bar = 18, 8
    left = _left_cells(reading)
    state = width - 3 - path - 2 - by - 2 - generation - 2 - bar - 1 - left - 2
    return columns(
        width,
        Cell(_path(shown, path), path),
        Cell(_state(shown), state),
        Cell(text(cut_name(shown.by, by)), by),
        Cell(dim(f"gen {shown.claim.generation}"), generation),
        Cell(_bar(shown, bar), bar, gap=1),
        Cell(left_words(reading, shown), left, right=True),
    )


BY_NARROW = 8
BAR_NARROW = 10


def _narrow(reading: Reading, shown: Shown, width: int) -> tuple[Line, Line]:
    """Two lines across the whole screen: the second says when it expires."""
    left = _left_cells(reading)
    path = max(width - 3 - left - 1 - BAR_NARROW - 2 - BY_NARROW - 2, 4)
    expires = dim(f"expires {reading.until(shown.claim.expires_at)}")
    right = BAR_NARROW + 1 + left
    return (
        columns(
            width,
            Cell(_path(shown, path), path),
            Cell(text(cut_name(shown.by, BY_NARROW)), BY_NARROW),
            Cell(_bar(shown, BAR_NARROW), BAR_NARROW, gap=1),
            Cell(left_words(reading, shown), left, right=True),
        ),
        columns(
            width,
            Cell(_state(shown), path),
            Cell(dim(f"gen {shown.claim.generation}"), BY_NARROW),
            Cell(expires, right, right=True),
        ),
    )


def _headings(reading: Reading, width: int) -> Line:
    left = _left_cells(reading)
    path = max(width - 3 - left - 1 - BAR_NARROW - 2 - BY_NARROW - 2, 4)
    return columns(
        width,
        Cell(dim("path"), path),
        Cell(dim("by"), BY_NARROW),
        Cell((), BAR_NARROW, gap=1),
        Cell(dim("left"), left, right=True),
    )


def _path(shown: Shown, width: int) -> Line:
    return text(cut_start(shown.path, width), Ink.STRONG)


def _state(shown: Shown) -> Line:
    """Every state by glyph and word, then the detail of the first; else the thread."""
    if not shown.states:
        return dim(clean(shown.claim.thread_id))
    named = (text(f"{glyph.symbol} {glyph.word}", Ink.ATTN) for glyph, _ in shown.states)
    return joined((*named, dim(shown.states[0][1])), 2)


def _bar(shown: Shown, width: int) -> Line:
    """What is left of the time from receipt to expiry; nothing while the time is unknown."""
    if shown.left is None or width <= 0:
        return ()
    part = 0.0 if shown.length <= 0 else min(max(shown.left / shown.length, 0.0), 1.0)
    full = 0 if shown.left <= 0 else max(round(part * width), 1)
    ink = Ink.ATTN if shown.soon else Ink.DIM
    return tuple(
        span
        for span in (Span(Glyph.LEFT.symbol * full, ink), Span(Glyph.SPENT.symbol * (width - full), Ink.FAINT))
        if span.text
    )


def left_words(reading: Reading, shown: Shown) -> Line:
    """`41 min`; while the service's now is unknown, the time of expiry."""
    if shown.left is None:
        return dim(reading.until(shown.claim.expires_at))
    if shown.left <= -shown.unsure:
        return dim("passed")
    return text(times.about_left(shown.left, shown.unsure), Ink.ATTN if shown.soon else Ink.TEXT)


def _left_cells(reading: Reading) -> int:
    """The cells of what is left: one more for the sign that the clock is unsure."""
    return LEFT + (reading.snapshot.clock.uncertainty > times.MINUTE / 2)


def _scope(worth: Standing, count: int, layout: Layout) -> str:
    match worth:
        case Standing.LOADING:
            return "loading"
        case Standing.UNAVAILABLE:
            return "no view yet"
        case Standing.LAST_GOOD:
            return "last good view"
        case Standing.COMPUTED:
            return f"{worth}, {count} live" if layout is Layout.MEDIUM and count else str(worth)
        case Standing.TRUNCATED:
            return "advisory" if count else "empty so far"
        case Standing.COMPLETE:
            # the tabs of the medium layout leave no right end of the rule for a count
            counted = f"{count} live, advisory" if layout is Layout.MEDIUM else "advisory"
            return counted if count else "empty"


def _info(reading: Reading, worth: Standing, claims: Claims | None, count: int) -> Line:
    if worth is Standing.COMPUTED and reading.view.layout is Layout.MEDIUM:
        return ()
    if worth is not Standing.COMPLETE or claims is None:
        return absence.info(reading, worth, f"{count} live" if count else "")
    if reading.view.layout is Layout.MEDIUM and count:
        return ()
    if reading.view.layout is Layout.NARROW and count:
        return (*text("complete"), *dim(f" · projection of {reading.clock(claims.evaluated_at)}"))
    return text(f"{count} live" if count else "complete")


def banner(reading: Reading, worth: Standing, width: int) -> tuple[Line, ...]:
    """What says that the claims are not the service's of now."""
    match worth:
        case Standing.LAST_GOOD:
            return absence.last_good(reading, width)
        case Standing.COMPUTED:
            return absence.computed(reading, width)
        case _:
            return ()


def _foot(reading: Reading, worth: Standing, claims: Claims | None, width: int) -> tuple[Line, ...]:
    if worth is Standing.TRUNCATED and claims and claims.claims:
        return paragraph(width, MORE)
    if worth is not Standing.COMPLETE or claims is None or reading.view.layout is not Layout.WIDE:
        return ()
    return (words(width, text("complete"), dim(f"projection of {reading.clock(claims.evaluated_at)}")),)


def absent(reading: Reading, worth: Standing, claims: Claims | None, width: int) -> tuple[Line, ...]:
    """What stands where there is no claim to list."""
    match worth:
        case Standing.LOADING:
            return absence.loading(reading, width)
        case Standing.UNAVAILABLE:
            return absence.unavailable(reading, width)
        case Standing.LAST_GOOD:
            return (words(width, dim("None in the last good view.")),)
        case Standing.COMPUTED:
            return absence.none_computed(reading, width, "active claims")
        case Standing.TRUNCATED:
            narrower = "Narrow: corr-tui claims --thread --path"
            return absence.none(reading, width, "None in what arrived. More may exist.", MORE, narrower)
        case Standing.COMPLETE:
            at = f", at projection {reading.clock(claims.evaluated_at)}" if claims and claims.cursor else ""
            return absence.none(reading, width, "No active claims", f"in {reading.scope}{at}.")
