"""Accounts and keys from the command line."""

from __future__ import annotations

import stat
from base64 import b64decode, b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete

from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import open_database
from corr_tui.server.tables import claim_events

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
    assert "No such file or directory" in cli.run("key", "new", "nowhere/ana.key", code=2).stderr
    assert not (cli.folder / "nowhere").exists()
    assert (cli.folder / "ana.key").read_bytes() == before


@dataclass(frozen=True)
class Admin:
    """`corr-tui admin` in one home, with a project that has an identity."""

    cli: Cli
    project_id: str
    identity_id: str

    def json(self, *arguments: str) -> Any:
        """What a command prints with --json."""
        return self.cli.json("admin", *arguments)

    def text(self, *arguments: str) -> list[str]:
        """The lines a command prints."""
        return self.cli.run("admin", *arguments).stdout.splitlines()

    def accounts(self) -> Accounts:
        """The accounts of that home's database."""
        return Accounts(open_database(f"sqlite:///{self.cli.home / 'data' / 'service.db'}"))


@pytest.fixture
def admin(cli: Cli) -> Admin:
    """A project with one identity."""
    project_id = cli.json("admin", "project", "create", "acme")["project_id"]
    identity_id = cli.json("admin", "identity", "create", "--project", project_id, "--name", "ana")["identity_id"]
    return Admin(cli, project_id, identity_id)


def test_projects_are_listed_oldest_first(admin: Admin) -> None:
    second = admin.json("project", "create", "beta")["project_id"]
    listed = admin.json("project", "list")["projects"]
    assert [(each["project_id"], each["name"]) for each in listed] == [(admin.project_id, "acme"), (second, "beta")]
    assert [line.split("  ")[:2] for line in admin.text("project", "list")] == [
        [admin.project_id, "acme"],
        [second, "beta"],
    ]


def test_a_project_has_several_bearers_each_revocable_by_its_listed_id_or_by_itself(admin: Admin) -> None:
    made = [admin.json("token", "create", "--project", admin.project_id) for _ in range(3)]
    first, second, third = (each["bearer"] for each in made)
    assert admin.json("token", "revoke", made[0]["token_id"]) == {"token_id": made[0]["token_id"]}
    assert admin.text("token", "revoke", second) == [made[1]["token_id"]]
    accounts = admin.accounts()
    assert [accounts.project_of(each) for each in (first, second, third)] == [None, None, admin.project_id]
    listed = {each["token_id"]: each for each in admin.json("token", "list", "--project", admin.project_id)["tokens"]}
    assert [listed[each["token_id"]]["revoked_at"] is None for each in made] == [False, False, True]
    told = "\n".join(admin.text("token", "list", "--project", admin.project_id))
    assert told.count("revoked ") == 2
    assert not any(bearer[3:] in told for bearer in (first, second, third))


def test_a_bearer_expires_when_it_was_said_to(admin: Admin) -> None:
    admin.json("token", "create", "--project", admin.project_id, "--expires-in", "30d")
    (listed,) = admin.json("token", "list", "--project", admin.project_id)["tokens"]
    lasts = datetime.fromisoformat(listed["expires_at"]) - datetime.fromisoformat(listed["created_at"])
    assert lasts == timedelta(days=30)
    (line,) = admin.text("token", "list", "--project", admin.project_id)
    assert f"expires {listed['expires_at']}" in line


@pytest.mark.parametrize("typed", ["", "0s", "soon", "-1d", "999999999d", "9999999999d", "2026-05-14T16:00Z"])
def test_an_expiry_that_is_no_time_to_come_is_refused_in_words(admin: Admin, typed: str) -> None:
    refused = admin.cli.run("admin", "token", "create", "--project", admin.project_id, "--expires-in", typed, code=2)
    assert "expire" in refused.stderr


def test_revoked_identities_and_keys_stay_listed(admin: Admin) -> None:
    public_key = b64encode(bytes(range(32))).decode()
    made = admin.json("key", "add", "--identity", admin.identity_id, "--public-key", public_key, "--label", "laptop")
    admin.json("key", "revoke", made["signing_key_id"])
    admin.json("identity", "revoke", admin.identity_id)
    (key,) = admin.json("key", "list", "--identity", admin.identity_id)["keys"]
    (identity,) = admin.json("identity", "list", "--project", admin.project_id)["identities"]
    assert (key["signing_key_id"], key["public_key"], key["label"]) == (made["signing_key_id"], public_key, "laptop")
    assert (identity["identity_id"], identity["name"]) == (admin.identity_id, "ana")
    assert key["revoked_at"]
    assert identity["revoked_at"]
    assert f"revoked {key['revoked_at']}" in admin.text("key", "list", "--identity", admin.identity_id)[0]
    assert f"revoked {identity['revoked_at']}" in admin.text("identity", "list", "--project", admin.project_id)[0]


def test_migrating_makes_the_tables_and_again_changes_nothing(cli: Cli) -> None:
    url = f"sqlite:///{cli.folder / 'team.db'}"
    version = cli.json("admin", "migrate", "--database", url)["schema_version"]
    assert cli.run("admin", "migrate", "--database", url).stdout == f"{version}\n"
    assert cli.json("admin", "project", "list", "--database", url) == {"projects": []}


def test_a_database_that_cannot_be_migrated_is_refused_in_words(cli: Cli) -> None:
    assert "--database" in cli.run("admin", "migrate", "--database", "nonsense", code=2).stderr


def test_rebuilding_makes_the_claim_rows_again_and_again_changes_nothing(cli: Cli) -> None:
    opened = cli.send("claim.open", "--thread", "t", "--expires-in", "1h", "--path", "docs")
    (file,) = (cli.home / "data" / "local").glob("local-*.db")
    url = f"sqlite:///{file}"
    database = open_database(url)
    with database.writing() as connection:
        connection.execute(delete(claim_events))
    database.close()
    assert cli.json("admin", "rebuild", "--database", url) == {
        "projects": 1,
        "events": 1,
        "claim_events": 1,
        "changed": 1,
    }
    assert cli.json("admin", "rebuild", "--database", url)["changed"] == 0
    assert cli.run("admin", "rebuild", "--database", url).stdout == (
        "1 events of 1 projects read, 1 of them about claims; 0 projects changed\n"
    )
    (claim,) = cli.json("claims")["claims"]
    assert claim["event_id"] == opened["event"]["event_id"]


@pytest.mark.parametrize(
    "command",
    [
        ("token", "create", "--project", UNKNOWN),
        ("token", "list", "--project", UNKNOWN),
        ("token", "revoke", "0123456789abcdef"),
        ("token", "revoke", "at_unknown"),
        ("identity", "list", "--project", UNKNOWN),
        ("key", "list", "--identity", UNKNOWN),
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
