"""The first minute: an empty project says what to do next, and the command under the cursor can be copied."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from click.testing import CliRunner

from corr_tui.cli.main import main
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.panels.first_steps import steps
from tests.correspondents import World
from tests.ui.desk import AskingDesk

SERVICE = "https://corr.example/'$(id)'"


def empty(service: str = "local") -> Snapshot:
    return replace(World().snapshot(), service=service)


@pytest.mark.parametrize("service", ["local", SERVICE])
def test_every_command_is_one_that_there_is(service: str) -> None:
    for step in steps(empty(service)):
        first, *rest = shlex.split(step.command)
        if first == "export":
            assert all(name.startswith("CORR_TUI_") and equals == "=" for name, equals, _ in map(split, rest))
        else:
            assert first == "corr-tui"
            verbs = [word for word in rest[:1] if not word.startswith("-")]
            shown = CliRunner().invoke(main, [*verbs, "--help"]).output
            assert all(word in shown for word in rest if word.startswith("--"))


def split(setting: str) -> tuple[str, str, str]:
    return setting.partition("=")


def test_what_comes_from_elsewhere_is_quoted_and_no_secret_is_told() -> None:
    place, own, *_ = steps(empty(SERVICE))
    assert shlex.split(place.command)[1] == f"CORR_TUI_BASE_URL={SERVICE}"
    assert all(setting.endswith("=") for setting in shlex.split(own.command)[1:])


def test_a_recording_offers_nothing_to_do() -> None:
    assert steps(replace(empty(), recorded=True)) == ()


@pytest.mark.parametrize(("width", "height"), [(160, 48), (120, 36), (80, 24), (60, 12)])
async def test_y_copies_the_command_under_the_cursor_whole(width: int, height: int) -> None:
    desk = AskingDesk(empty())
    async with desk.at(width, height):
        assert "No events yet" in desk.text("events")
        for step in steps(empty())[:3]:
            await desk.press("y")
            assert desk.app.clipboard == step.command
            assert "the command" in desk.text("footer")
            await desk.press("j")


async def test_the_first_event_takes_the_place_of_the_commands() -> None:
    desk = AskingDesk(empty())
    async with desk.at(120, 36):
        await desk.press("s")
        assert desk.app.screen is desk.app.board
        world = World()
        world.say("ana", "intent", summary="hello")
        await desk.hear(world.snapshot())
        assert "“hello”" in desk.text("events")
        assert "corr-tui send" not in desk.text("events")
        assert desk.number == "#1"


async def test_enter_on_a_command_says_how_it_is_copied() -> None:
    desk = AskingDesk(empty())
    async with desk.at(120, 36):
        await desk.press("enter")
        assert "y copies it" in desk.text("footer")
