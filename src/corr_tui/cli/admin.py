"""`corr-tui admin`: the accounts in a service's database, whether the service is running or not.

Whoever can write the database can do all of this; there is no remote administration. Nothing is deleted: what is
revoked stays listed, since old signatures still name it.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

import click

from corr_tui.cli.databases import database_flag, migrate_database, use_accounts, use_database
from corr_tui.cli.failures import Invalid, Unreached

_Function = TypeVar("_Function", bound=Callable[..., Any])

_PROJECT = click.option("--project", "project_id", required=True, metavar="ID", help="The project it belongs to.")
_IDENTITY = click.option("--identity", "identity_id", required=True, metavar="ID", help="The identity it signs for.")


def _flags(command: _Function) -> _Function:
    """--json and --database, which every command here has."""
    return database_flag(click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command))


def _tell(as_json: bool, told: str, **more: str | None) -> None:
    """Print what was made or revoked: all of it as JSON, or the one value `told` names, alone on its line."""
    click.echo(json.dumps(more) if as_json else more[told])


def _list(as_json: bool, noun: str, rows: Iterable[Mapping[str, str | None]]) -> None:
    """Print a list: as JSON under its noun, or a line each with two spaces between its columns."""
    if as_json:
        click.echo(json.dumps({noun: list(rows)}))
        return
    from corr_tui.ui.text import clean

    for row in rows:
        click.echo("  ".join(clean(part) for part in row.values() if part))


def _standing(row: Mapping[str, str | None]) -> dict[str, str | None]:
    """A row that says in words for a person whether it still counts."""
    marks = {name: f"{name.removesuffix('_at')} {row[name]}" for name in ("expires_at", "revoked_at") if row.get(name)}
    return {**row, **marks}


@click.group()
def admin() -> None:
    """Make projects, bearers, identities and keys; look after their database."""


@admin.command("migrate")
@_flags
def admin_migrate(as_json: bool, database: str | None) -> None:
    """Give the database this program's tables, or bring older ones up to date; prints the schema's version."""
    version = migrate_database(database)
    click.echo(json.dumps({"schema_version": version}) if as_json else version)


@admin.command("rebuild")
@_flags
def admin_rebuild(as_json: bool, database: str | None) -> None:
    """Make the claim rows again from the stored events, also while the service runs; again changes nothing."""
    from corr_tui.server.database import StorageUnavailable
    from corr_tui.server.rebuild import rebuild

    with use_database(database) as opened:
        try:
            rebuilt = rebuild(opened)
        except StorageUnavailable:
            raise Unreached("--database: a transaction failed; what it was about is as it was") from None
    if as_json:
        click.echo(json.dumps(asdict(rebuilt)))
        return
    click.echo(
        f"{rebuilt.events} events of {rebuilt.projects} projects read, {rebuilt.claim_events} of them about claims; "
        f"{rebuilt.changed} projects changed"
    )


@admin.group()
def project() -> None:
    """Projects: what a bearer opens."""


@project.command("create")
@click.argument("name")
@_flags
def project_create(name: str, as_json: bool, database: str | None) -> None:
    """Make a project called NAME; prints its id."""
    with use_accounts(database) as accounts:
        _tell(as_json, "project_id", project_id=accounts.create_project(name))


@project.command("list")
@_flags
def project_list(as_json: bool, database: str | None) -> None:
    """List the projects, oldest first."""
    with use_accounts(database) as accounts:
        _list(as_json, "projects", [asdict(each) for each in accounts.projects()])


@admin.group()
def token() -> None:
    """Bearers: whoever holds one reads and writes its project. A project may have several."""


@token.command("create")
@_PROJECT
@click.option(
    "--expires-in", metavar="TIME", help="How long it opens the project, as 30d or 12h; for ever if left out."
)
@_flags
def token_create(project_id: str, expires_in: str | None, as_json: bool, database: str | None) -> None:
    """Make a bearer; it is printed now and never again, since only its hash is kept."""
    from corr_tui.cli.instants import read_duration
    from corr_tui.server.accounts import token_id_of

    duration = None if expires_in is None else read_duration(expires_in, option="--expires-in")
    with use_accounts(database) as accounts:
        bearer = accounts.create_token(project_id, duration)
        _tell(as_json, "bearer", bearer=bearer, token_id=token_id_of(bearer))


@token.command("list")
@_PROJECT
@_flags
def token_list(project_id: str, as_json: bool, database: str | None) -> None:
    """List what is known of a project's bearers, which is not the bearers themselves."""
    with use_accounts(database) as accounts:
        rows = [asdict(each) for each in accounts.tokens(project_id)]
        _list(as_json, "tokens", rows if as_json else map(_standing, rows))


