"""The composer: two strokes post once, and nothing else posts at all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from corr_tui.protocol.bodies import ACK_KINDS
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import MalformedEvent, Record
from corr_tui.protocol.signing import core_bytes, sign
from corr_tui.state.border import Outcome, Sent
from corr_tui.state.git_facts import Fact, GitFacts
from corr_tui.state.snapshot import Link, LinkState, Unsent, UnsentState, Verdict
from corr_tui.ui.commands import table
from corr_tui.ui.composer_lines import folded
from corr_tui.ui.composition import KeptWords
from corr_tui.ui.line import Ink, Span
from corr_tui.ui.screens.compose import ComposeScreen, Pinned
from corr_tui.ui.screens.reader import results_words
from corr_tui.ui.theme import Ground
from corr_tui.ui.widgets.inked import Inked
from corr_tui.ui.widgets.stroke import Stroke
from corr_tui.ui.widgets.word_field import WordField
from tests.correspondents import World
from tests.ui.bare_app import BareApp, screen_text, until
from tests.ui.fake_session import FakeSession

REVISION = "ab12cd34" * 5


@dataclass(frozen=True)
class GitHere(GitFacts):
    """Git as it would answer, without a repository."""

    folder: Path = Path()
    head_id: str | None = None
    fact: Fact = Fact.YES

    def head(self) -> str | None:
        return self.head_id

    def has_commit(self, revision: str) -> Fact:
        return self.fact


OFFER = "Retry with [bold]full[/bold] jitter, cap at 30 s"


@dataclass
class Desk:
    """A composer on a screen, and what it answered."""

    world: World
    session: FakeSession
    pilot: Pilot[None]
    target: Record
    kept: KeptWords = field(default_factory=KeptWords)
    results: list[Sent | None] = field(default_factory=list)

    async def open(self, kind: str, *targets: Record, **settings: Any) -> ComposeScreen:
        """Open the composer; a pause without strokes counts as let go at once unless said otherwise."""
        snapshot = settings.pop("snapshot", self.session.snapshot)
        cited = tuple(snapshot.by_id[each.event.event_id] for each in targets or (self.target,))
        settings = {"kept": self.kept, "quiet": 0.001, **settings}
        screen = ComposeScreen(self.session, kind, cited, snapshot, **settings)
        await self.pilot.app.push_screen(screen, self.results.append)
        await self.pilot.pause()
        return screen

    async def press(self, *keys: str) -> None:
        """Press keys and let the app work."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def armed(self, screen: ComposeScreen) -> None:
        """Wait until Enter posts."""
        await until(self.pilot, lambda: button(screen).ground is Ground.ACCENT)


@asynccontextmanager
async def desk(width: int = 120, height: int = 36, summary: str = OFFER) -> AsyncIterator[Desk]:
    world = World()
    world.say("bo", "progress", summary="on it")
    artifact = {"kind": "git_commit", "revision": REVISION}
    target = world.say("ana", "artifact.offer", artifact=artifact, summary=summary)
    session = FakeSession(world)
    async with BareApp().run_test(size=(width, height)) as pilot:
        yield Desk(world, session, pilot, target)


def button(screen: ComposeScreen) -> Stroke:
    return screen.query_one("#post", Stroke)


def shown(screen: ComposeScreen, name: str) -> str:
    return screen.query_one(f"#{name}", Inked).shown


def body(session: FakeSession, index: int = -1) -> dict[str, Any]:
    sent: dict[str, Any] = session.sent[index].core.evidence["body"]
    return sent


# Two strokes


