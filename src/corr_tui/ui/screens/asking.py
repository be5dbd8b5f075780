"""What a person asks for on a screen over a snapshot: words to say, copies, what opens over it (experience: keys).

Nothing here posts anything: a key opens the composer, and posting is the composer's. Looking acknowledges nothing. Each
screen is loaded when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.worker import Worker

from corr_tui.ui import commands
from corr_tui.ui.commands import Scope, commands_of, find
from corr_tui.ui.screens import views
from corr_tui.ui.screens.snapshot_screen import SnapshotScreen
from corr_tui.ui.screens.taking import NOTHING, TakingScreen
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.line_list import LineList

if TYPE_CHECKING:  # loaded by the board's `begin`, after the first paint
    from corr_tui.state.border import Sent
    from corr_tui.state.snapshot import Heard
    from corr_tui.ui.composition import Composition


class AskingScreen(TakingScreen):
    """A screen over a snapshot with the commands of `Scope.READING`."""

    scopes: ClassVar[frozenset[Scope]] = frozenset({Scope.APP, Scope.READING, Scope.LIST})
    """The scopes whose commands are heard here."""

    # What each screen says for itself.

    def show_event(self, event_id: str) -> None:
        """Bring an event under the cursor of the board's events."""
        raise NotImplementedError

    @property
    def about(self) -> str:
        """The name of the panel or the view that help tells of first."""
        return self.NAME

    # Commands.

    @on(Bar.Chosen)
    async def run_command(self, message: Bar.Chosen) -> None:
        """Do what the key of a command does: its word in a bar was clicked."""
        command = commands.find(message.command_id)
        part = {Scope.LIST: self.focused, Scope.APP: self.app}.get(command.scope, self)
        await self.app.run_action(command.action, part or self)

    async def action_compose(self, kind: str, opened_by: str = "") -> None:
        """Open the composer, pinned to the events under the cursor; `opened_by` is a key other than the command's.

        The screen is there when this returns, so that of two strokes typed at once the second already reaches it.
        """
        # of several events under one cursor an acknowledgement is about the first; of marked ones, about each
        subjects = self.subjects() if kind == "repair" else self.subjects()[:1]
        subjects = (self.reader.marked if self.reader is not None else ()) or subjects
        if self.correspondence is None or self.reader is None or not subjects:
            self.tell(NOTHING)
            return
        await self.open_composer(kind, subjects, opened_by)

    def action_mark(self) -> None:
        """Mark the events under the cursor, or unmark them."""
        subjects = self.subjects()
        if self.reader is None or not subjects:
            self.tell(NOTHING)
            return
        self.reader.mark(subjects)
        self.tell("")
        self.redraw()

    # Asking, and not asking.

    def ask(self, work: Callable[[], Coroutine[None, None, object]], group: str) -> Worker[object]:
        """Ask in the background; the question of the same group before it is dropped."""
        return self.run_worker(work, group=group, exclusive=True)

    def action_refresh_now(self) -> None:
        """Ask the service again now."""
        if self.correspondence is not None:
            self.tell("Asking the service again.")
            self.ask(self.correspondence.refresh, "refresh")

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
            self.tell(f"This board is paused: it asks the service nothing until {self.key('hold')}. Nobody is told.")

    def action_toggle_replay(self) -> None:
        """Stop reading the older history, or go on."""
        if self.correspondence is None or self.reader is None:
            return
        history = self.reader.snapshot.history
        if history.complete:
            self.tell("The whole history is read.")
        elif history.stopped:
            self.tell("Reading on.")
            self.ask(self.correspondence.refresh, "refresh")
        else:
            self.correspondence.stop_replay()
            on = f"{self.key('history.stop')} goes on."
            self.tell(f"Reading of the older history stopped; new events are shown as they come. {on}")

    def key(self, command_id: str) -> str:
        """The key of a command, as people write it."""
        return find(command_id, commands_of(self.app)).shown

    # Screens.

    def action_view(self, name: str) -> None:
        """Look at the same snapshot in another way, with the event under the cursor in view."""
        if self.correspondence is None or self.reader is None:
            self.tell("There is nothing to look at yet.")
            return
        event_id, stack = self.at(), self.app.screen_stack
        before = next((each for each in stack if isinstance(each, SnapshotScreen) and name == each.NAME), None)
        if before is None:
            self.app.push_screen(views.view(name)(self, event_id), self.left_for)
            return
        while self.app.screen is not before:
            self.app.pop_screen()
        before.begin_at(event_id)

    def at(self) -> str | None:
        """The id of the event under the cursor, at hand or not."""
        subjects = self.subjects()
        if subjects:
            return subjects[0].key
        unsent = self.reader.snapshot.unsent if self.reader is not None else ()
        cursor = self.subject_panel.view.cursor
        return cursor if any(each.event.event_id == cursor for each in unsent) else None

    def left_for(self, event_id: str | None) -> None:
        """A view over this screen was left, for an event or for nothing."""
        if event_id is not None:
            self.show_event(event_id)

    async def open_composer(self, kind: str, subjects: tuple[Heard, ...], opened_by: str = "") -> None:
        """Open the composer on these events; it is there when this returns."""
        if self.correspondence is None or self.reader is None:
            return
        from corr_tui.state.git_facts import GitFacts
        from corr_tui.ui.screens.compose import ComposeScreen, Pinned
        from corr_tui.ui.screens.reader import results_words

        reader = self.reader

        def told(sent: Sent | None) -> None:
            panel.view.resume()
            self.keep_order(keep=False)
            if composer.said:
                reader.unmark(composer.said)
                self.redraw()
            self.tell(results_words(kind, composer.results or (sent,)) if sent else "")

        panel = self.subject_panel
        panel.view.hold()
        self.keep_order(keep=True)
        spot = panel.spot() if subjects[:1] == self.subjects()[:1] and panel.region else None
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

    def keep_order(self, *, keep: bool) -> None:
        """Let the rows of every list keep the order they have, or no longer."""
        for rows in self.query(LineList):
            rows.frozen = keep
        if not keep:
            self.redraw()

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

    def action_help(self) -> None:
        """What this shows and cannot know, what the keys do and what the signs mean."""
        from corr_tui.ui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.about, ascii_only=self.view.ascii_only))
