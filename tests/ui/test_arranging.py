"""How a person divides the board: maximised, hidden, a strip; nothing is ever out of reach."""

from __future__ import annotations

import pytest

from corr_tui.cli.flags import Flags
from corr_tui.cli.look import LookFlags, look_of
from corr_tui.ui.app import CorrTui
from corr_tui.ui.screens.places import PANELS
from corr_tui.ui.screens.prefix_sheet import PanelsSheet
from corr_tui.ui.widgets.inked import Inked
from tests.ui.desk import AskingDesk

OTHERS = tuple(name for name in PANELS if name != "events")


def shown(desk: AskingDesk) -> set[str]:
    """The panels that have a place."""
    board = desk.app.board.board
    return set(board.places(board.size)) & set(PANELS)


@pytest.mark.parametrize(("width", "height"), [(160, 48), (120, 36), (80, 24)])
async def test_a_panel_has_all_the_room_and_gives_it_back(width: int, height: int) -> None:
    desk = AskingDesk()
    async with desk.at(width, height):
        before = shown(desk)
        await desk.press("m")
        assert shown(desk) == {"events"}
        assert desk.panel("events").size.height >= height - 4
        assert "2 Events" in desk.text("tabs")
        await desk.press("3")
        assert shown(desk) == {"claims"}
        await desk.press("m", "2")
        assert shown(desk) == before


@pytest.mark.parametrize("name", OTHERS)
async def test_a_panel_is_hidden_and_its_key_brings_it_back(name: str) -> None:
    desk = AskingDesk()
    number = str(PANELS.index(name) + 1)
    async with desk.at(160, 48):
        await desk.press(number, "M", number)
        assert shown(desk) == set(PANELS) - {name}
        assert desk.app.focused is desk.panel("events")
        assert f"{number} brings it back" in desk.text("footer")
        await desk.press("M", "0")
        assert shown(desk) == set(PANELS)
        await desk.press("M", number, number)
        assert shown(desk) == set(PANELS)
        assert desk.app.focused is desk.panel(name)


async def test_tab_passes_what_is_hidden() -> None:
    desk = AskingDesk()
    async with desk.at(160, 48):
        await desk.press("M", "3", "tab")
        assert desk.app.focused is desk.panel("conflicts")


async def test_the_keys_that_may_follow_are_listed_and_escape_changes_nothing() -> None:
    desk = AskingDesk()
    async with desk.at(80, 24):
        await desk.press("M", "5", "M")
        sheet = desk.app.screen
        assert isinstance(sheet, PanelsSheet)
        words = sheet.query_one("#prefix-lines", Inked).shown
        assert "M and then" in words
        assert "5 presence  hidden" in words
        assert "3 claims  shown" in words
        await desk.press("escape")
        assert desk.app.screen is desk.app.board
        assert "5 Presence" not in desk.text("tabs")


async def test_a_key_on_the_sheet_can_be_clicked() -> None:
    desk = AskingDesk()
    async with desk.at(80, 24) as pilot:
        await desk.press("M")
        lines = desk.app.screen.query_one("#prefix-lines", Inked)
        rows = lines.shown.splitlines()
        row = next(place for place, line in enumerate(rows) if "3 claims" in line)
        await pilot.click("#prefix-lines", offset=(rows[row].index("3 claims"), row))
        await desk.settle()
        assert desk.app.screen is desk.app.board
        assert "claims" in desk.app.board.board.arrangement.hidden


@pytest.mark.parametrize(("width", "height"), [(60, 12), (40, 8), (20, 5), (10, 2), (160, 12)])
async def test_a_strip_shows_rows_and_one_line(width: int, height: int) -> None:
    desk = AskingDesk()
    desk.app = CorrTui(desk._open, monotonic=lambda: 0.0, strip=True)
    async with desk.at(width, height):
        for key in (*"1234562", "k", "m", "tab", "2", "k"):
            await desk.press(key)
        lines = desk.text("events").splitlines()
        assert len(lines) == max(height - 1, 1) if height > 2 else height
        assert sum("#" in line for line in lines) >= min(len(lines) - 1, 1)
        if width == 60:
            assert sum(line.lstrip("▌ ").startswith("#") for line in lines) >= 8
            await desk.press("G", "escape")
            await desk.press("k")
            assert "live" in desk.text("footer")


async def test_a_strip_answers_the_same_keys() -> None:
    desk = AskingDesk()
    desk.app = CorrTui(desk._open, monotonic=lambda: 0.0, strip=True)
    async with desk.at(60, 12):
        await desk.press("k", "s")
        assert desk.app.screen is not desk.app.board
        await desk.press("enter")
        assert len(desk.session.sent) == 1
        assert "ack.seen is" in desk.text("footer")


def test_the_command_line_asks_for_a_strip() -> None:
    asked = look_of(LookFlags(compact=True), Flags())
    assert asked.compact
    assert not look_of(LookFlags(), Flags()).compact