@pytest.mark.parametrize("kind", ["ack.seen", "ack.understood", "ack.accepted", "ack.rejected"])
async def test_enter_posts_the_acknowledgement_once_and_closes_with_the_receipt(kind: str) -> None:
    async with desk() as at:
        screen = await at.open(kind)
        assert button(screen).shown == f" Enter posts {kind}"
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert [each.core.kind for each in at.session.sent] == [kind]
        assert body(at.session) == {"target_event_id": at.target.event.event_id}
        assert at.session.sent[0].core.parents == (at.target.event.event_id,)
        assert at.session.sent[0].core.thread_id == "task:42"
        sent = at.results[0]
        assert sent is not None
        assert sent.outcome is Outcome.POSTED
        assert sent.record is not None
        assert sent.record.receipt.received_seq == "3"


async def test_opening_posts_nothing() -> None:
    """§1: receiving or looking must not trigger anything."""
    async with desk() as at:
        await at.open("ack.seen")
        await at.press("v", "v", "down", "up")
        assert at.session.sent == []


async def test_held_enter_posts_once() -> None:
    async with desk() as at:
        at.session.gate.clear()
        screen = await at.open("ack.seen")
        await at.press(*["enter"] * 12)
        assert len(at.session.sent) == 1
        assert button(screen).shown == " Enter sending…"
        at.session.gate.set()
        await until(at.pilot, lambda: bool(at.results))
        assert len(at.session.sent) == 1


async def test_a_held_opening_key_disarms_enter_until_it_is_let_go() -> None:
    async with desk() as at:
        screen = await at.open("ack.seen", quiet=60, alone=60)
        await at.press("s", "s", "s")
        assert button(screen).shown == " Enter release the key"
        assert button(screen).ground is Ground.RAISED
        await at.press("enter")
        assert at.session.sent == []
        screen._held.let_go()
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert len(at.session.sent) == 1


async def test_an_enter_that_opened_the_composer_does_not_post_while_held() -> None:
    async with desk() as at:
        screen = await at.open("ack.seen", opened_by="enter", quiet=60, alone=60)
        await at.press(*["enter"] * 5)
        assert at.session.sent == []
        screen._held.let_go()
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert len(at.session.sent) == 1


async def test_the_button_can_be_clicked() -> None:
    async with desk() as at:
        await at.open("ack.seen")
        await at.pilot.click("#post")
        await until(at.pilot, lambda: bool(at.results))
        assert len(at.session.sent) == 1


# Words


async def test_a_detail_is_written_then_posted() -> None:
    async with desk() as at:
        screen = await at.open("ack.understood")
        await at.press("e", *"see v", "enter")
        assert at.session.sent == []
        await at.armed(screen)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert body(at.session)["detail"] == "see v"


async def test_a_second_enter_of_its_own_posts_what_was_written() -> None:
    async with desk() as at:
        await at.open("ack.seen", quiet=60, alone=0.001)
        await at.press("e", "x", "enter", "enter")
        await until(at.pilot, lambda: bool(at.results))
        assert body(at.session)["detail"] == "x"


async def test_an_enter_that_stood_alone_is_forgotten_when_something_is_missing() -> None:
    async with desk() as at:
        screen = await at.open("repair", quiet=60, alone=0.001)
        await at.press("enter", "enter")
        await until(at.pilot, lambda: not screen._held.held)
        assert button(screen).shown == " Enter needs a summary"
        assert at.session.sent == []


async def test_enter_held_after_writing_does_not_post() -> None:
    async with desk() as at:
        await at.open("ack.seen", quiet=60, alone=60)
        await at.press("e", "x", *["enter"] * 6)
        assert at.session.sent == []


async def test_escape_posts_nothing_and_keeps_the_words_for_this_kind_and_event() -> None:
    async with desk() as at:
        await at.open("ack.seen")
        await at.press("e", *"half", "escape", "escape")
        assert at.results == [None]
        assert at.session.sent == []
        again = await at.open("ack.seen")
        assert "half" in screen_text(at.pilot.app)
        assert again.query_one(WordField).words == "half"
        await at.press("escape")
        other = await at.open("ack.rejected")
        assert other.query_one(WordField).words == ""


