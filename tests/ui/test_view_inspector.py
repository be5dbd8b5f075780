"""The event inspector: every byte as it is, how its id follows, what it names; its keys in the whole app."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.protocol.records import read_events_page
from corr_tui.protocol.signing import core_bytes, signing_digest
from corr_tui.state.snapshot import Heard, KeyStanding, KnownKey, Snapshot, Unsent, UnsentState, Verdict
from corr_tui.ui import exact
from corr_tui.ui.line import Content, Ink, Layout
from corr_tui.ui.screens.board import BoardScreen
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.inspector import InspectorScreen
from corr_tui.ui.views import inspector
from corr_tui.ui.views.inspected import follows
from tests.correspondents import World, uuid
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import ABSENT, check, every_kind, inks, looking, page, said, scene, with_verdict

PAGES = Path(__file__).parent / "golden"
WIDTHS = {Layout.NARROW: 80, Layout.MEDIUM: 120, Layout.WIDE: 117}
NAMES = {Layout.NARROW: 80, Layout.MEDIUM: 120, Layout.WIDE: 160}
FINGERPRINT = "3f0a" * 16


def offered() -> tuple[World, Snapshot, str]:
    """The scene, with ana's key known, and the id of her offer."""
    world = scene()
    key = KnownKey(uuid(3, 1), KeyStanding.PINNED, FINGERPRINT)
    snapshot = world.snapshot(keys=MappingProxyType({uuid(2, 1): (key,)}))
    return world, snapshot, snapshot.events[10].event_id


def inspected(world: World, snapshot: Snapshot, event_id: str | None, layout: Layout = Layout.MEDIUM) -> Content:
    content = inspector.content(snapshot, looking(world, layout), WIDTHS[layout], event_id)
    check(content, WIDTHS[layout])
    return content


@pytest.mark.parametrize("layout", list(WIDTHS))
def test_the_inspector_says_an_event_cell_for_cell(layout: Layout) -> None:
    world, snapshot, event_id = offered()
    told = page(inspected(world, snapshot, event_id, layout))
    if layout is Layout.WIDE:
        aside = inspector.beside(snapshot, looking(world, layout), 42, event_id)
        check(aside, 42)
        told = f"{told}\n\n{page(aside)}"
    assert told + "\n" == (PAGES / f"inspector-{NAMES[layout]}.txt").read_text(encoding="utf-8")


def section(content: Content, name: str) -> str:
    """The text of the lines of a section, joined, without their labels."""
    lines = [said(row.lines[0]) for row in content.rows if row.key.startswith(f"{name} ") and not row.heading]
    return "".join(line[14:].rstrip() for line in lines)


@pytest.mark.parametrize("place", range(21))
def test_the_bytes_shown_are_those_that_were_signed_section_3(place: int) -> None:
    world = every_kind("words, é and 漢")
    snapshot = world.snapshot()
    event = snapshot.events[place].event
    assert event is not None
    content = inspected(world, snapshot, event.event_id)
    raw = core_bytes(event.evidence)
    shown = section(content, "bytes")
    assert shown.replace(" ", "") == raw.decode().replace(" ", "")
    text = page(content)
    assert signing_digest(raw).hex() in text
    assert event.event_id.removeprefix("sha256:") in text
    assert "recomputed here, and the same" in text


@given(st.text(max_size=60), st.integers(16, 40))
def test_what_is_shown_exactly_can_be_read_back(words: str, width: int) -> None:
    lines = exact.folded(((words, Ink.TEXT),), width, exact.as_bytes)
    whole = "".join(span.text for _, line in lines for span in line)
    back = re.sub("⟨([0-9a-f ]+)⟩", lambda found: bytes.fromhex(found[1]).decode("utf-8", "surrogatepass"), whole)
    assert back == words
    size = len(words.encode("utf-8", "surrogatepass"))
    assert all(0 <= offset <= size for offset, _ in lines)


@given(st.text(max_size=60))
def test_json_with_escapes_is_the_same_json(words: str) -> None:
    text = json.dumps(words, ensure_ascii=False)
    lines = exact.folded(((text, Ink.TEXT),), 30, exact.as_escape)
    assert json.loads("".join(span.text for _, line in lines for span in line)) == words


