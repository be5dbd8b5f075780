"""What was declared about one event: who acknowledged it, how, and when that was received (§5; experience: honesty 4).

Each of the five declarations stands by itself; none implies the one before it. A dash is silence, which is not assent.
"""

from __future__ import annotations

from corr_tui.protocol.bodies import ACK_KINDS
from corr_tui.state.facts import Declaration
from corr_tui.state.projection import facts
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import dim, joined, text
from corr_tui.ui.line import Ink, Line
from corr_tui.ui.panels.reading import Reading

LIMITS = {
    "ack.applied": "Applied is a report; Git can tell.",
    "ack.accepted": "Accepted is not applied, nor authority.",
    "ack.understood": "Understood is not agreed.",
    "ack.seen": "Seen is not understood, nor agreed.",
    "ack.rejected": "Declining is no judgement.",
}
"""What the furthest declaration does not establish."""
SILENCE = "Silence is not assent."


def word(kind: str) -> str:
    """`seen` for `ack.seen`."""
    return kind.removeprefix("ack.")


def by_kind(event_id: str, reading: Reading) -> dict[str, tuple[Declaration, ...]]:
    """The declarations about an event by kind, all five kinds, each identity once with its first."""
    found: dict[str, dict[str, Declaration]] = {kind: {} for kind in ACK_KINDS}
    for each in facts(reading.snapshot).declared.get(event_id, ()):
        found[each.kind].setdefault(each.identity_id, each)
    return {kind: tuple(each.values()) for kind, each in found.items()}


def limit(event_id: str, reading: Reading) -> str:
    """The sentence that bounds what was declared."""
    found = by_kind(event_id, reading)
    return next((words for kind, words in LIMITS.items() if found[kind]), SILENCE)


def rows(event_id: str, reading: Reading) -> list[tuple[Line, Line, Line]]:
    """For each declaration: its word, who, and when the first of them was received."""
    lines: list[tuple[Line, Line, Line]] = []
    for kind, said in by_kind(event_id, reading).items():
        if not said:
            lines.append((dim(word(kind)), dim(Glyph.SILENCE.symbol), ()))
            continue
        names = ", ".join(reading.name(each.identity_id) for each in said)
        lines.append((text(word(kind)), text(names, Ink.STRONG), dim(reading.clock(said[0].received_at))))
    return lines


def in_one_line(event_id: str, reading: Reading, *, every: bool) -> Line:
    """`seen bo 14:02   understood —`: every declaration, or those made and that there are no others."""
    parts: list[Line] = []
    silent = 0
    for kind, said in by_kind(event_id, reading).items():
        if said:
            when = reading.clock(said[0].received_at, seconds=False)
            more = f" +{len(said) - 1}" if len(said) > 1 else ""
            names = f" {reading.name(said[0].identity_id)} {when}{more}"
            parts.append((*dim(word(kind)), *text(names)) if every else (*text(word(kind)), *dim(names)))
        elif every:
            parts.append(dim(f"{word(kind)} {Glyph.SILENCE.symbol}"))
        else:
            silent += 1
    if not every:
        further = "nothing further so far" if parts else f"{Glyph.SILENCE.symbol}  nothing so far"
        parts += [dim(further)] if silent else []
    return joined(parts, 3)