async def test_posted_words_are_not_kept() -> None:
    async with desk() as at:
        screen = await at.open("ack.seen")
        await at.press("e", "x", "enter")
        await at.armed(screen)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        again = await at.open("ack.seen")
        assert again.query_one(WordField).words == ""


async def test_pasted_lines_become_one_and_what_would_not_show_is_left_out() -> None:
    async with desk() as at:
        screen = await at.open("ack.seen")
        await at.press("e")
        screen.query_one(Input).post_message(Paste("one\ntwo\x1b[31m\u202e three\u200b"))
        await at.pilot.pause()
        assert screen.query_one(WordField).words == "one two[31m three"


async def test_more_words_than_the_profile_admits_are_kept_but_not_posted() -> None:
    """§5: detail is 1–1000 Unicode scalar values."""
    async with desk() as at:
        screen = await at.open("ack.seen")
        await at.press("e")
        screen.query_one(Input).value = "é" * 1001
        await at.press("enter")
        assert button(screen).shown == " Enter needs a valid detail"
        assert "detail must have 1 to 1000" in screen_text(at.pilot.app)
        await at.press("enter")
        assert at.session.sent == []


# Revisions and repairs


async def test_applied_asks_a_revision_prefilled_with_head() -> None:
    async with desk() as at:
        screen = await at.open("ack.applied", git=GitHere(head_id=REVISION))
        await at.armed(screen)
        await until(at.pilot, lambda: "git here    yes  present as a commit" in screen_text(at.pilot.app))
        assert REVISION in screen_text(at.pilot.app)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert body(at.session)["result_revision"] == REVISION


async def test_applied_without_head_opens_ready_for_the_revision_and_says_what_it_needs() -> None:
    async with desk() as at:
        screen = await at.open("ack.applied")
        assert button(screen).shown == " Enter needs a revision"
        await at.press(*"abc", "enter")
        assert "revision must be 40 or 64 lowercase hexadecimal digits" in screen_text(at.pilot.app)
        assert button(screen).shown == " Enter needs a valid revision"
        await at.press("enter")
        assert at.session.sent == []
        await at.press("e")
        screen.query_one("#field-result-revision", WordField).query_one(Input).value = REVISION
        await at.press("enter")
        await at.armed(screen)


@pytest.mark.parametrize(("fact", "words"), [(Fact.NO, "no  not present"), (Fact.CANNOT_TELL, "can't tell here")])
async def test_applied_says_what_git_here_knows_of_the_revision_written(fact: Fact, words: str) -> None:
    """§5: a revision is a report, and Git here is asked, never told."""
    async with desk() as at:
        screen = await at.open("ack.applied", git=GitHere(fact=fact))
        await until(at.pilot, lambda: screen.query_one("#field-result-revision", WordField).editing)
        screen.query_one("#field-result-revision", WordField).query_one(Input).value = REVISION
        await at.press("enter")
        await until(at.pilot, lambda: words in screen_text(at.pilot.app))
        await at.armed(screen)


async def test_repair_needs_a_summary_and_cites_each_target() -> None:
    """§5, §8: a repair cites prior events and edits none."""
    async with desk() as at:
        first = at.world.records[0]
        at.session.show(at.world.snapshot())
        screen = await at.open("repair", first, at.target)
        assert button(screen).shown == " Enter needs a summary"
        await at.press(*"cap", "tab")
        screen.query_one("#field-result-revision", WordField).query_one(Input).value = REVISION
        await at.press("enter")
        await at.armed(screen)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        ids = [first.event.event_id, at.target.event.event_id]
        assert body(at.session) == {"target_event_ids": ids, "summary": "cap", "result_revision": REVISION}
        assert list(at.session.sent[0].core.parents) == ids


async def test_repair_of_too_many_is_not_armed() -> None:
    """§5: target_event_ids has 1–16."""
    async with desk() as at:
        many = [at.world.say("bo", "progress", summary=str(number)) for number in range(17)]
        at.session.show(at.world.snapshot())
        screen = await at.open("repair", *many)
        assert "needs at most 16 targets, has 17" in button(screen).shown
        assert "and 14 more" in shown(screen, "facts")


