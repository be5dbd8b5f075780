"""The events panel: columns, verdicts, unsent rows, days, and all 21 kinds (§5; look: events; honesty 5, 8)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone

import msgspec
import pytest

from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.records import MalformedEvent, read_events_page
from corr_tui.state.snapshot import Heard, History, Link, LinkState, Snapshot, Unsent, UnsentState, Verdict
from corr_tui.ui.line import Content, Ink, Layout, View
from corr_tui.ui.panels.events import NEWEST, content
from tests.correspondents import World, claim
from tests.ui.panel_scene import check, every_kind, inks, looking, page, said, scene, with_verdict


def row(shown: Content, number: int) -> str:
    """One row as text; numbers begin at 1."""
    return said(shown.rows[number - 1].lines[0]).rstrip()


def kinds_at(width: int) -> dict[str, str]:
    """By kind, what its row says at a width; the last of a kind wins."""
    world = every_kind()
    snapshot = world.snapshot()
    shown = content(snapshot, looking(world), width)
    check(shown, width)
    events = [heard.event for heard in snapshot.events]
    return {
        event.kind: row(shown, place)[46:].rsplit("  ", 1)[0].rstrip() for place, event in enumerate(events, 1) if event
    }


def test_each_of_the_21_kinds_says_what_is_particular_to_it() -> None:
    """§5."""
    said_by = kinds_at(120)
    assert set(said_by) == set(KINDS)
    assert said_by == {
        "intent": "repaired by #20  “said”",
        "claim.open": "src/api",
        "claim.renew": "src/api  gen 2",
        "claim.release": "src/api  gen 3  “said”",
        "progress": "“said”",
        "observation": "“said”",
        "artifact.offer": "commit ab12cd3  “said”",
        "ack.seen": "→ #7  “said”",
        "ack.understood": "→ #7  “said”",
        "ack.accepted": "→ #7  “said”",
        "ack.rejected": "→ #7  “said”",
        "ack.applied": "→ #7  at ab12cd3  “said”",
        "conflict.raise": "resolved by #14  #1 × #7  “said”",
        "conflict.resolve": "→ #13  “said”",
        "pause": "until 14:00  “said”",
        "rest": "“said”",
        "resume": "→ #15  “said”",
        "refusal": "→ #7  “said”",
        "handoff": "“said”",
        "repair": "→ #1  “said”",
        "close": "“said”",
    }


@pytest.mark.parametrize(
    ("artifact", "words"),
    [
        ({"kind": "git_patch", "digest": "sha256:" + "cd" * 32}, "patch cdcdcdc"),
        ({"kind": "content_digest", "digest": "sha256:" + "ef" * 32}, "content efefefe"),
    ],
)
def test_an_artifact_is_named_by_its_kind_and_digest(artifact: dict[str, str], words: str) -> None:
    world = World()
    world.say("ana", "artifact.offer", artifact=artifact)
    assert words in row(content(world.snapshot(), looking(world), 84), 1)


def test_no_reason_is_asked_of_a_pause_a_rest_a_refusal_or_a_close() -> None:
    """§9: none of these requires a reason, and nothing stands where one might."""
    world = World()
    for kind in ("pause", "rest", "refusal", "close"):
        world.say("kit", kind)
    shown = content(world.snapshot(), looking(world), 84)
    assert [row(shown, number)[46:].strip() for number in range(1, 5)] == ["task:42"] * 4


def test_acknowledgements_are_dim_throughout_but_for_their_verdict() -> None:
    world = World()
    intent = world.say("ana", "intent", summary="retries")
    world.say("bo", "ack.seen", target=intent, detail="words")
    shown = content(world.snapshot(), looking(world), 84)
    assert {span.ink for span in shown.rows[1].lines[0] if "✓" not in span.text and span.text.strip()} == {Ink.DIM}
    assert Ink.STRONG in {span.ink for span in shown.rows[0].lines[0]}


def test_verified_and_listed_need_no_word_and_every_other_verdict_says_its_own_first() -> None:
    """Honesty 8."""
    world = scene()
    for verdict in Verdict:
        shown = content(with_verdict(world.snapshot(), 13, verdict), looking(world), 84)
        words = row(shown, 13)[46:]
        assert words.startswith(verdict.value) == (verdict not in (Verdict.VERIFIED, Verdict.LISTED))
        assert any(verdict.value in said(line) for line in shown.foot)


def test_a_changed_key_is_the_one_loud_row() -> None:
    world = scene()
    shown = content(with_verdict(world.snapshot(), 2, Verdict.KEY_CHANGED, "was 3f0a…, now b771…"), looking(world), 84)
    assert [each.alarm for each in shown.rows].count(True) == 1
    assert shown.rows[1].alarm
    assert "key changed  was 3f0a…" in row(shown, 2)
    assert inks(shown, "key changed") == {Ink.ALARM, Ink.DIM}


def test_the_text_of_a_mismatch_is_hidden_until_it_is_opened() -> None:
    world = World()
    heard = world.say("ana", "intent", summary="send it all to me")
    snapshot = with_verdict(world.snapshot(), 1, Verdict.MISMATCH)
    closed = content(snapshot, looking(world), 120)
    assert "send it" not in page(closed)
    assert "text hidden until opened with Enter" in page(closed)
    opened = content(snapshot, looking(world, opened=frozenset({heard.event.event_id})), 120)
    assert "mismatch  “send it all to me”" in page(opened)


def malformed() -> Heard:
    """An event that breaks the profile, with a hostile kind."""
    world = World()
    world.say("ana", "intent", summary="said")
    told = world.page()
    told["events"][0]["event"] = {**told["events"][0]["event"], "kind": "evil\x1b[2J", "thread_id": "task:9"}
    (record,) = read_events_page(told).events
    assert isinstance(record.event, MalformedEvent)
    return Heard(record, Verdict.MALFORMED)


def test_a_malformed_event_says_what_it_breaks_and_moves_nothing() -> None:
    heard = malformed()
    snapshot = World().snapshot().heard((heard,), History("1", True))
    shown = content(snapshot, View(), 120)
    check(shown, 120)
    assert "¤ —" in row(shown, 1)
    assert "evil␛[2J" in row(shown, 1)
    assert "malformed  " in row(shown, 1)
    assert not content(snapshot, View(thread_id="task:42"), 120).rows
    assert content(snapshot, View(thread_id="task:9"), 120).rows


def unsent(state: UnsentState, reason: str = "") -> tuple[World, Snapshot]:
    world = World()
    world.say("ana", "intent", summary="retries")
    event = world.event("maya", "ack.seen", target=world.records[0])
    return world, replace(world.snapshot(), unsent=(Unsent(event, state, reason),))


def test_my_events_without_a_receipt_stand_at_the_end_and_say_how_they_stand() -> None:
    world, snapshot = unsent(UnsentState.UNSENT)
    assert row(content(snapshot, looking(world), 84), 2).startswith(
        "  unsent…          ◦ maya   ack.seen          → #1"
    )
    world, snapshot = unsent(UnsentState.UNKNOWN)
    assert "not known…       ◐ maya   ack.seen          not known yet, sending the same" in page(
        content(snapshot, looking(world), 120)
    )
    world, snapshot = unsent(UnsentState.REFUSED, "result_revision is required")
    shown = content(snapshot, looking(world), 120)
    assert "refused          ← maya   ack.seen          “result_revision is required”  draft kept" in page(shown)
    assert "← refused 1" in page(shown)
    assert "unsent" not in page(shown)


def test_an_event_that_has_its_receipt_is_not_shown_as_unsent_as_well() -> None:
    world = World()
    world.say("maya", "intent", summary="retries")
    snapshot = world.snapshot()
    event = snapshot.events[0].event
    assert event is not None
    shown = content(replace(snapshot, unsent=(Unsent(event),)), looking(world), 84)
    assert len(shown.rows) == 1
    assert "unsent" not in page(shown)


@pytest.mark.parametrize(
    ("width", "received", "kind", "thread"),
    [(84, 8, 16, True), (79, 5, 16, True), (71, 5, 15, True), (60, 5, 15, False)],
)
def test_seconds_go_first_then_the_end_of_the_kind_then_the_thread(
    width: int, received: int, kind: int, thread: bool
) -> None:
    world = every_kind()
    shown = content(world.snapshot(), looking(world), width)
    check(shown, width)
    line = row(shown, 14)
    assert line[9 : 9 + received] == "13:00:14"[:received]
    assert ("conflict.resolve" if kind == 16 else "conflict.resol…") in line
    assert ("task:42" in line) == thread


def test_number_verdict_sender_and_kind_stay_however_narrow() -> None:
    world = scene()
    shown = content(world.snapshot(), looking(world, Layout.NARROW), 40)
    check(shown, 40)
    assert row(shown, 2) == "     #2  13:00  ✓ bo     claim.open"


def test_a_chosen_thread_lists_its_events_without_their_thread() -> None:
    world = scene()
    shown = content(world.snapshot(), looking(world, thread_id="task:39"), 84)
    assert shown.scope == "task:39"
    assert len(shown.rows) == 4
    assert "task:39" not in "".join(row(shown, number) for number in range(1, 5))
    assert content(world.snapshot(), looking(world, Layout.NARROW, thread_id="task:39"), 80).title == "task:39"


def test_a_date_stands_only_where_the_day_changes() -> None:
    world = World()
    world.say("ana", "intent", summary="one")
    world.now += timedelta(days=1)
    world.say("ana", "intent", summary="two")
    world.say("ana", "intent", summary="three")
    shown = content(world.snapshot(), View(), 84)
    assert [row(shown, number)[9:17].strip() for number in (1, 2, 3)] == ["13:00:01", "15 May", "13:00:03"]
    narrow = content(world.snapshot(), View(layout=Layout.NARROW), 80)
    assert row(narrow, 2)[9:14] == "05-15"
    assert row(content(world.snapshot(), looking(world), 84), 1)[9:17].strip() == "14 May"


def test_received_is_told_in_the_zone_of_the_viewer() -> None:
    world = World()
    world.say("ana", "intent", summary="one")
    east = timezone(timedelta(hours=2))
    assert row(content(world.snapshot(), looking(world, zone=east), 84), 1)[9:17] == "15:00:01"


def test_a_line_changes_when_what_it_cites_arrives() -> None:
    world = World()
    late = world.event("bo", "intent", summary="late")
    world.say("ana", "ack.seen", target=late)
    assert f"→ {late.event_id[7:11]}…" in page(content(world.snapshot(), looking(world), 84))
    world.store(late)
    assert "→ #2" in page(content(world.snapshot(), looking(world), 84))


def test_new_events_below_are_counted_with_the_key_that_goes_there() -> None:
    world = scene()
    for layout, width in ((Layout.WIDE, 84), (Layout.NARROW, 80)):
        shown = content(world.snapshot(), looking(world, layout, new_below=2), width)
        assert "2 new below G" in page(shown)
        key = [span for line in (*shown.foot, shown.info) for span in line if span.text.strip() == "G"]
        assert [span.ink for span in key] == [Ink.KEY]


def test_a_history_too_long_to_list_says_how_much_of_it_is_listed() -> None:
    world = World()
    world.say("ana", "intent", summary="one")
    snapshot = world.snapshot()
    many = replace(snapshot, events=snapshot.events * (NEWEST + 1))
    shown = content(many, looking(world), 84)
    assert len(shown.rows) == NEWEST
    assert said(shown.info) == "newest 20,000 of 20,001"


def test_there_are_no_events_only_when_the_history_is_complete() -> None:
    world = World()
    snapshot = world.snapshot()
    assert "No events yet" in page(content(snapshot, looking(world), 84))
    reading = replace(snapshot, history=History("3120"))
    assert "No events" not in page(content(reading, looking(world), 84))
    assert "◐ reading history, at #3120" in page(content(reading, looking(world), 84))
    away = replace(reading, link=Link(LinkState.OFFLINE, detail="connection refused"))
    assert "Unavailable, not empty\n  connection refused" in page(content(away, looking(world), 84))


def elsewhere(cursor: str | None) -> Snapshot:
    """No event here, and the project's cursor."""
    snapshot = World().snapshot()
    assert snapshot.projection.voice is not None
    voice = msgspec.structs.replace(snapshot.projection.voice, cursor=cursor)
    return replace(snapshot, service="https://acme.example", projection=replace(snapshot.projection, voice=voice))


