"""`corr-tui serve`: the service on an address of this machine.

Only loopback addresses are served, since a bearer must not cross a network in the clear: put a proxy that speaks TLS,
or a tunnel, in front of it.
"""

from __future__ import annotations

import gc
import shlex
from ipaddress import ip_address

import click

from corr_tui.cli.databases import database_flag, database_url, use_database
from corr_tui.cli.failures import Invalid

DEFAULT_PORT = 8787


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0 takes a free one."
)
@database_flag
def serve(host: str, port: int, database: str | None) -> None:
    """Serve correspondence over HTTP until interrupted.

    Accounts are made with `corr-tui admin` on the same database, before or while it runs.
    """
    if not _is_loopback(host):
        raise Invalid(
            f"--host: {host!r} is not a loopback address. Bearers would cross the network in the clear: serve on "
            "127.0.0.1 and put a TLS proxy or a tunnel in front of it"
        )
    from corr_tui.server.embed import ServeRefused
    from corr_tui.server.embed import serve as serve_database

    gc.enable()
    url = database_url(database)
    with use_database(url) as opened:
        try:
            serve_database(opened, host, port, on_ready=lambda base_url: _announce(base_url, url))
        except ServeRefused as refused:
            raise Invalid(str(refused)) from None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _announce(base_url: str, url: str) -> None:
    """Say where it listens and how somebody gets in; what a program needs stands alone on standard output."""
    option = shlex.quote(url)
    click.echo(base_url)
    click.echo(
        f"""Serving {url}. To let somebody in:
  corr-tui admin project create NAME --database {option}
  corr-tui admin token create --project ID --database {option}
  corr-tui admin identity create --project ID --name NAME --database {option}
  corr-tui key new FILE
  corr-tui admin key add --identity ID --public-key BASE64 --database {option}
They set CORR_TUI_BASE_URL={base_url}, CORR_TUI_BEARER, CORR_TUI_REPOSITORY_ID, CORR_TUI_IDENTITY_ID,
CORR_TUI_SIGNING_KEY_ID and CORR_TUI_SIGNING_KEY_FILE, and run corr-tui.""",
        err=True,
    )
