"""The event inspector over the board: one event in full, its sections, and the way along what it names."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.geometry import Size

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.line import Content, Layout, View
from corr_tui.ui.screens.places import layout_of
from corr_tui.ui.screens.view_places import Details
from corr_tui.ui.screens.view_screen import ViewScreen
from corr_tui.ui.views import inspector
from corr_tui.ui.views.inspected import follows
from corr_tui.ui.views.sections import HEADING


class InspectorScreen(ViewScreen):
    """Everything of one event."""

    NAME = "inspector"
    DETAILS = Details.RIGHT
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.INSPECTOR)
    scopes: ClassVar[frozenset[Scope]] = ViewScreen.scopes | {Scope.INSPECTOR}
    KEYS = (
        "open",
        "inspector.return",
        "inspector.next",
        "inspector.previous",
        "ack.seen",
        "repair",
        "copy.id",
        "copy.json",
    )

    def on_mount(self) -> None:
        """The event it was opened on."""
        super().on_mount()
        self._passed: list[str] = []
        """The events inspected before, on the way to this one."""
        self._inspect(self._begin_at)

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The event, from top to bottom."""
        return inspector.content(snapshot, view, width, self.selected)

    def details(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """What its kind does not establish, and what a signature covers."""
        return inspector.beside(snapshot, view, width, self.selected)

    def details_height(self, size: Size) -> int:
        """They stand at the right or nowhere: elsewhere they are among the sections."""
        return 0

    @property
    def selected(self) -> str | None:
        """The id of the event inspected, wherever the cursor is in it."""
        return self._inspected

    _inspected: str | None = None

    def begin_at(self, event_id: str | None) -> None:
        """Inspect another event."""
        if event_id is not None and event_id != self._inspected:
            self._go_to(event_id)

    def opened(self, key: str) -> None:
        """Somebody opened a line: the event it names is inspected; without one, this one is shown on the board."""
        named = follows(key)
        if named is not None:
            self._go_to(named)
        elif self._inspected is not None:
            self.show_event(self._inspected)

    def _go_to(self, event_id: str) -> None:
        if self._inspected is not None:
            self._passed.append(self._inspected)
        self._inspect(event_id)

    def _inspect(self, event_id: str | None) -> None:
        """Show an event from its top; recall it where it is not at hand."""
        self._inspected, self._begin_at = event_id, None
        self.rows.view.choose(None)
        self.rows.patch(())
        self.redraw()
        if event_id and event_id not in self.reading.snapshot.by_id and self.correspondence is not None:
            self.ask(partial(self.correspondence.recall, event_id), "recall")

    # Commands.

    def action_return(self) -> None:
        """Back to the event inspected before."""
        if self._passed:
            self._inspect(self._passed.pop())
        else:
            self.tell("No event was inspected before this one.")

    def action_section(self, steps: int) -> None:
        """To the first line of another section."""
        view = self.rows.view
        keys = view.places.keys
        if view.cursor is None:
            return
        starts = [0, *(place + 1 for place, key in enumerate(keys) if key.startswith(HEADING))]
        here = view.places.index[view.cursor]
        wanted = [place for place in starts if (place - here) * steps > 0]
        if wanted:
            place = min(wanted) if steps > 0 else max(wanted)
            view.scroll(view.places.firsts[max(place - 1, 0)] - view.top)  # its heading comes to the top
            self.rows.choose(keys[place])

    def action_turn(self) -> None:
        """To the next section where nothing stands beside them."""
        if layout_of(self.size.width) is Layout.WIDE:
            super().action_turn()
        else:
            self.action_section(1)
