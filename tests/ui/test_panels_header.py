"""The header: the link and the claims never go, and nobody is said to be there (look: header; honesty 1, 6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corr_tui.state.snapshot import (
    Clock,
    Link,
    LinkState,
    Projection,
    ProjectionState,
    Snapshot,
    Unsent,
    UnsentState,
    Verdict,
)
from corr_tui.ui.layout import END, START, width_of
from corr_tui.ui.line import Ink, View
from corr_tui.ui.panels.header import GAP, header, left, pills, pills_width
from tests.correspondents import World
from tests.ui.panel_scene import looking, said, scene, with_verdict


def told(snapshot: Snapshot, view: View, width: int) -> tuple[str, list[str]]:
    """The left part and the pills as text."""
    return said(left(snapshot, view, width)), [said(pill) for pill in pills(snapshot, view, width)]


@pytest.mark.parametrize(
    ("width", "beginning", "words"),
    [
        (
            160,
            "corr-tui  acme/widgets · all threads · as maya on laptop",
            ["now 13:00:22 ±0.3 s", "● live  2 s ago", "claims complete", "#20", "20 shown · 20 verified"],
        ),
        (
            120,
            "corr-tui  acme/widgets · all threads · maya",
            ["● live  2 s ago", "claims complete", "#20", "20 of 20 verified"],
        ),
        (78, "corr-tui  acme/widgets · maya", ["● live", "complete", "#20", "20/20 verified"]),
        (75, "corr-tui  acme/widgets", ["● live", "complete", "#20", "20/20 verified"]),
        (40, "corr-tui  …dgets", ["● live", "complete"]),
    ],
)
def test_parts_go_and_words_shorten_in_one_order(width: int, beginning: str, words: list[str]) -> None:
    world = scene()
    assert told(world.snapshot(), looking(world), width) == (beginning, words)


@pytest.mark.parametrize("width", range(20, 180, 3))
def test_the_header_fits_and_the_link_and_the_claims_stay(width: int) -> None:
    world = scene()
    snapshot = replace(world.snapshot(), repository_id="repo:github.com/example/" + "long" * 30)
    found = header(snapshot, looking(world), width)
    used = START + width_of(found.left) + GAP + pills_width(found.pills) + END
    assert used <= max(width, START + GAP + END + pills_width(found.pills))
    words = [said(pill) for pill in found.pills]
    assert any("live" in each for each in words)
    assert any("complete" in each for each in words)


@pytest.mark.parametrize(
    ("state", "words", "ink"),
    [
        (LinkState.CONNECTING, "◐ connecting", Ink.TEXT),
        (LinkState.LIVE, "● live  2 s ago", Ink.TEXT),
        (LinkState.POLLING, "◐ polling  every 15 s", Ink.TEXT),
        (LinkState.RECONNECTING, "◐ reconnecting  attempt 3, next try in 8 s", Ink.TEXT),
        (LinkState.OFFLINE, "○ offline since 12:54  6 min", Ink.ATTN),
        (LinkState.HELD, "‖ paused by me  6 min", Ink.ATTN),
        (LinkState.UNAUTHORIZED, "○ unauthorized  6 min", Ink.ATTN),
    ],
)
def test_the_link_is_that_to_the_service(state: LinkState, words: str, ink: Ink) -> None:
    world = World()
    link = Link(state, since=0.0, heard_at=358.0, detail="every 15 s", attempt=3, retry_at=368.0)
    shown = pills(replace(world.snapshot(), link=link), looking(world, monotonic=360.0), 200)
    found = next(pill for pill in shown if said(pill).removeprefix("○ events ").startswith(words[:6]))
    assert said(found) == words
    assert found[0].ink is ink


@pytest.mark.parametrize(
    ("projection", "words"),
    [
        (Projection(), "◐ claims loading"),
        (Projection(ProjectionState.UNAVAILABLE), "○ claims unavailable"),
    ],
)
def test_claims_that_cannot_be_had_are_said_to_be_unavailable_while_events_are_live(
    projection: Projection, words: str
) -> None:
    world = World()
    _, shown = told(replace(world.snapshot(), projection=projection), looking(world), 160)
    assert words in shown
    away = projection.state is ProjectionState.UNAVAILABLE
    assert any(each.startswith("● events live" if away else "● live") for each in shown)


def test_the_last_good_view_has_its_age() -> None:
    world = World()
    snapshot = world.snapshot()
    away = replace(snapshot, projection=replace(snapshot.projection, state=ProjectionState.UNAVAILABLE))
    assert "○ claims unavailable  6 min" in told(away, looking(world, monotonic=360.0), 180)[1]


def test_truncated_claims_are_in_the_ink_of_attention() -> None:
    world = World()
    shown = pills(world.snapshot("truncated"), looking(world), 160)
    assert [pill[0].ink for pill in shown if "truncated" in said(pill)] == [Ink.ATTN]


def test_an_unknown_time_is_unknown() -> None:
    """Honesty 2."""
    world = World()
    assert told(world.snapshot(), looking(world, now=None), 160)[1][0] == "now unknown"
    rough = replace(world.snapshot(), clock=Clock(world.now, 0.0, 4.2))
    assert told(rough, looking(world), 160)[1][0] == "now 13:00:02 ±5 s"


def test_a_changed_key_and_what_is_unsent_stay_however_narrow() -> None:
    world = scene()
    snapshot = with_verdict(world.snapshot(), 2, Verdict.KEY_CHANGED)
    snapshot = replace(snapshot, unsent=(Unsent(world.event("maya", "intent", summary="words")),))
    for width in (160, 80, 40):
        shown = pills(snapshot, looking(world), width)
        assert said(shown[-1]) == "! 1 key changed"
        assert shown[-1][0].ink is Ink.ALARM
        assert said(shown[-2]) == "◦ 1 unsent"


def test_what_is_refused_is_not_called_unsent() -> None:
    world = scene()
    events = [world.event("maya", "intent", summary="words", seq=seq) for seq in (31, 32, 33, 34)]
    states = (UnsentState.UNSENT, UnsentState.REFUSED, UnsentState.UNKNOWN, UnsentState.REFUSED)
    waiting = tuple(Unsent(event, state) for event, state in zip(events, states, strict=True))
    shown = [said(pill) for pill in pills(replace(world.snapshot(), unsent=waiting), looking(world), 200)]
    assert "◦ 1 unsent · ◐ 1 not known yet · ← 2 refused" in shown
    shown = [said(pill) for pill in pills(replace(world.snapshot(), unsent=waiting[1:2]), looking(world), 200)]
    assert "← 1 refused" in shown
    shown = [said(pill) for pill in pills(replace(world.snapshot(), unsent=waiting), looking(world), 60)]
    assert "◦ 4 without receipt" in shown


def test_the_chosen_thread_and_who_reads_without_signing_are_told() -> None:
    world = scene()
    reader = replace(world.snapshot(), me=None)
    beginning, shown = told(reader, looking(world, thread_id="task:39"), 160)
    assert beginning == "corr-tui  acme/widgets · task:39 · reading only"
    assert "4 shown · 4 verified" in shown


@pytest.mark.parametrize("width", [78, 120, 160])
def test_a_reader_without_a_key_is_said_to_read_only(width: int) -> None:
    world = scene()
    snapshot = world.snapshot()
    assert snapshot.me is not None
    for me in (None, replace(snapshot.me, can_sign=False)):
        beginning, _ = told(replace(snapshot, me=me), looking(world), width)
        assert beginning.endswith(" · reading only") or width < 90
        assert "maya" not in beginning


@pytest.mark.parametrize("state", [LinkState.CONNECTING, LinkState.UNAUTHORIZED])
@pytest.mark.parametrize("width", range(60, 180, 8))
def test_who_has_no_name_yet_is_called_by_the_start_of_the_id(state: LinkState, width: int) -> None:
    world = World()
    snapshot = world.snapshot()
    assert snapshot.me is not None
    nameless = replace(snapshot, me=replace(snapshot.me, name=""), identities={}, link=Link(state))
    beginning, _ = told(nameless, looking(world), width)
    assert "as  on" not in beginning
    assert not beginning.rstrip().endswith("·")
    assert "0000…" in beginning or " · " not in beginning


def test_before_anything_is_known_nobody_is_said_to_read_only() -> None:
    assert told(Snapshot(repository_id=""), View(), 160)[0].strip().endswith("all threads")


def test_what_is_listed_is_proved_and_no_reason_for_attention() -> None:
    world = scene()
    snapshot = with_verdict(with_verdict(world.snapshot(), 2, Verdict.LISTED), 3, Verdict.LISTED)
    for width, words in ((160, "18 verified · 2 listed"), (120, "20 of 20 proved"), (76, "20/20 proved")):
        pill = pills(snapshot, looking(world), width)[-1]
        assert said(pill) == words
        assert Ink.ATTN not in {span.ink for span in pill}


@pytest.mark.parametrize("verdict", [each for each in Verdict if not each.holds])
def test_what_does_not_hold_is_counted_and_bytes_that_are_wrong_have_the_ink_of_attention(verdict: Verdict) -> None:
    """Honesty 8; a missing key is no fault, and a changed one has a pill of its own."""
    world = scene()
    snapshot = with_verdict(with_verdict(world.snapshot(), 2, Verdict.LISTED), 18, verdict)
    told_at = {200: "18 verified · 1 listed · 1 not proved", 104: "19 of 20 proved", 76: "19/20 proved"}
    for width, words in told_at.items():
        found = [pill for pill in pills(snapshot, looking(world), width) if "proved" in said(pill)]
        assert [said(pill) for pill in found] == [words] or verdict is Verdict.KEY_CHANGED
        wrong = verdict in (Verdict.MISMATCH, Verdict.MALFORMED)
        assert all((pill[-1].ink is Ink.ATTN) is wrong for pill in found)


def test_a_long_name_of_mine_leaves_room_for_what_matters() -> None:
    world = scene()
    snapshot = world.snapshot()
    assert snapshot.me is not None
    long = replace(snapshot, me=replace(snapshot.me, name="m" * 256, device_name="d" * 256))
    beginning, found = told(long, looking(world), 200)
    assert " · as mmmmmmmmmmmmmmm… on ddddddddddddddd…" in beginning
    assert any(each.startswith("now ") for each in found)


def test_a_key_revoked_since_is_counted_apart() -> None:
    world = scene()
    pill = pills(with_verdict(world.snapshot(), 2, Verdict.KEY_REVOKED), looking(world), 200)[-1]
    assert said(pill) == "19 verified · 1 key revoked since"


def test_the_header_has_an_ascii_form() -> None:
    world = scene()
    beginning, shown = told(world.snapshot(), looking(world, ascii_only=True), 160)
    assert beginning.isascii()
    assert "".join(shown).isascii()
    assert "* live  2 s ago" in shown


@pytest.mark.parametrize(
    ("link", "told_of"),
    [
        (Link(LinkState.LIVE, 0.0, 1.0), ["● events live", "○ claims unavailable  503, 2 s"]),
        (Link(LinkState.OFFLINE, -360.0), ["○ offline since 12:54  6 min", "○ claims unavailable"]),
        (Link(LinkState.RECONNECTING, 0.0, retry_at=9.0, attempt=2), ["◐ reconnecting", "○ claims unavailable"]),
    ],
)
def test_at_80_columns_what_is_unavailable_is_still_named(link: Link, told_of: list[str]) -> None:
    """Look: link and claims never go."""
    world = scene()
    snapshot = world.snapshot()
    down = replace(
        snapshot.projection, state=ProjectionState.UNAVAILABLE, error="503 correspondence_append_unavailable"
    )
    shown = [said(pill) for pill in pills(replace(snapshot, link=link, projection=down), looking(world), 80)]
    assert shown == told_of
