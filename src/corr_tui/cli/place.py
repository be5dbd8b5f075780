"""Where a one-shot command speaks: the configured service, else the local project with the service in this process.

The service and its database are loaded only for a local project.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from corr_tui.cli.failures import Invalid
from corr_tui.cli.flags import Flags, home_of, settings_of
from corr_tui.cli.streams import working_folder
from corr_tui.client.errors import Unsendable
from corr_tui.client.http import Client
from corr_tui.state.config import Settings
from corr_tui.state.connection import Connection
from corr_tui.state.git_facts import GitFacts
from corr_tui.state.home import Home
from corr_tui.state.session import Session
from corr_tui.ui.text import clean


@dataclass(frozen=True, slots=True)
class Place:
    """A service, a repository, and whom to sign as there."""

    connection: Connection
    client: Client
    home: Home
    facts: GitFacts

    @property
    def repository_id(self) -> str:
        """The repository spoken about."""
        return self.connection.repository_id


@asynccontextmanager
async def place(flags: Flags, *, make: bool, kept: bool = False) -> AsyncIterator[Place]:
    """Where this command speaks, for as long as it does; raises Invalid and what `failures.in_words` turns.

    A local project is made on first use only with `make`: who reads makes nothing. With `kept` one whose database is
    gone is a place as well: what was read of it may be kept here.
    """
    settings, home = settings_of(flags), home_of(flags)
    facts = GitFacts(working_folder())
    if settings.configured:
        async with _connected(configured(settings, facts), home, facts) as here:
            yield here
        return
    from corr_tui.cli.in_process import in_process

    with in_process(settings, home, facts, make=make, kept=kept) as connection:
        async with _connected(connection, home, facts) as here:
            yield here


@asynccontextmanager
async def _connected(connection: Connection, home: Home, facts: GitFacts) -> AsyncIterator[Place]:
    client = Client(connection.base_url, connection.bearer, transport=connection.transport)
    try:
        yield Place(connection, client, home, facts)
    finally:
        await client.aclose()


def session_at(connection: Connection, home: Home) -> Session:
    """A session there; raises Invalid for a connection that could never be used."""
    try:
        return Session(connection, home)
    except Unsendable as refused:
        raise Invalid(str(refused)) from None


def configured(settings: Settings, facts: GitFacts) -> Connection:
    """The connection that was configured; the repository is that of the `origin` remote when none was named.

    Raises Invalid when neither says which: a folder's name means nothing to others, and an empty board would look well.
    """
    assert settings.base_url is not None
    assert settings.bearer is not None
    repository_id = settings.repository_id or facts.remote_id()
    if repository_id is None:
        raise Invalid(
            f"which repository at {clean(settings.base_url)}? This folder has no Git remote `origin` that tells. Set "
            "--repository, CORR_TUI_REPOSITORY_ID, or repository_id in config.toml"
        )
    return Connection(
        base_url=settings.base_url,
        bearer=settings.bearer,
        repository_id=repository_id,
        identity_id=settings.identity_id,
        signing_key_id=settings.signing_key_id,
        seed=settings.seed,
    )
