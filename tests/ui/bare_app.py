"""An app with our themes and nothing on it, for screens that are tested alone."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, ClassVar

from textual.app import App
from textual.pilot import Pilot
from textual.types import CSSPathType

from corr_tui.ui.styles import stylesheet
from corr_tui.ui.theme import DEFAULT_THEME, themes

PATIENCE = 30.0
"""Seconds after which a condition is given up; a working app needs a fraction of one."""


class BareApp(App[None]):
    """What the real app gives every screen: themes and tokens."""

    CSS_PATH: ClassVar[CSSPathType | None] = [stylesheet("tokens.tcss"), stylesheet("palette.tcss")]

    def __init__(self, theme: str = DEFAULT_THEME) -> None:
        super().__init__()
        for each in themes():
            self.register_theme(each)
        self.theme = theme


def screen_text(app: App[Any]) -> str:
    """Everything on the screen, line by line, as the terminal would have it."""
    width, height = app.size
    lines = app.screen._compositor.render_strips()
    assert len(lines) == height
    return "\n".join(strip.crop(0, width).text.rstrip() for strip in lines)


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Let the app work until something holds; fails when it never does."""
    given_up = monotonic() + PATIENCE  # what a thread does takes as long as the machine is busy
    while not condition():
        assert monotonic() < given_up, "it never came to hold"
        await pilot.pause()
