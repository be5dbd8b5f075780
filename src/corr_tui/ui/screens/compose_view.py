"""What the composer shows: a heading, the facts, the fields, what it says and does not, the bytes, the strokes.

Everything is drawn from a Composition, the Snapshot now, the one it was opened on, and where the posting stands. How
strokes move those is `compose`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.reactive import reactive
from textual.screen import ModalScreen

from corr_tui.state.border import Sent
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui import composer_lines as draw
from corr_tui.ui.commands import Command, find
from corr_tui.ui.composition import Composition
from corr_tui.ui.held_key import HeldKey
from corr_tui.ui.layout import dim, ends, width_of
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.posting import Phase, Posting
from corr_tui.ui.revision_here import RevisionHere
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.theme import Ground
from corr_tui.ui.waiting import waiting_words, waits
from corr_tui.ui.widgets.inked import Inked
from corr_tui.ui.widgets.stroke import Stroke
from corr_tui.ui.widgets.word_field import WordField

STROKE_GAP = 2
"""Cells between strokes, at least."""
READING_ONLY = "no signing key here: reading only"
CANNOT_SIGN = "cannot sign here: reading only"
"""Said with the hindrance beside it."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """The row of the event the composer is pinned to, as it stands on the board: it keeps its ink there."""

    lines: tuple[Line, ...]
    x: int
    y: int
    """Of its first line, on the screen."""
    width: int


class ComposeView(ModalScreen[Sent | None]):
    """The composer as it stands; `compose.ComposeScreen` gives it its posting and its strokes."""

    CSS_PATH = stylesheet("compose.tcss")
    AUTO_FOCUS = ""

    snapshot: reactive[Snapshot] = reactive(lambda: Snapshot(repository_id=""), init=False)

    _posting: Posting
    _held: HeldKey
    _here: RevisionHere

    def __init__(
        self,
        composition: Composition,
        snapshot: Snapshot,
        *,
        pinned: Pinned | None,
        ascii_only: bool,
        commands: Sequence[Command],
    ) -> None:
        super().__init__()
        self._composition = composition
        self._opened = snapshot
        self._pinned = pinned
        self._ascii_only = ascii_only
        self._commands = commands
        self._bytes_shown = False
        self._elsewhere = False
        """Whether somebody writes in an editor of their own."""
        self._laid_out_for: Size | None = None
        self.set_reactive(ComposeView.snapshot, snapshot)

    def compose(self) -> ComposeResult:
        """The pinned row over the board, and the composer at the foot."""
        if self._pinned is not None:
            lines = self._pinned.lines
            yield self._inked(lambda width: lines, "pinned", Ground.CURSOR)
        with Vertical(id="composer"):
            yield self._inked(lambda width: (draw.heading(self._seen, width),), "heading")
            with Horizontal(id="body"):
                with VerticalScroll(id="main", can_focus=False):
                    yield self._inked(lambda width: draw.facts(self._seen, width), "facts")
                    for asked in self._composition.asked:
                        yield WordField(asked, self._composition.word(asked.name), ascii_only=self._ascii_only)
                    yield self._inked(self._meaning, "meaning")
                    yield self._inked(self._bytes, "bytes")
                yield self._inked(self._aside, "aside")
            with Horizontal(id="strokes"):
                yield Stroke(self._post_label, "post", id="post", ascii_only=self._ascii_only)
                for name in ("edit", "editor", "bytes", "close"):
                    yield self._stroke(name)
                yield self._inked(lambda width: (ends(width, (), dim(self._once())),), "once")
            yield self._inked(self._armed, "armed", Ground.CANVAS)

    def on_resize(self, event: events.Resize) -> None:
        """Wide, roomy, low: what stands beside what follows the size."""
        width, height = event.size
        if self._laid_out_for not in (None, event.size):
            self._pinned = None  # the board behind is laid out anew, and the row stands elsewhere
            self.query("#pinned").remove()
        self._laid_out_for = event.size
        self.set_class(width >= draw.WIDE, "-wide")
        self.set_class(height >= 40, "-roomy")
        self.set_class(height < 20, "-low")
        # Rows that are not the body: heading, strokes, the last line, and the pinned row with one above it.
        others = 11 if height >= 40 else 7 if height >= 20 else 4
        self.query_one("#body").styles.max_height = max(height - others, 4)
        self._redraw()

    @property
    def _seen(self) -> draw.Seen:
        return draw.Seen(self._composition, self.snapshot, self._opened, self._posting.prepared)

    @property
    def _fields(self) -> list[WordField]:
        return list(self.query(WordField))

    @property
    def _editing(self) -> WordField | None:
        return next((field for field in self._fields if field.editing), None)

    @property
    def _can_write(self) -> bool:
        me = self.snapshot.me
        return me is not None and me.can_sign and self._posting.phase is Phase.OPENED

    def _edit(self, field: WordField) -> None:
        """Write in this field and no other."""
        if not self._can_write:
            return
        for other in self._fields:
            if other.editing and other is not field:
                other.finish()
        field.edit()
        self._redraw()

    def take_typed(self, text: str) -> bool:
        """Text that was typed before the field had the focus; False where nobody writes."""
        field = self._editing
        if field is not None:
            field.add(text)
        return field is not None

    def _inked(self, lines: Callable[[int], tuple[Line, ...]], name: str, ground: Ground = Ground.PANEL) -> Inked:
        return Inked(lines, ground=ground, ascii_only=self._ascii_only, id=name)

    def _stroke(self, name: str) -> Stroke:
        command = find(f"compose.{name}", self._commands)
        return Stroke(
            lambda: self._stroke_label(name, self._terseness()),
            command.action,
            id=f"stroke-{name}",
            ascii_only=self._ascii_only,
        )

    def _stroke_label(self, name: str, terseness: int) -> Line:
        """A key and its verb; the terser, the fewer words, from the right."""
        sending = self._posting.phase is Phase.SENDING or self._posting.waits
        if name == "edit":
            verb = self._composition.next_asked.label
        elif name == "editor":
            verb = "your editor" if terseness == 0 else "editor"
        elif name == "bytes":
            verb = "bytes" if terseness > 1 else "hide bytes" if self._bytes_shown else "signed bytes"
        elif self._editing is not None:
            verb = "ends writing"
        elif terseness:
            verb = "closes"
        else:
            verb = "closes, sending goes on" if sending else "closes, posts nothing"
        return (Span(find(f"compose.{name}", self._commands).shown, Ink.KEY), Span(f" {verb}", Ink.DIM))

    def _terseness(self) -> int:
        """0 to 2: how much has to be left out for all strokes to stand in one line."""
        names = ("edit", "bytes", "close") if self._editing is None else ("editor", "close")
        for terseness in range(2):
            labels = [self._stroke_label(name, terseness) for name in names]
            if (
                width_of(self._post_label()) + sum(width_of(label) + STROKE_GAP for label in labels)
                < self.size.width - 2
            ):
                return terseness
        return 2

    def _meaning(self, width: int) -> tuple[Line, ...]:
        lines: tuple[Line, ...] = () if self.has_class("-low") else ((),)
        lines += draw.meaning(self._seen, width)
        if not self.has_class("-wide"):
            lines += draw.denials(self._seen, width)
        lines += draw.here_lines(self._here.fact(self._composition.word("result_revision")), width)
        if self._posting.refusal:
            lines += draw.refused_lines(self._posting.refusal, width)
        if self._posting.note:
            lines += draw.noted_lines("note", self._posting.note, width)
        me = self.snapshot.me
        if me is not None and me.hindrance:
            lines += draw.noted_lines("note", me.hindrance, width)
        return lines

    def _bytes(self, width: int) -> tuple[Line, ...]:
        if not self._bytes_shown:
            return ()
        if self._posting.prepared is None:
            return draw.noted_lines("bytes", f"none yet: {self._why_not()}", width)
        return (*draw.bytes_lines(self._posting.prepared, width), *draw.others_lines(self._seen, width))

    def _aside(self, width: int) -> tuple[Line, ...]:
        lines = draw.aside(self._seen, width)
        return (*lines, *draw.bytes_aside(width, self._post_key)) if self._bytes_shown else lines

    def _post_label(self) -> Line:
        reason = self._why_not()
        if not reason:
            count = len(self._composition.each)
            kind = f"{self._composition.kind} " if self.size.width >= 64 else ""
            kind = f"{count} {kind}" if count > 1 else kind
            return (Span(f" {self._post_key}", Ink.KEY), Span(f" posts {kind}", Ink.STRONG))
        if reason in (READING_ONLY, CANNOT_SIGN):
            return (Span(f" {reason} ", Ink.DIM),)
        key = "Enter" if self._editing is not None else self._post_key
        return (Span(f" {key} {reason} ", Ink.DIM),)

    def _armed(self, width: int) -> tuple[Line, ...]:
        note = ""
        if self._editing is not None:
            note = "writing: Enter ends it and posts nothing, Tab goes to the next field"
        elif self._posting.waits and self._posting.result is not None:
            note = waiting_words(waits(self._posting.result))
        more = self.query_one("#main").max_scroll_y > 0
        return (draw.armed_line(self._seen, self._why_not(), note, more, width, self._post_key),)

    def _once(self) -> str:
        """How many events the key that posts makes."""
        count = len(self._composition.each)
        return f"one {self._post_key}, " + ("one event" if count == 1 else f"{count} events, one of each")

    @property
    def _post_key(self) -> str:
        """The key that posts, as people write it."""
        return find("compose.post", self._commands).shown

    def _why_not(self) -> str:
        """Why the key that posts does nothing now, to be read after that key; empty when it posts."""
        me = self.snapshot.me
        if me is None or not me.can_sign:
            return CANNOT_SIGN if me is not None and me.hindrance else READING_ONLY
        if self._posting.phase is not Phase.OPENED:
            return self._posting.phase.value
        if self._elsewhere:
            return "waits for your editor"
        if lacking := self._composition.lacking():
            return f"needs {lacking}"
        if self._editing is not None:
            return "ends writing"
        if self._held.held:
            return "release the key"
        return "waits for the bytes" if self._bytes_shown and self._posting.prepared is None else ""

    def _redraw(self) -> None:
        """Everything that is drawn from what this screen knows."""
        # A timer or an answer may come while the screen is being taken down.
        if not self.query(Stroke):
            return
        self.set_class(self._editing is not None, "-writing")
        self.query_one("#post", Stroke).ground = Ground.RAISED if self._why_not() else Ground.ACCENT
        faults = {asked.name: fault for asked, fault in self._composition.faults()}
        for field in self._fields:
            field.blame(faults.get(field.asked.name, ""))
        for inked in self.query(Inked):
            if inked.id is not None:
                inked.redraw()
        self.call_after_refresh(self._laid_out)

    def _laid_out(self) -> None:
        """What depends on how high everything came to be."""
        if self.query(Stroke):
            self.query_one("#armed", Inked).redraw()
            self._place_pinned()

    def _place_pinned(self) -> None:
        """The pinned row stands where the board has it, or right above the composer when that would cover it."""
        if self._pinned is None:
            return
        row = self.query_one("#pinned", Inked)
        lowest = self.query_one("#composer").region.y - len(self._pinned.lines)
        row.display = lowest >= 0
        row.styles.width = self._pinned.width
        row.styles.offset = (self._pinned.x, max(min(self._pinned.y, lowest), 0))

    def action_scroll_body(self, way: str) -> None:
        """Move what does not fit."""
        main = self.query_one("#main", VerticalScroll)
        main.scroll_relative(y=main.size.height // 2 * (1 if way == "down" else -1), animate=False)
