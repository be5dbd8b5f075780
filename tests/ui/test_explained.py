"""Whatever the header names is explained in full sentences: why, since when, what to do (experience: honesty 1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from corr_tui.protocol.records import Claims, Conflicts
from corr_tui.state.snapshot import (
    Clock,
    Computed,
    History,
    Link,
    LinkState,
    ProjectionState,
    Snapshot,
    Unsent,
    UnsentState,
    Verdict,
)
from corr_tui.ui.line import Layout, Line
from corr_tui.ui.panels import absence
from corr_tui.ui.panels.explained import explained
from corr_tui.ui.panels.reading import Reading
from tests.correspondents import World
from tests.ui.panel_scene import looking, scene, with_verdict
from tests.ui.panel_scene import said as line_said

EMPTY = Claims("2026-05-14T13:00:00.000Z", "4812", "complete", False, ())


def said(world: World, snapshot: Snapshot, **view: Any) -> str:
    """Everything that is explained."""
    return "\n".join(": ".join(each) for each in explained(Reading(snapshot, looking(world, **view))))


def test_where_all_is_well_there_is_nothing_to_explain() -> None:
    world = World()
    world.say("ana", "intent", summary="retries")
    assert said(world, world.snapshot()) == ""


@pytest.mark.parametrize(
    ("link", "words"),
    [
        (
            Link(LinkState.OFFLINE, -360.0, detail="could not connect", retry_at=8.0),
            ("Offline since", "for 6 min", "in 6 s"),
        ),
        (Link(LinkState.RECONNECTING, 0.0, detail="cut", retry_at=30.0, attempt=3), ("attempt 3", "“cut”", "in 28 s")),
        (Link(LinkState.UNAUTHORIZED, 0.0, detail="expired"), ("“expired”", "CORR_TUI_BEARER", "R asks once more.")),
        (Link(LinkState.POLLING, 0.0, detail="no stream here"), ("no wake stream", "“no stream here”")),
        (Link(LinkState.HELD, -120.0), ("Paused by me", "for 2 min", "posted all the same", "goes on.")),
        (Link(LinkState.CONNECTING, 0.0), ("has not answered yet",)),
    ],
)
def test_the_link_is_explained_with_its_reason_and_what_happens_next(link: Link, words: tuple[str, ...]) -> None:
    world = World()
    told = said(world, replace(world.snapshot(), link=link))
    for each in words:
        assert each in told


def test_claims_that_the_service_does_not_give_are_explained_in_its_words() -> None:
    world = scene()
    snapshot = world.snapshot()
    away = replace(snapshot.projection, state=ProjectionState.UNAVAILABLE, error="503 the store is being rebuilt")
    told = said(world, replace(snapshot, projection=away))
    assert "“503 the store is being rebuilt”" in told
    assert "the last the service gave of" in told
    told = said(world, replace(snapshot, projection=replace(away, voice=None), history=History("3", complete=False)))
    assert "which is not the same as there being none" in told
    assert "read to #3 only" in told


def test_a_view_cut_short_an_unsure_clock_and_a_replay_are_explained() -> None:
    world = World()
    snapshot = world.snapshot("truncated")
    assert "more may be live than are shown" in said(world, snapshot)
    assert "known to ±5 s only" in said(world, replace(world.snapshot(), clock=Clock(world.now, 0.0, 4.2)))
    assert "nothing is counted down" in said(world, world.snapshot(), now=None)
    reading = replace(world.snapshot(), history=History("3120", target="4812"))
    assert "being read at #3120 of #4812" in said(world, reading)
    assert "stopped at #3120" in said(world, replace(reading, history=History("3120", target="4812", stopped=True)))


def test_what_has_no_receipt_and_what_is_not_proved_are_explained() -> None:
    world = scene()
    event = world.event("maya", "intent", summary="words", seq=40)
    for state, words in (
        (UnsentState.UNSENT, "not gone from this machine"),
        (UnsentState.UNKNOWN, "the service may have it"),
        (UnsentState.REFUSED, "not sent again"),
    ):
        told = said(world, replace(world.snapshot(), unsent=(Unsent(event, state),)))
        assert f"1 event of mine is {state}: " in told
        assert words in told
    told = said(world, with_verdict(world.snapshot(), 2, Verdict.KEY_CHANGED))
    assert told.startswith("keys: Key changed: an event in the name of ")
    assert "1 mismatch" in said(world, with_verdict(world.snapshot(), 2, Verdict.MISMATCH))


def test_a_recording_says_that_nothing_can_be_sent() -> None:
    world = World()
    assert "nothing can be sent" in said(world, replace(world.snapshot(), recorded=True))


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("width", [36, 42, 78, 118, 160])
@pytest.mark.parametrize("banner", [absence.computed, absence.last_good])
def test_no_word_of_the_line_that_explains_a_view_is_lost(
    banner: Callable[[Reading, int], tuple[Line, ...]], width: int, layout: Layout
) -> None:
    """Honesty 1: what the view rests on is read in full, in several lines where one has no room for it."""
    world = scene()
    snapshot = replace(world.snapshot(), link=Link(LinkState.OFFLINE, -360.0, retry_at=100.0))
    made = Computed("4812", True, snapshot.projection.claims or EMPTY, Conflicts((), (), ()))
    reading = Reading(replace(snapshot, computed=made), looking(world, layout))
    told = " ".join(" ".join(line_said(line) for line in banner(reading, width)).split())
    assert "…" not in told
    assert "More may exist since." in told
    assert "retrying in 1 min" in told
    assert ("From complete history to #4812." if banner is absence.computed else "Unavailable, not empty") in told
