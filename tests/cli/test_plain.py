"""Plain text: honest about what is not known, neutral in conflicts, clean of controls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corr_tui.cli.plain import Names, event_line, numbers_of, voice_lines
from corr_tui.protocol.records import read_events_page, read_voice
from tests.correspondents import NAMES, REPOSITORY_ID, World, claim, uuid

NUMBERED = {uuid(2, number): name for number, name in enumerate(NAMES, 1)}


def text(world: World, status: str = "complete") -> str:
    """The voice of a world as lines of text."""
    voice = read_voice(json.loads(json.dumps(world.voice(status))))
    return "\n".join(voice_lines(voice, REPOSITORY_ID, Names(NUMBERED, numbers_of(voice.recent_events))))


def test_no_active_claims_is_written_only_when_the_projection_is_complete() -> None:
    """§6; experience: honesty 1"""
    assert "No active claims." in text(World())
    for status in ("truncated", "unavailable"):
        said = text(World(), status)
        assert "No active claims" not in said
        assert status in said.lower()


@pytest.mark.parametrize("status", ["truncated", "unavailable"])
def test_no_conflicts_is_written_only_when_the_projection_is_complete(status: str) -> None:
    """§7.1"""
    assert "none in this part" in text(World(), status)
    assert "none in this part" not in text(World())


def test_every_conflict_is_named_by_the_numbers_of_its_events() -> None:
    """§4, §6, §7.1"""
    world = World()
    opened = world.say("ana", "claim.open", paths=["src"], claim_id=claim(1), expires_in=3600)
    world.say("bo", "claim.open", paths=["src/api"], claim_id=claim(2), expires_in=3600)
    world.say("ana", "claim.renew", predecessor=opened, expires_in=3600)
    world.say("ana", "claim.renew", predecessor=opened, expires_in=7200)
    world.say("zed", "observation", summary="one", seq=7)
    world.say("zed", "observation", summary="other", seq=7, parents=("sha256:" + "0" * 64,))
    said = text(world)
    assert "overlap  src  #" in said
    assert "competes with #3" in said
    assert "competes with #4" in said
    assert "fork  zed sequence 7  #" in said
    assert "missing  1 of the parents of #6" in said


def test_what_an_event_says_stands_on_its_line_whatever_its_kind() -> None:
    """§5"""
    world = World()
    offer = world.say("ana", "artifact.offer", artifact={"kind": "git_commit", "revision": "a" * 40}, summary="take it")
    world.say("bo", "ack.applied", target=offer, result_revision="b" * 40, detail="done")
    world.say("kit", "pause", until="2026-05-14T16:00:00.000Z")
    world.say("lin", "handoff", summary="half", next_safe_action="look first")
    said = text(world)
    assert f"git_commit {'a' * 40}  “take it”" in said
    assert f"→ #1  result {'b' * 40}  “done”" in said
    assert "until 2026-05-14 16:00:00Z" in said
    assert "“half”  “look first”" in said


def test_names_words_and_threads_of_others_pass_the_text_door() -> None:
    """§9"""
    world = World()
    world.say("ana", "observation", summary="\x1b]0;title\x07 \u202e", thread="t\u200b", paths=["a\u200bb"])
    page = read_events_page(json.loads(json.dumps(world.page())))
    line = event_line(page.events[0], Names({uuid(2, 1): "\x9b31mana"}))
    assert line.isprintable()


def test_a_malformed_event_is_called_one_and_takes_no_line_but_its_own() -> None:
    """§7"""
    world = World()
    world.say("ana", "observation", summary="fine")
    page: dict[str, Any] = json.loads(json.dumps(world.page()))
    page["events"][0]["event"]["kind"] = "nonsense\n"
    assert "malformed event sha256:" in event_line(read_events_page(page).events[0], Names())


@pytest.mark.parametrize(
    ("paths", "shown"),
    [(["src/api"], "  in src/api  “s”"), (["docs", "src"], "  in docs +1  “s”"), (["."], "  t  “s”")],
)
def test_the_paths_of_an_event_are_shown_unless_they_are_the_whole_repository(paths: list[str], shown: str) -> None:
    """§2.2"""
    world = World()
    world.say("ana", "observation", thread="t", summary="s", paths=paths)
    assert shown in text(world)
