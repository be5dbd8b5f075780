"""The composer: docked at the foot, pinned to the event it was opened on, two strokes from key to receipt.

Nothing is posted but by Enter on this screen, once: while an event is on its way further strokes do nothing, and a
key that was held when the screen opened, when writing ended or when an answer came has to be let go first. Esc posts
nothing and keeps the words. With the bytes in view, exactly those bytes are signed; else they are prepared at Enter.
The board behind may move as it likes: this screen stays on its event and says how many others came.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.reactive import reactive
from textual.screen import ModalScreen

from corr_tui.protocol.bodies import Kind
from corr_tui.state.border import Correspondence, Outcome, Sent
from corr_tui.state.snapshot import Heard, Snapshot
from corr_tui.ui import composer_lines as draw
from corr_tui.ui.commands import COMMANDS, Command, Scope, bindings, find
from corr_tui.ui.composition import Composition, KeptWords
from corr_tui.ui.held_key import ALONE, QUIET, HeldKey
from corr_tui.ui.layout import dim, ends, width_of
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.posting import Phase, Posting
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.inked import Inked
from corr_tui.ui.widgets.stroke import Stroke
from corr_tui.ui.widgets.word_field import WordField

STROKE_GAP = 2
"""Cells between strokes, at least."""
READING_ONLY = "no signing key here: reading only"


@dataclass(frozen=True, slots=True)
class Pinned:
    """The row of the event the composer is pinned to, as it stands on the board: it keeps its ink there."""

    lines: tuple[Line, ...]
    x: int
    y: int
    """Of its first line, on the screen."""
    width: int


class ComposeScreen(ModalScreen[Sent | None]):
    """Says one thing about one event; the result is what was sent, or None when nothing was."""

    CSS_PATH = stylesheet("compose.tcss")
    BINDINGS = bindings(Scope.COMPOSE)
    AUTO_FOCUS = ""

    snapshot: reactive[Snapshot] = reactive(lambda: Snapshot(repository_id=""), init=False)

    def __init__(
        self,
        correspondence: Correspondence,
        kind: str,
        targets: tuple[Heard, ...],
        snapshot: Snapshot,
        *,
        pinned: Pinned | None = None,
        head: str | None = None,
        kept: KeptWords | None = None,
        opened_by: str = "",
        quiet: float = QUIET,
        alone: float = ALONE,
        ascii_only: bool = False,
        commands: Sequence[Command] = COMMANDS,
    ) -> None:
        """`head` is the full id of HEAD, if Git tells; `opened_by` the key that opened it, its command's by default;
        `kept` what was typed before, which the app keeps while it runs."""
        super().__init__()
        self._opened = snapshot
        self._pinned = pinned
        self._kept = kept or KeptWords()
        self._posting = Posting(correspondence, self._kept, self._told)
        self._openers = frozenset((opened_by,) if opened_by else find(kind, commands).keys)
        self._held = HeldKey(self.set_timer, self._redraw, self.action_post, quiet=quiet, alone=alone)
        self._held.held = opened_by == "enter"
        self._ascii_only = ascii_only
        self._commands = commands
        self._bytes_shown = False
        # An acknowledgement is about one event; a repair may cite several (§5).
        composition = Composition(cast(Kind, kind), targets if kind == "repair" else targets[:1])
        if kind == "ack.applied" and head:
            composition = composition.with_word("result_revision", head)
        self._composition = self._kept.restored(composition)
        self.set_reactive(ComposeScreen.snapshot, snapshot)

    # What stands where

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
                for name in ("edit", "bytes", "close"):
                    yield self._stroke(name)
                yield self._inked(lambda width: (ends(width, (), dim("one Enter, one event")),), "once")
            yield self._inked(self._armed, "armed", Ground.CANVAS)

    def on_mount(self) -> None:
        """Ready at once; where a required field is empty, ready to write in it."""
        if self._held.held:
            self._hold()
        self._prepare()
        self._redraw()
        empty = next((field for field in self._fields if field.asked.required and not field.words), None)
        if self._can_write and empty is not None:
            self.call_after_refresh(self._edit, empty)

    def on_resize(self, event: events.Resize) -> None:
        """Wide, roomy, low: what stands beside what follows the size."""
        width, height = event.size
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
        sending = self._posting.phase in (Phase.SENDING, Phase.UNKNOWN)
        if name == "edit":
            verb = self._composition.next_asked.label
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
        for terseness in range(2):
            labels = [self._stroke_label(name, terseness) for name in ("edit", "bytes", "close")]
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
        if self._posting.refusal:
            lines += draw.refused_lines(self._posting.refusal, width)
        if self._posting.note:
            lines += draw.noted_lines("note", self._posting.note, width)
        return lines

    def _bytes(self, width: int) -> tuple[Line, ...]:
        if not self._bytes_shown:
            return ()
        if self._posting.prepared is None:
            return draw.noted_lines("bytes", f"none yet: {self._why_not()}", width)
        return draw.bytes_lines(self._posting.prepared, width)

    def _aside(self, width: int) -> tuple[Line, ...]:
        lines = draw.aside(self._seen, width)
        return (*lines, *draw.bytes_aside(width)) if self._bytes_shown else lines

    def _post_label(self) -> Line:
        reason = self._why_not()
        if not reason:
            kind = f"{self._composition.kind} " if self.size.width >= 64 else ""
            return (Span(" Enter", Ink.KEY), Span(f" posts {kind}", Ink.STRONG))
        return (Span(f" {reason} " if reason == READING_ONLY else f" Enter {reason} ", Ink.DIM),)

    def _armed(self, width: int) -> tuple[Line, ...]:
        note = ""
        if self._editing is not None:
            note = "writing: Enter ends it and posts nothing, Tab goes to the next field"
        elif self._posting.phase is Phase.UNKNOWN:
            note = "not known yet, sending the same event again"
        more = self.query_one("#main").max_scroll_y > 0
        return (draw.armed_line(self._seen, self._why_not(), note, more, width),)

    def _why_not(self) -> str:
        """Why Enter posts nothing now, to be read after `Enter`; empty when it posts."""
        me = self.snapshot.me
        if me is None or not me.can_sign:
            return READING_ONLY
        if self._posting.phase is not Phase.OPENED:
            return self._posting.phase.value
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

    # What happens meanwhile

    def watch_snapshot(self) -> None:
        """The board behind moved, and may tell what became of an event whose answer was lost."""
        self._posting.hear(self.snapshot, self._composition)
        self._redraw()

    def on_key(self, event: events.Key) -> None:
        """The key that opened the composer, repeating: it is still held."""
        if event.key in self._openers and event.key != "enter" and self._editing is None:
            self._hold()

    def _hold(self) -> None:
        self._held.hold()
        self._redraw()

    # Writing

    @property
    def _editing(self) -> WordField | None:
        return next((field for field in self._fields if field.editing), None)

    @property
    def _can_write(self) -> bool:
        me = self.snapshot.me
        return me is not None and me.can_sign and self._posting.phase is Phase.OPENED

    def action_edit(self) -> None:
        """Write: what is lacking first, else one's own words."""
        self._edit(next(field for field in self._fields if field.asked == self._composition.next_asked))

    def action_next_field(self) -> None:
        """Write in the next field."""
        fields, now = self._fields, self._editing
        self._edit(fields[(fields.index(now) + 1) % len(fields)] if now is not None else fields[0])

    def _edit(self, field: WordField) -> None:
        if not self._can_write:
            return
        for other in self._fields:
            if other.editing and other is not field:
                other.finish()
        field.edit()
        self._redraw()

    def _end_writing(self) -> None:
        if (field := self._editing) is not None:
            field.finish()
        self._prepare()
        self._redraw()

    def on_word_field_wanted(self, event: WordField.Wanted) -> None:
        """A click on a field."""
        self._edit(event.field)

    def on_word_field_changed(self, event: WordField.Changed) -> None:
        """Other words make other bytes."""
        self._composition = self._composition.with_word(event.field.asked.name, event.words)
        self._posting.reworded()
        self._kept.keep(self._composition)
        self._redraw()

    def on_word_field_done(self) -> None:
        """Enter ended the writing; held on, it must not go on to post."""
        self._end_writing()
        self._hold()

    def action_toggle_bytes(self) -> None:
        """Show or hide what will be signed."""
        self._bytes_shown = not self._bytes_shown
        self._prepare()
        self._redraw()

    def action_scroll_body(self, way: str) -> None:
        """Move what does not fit."""
        main = self.query_one("#main", VerticalScroll)
        main.scroll_relative(y=main.size.height // 2 * (1 if way == "down" else -1), animate=False)

    # Posting

    def _prepare(self) -> None:
        """Ask for the bytes, where there is enough to say."""
        if self._can_write and self._editing is None and not self._composition.lacking():
            self.run_worker(self._posting.prepare(self._composition), group="prepare", exclusive=True)

    def action_post(self) -> None:
        """Sign and post, once."""
        if self._held.held and self._editing is None:
            self._held.press()
        if self._why_not():
            return
        self._posting.begin(self._composition)
        self._redraw()
        shown = self._posting.prepared if self._bytes_shown else None
        # The app runs it: closing this screen must not cut off an event on its way.
        self.app.run_worker(self._posting.send(self._composition, shown), name="post", group="post")

    def _told(self, answered: bool) -> None:
        """The posting changed; after an answer that posted nothing, the Enter that asked may still be held."""
        if not self.is_running:
            return
        if self._posting.phase is Phase.POSTED:
            self._finish(self._posting.result)
        elif self._posting.phase is Phase.OPENED and answered:
            self._hold()
            self._prepare()
        self._redraw()

    def action_close(self) -> None:
        """End writing; else close, and post nothing that is not on its way already."""
        if self._editing is not None:
            self._end_writing()
        else:
            sending = self._posting.phase is Phase.SENDING
            self._finish(Sent(Outcome.UNKNOWN) if sending else self._posting.result)

    def _finish(self, sent: Sent | None) -> None:
        """Close with this result; while another screen is on top, wait for it to go."""
        if self.is_current:
            self.dismiss(sent)

    def on_screen_resume(self) -> None:
        """Back on top: what was posted meanwhile closes the screen now."""
        if self._posting.phase is Phase.POSTED:
            self._finish(self._posting.result)
