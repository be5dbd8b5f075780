"""The outbox: what it lists; discarding is asked once and says what it means; no file is ever written over."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from screenshots.scene import scene

from corr_tui.protocol.signing import event_jcs
from corr_tui.state.snapshot import Snapshot, Unsent, UnsentState
from corr_tui.state.troubles import Troubles
from corr_tui.ui.panels.header import pills
from corr_tui.ui.panels.notices import notices
from corr_tui.ui.panels.outbox import GIVING_UP, content
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.screens.compose import ComposeScreen
from corr_tui.ui.screens.outbox import OutboxScreen
from tests.ui.bare_app import until
from tests.ui.desk import AskingDesk
from tests.ui.panel_scene import check, looking, page

REASON = "result_revision \x1b[31mis not known here"


def unsent() -> tuple[Snapshot, tuple[Unsent, ...]]:
    """One event of each state, the refused one a repair in words."""
    world, snapshot = scene()
    target = snapshot.events[-2].record
    seen = Unsent(world.event("maya", "ack.seen", target=target, seq=11))
    accepted = Unsent(
        world.event("maya", "ack.accepted", target=target, seq=12), UnsentState.UNKNOWN, "the answer was cut"
    )
    repair = world.event("maya", "repair", targets=(target,), summary="the cap is 30 s", seq=13)
    listed = (seen, accepted, Unsent(repair, UnsentState.REFUSED, REASON))
    return replace(snapshot, unsent=listed), listed


@pytest.mark.parametrize("width", [40, 80, 160])
def test_every_unsent_event_says_where_it_stands_and_why(width: int) -> None:
    world, _ = scene()
    snapshot, _ = unsent()
    shown = content(Reading(snapshot, looking(world)), width)
    check(shown, width)
    text = page(shown)
    if width >= 80:
        for words in (
            "ack.seen",
            ":11",
            "unsent: it goes out",
            "it may have been received",
            "refused  “result_revision ␛[31mis",
        ):
            assert words in text
        assert "“”" not in text


@pytest.mark.parametrize(("place", "state"), list(enumerate(UnsentState)))
def test_what_discarding_means_depends_on_where_the_event_stands(place: int, state: UnsentState) -> None:
    world, _ = scene()
    snapshot, listed = unsent()
    shown = content(Reading(snapshot, looking(world)), 80, listed[place].event.event_id)
    check(shown, 80)
    assert listed[place].state is state
    assert GIVING_UP[state] in page(shown)


def test_an_empty_outbox_says_so() -> None:
    world, snapshot = scene()
    shown = content(Reading(replace(snapshot, unsent=()), looking(world)), 80)
    check(shown, 80)
    assert "Nothing is unsent" in page(shown)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    ("troubles", "words"),
    [
        (Troubles(outbox="the outbox of this installation cannot be used: file is not a database"), "cannot be read"),
        (Troubles(damaged=("sha256:1",)), "1 unsent event in the outbox is damaged"),
        (Troubles(damaged=("sha256:1", "sha256:2")), "2 unsent events in the outbox are damaged"),
    ],
)
def test_an_outbox_that_is_amiss_is_never_called_empty(
    troubles: Troubles, words: str, width: int, *, listed: bool
) -> None:
    world, snapshot = scene()
    snapshot = replace(unsent()[0] if listed else replace(snapshot, unsent=()), troubles=troubles)
    shown = content(Reading(snapshot, looking(world)), width)
    check(shown, width)
    assert "Nothing is unsent" not in page(shown)
    assert words in " ".join("".join(span.text for span in line).strip() for line in shown.banner)
    assert words in " ".join(notices(snapshot)) or troubles.outbox in " ".join(notices(snapshot))
    pill = " ".join("".join(span.text for span in line) for line in pills(snapshot, looking(world), width))
    assert "outbox unreadable" in pill if troubles.outbox else f"{len(troubles.damaged)} " in pill


async def opened(desk: AskingDesk) -> OutboxScreen:
    await desk.press("o")
    screen = desk.app.screen
    assert isinstance(screen, OutboxScreen)
    return screen


async def test_discarding_takes_the_key_twice_and_names_the_event() -> None:
    snapshot, listed = unsent()
    desk = AskingDesk(snapshot)
    async with desk.at(80, 24):
        screen = await opened(desk)
        await desk.press("j", "d")
        assert "Discard ack.accepted" in desk.text("unsent")
        assert "may have been received" in desk.text("unsent")
        assert desk.session.discarded == []
        await desk.press("d")
        assert desk.session.discarded == [listed[1].event.event_id]
        assert "was discarded" in screen.told
        assert "ack.accepted" not in desk.text("unsent")


@pytest.mark.parametrize("answer", [("escape",), ("k",), ("j", "k"), ("e", "escape")])
async def test_any_other_key_keeps_the_event(answer: tuple[str, ...]) -> None:
    desk = AskingDesk(unsent()[0])
    async with desk.at(80, 24):
        await opened(desk)
        await desk.press("j", "d", *answer)
        assert "Discard" not in desk.text("unsent")
        await desk.press("d")
        assert desk.session.discarded == []
        assert isinstance(desk.app.screen, OutboxScreen)


async def test_a_discard_that_is_refused_is_told_and_keeps_the_event() -> None:
    desk = AskingDesk(unsent()[0])
    desk.session.undiscardable = "it is on its way"
    async with desk.at(80, 24):
        screen = await opened(desk)
        await desk.press("d", "d")
        assert screen.told == "Not discarded: it is on its way"
        assert "ack.seen" in desk.text("unsent")


async def test_export_writes_exactly_the_canonical_bytes_to_a_new_file(tmp_path: Path) -> None:
    """§3."""
    snapshot, listed = unsent()
    desk = AskingDesk(snapshot, folder=tmp_path)
    async with desk.at(80, 24) as pilot:
        screen = await opened(desk)
        await desk.press("e", "enter")
        await until(pilot, lambda: "exact bytes" in screen.told)
        file = tmp_path / f"ack.seen-{listed[0].event.sender.session_id[:8]}-11.json"
        assert file.read_bytes() == event_jcs(listed[0].event.evidence)
        file.write_text("other")
        await desk.press("e", "enter")
        await until(pilot, lambda: "exists" in screen.told)
        assert file.read_text() == "other"


async def test_a_file_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    desk = AskingDesk(unsent()[0], folder=tmp_path)
    async with desk.at(80, 24) as pilot:
        screen = await opened(desk)
        await desk.press("e", "ctrl+u", *"file/x", "enter")
        await until(pilot, lambda: screen.told.startswith("Not written"))


async def test_copying_hands_over_the_event_as_json() -> None:
    snapshot, listed = unsent()
    desk = AskingDesk(snapshot)
    async with desk.at(80, 24):
        await opened(desk)
        await desk.press("Y")
        assert json.loads(desk.app.clipboard) == listed[0].event.evidence


async def test_a_refused_draft_goes_back_to_the_composer_with_its_words_and_posts_nothing_by_itself() -> None:
    desk = AskingDesk(unsent()[0])
    async with desk.at(120, 36) as pilot:
        await opened(desk)
        await desk.press("G", "enter")
        await until(pilot, lambda: isinstance(desk.app.screen, ComposeScreen))
        screen = desk.app.screen
        assert isinstance(screen, ComposeScreen)
        assert screen._composition.word("summary") == "the cap is 30 s"
        assert desk.session.sent == []


@pytest.mark.parametrize("place", [0, 1])
async def test_what_still_goes_out_is_not_written_anew(place: int) -> None:
    desk = AskingDesk(unsent()[0])
    async with desk.at(80, 24):
        screen = await opened(desk)
        await desk.press(*("j",) * place, "enter")
        assert "still goes out" in screen.told
        assert isinstance(desk.app.screen, OutboxScreen)


async def test_every_key_of_the_last_line_can_be_clicked() -> None:
    desk = AskingDesk(unsent()[0])
    async with desk.at(80, 24) as pilot:
        screen = await opened(desk)
        line = "".join(span.text for part in screen.foot.parts for span in part.line)
        await pilot.click(screen.foot, offset=(line.index("discard"), 0))
        await desk.settle()
        assert "Discard ack.seen" in desk.text("unsent")
        await pilot.click(screen.foot, offset=(line.index("close"), 0))
        await desk.settle()
        assert "Discard" not in desk.text("unsent")
        assert "open" not in line
        await desk.press("G")
        line = "".join(span.text for part in screen.foot.parts for span in part.line)
        await pilot.click(screen.foot, offset=(line.index("open"), 0))
        await desk.settle()
        assert isinstance(desk.app.screen, ComposeScreen)


async def test_open_is_offered_only_where_it_works_and_else_enter_says_why_not() -> None:
    snapshot, _ = unsent()
    world, _ = scene()
    observation = Unsent(world.event("maya", "observation", summary="s", seq=14), UnsentState.REFUSED, REASON)
    desk = AskingDesk(replace(snapshot, unsent=(observation,)))
    async with desk.at(120, 30):
        screen = await opened(desk)
        assert "open" not in "".join(span.text for part in screen.foot.parts for span in part.line)
        await desk.press("enter")
        assert "`corr-tui send observation` says it anew" in screen.told


async def test_a_receipt_takes_the_event_out_while_one_looks() -> None:
    snapshot, listed = unsent()
    desk = AskingDesk(snapshot)
    async with desk.at(80, 24):
        await opened(desk)
        await desk.press("d")
        await desk.hear(replace(snapshot, unsent=listed[1:]))
        assert "Discard" not in desk.text("unsent")
        await desk.hear(replace(snapshot, unsent=()))
        assert "Nothing is unsent" in desk.text("unsent")
        await desk.press("d", "e", "Y", "enter", "escape")
        assert desk.app.screen is desk.app.board


@pytest.mark.parametrize(("width", "height"), [(20, 6), (40, 10), (160, 48)])
async def test_the_outbox_fits_any_screen(width: int, height: int) -> None:
    desk = AskingDesk(unsent()[0])
    async with desk.at(width, height) as pilot:
        await opened(desk)
        await desk.press("d", "e")
        await pilot.resize_terminal(80, 24)
        await desk.settle()
        await desk.press("escape", "escape", "escape")
        assert desk.app.screen is desk.app.board
