"""Notices: one for a burst, none of my own acts, each way switched by itself, and no byte of others in any of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import pytest

from corr_tui.state.notice_settings import NoticeSettings
from corr_tui.state.snapshot import Identity, Snapshot
from corr_tui.state.triage import Item, Reason
from corr_tui.ui.announcing import REST, SETTLE, WORDS, Announcer, told
from tests.correspondents import World
from tests.ui.on_terminal import LEFT, on_terminal
from tests.ui.test_held_key import Timers

REVISION = {"kind": "git_commit", "revision": "a" * 40}
EVERY_WAY = NoticeSettings(in_app=True, bell=True, osc9=True, title=True)


@dataclass
class Heard:
    """What went which way."""

    told: list[str] = field(default_factory=list)
    rung: int = 0
    notified: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)

    def tell(self, words: str) -> None:
        self.told.append(words)

    def ring(self) -> None:
        self.rung += 1

    def notify(self, words: str) -> None:
        self.notified.append(words)

    def entitle(self, words: str) -> None:
        self.titles.append(words)


class Post:
    """An announcer over a world whose history was just read, on timers that are run by hand."""

    def __init__(self, settings: NoticeSettings = EVERY_WAY) -> None:
        self.world, self.ways, self.timers = World(), Heard(), Timers()
        self.world.say("ana", "artifact.offer", artifact=REVISION, summary="old")
        self.announcer = Announcer(
            settings, self.ways, "corr-tui", after=self.timers.set_timer, monotonic=lambda: self.timers.now
        )
        self.announcer.entitle()
        self.hear()

    def hear(self, snapshot: Snapshot | None = None) -> None:
        self.announcer.hear(snapshot or self.world.snapshot())

    def offer(self, who: str = "bo") -> None:
        self.world.say(who, "artifact.offer", artifact=REVISION, summary="done")
        self.hear()


def test_a_burst_is_one_notice_each_way() -> None:
    post = Post()
    for _ in range(20):
        post.offer()
    post.timers.wait(SETTLE)
    assert post.ways == Heard(
        told=["new: 20 intents or offers"],
        rung=1,
        notified=["new: 20 intents or offers"],
        titles=["corr-tui", "corr-tui · 20 new"],
    )
    post.timers.wait(10 * REST)
    assert post.ways.rung == 1


def test_what_comes_soon_after_a_notice_waits_and_is_told_together() -> None:
    post = Post()
    post.offer()
    post.timers.wait(SETTLE)
    post.offer()
    post.timers.wait(REST / 2)
    post.offer()
    assert post.ways.told == ["new: #2 intent or offer by bo"]
    post.timers.wait(REST)
    assert post.ways.told[1:] == ["new: 2 intents or offers"]
    post.timers.wait(REST)
    post.offer()
    post.timers.wait(SETTLE)
    assert post.ways.rung == 3
    assert post.ways.titles[-1] == "corr-tui · 4 new"


def test_nothing_is_told_of_what_was_read_at_start_or_of_what_i_did() -> None:
    post = Post()
    post.offer("maya")
    post.hear()
    post.timers.wait(10 * REST)
    assert post.ways == Heard(titles=["corr-tui"])
    reading = Announcer(EVERY_WAY, post.ways, "t", after=post.timers.set_timer, monotonic=lambda: 0.0)
    whole = post.world.snapshot()
    reading.hear(replace(whole, events=(), by_id={}, history=replace(whole.history, complete=False)))
    reading.hear(whole)
    post.timers.wait(10 * REST)
    assert post.ways.told == []


def test_a_person_at_the_keys_takes_the_count_out_of_the_title() -> None:
    post = Post()
    post.announcer.touched()
    post.offer()
    post.timers.wait(SETTLE)
    post.announcer.touched()
    post.announcer.touched()
    assert post.ways.titles == ["corr-tui", "corr-tui · 1 new", "corr-tui"]


@pytest.mark.parametrize("way", ["in_app", "bell", "osc9", "title"])
def test_each_way_is_gone_by_itself(way: str) -> None:
    switched = {each: each == way for each in ("in_app", "bell", "osc9", "title")}
    post = Post(NoticeSettings(**switched, reasons=None))
    post.offer()
    post.timers.wait(SETTLE)
    went = {
        "in_app": bool(post.ways.told),
        "bell": bool(post.ways.rung),
        "osc9": bool(post.ways.notified),
        "title": bool(post.ways.titles),
    }
    assert [each for each, gone in went.items() if gone] == [way]


def test_a_reason_that_was_not_chosen_is_not_told() -> None:
    post = Post(replace(EVERY_WAY, reasons=frozenset({"raised"})))
    post.offer()
    post.timers.wait(SETTLE)
    assert post.ways == Heard(titles=["corr-tui"])


def test_one_thing_is_named_by_number_and_sender_and_an_unproved_sender_is_not_named() -> None:
    world = World()
    record = world.say("bo", "artifact.offer", artifact=REVISION, summary="done")
    snapshot, event_id = world.snapshot(), record.event.event_id
    assert told([Item(Reason.UNACKNOWLEDGED, event_id)], snapshot) == "new: #1 intent or offer by bo"
    assert told([Item(Reason.SIGNATURE, event_id)], snapshot) == "new: #1 signature not proved"
    assert told([Item(Reason.FORK, "sha256:" + "ab" * 32)], snapshot) == "new: abab… fork of a session of mine"


def test_every_reason_has_words_for_one_and_for_several() -> None:
    assert WORDS.keys() == set(Reason)
    several = [Item(each, str(number)) for each in Reason for number in range(2)]
    assert told(several, World().snapshot()).count("2 ") == len(Reason)


def test_a_hostile_name_reaches_no_way_as_it_is() -> None:
    post = Post()
    bo = post.world.people["bo"].sender().identity_id
    post.world.say("bo", "artifact.offer", artifact=REVISION, summary="done")
    snapshot = post.world.snapshot()
    named = {**snapshot.identities, bo: Identity(bo, "b\x1b]0;evil\x07\x9c\n\u202eo" + "x" * 300)}
    post.hear(replace(snapshot, identities=MappingProxyType(named)))
    post.timers.wait(SETTLE)
    for words in (*post.ways.told, *post.ways.notified, *post.ways.titles):
        assert words.isprintable()
        assert len(words) < 100


# On a terminal.

ARRIVING = """
async def arrive():
    while app.board.snapshot is not session.snapshot:
        await asyncio.sleep(0)
    coming = []
    for _ in range(20):
        world.say("bo", "artifact.offer", artifact={"kind": "git_commit", "revision": "a" * 40}, summary="done")
        coming.append(world.snapshot(me=session.me))
    for snapshot in coming:
        session.show(snapshot)
        while app.board.snapshot is not snapshot:
            await asyncio.sleep(0)
    app._announcer._settled()  # as its timer would, whenever the machine has time for it

