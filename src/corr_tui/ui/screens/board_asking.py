"""What the board asks of the session, and the screens it opens over itself (experience: keys).

An event that is not at hand is recalled from the history kept here; earlier events are fetched when a person comes to
the top of the list. Nothing here posts: the composer does, at Enter.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.worker import Worker

from corr_tui.ui.commands import commands_of, find
from corr_tui.ui.screens.board_view import BoardView
from corr_tui.ui.widgets.line_list import LineList

if TYPE_CHECKING:  # loaded by `begin`, after the first paint
    from corr_tui.state.border import Sent
    from corr_tui.state.snapshot import Heard
    from corr_tui.ui.composition import Composition


class BoardAsking(BoardView):
    """The board with its questions to the session; each screen is loaded when it is first asked for."""

    # Events that are not at hand.

    def show_event(self, event_id: str) -> None:
        """Bring an event under the cursor of the events; recall it where it is kept further back."""
        if self.reader is not None and not self.bring(event_id):
            self._ask(partial(self._recall, event_id), "recall")

    async def _recall(self, event_id: str) -> None:
        if self.correspondence is None or self.reader is None:
            return
        heard = await self.correspondence.recall(event_id)
        if heard is None:
            known = self.reader.snapshot.history.complete
            self.tell("No event of this is known here." if known else "This event is not read yet, or is missing.")
            return
        self.reader.take(self.correspondence.snapshot)
        self.reader.recall(heard)
        self.draw()
        self.bring(heard.key)

    def came_to(self, key: str) -> None:
        """A person put the cursor of the events on this row: at the top of those at hand, more are fetched."""
        from corr_tui.ui.panels.event_rows import EARLIER

        if key == EARLIER:
            self._widen()

    def opened_note(self, key: str) -> bool:
        """Whether the row opened is a note, and what it offers is done."""
        from corr_tui.ui.panels.event_rows import EARLIER, GAP

        if key == EARLIER:
            self._widen()
        elif key == GAP:
            self.tell("What lies here is not read yet.")
        return key in (EARLIER, GAP)

    @on(LineList.AtTop, "#events")
    def _reached_top(self) -> None:
        self._widen()

    def _widen(self) -> None:
        """Fetch more of the earlier events; the row below them keeps its place."""
        from corr_tui.ui.panels.event_rows import EARLIER

        if self.correspondence is None or self.reader is None or not self.reader.snapshot.history.earlier:
            return
        view = self.board.panels["events"].view
        if view.cursor == EARLIER:
            after = view.places.index[EARLIER] + 1
            self.board.panels["events"].choose(view.places.keys[after] if after < len(view.places.keys) else None)
        self._ask(self.correspondence.widen, "widen")

    # Asking, and not asking.

    def _ask(self, work: Callable[[], Coroutine[None, None, object]], group: str) -> Worker[object]:
        """Ask in the background; the question of the same group before it is dropped."""
        return self.run_worker(work, group=group, exclusive=True)

    def action_refresh_now(self) -> None:
        """Ask the service again now."""
        if self.correspondence is not None:
            self.tell("Asking the service again.")
            self._ask(self.correspondence.refresh, "refresh")

    def action_toggle_hold(self) -> None:
        """Pause this board, or go on; nobody is told."""
        from corr_tui.state.snapshot import LinkState

        if self.correspondence is None or self.reader is None:
            return
        if self.reader.snapshot.link.state is LinkState.HELD:
            self.correspondence.release()
            self.tell("This board goes on asking the service.")
        else:
            self.correspondence.hold()
            self.tell(f"This board is paused: it asks the service nothing until {self._key('hold')}. Nobody is told.")

    def action_toggle_replay(self) -> None:
        """Stop reading the older history, or go on."""
        if self.correspondence is None or self.reader is None:
            return
        history = self.reader.snapshot.history
        if history.complete:
            self.tell("The whole history is read.")
        elif history.stopped:
            self.tell("Reading on.")
            self._ask(self.correspondence.refresh, "refresh")
        else:
            self.correspondence.stop_replay()
            on = f"{self._key('history.stop')} goes on."
            self.tell(f"Reading of the older history stopped; new events are shown as they come. {on}")

    def _key(self, command_id: str) -> str:
        """The key of a command, as people write it."""
        return find(command_id, commands_of(self.app)).shown

    # Screens.

    async def open_composer(self, kind: str, subjects: tuple[Heard, ...], opened_by: str = "") -> None:
        """Open the composer on these events; it is there when this returns."""
        if self.correspondence is None or self.reader is None:
            return
        from corr_tui.state.git_facts import GitFacts
        from corr_tui.ui.screens.compose import ComposeScreen, Pinned
        from corr_tui.ui.screens.reader import result_words

        def told(sent: Sent | None) -> None:
            panel.view.resume()
            self.tell(result_words(kind, sent) if sent else "")

        panel = self.subject_panel
        panel.view.hold()
        spot = None
        if subjects == self.subjects() and panel.panel_name in self.board.places(self.size):
            spot = panel.spot()
        composer = ComposeScreen(
            self.correspondence,
            kind,
            subjects,
            self.reader.snapshot,
            pinned=None if spot is None else Pinned(*spot),
            git=None if self.folder is None else GitFacts(self.folder),
            kept=self.reader.kept,
            opened_by=opened_by,
            ascii_only=self.view.ascii_only,
            commands=commands_of(self.app),
        )
        await self.app.push_screen(composer, told)

    async def action_search(self) -> None:
        """Search the whole history kept here."""
        if self.correspondence is None or self.reader is None:
            return
        from corr_tui.ui.screens.search import SearchScreen

        reader = self.reader
        screen = SearchScreen(self.correspondence, reader.snapshot, self.view, asked=reader.searched)

        def found(event_id: str | None) -> None:
            reader.searched = screen.asked
            if event_id is not None:
                self.show_event(event_id)

        await self.app.push_screen(screen, found)

    async def action_outbox(self) -> None:
        """List what was signed here and has no receipt."""
        if self.correspondence is None or self.reader is None:
            return
        from corr_tui.ui.screens.outbox import OutboxScreen

        async def again(draft: Composition | None) -> None:
            if draft is not None:
                await self.open_composer(draft.kind, draft.targets, "enter")

        reader = self.reader
        screen = OutboxScreen(self.correspondence, reader.snapshot, self.view, reader.kept, self.folder)
        await self.app.push_screen(screen, again)

    def action_notices(self) -> None:
        """What to know about the history and the views here, in full."""
        if self.reader is not None:
            from corr_tui.ui.screens.notices import NoticesScreen

            self.app.push_screen(NoticesScreen(self.reader.snapshot, ascii_only=self.view.ascii_only))

    def action_help(self) -> None:
        """What the keys do and what the signs mean."""
        from corr_tui.ui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(ascii_only=self.view.ascii_only))
