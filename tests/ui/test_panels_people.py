"""The threads and presence panels: what was reported, never who is there (§5, §9; honesty 5, 6)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType

import pytest

from corr_tui.state.snapshot import History, Identity, Link, LinkState, Verdict, instant
from corr_tui.ui.line import Content, Ink
from corr_tui.ui.panels import events, presence, threads
from tests.correspondents import World, uuid
from tests.ui.panel_scene import check, inks, looking, page, said, scene, with_verdict


def line(content: Content, key: str) -> str:
    """The first line of a row."""
    return next(said(row.lines[0]).rstrip() for row in content.rows if row.key == key)


def test_a_thread_row_has_its_state_by_glyph_and_word() -> None:
    world = scene()
    read = {heard.event.thread_id: 99 for heard in world.snapshot().events if heard.event}
    shown = threads.content(world.snapshot(), looking(world, read_through=read), 32)
    check(shown, 32)
    assert line(shown, "task:40") == "  ‖ task:40          kit paused"
    assert line(shown, "task:41") == "  ☾ task:41         lin resting"
    assert line(shown, "task:31") == "  ■ task:31              closed"
    assert line(shown, "task:39") == "  ‡ task:39  Suite pas…    fork"
    assert inks(shown, "fork") == {Ink.ATTN}
    assert shown.rows[0].key == threads.ALL
    assert said(shown.info) == "20 events"


def test_closed_threads_stand_last_and_the_others_by_what_was_heard_last() -> None:
    world = World()
    for thread in ("task:1", "task:2", "task:3"):
        world.say("ana", "intent", summary="words", thread=thread)
    world.say("ana", "close", thread="task:3")
    world.say("bo", "progress", summary="more", thread="task:1")
    shown = threads.content(world.snapshot(), looking(world), 32)
    assert [row.key for row in shown.rows] == [threads.ALL, "task:1", "task:2", "task:3"]


def test_what_is_new_here_counts_beyond_what_was_looked_at_and_never_my_own() -> None:
    world = World()
    for who in ("ana", "bo", "maya"):
        world.say(who, "progress", summary="words")
    shown = threads.content(world.snapshot(), looking(world, read_through={"task:42": 1}), 32)
    assert line(shown, "task:42") == "  • task:42  words        1 new"
    assert inks(shown, "•") == {Ink.ACCENT}
    looked = threads.content(world.snapshot(), looking(world, read_through={"task:42": 3}), 32)
    assert line(looked, "task:42") == "    task:42  words         open"


def test_a_new_event_does_not_hide_that_a_thread_is_paused() -> None:
    world = World()
    world.say("kit", "pause")
    assert line(threads.content(world.snapshot(), looking(world), 32), "task:42") == "  • task:42  kit paused   1 new"


def test_words_go_before_the_end_of_a_long_thread_id() -> None:
    world = World()
    world.say("ana", "intent", summary="retries", thread="ops:" + "release" * 6)
    shown = threads.content(world.snapshot(), looking(world, read_through={"ops:" + "release" * 6: 9}), 32)
    assert line(shown, "ops:" + "release" * 6) == "    ops:releaserelease…    open"


def test_there_are_no_threads_only_when_the_history_is_complete() -> None:
    snapshot = World().snapshot()
    assert "No threads yet" in page(threads.content(snapshot, looking(World()), 32))
    assert "No threads" not in page(threads.content(replace(snapshot, history=History()), looking(World()), 32))
    cut_off = replace(snapshot, history=History(), link=Link(LinkState.OFFLINE))
    assert "Unavailable, not empty" in page(threads.content(cut_off, looking(World()), 32))


def test_silence_is_no_report_and_nothing_else() -> None:
    """§9: no liveness is inferred from a recent receipt."""
    world = World()
    world.say("ana", "progress", summary="just now")
    shown = presence.content(world.snapshot(), looking(world), 32)
    check(shown, 32)
    assert line(shown, uuid(2, 1)) == "  ana     no report"
    assert [said(row.lines[0]).split()[0] for row in shown.rows] == ["ana", "bo", "kit", "lin", "maya", "zed"]


def test_an_until_that_has_passed_is_passed_and_not_resumed() -> None:
    """Honesty 6."""
    world = World()
    world.say("lin", "rest", until=instant(world.now - timedelta(minutes=5)))
    world.say("kit", "pause", until=instant(world.now + timedelta(hours=2)))
    shown = presence.content(world.snapshot(), looking(world), 32)
    assert line(shown, uuid(2, 4)) == "  lin   ☾ resting  12:55 passed"
    assert line(shown, uuid(2, 3)) == "  kit   ‖ paused    until 15:00"
    assert "resumed" not in page(shown)
    unknown = presence.content(world.snapshot(), looking(world, now=None), 32)
    assert line(unknown, uuid(2, 4)) == "  lin   ☾ resting   until 12:55"


def test_a_resume_and_a_refusal_are_reports_and_no_reason_is_asked() -> None:
    world = World()
    paused = world.say("zed", "pause")
    world.say("zed", "resume", target=paused)
    world.say("ana", "refusal")
    shown = presence.content(world.snapshot(), looking(world), 52)
    check(shown, 52)
    assert line(shown, uuid(2, 6)) == "  zed   ▸ resumed                             13:00"
    assert line(shown, uuid(2, 1)) == "  ana   ← declined                   no reason owed"
    small = presence.content(world.snapshot(), looking(world), 32)
    assert line(small, uuid(2, 1)) == "  ana   ← declined"


def test_a_report_that_is_not_proved_is_no_report() -> None:
    world = World()
    world.say("kit", "pause")
    snapshot = with_verdict(world.snapshot(), 1, Verdict.NO_KEY)
    assert line(presence.content(snapshot, looking(world), 32), uuid(2, 3)) == "  kit     no report"


def test_a_day_that_is_not_today_is_named() -> None:
    world = World()
    world.say("kit", "rest", until="2026-05-16T08:00:00.000Z")
    world.say("lin", "rest", until="2031-05-16T08:00:00.000Z")
    shown = presence.content(world.snapshot(), looking(world), 32)
    assert line(shown, uuid(2, 3)).endswith("until 16 May")
    assert line(shown, uuid(2, 4)).endswith("until 2031")


def test_a_day_is_told_whole_where_there_is_no_room_for_more() -> None:
    world = World()
    world.say("kit", "rest", until="2026-12-01T08:00:00.000Z")
    assert line(presence.content(world.snapshot(), looking(world), 28), uuid(2, 3)).endswith("  1 Dec")


def test_names_take_the_room_that_reports_leave() -> None:
    world = World()
    names = {uuid(2, 1): Identity(uuid(2, 1), "codex-on-the-laptop"), uuid(2, 2): Identity(uuid(2, 2), "bo")}
    snapshot = replace(world.snapshot(), identities=MappingProxyType(names))
    assert "codex-on-the-l…op" in page(presence.content(snapshot, looking(world), 32))
    world.say("bo", "rest", until="2026-05-14T12:00:00.000Z")
    snapshot = replace(world.snapshot(), identities=MappingProxyType(names))
    shown = presence.content(snapshot, looking(world), 32)
    check(shown, 32)
    assert line(shown, uuid(2, 2)) == "  bo    ☾ resting  12:00 passed"


def test_an_identity_that_was_revoked_stays_only_while_its_report_stands() -> None:
    world = World()
    gone = {
        uuid(2, 3): Identity(uuid(2, 3), "kit", active=False),
        uuid(2, 4): Identity(uuid(2, 4), "lin", active=False),
    }
    world.say("kit", "pause")
    snapshot = replace(world.snapshot(), identities=MappingProxyType(gone))
    assert [row.key for row in presence.content(snapshot, looking(world), 32).rows] == [uuid(2, 3)]


@pytest.mark.parametrize("panel", [threads, presence])
def test_lists_of_people_and_threads_are_never_silent(panel: object) -> None:
    empty = replace(World().snapshot(), identities=MappingProxyType({}))
    content = threads.content if panel is threads else presence.content
    for snapshot in (empty, replace(empty, history=History()), replace(empty, link=Link(LinkState.OFFLINE))):
        shown = content(snapshot, looking(World()), 32)
        check(shown, 32)
        assert shown.empty


def test_several_may_be_in_different_states_at_once_and_the_thread_says_who() -> None:
    world = World()
    world.say("ana", "intent", summary="docs")
    world.say("kit", "pause", until="2026-05-14T16:00:00.000Z")
    rest = world.say("lin", "rest")
    world.say("zed", "refusal")
    snapshot = world.snapshot()
    row = looking(world, read_through={"task:42": 99})
    assert line(threads.content(snapshot, row, 32), "task:42") == "  ☾ task:42      lin resting +2"
    above = said(events.content(snapshot, replace(row, thread_id="task:42"), 120).above)
    assert "open · kit paused until 16:00 (#2) · lin resting (#3) · zed refused (#4)" in above
    world.say("lin", "resume", target=rest)
    above = said(events.content(world.snapshot(), replace(row, thread_id="task:42"), 120).above)
    assert "open · kit paused until 16:00 (#2) · zed refused (#4)" in above
    world.say("ana", "close")
    above = said(events.content(world.snapshot(), replace(row, thread_id="task:42"), 120).above)
    assert "closed by ana (#6) · kit paused" in above


def test_a_thread_in_conflict_says_so_beside_what_was_reported() -> None:
    world = World()
    pair = [world.say(who, "intent", summary=who) for who in ("ana", "bo")]
    world.say("lin", "conflict.raise", targets=pair, summary="both")
    world.say("kit", "handoff", summary="left", next_safe_action="look")
    view = looking(world, thread_id="task:42", read_through={"task:42": 99})
    above = events.content(world.snapshot(), view, 120).above
    assert "handed off by kit (#4) · in conflict: raised" in said(above)
    assert Ink.ATTN in {span.ink for span in above}
