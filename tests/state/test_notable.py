"""What is worth a notice: what newly wants my eyes, nothing I did myself, nothing that was read at start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corr_tui.state.home import ConfigRefused, Home
from corr_tui.state.notable import chosen, notable
from corr_tui.state.notice_settings import NoticeSettings, notice_settings
from corr_tui.state.snapshot import Snapshot, Unsent, UnsentState, Verdict
from corr_tui.state.triage import Item, Reason
from tests.correspondents import World, claim
from tests.ui.panel_scene import with_verdict

REVISION = {"kind": "git_commit", "revision": "a" * 40}


class Watched:
    """A world, and the snapshot before what comes."""

    def __init__(self) -> None:
        self.world = World()
        self.mine = self.world.say("maya", "claim.open", claim_id=claim(1), paths=["src"], expires_in=3600)
        self.before, self.then = self.world.snapshot(), self.world.now

    def news(self, now: Snapshot | None = None) -> list[Item]:
        return list(notable(self.before, now or self.world.snapshot(), self.then, self.world.now))

    def reasons(self, now: Snapshot | None = None) -> list[Reason]:
        return [item.reason for item in self.news(now)]


def test_an_offer_a_conflict_a_repair_and_an_overlap_of_others_are_news_each_by_its_reason() -> None:
    at = Watched()
    offer = at.world.say("bo", "artifact.offer", artifact=REVISION, summary="done")
    at.world.say("ana", "conflict.raise", targets=(offer, at.mine), parents=(offer, at.mine))
    at.world.say("ana", "repair", targets=(at.mine,), parents=(at.mine,), summary="docs too")
    at.world.say("kit", "claim.open", claim_id=claim(2), paths=["src/api"], expires_in=3600)
    assert at.reasons() == [Reason.UNACKNOWLEDGED, Reason.RAISED, Reason.OVERLAP, Reason.REPAIR]


def test_what_i_did_is_no_news() -> None:
    at = Watched()
    theirs = at.world.say("kit", "claim.open", claim_id=claim(2), paths=["docs"], expires_in=3600)
    at.before = at.world.snapshot()
    at.world.say("maya", "intent", summary="mine")
    at.world.say("maya", "claim.open", claim_id=claim(3), paths=["docs"], expires_in=3600)
    at.world.say("maya", "conflict.raise", targets=(theirs, at.mine), parents=(theirs, at.mine))
    unsent = Unsent(at.world.event("maya", "ack.seen", target=theirs))
    assert at.news(replace(at.world.snapshot(), unsent=(unsent,))) == []


def test_an_event_of_mine_that_was_refused_is_news_once() -> None:
    at = Watched()
    unsent = Unsent(at.world.event("maya", "ack.seen", target=at.mine))
    waiting = replace(at.before, unsent=(unsent,))
    refused = replace(at.before, unsent=(replace(unsent, state=UnsentState.REFUSED, reason="no"),))
    assert list(notable(waiting, refused, at.then, at.then)) == [Item(Reason.UNSENT, unsent.event.event_id)]
    assert notable(refused, refused, at.then, at.then) == ()


def test_a_signature_that_is_not_proved_and_a_fork_of_my_session_are_news() -> None:
    at = Watched()
    stranger = at.world.say("zed", "observation", summary="hello")
    at.world.say("maya", "progress", summary="at one place", seq=1)
    now = with_verdict(at.world.snapshot(), stranger.seq, Verdict.NO_KEY)
    assert set(at.reasons(now)) == {Reason.SIGNATURE, Reason.FORK}


def test_a_claim_of_mine_that_comes_near_its_expiry_is_news_by_time_alone_and_once() -> None:
    at = Watched()
    at.world.now = at.then.replace(hour=at.then.hour, minute=58)
    assert at.reasons(at.before) == [Reason.EXPIRY]
    assert notable(at.before, at.before, at.world.now, at.world.now) == ()
    assert notable(at.before, at.before, None, at.world.now) == ()


def test_what_is_read_at_start_and_another_history_are_no_news() -> None:
    at = Watched()
    at.world.say("bo", "artifact.offer", artifact=REVISION, summary="done")
    now = at.world.snapshot()
    reading = replace(at.before, history=replace(at.before.history, complete=False))
    other = replace(now, history=replace(now.history, reset_from="7"))
    assert notable(reading, now, at.then, at.then) == ()
    assert notable(at.before, other, at.then, at.then) == ()
    assert len(notable(at.before, now, at.then, at.then)) == 1


def test_only_chosen_reasons_are_told() -> None:
    items = (Item(Reason.RAISED, "a"), Item(Reason.FORK, "b"))
    assert chosen(items, None) == items
    assert chosen(items, {"fork"}) == (items[1],)
    assert chosen(items, frozenset()) == ()


# Settings.


def read(folder: Path, content: str) -> NoticeSettings:
    home = Home.under(folder)
    home.config.mkdir(exist_ok=True)
    home.config_file.write_text(content, encoding="utf-8")
    return notice_settings(home)


def test_without_a_word_only_the_app_itself_tells(tmp_path: Path) -> None:
    assert notice_settings(Home.under(tmp_path)) == NoticeSettings()
    assert NoticeSettings() == NoticeSettings(in_app=True, bell=False, osc9=False, title=False, reasons=None)


def test_every_way_is_switched_by_itself(tmp_path: Path) -> None:
    said = "[notices]\nin_app = false\nbell = true\nosc9 = true\ntitle = true\nreasons = ['raised', 'fork']\n"
    assert read(tmp_path, said) == NoticeSettings(False, True, True, True, frozenset({"raised", "fork"}))


@pytest.mark.parametrize(
    ("content", "setting"),
    [
        ("notices = 1", "notices"),
        ("[notices]\nbell = 'loud'", "notices.bell"),
        ("[notices]\nhorn = true", "'notices.horn'"),
        ("[notices]\nreasons = ['offer']", "notices.reasons"),
        ("[notices]\nreasons = 'raised'", "notices.reasons"),
        ("[notices]\nreasons = [[]]", "notices.reasons"),
    ],
)
def test_a_setting_that_breaks_its_rule_is_refused_by_name(tmp_path: Path, content: str, setting: str) -> None:
    with pytest.raises(ConfigRefused) as refused:
        read(tmp_path, content)
    assert refused.value.setting == setting
