"""The board: the whole project at a glance, in three shapes, patched in place (experience: the board; look: panels).

One frozen Snapshot and one View go in; each panel's pure `content` says what stands in it. Drawing is coalesced: many
snapshots in one turn of the loop are one patch. Nothing here posts anything; looking acknowledges nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.screen import Screen

from corr_tui.ui import commands
from corr_tui.ui.line import Ink, Layout, Line, Span, View
from corr_tui.ui.screens.board_frame import Board
from corr_tui.ui.screens.opening import Opening
from corr_tui.ui.screens.places import PANELS
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.text import clean
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.panel import Panel

if TYPE_CHECKING:  # what reads a snapshot is loaded by `begin`, after the first paint
    from corr_tui.state.border import Correspondence, Sent
    from corr_tui.state.snapshot import Heard, Snapshot
    from corr_tui.ui.screens.board_content import BoardContent
    from corr_tui.ui.screens.reader import Reader


class BoardScreen(Screen[None]):
    """Six panels over one snapshot; until `begin` only their frame."""

    CSS_PATH = stylesheet("board.tcss")
    AUTO_FOCUS = "#events"
    BINDINGS: ClassVar[list[BindingType]] = [*commands.bindings(commands.Scope.BOARD)]

    snapshot: reactive[Snapshot | None] = reactive(None, init=False, repaint=False)
    """What is drawn; replaced, never changed."""

    def __init__(
        self,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        zone: tzinfo = UTC,
        ascii_only: bool = False,
    ) -> None:
        super().__init__()
        self.board = Board(ascii_only=ascii_only)
        self.reader: Reader | None = None
        self.status: Line = ()
        """The result of what was last done, in the footer until the next thing is done."""
        self.correspondence: Correspondence | None = None
        """Whom a draft is handed to, once it is open."""
        self._first_view = View(zone=zone, ascii_only=ascii_only)
        self._monotonic = monotonic
        self._draw_asked = False
        self._change_at = 0.0

    @property
    def view(self) -> View:
        """How the snapshot is looked at."""
        return self._first_view if self.reader is None else self.reader.view

    def compose(self) -> ComposeResult:
        """The board is the whole screen."""
        yield self.board

    def on_mount(self) -> None:
        """Draw the frame."""
        self._draw()

    def begin(self) -> None:
        """Load what reads a snapshot, draw that none is here yet, and start the one timer."""
        from corr_tui.ui.screens.reader import Reader

        self.reader = Reader(self._first_view)
        self.snapshot = self.reader.snapshot
        self._wait()

    def on_resize(self) -> None:
        """Other widths say more or less."""
        self._draw()

    # What changes the view.

    def watch_snapshot(self, now: Snapshot | None) -> None:
        """Take a snapshot over."""
        if self.reader is not None and now is not None:
            self.reader.take(now)
            self.redraw()

    def fail(self, words: str) -> None:
        """Say in place why the correspondence could not be opened."""
        if self.reader is not None:
            self.reader.failure = words
            self.redraw()

    def tell(self, words: str, ink: Ink = Ink.TEXT) -> None:
        """Say a result in the footer; any text may come from elsewhere and passes the text door."""
        self.status = (Span(clean(words), ink),) if words else ()
        self._draw_bars()

    def choose_thread(self, thread_id: str | None) -> None:
        """Show the events of one thread, or of all."""
        if self.reader is not None:
            self.reader.choose_thread(thread_id)
            self.board.panels["threads"].choose(thread_id or "")
            self.redraw()

    def show_event(self, event_id: str) -> None:
        """Bring an event under the cursor of the events, in all threads if it is not in the chosen one."""
        panel = self.board.panels["events"]
        if event_id not in panel.places.index and self.reader is not None:
            self.reader.choose_thread(None)
            self._draw()
        panel.choose(event_id)
        self.action_panel("events")

    def subjects(self) -> tuple[Heard, ...]:
        """The events under the cursor: of the conflict where conflicts have the focus, else of the events."""
        # the list itself is asked, not the view: a message about a cursor that just moved may still be on its way
        panel = self._subject_panel
        return () if self.reader is None else self.reader.subjects(panel.panel_name, panel.cursor or "")

    @property
    def _subject_panel(self) -> Panel:
        return self.board.panels["conflicts" if self.board.active == "conflicts" else "events"]

    @on(LineList.Highlighted, "#events")
    def _select(self, message: LineList.Highlighted) -> None:
        if message.by_person and self.status:
            self.tell("")
        if self.reader is not None and (message.key != self.view.selected or message.by_person):
            self.reader.select(message.key, by_person=message.by_person)
            self._draw_panels("selected", *(("threads",) if message.by_person else ()))

    @on(LineList.BelowChanged, "#events")
    def _count_below(self) -> None:
        if self.reader is not None:
            self.reader.view = replace(self.view, new_below=self.board.panels["events"].below)
            self._draw_panels("events")

    @on(LineList.Opened, "#threads")
    def _open_thread(self, message: LineList.Opened) -> None:
        self.choose_thread(message.key or None)
        self.action_panel("events")

    @on(LineList.Opened, "#events")
    def _open_event(self, message: LineList.Opened) -> None:
        if self.reader is not None:
            self.reader.open_text(message.key)
            self.reader.select(message.key, by_person=True)
            self.redraw()
        self.action_panel("selected")

    @on(LineList.Opened, "#claims")
    @on(LineList.Opened, "#conflicts")
    @on(LineList.Opened, "#presence")
    def _show_event(self, message: LineList.Opened) -> None:
        found = () if self.reader is None else self.reader.subjects(message.line_list.id or "", message.key)
        if found:
            self.show_event(found[0].event_id)
        else:
            self.tell("No event of this is known here.")

    # Drawing.

    def redraw(self) -> None:
        """Draw once, after whatever else this turn of the loop brings."""
        if self.is_mounted and not self._draw_asked:
            self._draw_asked = True
            self.call_next(self._draw)

    def _draw(self) -> None:
        self._draw_asked = False
        if not self.size:
            return
        if self.reader is not None:
            self.reader.at(self._monotonic())
            self._change_at = self.reader.next_change()
        self._draw_panels(*PANELS)
        self._draw_bars()

    def _content(self) -> BoardContent | Opening:
        if self.reader is None:
            return Opening(self.size, self.board.active)
        return self.reader.content(self.size, self.board.active)

    def _draw_panels(self, *names: str) -> None:
        regions, content = self.board.places(self.size), self._content()
        for name in names:
            if name in regions:
                self.board.panels[name].show(*content.panel(name, regions[name]))
        if self.reader is not None:
            self.board.make_room(len(self.board.panels["presence"].places.rows))

    def _draw_bars(self) -> None:
        content = self._content()
        self.board.header.show(content.header())
        self.board.footer.show(content.footer(self.status))
        if content.layout is Layout.NARROW:
            self.board.tabs.show(content.tabs())

    # Time.

    def _wait(self) -> None:
        if self.reader is not None:
            self.set_timer(self.reader.next_second(), self._tick)

    def _tick(self) -> None:
        if self.reader is not None:
            self.reader.at(self._monotonic())
            if self.view.monotonic >= self._change_at:
                self._draw()
            elif self.size:
                self.board.header.show(self._content().header())
        self._wait()

    # Focus.

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The focused panel is the one a narrow board shows, and whose keys the footer shows."""
        if isinstance(event.widget, Panel) and event.widget.panel_name != self.board.active:
            self.status = ()
            self.board.activate(event.widget.panel_name)
            self._draw()

    def action_panel(self, name: str) -> None:
        """Go to a panel."""
        self.board.panels[name].focus()

    def action_next_panel(self) -> None:
        """Go to the next panel."""
        self._go(1)

    def action_previous_panel(self) -> None:
        """Go to the previous panel."""
        self._go(-1)

    def _go(self, steps: int) -> None:
        self.action_panel(PANELS[(PANELS.index(self.board.active) + steps) % len(PANELS)])

    def action_back(self) -> None:
        """From the selected event to the events, from a thread to all threads, from any panel to the events."""
        if self.status:
            self.tell("")
        if self.board.active != "events":
            self.action_panel("events")
        elif self.view.thread_id is not None:
            self.choose_thread(None)

    @on(Bar.Chosen)
    async def _run_command(self, message: Bar.Chosen) -> None:
        command = commands.find(message.command_id)
        owner = {commands.Scope.LIST: self.focused, commands.Scope.APP: self.app}.get(command.scope, self)
        await self.app.run_action(command.action, owner or self)

    # Deeds.

    async def action_compose(self, kind: str, opened_by: str = "") -> None:
        """Open the composer, pinned to the events under the cursor; `opened_by` is a key other than the command's.

        The screen is there when this returns, so that of two strokes typed at once the second already reaches it.
        """
        subjects = self.subjects()
        if self.correspondence is None or self.reader is None or not subjects:
            self.tell("There is no event with a receipt under the cursor.")
            return
        # the composer is loaded when it is first asked for, not before the first paint
        from corr_tui.ui.screens.compose import ComposeScreen, Pinned
        from corr_tui.ui.screens.reader import result_words

        def told(sent: Sent | None) -> None:
            self.tell(result_words(kind, sent) if sent else "")

        panel = self._subject_panel
        panel.following = False
        spot = panel.spot() if panel.panel_name in self.board.places(self.size) else None
        composer = ComposeScreen(
            self.correspondence,
            kind,
            subjects,
            self.reader.snapshot,
            pinned=None if spot is None else Pinned(*spot),
            kept=self.reader.kept,
            opened_by=opened_by,
            ascii_only=self.view.ascii_only,
        )
        await self.app.push_screen(composer, told)

    def action_copy_id(self) -> None:
        """Copy the event id."""
        self._copy("id", lambda heard: heard.event_id)

    def action_copy_json(self) -> None:
        """Copy the event as JSON, as it was received."""
        self._copy("JSON", lambda heard: json.dumps(heard.record.event.evidence, indent=2))

    def _copy(self, what: str, text_of: Callable[[Heard], str]) -> None:
        subjects = self.subjects()
        if not subjects or self.reader is None:
            self.tell("There is no event with a receipt under the cursor.")
            return
        self.app.copy_to_clipboard(text_of(subjects[0]))
        number = self.reader.snapshot.number_of(subjects[0].event_id)
        self.tell(f"The {what} of {number} was handed to the terminal's clipboard (OSC 52).")

    async def action_refresh_now(self) -> None:
        """Ask the service again now."""
        if self.correspondence is not None:
            self.tell("Asking the service again.")
            self.run_worker(self.correspondence.refresh(), group="refresh", exclusive=True)

    def action_help(self) -> None:
        """What the keys do and what the signs mean."""
        # loaded when it is first asked for, not before the first paint
        from corr_tui.ui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(ascii_only=self.view.ascii_only))

    def action_quit(self) -> None:
        """Leave."""
        self.app.exit()
