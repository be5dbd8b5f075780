"""`corr-tui key`: signing keys as files.

A key file is 32 raw bytes, readable by its maker alone. It is never overwritten: a lost seed cannot be made again.
"""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import click

from corr_tui.cli.failures import Invalid


@click.group()
def key() -> None:
    """Make a signing key."""


@key.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def new(file: Path, as_json: bool) -> None:
    """Make a signing key in FILE (only you may read it) and print its public key in base64.

    Give the public key to `corr-tui admin key add`, and FILE to CORR_TUI_SIGNING_KEY_FILE.
    """
    from corr_tui.protocol.signing import public_key_of
    from corr_tui.state.credentials import CredentialRefused, create_seed

    try:
        seed = create_seed(file, folders=False)
    except CredentialRefused as refused:
        raise Invalid(f"{click.format_filename(file)}: {refused}") from None
    public_key = b64encode(public_key_of(seed)).decode()
    click.echo(json.dumps({"public_key": public_key}) if as_json else public_key)
