"""What is left and how far off a clock may be, never told more exactly than it is known (experience: honesty 2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.ui.times import DAY, HOUR, MINUTE, about_left, left, plus_minus, unit_of


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0, "±0 s"), (0.3, "±0.3 s"), (0.31, "±0.4 s"), (0.95, "±1 s"), (4.2, "±5 s"), (59.5, "±1 min"), (95, "±2 min")],
)
def test_how_far_off_a_clock_may_be_is_never_told_too_small(seconds: float, said: str) -> None:
    assert plus_minus(seconds) == said


@pytest.mark.parametrize(
    ("seconds", "uncertainty", "said"),
    [
        (41 * MINUTE, 2, "41 min"),
        (41 * MINUTE, 31, "~41 min"),
        (20, 2, "<1 min"),
        (20, 95, "~1 min"),
        (-40, 95, "~1 min"),
        (12 * HOUR, 95, "12 h"),
        (5 * DAY, 2 * HOUR, "5 days"),
    ],
)
def test_what_is_left_says_about_only_where_the_clock_is_less_sure_than_the_words(
    seconds: float, uncertainty: float, said: str
) -> None:
    assert about_left(seconds, uncertainty) == said


@given(st.floats(1, 30 * DAY), st.floats(0, 10 * DAY))
def test_a_sure_clock_changes_no_word(seconds: float, uncertainty: float) -> None:
    sure = uncertainty <= unit_of(seconds) / 2
    assert (about_left(seconds, uncertainty) == left(seconds)) == sure
