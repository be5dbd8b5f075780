"""Where the parts of the board stand, at the sizes of the pictures and at every other one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region

from corr_tui.ui.screens.places import PANELS, Arrangement, places
from corr_tui.ui.sides import sides


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
    hidden=st.frozensets(st.sampled_from([name for name in PANELS if name != "events"])),
    maximised=st.booleans(),
    strip=st.booleans(),
)
def test_the_focused_panel_always_has_a_place_and_no_two_parts_overlap(
    width: int, height: int, active: str, reports: int, hidden: frozenset[str], maximised: bool, strip: bool
) -> None:
    sharing = active if active in ("claims", "conflicts") else "claims"
    arrangement = Arrangement(hidden - {active}, maximised, strip)
    found = places(width, height, active, sharing, reports, arrangement)
    assert not arrangement.hidden & found.keys()
    screen = Region(0, 0, width, height)
    assert found[active].area > 0
    assert all(screen.contains_region(region) for region in found.values())
    listed = list(found.values())
    assert not any(one.overlaps(other) for place, one in enumerate(listed) for other in listed[place + 1 :])


def test_the_events_get_what_the_outer_columns_can_spare_before_they_lose_a_column() -> None:
    """look: panels, the shrink orders: words of threads and bars of claims go before the seconds and the thread."""
    assert sides(160) == (32, 42)
    assert [places(width, 48, "events")["events"].width for width in (140, 144, 150, 159)] == [84, 84, 84, 84]
    assert places(140, 48, "events")["claims"].right == 140


def test_what_is_hidden_leaves_its_place_to_the_rest() -> None:
    def board(*hidden: str, width: int = 160, sharing: str = "claims") -> dict[str, Region]:
        return places(width, 48, "events", sharing, 6, Arrangement(frozenset(hidden)))

    assert board("presence")["threads"].height == board()["events"].height
    assert board("threads", "presence")["events"] == Region(0, 2, 117, 33)
    assert board("claims")["conflicts"] == Region(118, 2, 42, 33)
    assert board("claims", "conflicts")["events"].right == 160
    assert board("selected")["events"].bottom == 46
    assert "claims" in board("conflicts", width=120, sharing="conflicts")
    assert board("claims", "conflicts", width=120)["events"].height == 33
    assert "selected" not in places(80, 24, "events", arrangement=Arrangement(frozenset({"selected"})))


def test_a_maximised_panel_has_all_the_room_under_the_tabs() -> None:
    assert places(160, 48, "claims", arrangement=Arrangement(maximised=True)) == {
        "header": Region(0, 0, 160, 1),
        "tabs": Region(0, 1, 160, 1),
        "claims": Region(0, 2, 160, 45),
        "footer": Region(0, 47, 160, 1),
    }


def test_a_strip_is_one_panel_and_one_line() -> None:
    strip = Arrangement(strip=True)
    assert places(60, 12, "events", arrangement=strip) == {
        "events": Region(0, 0, 60, 11),
        "footer": Region(0, 11, 60, 1),
    }
    assert places(20, 5, "claims", arrangement=strip)["claims"] == Region(0, 0, 20, 4)
