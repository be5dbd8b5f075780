"""Search over the whole history: words on top, what holds them below, Enter shows one on the board.

The words are looked for a moment after the last stroke; an answer that is no longer asked for is dropped. Looking
acknowledges nothing, and nothing is opened by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Input
from textual.worker import Worker

from corr_tui.state.border import Correspondence, SearchRefused
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.layout import START, blank, dim
from corr_tui.ui.line import Line, View
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.panels.results import MOST, Search, Stage, content
from corr_tui.ui.screens.sheet import Sheet, sheet_heading
from corr_tui.ui.text import typed
from corr_tui.ui.widgets.inked import Inked
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.panel import Frame
from corr_tui.ui.widgets.word_field import WordLine

QUIET = 0.15
"""Seconds after the last stroke before the words are looked for."""
LABEL = 8
KEYS = ("search.show", "search.down", "search.close")


class SearchScreen(Sheet[str | None]):
    """The result is the id of the event to show, or None."""

    BINDINGS = bindings(Scope.SEARCH)
    AUTO_FOCUS = "#words"

    snapshot: reactive[Snapshot] = reactive(lambda: Snapshot(repository_id=""), init=False)

    def __init__(
        self,
        correspondence: Correspondence,
        snapshot: Snapshot,
        view: View,
        *,
        asked: str = "",
        quiet: float = QUIET,
    ) -> None:
        """`asked` are the words of the search before."""
        super().__init__("results", KEYS, ascii_only=view.ascii_only)
        self.set_reactive(SearchScreen.snapshot, snapshot)
        self.asked = asked
        """The words as they stand now."""
        self.search = Search()
        self._correspondence, self._view, self._quiet = correspondence, view, quiet
        self._timer: Timer | None = None
        self._asking: Worker[object] | None = None
        self.list.can_focus = False
        self.list.driven = True

    def compose(self) -> ComposeResult:
        """The heading, the words, what is found, the keys."""
        ascii_only = self.ascii_only
        with Vertical(classes="sheet"):
            yield Inked(lambda width: (sheet_heading("Search", self._scope, width),), ascii_only=ascii_only)
            with Horizontal(classes="sheet-line"):
                yield Inked(self._label, ascii_only=ascii_only, classes="sheet-label")
                yield WordLine(self.asked, id="words", compact=True, select_on_focus=True)
            yield self.list
            yield self.foot

    @property
    def _scope(self) -> str:
        history = self.snapshot.history
        return "the whole history" if history.complete else "the history read so far"

    def _label(self, width: int) -> tuple[Line, ...]:
        return ((*blank(START), *dim("find")),)

    def on_mount(self) -> None:
        """Look for the words of the search before, at once."""
        self._draw()
        if self.asked:
            self._look()

    def on_resize(self) -> None:
        """Other widths, other columns."""
        self.call_after_refresh(self._draw)

    def watch_snapshot(self) -> None:
        """Names and numbers may be known better now."""
        self._draw()

    def take_typed(self, text: str) -> bool:
        """Text that was typed before the line had the focus."""
        self.query_one(WordLine).insert_text_at_cursor(typed(text))
        return True

    # Looking.

    @on(Input.Changed, "#words")
    def _changed(self, message: Input.Changed) -> None:
        if message.value == self.asked:
            return
        self.asked = message.value
        if self._timer is not None:
            self._timer.stop()
        if not self.asked.strip():
            if self._asking is not None:
                self._asking.cancel()
            self._show(Search())
            return
        self._timer = self.set_timer(self._quiet, self._look)

    def _look(self) -> None:
        self._timer = None
        self._show(Search(self.asked, Stage.LOOKING, self.search.found))
        asking: Callable[[], Coroutine[None, None, object]] = partial(self._ask, self.asked)
        self._asking = self.run_worker(asking, group="search", exclusive=True)

    async def _ask(self, asked: str) -> None:
        try:
            found = await self._correspondence.search(asked, MOST)
        except SearchRefused as refused:
            self._show(Search(asked, Stage.REFUSED, reason=str(refused)))
        else:
            self._show(Search(asked, Stage.FOUND, found))

    def _show(self, search: Search) -> None:
        self.search = search
        self._draw()

    def _draw(self) -> None:
        if self.list.size:
            reading = Reading(self.snapshot, self._view)
            self.list.show(content(self.search, reading, self.list.size.width), Frame(numbered=False, leads=True))

    # Keys.

    @on(Input.Submitted, "#words")
    def action_show(self) -> None:
        """Show the event under the cursor on the board; before there is an answer, look at once."""
        if self._timer is not None:
            self._timer.stop()
            self._look()
        elif self.search.stage is Stage.FOUND and self.list.view.cursor is not None:
            self.dismiss(self.list.view.cursor)

    @on(LineList.Opened, "#results")
    def _opened(self, message: LineList.Opened) -> None:
        self.dismiss(message.key)

    def action_move(self, where: str) -> None:
        """Move the cursor of what is found; the words keep the focus."""
        getattr(self.list, f"action_cursor_{where}")()

    def action_close(self) -> None:
        """Back to the board."""
        self.dismiss(None)
