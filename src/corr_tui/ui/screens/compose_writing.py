"""Writing in the composer: in its fields, one line each, or in a person's own editor.

Enter, an editor closed: each ends the writing and posts nothing, and the key that did it may still be held. While an
editor has the terminal, what arrives is heard and drawn nowhere. Whatever goes wrong there, the words stay as they
were, and why is said.
"""

from __future__ import annotations

import os

from textual.app import SuspendNotSupported

from corr_tui.ui.composition import KeptWords
from corr_tui.ui.editor import EditorRefused, command_of, edited
from corr_tui.ui.screens.compose_view import ComposeView
from corr_tui.ui.text import typed
from corr_tui.ui.widgets.word_field import WordField

IN_ONE_LINE = "from your editor, in one line: its line breaks are spaces now"
LEFT_OUT = "from your editor, without what would not show"
UNCHANGED = "your editor changed nothing"


class ComposeWriting(ComposeView):
    """The composer as it is written in; `compose.ComposeScreen` gives it its posting."""

    _kept: KeptWords

    async def _begin(self, revision: WordField) -> None:
        """Offer HEAD as the revision something was applied at, and say whether the revision is here."""
        if revision.asked.required:
            if not revision.words and (head := await self._here.head()) and not revision.words:
                revision.fill(head)
            self._write_what_lacks()
        await self._here.look_up(revision.words)

    @property
    def _revision(self) -> WordField | None:
        return next((field for field in self._fields if field.asked.name == "result_revision"), None)

    def _write_what_lacks(self) -> None:
        """Open for writing what is required and empty."""
        empty = next((field for field in self._fields if field.asked.required and not field.words), None)
        if empty is not None and self._editing is None:
            self._edit(empty)

    def _hold(self) -> None:
        self._held.hold()
        self._redraw()

    def action_edit(self) -> None:
        """Write: what is lacking first, else one's own words."""
        self._edit(next(field for field in self._fields if field.asked == self._composition.next_asked))

    def action_next_field(self) -> None:
        """Write in the next field."""
        fields, now = self._fields, self._editing
        self._edit(fields[(fields.index(now) + 1) % len(fields)] if now is not None else fields[0])

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
        if event.field.asked.name == "result_revision":
            self.run_worker(self._here.look_up(event.words), group="look up", exclusive=True)
        self._prepare()
        self._redraw()

    def on_word_field_done(self) -> None:
        """Enter ended the writing; held on, it must not go on to post."""
        self._end_writing()
        self._hold()

    def _prepare(self) -> None:
        """Ask for the bytes, where there is enough to say."""
        if self._can_write and self._editing is None and not self._composition.lacking():
            self.run_worker(self._posting.prepare(self._composition), group="prepare", exclusive=True)

    # A person's own editor

    def action_open_editor(self) -> None:
        """Write in one's own editor: in the field that is open, else in the one that `edit` would open."""
        if not self._can_write or self._elsewhere:
            return
        asked = self._composition.next_asked
        field = self._editing or next(field for field in self._fields if field.asked == asked)
        # from here on no stroke that is still on its way posts or closes
        self._elsewhere = True
        self._end_writing()
        self.app.run_worker(self._write_elsewhere(field), name="editor", group="editor")

    async def _write_elsewhere(self, field: WordField) -> None:
        """Lend the terminal to the editor, and take its words."""
        try:
            command = command_of(os.environ)
            words = await self._edited(field, command)
        except EditorRefused as refused:
            self._posting.note = f"the {field.asked.label} is as it was: {refused}"
        else:
            self._take(field, words)
        self._elsewhere = False
        self._hold()

    async def _edited(self, field: WordField, command: tuple[str, ...]) -> str:
        refused: EditorRefused | None = None
        try:
            # the app takes its terminal back only when nothing is raised inside
            with self.app.suspend():
                try:
                    words = await edited(field.words, field.asked.name, command)
                except EditorRefused as error:
                    refused = error
        except SuspendNotSupported:
            raise EditorRefused("this terminal cannot be lent to an editor") from None
        if refused is not None:
            raise refused
        return words

    def _take(self, field: WordField, words: str) -> None:
        """Put an editor's words in the field; what breaks a rule of the field is said there."""
        taken = typed(words)
        self._posting.note = ""
        if words == field.words:
            self._posting.note = UNCHANGED
        elif len(words.splitlines()) > 1:
            self._posting.note = IN_ONE_LINE
        elif taken != words:
            self._posting.note = LEFT_OUT
        field.fill(taken)
