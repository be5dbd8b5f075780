"""The database of a service: which one a command means, and how it is opened.

`serve` and `admin` mean the same one: what --database says, else `service.db` in the data folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from corr_tui.cli.failures import Invalid, Unreached
from corr_tui.cli.flags import Flags, home_of

if TYPE_CHECKING:
    from corr_tui.server.accounts import Accounts
    from corr_tui.server.database import Database

_Function = TypeVar("_Function", bound=Callable[..., Any])


def database_flag(command: _Function) -> _Function:
    """Give a command --database."""
    says = "sqlite:///FILE or postgresql://USER@HOST/NAME; by default service.db in the data folder."
    return click.option("--database", metavar="URL", help=says)(command)


def database_url(url: str | None) -> str:
    """The address of the database that is meant; makes the data folder when it is the one in there."""
    if url is not None:
        return url
    flags = click.get_current_context().find_object(Flags) or Flags()
    folder = home_of(flags).data
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return f"sqlite:///{folder / 'service.db'}"


@contextmanager
def use_database(url: str | None) -> Iterator[Database]:
    """An open database; raises Invalid when there is none to open at its address."""
    from corr_tui.server.database import DatabaseRefused, open_database

    try:
        database = open_database(database_url(url))
    except DatabaseRefused as refusal:
        raise Invalid(f"--database: {refusal}") from None
    try:
        yield database
    finally:
        database.close()


def migrate_database(url: str | None) -> int:
    """Give a database this program's schema; returns its version; raises Invalid when it cannot be given."""
    from corr_tui.server.database import DatabaseRefused, migrate

    try:
        return migrate(database_url(url))
    except DatabaseRefused as refusal:
        raise Invalid(f"--database: {refusal}") from None


@contextmanager
def use_accounts(url: str | None) -> Iterator[Accounts]:
    """The accounts in a database; raises Invalid with the words of a refusal, Unreached when nothing was stored."""
    from corr_tui.server.accounts import AccountRefused, Accounts
    from corr_tui.server.database import StorageUnavailable

    with use_database(url) as database:
        try:
            yield Accounts(database)
        except AccountRefused as refusal:
            raise Invalid(str(refusal)) from None
        except StorageUnavailable:
            raise Unreached("--database: the transaction failed, and nothing of it was stored") from None