def test_hostile_words_are_written_out_and_nothing_pretends_to_be_what_is_written_out() -> None:
    """§5: text, not commands."""
    world = World()
    hostile = "a\u202eb\u009b31m⟨e2 80 ae⟩"
    world.say("ana", "progress", summary=hostile)
    content = inspected(world, world.snapshot(), world.snapshot().events[0].event_id)
    text = page(content)
    assert "a⟨e2 80 ae⟩b⟨c2 9b⟩31m⟨e2 9f a8⟩e2 80 ae⟨e2 9f a9⟩" in section(content, "bytes")
    assert "\\u202e" in text
    assert "\\u009b" in text
    assert Ink.ATTN in inks(content, "⟨e2 80 ae⟩")


def test_an_event_that_names_others_lets_them_be_followed() -> None:
    world, snapshot, event_id = offered()
    content = inspected(world, snapshot, event_id)
    named = [found for row in content.rows if (found := follows(row.key))]
    assert named == [snapshot.events[0].event_id, snapshot.events[11].event_id]


def test_a_parent_that_is_not_here_is_said_to_be_missing_only_once_all_is_read() -> None:
    world = World()
    world.say("zed", "observation", summary="cold", parents=(ABSENT,))
    snapshot = world.snapshot()
    event_id = snapshot.events[0].event_id
    assert "○ missing here" in page(inspected(world, snapshot, event_id))
    part = replace(snapshot, history=replace(snapshot.history, complete=False))
    assert "not read yet" in page(inspected(world, part, event_id))


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_verdict_is_said_of_bytes_and_a_key(verdict: Verdict) -> None:
    """Experience: honesty 8"""
    world, snapshot, event_id = offered()
    told = with_verdict(snapshot, 11, verdict, "key 3f0a…, and what else")
    text = page(inspected(world, told, event_id))
    assert str(verdict) in text
    assert "“Cap at 30 s”" in text, "whoever inspects an event has opened it"
    assert "not about a person, truth or consent" in text


def test_an_id_that_is_not_of_these_bytes_is_said_to_be_another() -> None:
    world, snapshot, event_id = offered()
    forged = replace(snapshot.by_id[event_id], verdict=Verdict.MISMATCH, genuine=False)
    shown = replace(snapshot, by_id=MappingProxyType({**snapshot.by_id, event_id: forged}))
    content = inspected(world, shown, event_id)
    assert "the id is not of these bytes" in page(content)
    assert inks(content, "recomputed here") == {Ink.ATTN}


def test_a_key_that_changed_is_loud_and_both_fingerprints_are_told() -> None:
    world, snapshot, event_id = offered()
    key = KnownKey(uuid(3, 1), KeyStanding.CHANGED, FINGERPRINT, other="b771" * 16)
    changed = replace(snapshot, keys=MappingProxyType({uuid(2, 1): (key,)}))
    content = inspected(world, changed, event_id)
    assert inks(content, "key changed") == {Ink.ALARM}
    assert FINGERPRINT in page(content)
    assert "b771" * 16 in page(content)


def malformed(snapshot: Snapshot, called: str = "") -> Snapshot:
    """With what a service handed out as an event and is none."""
    value = {
        "event": {"event_id": called, "kind": "shout\u202e", "thread_id": 7},
        "receipt": {"received_seq": "99", "received_at": "2026-05-14T13:00:30.000Z"},
        "missing_parents": [],
        "lineage_status": "not_applicable",
    }
    page_of = {"events": [value], "page": {"after": None, "next_after": None, "has_more": False}}
    record = read_events_page(page_of).events[0]
    return snapshot.heard((Heard(record, Verdict.MALFORMED, "no", genuine=False),), snapshot.history)


@pytest.mark.parametrize("called", ["", "sha256:" + "ab" * 32])
def test_a_malformed_event_says_what_it_breaks_and_has_no_signed_bytes(called: str) -> None:
    world, snapshot, _ = offered()
    told = malformed(snapshot, called)
    text = page(inspected(world, told, told.events[-1].key))
    assert "not an event of this profile" in text
    assert "breaks" in text
    assert "no canonical bytes" in text
    assert '"kind": "shout\\u202e"' in text
    assert "#99" in text