async def test_of_several_events_each_gets_an_acknowledgement_of_its_own() -> None:
    """§5: an acknowledgement is about one event."""
    async with desk(160, 48) as at:
        both = (at.world.records[0], at.target)
        screen = await at.open("ack.seen", *both)
        assert button(screen).shown == " Enter posts 2 ack.seen"
        assert shown(screen, "once").endswith("one Enter, 2 events, one of each")
        await at.press("v")
        assert "these are the bytes for #1" in shown(screen, "bytes")
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert [body(at.session, place) for place in (0, 1)] == [
            {"target_event_id": each.event.event_id} for each in both
        ]
        assert len(at.session.sent) == 2
        assert [each.outcome for each in screen.results] == [Outcome.POSTED] * 2


async def test_what_is_refused_of_one_event_withholds_nothing_from_the_next() -> None:
    async with desk() as at:
        at.session.answers += [Outcome.REFUSED, Outcome.POSTED]
        screen = await at.open("ack.seen", at.world.records[0], at.target)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert screen.said == (at.target.event.event_id,)
        words = results_words("ack.seen", screen.results)
        assert words == "1 ack.seen posted: #3 · 1 refused: result_revision is not known here"


async def test_when_every_one_is_refused_the_words_are_kept() -> None:
    async with desk() as at:
        at.session.answers += [Outcome.REFUSED] * 2
        screen = await at.open("ack.seen", at.world.records[0], at.target)
        await at.press("enter")
        await until(at.pilot, lambda: "refused" in shown(screen, "meaning"))
        assert at.results == []
        assert screen.said == ()


async def test_a_sequence_taken_between_two_events_is_taken_anew() -> None:
    async with desk() as at:
        at.session.answers += [Outcome.POSTED, Outcome.CHANGED, Outcome.POSTED]
        screen = await at.open("ack.seen", at.world.records[0], at.target)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert [each.outcome for each in screen.results] == [Outcome.POSTED] * 2
        assert body(at.session) == {"target_event_id": at.target.event.event_id}


# Bytes


async def test_the_bytes_shown_are_the_bytes_sent() -> None:
    """§3: the signature covers exactly these bytes."""
    async with desk(160, 48) as at:
        await at.open("ack.seen")
        await at.press("v")
        text = screen_text(at.pilot.app)
        at.world.now = at.world.now.replace(hour=20)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        sent = at.session.sent[0]
        raw = core_bytes(sent.core.evidence)
        assert "".join(span.text for _, line in folded(raw, 96) for span in line).encode() == raw
        for _, line in folded(raw, 96):
            assert "".join(span.text for span in line) in text
        assert f"exactly these {len(raw)}" in text
        assert sent.digest.hex() in text
        assert "automatic_action never   grants none" in text
        assert "T13:" in sent.core.issued_at


async def test_without_the_bytes_in_view_they_are_prepared_at_enter() -> None:
    async with desk() as at:
        await at.open("ack.seen")
        at.world.now = at.world.now.replace(hour=20)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert "T20:" in at.session.sent[0].core.issued_at


def test_folded_bytes_have_byte_offsets_a_bold_authority_and_no_hidden_character() -> None:
    world = World()
    raw = core_bytes(world.event("ana", "progress", summary="é漢\u202e\u0085").evidence)
    lines = folded(raw, 32)
    assert [offset for offset, _ in lines][:2] == [0, 32]
    whole = [span for _, line in lines for span in line]
    bold = "".join(span.text for span in whole if span.ink is Ink.STRONG)
    assert bold == '"authority":{"automatic_action":"never","grants":[]}'
    assert [span.text for span in whole if span.ink is Ink.ATTN] == ["⟨e2 80 ae⟩⟨c2 85⟩"]


