"""What every view over the board does: opening, the keys that say something, going back, and drawing in place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from screenshots.scene import scene
from textual.geometry import Region

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.line import Content, View
from corr_tui.ui.palette import CorrespondenceProvider
from corr_tui.ui.panels import claims
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.snapshot_screen import SnapshotScreen
from corr_tui.ui.screens.view_places import Details, view_places
from corr_tui.ui.screens.view_screen import ViewScreen
from tests.correspondents import claim
from tests.ui.desk import AskingDesk


class ClaimsView(ViewScreen):
    """The claims alone, as a view."""

    NAME = "claims"
    KEYS = ("open", "ack.seen", "repair", "copy.id", "outbox")

    def content(self, snapshot: Snapshot, view: View, width: int) -> Content:
        return replace(claims.content(snapshot, view, width), title="Claims alone")


def event_at(place: int) -> str:
    """The event id of a claim of the scene by its place in the list."""
    _, snapshot = scene()
    return claims.content(snapshot, View(), 40).rows[place].key


async def opened(desk: AskingDesk, *, at: int | None = None) -> ClaimsView:
    """The view over the board, beginning at the claim of this number in the list of the board."""
    event_id = None if at is None else event_at(at)
    screen = ClaimsView(desk.app.board, event_id)
    await desk.app.push_screen(screen, desk.app.board.left_for)
    await desk.settle()
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 48), (300, 60)])
async def test_a_view_has_the_bars_of_the_board_its_rows_and_what_is_told_of_one(size: tuple[int, int]) -> None:
    desk = AskingDesk()
    async with desk.at(*size):
        header = desk.text("header")
        screen = await opened(desk, at=2)
        assert desk.text("header") == header
        assert "─ Claims alone" in desk.text("rows")
        assert "Selected" in desk.text("details")
        assert screen.selected == event_at(2)
        assert "Esc back" in desk.text("footer")
        assert "? help" in desk.text("footer")


async def test_enter_shows_the_event_on_the_board_and_esc_shows_what_was_there() -> None:
    desk = AskingDesk()
    async with desk.at(160, 48):
        before = desk.number
        screen = await opened(desk, at=1)
        await desk.press("j", "escape")
        assert isinstance(desk.app.screen, BoardScreen)
        assert desk.number == before
        screen = await opened(desk, at=1)
        await desk.press("j")
        chosen = screen.selected
        await desk.press("enter")
        assert isinstance(desk.app.screen, BoardScreen)
        assert desk.app.board.view.selected == chosen


@pytest.mark.parametrize(("key", "kind"), [("s", "ack.seen"), ("x", "ack.rejected"), ("r", "repair")])
async def test_the_keys_that_say_something_pin_the_event_under_the_cursor(key: str, kind: str) -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await opened(desk, at=3)
        await desk.press(key)
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        assert composer._composition.kind == kind
        assert composer._composition.targets == screen.subjects()
        assert composer._pinned is not None


async def test_an_acknowledgement_from_a_view_takes_two_strokes_and_says_its_number_there() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await opened(desk, at=3)
        await desk.press("s", "enter")
        await desk.settle()
        assert desk.app.screen is screen
        assert [each.core.cited for each in desk.session.sent] == [(screen.selected,)]
        assert "ack.seen is #" in desk.text("footer")


async def test_copies_say_what_was_copied() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await opened(desk, at=3)
        await desk.press("y")
        assert desk.app.clipboard == screen.selected
        assert "by OSC 52; whether it was taken cannot be known" in desk.text("footer")
        await desk.press("Y")
        assert '"claim.' in desk.app.clipboard


async def test_tab_and_6_go_to_the_details_and_esc_comes_back_before_it_leaves() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await opened(desk)
        for key in ("tab", "6"):
            await desk.press(key)
            assert screen.focused is screen.told
            await desk.press("escape")
            assert screen.focused is screen.rows
        await desk.press("escape")
        assert desk.app.screen is desk.app.board


async def test_without_room_for_both_the_part_with_the_focus_is_shown() -> None:
    desk = AskingDesk()
    async with desk.at(80, 8):
        screen = await opened(desk)
        assert not screen.told.region
        await desk.press("tab")
        assert screen.told.region
        assert not screen.rows.region


async def test_the_footer_is_clicked() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36) as pilot:
        await opened(desk)
        await pilot.click("#footer", offset=(desk.text("footer").index("Esc"), 0))
        await desk.settle()
        assert desk.app.screen is desk.app.board


async def test_what_comes_while_a_view_is_open_is_drawn_there_and_on_the_board_once_it_shows_again() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await opened(desk, at=2)
        chosen, board = screen.selected, desk.app.board.board.panels["events"]
        before = board.view.places.keys
        desk.session.world.say("ana", "claim.open", paths=["aaa"], claim_id=claim(9), expires_in=900)
        await desk.hear(desk.session.world.snapshot())
        assert "1 above Home" in desk.text("rows")
        assert screen.selected == chosen
        screen.rows.view.scroll(-1)
        screen.rows.repaint()
        assert "aaa" in desk.text("rows")
        assert screen.selected == chosen
        assert board.view.places.keys == before
        await desk.press("escape")
        assert desk.session.snapshot.events[-1].event_id in board.view.places.index


async def test_the_palette_offers_what_is_heard_in_the_view_and_nothing_else() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await opened(desk)
        offered = [entry.text for entry in CorrespondenceProvider(screen)._entries()]
        assert "seen  s" in offered
        assert not any(each.startswith(("quit", "threads")) for each in offered)


async def test_an_event_that_is_not_at_hand_is_recalled_when_the_cursor_comes_to_it() -> None:
    desk = AskingDesk(earlier=30)
    async with desk.at(120, 36):
        screen = await opened(desk)
        await desk.press("home")
        assert screen.selected in desk.session.snapshot.by_id
        assert screen.subjects()


def test_covered_screens_and_bad_sizes_have_places_that_do_not_overlap() -> None:
    for width in (20, 80, 120, 160, 300):
        for height in range(1, 61):
            for details in Details:
                regions = view_places(width, height, "rows", details, 8)
                whole = Region(0, 0, width, height)
                taken = list(regions.values())
                assert all(whole.contains_region(each) for each in taken)
                assert not any(one.overlaps(two) for n, one in enumerate(taken) for two in taken[n + 1 :])
                assert regions["rows"].height >= min(height, 3)


def test_a_view_is_a_screen_over_a_snapshot_like_the_board() -> None:
    assert issubclass(ViewScreen, SnapshotScreen)
    assert issubclass(BoardScreen, SnapshotScreen)
