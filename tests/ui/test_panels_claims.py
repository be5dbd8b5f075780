"""The claims and conflicts panels: what is live, what is not known, and no side preferred (§6; honesty 1, 3, 7)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from msgspec import structs
from screenshots.states import computed

from corr_tui.state.snapshot import History, Link, LinkState, Projection, ProjectionState, Snapshot
from corr_tui.ui.line import Ink, Layout
from corr_tui.ui.panels import claims, conflicts
from tests.correspondents import World, claim, uuid
from tests.ui.panel_scene import ABSENT, check, inks, looking, page, said, scene

STATUSES = ("loading", "complete", "truncated", "last good", "unavailable", "offline", "never connected")


def empty_world(status: str) -> Snapshot:
    """A world without claims, whose projection stands in one of these ways."""
    snapshot = World().snapshot("truncated" if status == "truncated" else "complete")
    away = replace(
        snapshot.projection, state=ProjectionState.UNAVAILABLE, error="correspondence_projection_unavailable"
    )
    match status:
        case "loading":
            return replace(snapshot, projection=Projection(), history=History())
        case "last good":
            return replace(snapshot, projection=away)
        case "unavailable":
            return replace(snapshot, projection=Projection(ProjectionState.UNAVAILABLE))
        case "offline":
            return replace(snapshot, link=Link(LinkState.OFFLINE))
        case "never connected":
            return replace(snapshot, link=Link(LinkState.OFFLINE), projection=Projection(), history=History())
        case _:
            return snapshot


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("layout", list(Layout))
def test_no_active_claims_is_said_only_of_a_complete_projection(status: str, layout: Layout) -> None:
    """§6, honesty 1: absence means none only when complete."""
    shown = claims.content(empty_world(status), looking(World(), layout), 60)
    check(shown, 60)
    assert ("No active claims" in page(shown)) == (status == "complete")
    against = conflicts.content(empty_world(status), looking(World(), layout), 60)
    check(against, 60)
    assert ("No conflicts" in page(against)) == (status == "complete")


@pytest.mark.parametrize("status", STATUSES)
def test_no_panel_is_ever_without_a_word(status: str) -> None:
    for panel in (claims, conflicts):
        assert len(page(panel.content(empty_world(status), looking(World()), 42)).splitlines()) > 2


@pytest.mark.parametrize("status", ["unavailable", "never connected"])
def test_what_cannot_be_had_is_unavailable_and_not_empty(status: str) -> None:
    """Honesty 1: a 503 is never shown as no claims."""
    shown = claims.content(empty_world(status), looking(World()), 42)
    assert shown.scope == "no view yet"
    assert said(shown.info) == "unavailable"
    assert "Unavailable, not empty" in page(shown)
    assert "R asks again" in page(shown)


def test_a_history_that_is_read_and_not_yet_folded_is_being_computed_and_not_too_little() -> None:
    snapshot = replace(empty_world("unavailable"), history=History(through="100000", count=100_000, folding=True))
    shown = page(claims.content(snapshot, looking(World()), 60))
    assert "is being computed" in " ".join(shown.split())
    assert "too little" not in shown
    stopped = replace(snapshot, history=replace(snapshot.history, folding=False, stopped=True))
    assert "too little" in " ".join(page(claims.content(stopped, looking(World()), 60)).split())


def test_the_time_until_the_next_try_is_told_when_there_is_one() -> None:
    snapshot = replace(empty_world("never connected"), link=Link(LinkState.OFFLINE, retry_at=22.0))
    assert "R asks again   retrying in 20 s" in page(claims.content(snapshot, looking(World()), 42))


def test_truncated_says_what_may_be_missing_and_how_to_narrow() -> None:
    """§6: the consumer narrows by thread or path."""
    shown = claims.content(empty_world("truncated"), looking(World()), 42)
    assert "None in what arrived. More may exist." in page(shown)
    assert "--thread --path" in page(shown)
    some = claims.content(scene().snapshot("truncated"), looking(scene()), 42)
    assert said(some.info) == "6 live · truncated"
    assert "Older or further branches may be\n  missing." in page(some)
    assert "No active claims" not in page(some)


@pytest.mark.parametrize("panel", [claims, conflicts])
def test_the_last_good_view_stays_dim_with_its_age(panel: object) -> None:
    """Honesty 1: the last good view is kept, dimmed, with its age."""
    world = scene()
    snapshot = world.snapshot()
    away = replace(snapshot.projection, state=ProjectionState.UNAVAILABLE)
    content = claims.content if panel is claims else conflicts.content
    shown = content(replace(snapshot, projection=away), looking(world, monotonic=360.0), 42)
    check(shown, 42)
    assert shown.stale
    assert shown.scope == "last good view"
    assert said(shown.info) == "6 min old"
    assert shown.rows
    assert {span.ink for row in shown.rows for line in row.lines for span in line} <= {Ink.DIM, Ink.FAINT}
    assert "Unavailable, not empty\n  As of 13:00:20. More may exist since.\n  R asks again" in page(shown)


def test_the_banner_takes_one_line_where_lines_are_few() -> None:
    world = scene()
    snapshot = replace(world.snapshot(), link=Link(LinkState.OFFLINE))
    shown = claims.content(snapshot, looking(world, Layout.NARROW), 80)
    assert len(shown.banner) == 1
    assert "As of 13:00:20. More may exist" in said(shown.banner[0])


def test_loading_shows_where_columns_will_be_and_how_far_it_has_come() -> None:
    snapshot = replace(empty_world("loading"), history=History("3120"))
    shown = claims.content(snapshot, looking(World()), 42)
    assert shown.scope == "loading"
    assert inks(shown, "····") == {Ink.FAINT}
    assert "◐ reading history, at #3120" in page(shown)


def test_claims_stand_by_path_and_then_by_event_id() -> None:
    """Honesty 3: no order suggests a right."""
    world = scene()
    shown = claims.content(world.snapshot(), looking(world), 42)
    paths = [said(row.lines[0])[2:22].strip() for row in shown.rows]
    assert paths == sorted(paths)
    assert [row.key for row in shown.rows[:2]] == sorted(row.key for row in shown.rows[:2])


def test_the_bar_and_what_is_left_follow_the_clock_of_the_service() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), paths=["docs"], expires_in=3601)
    received = world.now
    for passed, bar, left in ((0, "━━━━━━", "1 h"), (1800, "━━━───", "30 min"), (3300, "━─────", "5 min")):
        view = looking(world, now=received + timedelta(seconds=passed))
        assert said(claims.content(world.snapshot(), view, 42).rows[0].lines[0]).split()[2:] == [bar, *left.split()]
    late = claims.content(world.snapshot(), looking(world, now=received + timedelta(seconds=3600)), 42)
    assert "──────" in page(late)
    assert "▫ expired" in page(late)


def test_little_time_left_is_said_in_words_and_in_the_ink_of_attention() -> None:
    world = World()
    world.say("zed", "claim.open", claim_id=claim(1), paths=["scripts/ci"], expires_in=299)
    shown = claims.content(world.snapshot(), looking(world), 42)
    assert "↓ expires soon  task:42" in page(shown)
    assert inks(shown, "5 min") == {Ink.ATTN}


@pytest.mark.parametrize(("seconds", "soon"), [(3, True), (299, True), (329, True), (331, False), (600, False)])
def test_a_claim_expires_soon_from_the_five_minutes_on_that_are_told(seconds: int, soon: bool) -> None:
    world = World()
    world.store(world.event("zed", "claim.open", claim_id=claim(1), expires_in=seconds + 3))
    shown = page(claims.content(world.snapshot(), looking(world), 42))
    assert ("expires soon" in shown) is soon
    assert soon or "5 min" not in shown, "the word comes with the number, not some time after it"


def test_without_the_time_of_the_service_the_time_of_expiry_stands_instead() -> None:
    """Honesty 2: now is the service's clock, or unknown."""
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), paths=["docs"], expires_in=3600)
    shown = claims.content(world.snapshot(), looking(world, now=None), 42)
    assert said(shown.rows[0].lines[0]).split() == ["docs", "ana", "14:00"]