async def test_words_change_the_bytes() -> None:
    async with desk(160, 48) as at:
        screen = await at.open("ack.seen")
        await at.press("v", "e", *"hm")
        assert "none yet" in shown(screen, "bytes")
        await at.press("enter")
        await at.armed(screen)
        assert '"detail":"hm"' in shown(screen, "bytes").replace("\n", "")


# Answers


async def test_a_refusal_stands_beside_the_kept_words_in_the_words_of_the_service() -> None:
    async with desk() as at:
        at.session.answers.append(Outcome.REFUSED)
        at.session.reason = "identity [b]revoked[/b]\x1b[2J"
        screen = await at.open("ack.seen")
        await at.press("e", "x", "enter")
        await at.armed(screen)
        await at.press("enter")
        await until(at.pilot, lambda: "refused" in shown(screen, "meaning"))
        text = screen_text(at.pilot.app)
        assert "“identity [b]revoked[/b]␛[2J”  your words are kept" in text
        assert screen.query_one(WordField).words == "x"
        assert at.results == []
        await at.armed(screen)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert len(at.session.sent) == 2


async def test_what_cannot_be_stored_here_is_no_refusal_and_the_words_are_kept() -> None:
    async with desk() as at:
        at.session.answers.append(Outcome.NOT_STORED)
        at.session.reason = "this installation cannot store it: database or disk is full"
        screen = await at.open("ack.seen")
        await at.press("e", "x", "enter")
        await at.armed(screen)
        await at.press("enter")
        await until(at.pilot, lambda: "not posted" in shown(screen, "meaning"))
        text = " ".join(screen_text(at.pilot.app).split())
        assert "not posted: this installation cannot store it: database or disk is full" in text
        assert "refused" not in shown(screen, "meaning")
        assert screen.query_one(WordField).words == "x"
        assert at.results == []
        await at.armed(screen)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert at.results[0] is not None
        assert at.results[0].outcome is Outcome.POSTED


async def test_enter_held_through_a_refusal_does_not_ask_again() -> None:
    async with desk() as at:
        at.session.answers += [Outcome.REFUSED] * 5
        await at.open("ack.seen", quiet=60, alone=60)
        await at.press(*["enter"] * 8)
        assert len(at.session.sent) == 1


async def test_a_taken_sequence_number_is_shown_again_and_not_posted() -> None:
    async with desk(160, 48) as at:
        at.session.answers.append(Outcome.CHANGED)
        screen = await at.open("ack.seen")
        await at.press("v", "enter")
        await until(at.pilot, lambda: "not posted: the sequence number" in shown(screen, "meaning"))
        await at.armed(screen)
        assert '"session_seq":2' in shown(screen, "bytes").replace("\n", "")
        assert "sequence 2" in shown(screen, "facts")
        assert at.results == []
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert [each.core.session_seq for each in at.session.sent] == [1, 2]


async def test_an_unknown_outcome_is_said_and_further_strokes_send_nothing() -> None:
    async with desk() as at:
        at.session.answers.append(Outcome.UNKNOWN)
        screen = await at.open("ack.seen")
        await at.press("enter")
        await until(at.pilot, lambda: "not known yet, sending the same event again" in shown(screen, "armed"))
        await at.press("enter", "enter")
        assert len(at.session.sent) == 1
        await at.press("escape")
        assert at.results[0] is not None
        assert at.results[0].outcome is Outcome.UNKNOWN


async def test_an_event_that_has_not_left_is_called_unsent_until_it_has() -> None:
    async with desk() as at:
        at.session.answers.append(Outcome.UNKNOWN)
        at.session.state = UnsentState.UNSENT
        screen = await at.open("ack.seen")
        await at.press("enter")
        await until(at.pilot, lambda: "unsent: it goes out once the service takes it" in shown(screen, "armed"))
        assert button(screen).shown == " Enter unsent"
        event = sign(at.session.sent[0].core.evidence, at.world.people["maya"].seed)
        screen.snapshot = at.world.snapshot(unsent=(Unsent(event, UnsentState.UNKNOWN, "no answer in time"),))
        await until(at.pilot, lambda: "not known yet, sending the same event again" in shown(screen, "armed"))


