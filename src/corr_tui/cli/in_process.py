"""A local project for one command: the service is in this process, and no socket is opened.

Other processes on the same database notice what is appended here by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import click
from starlette.types import Receive, Scope, Send

from corr_tui.cli.local import LocalProject, local_project
from corr_tui.cli.local_identity import LocalIdentity, local_identity
from corr_tui.client.answers import NamedProject
from corr_tui.client.http import transport_to
from corr_tui.server.accounts import new_bearer
from corr_tui.server.app import create_app
from corr_tui.state.config import Settings
from corr_tui.state.connection import Connection
from corr_tui.state.git_facts import GitFacts
from corr_tui.state.home import Home
from corr_tui.state.snapshot import LOCAL_SERVICE

GONE = "the database of the local project is gone"


@contextmanager
def in_process(
    settings: Settings, home: Home, facts: GitFacts, *, make: bool, kept: bool = False
) -> Iterator[Connection]:
    """The connection to the local project of a folder; raises Invalid.

    With `make`, project and identity are made on first use and introduced; without, nothing is. With `kept` a project
    whose database is gone has a connection as well, at which nobody answers.
    """
    project = local_project(home, facts.folder, make=make)
    if project.made:
        click.echo(project.whole_introduction, err=True)
    identity = local_identity(home, project, settings.as_name, make=make)
    if identity is not None and identity.made:
        click.echo(identity.introduction, err=True)
    if kept and not project.database_file.exists():
        yield replace(
            local_connection(project, identity, settings, "http://127.0.0.1", new_bearer(), transport_to(_gone)),
            project=NamedProject(project.project_id, ""),
        )
        return
    database = project.open()
    try:
        bearer = new_bearer()
        transport = transport_to(create_app(database, bearers={bearer: project.project_id}))
        yield local_connection(project, identity, settings, "http://127.0.0.1", bearer, transport)
    finally:
        database.close()


async def _gone(_scope: Scope, _receive: Receive, send: Send) -> None:
    """An application without its database."""
    body = json.dumps({"error": "storage_unavailable", "message": GONE}).encode()
    await send({"type": "http.response.start", "status": 503, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": body})


def local_connection(
    project: LocalProject,
    identity: LocalIdentity | None,
    settings: Settings,
    base_url: str,
    bearer: str,
    transport: object | None = None,
) -> Connection:
    """The connection to a local project whose service answers at `base_url`, or through `transport`.

    Without an identity it only reads.
    """
    return Connection(
        base_url=base_url,
        bearer=bearer,
        repository_id=settings.repository_id or project.repository_id,
        label=LOCAL_SERVICE,
        identity_id=identity.identity_id if identity else None,
        signing_key_id=identity.signing_key_id if identity else None,
        seed=identity.seed() if identity else None,
        transport=transport,
    )
