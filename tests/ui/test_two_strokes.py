"""From the board to a posted event, in the whole app, with keys that come as fast as a terminal hands them over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual import events
from textual.command import CommandPalette
from textual.pilot import Pilot

from corr_tui.state.border import Correspondence
from corr_tui.ui.app import CorrTui
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.compose import ComposeScreen
from tests.correspondents import World
from tests.ui.bare_app import screen_text, until
from tests.ui.fake_session import FakeSession


@asynccontextmanager
async def board() -> AsyncIterator[tuple[CorrTui, FakeSession, Pilot[None]]]:
    world = World()
    for number in range(40):
        world.say("bo", "progress", summary=f"step {number}")
    session = FakeSession(world)

    async def opened() -> Correspondence:
        return session

    app = CorrTui(opened)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: app.board.view.selected is not None)
        yield app, session, pilot


def burst(app: CorrTui, *keys: str) -> None:
    """Keys that arrive in one read."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


async def test_two_strokes_in_one_read_post_one_acknowledgement() -> None:
    async with board() as (app, session, pilot):
        burst(app, "s", "enter")
        await until(pilot, lambda: len(session.world.records) == 41)
        await until(pilot, lambda: isinstance(app.screen, BoardScreen))
        assert [each.core.kind for each in session.sent] == ["ack.seen"]
        assert session.sent[0].core.cited == (session.world.events()[39].event_id,)
        await until(pilot, lambda: "ack.seen is #41" in screen_text(app))


async def test_both_keys_held_post_one_acknowledgement_and_open_one_composer() -> None:
    async with board() as (app, session, pilot):
        session.gate.clear()
        burst(app, *"sssss", *["enter"] * 20)
        await until(pilot, lambda: len(session.sent) == 1)
        assert sum(isinstance(screen, ComposeScreen) for screen in app.screen_stack) == 1
        session.gate.set()
        await until(pilot, lambda: isinstance(app.screen, BoardScreen))
        assert len(session.sent) == 1


async def test_the_enter_that_chose_a_kind_in_the_palette_does_not_post_it() -> None:
    async with board() as (app, session, pilot):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"rejected")
        await until(pilot, lambda: "no reason is asked" in screen_text(app))
        burst(app, "enter")
        await until(pilot, lambda: isinstance(app.screen, ComposeScreen))
        burst(app, *["enter"] * 10)
        await pilot.pause()
        assert session.sent == []
        assert "Enter release the key" in screen_text(app)


async def test_help_and_palette_open_from_the_board() -> None:
    async with board() as (app, session, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: "What it cannot know" in screen_text(app))
        await pilot.press("escape", "ctrl+p", *"task:42")
        await until(pilot, lambda: "Show the events of this thread" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.board.view.thread_id == "task:42")
        assert session.sent == []
