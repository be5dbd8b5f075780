"""An app on a screen of its own over a session that is only said to be one, and what stands there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from screenshots.scene import scene
from textual.pilot import Pilot

from corr_tui.state.border import Correspondence
from corr_tui.state.notice_settings import NoticeSettings
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.app import CorrTui
from corr_tui.ui.widgets.bar import Bar
from corr_tui.ui.widgets.panel import Panel
from tests.ui.fake_session import FakeSession

SILENT = NoticeSettings(in_app=False)
"""No notices, so that a footer holds what the keys of a test put there."""


class AskingDesk:
    """The board, its session, and the screen on top."""

    def __init__(self, snapshot: Snapshot | None = None, *, folder: Path | None = None, earlier: int = 0) -> None:
        world, whole = scene()
        shown = snapshot or whole
        self.session = FakeSession(world)
        if earlier:
            self.session.earlier = list(shown.events[:earlier])
            kept = shown.events[earlier:]
            history = replace(shown.history, earlier=earlier, count=len(shown.events))
            by_id = MappingProxyType({each.key: each for each in kept})
            shown = replace(shown, events=kept, by_id=by_id, history=history)
        self.session.show(shown)
        self.app = CorrTui(self._open, monotonic=lambda: 0.0, folder=folder, clipboard="osc52", notices=SILENT)
        self.pilot: Pilot[None]

    async def _open(self) -> Correspondence:
        return self.session

    @asynccontextmanager
    async def at(self, width: int, height: int) -> AsyncIterator[Pilot[None]]:
        async with self.app.run_test(size=(width, height)) as self.pilot:
            await self.settle()
            yield self.pilot

    async def settle(self) -> None:
        for _ in range(8):  # a snapshot passes a task, a watcher and a callback before it is drawn
            await asyncio.sleep(0)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def hear(self, snapshot: Snapshot) -> None:
        self.session.show(snapshot)
        await self.settle()

    def panel(self, name: str) -> Panel:
        """A panel of the screen on top."""
        return self.app.screen.query_one(f"#{name}", Panel)

    def text(self, name: str) -> str:
        """A panel or bar of the screen on top, as it is drawn."""
        part = self.app.screen.query_one(f"#{name}")
        assert isinstance(part, Panel | Bar)
        return "\n".join(part.render_line(y).text.rstrip() for y in range(part.size.height))

    @property
    def number(self) -> str:
        """The event under the cursor of the board's events, as it is called."""
        cursor = self.app.board.board.panels["events"].view.cursor
        return "" if cursor is None else self.session.snapshot.number_of(cursor)