import corr_tui.ui.announcing
corr_tui.ui.announcing.SETTLE = 3600.0
asyncio.ensure_future(arrive())
"""
ALL = (
    "notices=__import__('corr_tui.state.notice_settings').state.notice_settings.NoticeSettings(True, True, True, True)"
)
OSC = re.compile(rb"\x1b\](?!22;)([^\x07\x1b]*)\x07")


def test_a_burst_rings_once_notifies_once_and_the_title_is_given_back() -> None:
    with on_terminal(ARRIVING, ALL + ", title='one \\x1b]0;x\\x07 two'") as terminal:
        terminal.read_until(b" new\x07")
        terminal.type("q")
        assert terminal.read_to_the_end() == 0
        base = "one ␛]0;x␇ two"
        assert [found.decode() for found in OSC.findall(terminal.output)] == [
            f"2;{base}",
            "9;corr-tui: new: 20 intents or offers",
            f"2;{base} · 20 new",
            f"2;{base}",
            "2;",
        ]
        rung = re.sub(rb"\x1b\][^\x07\x1b]*\x07", b"", terminal.output)
        assert rung.count(b"\x07") == 1
        assert terminal.output.count(b"\x1b[22;2t") == terminal.output.count(b"\x1b[23;2t") == 1
        assert terminal.output.index(b"\x1b[23;2t") < terminal.output.index(LEFT)


def test_in_tmux_a_notification_is_wrapped_and_in_screen_too() -> None:
    for variable, wrapped in (("TMUX", b"\x1bPtmux;\x1b\x1b]9;corr-tui: "), ("STY", b"\x1bP\x1b]9;corr-tui: ")):
        with on_terminal(ARRIVING, ALL, **{variable: "1"}) as terminal:
            terminal.read_until(wrapped)
            terminal.read_until(b"\x1b\\", terminal.output.index(wrapped))


def test_by_default_a_notice_is_a_line_in_the_app_alone() -> None:
    with on_terminal(ARRIVING) as terminal:
        terminal.read_until(b"new: 20 intents or offers")
        terminal.type("q")
        assert terminal.read_to_the_end() == 0
        assert OSC.findall(terminal.output) == []
        assert b"\x07" not in re.sub(rb"\x1b\][^\x07]*\x07", b"", terminal.output)
