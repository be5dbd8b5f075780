"""The settings a command line may give; each stands above its environment variable, and that above the config file.

The same flags may stand before a verb or after it; those after it are the nearer ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from corr_tui.cli.failures import Invalid

if TYPE_CHECKING:
    from corr_tui.state.config import Settings
    from corr_tui.state.home import Home

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Flags:
    """What the command line says about where to connect, and as whom; None where it says nothing."""

    base_url: str | None = None
    bearer: str | None = None
    repository_id: str | None = None
    identity_id: str | None = None
    signing_key_id: str | None = None
    signing_key_file: Path | None = None
    as_name: str | None = None
    home: Path | None = None

    def over(self, other: Flags) -> Flags:
        """These flags where they say something, else the others."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(other, **{name: value for name, value in said.items() if value is not None})


def home_of(flags: Flags) -> Home:
    """The folders of this installation: under --home, else CORR_TUI_HOME, else where the platform keeps them."""
    from corr_tui.state.home import Home

    return Home.find(os.environ, flags.home)


def settings_of(flags: Flags) -> Settings:
    """The settings by flag, variable and config file; raises Invalid with the setting, its source and the rule."""
    from corr_tui.state.config import resolve
    from corr_tui.state.home import ConfigRefused

    said = {field.name: getattr(flags, field.name) for field in fields(flags) if field.name != "home"}
    said["as"] = said.pop("as_name")
    try:
        return resolve(said, os.environ, home_of(flags))
    except ConfigRefused as refused:
        raise Invalid(str(refused)) from None


_OPTIONS = (
    click.option("--base-url", metavar="URL", help="The service to connect to."),
    click.option(
        "--bearer", metavar="BEARER", help="The project's bearer; CORR_TUI_BEARER keeps it out of the process list."
    ),
    click.option("--repository", "repository_id", metavar="ID", help="The repository to speak about."),
    click.option("--identity", "identity_id", metavar="ID", help="The identity to sign as."),
    click.option("--signing-key", "signing_key_id", metavar="ID", help="The signing key's id at the service."),
    click.option(
        "--signing-key-file",
        type=click.Path(path_type=Path, dir_okay=False),
        help="The signing key: 32 raw bytes, or base64.",
    ),
    click.option(
        "--as", "as_name", metavar="NAME", help="Sign as this identity of the local project; first use makes it."
    ),
    click.option(
        "--home",
        type=click.Path(path_type=Path, file_okay=False),
        help="Keep config, data and state under this folder.",
    ),
)


def settings_flags(command: _Function) -> _Function:
    """Give a command the settings flags; it receives them as one `flags` argument."""

    @click.pass_context
    def with_flags(ctx: click.Context, /, *arguments: Any, **options: Any) -> Any:
        own = Flags(**{field.name: options.pop(field.name) for field in fields(Flags)})
        before = ctx.obj if isinstance(ctx.obj, Flags) else Flags()
        return ctx.invoke(command, *arguments, flags=own.over(before), **options)

    with_flags.__doc__ = command.__doc__
    with_flags.__name__ = command.__name__
    wrapped: Any = with_flags
    wrapped.__click_params__ = getattr(command, "__click_params__", [])
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return cast(_Function, wrapped)