@token.command("revoke")
@click.argument("bearer_or_id", metavar="ID|BEARER")
@_flags
def token_revoke(bearer_or_id: str, as_json: bool, database: str | None) -> None:
    """Let a bearer open nothing more. Name it by its listed id, or give the bearer itself."""
    with use_accounts(database) as accounts:
        _tell(as_json, "token_id", token_id=accounts.revoke_token(bearer_or_id))


@admin.group()
def identity() -> None:
    """Identities: who signs."""


@identity.command("create")
@_PROJECT
@click.option("--name", required=True, help="What others call it.")
@_flags
def identity_create(project_id: str, name: str, as_json: bool, database: str | None) -> None:
    """Make an identity; prints its id."""
    with use_accounts(database) as accounts:
        _tell(as_json, "identity_id", identity_id=accounts.create_identity(project_id, name))


@identity.command("list")
@_PROJECT
@_flags
def identity_list(project_id: str, as_json: bool, database: str | None) -> None:
    """List a project's identities, revoked ones too."""
    with use_accounts(database) as accounts:
        accounts.project(project_id)
        rows = [asdict(each) for each in accounts.identities(project_id)]
        _list(as_json, "identities", rows if as_json else map(_standing, rows))


@identity.command("revoke")
@click.argument("identity_id", metavar="ID")
@_flags
def identity_revoke(identity_id: str, as_json: bool, database: str | None) -> None:
    """Let an identity post and listen no more; what it signed stays."""
    with use_accounts(database) as accounts:
        accounts.revoke_identity(identity_id)
        _tell(as_json, "identity_id", identity_id=identity_id)


@admin.group()
def key() -> None:
    """Signing keys: what proves a signature."""


@key.command("add")
@_IDENTITY
@click.option(
    "--public-key", required=True, metavar="BASE64", help="Its 32 public bytes; `corr-tui key new` makes one."
)
@click.option("--label", default="", help="What others call the key.")
@_flags
def key_add(identity_id: str, public_key: str, label: str, as_json: bool, database: str | None) -> None:
    """List a public key for an identity; prints the signing key's id."""
    from corr_tui.protocol.errors import SignatureRefused
    from corr_tui.protocol.signing import decode_key

    try:
        raw = decode_key(public_key)
    except SignatureRefused as refusal:
        raise Invalid(f"--public-key: {refusal.message}") from None
    with use_accounts(database) as accounts:
        _tell(as_json, "signing_key_id", signing_key_id=accounts.add_key(identity_id, raw, label))


@key.command("list")
@_IDENTITY
@_flags
def key_list(identity_id: str, as_json: bool, database: str | None) -> None:
    """List an identity's keys, revoked ones too."""
    with use_accounts(database) as accounts:
        found = accounts.keys(accounts.project_of_identity(identity_id), identity_id)
        rows = [{**asdict(each), "public_key": b64encode(each.public_key).decode("ascii")} for each in found]
        _list(as_json, "keys", rows if as_json else map(_standing, rows))


@key.command("revoke")
@click.argument("signing_key_id", metavar="ID")
@_flags
def key_revoke(signing_key_id: str, as_json: bool, database: str | None) -> None:
    """Let a key sign no more; what it signed stays, marked as signed by a key revoked since."""
    with use_accounts(database) as accounts:
        accounts.revoke_key(signing_key_id)
        _tell(as_json, "signing_key_id", signing_key_id=signing_key_id)
