"""`corr-tui events [FILTER]...`: the grammar of the board, on what the service says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from corr_tui.client.http import Client, Fresh
from corr_tui.protocol.records import Claims, Voice
from corr_tui.state.home import Home

from .conftest import Cli, Remote


@pytest.fixture
def talk(cli: Cli) -> list[dict[str, Any]]:
    """Six events of two identities in a local project."""
    cli.make()

    def say(kind: str, *words: str) -> dict[str, Any]:
        return cli.send(kind, *words)

    intent = say("intent", "--thread", "task:42", "--summary", "Move retries", "--path", "src/api", "--as", "ana")
    say("ack.seen", "--target", "1", "--as", "bo")
    say("claim.open", "--thread", "task:42", "--path", "src/api/client", "--expires-in", "1h", "--as", "bo")
    say("observation", "--thread", "task:7", "--summary", "Flaky on arm64", "--path", "docs", "--as", "bo")
    say("claim.open", "--thread", "task:42", "--path", "src", "--expires-in", "1h", "--as", "ana")
    return [intent, say("close", "--thread", "task:7", "--as", "ana")]


def found(cli: Cli, *terms: str) -> list[str]:
    """The receipt numbers of what a filter finds."""
    printed = json.loads(cli.run("events", "--json", *terms).stdout)
    return [record["receipt"]["received_seq"] for record in printed["events"]]


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (("kind:ack.*",), "2"),
        (("-kind:ack.*", "-by:bo"), "156"),
        (("-kind:ack.* -by:bo",), "156"),
        (("by:bo", "path:src"), "23"),
        (("FLAKY",), "4"),
        (('"flaky on"', "thread:task:7"), "4"),
        (("is:closed",), "46"),
        (("has:acks",), "1"),
        (("is:live",), "35"),
        (("is:conflicted",), "35"),
        (("is:mine", "--as", "bo"), "234"),
        (("-is:mine", "--as", "bo"), "156"),
        (("has:my-ack", "--as", "bo"), "1"),
        (("is:unverified",), ""),
        (("-is:listed", "-is:verified"), ""),
        (("--after", "#4", "by:ana"), "56"),
        (("--after", "4", "is:closed"), "6"),
        (("has:acks", "--thread", "task:7"), ""),
        (("--", "-by:ana", "-kind:claim.*"), "24"),
        ((), "123456"),
        (("",), "123456"),
    ],
)
def test_events_are_those_a_filter_finds(
    cli: Cli, talk: list[dict[str, Any]], terms: tuple[str, ...], expected: str
) -> None:
    assert found(cli, *terms) == list(expected)


def test_json_keeps_the_services_records_as_they_are(cli: Cli, talk: list[dict[str, Any]]) -> None:
    """§7"""
    whole, some = cli.json("events"), cli.json("events", "kind:intent")
    assert some["events"] == whole["events"][:1]
    assert some["events"][0]["event"] == talk[0]["event"]
    assert some["page"] == whole["page"]


def test_text_names_what_is_cited_though_it_is_not_listed(cli: Cli, talk: list[dict[str, Any]]) -> None:
    assert "→ #1" in cli.run("events", "kind:ack.seen").stdout
    assert cli.run("events", "kind:rest").stdout == "No events match.\n"


def test_an_identifier_finds_its_event(cli: Cli, talk: list[dict[str, Any]]) -> None:
    event_id = talk[0]["event"]["event_id"]
    assert found(cli, f"id:{event_id}") == found(cli, f"id:{event_id[7:15]}…") == found(cli, "id:#1") == ["1"]


def test_an_error_points_at_its_place(cli: Cli) -> None:
    refused = cli.run("events", "flaky", "-kind:akc.*", code=2)
    assert refused.stdout == ""
    said = refused.stderr.splitlines()
    assert said[0] == "corr-tui: FILTER: no kind is called or begins so; the kinds are"
    assert said[1:3] == ["  flaky -kind:akc.*", "              ^^^^^"]
    assert "ack.*, claim.*, conflict.*, intent" in said[3]


def test_an_error_points_in_cells_and_shows_nothing_a_terminal_obeys(cli: Cli) -> None:
    said = cli.run("events", "日本\x1b[2J", "status:x", code=2).stderr.splitlines()
    assert said[1:3] == ["  日本␛[2J status:x", f"  {' ' * 9}{'^' * 7}"]


def test_a_row_of_short_options_that_is_none_is_a_term_but_a_single_letter_is_refused(cli: Cli) -> None:
    cli.make()
    assert cli.run("events", "-has:acks").stdout == "No events match.\n"
    assert "No such option" in cli.run("events", "-n", "5", code=2).stderr
    assert "No such option" in cli.run("events", "--newest", code=2).stderr


def test_help_lists_the_grammar(cli: Cli) -> None:
    said = cli.run("events", "--help").stdout
    for words in ("[FILTER]...", "kind:", "path:", "is:unverified", "has:missing"):
        assert words in said


def test_looking_pins_no_key(cli: Cli, remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    """experience: honesty 8. What a filter looks at is not what somebody relies on."""
    cli.send("intent", "--thread", "t", "--summary", "hello")
    pins = Home.under(cli.home).trust_file
    pins.unlink()
    assert found(cli, "is:verified") == ["1"], "it is signed with the key given here"
    for name in ("CORR_TUI_IDENTITY_ID", "CORR_TUI_SIGNING_KEY_ID", "CORR_TUI_SIGNING_KEY_FILE"):
        monkeypatch.delenv(name)
    assert found(cli, "is:listed") == ["1"]
    assert found(cli, "is:verified") == []
    assert not pins.exists()


def test_what_could_not_be_wholly_known_is_said_beside_the_answer(
    cli: Cli, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """§6: absence means something only in a complete projection."""
    cli.send("intent", "--thread", "t", "--summary", "hello")

    async def bounded(client: Client, repository_id: str, **asked: object) -> Fresh[Voice]:
        answer = await voice(client, repository_id)
        assert isinstance(answer, Fresh)
        return replace(answer, value=structs.replace(answer.value, projection_status="truncated", truncated=True))

    voice = Client.voice
    monkeypatch.setattr(Client, "voice", bounded)
    monkeypatch.setattr(Client, "claims", unavailable_claims)
    answer = cli.run("events", "is:live")
    assert answer.stdout == "No events match.\n"
    assert answer.stderr == "corr-tui: is:live: projection truncated\n"


async def unavailable_claims(client: Client, repository_id: str, **asked: object) -> Fresh[Claims]:
    return Fresh(Claims("2026-05-14T13:00:00.000Z", None, "truncated", True, ()), None)
