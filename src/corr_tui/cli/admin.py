"""`corr-tui admin`: the accounts in a service's database, whether the service is running or not.

Whoever can write the database can do all of this; there is no remote administration.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from corr_tui.cli.databases import database_flag, use_accounts
from corr_tui.cli.failures import Invalid

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _flags(command: _Function) -> _Function:
    """--json and --database, which every command here has."""
    return database_flag(click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command))


def _tell(as_json: bool, **made: str) -> None:
    click.echo(json.dumps(made) if as_json else "\n".join(made.values()))


@click.group()
def admin() -> None:
    """Make projects, bearers, identities and keys."""


@admin.group()
def project() -> None:
    """Projects: what a bearer opens."""


@project.command("create")
@click.argument("name")
@_flags
def project_create(name: str, as_json: bool, database: str | None) -> None:
    """Make a project called NAME; prints its id."""
    with use_accounts(database) as accounts:
        _tell(as_json, project_id=accounts.create_project(name))


@admin.group()
def token() -> None:
    """Bearers: whoever holds one reads and writes its project."""


@token.command("create")
@click.option("--project", "project_id", required=True, metavar="ID", help="The project it opens.")
@_flags
def token_create(project_id: str, as_json: bool, database: str | None) -> None:
    """Make a bearer; it is printed now and never again, since only its hash is kept."""
    with use_accounts(database) as accounts:
        _tell(as_json, bearer=accounts.create_token(project_id))


@admin.group()
def identity() -> None:
    """Identities: who signs."""


@identity.command("create")
@click.option("--project", "project_id", required=True, metavar="ID", help="The project it belongs to.")
@click.option("--name", required=True, help="What others call it.")
@_flags
def identity_create(project_id: str, name: str, as_json: bool, database: str | None) -> None:
    """Make an identity; prints its id."""
    with use_accounts(database) as accounts:
        _tell(as_json, identity_id=accounts.create_identity(project_id, name))


@identity.command("revoke")
@click.argument("identity_id", metavar="ID")
@_flags
def identity_revoke(identity_id: str, as_json: bool, database: str | None) -> None:
    """Let an identity post no more; what it signed stays."""
    with use_accounts(database) as accounts:
        accounts.revoke_identity(identity_id)
        _tell(as_json, identity_id=identity_id)


@admin.group()
def key() -> None:
    """Signing keys: what proves a signature."""


@key.command("add")
@click.option("--identity", "identity_id", required=True, metavar="ID", help="The identity it signs for.")
@click.option(
    "--public-key", required=True, metavar="BASE64", help="Its 32 public bytes; `corr-tui key new` makes one."
)
@_flags
def key_add(identity_id: str, public_key: str, as_json: bool, database: str | None) -> None:
    """List a public key for an identity; prints the signing key's id."""
    from corr_tui.protocol.errors import SignatureRefused
    from corr_tui.protocol.signing import decode_key

    try:
        raw = decode_key(public_key)
    except SignatureRefused as refusal:
        raise Invalid(f"--public-key: {refusal.message}") from None
    with use_accounts(database) as accounts:
        _tell(as_json, signing_key_id=accounts.add_key(identity_id, raw))


@key.command("revoke")
@click.argument("signing_key_id", metavar="ID")
@_flags
def key_revoke(signing_key_id: str, as_json: bool, database: str | None) -> None:
    """Let a key sign no more; what it signed stays, marked as signed by a key revoked since."""
    with use_accounts(database) as accounts:
        accounts.revoke_key(signing_key_id)
        _tell(as_json, signing_key_id=signing_key_id)