async def test_on_a_board_paused_by_me_the_composer_says_that_it_posts_all_the_same() -> None:
    async with desk() as at:
        screen = await at.open("ack.seen")
        screen.snapshot = replace(at.world.snapshot(), link=Link(LinkState.HELD))
        await until(at.pilot, lambda: "paused by me, and Enter still posts" in shown(screen, "armed"))


async def unknown(at: Desk) -> tuple[ComposeScreen, Event]:
    at.session.answers.append(Outcome.UNKNOWN)
    screen = await at.open("ack.seen")
    await at.press("enter")
    await until(at.pilot, lambda: "not known yet" in shown(screen, "armed"))
    return screen, sign(at.session.sent[0].core.evidence, at.world.people["maya"].seed)


async def test_an_unknown_outcome_that_arrives_after_all_closes_the_composer() -> None:
    async with desk() as at:
        screen, event = await unknown(at)
        at.world.store(event)
        screen.snapshot = at.world.snapshot()
        await until(at.pilot, lambda: bool(at.results))
        assert at.results[0] is not None
        assert at.results[0].outcome is Outcome.POSTED


async def test_an_unknown_outcome_that_is_refused_after_all_says_so() -> None:
    async with desk() as at:
        screen, event = await unknown(at)
        screen.snapshot = at.world.snapshot(unsent=(Unsent(event, UnsentState.REFUSED, "key revoked"),))
        await until(at.pilot, lambda: "“key revoked”" in shown(screen, "meaning"))


async def test_closing_while_sending_lets_the_event_go_on() -> None:
    async with desk() as at:
        at.session.gate.clear()
        await at.open("ack.seen")
        await at.press("enter", "escape")
        assert at.results[0] is not None
        assert at.results[0].outcome is Outcome.UNKNOWN
        at.session.gate.set()
        await until(at.pilot, lambda: len(at.world.records) == 3)


async def test_words_of_an_event_refused_after_closing_are_kept() -> None:
    async with desk() as at:
        at.session.gate.clear()
        at.session.answers.append(Outcome.REFUSED)
        screen = await at.open("ack.seen")
        await at.press("e", "x", "enter")
        await at.armed(screen)
        await at.press("enter", "escape")
        at.session.gate.set()
        await until(at.pilot, lambda: not at.session.answers)
        again = await at.open("ack.seen")
        assert again.query_one(WordField).words == "x"


async def test_a_draft_the_profile_refuses_is_named_by_field() -> None:
    async with desk() as at:
        screen = await at.open("ack.seen")
        at.session.sequence = 0
        await at.press("enter")
        await until(at.pilot, lambda: "session_seq must be" in shown(screen, "meaning"))
        assert at.session.sent == []


# What it says


async def test_it_says_what_it_is_about_and_what_it_does_not_establish() -> None:
    async with desk(160, 48) as at:
        screen = await at.open("ack.seen")
        text = screen_text(at.pilot.app)
        assert "#2  artifact.offer by ana  “Retry with [bold]full[/bold] jitter, cap at 30 s”" in text
        assert "maya on laptop · session 0000… · sequence 1 · key 0000…" in text
        assert "The bytes of #2 reached maya.  Nothing else." in text
        assert "ack.seen does not establish" in shown(screen, "aside")
        assert "permission, assignment, or a promise" in text
        assert "pinned to #2" in text
        assert "armed: Enter posts for #2 only, wherever the list moves" in text


