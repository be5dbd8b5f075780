"""Where a notice goes from here: the footer of what is shown, the terminal's bell, its notification, its title."""

from __future__ import annotations

import os
from functools import partial

from corr_tui.ui.screens.snapshot_screen import STATUS_SECONDS, SnapshotScreen
from corr_tui.ui.sequences import BELL, between, notification
from corr_tui.ui.terminal_app import TerminalApp


class NoticeWays:
    """The ways of one app."""

    def __init__(self, app: TerminalApp) -> None:
        self._app = app

    def tell(self, words: str) -> None:
        """In the footer; what a person just did stays there before it."""
        screens = [each for each in self._app.screen_stack if isinstance(each, SnapshotScreen)]
        if screens and screens[-1].status:
            self._app.set_timer(STATUS_SECONDS, partial(self.tell, words))
        elif screens:
            screens[-1].tell(words)

    def ring(self) -> None:
        """The bell."""
        self._app.write(BELL)

    def notify(self, words: str) -> None:
        """The desktop, where the terminal makes a notification of it."""
        self._app.write(notification(words, between(os.environ)))

    def entitle(self, words: str) -> None:
        """The title, until the terminal is left."""
        self._app.entitle(words)
