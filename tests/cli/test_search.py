"""Searching the history that is kept here, with the service at hand and without."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from corr_tui.server.accounts import Accounts
from corr_tui.server.database import open_database

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
    assert printed == {"through": "2", "complete": True, "reached": True}
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
        "The service was not reached (could not connect): this is the history kept here, through #1, all that it had "
        "when it was last read.\n"
    )
    printed = cli.json("search", "kept")
    assert (printed["through"], printed["complete"], printed["reached"]) == ("1", True, False)
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


def test_search_offline_knows_people_by_their_names(cli: Cli, remote: Remote) -> None:
    cli.send("observation", *THREAD, "--summary", "kept here")
    there = cli.run("search", "kept").stdout
    assert " ana " in there
    remote.stop()
    assert cli.run("search", "kept").stdout == there
    assert cli.run("search", "ana").stdout == there


def test_search_with_a_bearer_that_is_refused_searches_what_is_kept_and_says_so_by_its_exit_code(
    cli: Cli, remote: Remote
) -> None:
    cli.send("observation", *THREAD, "--summary", "kept here")
    there = cli.run("search", "kept").stdout
    Accounts(remote.database).revoke_token(remote.bearer)
    refused = cli.run("search", "kept", code=3)
    assert refused.stdout == there
    assert refused.stderr.startswith("The service refused the bearer (")
    assert "through #1, all that it had when it was last read." in refused.stderr
    printed = json.loads(cli.run("search", "kept", "--json", code=3).stdout)
    assert (len(printed["events"]), printed["complete"], printed["reached"]) == (1, True, False)


def test_search_with_a_bearer_that_was_never_taken_finds_nothing(cli: Cli, remote: Remote) -> None:
    cli.send("observation", *THREAD, "--summary", "kept here")
    cli.run("search", "kept")
    assert "refused (401)" in cli.run("search", "kept", "--bearer", "at_other", code=3).stderr


@pytest.fixture
def replaced(cli: Cli, remote: Remote, tmp_path: Path) -> Iterator[Remote]:
    """The service goes on from a copy of its database that lacks the three events read here."""
    with (
        closing(sqlite3.connect(tmp_path / "remote.db")) as now,
        closing(sqlite3.connect(tmp_path / "then.db")) as then,
    ):
        now.backup(then)
    for number in range(3):
        cli.send("observation", *THREAD, "--summary", f"lost {number}")
    assert len(cli.run("search", "lost").stdout.splitlines()) == 3
    remote.stop()
    before, remote.database = remote.database, open_database(f"sqlite:///{tmp_path / 'then.db'}")
    remote.start()
    yield remote
    remote.stop()
    remote.database.close()
    remote.database = before


@pytest.mark.usefixtures("replaced")
def test_another_history_is_said_once_by_a_search_and_the_one_before_can_be_searched(cli: Cli) -> None:
    cli.send("observation", *THREAD, "--summary", "here now")
    noticed = cli.run("search", "lost")
    assert noticed.stdout == "No event holds these words.\n"
    assert "The one to #3 is kept apart on disk and is not shown; 3 events of yours in it are not in" in noticed.stderr
    assert cli.run("search", "here").stderr == ""
    first, *lines = cli.run("search", "lost", "--apart").stdout.splitlines()
    assert first.startswith("The history to #3, kept apart since 2")
    assert [line.partition(" ")[0] for line in lines] == ["#1", "#2", "#3"]
    (apart,) = cli.json("search", "lost", "--apart", "--limit", "2")["apart"]
    assert (apart["through"], [each["receipt"]["received_seq"] for each in apart["events"]]) == ("3", ["2", "3"])


def test_search_apart_says_where_nothing_was_before(cli: Cli) -> None:
    cli.send("observation", *THREAD, "--summary", "x")
    assert (
        cli.run("search", "x", "--apart").stdout == "No other history was at this address, as far as is known here.\n"
    )


@pytest.mark.usefixtures("replaced")
def test_events_and_send_say_that_another_history_is_here_until_it_was_read(cli: Cli) -> None:
    said = "corr-tui: another history is at this address now than the one kept here, to #3."
    assert cli.run("events").stderr.startswith(said)
    sent = cli.run("send", "observation", *THREAD, "--summary", "here now")
    assert sent.stderr.startswith(said)
    assert cli.run("events", "--after", "0", "--json").stderr.startswith(said)
    cli.run("search", "here")
    assert cli.run("events").stderr == ""
    assert cli.run("send", "observation", *THREAD, "--summary", "and on").stderr == ""


def test_search_answers_from_what_is_kept_when_the_database_of_a_local_project_is_gone(cli: Cli) -> None:
    cli.send("observation", *THREAD, "--summary", "kept here")
    there = cli.run("search", "kept").stdout
    database = cli.make().database_file
    database.rename(database.with_suffix(".away"))
    gone = cli.run("search", "kept")
    assert gone.stdout == there
    assert gone.stderr == (
        "The service was not reached (the database of the local project is gone): this is the history kept here, "
        "through #1, all that it had when it was last read.\n"
    )
    assert not database.exists()
