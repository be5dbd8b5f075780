"""Accounts and keys from the command line."""

from __future__ import annotations

import stat
from base64 import b64decode, b64encode

import pytest

from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import open_database

from .conftest import Cli

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def test_a_newcomer_gets_in_with_this_tool_alone(cli: Cli) -> None:
    url = f"sqlite:///{cli.folder / 'service.db'}"
    project_id = cli.json("admin", "project", "create", "acme", "--database", url)["project_id"]
    bearer = cli.json("admin", "token", "create", "--project", project_id, "--database", url)["bearer"]
    identity_id = cli.json("admin", "identity", "create", "--project", project_id, "--name", "ana", "--database", url)[
        "identity_id"
    ]
    public_key = cli.json("key", "new", "ana.key")["public_key"]
    signing_key_id = cli.json(
        "admin", "key", "add", "--identity", identity_id, "--public-key", public_key, "--database", url
    )["signing_key_id"]

    database = open_database(url)
    accounts = Accounts(database)
    assert accounts.project_of(bearer) == project_id
    assert [key.signing_key_id for key in accounts.keys(project_id, identity_id) if key.active] == [signing_key_id]
    cli.json("admin", "key", "revoke", signing_key_id, "--database", url)
    cli.json("admin", "identity", "revoke", identity_id, "--database", url)
    assert not accounts.keys(project_id, identity_id)[0].active
    assert not accounts.identity(project_id, identity_id).active
    database.close()


def test_without_json_the_id_stands_alone_on_its_line(cli: Cli) -> None:
    project_id = cli.run("admin", "project", "create", "acme").stdout.strip()
    assert cli.run("admin", "token", "create", "--project", project_id).stdout.startswith("at_")
    assert (cli.home / "data" / "service.db").exists()


def test_a_new_key_is_a_private_file_and_its_public_key_is_printed(cli: Cli) -> None:
    printed = cli.run("key", "new", "ana.key").stdout.strip()
    path = cli.folder / "ana.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b64decode(printed) == public_key_of(path.read_bytes())


def test_a_key_file_is_never_overwritten(cli: Cli) -> None:
    cli.run("key", "new", "ana.key")
    before = (cli.folder / "ana.key").read_bytes()
    assert "ana.key" in cli.run("key", "new", "ana.key", code=2).stderr
    assert (cli.folder / "ana.key").read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [
        ("token", "create", "--project", UNKNOWN),
        ("identity", "create", "--project", UNKNOWN, "--name", "ana"),
        ("identity", "revoke", UNKNOWN),
        ("key", "revoke", UNKNOWN),
        ("key", "add", "--identity", UNKNOWN, "--public-key", b64encode(bytes(32)).decode()),
    ],
)
def test_an_unknown_id_is_refused_in_words(cli: Cli, command: tuple[str, ...]) -> None:
    assert "no such" in cli.run("admin", *command, code=2).stderr


@pytest.mark.parametrize("public_key", ["AAAA", "not base64", b64encode(bytes(33)).decode()])
def test_what_is_no_public_key_is_refused_with_its_option(cli: Cli, public_key: str) -> None:
    result = cli.run("admin", "key", "add", "--identity", UNKNOWN, "--public-key", public_key, code=2)
    assert "--public-key" in result.stderr


@pytest.mark.parametrize("url", ["postgresql://127.0.0.1/x", "sqlite://", "nonsense", "sqlite:////no/such/folder/x.db"])
def test_a_database_that_cannot_be_opened_is_refused_with_its_option(cli: Cli, url: str) -> None:
    assert "--database" in cli.run("admin", "project", "create", "acme", "--database", url, code=2).stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::"])
def test_serving_beyond_loopback_is_refused_in_words(cli: Cli, host: str) -> None:
    assert "loopback" in cli.run("serve", "--host", host, code=2).stderr