def test_a_long_path_is_cut_at_its_start() -> None:
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), paths=["packages/deep/down/below/api/client"], expires_in=3600)
    assert "…" in (line := said(claims.content(world.snapshot(), looking(world), 42).rows[0].lines[0]))
    assert line.split()[0].endswith("api/client")


def test_a_claim_in_two_kinds_of_trouble_names_both() -> None:
    world = World()
    for number in (1, 2):
        world.say("kit", "claim.open", claim_id=claim(1), paths=["docs"], expires_in=3600 + number)
    world.say("ana", "claim.open", claim_id=claim(2), paths=["docs/specs"], expires_in=3600)
    shown = page(claims.content(world.snapshot(), looking(world, Layout.MEDIUM), 87))
    assert "≺ branches  × overlap  2 tips" in shown
    assert "× overlap  with docs +1" in shown


def test_my_own_device_is_named_and_another_is_the_start_of_its_id() -> None:
    world = World()
    for device in (1, 2):
        world.say(
            "maya", "claim.open", claim_id=claim(1), paths=["docs"], expires_in=6000, device=device, session=device
        )
    shown = page(claims.content(world.snapshot(), looking(world), 42))
    assert "2 tips · laptop" in shown
    assert "2 tips · 0000…" in shown


def test_a_chosen_thread_shows_its_claims_and_conflicts_only() -> None:
    world = scene()
    view = looking(world, thread_id="task:39")
    assert len(claims.content(world.snapshot(), view, 42).rows) == 1
    assert [row.key.split()[0] for row in conflicts.content(world.snapshot(), view, 42).rows] == ["fork", "raised"]
    nothing = claims.content(world.snapshot(), looking(world, thread_id="task:31"), 42)
    assert "No active claims\n  in task:31, at projection 13:00:20." in page(nothing)


