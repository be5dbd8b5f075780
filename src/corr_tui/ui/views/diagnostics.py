"""Diagnostics: what is to be known of this corr-tui and of what it shows, and nothing of any participant.

Notices, the link and how it changed, refreshes, the clock, the history kept here, what is unsent, the wake stream. No
secret is in it, and folders of the person at the keyboard are not named, so that it can be handed to somebody else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from corr_tui import __version__
from corr_tui.state.diagnostics import Diagnostics, LinkChange, Refreshed
from corr_tui.state.snapshot import LinkState, ProjectionState, Snapshot
from corr_tui.ui import times
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import dim, finished, fit, joined, text
from corr_tui.ui.line import Content, Ink, Layout, Line, View
from corr_tui.ui.panels.explained import explained
from corr_tui.ui.panels.notices import notices
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import clean
from corr_tui.ui.views.sections import HEADING, SPACE, Entry, Section, rows, sentence, told

LINKS = {
    LinkState.CONNECTING: Glyph.PARTIAL,
    LinkState.LIVE: Glyph.LIVE,
    LinkState.POLLING: Glyph.PARTIAL,
    LinkState.RECONNECTING: Glyph.PARTIAL,
    LinkState.OFFLINE: Glyph.ABSENT,
    LinkState.UNAUTHORIZED: Glyph.ABSENT,
    LinkState.HELD: Glyph.PAUSED,
}
HERE = "by the clock of this machine"
LATEST = "the last on top"
REPORT_WIDTH = 100
"""Cells of a line of the report."""


def content(snapshot: Snapshot, view: View, width: int, diagnostics: Diagnostics, home: str = "") -> Content:
    """Every section. A row's key is its section and its place there; `home` is a folder that is never named."""
    reading = Reading(snapshot, replace(view, thread_id=None))
    return finished(
        Content(
            title="Diagnostics",
            scope="of this corr-tui" if view.layout is Layout.NARROW else "of this corr-tui; of no participant",
            info=_state(snapshot.link.state),
            rows=rows(sections(reading, width, diagnostics, home), width),
        ),
        view,
    )


def report(snapshot: Snapshot, view: View, diagnostics: Diagnostics, home: str = "") -> str:
    """All of it as text, for a report of a fault."""
    shown = content(snapshot, replace(view, layout=Layout.WIDE), REPORT_WIDTH, diagnostics, home)
    lines = [f"corr-tui {__version__}", ""]
    for row in shown.rows:
        line = "".join(span.text for span in row.lines[0]).rstrip()
        lines.append("" if row.key.startswith(SPACE) else line[2:] if row.key.startswith(HEADING) else line)
    return "\n".join(lines) + "\n"


def sections(reading: Reading, width: int, told_of: Diagnostics, home: str) -> Iterator[Section]:
    """What there is to tell, from what may matter most."""
    snapshot = reading.snapshot
    noticed = tuple(
        entry
        for place, each in enumerate(notices(snapshot, seen=True))
        for entry in sentence(str(place + 1), without(each, home), width, key=f"notice {place}")
    )
    explanations = tuple(
        entry
        for place, each in enumerate(explained(reading))
        for entry in sentence(each.about, without(each.words, home), width, key=f"explained {place}")
    )
    yield Section("explained", "Now", "what the header names, in full", explanations)
    if not explanations:
        noticed = noticed or tuple(told("none", dim("nothing is amiss here"), key="notice 0"))
    yield Section("notices", "Notices", "", noticed)
    yield Section("link", "Link", "to the service; of no participant", tuple(_link(reading, told_of, width, home)))
    yield Section("clock", "Clock", "the service’s", tuple(_clock(reading, told_of)))
    yield Section("history", "History", "kept here", tuple(_history(reading, told_of, width, home)))
    yield Section("unsent", "Outbox", "", tuple(_unsent(snapshot)))
    changes = (entry for key, each in _keyed(told_of.links) for entry in _change(reading, each, key, width, home))
    yield Section("changes", "Connection log", f"{LATEST}, {HERE}", tuple(changes))
    met = (entry for key, each in _keyed(told_of.refreshes) for entry in _refreshed(reading, each, key, width, home))
    yield Section("refreshes", "Refreshes", f"{LATEST}, {HERE}", tuple(met))


def without(words: str, home: str) -> str:
    """Words without the folder of a person."""
    return words.replace(home, "~") if len(home) > 1 else words


def _state(state: LinkState) -> Line:
    glyph = LINKS.get(state)  # a recording that has ended has no sign: there is no link
    return text(f"{glyph.symbol} {state}" if glyph else state, Ink.ATTN if glyph is Glyph.ABSENT else Ink.TEXT)


