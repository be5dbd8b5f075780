"""What stands where there is nothing to list, and what says that a view is not the present one (experience: honesty 1).

Nothing is called empty unless it is known to be. Loading shows where columns will be, never a spinner.
"""

from __future__ import annotations

from corr_tui.state.snapshot import LinkState
from corr_tui.state.standing import CUT_OFF, Standing
from corr_tui.ui import times
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import END, GAP, START, Cell, columns, dim, ends, joined, paragraph, text, width_of, words
from corr_tui.ui.line import Ink, Layout, Line, Span
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import clean

UNAVAILABLE = "Unavailable, not empty"
MORE = "More may exist since."


def loading(reading: Reading, width: int) -> tuple[Line, ...]:
    """Faint dots in the columns' places, and how far the reading has come."""
    rows = tuple(
        columns(width, Cell(_dots(size), max(width - START - END - 8, 0)), Cell(_dots(6), 6, right=True))
        for size in (14, 19, 11, 16)
    )
    return (*rows, reading_history(reading, width))


def _dots(size: int) -> Line:
    return (Span("·" * size, Ink.FAINT),)


def reading_history(reading: Reading, width: int) -> Line:
    """`◐ reading history to #4812, at #3120`, as far as these are known."""
    snapshot = reading.snapshot
    voice, through = snapshot.projection.voice, snapshot.history.through
    reaches = snapshot.history.target or (voice.cursor if voice else "")
    target = f" to #{clean(reaches)}" if reaches else ""
    at = f", at #{clean(through)}" if through else ""
    doing = "connecting" if snapshot.link.state is LinkState.CONNECTING else f"reading history{target}{at}"
    return words(width, dim(f"{Glyph.PARTIAL.symbol} {doing}"))


def unavailable(reading: Reading, width: int) -> tuple[Line, ...]:
    """There is no view, and why."""
    return (
        words(width, text(UNAVAILABLE, Ink.STRONG)),
        *paragraph(width, reason(reading)),
        *paragraph(width, part_read(reading)),
        words(width, ask_again(reading)),
    )


def part_read(reading: Reading) -> str:
    """Why nothing is computed here in place of the service's view: not all of the history is."""
    history = reading.snapshot.history
    if history.complete or not history.through:
        return ""
    if history.folding:
        return f"What follows from the history to #{clean(history.through)} is being computed."
    return f"History is read to #{clean(history.through)} only, which is too little to compute it here."


def none(reading: Reading, width: int, sentence: str, *more: str) -> tuple[Line, ...]:
    """A sentence that names what there is none of, what bounds it, and one key."""
    return (
        words(width, text(sentence, Ink.STRONG)),
        *(line for each in more for line in paragraph(width, each)),
        words(width, reading.key("refresh", "asks again")),
    )


def reason(reading: Reading) -> str:
    """Why the view cannot be had."""
    snapshot = reading.snapshot
    if snapshot.link.state is LinkState.HELD:
        return "Paused by me: nothing is asked of the service."
    if snapshot.link.state in CUT_OFF:
        return clean(snapshot.link.detail) or "No connection to the service."
    return "The service could not calculate this view."


def ask_again(reading: Reading) -> Line:
    """The key that asks again, and when that happens by itself."""
    if reading.snapshot.link.state is LinkState.HELD:
        return reading.key("hold", "goes on")
    retry_at = reading.snapshot.link.retry_at
    wait = None if retry_at is None else retry_at - reading.view.monotonic
    soon = dim(f"retrying in {times.span(wait)}") if wait is not None and wait >= 1 else ()
    return joined((reading.key("refresh", "asks again"), soon), 3)


def age(reading: Reading) -> str:
    """How old the last good view is: `6 min old`."""
    read_at = reading.snapshot.projection.read_at
    if read_at is None:
        return "not current"
    return f"{times.span(max(reading.view.monotonic - read_at, 0))} old"


def last_good(reading: Reading, width: int) -> tuple[Line, ...]:
    """The banner under a view that is the last good one."""
    voice = reading.snapshot.projection.voice
    as_of = f"As of {reading.clock(voice.evaluated_at)}. " if voice else ""
    return _banner(reading, width, UNAVAILABLE, f"{as_of}{MORE}", ask_again(reading))


def computed(reading: Reading, width: int) -> tuple[Line, ...]:
    """The banner under a view computed here: from what, and why not the service's."""
    made = reading.snapshot.computed
    to = f"to #{clean(made.through)}" if made and made.through else "so far"
    cut_off = reading.snapshot.link.state in CUT_OFF
    why = MORE if cut_off else "Service view unavailable."
    if made and reading.now is None:  # nothing says what has lapsed since
        why = f"As of {reading.clock(made.claims.evaluated_at)}. {why}"
    keys = ask_again(reading) if cut_off or reading.view.layout is not Layout.WIDE else ()
    return _banner(reading, width, "Computed here", f"From complete history {to}. {why}", keys)


def _banner(reading: Reading, width: int, what: str, more: str, keys: Line) -> tuple[Line, ...]:
    """What a view is, more of it, and a key: in one line where there is room for every word, else in several."""
    line = (*text(what, Ink.STRONG), *dim(f"  {more}"))
    room = width - START - END
    if reading.view.layout is not Layout.WIDE and width_of(line) + (width_of(keys) + GAP if keys else 0) <= room:
        return (ends(width, line, keys),)
    folded = paragraph(width, more)
    if reading.view.layout is not Layout.WIDE and width_of(text(what)) + GAP + width_of(keys) <= room:
        return (ends(width, text(what, Ink.STRONG), keys), *folded)
    return (words(width, text(what, Ink.STRONG)), *folded, *((words(width, keys),) if keys else ()))


def none_computed(reading: Reading, width: int, what: str) -> tuple[Line, ...]:
    """There is none in what is computed here; cut off from the service, that says nothing about now."""
    made = reading.snapshot.computed
    to = f" to #{clean(made.through)}" if made and made.through else ""
    if reading.snapshot.link.state in CUT_OFF:
        return none(reading, width, f"No {what} in events{to}", MORE)
    return none(reading, width, f"No {what}", f"in {reading.scope}, computed here from events{to}.")


def info(reading: Reading, worth: Standing, count: str) -> Line:
    """The right end of a panel's rule: how many, or what the view is worth."""
    match worth:
        case Standing.LOADING:
            return ()
        case Standing.UNAVAILABLE:
            return text("unavailable", Ink.ATTN)
        case Standing.LAST_GOOD:
            return text(age(reading), Ink.ATTN)
        case Standing.TRUNCATED:
            counted = (*text(f"{count} "), *dim("· ")) if count else ()
            return (*counted, *text("truncated", Ink.ATTN))
        case Standing.COMPLETE | Standing.COMPUTED:
            return text(count)
