"""Participants: reports, keys, sessions and claims of each, none of it a rank; hostile names; its keys in the app."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from corr_tui.state.snapshot import (
    Identity,
    KeyStanding,
    KnownKey,
    LinkState,
    Projection,
    ProjectionState,
    Snapshot,
)
from corr_tui.ui.line import Ink, Layout
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.participants import ParticipantsScreen
from corr_tui.ui.views import participants
from corr_tui.ui.views.participant_details import MOST_SESSIONS, details
from tests.correspondents import World, uuid
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, inks, looking, page, scene

PAGES = Path(__file__).parent / "golden"
WIDTHS = {Layout.NARROW: (80, 80), Layout.MEDIUM: (59, 60), Layout.WIDE: (79, 80)}
SIZES = {Layout.NARROW: 80, Layout.MEDIUM: 120, Layout.WIDE: 160}
ONE, OTHER = "3f0a" * 16, "b771" * 16


def known() -> tuple[World, Snapshot]:
    """The scene, with keys of every standing."""
    world = scene()
    standings = (KeyStanding.PINNED, KeyStanding.CHANGED, KeyStanding.REVOKED, KeyStanding.LISTED)
    keys: dict[str, tuple[KnownKey, ...]] = {
        uuid(2, number): (
            KnownKey(uuid(3, number), standing, ONE, other=OTHER if standing is KeyStanding.CHANGED else ""),
        )
        for number, standing in enumerate(standings, 1)
    }
    keys[uuid(2, 5)] = (
        KnownKey(uuid(3, 5), KeyStanding.FIRST_USE, ONE),
        KnownKey(uuid(3, 50), KeyStanding.UNUSABLE, ""),
    )
    return world, world.snapshot(keys=MappingProxyType(keys))


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_participants_say_the_scene_cell_for_cell(layout: Layout) -> None:
    world, snapshot = known()
    view, (left, right) = looking(world, layout), WIDTHS[layout]
    rows, told = participants.content(snapshot, view, left), details(snapshot, view, right, uuid(2, 2))
    check(rows, left)
    check(told, right)
    text = f"{page(rows)}\n\n{page(told)}\n"
    assert text == (PAGES / f"participants-{SIZES[layout]}.txt").read_text(encoding="utf-8")


def test_a_key_of_a_list_not_read_yet_is_not_said_to_be_unlisted() -> None:
    world, snapshot = known()
    key = KnownKey(uuid(3, 2), KeyStanding.PINNED, ONE, listed=False, asked=False)
    unread = replace(snapshot, keys=MappingProxyType({uuid(2, 2): (key,)}))
    told = page(details(unread, looking(world), 80, uuid(2, 2)))
    assert "not asked in this run" in told
    assert "not listed now" not in told
    asked = replace(snapshot, keys=MappingProxyType({uuid(2, 2): (replace(key, asked=True),)}))
    assert "not listed now" in page(details(asked, looking(world), 80, uuid(2, 2)))


def test_nobody_is_ranked_counted_or_called_online() -> None:
    """Experience: honesty 2, 6; look: avoid"""
    world, snapshot = known()
    content = participants.content(snapshot, looking(world), 100)
    names = [line.split()[0] for row in content.rows for line in [row.lines[0][1].text] if line.split()]
    assert names == sorted(names)
    text = page(content) + page(details(snapshot, looking(world), 80, uuid(2, 6)))
    assert not re.search(r"online|away|idle|active now|\d+ events", text)


def test_a_key_that_changed_is_the_one_loud_thing() -> None:
    world, snapshot = known()
    content = participants.content(snapshot, looking(world), 100)
    assert [row.key for row in content.rows if row.alarm] == [uuid(2, 2)]
    assert inks(content, "key changed") == {Ink.ALARM}
    told = details(snapshot, looking(world), 80, uuid(2, 2))
    assert "b771b771" in page(told)


def test_forks_and_sequences_are_told_by_session_section_4() -> None:
    world, snapshot = known()
    text = page(details(snapshot, looking(world), 80, uuid(2, 6)))
    assert "sequence 1 to 8" in text
    assert "‡ fork at 7: #1" in text
    assert text.count("device ") == 1
    text = page(details(snapshot, looking(world), 80, uuid(2, 3)))
    assert text.count("device ") == 2


def test_of_many_sessions_those_heard_last_are_told() -> None:
    world = World()
    for number in range(MOST_SESSIONS + 5):
        world.say("ana", "progress", summary="said", session=number + 1)
    text = page(details(world.snapshot(), looking(world), 80, uuid(2, 1)))
    assert text.count("sequence 1") == MOST_SESSIONS
    assert "and earlier sessions" in text
    assert f"last #{MOST_SESSIONS + 5}" in text


def test_who_is_heard_and_not_listed_is_there_and_said_to_be_unlisted() -> None:
    world, snapshot = known()
    few = replace(snapshot, identities=MappingProxyType({uuid(2, 9): Identity(uuid(2, 9), "gone", active=False)}))
    text = page(participants.content(few, looking(world), 80))
    assert "0000…" in text
    assert "gone" in text
    assert "not listed by the service" in page(details(few, looking(world), 80, uuid(2, 1)))
    assert "no longer active" in page(details(few, looking(world), 80, uuid(2, 9)))
    assert "nothing received of it here" in page(details(few, looking(world), 80, uuid(2, 9)))


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\u202eb", "界" * 60, "\u0301\u0301", " ", "x\ny", "●" * 9])
def test_a_hostile_name_stays_in_its_cells(name: str) -> None:
    """§5: text, not commands"""
    world, snapshot = known()
    named = replace(
        snapshot, identities=MappingProxyType({**snapshot.identities, uuid(2, 1): Identity(uuid(2, 1), name)})
    )
    for layout, (left, right) in WIDTHS.items():
        check(participants.content(named, looking(world, layout), left), left)
        check(details(named, looking(world, layout), right, uuid(2, 1)), right)


def test_what_the_claims_are_worth_is_said() -> None:
    """Experience: honesty 1"""
    world, snapshot = known()
    stale = replace(snapshot, link=replace(snapshot.link, state=LinkState.OFFLINE))
    assert "last good view" in page(participants.content(stale, looking(world), 80))
    assert "last good view" in page(details(stale, looking(world), 80, uuid(2, 1)))
    none = replace(snapshot, projection=Projection(ProjectionState.UNAVAILABLE, None))
    assert "not known" in page(participants.content(none, looking(world), 80))
    assert "none live" not in page(details(none, looking(world), 80, uuid(2, 1)))


def test_where_nobody_is_known_it_says_whether_that_means_something() -> None:
    world = World()
    nobody = world.snapshot(identities=MappingProxyType({}))
    assert "No participants listed" in page(participants.content(nobody, looking(world), 80))
    part = replace(nobody, history=replace(nobody.history, complete=False))
    assert "reading history" in page(participants.content(part, looking(world), 80))
    cut = replace(part, link=replace(part.link, state=LinkState.OFFLINE))
    assert "Unavailable, not empty" in page(participants.content(cut, looking(world), 80))


@pytest.mark.parametrize("size", [(60, 12), (80, 24), (120, 36), (160, 48), (300, 60)])
async def test_it_opens_at_the_sender_of_the_event_under_the_cursor(size: tuple[int, int]) -> None:
    _, snapshot = known()
    desk = AskingDesk(snapshot)
    async with desk.at(*size):
        await desk.press("k", "p")  # bo's repair
        screen = desk.app.screen
        assert isinstance(screen, ParticipantsScreen)
        assert screen.rows.view.cursor == uuid(2, 2)
        assert "p Participants" in desk.text("rows")
        if size[1] > 12:
            assert "Participant  bo" in desk.text("details")


async def test_enter_shows_the_last_event_of_a_participant_on_the_board() -> None:
    _, snapshot = known()
    desk = AskingDesk(snapshot)
    async with desk.at(160, 48):
        await desk.press("p", "home", "enter")
        assert isinstance(desk.app.screen, BoardScreen)
        assert desk.number == "#11"


async def test_who_said_nothing_has_no_event_to_show() -> None:
    _, snapshot = known()
    silent = replace(snapshot, identities=MappingProxyType({uuid(2, 9): Identity(uuid(2, 9), "aaa")}))
    desk = AskingDesk(silent)
    async with desk.at(160, 48):
        await desk.press("p")
        desk.app.screen.query_one("#rows")
        await desk.press("G", "enter")
        assert "No event of this is known here" in desk.text("footer")
        await desk.press("s")
        assert "no event with a receipt" in desk.text("footer")
