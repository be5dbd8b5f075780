"""What the board asks of the session: to pause, to stop reading, to recall what is not at hand, to fetch more."""

from __future__ import annotations

from dataclasses import replace

import pytest
from screenshots.scene import scene
from textual.events import MouseScrollUp

from corr_tui.state.snapshot import History, LinkState, Snapshot
from corr_tui.state.standing import claims_view
from corr_tui.ui.app import CorrTui
from corr_tui.ui.commands import COMMANDS, find
from corr_tui.ui.screens.diagnostics import DiagnosticsScreen
from tests.ui.desk import AskingDesk


def linked(snapshot: Snapshot, state: LinkState) -> Snapshot:
    return replace(snapshot, link=replace(snapshot.link, state=state))


async def test_pausing_the_board_asks_nothing_posts_nothing_and_goes_on_by_the_same_key() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await desk.press("H")
        assert desk.session.held
        assert "Nobody is told" in desk.text("footer")
        await desk.hear(linked(desk.session.snapshot, LinkState.HELD))
        assert "‖ paused by me" in desk.text("header")
        await desk.press("3")
        assert "H goes on" in desk.text("claims")
        await desk.press("H")
        assert not desk.session.held
        assert desk.session.sent == []


def test_pausing_the_board_is_not_called_what_the_protocol_calls_a_pause() -> None:
    assert find("hold").verb == "pause this board"
    assert "tells nobody" in find("hold").description
    assert not any(command.action == "compose('pause')" for command in COMMANDS)


async def test_a_long_replay_is_stopped_and_gone_on_with_by_one_key() -> None:
    world_and_snapshot = scene()
    desk = AskingDesk(replace(world_and_snapshot[1], history=History("20", target="44")))
    async with desk.at(120, 36):
        assert "◐ reading history to #44, at #20" in desk.text("events")
        await desk.press("S")
        assert desk.session.stopped == 1
        assert "reading stopped at #20" in desk.text("events")
        await desk.press("S")
        assert desk.session.refreshed == 1


async def test_with_the_whole_history_there_is_no_reading_to_stop() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await desk.press("S")
        assert desk.session.stopped == 0
        assert "The whole history is read." in desk.text("footer")


@pytest.mark.parametrize("keys", [("home",), ("home", "home"), ("pageup",) * 6])
async def test_coming_to_the_top_fetches_earlier_events_and_moves_no_row(keys: tuple[str, ...]) -> None:
    desk = AskingDesk(earlier=20)
    async with desk.at(80, 24):
        assert "20 earlier kept here" not in desk.text("events")
        await desk.press(*keys)
        assert desk.session.earlier == []
        events = desk.panel("events").view
        assert len(events.places.keys) == 45
        if keys == ("home",):
            assert desk.number == "#21"
            assert events.line_of_cursor() == 1


async def test_the_wheel_fetches_earlier_events_and_leaves_the_cursor() -> None:
    desk = AskingDesk(earlier=20)
    async with desk.at(80, 24):
        panel, number = desk.panel("events"), desk.number
        for _ in range(12):
            panel.on_mouse_scroll_up(MouseScrollUp(panel, 5, 5, 0, 0, 0, False, False, False))
        await desk.settle()
        assert desk.session.earlier == []
        assert desk.number == number


async def test_opening_the_row_of_earlier_events_fetches_them() -> None:
    desk = AskingDesk(earlier=20)
    async with desk.at(120, 36):
        desk.app.board.opened_note("earlier events")
        await desk.settle()
        assert desk.session.earlier == []


async def test_a_claim_whose_event_is_further_back_is_recalled_and_can_be_acknowledged() -> None:
    desk = AskingDesk(earlier=35)
    async with desk.at(160, 48):
        claims = claims_view(desk.session.snapshot)
        assert claims is not None
        await desk.press("3", "j", "j", "enter")
        wanted = desk.panel("claims").view.cursor
        assert wanted not in {each.event_id for each in desk.session.snapshot.events}
        assert desk.panel("events").view.cursor == wanted
        keys = desk.panel("events").view.places.keys
        assert keys.index(wanted) < keys.index("earlier events")
        assert desk.app.board.subjects()[0].event_id == wanted
        await desk.press("s", "enter")
        assert len(desk.session.sent) == 1


async def test_what_the_selected_event_cites_is_shown_by_enter() -> None:
    desk = AskingDesk(earlier=35)
    async with desk.at(160, 48):
        await desk.press("G", "k", "6", "enter")
        assert desk.number == "#34"
        assert desk.session.snapshot.by_id[desk.panel("events").view.cursor or ""].record.seq == 34


async def test_an_event_nobody_here_knows_is_said_to_be_missing() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        desk.app.board.show_event("sha256:" + "9d" * 32)
        await desk.settle()
        assert "No event of this is known here." in desk.text("footer")


async def test_notices_are_counted_in_the_header_and_told_in_full() -> None:
    desk = AskingDesk(replace(scene()[1], differs=("claim \x1b[2J is live here alone",)))
    async with desk.at(160, 48):
        assert "1 notice" in desk.text("header")
        assert "Not as computed here" in desk.text("conflicts")
        await desk.press("D")
        assert isinstance(desk.app.screen, DiagnosticsScreen)
        assert "claim ␛[2J is live here alone" in desk.text("rows")
        await desk.hear(replace(desk.session.snapshot, differs=()))
        assert "is live here alone" not in desk.text("rows")
        await desk.press("escape")
        assert not isinstance(desk.app.screen, DiagnosticsScreen)


async def test_a_persons_own_keys_stand_wherever_a_panel_names_one() -> None:
    desk = AskingDesk(replace(scene()[1], history=History("20", target="44"), differs=("a",)))
    desk.app = CorrTui(desk._open, monotonic=lambda: 0.0, keys={"history.stop": ("f9",), "view.diagnostics": ("f8",)})
    async with desk.at(160, 48):
        assert "f9 stops reading" in desk.text("events")
        assert "f8 in full" in desk.text("conflicts")
        await desk.press("S")
        assert desk.session.stopped == 0
        await desk.press("f9")
        assert desk.session.stopped == 1


async def test_before_a_session_is_open_nothing_breaks() -> None:
    desk = AskingDesk()
    async with desk.at(80, 24):
        desk.app.board.correspondence = None
        await desk.press("H", "S", "R", "o", "ctrl+f", "g")
        assert desk.app.screen is desk.app.board
