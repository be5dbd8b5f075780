"""`corr-tui serve`: the service on an address of this machine.

A bearer must not cross a network in the clear. So an address that others can reach is served with TLS, or by word of
whoever starts it that a proxy in front speaks TLS; loopback needs neither.
"""

from __future__ import annotations

import gc
import logging
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from threading import Timer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import click

from corr_tui.cli.databases import database_flag, database_url, use_database
from corr_tui.cli.failures import Invalid

if TYPE_CHECKING:
    from corr_tui.server.embed import Exposure

DEFAULT_PORT = 8787
LAST_SECONDS = 1.8
"""From the signal on, until the process ends whatever its threads wait for."""

_FILE = click.Path(exists=True, dir_okay=False)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="An address of this machine.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0 takes a free one."
)
@click.option("--tls-cert", type=_FILE, help="A certificate chain as PEM: serve HTTPS.")
@click.option("--tls-key", type=_FILE, help="The certificate's private key as PEM, without a passphrase.")
@click.option("--behind-proxy", is_flag=True, help="A proxy in front ends TLS, and nothing else reaches this address.")
@database_flag
def serve(
    host: str, port: int, tls_cert: str | None, tls_key: str | None, behind_proxy: bool, database: str | None
) -> None:
    """Serve correspondence over HTTP until interrupted.

    Accounts are made with `corr-tui admin` on the same database, before or while it runs.
    """
    from corr_tui.server.embed import ServeRefused
    from corr_tui.server.embed import serve as serve_database

    exposure = _exposure(host, tls_cert, tls_key, behind_proxy)
    gc.enable()
    url = database_url(database)
    with _faults_told(), use_database(url) as opened:
        try:
            serve_database(
                opened,
                host,
                port,
                exposure=exposure,
                on_ready=lambda base_url: _announce(base_url, url),
                on_end=_leave_soon,
            )
        except ServeRefused as refused:
            raise Invalid(str(refused)) from None


@contextmanager
def _faults_told() -> Iterator[None]:
    """Faults go to standard error as the service tells them: by type and place, without a word of any event."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.getLogger("corr_tui.server")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


def _leave_soon() -> None:
    """End the process even where a thread still waits for a database that does not answer.

    What was not committed was not acknowledged, so nothing is lost that anybody was promised.
    """
    timer = Timer(LAST_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()


def _exposure(host: str, certificate: str | None, key: str | None, behind_proxy: bool) -> Exposure:
    """How the address may be reached; raises Invalid where a bearer would cross a network in the clear."""
    from corr_tui.server.embed import Exposure, Tls

    if (certificate is None) != (key is None):
        raise Invalid("--tls-cert and --tls-key: one is of no use without the other")
    tls = Tls(certificate, key) if certificate is not None and key is not None else None
    if tls is None and not behind_proxy and not _is_loopback(host):
        raise Invalid(
            f"--host: {host!r} is not a loopback address, and bearers would cross the network in the clear. Give "
            "--tls-cert and --tls-key, or say --behind-proxy when a proxy in front of it speaks TLS"
        )
    return Exposure(tls, behind_proxy)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _without_password(url: str) -> str:
    """A database URL to be shown: who needs its password has it from elsewhere."""
    parts = urlsplit(url)
    user, at, place = parts.netloc.rpartition("@")
    query = "&".join(each for each in parts.query.split("&") if "password" not in each.partition("=")[0])
    if (user, query) == (user.partition(":")[0], parts.query):
        return url
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{place}", query=query))


def _announce(base_url: str, url: str) -> None:
    """Say where it listens and how somebody gets in; what a program needs stands alone on standard output."""
    shown = _without_password(url)
    option = shlex.quote(shown)
    click.echo(base_url)
    click.echo(
        f"""Serving {shown}. To let somebody in:
  corr-tui admin project create NAME --database {option}
  corr-tui admin token create --project ID --database {option}
  corr-tui admin identity create --project ID --name NAME --database {option}
  corr-tui key new FILE
  corr-tui admin key add --identity ID --public-key BASE64 --database {option}
They set CORR_TUI_BASE_URL={base_url}, CORR_TUI_BEARER, CORR_TUI_REPOSITORY_ID, CORR_TUI_IDENTITY_ID,
CORR_TUI_SIGNING_KEY_ID and CORR_TUI_SIGNING_KEY_FILE, and run corr-tui.""",
        err=True,
    )
