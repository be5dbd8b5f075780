"""The outbox on a sheet: list what has no receipt, and discard, export or copy one of it by name.

Discarding is asked once, in place, and the key has to be pressed again; moving to another event, or Esc, answers no.
A file is made, never written over, and holds exactly the canonical bytes that were signed.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widgets import Input

from corr_tui.protocol.signing import event_jcs
from corr_tui.state import private_file
from corr_tui.state.border import Correspondence, DiscardRefused
from corr_tui.state.snapshot import Snapshot, Unsent, UnsentState
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.composition import Composition, KeptWords, composed_again, is_composed
from corr_tui.ui.layout import START, blank, dim, text
from corr_tui.ui.line import Line, View
from corr_tui.ui.panels.outbox import content, place_of, unsent_of
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.screens.sheet import Sheet, sheet_heading
from corr_tui.ui.terminal_app import copy_with
from corr_tui.ui.text import clean, typed
from corr_tui.ui.widgets.inked import Inked
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.panel import Frame
from corr_tui.ui.widgets.word_field import WordLine

KEYS = ("outbox.discard", "outbox.export", "outbox.copy", "open", "outbox.close")


class OutboxScreen(Sheet[Composition | None]):
    """The result is a refused draft to open again, or None."""

    BINDINGS = bindings(Scope.OUTBOX)
    AUTO_FOCUS = "#unsent"

    snapshot: reactive[Snapshot] = reactive(lambda: Snapshot(repository_id=""), init=False)

    def __init__(
        self, correspondence: Correspondence, snapshot: Snapshot, view: View, kept: KeptWords, folder: Path | None
    ) -> None:
        """`folder` is where a file goes whose name says no folder; the working folder for None."""
        super().__init__("unsent", KEYS, ascii_only=view.ascii_only)
        self.set_reactive(OutboxScreen.snapshot, snapshot)
        self.asked: str | None = None
        """The event that is about to be discarded."""
        self.told = ""
        """The result of what was last done."""
        self._correspondence, self._view, self._kept = correspondence, view, kept
        self._folder = folder or Path()
        self._exporting: Unsent | None = None

    def compose(self) -> ComposeResult:
        """The heading, the list, the line for a path, the keys."""
        ascii_only = self.ascii_only
        with Vertical(classes="sheet"):
            heading = "nothing leaves it but by a receipt, or by name"
            yield Inked(lambda width: (sheet_heading("Outbox", heading, width),), ascii_only=ascii_only)
            yield self.list
            with Horizontal(classes="sheet-line -hidden", id="path-line"):
                yield Inked(self._label, ascii_only=ascii_only, classes="sheet-label")
                yield WordLine("", id="path", compact=True, select_on_focus=False)
            yield self.foot

    def _label(self, width: int) -> tuple[Line, ...]:
        return ((*blank(START), *dim("file")),)

    def _status(self) -> Line:
        if self._exporting is not None:
            return dim("Enter writes the exact bytes to a new file, Esc writes nothing")
        return text(clean(self.told))

    def on_mount(self) -> None:
        """Show what there is."""
        self._draw()

    def on_resize(self) -> None:
        """Other widths, other columns."""
        self.call_after_refresh(self._draw)

    def watch_snapshot(self) -> None:
        """Something got its receipt, or was refused."""
        self._draw()

    @property
    def current(self) -> Unsent | None:
        """The unsent event under the cursor."""
        cursor = self.list.view.cursor
        unsent = unsent_of(Reading(self.snapshot, self._view))
        return next((each for each in unsent if each.event.event_id == cursor), None)

    def _tell(self, words: str) -> None:
        self.told = words
        self._draw()

    def _draw(self) -> None:
        if not self.list.size:
            return
        reading = Reading(self.snapshot, self._view)
        self.list.show(content(reading, self.list.size.width, self.asked), Frame(numbered=False))
        self.keys = KEYS if _again(self.current, self.snapshot) else tuple(key for key in KEYS if key != "open")
        self.draw_foot(self._status())

    @on(LineList.Highlighted, "#unsent")
    def _moved(self, message: LineList.Highlighted) -> None:
        """Another event: whatever was asked was asked of the one before."""
        if message.key != self.asked:
            self.asked = None
        if message.by_person:
            self.told = ""
        self._draw()

    # Deeds.

    def action_discard(self) -> None:
        """Ask; pressed again, discard."""
        current = self.current
        if current is None:
            self._tell("There is nothing to discard.")
        elif self.asked != current.event.event_id:
            self.asked, self.told = current.event.event_id, ""
            self._draw()
        else:
            self.asked = None
            self.run_worker(self._discard(current), group="discard")

    async def _discard(self, unsent: Unsent) -> None:
        event = unsent.event
        try:
            known = await self._correspondence.discard(event.event_id)
        except DiscardRefused as refused:
            self._tell(f"Not discarded: {refused}")
            return
        named = f"{event.kind} {place_of(event)}"
        self._tell(f"{named} was discarded." if known else f"{named} is no longer in the outbox.")

    def action_export(self) -> None:
        """Ask for a path, a name proposed."""
        current = self.current
        if current is None:
            self._tell("There is nothing to export.")
            return
        self._exporting, self.asked = current, None
        event = current.event
        line = self.query_one(WordLine)
        line.value = f"{event.kind}-{event.sender.session_id[:8]}-{event.session_seq}.json"
        line.cursor_position = len(line.value)
        self.query_one("#path-line").remove_class("-hidden")
        self.set_focus(line)
        self._draw()

    @on(Input.Submitted, "#path")
    async def _write(self, message: Input.Submitted) -> None:
        unsent, named = self._exporting, message.value.strip()
        if unsent is None or not named:
            return
        self._end_export()
        path = self._path(named)
        try:
            await asyncio.to_thread(private_file.create, path, event_jcs(unsent.event.evidence), folders=False)
        except FileExistsError:
            self._tell(f"Not written: {path} exists, and is left as it is.")
        except OSError as error:
            self._tell(f"Not written: {path}: {error.strerror or error}")
        else:
            self._tell(f"Its exact bytes are in {path}")

    def _path(self, named: str) -> Path:
        try:
            return self._folder / Path(named).expanduser()
        except RuntimeError:  # there is no such home
            return self._folder / named

    def _end_export(self) -> None:
        self._exporting = None
        self.query_one("#path-line").add_class("-hidden")
        self.set_focus(self.list)
        self._draw()

    def take_typed(self, text: str) -> bool:
        """Text that was typed before the path had the focus; False where nobody writes."""
        if self._exporting is None:
            return False
        self.query_one(WordLine).insert_text_at_cursor(typed(text))
        return True

    def action_copy_json(self) -> None:
        """Copy the event under the cursor as JSON."""
        current = self.current
        if current is None:
            self._tell("There is nothing to copy.")
            return
        text = json.dumps(current.event.evidence, indent=2)
        copy_with(self.app, f"the JSON of {current.event.kind}", text, self._tell)

    @on(LineList.Opened, "#unsent")
    def _open_again(self) -> None:
        """A refused draft goes back to the composer, with its words."""
        current, again = self.current, _again(self.current, self.snapshot)
        if again is not None:
            self._kept.keep(again)
            self.dismiss(again)
        elif current is None or current.state is not UnsentState.REFUSED:
            self._tell("Only a refused draft can be written anew; this one still goes out as it is.")
        elif is_composed(current.event.kind):
            self._tell("This draft cannot be opened here: an event it cites is not at hand.")
        else:
            kind = current.event.kind
            self._tell(f"The board does not compose {kind} yet: `corr-tui send {kind}` says it anew.")

    def action_close(self) -> None:
        """Answer no; else end the writing of a path; else back to the board."""
        if self._exporting is not None:
            self._end_export()
        elif self.asked is not None:
            self.asked = None
            self._draw()
        else:
            self.dismiss(None)


def _again(current: Unsent | None, snapshot: Snapshot) -> Composition | None:
    """The composition of a refused draft, where it can be opened here."""
    if current is None or current.state is not UnsentState.REFUSED:
        return None
    return composed_again(current.event, snapshot)
