"""A board with a person's own keys, and without motion: what is heard, what is shown."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from screenshots.scene import scene
from textual.widgets import Input

from corr_tui.state.border import Correspondence
from corr_tui.ui import commands
from corr_tui.ui.app import CorrTui
from corr_tui.ui.widgets.stroke import Stroke
from tests.ui.bare_app import screen_text, until
from tests.ui.fake_session import FakeSession
from tests.ui.test_compose import desk


def board_of_the_scene(*, keys: Mapping[str, tuple[str, ...]] | None = None, reduced_motion: bool = False) -> CorrTui:
    world, snapshot = scene()
    session = FakeSession(world)
    session.show(snapshot)

    async def opening() -> Correspondence:
        return session

    return CorrTui(opening, monotonic=lambda: 0.0, keys=keys, reduced_motion=reduced_motion)


@pytest.mark.parametrize("reduced_motion", [False, True])
async def test_with_reduced_motion_nothing_glides_and_no_cursor_blinks(reduced_motion: bool) -> None:
    app = board_of_the_scene(reduced_motion=reduced_motion)
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: "live" in screen_text(app))
        await pilot.press("ctrl+p")
        await until(pilot, lambda: app.screen is not app.board)
        assert app.screen.query_one(Input).cursor_blink is not reduced_motion
        assert (app.animation_level == "none") is reduced_motion


async def test_own_keys_are_heard_and_shown_wherever_a_key_is_named() -> None:
    keys = {"ack.seen": ("f7",), "help": ("f1",), "help.close": ("f1",), "hold": ("W",), "compose.bytes": ("b",)}
    app = board_of_the_scene(keys=keys)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await until(pilot, lambda: {"live", "f7"} <= set(screen_text(app).split()))
        await pilot.press("s")
        assert app.screen is app.board
        await pilot.press("W")
        assert "asks the service nothing until W." in screen_text(app)
        await pilot.press("home", "f7")
        await until(pilot, lambda: app.screen is not app.board)
        assert "b signed bytes" in screen_text(app)
        await pilot.press("escape", "f1")
        await pilot.pause()
        assert "f1 close" in screen_text(app)
        await pilot.press("f1")
        assert app.screen is app.board


async def test_keys_that_changed_places_are_heard_in_their_new_ones() -> None:
    app = board_of_the_scene(keys={"move.down": ("k",), "move.up": ("j",)})
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "live" in screen_text(app))
        events_list = app.board.board.panels["events"].view
        await pilot.press("home")
        first = events_list.cursor
        await pilot.press("k")
        second = events_list.cursor
        await pilot.press("j")
        assert first == events_list.cursor != second


async def test_a_key_that_opens_the_composer_and_posts_does_not_post_while_held() -> None:
    table = commands.table({"ack.seen": ("W",), "compose.post": ("W",)})
    async with desk() as at:
        screen = await at.open("ack.seen", commands=table, quiet=60, alone=60)
        await at.press(*["W"] * 5)
        assert at.session.sent == []
        assert screen.query_one("#post", Stroke).shown == " W release the key"