async def test_new_events_of_others_in_the_thread_are_counted_and_steal_nothing() -> None:
    async with desk() as at:
        screen = await at.open("ack.seen")
        await at.press("e", "x")
        at.world.say("bo", "progress", summary="more")
        at.world.say("zed", "progress", summary="elsewhere", thread="task:1")
        at.world.say("maya", "progress", summary="mine")
        at.world.say("kit", "progress", summary="and more")
        screen.snapshot = at.world.snapshot()
        await at.press("y")
        assert "• 2 new events since you opened this" in shown(screen, "facts")
        assert screen.query_one(WordField).words == "xy"
        await at.press("enter")
        await at.armed(screen)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert body(at.session)["target_event_id"] == at.target.event.event_id


async def test_a_reader_without_a_key_cannot_post_or_write() -> None:
    async with desk() as at:
        me = at.session.snapshot.me
        assert me is not None
        snapshot = replace(at.session.snapshot, me=replace(me, can_sign=False))
        screen = await at.open("ack.seen", snapshot=snapshot)
        assert button(screen).shown == " no signing key here: reading only"
        await at.press("enter", "e", "x")
        assert at.session.sent == []
        assert screen.query_one(WordField).words == ""


async def test_an_installation_that_cannot_keep_what_signing_needs_says_so_and_posts_nothing() -> None:
    async with desk() as at:
        me = at.session.snapshot.me
        assert me is not None
        unusable = replace(me, can_sign=False, hindrance="state/device.json cannot be used: Read-only file system")
        screen = await at.open("ack.seen", snapshot=replace(at.session.snapshot, me=unusable))
        assert button(screen).shown == " cannot sign here: reading only"
        assert "device.json cannot be used: Read-only file system" in " ".join(shown(screen, "meaning").split())
        await at.press("enter", "e", "x")
        assert at.session.sent == []


@pytest.mark.parametrize("verdict", [Verdict.MISMATCH, Verdict.NO_KEY, Verdict.KEY_CHANGED])
async def test_a_verdict_that_does_not_hold_is_said_and_its_words_are_not_passed_on(verdict: Verdict) -> None:
    async with desk() as at:
        heard = replace(at.session.snapshot.by_id[at.target.event.event_id], verdict=verdict)
        snapshot = at.session.snapshot.heard((heard,), at.session.snapshot.history)
        screen = await at.open("ack.seen", snapshot=snapshot)
        assert verdict.value in shown(screen, "facts")
        assert ("Retry with" in shown(screen, "facts")) == (verdict is Verdict.NO_KEY)


async def test_a_malformed_event_cannot_be_cited() -> None:
    async with desk() as at:
        heard = at.session.snapshot.by_id[at.target.event.event_id]
        malformed = MalformedEvent(at.target.event.event_id, {}, ())
        broken = replace(heard, record=Record(malformed, heard.record.receipt, (), "not_applicable"))
        snapshot = at.session.snapshot.heard((broken,), at.session.snapshot.history)
        screen = await at.open("ack.seen", snapshot=snapshot)
        assert button(screen).shown == " Enter needs an event that can be read"
        await at.press("enter")
        assert at.session.sent == []


async def test_hostile_text_reaches_the_screen_as_text() -> None:
    hostile = "\x1b]0;x\x07[@click=app.quit]q[/] \u202eevil\u2028\x9b2J"
    async with desk(summary=hostile) as at:
        at.world.people["ana"] = replace(at.world.people["ana"], name="[red]ana\x1b[0m")
        at.session.show(at.world.snapshot())
        await at.open("ack.seen")
        text = screen_text(at.pilot.app)
        assert "[red]ana␛[0m" in text
        assert "␛]0;x␇[@click=app.quit]q[/] �evil⏎�2J" in text
        assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(text)


# Sizes


@pytest.mark.parametrize("size", [(160, 48), (120, 36), (80, 24), (60, 16)])
@pytest.mark.parametrize("kind", [*ACK_KINDS, "repair"])
async def test_everything_that_matters_fits(size: tuple[int, int], kind: str) -> None:
    async with desk(*size) as at:
        screen = await at.open(kind, git=GitHere(head_id=REVISION))
        text = screen_text(at.pilot.app)
        for needed in ("target", "thread", "as ", "says", "Enter ", "Esc close", "pinned to #2"):
            assert needed in text or (needed == "Esc close" and "Esc ends writing" in text), needed
        assert "not " in text or "does not establish" in text
        composer = screen.query_one("#composer")
        assert composer.region.bottom == size[1]
        assert composer.region.y > 0
        assert screen.query_one("#main").max_scroll_y == 0


