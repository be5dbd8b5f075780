"""Searching the history that is kept here, with the service at hand and without."""

from __future__ import annotations

import pytest

from .conftest import Cli, Remote

THREAD = ("--thread", "task:1")


def test_search_prints_events_that_hold_every_word_in_receipt_order(cli: Cli) -> None:
    cli.send("observation", *THREAD, "--summary", "The parser drops a trailing comma")
    cli.send("observation", "--thread", "task:2", "--summary", "The printer is fine")
    cli.send("observation", *THREAD, "--summary", "A comma is back; the PARSER is well")
    found = cli.run("search", "parser", "comma").stdout.splitlines()
    assert [line.partition(" ")[0] for line in found] == ["#1", "#3"]
    assert found[0].endswith("“The parser drops a trailing comma”")
    assert cli.run("search", "trailing comma").stdout == found[0] + "\n"
    assert cli.run("search", "comma trailing").stdout == "No event holds these words.\n"
    assert cli.run("search", "comma", "--limit", "1").stdout == found[1] + "\n"
    assert cli.run("search", "task:2").stdout.startswith("#2")


def test_search_prints_records_and_how_far_the_history_goes_as_json(cli: Cli) -> None:
    sent = cli.send("observation", *THREAD, "--summary", "find me")
    cli.send("observation", *THREAD, "--summary", "not this")
    printed = cli.json("search", "find")
    (found,) = printed.pop("events")
    assert printed == {"through": "2", "complete": True}
    assert found["event"]["event_id"] == sent["event"]["event_id"]
    assert found["receipt"] == sent["receipt"]
    assert (found["missing_parents"], found["lineage_status"], found["verdict"]) == ([], "not_applicable", "verified")
    assert cli.json("search", "nothing")["events"] == []


@pytest.mark.parametrize("words", ["", "  ", "!?", '""'])
def test_search_for_no_word_is_refused(cli: Cli, words: str) -> None:
    cli.send("observation", *THREAD, "--summary", "x")
    assert "no word" in cli.run("search", words, code=2).stderr


def test_search_makes_no_project(cli: Cli) -> None:
    assert "no local project" in cli.run("search", "x", code=2).stderr
    assert not cli.home.exists()


def test_search_works_on_what_is_kept_while_the_service_is_away_and_says_how_far(cli: Cli, remote: Remote) -> None:
    cli.send("observation", *THREAD, "--summary", "kept here")
    assert cli.run("search", "kept").stderr == ""
    cli.send("observation", *THREAD, "--summary", "kept there only")
    remote.stop()
    away = cli.run("search", "kept")
    assert [line.partition(" ")[0] for line in away.stdout.splitlines()] == ["#1"]
    assert away.stderr == (
        "The service was not reached (could not connect): this is the history kept here, through #1.\n"
    )
    assert cli.json("search", "kept")["through"] == "1"
    remote.start()
    assert len(cli.run("search", "kept").stdout.splitlines()) == 2


def test_search_with_nothing_kept_and_no_service_is_not_reached(cli: Cli, remote: Remote) -> None:
    remote.stop()
    assert "not reached" in cli.run("search", "kept", code=4).stderr


def test_search_with_a_bearer_that_is_refused_says_so(
    cli: Cli, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.send("observation", *THREAD, "--summary", "kept")
    cli.run("search", "kept")
    monkeypatch.setenv("CORR_TUI_BEARER", "at_another")
    assert "refused (401)" in cli.run("search", "kept", code=3).stderr


def test_what_others_said_cannot_write_on_the_terminal(cli: Cli) -> None:
    cli.send("observation", *THREAD, "--summary", "find \x1b[2J me")
    assert "\x1b" not in cli.run("search", "find").stdout
    assert "\x1b" not in cli.run("search", "find", "--json").stdout
