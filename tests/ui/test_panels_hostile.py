"""Text of others in every panel: never a control, never a line too wide; and words we never say (§5, §9)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corr_tui.state.snapshot import Identity, Link, LinkState, ProjectionState, Snapshot, Unsent, UnsentState, Verdict
from corr_tui.ui.layout import width_of
from corr_tui.ui.line import Layout
from corr_tui.ui.panels import claims, conflicts, events, presence, selected, threads
from corr_tui.ui.panels.header import header
from tests.correspondents import World, claim, uuid
from tests.ui.panel_scene import check, every_kind, looking, page, said, scene

PANELS = (threads.content, events.content, claims.content, conflicts.content, presence.content)
NASTY = [
    "\x1b[2J\x1b]0;owned\x07",
    "\u202eesrever\u202c",
    "a\u200bb\u2060c\ufeff",
    "e\u0301\u0302\u0303\u0304\u0305",
    "\u0301\u0301",
    "漢字かな交じり文",
    "👩‍👩‍👧‍👦🇩🇪👍🏽⚠️",
    "[@click=app.quit]x[/] [/foo]",
    "line\r\nbreak\u2028and\u0085more\tand tabs",
    "\x9b31m\x90q",
    "   ",
    "\U000e0041\u180e\u3164",
    "नमस्ते สวัสดี שָׁלוֹם",
]
WORDS = st.one_of(
    st.sampled_from(NASTY),
    st.lists(st.sampled_from([*"".join(NASTY), "x"]), min_size=1, max_size=40).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40),
)


def names_for(words: str) -> str:
    """The words as an opaque id or a path: without what those may not hold (§2.1, §2.2)."""
    kept = re.sub(r"[\s\ufeff*?\[\]{}!\\/]", "", words)
    return "".join(each for each in kept if unicodedata.category(each) != "Cc").strip(".") or "x"


def hostile(words: str) -> Snapshot:
    """Names, threads, paths, words, locators and reasons, all of them as given."""
    world = World()
    thread = f"t:{names_for(words)}"
    offer = world.say("ana", "intent", summary=words, thread=thread, paths=[names_for(words)])
    world.say("bo", "claim.open", claim_id=claim(1), paths=[names_for(words), "src"], thread=thread, expires_in=60)
    world.say("kit", "claim.open", claim_id=claim(2), paths=["."], thread=thread, expires_in=9999)
    world.say("ana", "ack.seen", target=offer, detail=words)
    world.say("ana", "handoff", summary=words, next_safe_action=words)
    world.say("kit", "pause", detail=words)
    world.say("zed", "close", summary=words)
    snapshot = world.snapshot()
    assert snapshot.me is not None
    refused = Unsent(world.event("maya", "intent", summary=words, thread=thread), UnsentState.REFUSED, words)
    changed = tuple(
        replace(heard, verdict=verdict, detail=words) for heard, verdict in zip(snapshot.events, Verdict, strict=True)
    )
    return replace(
        snapshot.heard(changed, snapshot.history),
        repository_id=words,
        me=replace(snapshot.me, name=words, device_name=words),
        identities=MappingProxyType({uuid(2, each): Identity(uuid(2, each), words) for each in range(1, 7)}),
        link=Link(LinkState.OFFLINE, detail=words),
        unsent=(refused,),
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(WORDS, st.integers(20, 180), st.sampled_from(Layout), st.booleans())
def test_every_line_keeps_its_width_and_holds_nothing_a_terminal_obeys(
    words: str, width: int, layout: Layout, ascii_only: bool
) -> None:
    snapshot = hostile(words)
    view = looking(World(), layout, ascii_only=ascii_only)
    shown = [show(snapshot, view, width) for show in PANELS]
    for event_id in (*snapshot.by_id, snapshot.unsent[0].event.event_id):
        chosen = replace(view, selected=event_id, opened=frozenset({event_id}))
        shown += [selected.content(snapshot, chosen, width), selected.compact(snapshot, chosen, width)]
    for content in shown:
        check(content, width)
        assert not ascii_only or page(content).isascii()
    found = header(snapshot, view, width)
    for line in (found.left, *found.pills):
        assert width_of(line) <= 180 + len(words) * 2
        assert not [each for each in said(line) if unicodedata.category(each) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]


@pytest.mark.parametrize("words", NASTY)
def test_each_known_trick_is_harmless_in_all_21_kinds(words: str) -> None:
    world = every_kind(words)
    snapshot = world.snapshot()
    for width, layout in ((84, Layout.WIDE), (80, Layout.NARROW)):
        check(events.content(snapshot, looking(world, layout), width), width)
        for event_id in snapshot.by_id:
            check(selected.content(snapshot, looking(world, layout, selected=event_id), width), width)


NEVER = re.compile(
    r"\b(locks?|locked|owned|owner|yours|blocked|online|overdue|failed|winner|late|stale)\b", re.IGNORECASE
)


def every_page() -> list[str]:
    """All panels in all layouts, in every way the projection and the link may stand."""
    pages = []
    for status in ("complete", "truncated"):
        for world in (scene(), every_kind(), World()):
            whole = world.snapshot(status)
            away = replace(whole, projection=replace(whole.projection, state=ProjectionState.UNAVAILABLE))
            for snapshot in (whole, away, replace(whole, link=Link(LinkState.OFFLINE))):
                for layout in Layout:
                    view = looking(world, layout)
                    pages += [page(show(snapshot, view, 100)) for show in PANELS]
                    for event_id in snapshot.by_id:
                        pages.append(page(selected.content(snapshot, replace(view, selected=event_id), 160)))
                    pages += [said(pill) for pill in header(snapshot, view, 160).pills]
    return pages


def test_no_panel_says_what_the_protocol_does_not_say() -> None:
    """Honesty 6 and 7, look: avoid. Nor is anything of this computed elsewhere than in the service."""
    for shown in every_page():
        assert not NEVER.search(shown), shown
        assert "computed here" not in shown.lower()


def test_nothing_counts_days_or_marks_against_a_rest() -> None:
    """Honesty 6."""
    world = World()
    world.say("kit", "rest", until="2026-05-01T00:00:00.000Z")
    shown = page(presence.content(world.snapshot(), looking(world), 60))
    assert "kit   ☾ resting" in shown
    assert "1 May passed" in shown
    assert "day" not in shown
