"""The board as it looks: three widths, light ground, an outage, and the composer over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from screenshots.scene import before_the_last, scene
from screenshots.take import ARRIVING, board
from textual.pilot import Pilot

from corr_tui.state.snapshot import ProjectionState, Snapshot
from tests.ui.fake_session import FakeSession

Compare = Callable[..., bool]


def as_it_is(snapshot: Snapshot) -> Snapshot:
    return snapshot


def unavailable(snapshot: Snapshot) -> Snapshot:
    """The service cannot calculate its view, and not the whole history is here."""
    projection = replace(snapshot.projection, state=ProjectionState.UNAVAILABLE, error="503", read_at=-360.0)
    return replace(snapshot, projection=projection, history=replace(snapshot.history, complete=False))


@pytest.mark.parametrize(
    ("size", "theme", "keys", "change"),
    [
        pytest.param((160, 48), "corr-dark", ("k",), as_it_is, id="wide"),
        pytest.param((120, 36), "corr-dark", ("k",), as_it_is, id="medium"),
        pytest.param((80, 24), "corr-dark", ("k",), as_it_is, id="narrow"),
        pytest.param((120, 36), "corr-light", ("k", "4"), as_it_is, id="light"),
        pytest.param((160, 48), "corr-dark", ("k",), unavailable, id="unavailable"),
    ],
)
def test_the_board_looks_as_it_did(
    snap_compare: Compare,
    size: tuple[int, int],
    theme: str,
    keys: tuple[str, ...],
    change: Callable[[Snapshot], Snapshot],
) -> None:
    world, snapshot = scene()
    snapshot = change(snapshot)
    session = FakeSession(world)
    session.show(before_the_last(snapshot, ARRIVING))

    async def arrive(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        await pilot.press(*keys)
        session.show(snapshot)
        await pilot.pause()
        await pilot.pause()

    assert snap_compare(board(session, theme), terminal_size=size, run_before=arrive)
