"""The board as it looks: three widths, light ground, outages, a history that is not all at hand, and its sheets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from screenshots.scene import before_the_last, scene
from screenshots.states import as_it_is, computed, kept, offline, reading, unavailable, waiting
from screenshots.take import ARRIVING, board
from textual.pilot import Pilot

from corr_tui.state.snapshot import Snapshot
from tests.correspondents import World
from tests.ui.fake_session import FakeSession

Compare = Callable[..., bool]


def nothing(world: World, snapshot: Snapshot) -> Snapshot:
    """A project in which nobody said anything."""
    return World().snapshot()


@pytest.mark.parametrize(
    ("size", "theme", "keys", "change"),
    [
        pytest.param((160, 48), "corr-dark", ("k",), as_it_is, id="wide"),
        pytest.param((120, 36), "corr-dark", ("k",), as_it_is, id="medium"),
        pytest.param((80, 24), "corr-dark", ("k",), as_it_is, id="narrow"),
        pytest.param((120, 36), "corr-light", ("k", "4"), as_it_is, id="light"),
        pytest.param((160, 48), "corr-dark", ("k",), unavailable, id="unavailable"),
        pytest.param((160, 48), "corr-dark", ("k",), computed, id="computed-here"),
        pytest.param((160, 48), "corr-light", ("k",), offline, id="offline"),
        pytest.param((80, 24), "corr-dark", ("3",), offline, id="offline-narrow"),
        pytest.param((120, 36), "corr-dark", ("k",) * 8, reading, id="reading"),
        pytest.param((80, 24), "corr-dark", ("home",), kept, id="earlier"),
        pytest.param((80, 24), "corr-light", ("ctrl+f", *"retr", "enter"), as_it_is, id="search"),
        pytest.param((140, 40), "corr-dark", ("k", "space", "k", "space"), as_it_is, id="marked"),
        pytest.param((120, 36), "corr-dark", (), nothing, id="empty"),
        pytest.param((80, 24), "corr-light", ("k", "M"), as_it_is, id="which-key"),
        pytest.param((120, 36), "corr-dark", ("3", "m"), as_it_is, id="maximised"),
        pytest.param((120, 36), "corr-dark", ("o", "j", "d"), waiting, id="outbox"),
    ],
)
def test_the_board_looks_as_it_did(
    snap_compare: Compare,
    size: tuple[int, int],
    theme: str,
    keys: tuple[str, ...],
    change: Callable[[World, Snapshot], Snapshot],
) -> None:
    world, snapshot = scene()
    snapshot = change(world, snapshot)
    session = FakeSession(world)
    session.show(before_the_last(snapshot, ARRIVING))

    async def arrive(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        await pilot.press(*keys)
        session.show(snapshot)
        await pilot.pause()
        await pilot.pause()

    assert snap_compare(board(session, theme), terminal_size=size, run_before=arrive)
