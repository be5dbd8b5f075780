"""What is told of one claim beside its bar or its node: its events, its expiry, and what it meets (§6; look: timeline).

A claim is advisory: a report, not a hold on files. What is said here is what was received and signed; what expires
leaves the live list, and nothing else happens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from corr_tui.protocol.paths import overlapping
from corr_tui.state.claimed import ClaimHistory, Node, NodeState
from corr_tui.state.snapshot import Snapshot, moment
from corr_tui.state.standing import claims_view
from corr_tui.ui import times
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import END, START, dim, finished, joined, text, words
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, View
from corr_tui.ui.panels.blocks import beside, labelled
from corr_tui.ui.panels.reading import Reading, paths_words
from corr_tui.ui.panels.told import Told
from corr_tui.ui.text import clean
from corr_tui.ui.views.claim_bars import STATES
from corr_tui.ui.views.why import why_of

ADVISORY = "an advisory claim: a report, not a hold on files"
RENEWALS = 3
"""Renewals named one by one; the last ones."""
OVERLAPS = 2
"""Claims named that overlap."""


def details(snapshot: Snapshot, view: View, width: int, history: ClaimHistory | None, event_id: str | None) -> Content:
    """One branch of a claim, or without an event id the claim and all its branches. Rows are keyed by their line."""
    reading = Reading(snapshot, view)
    node = history.nodes.get(event_id or "") if history else None
    if history is None or (event_id is not None and node is None):
        return finished(_nothing(width), view)
    left = list(_events(reading, history, node)) if node else list(_branches(reading, history))
    right = list(_meets(reading, history, node)) if node else []
    any_node = node or next(iter(history.nodes.values()))
    return finished(
        Content(
            title="Selected",
            scope=paths_words(sorted(any_node.claim.scope.paths)),
            info=dim(ADVISORY) if view.layout is not Layout.NARROW else dim("advisory"),
            rows=_rows(left, right, view, width),
        ),
        view,
    )


def _nothing(width: int) -> Content:
    lines = (
        words(width, text("No claim selected", Ink.STRONG)),
        words(width, dim("The cursor of the rows above selects one.")),
    )
    return Content(title="Selected", empty=lines)


def _rows(left: Sequence[Told], right: Sequence[Told], view: View, width: int) -> tuple[Row, ...]:
    lines: list[Line] = []
    if view.layout is Layout.NARROW:
        room = width - START - END
        lines = [words(width, each) for each in labelled([*left, *right], room)]
    else:
        second = START + (width - START) // 2
        lines = [
            beside(width, (START, one), (second, two))
            for one, two in zip_longest(
                labelled(left, second - START - 2), labelled(right, width - END - second), fillvalue=()
            )
        ]
        if view.height > len(lines):
            lines.insert(0, beside(width))
    return tuple(Row(str(place), (line,)) for place, line in enumerate(lines))


def _events(reading: Reading, history: ClaimHistory, node: Node) -> Iterator[Told]:
    """Its opening, renewals and release, when it expires, and what it rests on."""
    path = history.path(node.claim.event_id)
    first, claim = path[0], node.claim
    sender = f"by {reading.name(claim.identity_id)} on {reading.device(claim.device_id)} · {clean(claim.thread_id)}"
    if first.claim.predecessor_event_id is None:
        yield Told("opened", _receipt(reading, first), dim(f"received · {sender}"))
    else:
        yield Told("from", _receipt(reading, first), dim(f"the first event of it here · {sender}"))
    renewals = [each for each in path[1:] if not each.claim.is_release]
    if renewals:
        more = dim(f"and {len(renewals) - RENEWALS} before") if len(renewals) > RENEWALS else ()
        shown = [_receipt(reading, each) for each in renewals[-RENEWALS:]]
        yield Told("renewed", *shown, more, gap=3)
    if claim.is_release:
        yield Told("released", _receipt(reading, node), dim("by its own sender"))
    if claim.expires_at is not None:
        yield Told("expires", text(reading.in_full(claim.expires_at)), dim(_from_now(reading, claim.expires_at)))
    state, why = node.state(reading.now), why_of(reading, history, node)
    if why:
        yield Told("stands as", text(f"{STATES[state].symbol} {state}"), dim(why))
    if claim.scope.base_revision is not None:
        branch = f"branch {clean(claim.scope.branch)}, as reported" if claim.scope.branch is not None else "as reported"
        yield Told("base", text(f"{claim.scope.base_revision[:8]}…"), dim(branch))


def _receipt(reading: Reading, node: Node) -> Line:
    number, at = reading.number(node.claim.event_id), reading.clock(node.heard.received_at)
    return joined((text(number), dim(at)), 2)


def _from_now(reading: Reading, expires_at: str) -> str:
    if reading.view.now is None:
        return "as signed"
    left = (moment(expires_at) - reading.view.now).total_seconds()
    if left <= 0:
        return "as signed · passed"
    return f"as signed · {times.about_left(left, reading.snapshot.clock.uncertainty)} from now"


def _branches(reading: Reading, history: ClaimHistory) -> Iterator[Told]:
    """The tips of a claim with several, by event id."""
    yield Told("branches", text("none preferred"), dim("in the order of event ids"))
    for node in history.branches:
        state = node.state(reading.now)
        claim = node.claim
        yield Told(
            reading.number(claim.event_id),
            text(f"{STATES[state].symbol} {state}"),
            dim(f"gen {claim.generation} · {reading.device(claim.device_id)}"),
        )


def _meets(reading: Reading, history: ClaimHistory, node: Node) -> Iterator[Told]:
    """The live claims it overlaps, its other branches, and what happens at its expiry."""
    state = node.state(reading.now)
    live = claims_view(reading.snapshot)
    others = sorted(
        (
            each
            for each in (live.claims if live and state is NodeState.LIVE else ())
            if each.claim_id != node.claim.claim_id and overlapping(each.scope.paths, node.claim.scope.paths)
        ),
        key=lambda each: (min(each.scope.paths), each.event_id),
    )
    for place, each in enumerate(others[:OVERLAPS]):
        by = f"{reading.name(each.owner_identity_id)} gen {each.generation} · same prefix rule"
        more = f" · and {len(others) - OVERLAPS} more" if place == OVERLAPS - 1 and len(others) > OVERLAPS else ""
        yield Told("overlaps", text(paths_words(sorted(each.scope.paths))), dim(f"{by}{more}"))
    tips = [each for each in history.branches if each.status == "valid"]
    if len(tips) > 1 and node.status == "valid":  # what continues an event is no branch beside it
        numbers = [reading.number(each.claim.event_id) for each in tips if each is not node]
        shown = ", ".join(numbers[:4]) + (f" and {len(numbers) - 4} more" if len(numbers) > 4 else "")
        yield Told("branches", text(f"{Glyph.BRANCHES.symbol} {shown}", Ink.ATTN), dim("none preferred"))
    if state is NodeState.LIVE:
        yield Told("at expiry", dim("leaves the live list; nothing else happens"))
