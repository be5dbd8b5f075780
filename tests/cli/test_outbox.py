"""`corr-tui outbox`: what has no receipt yet is listed, exported and discarded by name, without any service."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from corr_tui.cli.main import main
from corr_tui.protocol.event import read_event
from corr_tui.protocol.signing import event_jcs
from corr_tui.protocol.strict_json import decode
from corr_tui.state.home import Home
from corr_tui.state.listed_names import ListedNames
from corr_tui.state.runs import Runs
from corr_tui.state.snapshot import Identity
from corr_tui.state.trust import Place

from .conftest import Cli, Remote

Say = Callable[..., str]


@pytest.fixture
def offline(remote: Remote, cli: Cli) -> Say:
    """Says something while the service is away; the id of the event that is kept."""
    cli.send("observation", "--thread", "t", "--summary", "before")
    remote.stop()

    def say(summary: str = "s", thread: str = "t") -> str:
        said = cli.run("send", "observation", "--thread", thread, "--summary", summary, "--json", code=4)
        event_id: str = json.loads(said.stdout)["event_id"]
        return event_id

    return say


def rows(cli: Cli) -> list[dict[str, Any]]:
    """The list, as a program reads it."""
    listed: list[dict[str, Any]] = cli.json("outbox")
    return listed


def change(cli: Cli, statement: str, *values: object) -> None:
    """Write into the outbox's file."""
    with closing(sqlite3.connect(cli.home / "state" / "outbox.sqlite3")) as connection, connection:
        connection.execute(statement, values)


def test_an_empty_outbox_says_so_and_makes_nothing(cli: Cli) -> None:
    assert "Nothing is kept" in cli.run("outbox").stdout
    assert rows(cli) == []
    assert not cli.home.exists()


def test_an_event_said_offline_by_a_fresh_process_is_kept_listed_and_posted_by_the_next(
    remote: Remote, cli: Cli, offline: Say
) -> None:
    """The project is known from before, so composing needs no service."""
    said = cli.run("send", "observation", "--thread", "t", "--summary", "offline", code=4).stderr
    (row,) = rows(cli)
    named = row["event_id"].removeprefix("sha256:")[:12]
    assert "was not posted (could not connect). It is kept here, and the same bytes go out with the next" in said
    assert f"`corr-tui outbox` lists it; `corr-tui outbox discard {named}` gives it up" in said
    assert (row["state"], row["reason"], row["session_seq"], row["session_running"]) == (
        "unsent",
        "could not connect",
        1,
        False,
    )
    listed = cli.run("outbox").stdout
    heading, line, _, meaning = listed.splitlines()
    assert heading == f"http://127.0.0.1:{remote.port}  acme/widgets  as {remote.identity_id}"
    assert line.split() == [
        named,
        "observation",
        "t",
        f"{row['session_id'][:8]}:1",
        row["stored_at"][:10],
        f"{row['stored_at'][11:19]}Z",
        "unsent",
        "“could",
        "not",
        "connect”",
    ]
    assert meaning.startswith("unsent: the bytes have not left this machine")
    remote.start()
    cli.send("observation", "--thread", "t", "--summary", "next")
    assert rows(cli) == []
    said_there = [each["event"]["body"]["summary"] for each in cli.json("events")["events"]]
    assert sorted(said_there) == ["before", "next", "offline"]


def test_each_state_is_said_with_what_it_means(cli: Cli, offline: Say) -> None:
    doubtful, refused, damaged = offline("doubtful"), offline("refused"), offline("damaged")
    change(cli, "UPDATE unsent SET state = 'not known yet', reason = 'no answer in time' WHERE event_id = ?", doubtful)
    change(cli, "UPDATE unsent SET state = 'refused', reason = 'no \x1b[31m' WHERE event_id = ?", refused)
    change(cli, "UPDATE unsent SET raw = '{}' WHERE event_id = ?", damaged)
    listed = cli.run("outbox").stdout
    assert "not known yet: the answer was lost, so the service may have it" in listed
    assert "refused: the service decided against it" in listed
    assert "damaged: the bytes are not those that were signed" in listed
    assert "unsent: " not in listed
    assert all(line.isprintable() for line in listed.splitlines())
    assert [row["event"] is None for row in rows(cli)] == [False, False, True]
    assert "damaged" in cli.run("outbox", "export", damaged, code=2).stderr
    cli.run("outbox", "discard", damaged, "--yes")
    assert len(rows(cli)) == 2