@pytest.mark.parametrize("state", list(UnsentState))
def test_an_unsent_event_says_what_is_known_of_it(state: UnsentState) -> None:
    world, snapshot, _ = offered()
    event = world.event("maya", "progress", summary="half of it")
    unsent = Unsent(event, state, "no such thread", "2026-05-14T13:00:40.000Z")
    text = page(inspected(world, replace(snapshot, unsent=(unsent,)), event.event_id))
    assert str(state) in text
    assert "no such thread" in text
    assert "none before the service gives one" in text
    assert "“half of it”" in text


def test_without_an_event_it_says_why_there_is_none() -> None:
    world, snapshot, _ = offered()
    assert "No event to inspect" in page(inspected(world, snapshot, None))
    assert "is missing here" in page(inspected(world, snapshot, ABSENT))
    part = replace(snapshot, history=replace(snapshot.history, complete=False))
    assert "is not read yet" in page(inspected(world, part, ABSENT))


# In the whole app.


def inspecting(desk: AskingDesk) -> InspectorScreen:
    screen = desk.app.screen
    assert isinstance(screen, InspectorScreen)
    return screen


@pytest.mark.parametrize("size", [(60, 12), (80, 24), (120, 36), (160, 48), (300, 60)])
async def test_it_opens_on_the_event_under_the_cursor_of_the_board(size: tuple[int, int]) -> None:
    _, snapshot, _ = offered()
    desk = AskingDesk(snapshot)
    async with desk.at(*size):
        await desk.press("k", "i")
        assert inspecting(desk).selected == snapshot.events[-2].event_id
        assert "i Event inspector" in desk.text("rows")
        assert ("does not establish" in desk.text("details")) == (size[0] >= 140)


async def test_enter_follows_what_a_line_names_and_backspace_goes_back() -> None:
    _, snapshot, event_id = offered()
    desk = AskingDesk(snapshot)
    async with desk.at(120, 36):
        await desk.press("k", "i")
        screen = inspecting(desk)
        screen.begin_at(event_id)
        await desk.settle()
        parent = next(key for key in screen.rows.view.places.keys if key.startswith("parents "))
        screen.rows.choose(parent)
        await desk.press("enter")
        assert screen.selected == snapshot.events[0].event_id
        assert "#1 intent" in desk.text("rows")
        await desk.press("backspace", "backspace")
        assert screen.selected == snapshot.events[-2].event_id
        await desk.press("backspace")
        assert "before this one" in desk.text("footer")
        await desk.press("enter")
        assert isinstance(desk.app.screen, BoardScreen)
        assert desk.app.board.view.selected == snapshot.events[-2].event_id


async def test_an_event_further_back_is_recalled() -> None:
    _, snapshot, _ = offered()
    desk = AskingDesk(snapshot, earlier=12)
    async with desk.at(120, 36):
        await desk.press("i")
        screen = inspecting(desk)
        screen.begin_at(snapshot.events[2].event_id)
        await desk.settle()
        await desk.settle()
        assert "#3 ack.seen" in desk.text("rows")


async def test_sections_are_gone_through_by_keys() -> None:
    desk = AskingDesk()
    async with desk.at(80, 24):
        await desk.press("i")
        screen = inspecting(desk)
        await desk.press("n", "n")
        assert (screen.rows.view.cursor or "").startswith("signature ")
        await desk.press("b")
        assert (screen.rows.view.cursor or "").startswith("establishes ")
        await desk.press("tab")
        assert (screen.rows.view.cursor or "").startswith("signature ")
        await desk.press("G", "b", "b", "b")
        assert (screen.rows.view.cursor or "").startswith("bytes ")


async def test_the_keys_that_say_something_act_on_the_event_inspected() -> None:
    _, snapshot, event_id = offered()
    desk = AskingDesk(snapshot)
    async with desk.at(120, 36):
        await desk.press("i")
        screen = inspecting(desk)
        screen.begin_at(event_id)
        await desk.settle()
        await desk.press("G", "s")
        composer = desk.app.screen
        assert isinstance(composer, ComposeScreen)
        assert [each.event_id for each in composer._composition.targets] == [event_id]


async def test_an_unsent_event_under_the_cursor_of_the_board_is_inspected() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await desk.press("G", "i")
        assert "unsent… ack.seen by maya" in desk.text("rows")
        await desk.press("s")
        assert "no event with a receipt" in desk.text("footer")