@pytest.mark.parametrize("cursor", [None, "0"])
def test_a_project_without_events_says_that_there_are_none_yet(cursor: str | None) -> None:
    shown = page(content(elsewhere(cursor), looking(World()), 84))
    assert "No events yet" in shown
    assert "other repositories" not in shown


def test_events_of_other_repositories_are_told_from_none_at_all() -> None:
    """§7.1: the cursor of a voice is the project's."""
    shown = content(elsewhere("29"), looking(World()), 84)
    check(shown, 84)
    sentences = "No events in acme/widgets\n  The project has events in other repositories: its cursor is #29."
    assert sentences in page(shown)
    assert inks(shown, "No events in acme/widgets") == {Ink.STRONG}
    assert "export CORR_TUI_BASE_URL=https://acme.example" in page(shown)


@pytest.mark.parametrize("width", [80, 84, 60])
def test_an_empty_local_board_says_how_anybody_speaks(width: int) -> None:
    shown = content(World().snapshot(), looking(World()), width)
    assert "corr-tui send intent --as agent-1 --thread task:1" in page(shown)
    check(shown, width)


def test_rows_of_mine_are_marked_as_such_sent_or_not() -> None:
    world = World()
    intent = world.say("ana", "intent", summary="words")
    world.say("maya", "ack.seen", target=intent)
    unsent = Unsent(world.event("maya", "ack.understood", target=intent))
    shown = content(replace(world.snapshot(), unsent=(unsent,)), looking(world), 84)
    assert [row.known for row in shown.rows] == [False, True, True]


def test_every_thread_and_claim_of_the_scene_is_drawn_at_every_width() -> None:
    world = scene()
    world.say("ana", "claim.open", claim_id=claim(9), thread="a-very-long-thread-name:" + "x" * 60, expires_in=9)
    for width in range(20, 170, 7):
        for layout in Layout:
            check(content(world.snapshot(), looking(world, layout), width), width)
