"""Lines from cells: columns, truncation, alignment and the two edges every panel shares (look: space and alignment).

Column 0 is the gutter of the cursor bar and the mark, content starts at column 2 and ends one cell before the edge,
two cells stand between columns. Every line that leaves this module is exactly as wide as asked, whatever it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from corr_tui.ui.glyphs import plain
from corr_tui.ui.line import Changed, Content, Ink, LazyRows, Line, Row, Span, View
from corr_tui.ui.text import ELLIPSIS, cells, clean_lines, cut

START = 2
"""The column content starts at."""
END = 1
"""Cells left free before the right edge."""
GAP = 2
"""Cells between columns."""


class Cell(NamedTuple):
    """One column of one line: its spans, its width, its alignment, and the cells free after it."""

    spans: Line
    width: int
    right: bool = False
    gap: int = GAP


def text(words: str, ink: Ink = Ink.TEXT) -> Line:
    """A line of one span."""
    return (Span(words, ink),) if words else ()


def dim(words: str) -> Line:
    """A line of one dim span."""
    return text(words, Ink.DIM)


def width_of(spans: Iterable[Span]) -> int:
    """How many cells spans take."""
    return sum(cells(span.text) for span in spans)


def blank(width: int) -> Line:
    """A number of empty cells."""
    return (Span(" " * width),) if width > 0 else ()


def cut_start(words: str, width: int) -> str:
    """A path in at most `width` cells, cut at its start: `…api/client` (look: claims)."""
    if cells(words) <= width:
        return words
    if width <= 0:
        return ""
    start = max(len(words) - width, 0)
    while start < len(words) and cells(words[start:]) > width - 1:
        start += 1
    while start < len(words) and cells(words[start]) == 0:
        start += 1
    return ELLIPSIS + words[start:]


def cut_name(words: str, width: int) -> str:
    """A name in at most `width` cells, cut in its middle: numbered names differ at their end, `build…-1`."""
    tail = words[-2:]
    if cells(words) <= width or width < 5 or cells(tail) != 2:
        return cut(words, width)
    return cut(words, width - 2) + tail


def trim(spans: Iterable[Span], width: int) -> Line:
    """Spans in at most `width` cells; what does not fit is cut off the end with an ellipsis."""
    spans = tuple(span for span in spans if span.text)
    if width_of(spans) <= width:
        return spans
    kept: list[Span] = []
    room = width - 1
    for span in spans:
        size = cells(span.text)
        if size > room:
            kept.append(Span(_beginning(span.text, room), span.ink))
            break
        kept.append(span)
        room -= size
    return _with_ellipsis(kept) if width > 0 else ()


def _beginning(words: str, room: int) -> str:
    """As many of the words, which are wider, as `room` cells hold."""
    return cut(f"{words}{ELLIPSIS}{ELLIPSIS}", room + 1).removesuffix(ELLIPSIS)


def _with_ellipsis(kept: list[Span]) -> Line:
    """Spans with the ellipsis right after their last word."""
    while len(kept) > 1 and not kept[-1].text.strip():
        kept.pop()
    last = kept[-1]
    return (*kept[:-1], Span(last.text.rstrip() + ELLIPSIS, last.ink))


def fit(spans: Iterable[Span], width: int, *, right: bool = False) -> Line:
    """Spans in exactly `width` cells: cut at the end or filled with blanks, on the left when right-aligned."""
    kept = trim(spans, width)
    fill = blank(width - width_of(kept))
    return fill + kept if right else kept + fill


def columns(width: int, *parts: Cell) -> Line:
    """One line of a panel: its columns from the left edge, blanks to the right edge."""
    inner: list[Span] = []
    for cell in parts:
        if cell.width > 0:
            inner += fit(cell.spans, cell.width, right=cell.right)
            inner += blank(cell.gap)
    return _framed(fit(_without_end(inner), width - START - END), width)


def ends(width: int, left: Iterable[Span], right: Iterable[Span] = (), gap: int = GAP) -> Line:
    """One line of a panel: something at its left edge, something at its right edge; the left is cut first."""
    inner = max(width - START - END, 0)
    tail = trim(right, inner)
    room = inner - width_of(tail)
    if not tail:
        return _framed(fit(left, inner), width)
    return _framed(fit(fit(left, max(room - gap, 0)) + blank(min(gap, room)) + tail, inner), width)


def words(width: int, *parts: Sequence[Span], gap: int = GAP) -> Line:
    """One line of a panel: parts one after another, a gap between them, empty parts left out."""
    return _framed(fit(joined(parts, gap), width - START - END), width)


def spaced(rows: Iterable[Row], height: int) -> tuple[Row, ...]:
    """Rows with a blank line between them, where `height` lines hold them all so."""
    rows = tuple(rows)
    if sum(len(row.lines) + 1 for row in rows) - 1 > height:
        return rows
    return (*(row._replace(space=1) for row in rows[:-1]), *rows[-1:])


def paragraph(width: int, said: str, ink: Ink = Ink.DIM) -> tuple[Line, ...]:
    """Lines of a panel that hold a sentence, folded at blanks."""
    return tuple(words(width, text(each, ink)) for each in clean_lines(said, max(width - START - END, 1)))


def joined(parts: Iterable[Sequence[Span]], gap: int = GAP) -> Line:
    """Parts one after another with a gap of blanks between them; empty parts are left out."""
    line: list[Span] = []
    for part in parts:
        if part:
            line += (*(blank(gap) if line else ()), *part)
    return tuple(line)


def padded(spans: Iterable[Span], width: int) -> Line:
    """Spans from column 0 in exactly `width` cells."""
    return merged(fit(spans, width))


def merged(line: Iterable[Span]) -> Line:
    """The same line with neighbouring spans of one ink joined."""
    kept: list[Span] = []
    for span in line:
        if kept and (kept[-1].ink is span.ink or not span.text.strip(" ")):
            kept[-1] = Span(kept[-1].text + span.text, kept[-1].ink)
        elif span.text:
            kept.append(span)
    return tuple(kept)


def dimmed(line: Line) -> Line:
    """The same line all dim; graphics stay faint."""
    return merged(Span(span.text, span.ink if span.ink in (Ink.FAINT, Ink.RULE) else Ink.DIM) for span in line)


def finished(content: Content, view: View) -> Content:
    """Content ready to draw: stale rows dim, and everything in ASCII where the view asks for it."""
    if content.stale:
        content = replace(content, rows=_over(content.rows, dimmed))
    if not view.ascii_only:
        return content
    return replace(
        content,
        title=_ascii(content.title),
        scope=_ascii(content.scope),
        info=plain(content.info),
        above=plain(content.above),
        columns=plain(content.columns),
        between=plain(content.between),
        rows=_over(content.rows, plain),
        empty=tuple(map(plain, content.empty)),
        foot=tuple(map(plain, content.foot)),
        banner=tuple(map(plain, content.banner)),
    )


def _ascii(words: str) -> str:
    return "".join(span.text for span in plain(text(words)))


def _over(rows: Sequence[Row], change: Callable[[Line], Line]) -> Sequence[Row]:
    if isinstance(rows, LazyRows):
        return Changed(rows, change)
    return tuple(row._replace(lines=tuple(map(change, row.lines))) for row in rows)


def _without_end(spans: list[Span]) -> Line:
    """Spans without the blanks at their end."""
    while spans and not spans[-1].text.strip(" "):
        spans = spans[:-1]
    return tuple(spans)


def _framed(inner: Line, width: int) -> Line:
    """Content of a panel between its two edges; `width` may be less than the edges take."""
    return padded((*blank(START), *inner, *blank(END)), width)