def test_no_side_of_a_conflict_is_told_apart_by_ink_or_order() -> None:
    """Honesty 3, §6: no winner by generation, issued_at, receipt or arrival."""
    world = World()
    for who in ("zed", "ana"):
        world.say(who, "claim.open", claim_id=claim(1), paths=["docs"], expires_in=600)
    snapshot = world.snapshot()
    shown = conflicts.content(snapshot, looking(world), 42)
    (row,) = shown.rows
    parties = said(row.lines[1]).strip()
    by_id = sorted(("zed", "ana"), key=lambda who: snapshot.events[("zed", "ana").index(who)].event_id)
    assert parties == f"{' · '.join(by_id)} · 2 roots"
    assert {span.ink for span in row.lines[1] if span.text.strip()} == {Ink.DIM}
    assert shown.scope == "none preferred"


def test_tips_of_different_generations_are_all_named() -> None:
    world = World()
    root = world.say("kit", "claim.open", claim_id=claim(1), paths=["docs"], expires_in=600)
    world.say("kit", "claim.renew", predecessor=root, expires_in=700)
    renewed = world.say("kit", "claim.renew", predecessor=root, expires_in=701)
    world.say("kit", "claim.renew", predecessor=renewed, expires_in=702)
    assert "kit · 2 tips, gen 2, 3" in page(conflicts.content(world.snapshot(), looking(world), 42))


def test_what_is_known_from_events_stays_when_there_is_no_voice() -> None:
    """§7: a client stays useful from events alone."""
    world = World()
    world.say("ana", "observation", summary="early", parents=(ABSENT,))
    snapshot = replace(world.snapshot(), projection=Projection(ProjectionState.UNAVAILABLE))
    shown = conflicts.content(snapshot, looking(world), 42)
    assert "○ missing   1 parent of #1" in page(shown)
    assert "Branches and overlaps unavailable" in page(shown)
    assert said(shown.info) == "unavailable"


