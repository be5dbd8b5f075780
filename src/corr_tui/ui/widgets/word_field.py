"""One field of the composer: a label with its words, and in their place a line to write them in."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from corr_tui.ui.composer_lines import label_width, value
from corr_tui.ui.composition import Asked
from corr_tui.ui.layout import START, blank, dim
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.text import typed
from corr_tui.ui.widgets.inked import Inked


class WordLine(Input):
    """A one-line input; what would not show in it does not get in, whichever way it comes."""

    def on_mount(self) -> None:
        """Nothing blinks here."""
        self.cursor_blink = False

    def validate_value(self, value: str) -> str:
        """Every way into the field passes here: keys, paste, programs."""
        return typed(value)

    def _on_paste(self, event: events.Paste) -> None:
        # Textual keeps only the first line of what is pasted; the rest would be lost without a word.
        event.stop()
        event.prevent_default()
        self.replace(typed(event.text), *sorted(self.selection))


class WordField(Horizontal):
    """The words of one asked field; posts Changed with each stroke and Done at Enter."""

    class Changed(Message):
        """The words are different now."""

        def __init__(self, field: WordField, words: str) -> None:
            super().__init__()
            self.field = field
            self.words = words

    class Done(Message):
        """Enter: the writing ends, nothing is posted."""

    class Wanted(Message):
        """A click: somebody wants to write here."""

        def __init__(self, field: WordField) -> None:
            super().__init__()
            self.field = field

    def __init__(self, asked: Asked, words: str, *, ascii_only: bool = False) -> None:
        super().__init__(id=f"field-{asked.name.replace('_', '-')}", classes="word-field")
        self.can_focus = False
        self.asked = asked
        self.fault = ""
        self._words = words
        self._ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        """The words as lines; the label, the input and the count for writing."""
        yield Inked(self._value, ascii_only=self._ascii_only, classes="word-shown")
        yield Inked(self._label, ascii_only=self._ascii_only, classes="word-label")
        yield WordLine(self._words, placeholder=self.asked.hint, compact=True, select_on_focus=False)
        if self.asked.most:
            yield Inked(self._count, ascii_only=self._ascii_only, classes="word-count")

    @property
    def words(self) -> str:
        """What the field holds."""
        return self._words

    @property
    def editing(self) -> bool:
        """Whether somebody writes in it."""
        return self.has_class("-editing")

    def fill(self, words: str) -> None:
        """Put words in, as if somebody had written them."""
        self._words = words
        self.query_one(WordLine).value = words

    def edit(self) -> None:
        """Open the line for writing, the cursor at its end."""
        self.add_class("-editing")
        line = self.query_one(WordLine)
        line.cursor_position = len(line.value)
        # it has the focus when this returns, so that the next key already reaches it
        self.screen.set_focus(line)

    def add(self, words: str) -> None:
        """Put words in at the cursor, as if they had been typed there."""
        self.query_one(WordLine).insert_text_at_cursor(typed(words))

    def finish(self) -> None:
        """Show the words again."""
        self.remove_class("-editing")
        if self.query_one(WordLine).has_focus:
            self.screen.set_focus(None)
        self.query_one(".word-shown", Inked).redraw()

    def blame(self, fault: str) -> None:
        """Show which rule the words break; empty for none."""
        if fault != self.fault:
            self.fault = fault
            self.query_one(".word-shown", Inked).redraw()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell the composer."""
        event.stop()
        self._words = event.value
        if not self.editing:
            self.query_one(".word-shown", Inked).redraw()
        for count in self.query(".word-count").results(Inked):
            count.redraw()
        self.post_message(self.Changed(self, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter ends the writing."""
        event.stop()
        self.post_message(self.Done())

    def on_click(self) -> None:
        """A click on the words opens them."""
        if not self.editing:
            self.post_message(self.Wanted(self))

    def on_resize(self) -> None:
        """The label column follows the width."""
        self.query_one(".word-label", Inked).styles.width = START + label_width(self.size.width)

    def _value(self, width: int) -> tuple[Line, ...]:
        return value(self.asked, self._words, self.fault, width)

    def _label(self, width: int) -> tuple[Line, ...]:
        return ((*blank(START), *dim(self.asked.label)),)

    def _count(self, width: int) -> tuple[Line, ...]:
        most = self.asked.most or 0
        over = len(self._words) > most
        return ((Span(f"{len(self._words)}/{most}".rjust(width - 1), Ink.ATTN if over else Ink.DIM),),)
