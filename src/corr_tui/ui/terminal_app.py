"""An app that has its terminal on loan: it lends it to an editor or the shell, copies, and leaves it as it was.

Signals that end leave as a key does, with the terminal restored; a crash leaves with a return code that is not zero
and without the values of variables, which may be secrets. While an editor has the terminal, an interrupt is for the
editor.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rich.segment import Segments
from textual import events
from textual.app import App
from textual.driver import Driver
from textual.geometry import Size

from corr_tui.ui.driver import Lent, lending
from corr_tui.ui.sequences import title
from corr_tui.ui.text import clean

if TYPE_CHECKING:  # loaded when something is first copied
    from corr_tui.ui.clipboard import Copied

LEAVING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@runtime_checkable
class Copies(Protocol):
    """An app that copies and says which way."""

    def copy(self, what: str, text: str, tell: Callable[[str], None]) -> None:
        """Copy a text; tell in words what became of it, `what` being its name there."""
        ...


def copy_with(app: object, what: str, text: str, tell: Callable[[str], None]) -> None:
    """Have an app copy a text, if it can."""
    if isinstance(app, Copies):
        app.copy(what, text, tell)
    else:
        tell("Not copied: there is no terminal here.")


class TerminalApp(App[None]):
    """What an app owes the terminal it runs in."""

    clipboard_way = "auto"
    """How it copies."""
    _entitled = ""

    def get_driver_class(self) -> type[Driver]:
        """The platform's driver, with the manners of one who was lent a terminal."""
        return lending(super().get_driver_class())

    @property
    def _lent(self) -> Lent | None:
        return self._driver if isinstance(self._driver, Lent) else None

    def on_resize(self, event: events.Resize) -> None:
        """Go on to the size the terminal has by now, where another one was told."""
        measured = None if self._lent is None else self._lent.measured()
        if measured is not None and 0 not in measured and Size(*measured) != event.size:
            self.post_message(events.Resize(Size(*measured), Size(*measured)))

    def write(self, sequence: str) -> None:
        """Hand a sequence to the terminal, where there is one and nobody else has it."""
        if self._lent is not None:
            self._lent.write(sequence)

    def entitle(self, words: str) -> None:
        """Give the window a title until the terminal is left."""
        self._entitled = words
        if self._lent is not None:
            self._lent.entitle(title(words))

    # Copying.

    def copy(self, what: str, text: str, tell: Callable[[str], None]) -> None:
        """Copy a text; tell in words what became of it, `what` being its name there."""
        self._clipboard = text
        self.run_worker(self._copy(what, text, tell), group="copy", exclusive=True)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy what was selected."""
        self.copy("", text, lambda words: None)

    async def _copy(self, what: str, text: str, tell: Callable[[str], None]) -> None:
        from corr_tui.ui.clipboard import Way, copy

        copied: Copied = await copy(text, Way(self.clipboard_way), self.write, os.environ)
        tell(clean(f"Copied {what} {copied.words}." if copied.done else f"Not copied: {copied.words}."))

    # Being left, and coming back.

    def listen(self) -> None:
        """Listen to the signals that end a terminal; paint anew on coming back."""
        self.app_resume_signal.subscribe(self, self._come_back)
        if self.is_headless or threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()
        for number in LEAVING_SIGNALS:
            loop.add_signal_handler(number, partial(self._leave, number))

    def _leave(self, number: signal.Signals) -> None:
        if number is signal.SIGINT and self._lent is not None and self._lent.away:
            return  # an editor that shares this terminal was interrupted, not this program
        self.exit(return_code=128 + number)

    def _come_back(self, _: App[object]) -> None:
        """Back in the foreground: the terminal shows nothing of what was painted before."""
        for screen in self.screen_stack:
            screen.refresh(layout=True)
        if self._entitled:
            self.entitle(self._entitled)

    async def on_event(self, event: events.Event) -> None:
        """Every event passes here; those that a person made are noted."""
        if isinstance(event, events.Key | events.MouseDown | events.Paste | events.AppFocus):
            self.touched()
        await super().on_event(event)

    def touched(self) -> None:
        """A person is at this terminal."""

    def _fatal_error(self) -> None:
        """As Textual ends after an unhandled exception, but without the values of variables in the traceback."""
        # loaded only for a crash: it brings a syntax highlighter along
        from rich.traceback import Traceback

        traceback = Traceback(show_locals=False, width=None)
        self._exit_renderables.append(Segments(self.console.render(traceback, self.console.options)))
        self._close_messages_no_wait()