def test_rows_are_set_apart_where_height_allows() -> None:
    world = scene()
    roomy = conflicts.content(world.snapshot(), looking(world, height=14), 42)
    assert [row.space for row in roomy.rows] == [1, 1, 1, 1, 0]
    tight = conflicts.content(world.snapshot(), looking(world, height=13), 42)
    assert [row.space for row in tight.rows] == [0, 0, 0, 0, 0]


def test_a_view_whose_age_nobody_knows_is_said_not_to_be_current() -> None:
    snapshot = scene().snapshot()
    away = replace(snapshot.projection, state=ProjectionState.UNAVAILABLE, read_at=None)
    assert said(claims.content(replace(snapshot, projection=away), looking(scene()), 42).info) == "not current"


def test_conflicts_among_events_here_are_shown_while_the_voice_is_still_awaited() -> None:
    world = World()
    world.say("ana", "observation", summary="early", parents=(ABSENT, ABSENT.replace("9d", "8d")))
    shown = conflicts.content(replace(world.snapshot(), projection=Projection()), looking(world), 42)
    assert shown.scope == "in events here"
    assert "2 parents of #1" in page(shown)


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("width", [42, 80, 87])
def test_a_raised_conflict_is_a_row_until_it_is_resolved(layout: Layout, width: int) -> None:
    world = World()
    pair = [world.say("zed", "observation", summary=words, thread="task:39") for words in ("passes", "fails")]
    raised = world.say("lin", "conflict.raise", targets=tuple(pair), summary="two reports", thread="task:40")
    view = looking(world, layout)
    shown = conflicts.content(world.snapshot(), view, width)
    check(shown, width)
    by_id = sorted(pair, key=lambda each: each.event.event_id)
    numbers = " × ".join(f"#{each.receipt.received_seq}" for each in by_id)
    assert f"△ raised    {numbers}" in page(shown)
    assert "by lin  “two reports”" in page(shown)
    assert "No conflicts" not in page(shown)
    assert shown.scope.startswith("1, none" if layout is Layout.MEDIUM else "none preferred")
    for thread, rows in (("task:39", 1), ("task:40", 1), ("task:41", 0)):
        narrowed = replace(view, thread_id=thread)
        assert len(conflicts.content(world.snapshot(), narrowed, width).rows) == rows
    plainly = replace(view, ascii_only=True)
    assert "R raised" in page(conflicts.content(world.snapshot(), plainly, width))
    world.say("maya", "conflict.resolve", targets=(raised,), summary="both")
    assert "No conflicts" in page(conflicts.content(world.snapshot(), view, width))


def test_there_are_no_conflicts_only_once_the_history_is_here() -> None:
    """Honesty 1: what was raised is known from events alone, and the voice may be there before them."""
    snapshot = replace(World().snapshot(), history=History("3120"))
    shown = conflicts.content(snapshot, looking(World()), 42)
    assert shown.scope == "loading"
    assert "No conflicts" not in page(shown)


def overlaps(world: World, width: int) -> list[str]:
    shown = conflicts.content(world.snapshot(), looking(world), width)
    return [" ".join(said(line).strip() for line in row.lines) for row in shown.rows]


def test_overlaps_of_one_claim_are_told_apart_by_the_paths_of_both_sides() -> None:
    """Honesty 3: both sides in one ink, by event id."""
    world = World()
    world.say("bo", "claim.open", claim_id=claim(1), paths=["src", "tools"], expires_in=600)
    for number, path in enumerate(("src/api", "src/ui", "docs"), 2):
        world.say("ana", "claim.open", claim_id=claim(number), paths=[path], expires_in=600)
    for width in (42, 87):
        told = overlaps(world, width)
        assert len(set(told)) == len(told) == 2
        assert all("bo src" in each and "tools" not in each for each in told)
        assert sorted(path for path in ("src/api", "src/ui") if any(f"ana {path}" in each for each in told)) == [
            "src/api",
            "src/ui",
        ]


