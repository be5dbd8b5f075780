"""Diagnostics: what is told of this corr-tui, cell for cell; nothing secret; its keys in the whole app."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corr_tui.state.diagnostics import Diagnostics, LinkChange, Refreshed
from corr_tui.state.snapshot import Apart, History, Link, LinkState, Snapshot, Unsent, UnsentState
from corr_tui.ui.line import Content, Layout
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.diagnostics import DiagnosticsScreen
from corr_tui.ui.views import diagnostics
from tests.correspondents import World
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, looking, page, scene

PAGES = Path(__file__).parent / "golden"
WIDTHS = {Layout.NARROW: 80, Layout.MEDIUM: 120, Layout.WIDE: 160}
FOLDER = "/home/somebody"


def at(second: int) -> str:
    return f"2026-05-14T13:00:{second:02}.000Z"


TOLD = Diagnostics(
    links=(
        LinkChange(at(1), LinkState.CONNECTING, ""),
        LinkChange(at(2), LinkState.LIVE, ""),
        LinkChange(at(5), LinkState.RECONNECTING, "the service did not answer in time"),
        LinkChange(at(9), LinkState.OFFLINE, f"no route to {FOLDER}/socket \x1b[2J"),
        LinkChange(at(12), LinkState.LIVE, ""),
    ),
    refreshes=(
        Refreshed(at(2), 0.0421, ("events 200", "identities 200", "keys 200 ×6", "voice 200"), 20),
        Refreshed(at(5), 15.0, (), 0, "the service did not answer in time"),
        Refreshed(at(12), 0.0038, ("events 200", "voice 304"), 0),
    ),
    offset=-0.34,
    measured=8.0,
    wake_opened=2,
    wake_ended=1,
    history_file="history.sqlite3",
    history_bytes=1_234_567,
)


def troubled() -> tuple[World, Snapshot]:
    """The scene with something to notice, and something unsent."""
    world = scene()
    snapshot = world.snapshot(differs=("claim of ana is live here alone",))
    unsent = (
        Unsent(world.event("maya", "progress", summary="one")),
        Unsent(world.event("maya", "progress", summary="two"), UnsentState.REFUSED, "no such thread"),
    )
    history = replace(snapshot.history, trouble=f"{FOLDER}/history.sqlite3 is on a full disk", count=20)
    return world, replace(snapshot, unsent=unsent, history=history)


def shown(layout: Layout = Layout.MEDIUM, told: Diagnostics = TOLD, snapshot: Snapshot | None = None) -> Content:
    world, troubles = troubled()
    content = diagnostics.content(snapshot or troubles, looking(world, layout), WIDTHS[layout], told, FOLDER)
    check(content, WIDTHS[layout])
    return content


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_diagnostics_are_told_cell_for_cell(layout: Layout) -> None:
    told = page(shown(layout)) + "\n"
    assert told == (PAGES / f"diagnostics-{WIDTHS[layout]}.txt").read_text(encoding="utf-8")


def test_the_folder_of_a_person_and_what_a_terminal_obeys_are_in_no_report() -> None:
    world, snapshot = troubled()
    text = diagnostics.report(snapshot, looking(world), TOLD, FOLDER)
    assert FOLDER not in text
    assert "~/socket ␛[2J" in text
    assert text.startswith("corr-tui ")
    for words in ("Connection log", "Refreshes", "keys 200 ×6", "15000 ms", "0.3 s", "1 refused"):
        assert words in text
    assert all(character.isprintable() or character == "\n" for character in text)


def test_nothing_is_said_of_what_is_not_known() -> None:
    world, _ = troubled()
    nothing = Snapshot(repository_id="acme/widgets", link=Link(LinkState.CONNECTING, 0.0))
    view = replace(looking(world), now=None)
    content = diagnostics.content(nothing, view, 120, Diagnostics())
    check(content, 120)
    text = page(content)
    for words in (
        "Connecting: the service has not answered yet.",
        "The service’s time is not known yet",
        "none opened",
        "not kept on disk",
        "nothing waits here",
        "not yet",
    ):
        assert words in text
    assert "Connection log" not in text


@pytest.mark.parametrize("state", list(LinkState))
def test_every_state_of_the_link_is_told_in_its_word(state: LinkState) -> None:
    _, snapshot = troubled()
    link = Link(state, 0.0, 1.0, detail="a reason", retry_at=30.0, attempt=2)
    text = page(shown(snapshot=replace(snapshot, link=link)))
    assert str(state) in text
    assert "a reason" in text
    assert "in 28 s  attempt 3" in text


def test_a_replay_says_how_far_it_has_come() -> None:
    _, snapshot = troubled()
    text = page(shown(snapshot=replace(snapshot, history=History("3120", target="4812", count=3120))))
    assert "#3120  being read" in text
    assert "#4812" in text


@pytest.mark.parametrize("size", [(60, 12), (80, 24), (120, 36), (160, 48), (300, 60)])
async def test_it_opens_over_the_board_and_over_a_view_and_goes_back(size: tuple[int, int]) -> None:
    desk = AskingDesk()
    desk.session.told = TOLD
    async with desk.at(*size):
        await desk.press("D")
        assert isinstance(desk.app.screen, DiagnosticsScreen)
        assert "D Diagnostics" in desk.text("rows")
        await desk.press("G", "enter", "s")
        assert "no event with a receipt" in desk.text("footer")
        await desk.press("escape")
        assert isinstance(desk.app.screen, BoardScreen)
        await desk.press("t", "D")
        assert isinstance(desk.app.screen, DiagnosticsScreen)


async def test_a_history_that_is_kept_apart_is_told_here_for_good_and_counted_elsewhere_until_then() -> None:
    apart = Apart("3120", 3_000, "2026-05-14T12:00:00.000Z", mine=1)
    snapshot = scene().snapshot()
    desk = AskingDesk(replace(snapshot, history=replace(snapshot.history, apart=apart)))
    async with desk.at(160, 48):
        assert "1 notice" in desk.text("header")
        for _ in range(2):
            await desk.press("D")
            assert "The one to #3120 is kept apart" in desk.text("rows")
            assert "3,000 events, kept apart" in desk.text("rows")
            await desk.press("escape")
            assert "1 notice" not in desk.text("header")


async def test_all_of_it_is_copied_as_text() -> None:
    desk = AskingDesk()
    desk.session.told = TOLD
    async with desk.at(160, 48):
        await desk.press("D", "b")
        assert "Copied the diagnostics" in desk.text("footer")
        assert "Refreshes" in desk.app.clipboard
        assert str(Path.home()) not in desk.app.clipboard
