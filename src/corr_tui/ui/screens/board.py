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
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.screen import Screen

from corr_tui.state.border import Correspondence, Outcome, Sent
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Heard, Snapshot
from corr_tui.ui import commands, looking, ticks
from corr_tui.ui.composition import KeptWords
from corr_tui.ui.line import Ink, Layout, Line, Span, View
from corr_tui.ui.panels.threads import ALL
from corr_tui.ui.screens.board_content import BoardContent
from corr_tui.ui.screens.board_frame import Board
from corr_tui.ui.screens.places import PANELS
from corr_tui.ui.screens.subjects import events_of
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.text import clean
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.panel import Panel


class BoardScreen(Screen[None]):
    """Six panels over one snapshot."""

    CSS_PATH = stylesheet("board.tcss")
    AUTO_FOCUS = "#events"
    BINDINGS: ClassVar[list[BindingType]] = [*commands.bindings(commands.Scope.BOARD)]

    snapshot: reactive[Snapshot] = reactive(Snapshot(repository_id=""), init=False, repaint=False)
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
        self.view = View(zone=zone, ascii_only=ascii_only)
        self.status: Line = ()
        """The result of what was last done, in the footer until the next thing is done."""
        self.failure = ""
        """Why there is nothing to show, in words."""
        self.correspondence: Correspondence | None = None
        """Whom a draft is handed to, once it is open."""
        self._kept = KeptWords()
        self._monotonic = monotonic
        self._draw_asked = False
        self._change_at = 0.0

    def compose(self) -> ComposeResult:
        """The board is the whole screen."""
        yield self.board

    def on_mount(self) -> None:
        """Draw the loading state and start the one timer."""
        self._draw()
        self._wait()

    def on_resize(self) -> None:
        """Other widths say more or less."""
        self._draw()

    # What changes the view.

    def watch_snapshot(self, before: Snapshot, now: Snapshot) -> None:
        """Take a snapshot over; the first whole history is where `new` begins."""
        if now.history.complete and not before.history.complete and not self.view.read_through:
            self.view = replace(self.view, read_through=looking.baseline(now))
        self.redraw()

    def fail(self, words: str) -> None:
        """Say in place why the correspondence could not be opened."""
        self.failure = words
        self.redraw()

    def tell(self, words: str, ink: Ink = Ink.TEXT) -> None:
        """Say a result in the footer; any text may come from elsewhere and passes the text door."""
        self.status = (Span(clean(words), ink),) if words else ()
        self._draw_bars()

    def choose_thread(self, thread_id: str | None) -> None:
        """Show the events of one thread, or of all."""
        self.view = replace(self.view, thread_id=thread_id)
        self.board.panels["threads"].choose(ALL if thread_id is None else thread_id)
        if thread_id is not None and (thread := facts(self.snapshot.events).threads.get(thread_id)):
            self._look(thread.last_seq)
        self.redraw()

    def subjects(self) -> tuple[Heard, ...]:
        """The events under the cursor: of the conflict where conflicts have the focus, else of the events."""
        # the list itself is asked, not the view: a message about a cursor that just moved may still be on its way
        name = "conflicts" if self.board.active == "conflicts" else "events"
        return events_of(name, self.board.panels[name].cursor or "", self.snapshot)

    def _look(self, seq: int) -> None:
        through = looking.looked_at(self.view.read_through, self.snapshot, seq, self.view.thread_id)
        self.view = replace(self.view, read_through=through)

    @on(LineList.Highlighted, "#events")
    def _select(self, message: LineList.Highlighted) -> None:
        heard = self.snapshot.by_id.get(message.key or "")
        if message.by_person and heard is not None:
            self._look(heard.record.seq)
        if message.by_person and self.status:
            self.tell("")
        if message.key != self.view.selected or message.by_person:
            self.view = replace(self.view, selected=message.key)
            self._draw_panels("selected", *(("threads",) if message.by_person else ()))

    @on(LineList.BelowChanged, "#events")
    def _count_below(self) -> None:
        self.view = replace(self.view, new_below=self.board.panels["events"].below)
        self._draw_panels("events")

    @on(LineList.Opened, "#threads")
    def _open_thread(self, message: LineList.Opened) -> None:
        known = facts(self.snapshot.events).threads
        self.choose_thread(message.key if message.key in known else None)
        self.action_panel("events")

    @on(LineList.Opened, "#events")
    def _open_event(self, message: LineList.Opened) -> None:
        self.view = replace(self.view, opened=self.view.opened | {message.key}, selected=message.key)
        self.redraw()
        self.action_panel("selected")

    @on(LineList.Opened, "#claims")
    @on(LineList.Opened, "#conflicts")
    @on(LineList.Opened, "#presence")
    def _show_event(self, message: LineList.Opened) -> None:
        found = events_of(message.line_list.id or "", message.key, self.snapshot)
        if found:
            self.show_event(found[0].event_id)
        else:
            self.tell("No event of this is known here.")

    def show_event(self, event_id: str) -> None:
        """Bring an event under the cursor of the events, in all threads if it is not in the chosen one."""
        panel = self.board.panels["events"]
        if event_id not in panel.places.index:
            self.view = replace(self.view, thread_id=None)
            self._draw()
        panel.choose(event_id)
        self.action_panel("events")

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
        self._now()
        self._change_at = self.view.monotonic + ticks.next_change(self.snapshot, self.view.now, self.view.monotonic)
        self._draw_panels(*PANELS)
        self._draw_bars()

    def _now(self) -> None:
        monotonic = self._monotonic()
        self.view = replace(self.view, monotonic=monotonic, now=self.snapshot.clock.now(monotonic))

    def _content(self) -> BoardContent:
        return BoardContent(self.snapshot, self.view, self.size, self.board.active, self.failure)

    def _draw_panels(self, *names: str) -> None:
        regions, content = self.board.places(self.size), self._content()
        for name in names:
            if name in regions:
                self.board.panels[name].show(*content.panel(name, regions[name]))
        self.board.make_room(len(self.board.panels["presence"].places.rows))

    def _draw_bars(self) -> None:
        content = self._content()
        self.board.header.show(content.header())
        self.board.footer.show(content.footer(self.status))
        if content.layout is Layout.NARROW:
            self.board.tabs.show(content.tabs())

    # Time.

    def _wait(self) -> None:
        self.set_timer(ticks.until_next_second(self.view.now), self._tick)

    def _tick(self) -> None:
        self._now()
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
        # the composer is loaded when it is first asked for, not before the first paint
        from corr_tui.ui.screens.compose import ComposeScreen, Pinned

        subjects = self.subjects()
        if self.correspondence is None or not subjects:
            self.tell("There is no event with a receipt under the cursor.")
            return
        panel = self.board.panels[self.board.active]
        panel.following = False
        spot = panel.spot()
        composer = ComposeScreen(
            self.correspondence,
            kind,
            subjects,
            self.snapshot,
            pinned=None if spot is None else Pinned(*spot),
            kept=self._kept,
            opened_by=opened_by,
            ascii_only=self.view.ascii_only,
        )
        await self.app.push_screen(composer, lambda sent: self.tell(result_words(kind, sent) if sent else ""))

    def action_copy_id(self) -> None:
        """Copy the event id."""
        self._copy("id", lambda heard: heard.event_id)

    def action_copy_json(self) -> None:
        """Copy the event as JSON, as it was received."""
        self._copy("JSON", lambda heard: json.dumps(heard.record.event.evidence, ensure_ascii=True, indent=2))

    def _copy(self, what: str, text_of: Callable[[Heard], str]) -> None:
        subjects = self.subjects()
        if not subjects:
            self.tell("There is no event with a receipt under the cursor.")
            return
        self.app.copy_to_clipboard(text_of(subjects[0]))
        number = self.snapshot.number_of(subjects[0].event_id)
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


def result_words(kind: str, sent: Sent) -> str:
    """What became of an event, in one line; the service's own words where it refused."""
    match sent.outcome:
        case Outcome.POSTED:
            number = f"#{sent.record.receipt.received_seq}" if sent.record else "with a receipt"
            warnings = sent.record.warnings if sent.record else ()
            return "; ".join((f"{kind} is {number}", *(f"{each.code}: {each.detail}" for each in warnings)))
        case Outcome.REFUSED:
            return f"{kind} was refused: {sent.reason}"
        case Outcome.UNKNOWN:
            return f"{kind}: not known yet, sending the same event again"
        case Outcome.CHANGED:
            return f"{kind} was not posted: its sequence number was taken meanwhile"
