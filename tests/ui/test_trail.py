"""Back and forward over the events somebody went to."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from corr_tui.ui.trail import KEPT, Trail
from tests.ui.desk import AskingDesk

EVENTS = st.sampled_from("abcde")


@given(st.lists(EVENTS, min_size=1, max_size=200))
def test_as_many_steps_forward_as_back_lead_to_the_same_event(jumps: list[str]) -> None:
    trail = Trail()
    for before, to in pairwise(jumps):
        trail.went(before, to)
    here, steps = jumps[-1], 0
    while (back := trail.step(-1, here)) is not None:
        assert back != here
        here, steps = back, steps + 1
    assert steps < KEPT
    for _ in range(steps):
        found = trail.step(1, here)
        assert found is not None
        here = found
    assert here == jumps[-1]


def test_a_place_reached_row_by_row_can_be_come_back_to() -> None:
    trail = Trail()
    trail.went("a", "b")
    assert trail.step(-1, "c") == "b"
    assert trail.step(1, "b") == "c"
    assert trail.step(1, "c") is None


def test_a_jump_forgets_what_lay_forward() -> None:
    trail = Trail()
    trail.went("a", "b")
    assert trail.step(-1, "b") == "a"
    trail.went("a", "c")
    assert trail.step(1, "c") is None
    assert trail.step(-1, "c") == "a"


async def test_the_brackets_go_back_and_forward_between_events() -> None:
    desk = AskingDesk()
    async with desk.at(160, 48):
        await desk.press("k")
        start = desk.number
        await desk.press("3", "enter")
        claim = desk.number
        assert claim != start
        await desk.press("4", "j", "enter")
        conflict = desk.number
        await desk.press("left_square_bracket")
        assert desk.number == claim
        await desk.press("left_square_bracket")
        assert desk.number == start
        await desk.press("left_square_bracket")
        assert "nothing further back" in desk.text("footer")
        await desk.press("right_square_bracket", "right_square_bracket")
        assert desk.number == conflict
        await desk.press("right_square_bracket")
        assert "nothing further on" in desk.text("footer")


async def test_going_back_recalls_what_is_kept_further_back() -> None:
    desk = AskingDesk(earlier=10)
    async with desk.at(120, 36):
        desk.app.board.show_event(desk.session.earlier[2].event_id)
        await desk.settle()
        assert desk.number == "#3"
        await desk.press("left_square_bracket", "right_square_bracket")
        assert desk.number == "#3"
