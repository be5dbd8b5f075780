"""The conflicts panel: what stands against each other, with no side preferred (§6, §8; look: conflicts; honesty 3).

Kinds stand in one fixed order and sides by event id; no side is highlighted, and nothing here resolves anything.
"""

from __future__ import annotations

from collections import Counter

from corr_tui.state.conflicts import Conflict, ConflictKind, conflicts
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.standing import Standing, conflicts_standing
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import Cell, columns, cut_start, dim, ends, finished, joined, paragraph, spaced, text, words
from corr_tui.ui.line import Content, Ink, Layout, Line, Row, View
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.reading import Reading, paths_words, quote
from corr_tui.ui.text import cells

ONE_LINE = 80
"""Cells from which a conflict takes one line, but in the narrow layout."""
WORD = 8
GLYPHS = {
    ConflictKind.BRANCHES: Glyph.BRANCHES,
    ConflictKind.FORK: Glyph.FORK,
    ConflictKind.MISSING: Glyph.ABSENT,
    ConflictKind.OVERLAP: Glyph.OVERLAP,
    ConflictKind.RAISED: Glyph.RAISED,
}
LEAST_PATH = 5
"""Cells of a path that is cut, at least."""
MORE = "More conflicts may exist than arrived."


def content(snapshot: Snapshot, view: View, width: int) -> Content:
    """The conflicts the service names and those among the events heard here. A row's key names its events."""
    reading = Reading(snapshot, view)
    worth = conflicts_standing(snapshot)
    found = [each for each in conflicts(snapshot) if _in_scope(each, view)]
    count = str(len(found)) if found else ""
    return finished(
        Content(
            title=reading.heading if view.layout is Layout.NARROW else "Conflicts",
            scope=_scope(worth, len(found), view.layout),
            info=_info(reading, worth, count),
            rows=_rows(reading, found, width),
            empty=() if found else _empty(reading, worth, width),
            foot=_foot(worth, bool(found), width),
            banner=_banner(reading, worth, bool(found), width),
            stale=worth is Standing.LAST_GOOD,
        ),
        view,
    )


def _in_scope(conflict: Conflict, view: View) -> bool:
    """Whether a conflict touches the chosen thread; one whose threads nobody knows is always shown."""
    return view.thread_id is None or not conflict.threads or view.thread_id in conflict.threads


def _rows(reading: Reading, found: list[Conflict], width: int) -> tuple[Row, ...]:
    alike = _alike(reading, found)
    if width >= ONE_LINE and reading.view.layout is not Layout.NARROW:
        return tuple(Row(each.key, (_single(reading, each, width, each.key in alike),)) for each in found)
    rows = (Row(each.key, _double(reading, each, width, each.key in alike)) for each in found)
    return spaced(rows, reading.view.height)


def _alike(reading: Reading, found: list[Conflict]) -> frozenset[str]:
    """The overlaps that names and paths alone do not tell apart: with several tips of one claim, say."""
    overlaps = {each.key: _told(reading, each) for each in found if each.kind is ConflictKind.OVERLAP}
    counts = Counter(overlaps.values())
    return frozenset(key for key, told in overlaps.items() if counts[told] > 1)


def _told(reading: Reading, conflict: Conflict) -> tuple[object, ...]:
    return (
        subject(reading, conflict),
        *sorted((reading.name(each.identity_id), each.paths) for each in conflict.sides),
    )


def _double(reading: Reading, conflict: Conflict, width: int, numbered: bool) -> tuple[Line, Line]:
    room = max(width - 3 - 2 - WORD - 2, 0)
    return (
        columns(width, *_named(conflict), Cell(text(subject(reading, conflict), Ink.STRONG), room)),
        columns(width, Cell((), 1, gap=1), Cell((), WORD), Cell(parties(reading, conflict, room, numbered), room)),
    )


