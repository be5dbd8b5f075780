"""What may want my eyes, on the command line: as text and as JSON, without a word posted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.state.credentials import create_seed

from .conftest import Cli, Remote

THREAD = ("--thread", "task:1")


def test_nothing_is_said_of_what_is_known_here(cli: Cli) -> None:
    cli.send("intent", *THREAD, "--summary", "mine wants nothing of me")
    assert cli.run("triage").stdout == "Nothing may want your eyes, as far as is known here.\n"
    assert cli.json("triage")["groups"] == []


def test_reasons_are_headings_and_each_line_says_what_it_is(cli: Cli) -> None:
    cli.send("observation", *THREAD, "--summary", "on")
    cli.send("observation", *THREAD, "--summary", "off")
    cli.send("conflict.raise", "--target", "1", "--target", "2", "--summary", "which?")
    printed = cli.run("triage")
    assert printed.stdout.splitlines()[0] == "Conflicts raised, not resolved (1)"
    assert printed.stdout.splitlines()[1].startswith("  #3  ")
    assert "“which?”" in printed.stdout
    (group,) = cli.json("triage")["groups"]
    assert group["reason"] == "raised"
    assert len(group["items"][0]["about"]) == 2
    assert group["items"][0]["record"]["verdict"] == "verified"
    assert cli.run("events").stdout.count("\n") == 3, "nothing was posted"


def test_a_lapsed_claim_of_mine_is_listed(cli: Cli) -> None:
    cli.send("claim.open", *THREAD, "--path", "src", "--expires-in", "4m")
    (group,) = cli.json("triage")["groups"]
    assert (group["reason"], len(group["items"])) == ("expiry", 1)
    assert group["items"][0]["expires_at"]


def test_what_was_hidden_is_left_out_and_counted(cli: Cli) -> None:
    for words in ("a", "b"):
        cli.send("observation", *THREAD, "--summary", words)
    cli.send("conflict.raise", "--target", "1", "--target", "2", "--summary", "which?")
    assert cli.json("triage")["hidden"] == 0
    (item,) = cli.json("triage")["groups"][0]["items"]
    folder = cli.home / "state" / "hidden"
    assert not folder.exists()
    hide(cli, f"raised {item['event_id']}")
    assert cli.run("triage").stdout.endswith("1 hidden here; --all lists them.\n")
    assert "which?" in cli.run("triage", "--all").stdout


def hide(cli: Cli, key: str) -> None:
    """Hide an item where the session of this folder keeps such things."""
    import asyncio

    from corr_tui.cli.flags import Flags
    from corr_tui.cli.place import place, session_at

    async def hidden() -> None:
        async with place(Flags(), make=False) as here:
            session = session_at(here.connection, here.home)
            assert await session.hide(key, hidden=True) == ""
            await session.close()

    asyncio.run(hidden())


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_what_others_said_cannot_write_on_the_terminal(cli: Cli, as_json: tuple[str, ...]) -> None:
    for words in ("a", "b"):
        cli.send("observation", *THREAD, "--summary", words)
    cli.send("conflict.raise", "--target", "1", "--target", "2", "--summary", "\x1b[2J evil")
    printed = cli.run("triage", *as_json).stdout
    assert "\x1b" not in printed
    assert not as_json or json.loads(printed)


def test_it_makes_no_project(cli: Cli) -> None:
    assert "no local project" in cli.run("triage", code=2).stderr
    assert not cli.home.exists()


def test_with_the_service_away_overlaps_are_computed_of_what_is_kept(
    cli: Cli, remote: Remote, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cli.send("claim.open", *THREAD, "--path", "src", "--expires-in", "1h")
    accounts = Accounts(remote.database)
    identity_id = accounts.create_identity(accounts.project_of_identity(remote.identity_id), "bo")
    signing_key_id = accounts.add_key(identity_id, public_key_of(create_seed(tmp_path / "bo.key")))
    with monkeypatch.context() as bo:
        bo.setenv("CORR_TUI_IDENTITY_ID", identity_id)
        bo.setenv("CORR_TUI_SIGNING_KEY_ID", signing_key_id)
        bo.setenv("CORR_TUI_SIGNING_KEY_FILE", str(tmp_path / "bo.key"))
        cli.send("claim.open", *THREAD, "--path", "src/api", "--expires-in", "1h")
    there = cli.run("triage")
    assert there.stderr == ""
    remote.stop()
    away = cli.run("triage")
    assert "The service was not reached" in away.stderr
    assert "Cut off from the service" in away.stderr
    assert "claims are not read yet" not in away.stderr
    assert "verlap" in there.stdout
    assert away.stdout == there.stdout
