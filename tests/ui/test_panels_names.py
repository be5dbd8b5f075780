"""Names as long as agents have them: whole where there is room, and never at the cost of what they stand beside."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType

import pytest

from corr_tui.state.snapshot import Identity, Snapshot, instant
from corr_tui.ui.line import Layout
from corr_tui.ui.panels import conflicts, events, presence
from tests.correspondents import World, claim, uuid
from tests.ui.panel_scene import check, looking, page


def named(snapshot: Snapshot) -> Snapshot:
    """With `builder-1`, `builder-2` and so on in the places of the usual names."""
    names = {uuid(2, number): Identity(uuid(2, number), f"builder-{number}") for number in range(1, 7)}
    return replace(snapshot, identities=MappingProxyType(names))


@pytest.mark.parametrize(("width", "layout"), [(87, Layout.MEDIUM), (84, Layout.WIDE), (100, Layout.WIDE)])
def test_the_events_show_whole_names_where_what_they_say_has_room(width: int, layout: Layout) -> None:
    world = World()
    world.say("ana", "intent", thread="task:42", summary="retries")
    shown = events.content(named(world.snapshot()), looking(world, layout), width)
    check(shown, width)
    assert "builder-1" in page(shown)
    assert "13:00:0" in page(shown)


def test_names_give_way_to_what_is_said_where_there_is_little_room() -> None:
    world = World()
    world.say("ana", "intent", thread="task:42", summary="retries")
    shown = events.content(named(world.snapshot()), looking(world), 60)
    check(shown, 60)
    assert "build…-1" in page(shown)


def test_the_presence_panel_shows_whole_names_beside_a_time_without_its_word() -> None:
    world = World()
    world.say("ana", "pause", until=instant(world.now + timedelta(hours=3)))
    shown = presence.content(named(world.snapshot()), looking(world), 32)
    check(shown, 32)
    text = page(shown)
    assert "builder-1" in text
    assert "16:00" in text
    assert "…" not in text


def test_no_path_of_an_overlap_is_cut_to_a_letter() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), paths=["src/api"], expires_in=600)
    world.say("bo", "claim.open", claim_id=claim(2), paths=["src/api/client"], expires_in=600)
    for width, told in ((42, "builder-2 …ient"), (60, "src/api/client"), (36, "builder-1")):
        shown = conflicts.content(named(world.snapshot()), looking(world), width)
        check(shown, width)
        text = page(shown)
        assert told in text
        assert "…i" not in text.replace("…ient", "")
