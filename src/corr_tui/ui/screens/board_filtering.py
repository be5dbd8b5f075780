"""The board narrowed by a filter: written at the foot of the events, live, kept by Enter, dropped by Esc (Also).

A text that is no filter changes nothing until it is one: what it was before stays. The cursor stays on its event while
that is still there. Nothing of it is posted or asked of the service.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from textual import events, on
from textual.timer import Timer
from textual.widgets import Input

from corr_tui.ui.commands import Scope, commands_of, listed
from corr_tui.ui.screens.board_asking import BoardAsking
from corr_tui.ui.screens.board_view import BoardView
from corr_tui.ui.widgets.footer import footer
from corr_tui.ui.widgets.panel import Panel

if TYPE_CHECKING:  # loaded by `begin`, after the first paint
    from corr_tui.state.filter_grammar import Filter
    from corr_tui.state.saved_views import SavedViews
    from corr_tui.ui.line import Line
    from corr_tui.ui.panels.filter_note import Written
    from corr_tui.ui.widgets.filter_line import FilterLine

QUIET = 0.05
"""Seconds after a stroke before the text is looked at: strokes typed at once are looked at once."""
KEYS = ("filter.keep", "filter.complete", "filter.close", "help", "palette", "filter.name")
"""What the footer shows while a filter is written."""
NAMING_KEYS = ("filter.keep", "filter.close", "help", "palette")
"""And while a name is."""


@runtime_checkable
class HasViews(Protocol):
    """An app with filters that have names."""

    views: SavedViews | None


class BoardFiltering(BoardAsking):
    """The board with its filter."""

    scopes: ClassVar[frozenset[Scope]] = BoardView.scopes
    filter_line: FilterLine | None = None
    """The line it is written in, while it is open."""
    _written: Written
    _before: tuple[Filter | None, str | None] = (None, None)
    """The filter and the event under the cursor when the line was opened."""
    _filter_timer: Timer | None = None

    _named: str | None = None
    """The filter a name is written for, while one is."""

    # Opening and closing.

    async def action_filter(self) -> None:
        """Write a filter; the line has the focus when this returns, so that the next key already reaches it."""
        if self.reader is None:
            return
        if self.filter_line is not None:
            self.set_focus(self.filter_line.line)
            return
        from corr_tui.ui.panels.filter_note import NOTE_LINES, Written
        from corr_tui.ui.widgets.filter_line import FilterLine

        self.action_panel("events")
        before, cursor = self.view.filter, self.board.panels["events"].view.cursor
        self._before = (before, cursor)
        words = f"{before} " if before else ""
        self._written = Written(words, before)
        self.filter_line = FilterLine("filter", words, self._note, ascii_only=self.view.ascii_only)
        await self.board.mount(self.filter_line)
        self.board.take_foot(1 + NOTE_LINES)
        self.set_focus(self.filter_line.line, scroll_visible=False)
        self.filter_line.line.cursor_position = len(words)
        self.draw()

    def action_filter_keep(self) -> None:
        """Keep what is written, if it is a filter; without any text, no filter."""
        if self.filter_line is None:
            return
        if self._named is not None:
            self._save(self.filter_line.words, self._named)
            return
        self._read()
        if self._written.refused is None:
            self._close()

    def action_filter_close(self) -> None:
        """Back to what was found before the line was opened; from a name, back to the filter."""
        if self._named is not None:
            self._write_name(None)
            return
        wanted, cursor = self._before
        self._close()
        self.narrow(wanted)
        if cursor is not None:
            self.board.panels["events"].choose(cursor)

    def _close(self) -> None:
        line, self.filter_line, self._named = self.filter_line, None, None
        if self._filter_timer is not None:
            self._filter_timer.stop()
        if line is not None:
            self.board.take_foot(0)
            self.set_focus(self.board.panels["events"], scroll_visible=False)
            line.remove()
            self.draw()

    # Writing.

    @on(Input.Changed, "#filter-words")
    def _changed(self, message: Input.Changed) -> None:
        message.stop()
        if self._filter_timer is not None:
            self._filter_timer.stop()
        self._filter_timer = self.set_timer(QUIET, self._read)

    @on(Input.Submitted, "#filter-words")
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.action_filter_keep()

    def _read(self) -> None:
        """Take the text for what it is, and narrow by it at once where it is a filter."""
        from corr_tui.state.filter_grammar import FilterRefused, parse_filter
        from corr_tui.ui.panels.filter_note import Written

        line = self.filter_line
        if line is None or self._named is not None:
            return
        try:
            self._written = Written(line.words, parse_filter(line.words))
        except FilterRefused as refused:
            self._written = Written(line.words, self._written.wanted, refused)
        else:
            self.narrow(self._written.wanted or None)
        line.note.redraw()

    def action_filter_complete(self) -> None:
        """Go on with the term at the cursor as far as only one way leads; more ways are listed."""
        from corr_tui.state.filter_completion import complete
        from corr_tui.state.filter_grammar import Field
        from corr_tui.state.projection import facts

        line, reader = self.filter_line, self.reader
        if line is None or reader is None or self._named is not None:
            return
        people = tuple(each.name for each in reader.snapshot.identities.values() if each.name)
        known = {Field.BY: people, Field.THREAD: tuple(facts(reader.snapshot).threads)}
        done = complete(line.words, line.cursor, known)
        line.write(done.text, done.cursor)
        self._read()
        self._written = replace(self._written, choices=done.choices)
        line.note.redraw()

    def action_filter_move(self, where: str) -> None:
        """Move the cursor of the events; the line keeps the focus."""
        getattr(self.board.panels["events"], f"action_cursor_{where}")()

    def take_typed(self, text: str) -> bool:
        """Text that was typed before the line had the focus."""
        if self.filter_line is None:
            return False
        self.filter_line.line.insert_text_at_cursor(text)
        return True

    # Names.

    async def action_filter_name(self) -> None:
        """Write a name to keep the filter under."""
        await self.action_filter()
        line = self.filter_line
        if line is None or self._named is not None:
            return
        self._read()
        if self._written.refused is None and self._written.wanted:
            self._write_name(str(self._written.wanted))
        else:
            self.tell("There is no filter to keep under a name.")

    def _write_name(self, named: str | None) -> None:
        """Write a name for this filter, or the filter again."""
        line = self.filter_line
        if line is None:
            return
        again, self._named = self._named, named
        words = "" if named is not None else again or ""
        line.relabel("name" if named is not None else "filter")
        line.write(words, len(words))
        line.note.redraw()
        self.draw_bars()

    def _save(self, name: str, text: str) -> None:
        from corr_tui.state.saved_views import NameRefused

        if not isinstance(self.app, HasViews) or self.app.views is None:
            self.tell("Names are kept in config.toml, and there is none here.")
            return
        try:
            self.app.views.save(name, text)
        except NameRefused as refused:
            self.tell(str(refused))
            return
        self._close()
        self.tell(f"Kept as {name.strip()}: {self.key('palette')} finds it.")

    def show_view(self, text: str) -> None:
        """Narrow the board by a filter that was kept; by none for an empty text."""
        from corr_tui.state.filter_grammar import parse_filter

        if self.filter_line is not None:
            self._close()
        self.narrow(parse_filter(text) or None)

    # Narrowing.

    def narrow(self, wanted: Filter | None) -> None:
        """Show what a filter finds, or everything; the cursors stay where they are as far as that is there."""
        if self.reader is None or wanted == self.view.filter:
            return
        self.reader.view = replace(self.view, filter=wanted)
        for panel in self.board.panels.values():
            panel.view.choose_anew()
        self.draw()

    def bring(self, event_id: str) -> bool:
        """Bring an event under the cursor of the events; a filter that does not find it is cleared."""
        if super().bring(event_id):
            return True
        if self.reader is None or self.view.filter is None:
            return False
        if event_id not in {heard.event_id for heard in self.reader.snapshot.events}:
            return False
        self.narrow(None)
        # the cursor that comes there takes what is said off the footer
        self.call_after_refresh(self.tell, "The filter was cleared, since it does not find this event.")
        return super().bring(event_id)

    # Drawing and focus.

    def _note(self, width: int, start: int, scrolled: int) -> tuple[Line, ...]:
        from corr_tui.ui.panels.filter_note import naming, note
        from corr_tui.ui.panels.reading import Reading

        if self._named is not None:
            return naming(self._named, width)
        return (
            ()
            if self.reader is None
            else note(self._written, Reading(self.reader.snapshot, self.view), width, start, scrolled)
        )

    def draw_bars(self) -> None:
        """Draw the bars; while a filter is written its keys are in the footer."""
        super().draw_bars()
        if self.filter_line is not None:
            keys = KEYS if self._named is None else NAMING_KEYS
            self.board.footer.show(footer(listed(keys, commands_of(self.app)), self.size.width, self.status))

    def draw_parts(self) -> None:
        """Draw every panel, and what is said under the line."""
        super().draw_parts()
        if self.filter_line is not None:
            self.filter_line.note.redraw()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Whoever goes to a panel has written the filter to its end."""
        if isinstance(event.widget, Panel) and event.widget is self.focused and self.filter_line is not None:
            self._read()
            self._close()
            self.set_focus(event.widget, scroll_visible=False)