def test_overlaps_of_the_same_path_need_no_paths_beside_the_names() -> None:
    world = World()
    for number, who in enumerate(("ana", "bo"), 1):
        world.say(who, "claim.open", claim_id=claim(number), paths=["src"], expires_in=600)
    (told,) = overlaps(world, 42)
    assert told.split("src ", 1)[1].strip() in ("ana · bo", "bo · ana")


def test_paths_that_do_not_fit_are_cut_at_their_start_and_both_names_stay() -> None:
    world = World()
    for number, (who, path) in enumerate((("ana", "packages/server/src/http"), ("bo", "packages/server")), 1):
        world.say(who, "claim.open", claim_id=claim(number), paths=[path], expires_in=600)
    (told,) = overlaps(world, 42)
    assert "ana …" in told
    assert "bo …" in told
    assert "/http" in told


@pytest.mark.parametrize("width", [42, 80, 87])
@pytest.mark.parametrize("path", ["docs", "docs/sdk"])
def test_overlaps_with_several_tips_of_one_claim_are_told_apart_by_number(width: int, path: str) -> None:
    world = World()
    world.say("lin", "claim.open", claim_id=claim(1), paths=[path], expires_in=600)
    root = world.say("kit", "claim.open", claim_id=claim(2), paths=["docs"], expires_in=600)
    for device in (1, 2):
        world.say("kit", "claim.renew", predecessor=root, expires_in=700, device=device, session=device)
    told = [each for each in overlaps(world, width) if "overlap" in each]
    assert len(set(told)) == len(told) == 2
    assert all("lin #1" in each for each in told)
    assert {number for number in (3, 4) if any(f"kit #{number}" in each for each in told)} == {3, 4}


@pytest.mark.parametrize(
    "change",
    [
        {"owner_identity_id": uuid(2, 2)},
        {"generation": 7},
        {"thread_id": "task:other"},
        {"claim_id": claim(9)},
        {"expires_at": "2030-01-01T00:00:00.000Z"},
    ],
)
def test_a_row_that_contradicts_the_signed_event_it_names_says_so(change: dict[str, object]) -> None:
    """§6, honesty 8: a row is the service's word, the event is its sender's."""
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), paths=["src/api"], expires_in=3600)
    snapshot = world.snapshot()
    voice = snapshot.projection.voice
    assert voice is not None
    assert "mismatch" not in page(claims.content(snapshot, looking(world), 60))
    row = structs.replace(voice.active_claims[0], **change)
    lying = structs.replace(voice, active_claims=(row,))
    snapshot = replace(snapshot, projection=replace(snapshot.projection, voice=lying))
    assert "≠ mismatch  not what #1 says" in page(claims.content(snapshot, looking(world), 60))


def test_a_claim_row_that_names_an_event_of_another_kind_says_so() -> None:
    world = World()
    other = world.say("bo", "observation", summary="no claim")
    world.say("ana", "claim.open", claim_id=claim(1), paths=["src/api"], expires_in=3600)
    snapshot = world.snapshot()
    voice = snapshot.projection.voice
    assert voice is not None
    row = structs.replace(voice.active_claims[0], event_id=other.event.event_id)
    lying = structs.replace(voice, active_claims=(row,))
    snapshot = replace(snapshot, projection=replace(snapshot.projection, voice=lying))
    assert "≠ mismatch" in page(claims.content(snapshot, looking(world), 60))


def test_claims_computed_here_say_as_of_when_where_the_time_of_the_service_is_not_known() -> None:
    """Honesty 2: what has lapsed since is not known, as for a board that started while the service was away."""
    world = World()
    world.say("ana", "claim.open", claim_id=claim(1), paths=["src/api"], expires_in=3600)
    snapshot = replace(computed(world, world.snapshot()), link=Link(LinkState.OFFLINE))
    assert "As of 13:00" in page(claims.content(snapshot, looking(world, now=None), 60))
    assert "As of" not in page(claims.content(snapshot, looking(world), 60))