def _single(reading: Reading, conflict: Conflict, width: int, numbered: bool) -> Line:
    room = max(width - 3 - 2 - WORD - 2, 0)
    name = min(26, room // 2)
    rest = room - name - 2
    return columns(
        width,
        *_named(conflict),
        Cell(text(subject(reading, conflict), Ink.STRONG), name),
        Cell(parties(reading, conflict, rest, numbered), rest),
    )


def _named(conflict: Conflict) -> tuple[Cell, Cell]:
    return (
        Cell(text(GLYPHS[conflict.kind].symbol, Ink.ATTN), 1, gap=1),
        Cell(text(conflict.kind.value, Ink.ATTN), WORD),
    )


def subject(reading: Reading, conflict: Conflict) -> str:
    """What the conflict is about."""
    match conflict.kind:
        case ConflictKind.BRANCHES | ConflictKind.OVERLAP:
            return paths_words(sorted(conflict.paths))
        case ConflictKind.FORK:
            return f"{_names(reading, conflict)} sequence {conflict.session_seq}"
        case ConflictKind.MISSING:
            count = len(conflict.missing)
            of = reading.number(conflict.event_ids[0])
            return f"{count} parent{'s' if count > 1 else ''} of {of}"
        case ConflictKind.RAISED:
            return f" {Glyph.OVERLAP.symbol} ".join(map(reading.number, conflict.event_ids))


def parties(reading: Reading, conflict: Conflict, room: int, numbered: bool) -> Line:
    """Its sides, by event id, in `room` cells; of a raised one who raises it, and with which words.

    `numbered` is whether the sides of an overlap need their events' numbers to be told from those of another.
    """
    match conflict.kind:
        case ConflictKind.BRANCHES:
            return dim(f"{_names(reading, conflict)} · {_tips(conflict)}")
        case ConflictKind.OVERLAP:
            return dim(_overlapping(reading, conflict, room, numbered))
        case ConflictKind.FORK:
            return dim(" · ".join(map(reading.number, conflict.event_ids)))
        case ConflictKind.MISSING:
            return dim(" · ".join(map(reading.number, conflict.missing)))
        case ConflictKind.RAISED:
            return _raised(reading, conflict)


def _overlapping(reading: Reading, conflict: Conflict, room: int, numbered: bool) -> str:
    """`ana · bo`, `ana #3 · bo #7`, and the path of each side where the two differ: `ana src/api/client · bo src/api`.

    Paths share what room the names leave, and are cut at their start. Where too little of them would be left, only the
    one that the subject does not name stands, or none: a path cut to a letter tells nothing.
    """
    names = [reading.name(side.identity_id) for side in conflict.sides]
    if numbered:
        names = [f"{name} {reading.number(side.event_id)}" for name, side in zip(names, conflict.sides, strict=True)]
    paths = [paths_words(side.paths) if side.paths else "" for side in conflict.sides]
    if len(set(paths)) < 2 or not all(paths):
        return " · ".join(names)
    spare = max(room - sum(map(cells, names)) - len(names) - 3 * (len(names) - 1), 0)
    short, long = sorted(paths, key=cells)
    shown = {short: cut_start(short, spare // 2)}
    shown[long] = cut_start(long, spare - cells(shown[short]))
    if not all(_tells(path, shown[path]) for path in paths):
        other = next((path for path in (short, long) if path != subject(reading, conflict)), short)
        cut = cut_start(other, spare + 1)  # the blank before the path that is not shown
        shown = {other: cut} if _tells(other, cut) else {}
    return " · ".join(f"{name} {shown.get(path, '')}".rstrip() for name, path in zip(names, paths, strict=True))


def _tells(path: str, shown: str) -> bool:
    """Whether what is left of a path tells which it is."""
    return shown == path or cells(shown) >= LEAST_PATH


def _raised(reading: Reading, conflict: Conflict) -> Line:
    """`by lin  “…”`."""
    heard = reading.snapshot.by_id.get(conflict.raised_by)
    event = heard.event if heard else None
    if event is None:
        return ()
    by = dim(f"by {reading.name(event.sender.identity_id)}")
    return joined((by, quote(getattr(event.body, "summary", None), Ink.DIM)), 2)


def _names(reading: Reading, conflict: Conflict) -> str:
    return " · ".join(map(reading.name, conflict.identities)) or reading.name(None)


def _tips(conflict: Conflict) -> str:
    """`2 tips, both gen 3`, `2 roots`, `3 tips, gen 2, 3, 4`."""
    count = len(conflict.sides)
    if all(side.root for side in conflict.sides):
        return f"{count} roots"
    generations = sorted({side.generation for side in conflict.sides if side.generation is not None})
    if not generations:
        return f"{count} tips"
    if len(generations) == 1 and all(side.generation is not None for side in conflict.sides):
        return f"{count} tips, {'both' if count == 2 else 'all'} gen {generations[0]}"
    return f"{count} tips, gen {', '.join(map(str, generations))}"


def _scope(worth: Standing, count: int, layout: Layout) -> str:
    match worth:
        case Standing.LAST_GOOD:
            return "last good view"
        case Standing.COMPUTED:
            return f"{worth}, {count}" if layout is Layout.MEDIUM and count else str(worth)
        case Standing.UNAVAILABLE:
            return "in events here" if count else "no view yet"
        case Standing.LOADING:
            return "in events here" if count else "loading"
        case Standing.TRUNCATED:
            return "none preferred" if count else "none so far"
        case Standing.COMPLETE:
            # the tabs of the medium layout leave no right end of the rule for a count
            counted = f"{count}, none preferred" if layout is Layout.MEDIUM else "none preferred"
            return counted if count else "none"


def _info(reading: Reading, worth: Standing, count: str) -> Line:
    if worth is Standing.COMPUTED and reading.view.layout is Layout.MEDIUM:
        return ()
    if worth is not Standing.COMPLETE:
        return absence.info(reading, worth, count)
    return () if count and reading.view.layout is Layout.MEDIUM else text(count or "complete")


def _foot(worth: Standing, some: bool, width: int) -> tuple[Line, ...]:
    return paragraph(width, MORE) if worth is Standing.TRUNCATED and some else ()


def _banner(reading: Reading, worth: Standing, some: bool, width: int) -> tuple[Line, ...]:
    banner = _worth_banner(reading, worth, some, width)
    return (*banner, _differs(reading, width)) if reading.snapshot.differs else banner


def _differs(reading: Reading, width: int) -> Line:
    """`Differs from what is computed here   D in full`."""
    said = "Not as computed here" if width < 56 else "Differs from what is computed here"
    return ends(width, text(said, Ink.STRONG), reading.key("view.diagnostics", "in full"))


def _worth_banner(reading: Reading, worth: Standing, some: bool, width: int) -> tuple[Line, ...]:
    if worth is Standing.LAST_GOOD:
        return absence.last_good(reading, width)
    if worth is Standing.COMPUTED:
        return absence.computed(reading, width)
    if worth is Standing.UNAVAILABLE and some:
        return (words(width, text("Branches and overlaps unavailable", Ink.STRONG)),)
    return ()


def _empty(reading: Reading, worth: Standing, width: int) -> tuple[Line, ...]:
    match worth:
        case Standing.LOADING:
            return absence.loading(reading, width)
        case Standing.UNAVAILABLE:
            return absence.unavailable(reading, width)
        case Standing.LAST_GOOD:
            return (words(width, dim("None in the last good view.")),)
        case Standing.COMPUTED:
            return absence.none_computed(reading, width, "conflicts")
        case Standing.TRUNCATED:
            return absence.none(reading, width, "None in what arrived. More may exist.", MORE)
        case Standing.COMPLETE:
            voice = reading.snapshot.projection.voice
            at = f", at projection {reading.clock(voice.evaluated_at)}" if voice and voice.cursor else ""
            return absence.none(reading, width, "No conflicts", f"in {reading.scope}{at}.")