@pytest.mark.parametrize("size", [(160, 48), (120, 36), (80, 24), (60, 16)])
async def test_bytes_scroll_where_they_do_not_fit_and_the_strokes_stay(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        screen = await at.open("ack.seen")
        await at.press("v")
        assert "Enter posts" in screen_text(at.pilot.app)
        assert screen.query_one("#composer").region.y > 0
        assert ("Up Down scroll" in screen_text(at.pilot.app)) == (screen.query_one("#main").max_scroll_y > 0)
        await at.press(*["pagedown"] * 8)
        assert "SHA-256( agent-correspondence/v0.1" in screen_text(at.pilot.app)


@pytest.mark.parametrize(("y", "expected"), [(3, 3), (20, None)])
async def test_the_pinned_row_keeps_its_place_or_stands_right_above_the_composer(y: int, expected: int | None) -> None:
    async with desk(80, 24) as at:
        screen = await at.open("ack.seen", pinned=Pinned(((Span("▌ #2 the row", Ink.STRONG),),), 0, y, 80))
        await at.pilot.pause()
        row = screen.query_one("#pinned")
        assert row.region.y == (expected if expected is not None else screen.query_one("#composer").region.y - 1)
        assert "▌ #2 the row" in screen_text(at.pilot.app)


async def test_only_an_armed_button_is_filled() -> None:
    async with desk() as at:
        screen = await at.open("ack.applied")
        assert {each.ground for each in screen.query(Stroke)} == {Ground.RAISED, Ground.PANEL}


async def test_ascii_has_no_other_character() -> None:
    async with desk() as at:
        await at.open("ack.seen", ascii_only=True)
        await at.press("v")
        text = screen_text(at.pilot.app)
        assert text.isascii()
        assert "?" not in text


async def test_own_keys_are_shown_in_the_composer() -> None:
    async with desk() as at:
        screen = await at.open("ack.seen", commands=table({"compose.bytes": ["b"]}))
        assert screen.query_one("#stroke-bytes", Stroke).shown == "b signed bytes"


async def test_a_pinned_row_goes_when_the_board_behind_is_laid_out_anew() -> None:
    """Where the row stands then, only the board knows; a copy elsewhere would show a wrong order."""
    async with desk() as at:
        screen = await at.open("ack.seen", pinned=Pinned(((Span("▌ #2 the row", Ink.STRONG),),), 0, 4, 80))
        assert "▌ #2 the row" in screen_text(at.pilot.app)
        await at.pilot.resize_terminal(80, 24)
        await until(at.pilot, lambda: "▌ #2 the row" not in screen_text(at.pilot.app))
        assert screen.is_current


async def test_what_is_said_about_events_is_about_their_paths() -> None:
    """§2.2: the scope of an acknowledgement or repair is that of what it cites."""
    async with desk() as at:
        api = at.world.say("ana", "intent", summary="one", paths=["src/api"])
        docs = at.world.say("bo", "intent", summary="two", paths=["docs", "src/api"])
        at.session.show(at.world.snapshot())
        screen = await at.open("ack.seen", api)
        await at.press("enter")
        await until(at.pilot, lambda: bool(at.results))
        assert at.session.sent[-1].core.scope.paths == ["src/api"]
        screen = await at.open("repair", api, docs)
        await at.press(*"cap", "enter")
        await at.armed(screen)
        await at.press("enter")
        await until(at.pilot, lambda: len(at.results) == 2)
        assert at.session.sent[-1].core.scope.paths == ["src/api", "docs"]
