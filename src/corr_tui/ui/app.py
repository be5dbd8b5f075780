"""The terminal application: it paints first, opens the correspondence then, and hands each snapshot to the screens.

    first paint ──▶ open_session() ──▶ snapshots ──▶ every screen that draws one
                        └── refused: said in words on the board, which stays

What the session imports is loaded only then, so that the first frame waits for nothing but Textual. The app holds no
state of the correspondence: screens do.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from textual import events
from textual.binding import BindingType
from textual.types import CSSPathType
from textual.worker import Worker, WorkerState

from corr_tui.ui import commands
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.terminal_app import TerminalApp
from corr_tui.ui.text import clean
from corr_tui.ui.theme import theme_named, themes, tokens_of, variables_of

if TYPE_CHECKING:  # loaded with the board's `begin`, after the first paint
    from textual.command import Provider

    from corr_tui.state.border import Correspondence
    from corr_tui.state.notice_settings import NoticeSettings
    from corr_tui.state.saved_views import SavedViews
    from corr_tui.state.snapshot import Snapshot
    from corr_tui.ui.announcing import Announcer


@runtime_checkable
class DrawsSnapshot(Protocol):
    """A screen that draws a snapshot."""

    snapshot: Snapshot | None


@runtime_checkable
class TakesTyped(Protocol):
    """A screen with fields to write in."""

    def take_typed(self, text: str) -> bool:
        """Take text into the field somebody writes in; False where nobody writes."""
        ...


def _entries() -> type[Provider]:
    # the palette's entries are loaded when it is first opened, not before the first paint
    from corr_tui.ui.palette import CorrespondenceProvider

    return CorrespondenceProvider


class CorrTui(TerminalApp):
    """The board and what opens over it."""

    CSS_PATH: ClassVar[CSSPathType | None] = [stylesheet("tokens.tcss"), stylesheet("palette.tcss")]
    BINDINGS: ClassVar[list[BindingType]] = [*commands.bindings(commands.Scope.APP)]
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_entries}

    def __init__(
        self,
        open_session: Callable[[], Awaitable[Correspondence]],
        *,
        title: str = "",
        theme: str = "",
        keys: Mapping[str, Sequence[str]] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        zone: tzinfo = UTC,
        ascii_only: bool = False,
        reduced_motion: bool = False,
        folder: Path | None = None,
        clipboard: str = "auto",
        strip: bool = False,
        notices: NoticeSettings | None = None,
        views: SavedViews | None = None,
    ) -> None:
        """`theme` is a theme's name; `keys` are a person's own, by command id, as Textual has them; `folder` is where
        Git is asked about revisions; `clipboard` is how to copy, `notices` how to tell of what is new;
        `strip` is whether the board stands beside something else, with room for little; `views` are the filters with
        names, where there are any to be kept.

        Raises ThemeUnknown, and what `commands.table` raises for keys that clash or name no command.
        """
        # without colours the terminal's own two are the only ones: no greys in their place
        super().__init__(ansi_color="NO_COLOR" in os.environ)
        self.title = clean(title) or "corr-tui"
        self.clipboard_way = clipboard
        self._open_session = open_session
        self.commands = commands.table(keys)
        """Every command with its keys."""
        self._own_keys = commands.keymap(keys or {})
        if reduced_motion:
            self.animation_level = "none"
        self._correspondence: Correspondence | None = None
        self._monotonic, self._notices = monotonic, notices
        self._announcer: Announcer | None = None
        self.views = views
        """The filters with names."""
        self.board = BoardScreen(monotonic=monotonic, zone=zone, ascii_only=ascii_only, folder=folder, strip=strip)
        for each in themes():
            self.register_theme(each)
        # set before anything watches it: the stylesheets are then read once, not twice
        self.set_reactive(CorrTui.theme, theme_named(theme, self.available_themes.values()))
        self.stylesheet.set_variables(self.get_css_variables())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The tokens of a theme that is not ours."""
        return variables_of(tokens_of(self.current_theme))

    def search_themes(self) -> None:
        """Open the palette of themes, ours first."""
        from textual.command import CommandPalette

        from corr_tui.ui.theme_picker import ThemeProvider

        self.push_screen(CommandPalette(providers=[ThemeProvider], placeholder="Choose a theme"))

    def get_default_screen(self) -> BoardScreen:
        """The board."""
        return self.board

    def on_mount(self) -> None:
        """Listen to the signals that end a terminal, and open the correspondence once there is something to see."""
        self.set_keymap(self._own_keys)
        self.listen()
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        """After the first paint: what was loaded so far stays, so the collector need not look at it again."""
        gc.enable()
        gc.freeze()
        self.board.begin()
        opening = self._open_session()
        self.run_worker(opening, name="open", group="converse", exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Once open, converse. Only opening may fail without ending the app: that is said where the events would be."""
        if event.worker.name != "open":
            return
        if event.state is WorkerState.ERROR:
            self.board.fail(str(event.worker.error) or type(event.worker.error).__name__)
        if event.state is WorkerState.SUCCESS and event.worker.result is not None:
            self._converse(event.worker.result)

    def _converse(self, correspondence: Correspondence) -> None:
        from corr_tui.state.notice_settings import NoticeSettings
        from corr_tui.ui.announcing import Announcer
        from corr_tui.ui.notice_ways import NoticeWays

        self._correspondence = self.board.correspondence = correspondence
        wanted = self._notices or NoticeSettings()
        ways = NoticeWays(self)
        self._announcer = Announcer(wanted, ways, self.title, after=self.set_timer, monotonic=self._monotonic)
        self._announcer.entitle()
        self.run_worker(correspondence.run(), name="run", group="converse")
        self.run_worker(self._hand_on(correspondence), name="hand on", group="converse")

    async def _hand_on(self, correspondence: Correspondence) -> None:
        async for snapshot in correspondence.snapshots():
            if self._announcer is not None:
                self._announcer.hear(snapshot)
            for screen in self.screen_stack:
                if isinstance(screen, DrawsSnapshot):
                    screen.snapshot = snapshot

    def touched(self) -> None:
        """A person is here."""
        if self._announcer is not None:
            self._announcer.touched()

    async def on_unmount(self) -> None:
        """Let go of the session."""
        if self._correspondence is not None:
            await self._correspondence.close()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where nothing moves, no cursor blinks."""
        if self.animation_level == "none" and hasattr(event.widget, "cursor_blink"):
            event.widget.cursor_blink = False

    # Typing ahead: what was read together with the key that opened a field was on its way before the field was there.

    def on_key(self, event: events.Key) -> None:
        """A character nobody took goes into the field that is open now."""
        if event.is_printable and event.character is not None and self._typed(event.character):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """What was pasted likewise."""
        self._typed(event.text)

    def _typed(self, text: str) -> bool:
        screen = self.screen
        return isinstance(screen, TakesTyped) and screen.take_typed(text)


def run(app: CorrTui) -> int:
    """Run the app in this terminal and return the process's exit code.

    The garbage collector rests until the first paint.
    """
    gc.disable()
    try:
        app.run()
    finally:
        gc.enable()
    return app.return_code or 0
