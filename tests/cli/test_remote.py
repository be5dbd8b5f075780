"""A configured service: which repository is meant, what an outage leaves behind, and keys that do not fit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from corr_tui.cli.board import board
from corr_tui.cli.flags import Flags
from corr_tui.cli.posting import post
from corr_tui.cli.said import Said
from corr_tui.cli.unsent import kept_words
from corr_tui.client.errors import Phase, Unreachable
from corr_tui.client.http import Client
from corr_tui.protocol.compose import Draft
from corr_tui.server.accounts import Accounts
from corr_tui.state.border import Correspondence
from corr_tui.state.credentials import create_seed
from corr_tui.state.session import Session

from .conftest import Cli, Remote

SAY = ("--thread", "t", "--summary", "s")
VERBS = [("voice",), ("claims",), ("events",), ("send", "observation", *SAY)]


@pytest.mark.parametrize("verb", VERBS)
def test_a_service_without_a_repository_is_refused_with_the_three_ways_to_name_one(
    remote: Remote, cli: Cli, verb: tuple[str, ...], git: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CORR_TUI_REPOSITORY_ID")
    for steps in ([], [("init", "-q")], [("remote", "add", "origin", "../elsewhere")]):
        for words in steps:
            git(*words)
        refused = cli.run(*verb, code=2)
        assert refused.stdout == ""
        for way in ("--repository", "CORR_TUI_REPOSITORY_ID", "repository_id in config.toml"):
            assert way in refused.stderr


def test_the_repository_of_a_service_is_that_of_the_origin_remote_unless_it_is_named(
    remote: Remote, cli: Cli, git: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init", "-q")
    git("remote", "add", "origin", "git@git.example.org:acme/gadgets.git")
    assert cli.send("observation", *SAY)["event"]["repository_id"] == "acme/widgets"
    monkeypatch.delenv("CORR_TUI_REPOSITORY_ID")
    assert cli.send("observation", *SAY)["event"]["repository_id"] == "repo:git.example.org/acme/gadgets"
    assert cli.send("observation", *SAY, "--repository", "x")["event"]["repository_id"] == "x"


@pytest.mark.parametrize("missing", ["CORR_TUI_IDENTITY_ID", "CORR_TUI_SIGNING_KEY_ID", "CORR_TUI_SIGNING_KEY_FILE"])
def test_a_setting_that_signing_lacks_is_named(
    remote: Remote, cli: Cli, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(missing)
    refused = cli.run("send", "observation", *SAY, code=2).stderr
    assert [name for name in remote.settings() if name in refused] == [missing]


@pytest.mark.parametrize("verb", [("send", "observation", *SAY), ("send", "ack.seen", "--target", "1")])
def test_a_service_that_is_away_from_the_start_leaves_nothing_posted_or_kept(
    remote: Remote, cli: Cli, verb: tuple[str, ...]
) -> None:
    remote.stop()
    lost = cli.run(*verb, code=4).stderr
    assert "not reached" in lost
    assert "Nothing was posted or kept." in lost
    remote.start()
    assert cli.json("events")["events"] == []
    cli.send("observation", "--thread", "t", "--summary", "later")
    assert [each["event"]["body"]["summary"] for each in cli.json("events")["events"]] == ["later"]


@pytest.mark.parametrize(
    ("phase", "words"), [(Phase.CONNECT, "was not posted"), (Phase.TIMEOUT, "Not known yet whether")]
)
def test_an_event_signed_before_the_service_went_away_is_said_to_be_kept_and_goes_out_with_the_next(
    remote: Remote, cli: Cli, phase: Phase, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """§7"""

    async def lost(client: Client, raw: bytes) -> None:
        raise Unreachable(phase)

    with monkeypatch.context() as patched:
        patched.setattr(Client, "post_event", lost)
        said = cli.run("send", "observation", *SAY, code=4).stderr
        assert words in said
        assert "It is kept here" in said
        assert f"with the next `corr-tui` or `corr-tui send` as {remote.identity_id[:8]}…" in said
    told = cli.run("send", "observation", "--thread", "t", "--summary", "next")
    assert told.stderr == ""
    assert len(cli.json("events")["events"]) == 2


@pytest.mark.parametrize(
    ("method", "words"),
    [("project", "Nothing was posted or kept."), ("post_event", "It is kept here"), ("after", "has its receipt")],
)
def test_a_command_that_is_interrupted_says_what_is_left_of_its_event(
    remote: Remote,
    cli: Cli,
    method: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def interrupted(*_: object) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    owner, name = (Session, "deliver") if method == "after" else (Client, method)
    said = Said(kind="observation", thread_id="t", body={"summary": "s"})
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, interrupted)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(post(said, Flags(), as_json=False))
    assert words in capsys.readouterr().err
    cli.send("observation", "--thread", "t", "--summary", "later")
    assert len(cli.json("events")["events"]) == (1 if method == "project" else 2)


def test_earlier_events_that_still_cannot_go_out_are_counted(
    remote: Remote, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Client.post_event
    first: list[bytes] = []

    async def lost(client: Client, raw: bytes) -> object:
        if b'"summary":"s"' in raw:
            first.append(raw)
            raise Unreachable(Phase.TIMEOUT)
        return await whole(client, raw)

    monkeypatch.setattr(Client, "post_event", lost)
    for _ in range(2):
        cli.run("send", "observation", *SAY, code=4)
    said = cli.run("send", "observation", "--thread", "t", "--summary", "other").stderr
    assert "2 events are not sent yet and kept here" in said
    assert first


@pytest.mark.parametrize(("count", "words"), [(1, "1 event is not sent yet"), (3, "3 events are not sent yet")])
def test_kept_events_are_counted_in_one_line_that_says_when_they_go_out(count: int, words: str) -> None:
    said = kept_words(count, "maya")
    assert said.startswith(words)
    assert "next `corr-tui` or `corr-tui send` as maya" in said
    assert "\n" not in said


def test_a_board_that_is_left_with_unsent_events_says_how_many_are_kept_and_when_they_go_out(
    remote: Remote, cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work(session: Correspondence, count: int) -> None:
        assert isinstance(session, Session)
        await session.refresh()
        remote.stop()
        for number in range(count):
            draft = Draft(kind="observation", thread_id="t", body={"summary": str(number)}, paths=(".",))
            await session.send(await session.prepare(draft))
        await session.close()

    def leave_after(count: int) -> str:
        def run_board(open_session: Callable[[], Awaitable[Correspondence]], **_: object) -> int:
            async def run() -> int:
                await work(await open_session(), count)
                return 0

            return asyncio.run(run())

        monkeypatch.setattr("corr_tui.cli.board.run_board", run_board)
        assert board(Flags()) == 0
        remote.start()
        return capsys.readouterr().err

    assert leave_after(0) == ""
    said = leave_after(2)
    assert said == f"{kept_words(2, 'ana')}\n"
    cli.send("observation", *SAY)
    assert len(cli.json("events")["events"]) == 3


@pytest.mark.parametrize("listed", [True, False])
def test_a_refused_signature_names_the_key_id_as_the_likely_cause_and_the_right_one_where_it_is_listed(
    remote: Remote, cli: Cli, listed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Accounts(remote.database).add_key(remote.identity_id, bytes(31) + b"\x01")
    if listed:
        monkeypatch.setenv("CORR_TUI_SIGNING_KEY_ID", other)
    else:
        create_seed(tmp_path / "stranger.key")
        monkeypatch.setenv("CORR_TUI_SIGNING_KEY_FILE", str(tmp_path / "stranger.key"))
    refused = cli.run("send", "observation", *SAY, code=3).stderr
    assert "CORR_TUI_SIGNING_KEY_ID" in refused
    assert (f"it lists your key as {remote.signing_key_id}" in refused) == listed


def test_a_key_id_that_is_not_the_identitys_is_named_as_the_likely_cause(
    remote: Remote, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORR_TUI_SIGNING_KEY_ID", "33333333-3333-4333-8333-333333333333")
    refused = cli.run("send", "observation", *SAY, code=3).stderr
    assert "lists no key of this identity under CORR_TUI_SIGNING_KEY_ID" in refused


def test_a_refusal_for_another_reason_blames_no_key(remote: Remote, cli: Cli) -> None:
    Accounts(remote.database).revoke_key(remote.signing_key_id)
    assert "CORR_TUI_SIGNING_KEY_ID" not in cli.run("send", "observation", *SAY, code=3).stderr


def test_a_key_file_that_is_none_is_told_by_what_was_found(remote: Remote, cli: Cli) -> None:
    remote.key_file.write_bytes(bytes(31))
    refused = cli.run("send", "observation", *SAY, code=2).stderr
    assert "31 bytes; a key is 32 raw bytes or standard base64" in refused
