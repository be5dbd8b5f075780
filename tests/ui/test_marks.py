"""Marks: one stroke says something of each marked event, and one line tells what became of all (Acknowledging)."""

from __future__ import annotations

import pytest
from screenshots.scene import before_the_last

from corr_tui.state.border import Outcome
from corr_tui.ui.screens.compose import ComposeScreen
from tests.ui.bare_app import screen_text, until
from tests.ui.desk import AskingDesk


def marked(desk: AskingDesk) -> list[str]:
    """The rows of the events with a mark."""
    return [line for line in desk.text("events").splitlines() if "▪" in line[:2]]


async def test_space_marks_and_unmarks_the_event_under_the_cursor() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await desk.press("k", "space", "k", "k", "space", "k")
        assert [line.split()[1] for line in marked(desk)] == ["#42", "#44"]
        assert "2 marked" in desk.text("events").splitlines()[0]
        await desk.press("j")
        assert desk.text("events").count("▌▪") == 1
        await desk.press("space")
        assert len(marked(desk)) == 1
        await desk.press("escape")
        assert not marked(desk)
        assert "marked" not in desk.text("events")


@pytest.mark.parametrize(("width", "height"), [(160, 48), (120, 36), (80, 24), (60, 12)])
async def test_one_stroke_acknowledges_each_marked_event(width: int, height: int) -> None:
    desk = AskingDesk()
    async with desk.at(width, height):
        await desk.press("k", "space", "k", "space", "k", "space", "s")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        assert desk.session.sent == []
        await desk.press("enter")
        assert desk.app.screen is desk.app.board
        assert len(desk.session.sent) == 3
        assert "3 ack.seen posted: #45, #46, #47"[: width - 20] in desk.text("footer")
        assert not marked(desk)


async def test_a_repair_cites_every_marked_event_in_one() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await desk.press("k", "space", "k", "space", "r")
        await desk.press(*"words", "enter")
        await until(desk.pilot, lambda: "armed: Enter" in screen_text(desk.app))
        await desk.press("enter")
        (sent,) = desk.session.sent
        assert len(sent.core.evidence["body"]["target_event_ids"]) == 2
        assert not marked(desk)


async def test_marks_outlast_a_refresh_a_thread_and_a_view() -> None:
    desk = AskingDesk()
    whole = desk.session.snapshot
    async with desk.at(120, 36):
        await desk.hear(before_the_last(whole, 3))
        await desk.press("k", "space")
        await desk.hear(whole)
        assert len(marked(desk)) == 1
        await desk.press("1", "G", "enter")
        assert "1 marked" in desk.text("events").splitlines()[0]
        assert not marked(desk)
        await desk.press("t", "q", "1", "home", "enter", "G")
        assert len(marked(desk)) == 1


async def test_what_was_refused_stays_marked() -> None:
    desk = AskingDesk()
    desk.session.answers += [Outcome.REFUSED, Outcome.POSTED]
    async with desk.at(120, 36):
        await desk.press("k", "space", "k", "space", "s", "enter")
        assert "1 ack.seen posted: #45 · 1 refused" in desk.text("footer")
        assert [line.split()[1] for line in marked(desk)] == ["#43"]


async def test_escape_in_the_composer_keeps_the_marks() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await desk.press("k", "space", "s", "escape")
        assert desk.session.sent == []
        assert len(marked(desk)) == 1


async def test_a_view_marks_too() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await desk.press("k", "t", "space")
        lines = desk.text("rows").splitlines()
        assert "1 marked" in lines[0]
        assert any("▪" in line[:2] for line in lines)