def _link(reading: Reading, told_of: Diagnostics, width: int, home: str) -> Iterator[Entry]:
    snapshot, now = reading.snapshot, reading.view.monotonic
    link, projection = snapshot.link, snapshot.projection
    yield from sentence("service", without(clean(snapshot.service), home), width)
    yield from told("state", joined((_state(link.state), dim(f"for {times.span(max(now - link.since, 0))}")), 2))
    if link.detail:
        yield from sentence("because", without(clean(link.detail), home), width)
    heard = "not yet" if link.heard_at is None else f"{times.span(max(now - link.heard_at, 0))} ago"
    yield from told("heard", text(heard))
    if link.retry_at is not None:
        wait = max(link.retry_at - now, 0)
        yield from told("tries again", joined((text(f"in {times.span(wait)}"), dim(f"attempt {link.attempt + 1}")), 2))
    opened, ended = told_of.wake_opened, told_of.wake_ended
    counted = f"{opened} opened, {ended} ended" if opened else "none opened"
    yield from told("wake", joined((text(counted), dim("streams in this run; that they end is ordinary")), 2))
    said = text(projection.state, Ink.ATTN if projection.state is ProjectionState.UNAVAILABLE else Ink.TEXT)
    read = "" if projection.read_at is None else f"read {times.span(max(now - projection.read_at, 0))} ago"
    yield from told("projected", joined((said, dim(read)), 2))
    if projection.error:
        yield from sentence("", without(clean(projection.error), home), width, Ink.DIM, key="error")


def _clock(reading: Reading, told_of: Diagnostics) -> Iterator[Entry]:
    clock = reading.snapshot.clock
    if reading.view.now is None:
        yield from told("now", text("not known", Ink.ATTN), dim("nothing is counted down while it is not"))
        return
    now = reading.view.now.astimezone(reading.view.zone)
    yield from told("now", joined((text(f"{now:%H:%M:%S}"), dim(times.plus_minus(clock.uncertainty))), 2))
    if told_of.offset is not None:
        way = "ahead of" if told_of.offset >= 0 else "behind"
        yield from told("offset", joined((text(f"{abs(told_of.offset):.1f} s"), dim(f"{way} this machine’s clock")), 2))
    if told_of.measured is not None:
        yield from told("measured", text(f"{times.span(told_of.measured)} ago"))


def _history(reading: Reading, told_of: Diagnostics, width: int, home: str) -> Iterator[Entry]:
    history = reading.snapshot.history
    whole = "whole" if history.complete else "reading stopped here" if history.stopped else "being read"
    cursor = f"#{clean(history.through)}" if history.through else "none"
    yield from told("cursor", joined((text(cursor), dim(whole)), 2))
    if history.target and not history.complete:
        yield from told("reaches", text(f"#{clean(history.target)}"))
    count = max(history.count, len(reading.snapshot.events))
    yield from told(
        "events", joined((text(f"{count} read"), dim(f"{len(reading.snapshot.events)} of them at hand")), 2)
    )
    if told_of.history_bytes is not None:
        size = f"{told_of.history_bytes / 1_000_000:.1f} MB"
        yield from told("file", joined((text(size), dim(f"{clean(told_of.history_file)}, in the data folder")), 2))
    else:
        yield from told("file", dim("none: the history is not kept on disk"))
    if (before := history.apart) is not None:
        noticed = dim(f"{before.count:,} events, kept apart; another was noticed {reading.in_full(before.noticed_at)}")
        yield from told("before", joined((text(f"to #{clean(before.through)}"), noticed), 2))
    if history.trouble:
        yield from sentence("trouble", without(clean(history.trouble), home), width, Ink.ATTN)


def _unsent(snapshot: Snapshot) -> Iterable[Entry]:
    counted, troubles = Counter(each.state for each in snapshot.unsent), snapshot.troubles
    if troubles.outbox:
        return told("unsent", text("not known: the outbox cannot be read", Ink.ATTN))
    if troubles.damaged:
        damaged = text(f"{len(troubles.damaged)} damaged", Ink.ATTN)
        return told("unsent", joined((*(text(f"{count} {state}") for state, count in counted.items()), damaged), 3))
    if not counted:
        return told("unsent", dim("nothing waits here"))
    return told("unsent", joined((text(f"{count} {state}") for state, count in counted.items()), 3))


_Noted = TypeVar("_Noted", LinkChange, Refreshed)


def _keyed(noted: Sequence[_Noted]) -> Iterator[tuple[str, _Noted]]:
    """What was noted, the last on top, each under a key that stays its own while it is kept."""
    seen: Counter[str] = Counter()
    keyed = []
    for each in noted:
        keyed.append((f"{each.at} {seen[each.at]}", each))
        seen[each.at] += 1
    return reversed(keyed)


def _change(reading: Reading, change: LinkChange, key: str, width: int, home: str) -> Iterator[Entry]:
    at = reading.clock(change.at)
    yield from told(at, _state(change.state), key=f"change {key}")
    if change.reason:
        yield from sentence("", without(clean(change.reason), home), width, Ink.DIM, key=f"reason {key}")


def _refreshed(reading: Reading, done: Refreshed, key: str, width: int, home: str) -> Iterator[Entry]:
    took = fit(text(f"{done.seconds * 1000:.0f} ms"), 8, right=True)
    news = text(f"+{done.events}") if done.events else dim("nothing new")
    answers = dim(clean(" · ".join(done.answers) or "no answer"))
    yield from told(reading.clock(done.at), joined((took, fit(news, 11), answers), 2), key=f"refresh {key}")
    if done.trouble:
        yield from sentence("", without(clean(done.trouble), home), width, Ink.ATTN, key=f"trouble {key}")