def test_the_words_of_an_event_pass_the_text_door(cli: Cli, offline: Say) -> None:
    offline("x\x9b31m", "t\u202e1")
    assert all(line.isprintable() for line in cli.run("outbox").stdout.splitlines())


def test_what_is_exported_is_exactly_what_is_posted(remote: Remote, cli: Cli, offline: Say, tmp_path: Path) -> None:
    """Ready for `curl --data-binary`; posting it by hand gives the receipt (§7)."""
    event_id = offline("smörgås")
    printed = cli.run("outbox", "export", event_id).stdout_bytes
    told = cli.json("outbox", "export", event_id, str(tmp_path / "event.json"))
    written = (tmp_path / "event.json").read_bytes()
    assert printed == written
    assert told == {"event_id": event_id, "file": str(tmp_path / "event.json"), "bytes": len(written)}
    event = read_event(decode(written))
    assert (event.event_id, event_jcs(event.evidence)) == (event_id, written)
    remote.start()
    answer = httpx.post(
        f"http://127.0.0.1:{remote.port}/v1/correspondence/events",
        content=written,
        headers={"Authorization": f"Bearer {remote.bearer}", "Content-Type": "application/json"},
    )
    assert (answer.status_code, answer.json()["event"]["event_id"]) == (201, event_id)
    cli.send("observation", "--thread", "t", "--summary", "next")
    assert rows(cli) == []
    assert len(cli.json("events")["events"]) == 3


def test_an_export_replaces_no_file_and_is_json_as_it_is(cli: Cli, offline: Say, tmp_path: Path) -> None:
    event_id = offline()
    (tmp_path / "there").write_text("mine")
    assert "cannot be made" in cli.run("outbox", "export", event_id, str(tmp_path / "there"), code=2).stderr
    assert (tmp_path / "there").read_text() == "mine"
    assert "--json" in cli.run("outbox", "export", event_id, "--json", code=2).stderr


def test_a_heading_names_the_identity_as_the_service_listed_it(remote: Remote, cli: Cli, offline: Say) -> None:
    offline()
    (row,) = rows(cli)
    place = Place(row["service"], row["project_id"], row["repository_id"])
    identity = Identity(remote.identity_id, "ana\x1b[31m")
    ListedNames(Home.under(cli.home).projects_file, place).remember({remote.identity_id: identity})
    heading = cli.run("outbox").stdout.splitlines()[0]
    assert heading.endswith(f"  as ana␛[31m {remote.identity_id}")


def test_an_export_makes_no_folder_and_says_what_it_wrote(cli: Cli, offline: Say, tmp_path: Path) -> None:
    event_id = offline()
    said = cli.run("outbox", "export", event_id, str(tmp_path / "nowhere" / "x"), code=2).stderr
    assert "cannot be made: No such file or directory" in said
    assert not (tmp_path / "nowhere").exists()
    done = cli.run("outbox", "export", event_id, str(tmp_path / "x"))
    assert f"Wrote the exact bytes of {event_id} to {tmp_path / 'x'}" in done.stderr
    assert done.stdout == ""


def test_an_event_is_named_by_id_by_a_start_of_it_and_by_session_and_number(cli: Cli, offline: Say) -> None:
    event_id = offline()
    (row,) = rows(cli)
    digits = event_id.removeprefix("sha256:")
    for named in (event_id, event_id[:14], digits[:6], f"{row['session_id']}:1", f"{row['session_id'][:8]}:1"):
        assert json.loads(cli.run("outbox", "export", named).stdout)["event_id"] == event_id
    for unknown in ("zz", "sha256:", "", f"{row['session_id']}:2", f"{digits}0"):
        assert "names no event" in cli.run("outbox", "export", unknown, code=2).stderr


