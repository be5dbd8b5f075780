"""Where the parts of the board stand, at the sizes of the pictures and at every other one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region

from corr_tui.ui.screens.places import PANELS, places


def test_the_wide_board_is_that_of_its_picture() -> None:
    assert places(160, 48, "events") == {
        "header": Region(0, 0, 160, 1),
        "threads": Region(0, 2, 32, 23),
        "presence": Region(0, 26, 32, 9),
        "events": Region(33, 2, 84, 33),
        "claims": Region(118, 2, 42, 17),
        "conflicts": Region(118, 20, 42, 15),
        "selected": Region(0, 36, 160, 10),
        "footer": Region(0, 47, 160, 1),
    }


def test_the_medium_board_is_that_of_its_picture() -> None:
    assert places(120, 36, "events") == {
        "header": Region(0, 0, 120, 1),
        "threads": Region(0, 1, 32, 16),
        "presence": Region(0, 17, 32, 9),
        "events": Region(33, 1, 87, 16),
        "claims": Region(33, 17, 87, 9),
        "selected": Region(0, 26, 120, 8),
        "footer": Region(0, 35, 120, 1),
    }
    assert "conflicts" in places(120, 36, "conflicts", "conflicts")


def test_the_narrow_board_is_that_of_its_picture() -> None:
    assert places(80, 24, "events") == {
        "header": Region(0, 0, 80, 1),
        "tabs": Region(0, 1, 80, 1),
        "events": Region(0, 2, 80, 18),
        "selected": Region(0, 20, 80, 3),
        "footer": Region(0, 23, 80, 1),
    }
    assert places(80, 24, "claims")["claims"] == Region(0, 2, 80, 21)


@given(
    width=st.integers(1, 260),
    height=st.integers(1, 90),
    active=st.sampled_from(PANELS),
    reports=st.integers(0, 60),
)
def test_the_focused_panel_always_has_a_place_and_no_two_parts_overlap(
    width: int, height: int, active: str, reports: int
) -> None:
    sharing = active if active in ("claims", "conflicts") else "claims"
    found = places(width, height, active, sharing, reports)
    screen = Region(0, 0, width, height)
    assert found[active].area > 0
    assert all(screen.contains_region(region) for region in found.values())
    listed = list(found.values())
    assert not any(one.overlaps(other) for place, one in enumerate(listed) for other in listed[place + 1 :])
