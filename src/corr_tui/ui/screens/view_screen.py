"""A view: one full-screen look at the snapshot the board draws, opened over it by one key and left with Esc.

A view is added in five steps:
1. `ui/views/<name>.py`: a pure `content(snapshot, view, width) -> Content`, its rows keyed by what they show;
2. `ui/screens/<name>.py`: a ViewScreen with NAME, KEYS (the footer's commands), `content`, and what else it overrides:
   `details`, `event_of`, `row_of`, `opened`, `next_change`;
3. `screens/views.py`: its name and class in VIEWS;
4. `view_commands.py`: `_opens(key, name, …)`; for keys of its own `_in(…)` there, a member of Scope and of VIEWS in
   `command.py`, and on the class `BINDINGS = bindings(Scope.<NAME>)`, `scopes = ViewScreen.scopes | {Scope.<NAME>}`;
5. `tests/ui/test_view_<name>.py`: golden pages at 80, 120 and 160 columns, and each of its keys in the whole app.

The keys that say something act on the event under the cursor, as on the board. What is not at hand is recalled when the
cursor comes to it. The rows that are drawn know nothing of the cursor, so that moving it computes none of them.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType

from corr_tui.state.snapshot import Heard
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.screens.view_parts import ViewParts
from corr_tui.ui.screens.view_places import PARTS
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.panel import Panel


class ViewScreen(ViewParts):
    """A view under keys and mouse; each view is a subclass."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.READING), *bindings(Scope.VIEW)]

    def opened(self, key: str) -> None:
        """Somebody opened the row: its event is shown on the board."""
        event_id = self.event_of(key)
        if event_id is None:
            self.tell("No event of this is known here.")
        else:
            self.show_event(event_id)

    def begin_at(self, event_id: str | None) -> None:
        """Bring an event under the cursor, where it is shown."""
        self._begin_at = event_id
        self.redraw()

    # The events under the cursor.

    @property
    def subject_panel(self) -> Panel:
        """The rows."""
        return self.rows

    def subjects(self) -> tuple[Heard, ...]:
        """The event under the cursor, if it is at hand."""
        heard = self.reading.snapshot.by_id.get(self.selected or "")
        return () if heard is None else (heard,)

    def events_at(self, panel: Panel, key: str) -> tuple[Heard, ...]:
        """The event that a row is about, if it is at hand."""
        heard = self.reading.snapshot.by_id.get(self.event_of(key) or "")
        return () if heard is None else (heard,)

    def at(self) -> str | None:
        """The id of the event under the cursor, at hand or not."""
        return self.selected

    def show_event(self, event_id: str) -> None:
        """Leave, and bring the event under the cursor of the board's events."""
        self.dismiss(event_id)

    def choose_thread(self, thread_id: str | None) -> None:
        """Look at one thread, or at all."""
        self.reading.choose_thread(thread_id)
        self.redraw()

    @on(LineList.Highlighted, "#rows")
    def _moved(self, message: LineList.Highlighted) -> None:
        if message.by_person and self.status:
            self.tell("")
        event_id = self.selected
        if event_id is not None and event_id not in self.reading.snapshot.by_id and self.correspondence is not None:
            self.ask(partial(self.correspondence.recall, event_id), "recall")
        self.draw_details()

    @on(LineList.Opened, "#rows")
    def _open(self, message: LineList.Opened) -> None:
        self.opened(message.key)

    # Where the focus is.

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The part with the focus is shown, whatever room there is."""
        if event.widget in (self.rows, self.told) and event.widget is self.focused:
            self.action_go(event.widget.id or "")

    def action_go(self, name: str) -> None:
        """Go to the rows or to the details: the part has the focus when this returns."""
        self.set_focus(self.frame.panels[name], scroll_visible=False)
        if name != self.frame.active:
            self.frame.activate(name)
            self.draw()

    def action_turn(self) -> None:
        """Go to the other part."""
        self.action_go(PARTS[1 - PARTS.index(self.frame.active)])

    def action_close(self) -> None:
        """Back to the screen it was opened on."""
        if self.frame.active != "rows":
            self.action_go("rows")
        else:
            self.dismiss(None)
