"""Rows keep still: what comes never moves the row under the cursor, nor any row while one is armed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screenshots.scene import before_the_last

from corr_tui.ui.app import CorrTui
from corr_tui.ui.line import Row, Span
from corr_tui.ui.widgets.cursor_view import CursorView
from corr_tui.ui.widgets.kept_order import in_order
from tests.correspondents import World
from tests.ui.desk import AskingDesk

KEYS = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1)


def rows_of(keys: Sequence[str]) -> tuple[Row, ...]:
    return tuple(Row(key, ((Span(key),),)) for key in keys)


@given(before=KEYS, more=st.lists(st.sampled_from("uvwxyz"), unique=True), height=st.integers(3, 12), data=st.data())
def test_whatever_order_rows_come_in_the_one_under_the_cursor_keeps_its_line(
    before: list[str], more: list[str], height: int, data: st.DataObject
) -> None:
    view = CursorView(height=height)
    view.patch(rows_of(before), height)
    view.choose(data.draw(st.sampled_from(before)))
    line, cursor = view.line_of_cursor(), view.cursor
    assert cursor is not None
    after = data.draw(st.permutations([*before, *more]))
    view.patch(rows_of(after), height, still=True)
    assert view.cursor == cursor
    # a row that comes nearer to the top than it stood cannot be held: nothing is drawn above the first row
    assert view.line_of_cursor() == min(after.index(cursor), line if line is not None else 0)
    view.step(0)
    assert view.above == 0


@given(before=KEYS, after=KEYS)
def test_rows_that_were_there_keep_their_order_and_none_is_lost(before: list[str], after: list[str]) -> None:
    found = [row.key for row in in_order(rows_of(after), tuple(before))]
    assert sorted(found) == sorted(after)
    assert [key for key in found if key in before] == [key for key in before if key in after]


def talk(threads: int = 4) -> World:
    world = World()
    for number in range(threads):
        world.say("ana", "intent", thread=f"task:{number}", summary=f"words {number}")
    return world


async def test_a_thread_that_moves_up_does_not_move_the_one_under_the_cursor() -> None:
    world = talk()
    desk = AskingDesk(world.snapshot())
    async with desk.at(120, 36):
        await desk.press("1", "j", "j")
        spot = desk.panel("threads").spot()
        world.say("bo", "progress", thread="task:0", summary="more")
        world.say("bo", "intent", thread="task:9", summary="new")
        await desk.hear(world.snapshot())
        now = desk.panel("threads").spot()
        assert spot is not None
        assert now is not None
        assert (now[1:], desk.panel("threads").view.cursor) == (spot[1:], "task:2")
        assert "2 above Home" in desk.text("threads").splitlines()[0]
        await desk.press("home")
        assert "above" not in desk.text("threads")
        assert desk.panel("threads").view.places.keys[1] == "task:9"


async def test_no_row_changes_its_place_while_a_composer_is_open() -> None:
    world = talk()
    desk = AskingDesk(world.snapshot())
    async with desk.at(160, 48):
        threads = desk.app.board.board.panels["threads"]
        await desk.press("s")
        before = threads.view.places.keys
        world.say("bo", "progress", thread="task:0", summary="more")
        await desk.hear(world.snapshot())
        assert threads.view.places.keys == before
        await desk.press("escape")
        assert threads.view.places.keys[1] == "task:0"


async def test_the_row_of_an_open_composer_keeps_its_line_while_others_arrive() -> None:
    desk = AskingDesk()
    whole = desk.session.snapshot
    async with desk.at(120, 36):
        await desk.hear(before_the_last(whole, 6))
        await desk.press("k", "k", "s")
        events = desk.app.board.board.panels["events"]
        spot = events.spot()
        await desk.hear(whole)
        assert events.spot() == spot
        await desk.press("escape")
        assert events.spot() == spot


async def test_a_burst_is_painted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()
    whole = desk.session.snapshot
    async with desk.at(160, 48):
        painted: list[object] = []
        display = CorrTui._display

        def counted(app: CorrTui, screen: Any, renderable: Any) -> None:
            painted.append(renderable)
            display(app, screen, renderable)

        monkeypatch.setattr(CorrTui, "_display", counted)
        for count in range(40, 0, -1):
            desk.app.board.snapshot = before_the_last(whole, count)
        await desk.settle()
        assert 1 <= len([each for each in painted if each]) <= 2
