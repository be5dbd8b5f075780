"""Projects, bearers, identities, keys, and how they are listed (§2.1)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select

from corr_tui.server.accounts import AccountRefused, Accounts
from corr_tui.server.database import Database
from corr_tui.server.tables import tokens
from corr_tui.state.snapshot import instant
from tests.correspondents import PROJECT_ID, World, uuid
from tests.server.scene import Scene


@pytest.fixture
def accounts(database: Database) -> Accounts:
    """The accounts of the world's database."""
    return Accounts(database)


def test_a_project_has_bearers_identities_and_keys(accounts: Accounts, world: World) -> None:
    project_id = accounts.create_project("second")
    identity_id = accounts.create_identity(project_id, "Zoë")
    key_id = accounts.add_key(identity_id, b"k" * 32, "laptop")
    assert [project.name for project in accounts.projects()] == ["acme", "second"]
    assert accounts.project(project_id).name == "second"
    assert [(each.identity_id, each.name, each.active) for each in accounts.identities(project_id)] == [
        (identity_id, "Zoë", True)
    ]
    assert [(key.signing_key_id, key.public_key, key.label) for key in accounts.keys(project_id, identity_id)] == [
        (key_id, b"k" * 32, "laptop")
    ]


def test_a_bearer_has_256_random_bits_and_is_kept_as_a_digest(accounts: Accounts, database: Database) -> None:
    bearers = {accounts.create_token(PROJECT_ID) for _ in range(2)}
    assert len(bearers) == 2
    assert all(bearer.startswith("at_") and len(bearer) == 3 + 43 for bearer in bearers)
    assert {accounts.project_of(bearer) for bearer in bearers} == {PROJECT_ID}
    with database.reading() as connection:
        kept = str(connection.execute(select(tokens)).all())
    assert not any(bearer[3:] in kept for bearer in bearers)


def test_a_bearer_ends_when_it_expires_or_is_revoked(accounts: Accounts, world: World) -> None:
    short = accounts.create_token(PROJECT_ID, expires_in=timedelta(minutes=5))
    long = accounts.create_token(PROJECT_ID)
    world.now += timedelta(minutes=5)
    assert (accounts.project_of(short), accounts.project_of(long)) == (None, PROJECT_ID)
    accounts.revoke_token(long)
    assert accounts.project_of(long) is None
    assert accounts.project_of("at_unknown") is None
    assert accounts.project_of("\ud800") is None


def test_revoking_twice_keeps_the_first_instant(accounts: Accounts, world: World) -> None:
    first = instant(world.now)
    accounts.revoke_key(uuid(3, 1))
    accounts.revoke_identity(uuid(2, 1))
    world.now += timedelta(hours=1)
    accounts.revoke_key(uuid(3, 1))
    accounts.revoke_identity(uuid(2, 1))
    assert accounts.identity(PROJECT_ID, uuid(2, 1)).revoked_at == first
    assert accounts.keys(PROJECT_ID, uuid(2, 1))[0].revoked_at == first


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda accounts: accounts.create_project(""), "name_invalid"),
        (lambda accounts: accounts.create_project("a\x1b[2J"), "name_invalid"),
        (lambda accounts: accounts.create_project("\ud800"), "name_invalid"),
        (lambda accounts: accounts.create_token("nope"), "project_unknown"),
        (lambda accounts: accounts.project("nope"), "project_unknown"),
        (lambda accounts: accounts.create_identity("nope", "ana"), "project_unknown"),
        (lambda accounts: accounts.create_identity(PROJECT_ID, "a\nb"), "name_invalid"),
        (lambda accounts: accounts.add_key("nope", b"k" * 32), "identity_unknown"),
        (lambda accounts: accounts.add_key(uuid(2, 1), b"k" * 31), "public_key_invalid"),
        (lambda accounts: accounts.add_key(uuid(2, 1), b"k" * 32, "a\0"), "name_invalid"),
        (lambda accounts: accounts.revoke_key("nope"), "signing_key_unknown"),
        (lambda accounts: accounts.revoke_identity("nope"), "identity_unknown"),
        (lambda accounts: accounts.revoke_token("nope"), "token_unknown"),
        (lambda accounts: accounts.keys("nope", uuid(2, 1)), "identity_unknown"),
    ],
)
def test_what_is_unknown_or_malformed_is_refused_by_name(
    accounts: Accounts, call: Callable[[Accounts], object], reason: str
) -> None:
    with pytest.raises(AccountRefused) as caught:
        call(accounts)
    assert caught.value.reason == reason


def test_a_revoked_identity_gets_no_new_keys(accounts: Accounts) -> None:
    accounts.revoke_identity(uuid(2, 1))
    with pytest.raises(AccountRefused) as caught:
        accounts.add_key(uuid(2, 1), b"k" * 32)
    assert caught.value.reason == "identity_revoked"


async def test_identities_are_listed_with_names_and_revoked_ones_stay(scene: Scene, accounts: Accounts) -> None:
    accounts.revoke_identity(uuid(2, 2))
    body = (await scene.client.get("/v1/identities")).json()
    assert body["count"] == len(body["identities"]) == 6
    assert [(each["display_name"], each["status"]) for each in body["identities"]][:3] == [
        ("ana", "active"),
        ("bo", "revoked"),
        ("kit", "active"),
    ]


async def test_keys_are_listed_in_standard_base64_and_revoked_ones_stay(scene: Scene, accounts: Accounts) -> None:
    accounts.revoke_key(uuid(3, 1))
    second = accounts.add_key(uuid(2, 1), b"\xff" * 32, "second")
    body = (await scene.client.get(f"/v1/identities/{uuid(2, 1)}/keys")).json()
    ana = scene.world.people["ana"]
    assert [(key["kid"], key["public_key"], key["active"]) for key in body["keys"]] == [
        (uuid(3, 1), b64encode(ana.public_key).decode(), False),
        (second, b64encode(b"\xff" * 32).decode(), True),
    ]
    assert body["keys"][0]["revoked_at"] == instant(scene.world.now)


async def test_keys_of_another_projects_identity_are_not_to_be_had(scene: Scene, accounts: Accounts) -> None:
    stranger = accounts.create_identity(accounts.create_project("other"), "eve")
    answer = await scene.client.get(f"/v1/identities/{stranger}/keys")
    assert (answer.status_code, answer.json()["error"]) == (404, "identity_not_found_in_project")
    malformed = await scene.client.get("/v1/identities/nope/keys")
    assert (malformed.status_code, malformed.json()["error"]) == (400, "identity_id_invalid")
