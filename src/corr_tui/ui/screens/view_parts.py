"""A view as it is drawn: what it says for itself, and where that is put. `view_screen` says how a view is added."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.geometry import Region, Size

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.commands import Scope, commands_of, listed
from corr_tui.ui.line import Content, Layout, View
from corr_tui.ui.panels import selected
from corr_tui.ui.screens.asking import AskingScreen
from corr_tui.ui.screens.bars import header_bar, speaking
from corr_tui.ui.screens.places import ROOMY, layout_of, selected_height
from corr_tui.ui.screens.snapshot_screen import SnapshotScreen
from corr_tui.ui.screens.view_frame import ViewFrame
from corr_tui.ui.screens.view_places import Details, view_places
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.widgets.footer import footer
from corr_tui.ui.widgets.panel import Frame, Panel

if TYPE_CHECKING:  # the board makes it, with what it needs, after the first paint
    from corr_tui.ui.screens.reader import Reader

ALWAYS = ("view.close", "help", "palette")
"""Commands that every view has in its footer, and that never go."""


class ViewParts(AskingScreen):
    """Rows, what is told of the one under the cursor, and the two bars."""

    CSS_PATH = stylesheet("board.tcss")
    AUTO_FOCUS = "#rows"
    scopes: ClassVar[frozenset[Scope]] = AskingScreen.scopes | {Scope.VIEW}

    KEYS: ClassVar[tuple[str, ...]] = ()
    """The ids of the commands in its footer, in their order; when room is short the last goes first."""
    DETAILS: ClassVar[Details] = Details.FOOT

    def __init__(self, before: SnapshotScreen, event_id: str | None) -> None:
        """Over another screen, to begin at an event where it is shown."""
        super().__init__(before.view, monotonic=before.monotonic, folder=before.folder)
        self.reader, self.correspondence = before.reader, before.correspondence
        self.set_reactive(SnapshotScreen.snapshot, before.snapshot)
        self.rows = self.make_rows()
        self.told = Panel("", "details", chooses=False)
        self.frame = ViewFrame(self.rows, self.told, self.places, ascii_only=self.view.ascii_only)
        self._begin_at = event_id

    # What each view says for itself.

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """The rows; pure. `view.height` is the lines there are for them."""
        raise NotImplementedError

    def details(self, snapshot: Snapshot, view: View, width: int) -> Content:
        """What is told of the row under the cursor; `view.selected` is its event. Pure."""
        told = selected.compact if 0 < view.height < 4 else selected.content
        return told(snapshot, view, width)

    def event_of(self, key: str) -> str | None:
        """The id of the event that the row with this key is about, at hand or not."""
        return key

    def row_of(self, event_id: str) -> str | None:
        """The key of the row that shows an event."""
        return event_id

    def details_height(self, size: Size) -> int:
        """How many lines the details want at the foot, their rule among them."""
        wanted = selected_height(size.height)
        return wanted if layout_of(size.width) is not Layout.NARROW else min(wanted, 3)

    def row_frame(self) -> Frame:
        """How the rows are framed."""
        return Frame(numbered=bool(self.rows.number), roomy=self.size.height >= ROOMY)

    def make_rows(self) -> Panel:
        """The widget of the rows."""
        return Panel("", "rows")

    # The screen.

    def compose(self) -> ComposeResult:
        """The frame is the whole screen."""
        yield self.frame

    def on_mount(self) -> None:
        """The titles name the keys that lead there."""
        keys = self.reading.view.keys
        self.rows.number, self.told.number = keys.get(f"view.{self.NAME}", ""), keys.get("view.details", "")

    @property
    def reading(self) -> Reader:
        """The reader of the board, which a view always has."""
        assert self.reader is not None
        return self.reader

    @property
    def selected(self) -> str | None:
        """The id of the event under the cursor, at hand or not."""
        key = self.rows.view.cursor
        return None if key is None else self.event_of(key)

    def places(self, size: Size, active: str) -> dict[str, Region]:
        """Where each part that is shown stands at a size."""
        return view_places(size.width, size.height, active, self.DETAILS, self.details_height(size))

    def draw_parts(self) -> None:
        """Draw the rows, and what is told of the one under the cursor."""
        region = self.frame.places(self.size).get("rows")
        if region is not None:
            content = self.content(self.reading.snapshot, self.looking(region), region.width)
            marked = self.view.marked
            self.rows.marked, self.rows.marks = frozenset(filter(None, map(self.row_of, marked))), len(marked)
            self.rows.show(content, self.row_frame())
            if self._begin_at is not None and content.rows:
                self.rows.choose(self.row_of(self._begin_at))
                self._begin_at = None
        self.draw_details()

    def draw_details(self) -> None:
        """Draw what is told of the row under the cursor."""
        region = self.frame.places(self.size).get("details")
        if region is not None:
            view = replace(self.looking(region), selected=self.selected, height=max(0, region.height - 1))
            content = self.details(self.reading.snapshot, view, region.width)
            self.told.show(content, Frame(numbered=bool(self.told.number), roomy=self.size.height >= ROOMY, airy=False))

    def looking(self, region: Region) -> View:
        """How the snapshot is looked at in a region; the cursor is the list's to draw."""
        layout = layout_of(self.size.width)
        return replace(self.view, layout=layout, height=max(0, region.height - 2), selected=None)

    def draw_bars(self) -> None:
        """Draw header and footer."""
        self.draw_header()
        ids = (*ALWAYS, *self.KEYS)
        heard = listed(ids, commands_of(self.app), speaking=speaking(self.reading.snapshot))
        shown = sorted(heard, key=lambda command: command.id in ALWAYS)
        self.frame.footer.show(footer(shown, self.size.width, self.status))

    def draw_header(self) -> None:
        """Draw the header alone."""
        view = replace(self.view, layout=layout_of(self.size.width))
        self.frame.header.show(header_bar(self.reading.snapshot, view, self.size.width))