def test_a_start_that_several_events_have_is_refused_with_the_candidates(cli: Cli, offline: Say) -> None:
    ids = [offline("one"), offline("two")]
    said = cli.run("outbox", "discard", ":1", "--yes", code=2).stderr
    assert "names 2 events" in said
    assert all(event_id.removeprefix("sha256:")[:12] in said for event_id in ids)
    assert len(rows(cli)) == 2


def test_without_a_terminal_nothing_is_discarded_unless_told_so(cli: Cli, offline: Say) -> None:
    event_id = offline()
    assert "--yes" in cli.run("outbox", "discard", event_id, code=2).stderr
    assert len(rows(cli)) == 1
    told = cli.run("outbox", "discard", event_id, event_id, "--yes").stdout
    assert told.startswith(f"Discarded {event_id}; its number, ")
    assert "may have been received" not in told
    assert rows(cli) == []


def test_on_a_terminal_it_is_asked_first(cli: Cli, offline: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    event_id = offline()
    change(cli, "UPDATE unsent SET state = 'not known yet'")
    monkeypatch.setattr("corr_tui.cli.outbox.asked_here", lambda: True)
    for answer, left in (("n\n", 1), ("y\n", 0)):
        result = CliRunner().invoke(main, ["outbox", "discard", event_id], input=answer)
        assert "may have been received" in result.stderr
        assert "Discard this event?" in result.stderr
        assert len(rows(cli)) == left


def test_a_discarded_event_is_never_posted_and_what_may_have_been_received_is_said(
    remote: Remote, cli: Cli, offline: Say
) -> None:
    gone, doubtful = offline("gone"), offline("doubtful")
    change(cli, "UPDATE unsent SET state = 'not known yet' WHERE event_id = ?", doubtful)
    told = cli.json("outbox", "discard", gone, doubtful, "--yes")
    assert [(each["discarded"], each["state"], each["may_have_been_received"]) for each in told] == [
        (True, "unsent", False),
        (True, "not known yet", True),
    ]
    remote.start()
    cli.send("observation", "--thread", "t", "--summary", "next")
    assert [each["event"]["body"]["summary"] for each in cli.json("events")["events"]] == ["before", "next"]


def test_an_event_that_is_gone_meanwhile_and_one_that_cannot_be_given_up_are_told_apart(
    cli: Cli, offline: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corr_tui.state.outbox import Outbox, OutboxRefused

    event_id = offline()

    def full(*_: object) -> None:
        raise OutboxRefused("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Outbox, "discard", full)
        said = cli.run("outbox", "discard", event_id, "--yes", code=2)
        assert f"{event_id} is still kept: database or disk is full" in said.stdout
        patch.setattr(Outbox, "discard", lambda *_: None)
        assert "was not kept any more" in cli.run("outbox", "discard", event_id, "--yes").stdout
    assert len(rows(cli)) == 1


def test_an_outbox_that_cannot_be_read_is_said(cli: Cli) -> None:
    path = cli.home / "state" / "outbox.sqlite3"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database, but it is long enough to be looked at by one")
    assert "the outbox of this installation cannot be used" in cli.run("outbox", code=2).stderr


def test_an_event_of_a_session_that_runs_is_marked(cli: Cli, offline: Say) -> None:
    offline()
    (row,) = rows(cli)
    runs = Runs(cli.home / "state")
    runs.begin(row["session_id"])
    assert rows(cli)[0]["session_running"]
    assert "unsent, its session runs" in cli.run("outbox").stdout
    runs.end()


def test_another_home_is_named_before_or_after_the_verb(cli: Cli, offline: Say, tmp_path: Path) -> None:
    event_id = offline()
    other = str(tmp_path / "other")
    for arguments in (("--home", other, "outbox"), ("outbox", "--home", other)):
        assert "Nothing is kept" in cli.run(*arguments).stdout
    assert "names no event" in cli.run("outbox", "export", event_id, "--home", other, code=2).stderr
    assert cli.run("--home", str(cli.home), "outbox", "export", event_id).stdout
