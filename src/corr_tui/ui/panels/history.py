"""How much of the history is at hand, and what keeps it from being kept, in words (experience: honesty 1).

What is not read is said to be not read, and nothing of it is guessed. A history that turned out to be another one is
never shown as if it went on.
"""

from __future__ import annotations

from corr_tui.state.snapshot import History
from corr_tui.state.standing import CUT_OFF
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import dim, ends, joined, text, words
from corr_tui.ui.line import Ink, Line
from corr_tui.ui.panels.notices import history_notices
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import clean, cut


def history_banner(reading: Reading, width: int) -> tuple[Line, ...]:
    """The banner of the events: a history lost or not kept; nothing when all is well."""
    found = history_notices(reading.snapshot.history)[:1]
    in_full, room = reading.key("view.diagnostics", "in full"), max(width - 16, 8)
    return tuple(ends(width, text(cut(each, room), Ink.STRONG), in_full) for each in found)


def history_foot(reading: Reading, width: int) -> tuple[Line, ...]:
    """`◐ reading history to #4812, at #3120   S stops reading`; nothing where a short read will do, or all is read."""
    if not reading.snapshot.events or reading.snapshot.history.complete:
        return ()
    history, state = reading.snapshot.history, reading.snapshot.link.state
    if history.stopped:
        said = dim(f"{Glyph.ABSENT.symbol} reading stopped{_at(history)}; more is not read")
        return (words(width, joined((said, reading.key("history.stop", "goes on")), 3)),)
    if history.target is None or state in CUT_OFF:
        return ()
    said = dim(f"{Glyph.PARTIAL.symbol} reading history to #{clean(history.target)}{_at(history, ', at')}")
    return (words(width, joined((said, reading.key("history.stop", "stops reading")), 3)),)


def _at(history: History, word: str = " at") -> str:
    return f"{word} #{clean(history.through)}" if history.through else ""
