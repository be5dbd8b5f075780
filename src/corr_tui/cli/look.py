"""How a board is to look and which keys it has: flags, variables and the configuration file, checked before it starts.

Everything is refused before anything is drawn: a theme or a preset that is not there, a command that is not, a key
that is none, and two commands that want one key.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from corr_tui.cli.failures import Invalid
from corr_tui.cli.flags import Flags, home_of
from corr_tui.state.notice_settings import NoticeSettings
from corr_tui.ui.text import clean

if TYPE_CHECKING:
    from corr_tui.state.board_settings import BoardSettings
    from corr_tui.state.saved_views import SavedViews

_Function = TypeVar("_Function", bound=Callable[..., Any])
_META = "corr_tui.look"
"""Where click keeps what was said before a verb."""


@dataclass(frozen=True, slots=True)
class LookFlags:
    """What the command line says about look and keys; None where it says nothing."""

    theme: str | None = None
    preset: str | None = None
    ascii: bool | None = None
    reduced_motion: bool | None = None
    compact: bool | None = None

    def over(self, other: LookFlags) -> LookFlags:
        """These flags where they say something, else the others."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(other, **{name: value for name, value in said.items() if value is not None})


UNSAID = LookFlags()
"""A command line that says nothing of it."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a board looks and which keys differ from the built-in ones, checked."""

    theme: str = ""
    ascii_only: bool | None = None
    """None leaves it to the terminal."""
    reduced_motion: bool = False
    preset: str = "default"
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By command id, as Textual has them: the preset's, and a person's own over those."""
    own: frozenset[str] = frozenset()
    """The commands whose keys are a person's own."""
    clipboard: str = "auto"
    compact: bool = False
    """Whether the board is a strip, to stand beside something else."""
    notices: NoticeSettings = field(default_factory=NoticeSettings)
    views: SavedViews | None = field(default=None, compare=False)
    """The filters with names."""


def look_of(flags: LookFlags, connection: Flags) -> Look:
    """The look by flag, variable and file; raises Invalid with the setting, its source and the rule."""
    from corr_tui.state.board_settings import board_settings
    from corr_tui.state.home import ConfigRefused
    from corr_tui.state.notice_settings import notice_settings
    from corr_tui.state.saved_views import SavedViews

    said = {field.name: getattr(flags, field.name) for field in fields(flags) if field.name != "compact"}
    try:
        settings = board_settings(said, os.environ, home_of(connection))
        look = replace(_checked(settings), compact=bool(flags.compact))
        home = home_of(connection)
        return replace(look, notices=notice_settings(home), views=SavedViews.read(home))
    except ConfigRefused as refused:
        raise Invalid(clean(str(refused))) from None


def _checked(settings: BoardSettings) -> Look:
    """What is asked for, where all of it is there; raises ConfigRefused."""
    from textual.theme import BUILTIN_THEMES

    from corr_tui.state.home import ConfigRefused
    from corr_tui.ui import commands
    from corr_tui.ui.presets import DEFAULT_PRESET, KeySettingRefused, PresetUnknown, keys_over
    from corr_tui.ui.theme import ThemeUnknown, theme_named

    sources, preset = settings.sources, settings.preset or DEFAULT_PRESET
    try:
        theme = theme_named(settings.theme or "", BUILTIN_THEMES.values())
        keys = keys_over(preset, settings.keys)
        commands.table(keys)
    except ThemeUnknown as refused:
        raise ConfigRefused("theme", sources["theme"], str(refused)) from None
    except PresetUnknown as refused:
        raise ConfigRefused("preset", sources["preset"], str(refused)) from None
    except KeySettingRefused as refused:
        raise ConfigRefused(f"keys.{refused.command_id}", sources["keys"], str(refused)) from None
    except (commands.CommandUnknown, commands.KeyClash, commands.KeyTyped) as refused:
        raise ConfigRefused("keys", sources["keys"], str(refused)) from None
    return Look(
        theme,
        settings.ascii,
        bool(settings.reduced_motion),
        preset,
        keys,
        frozenset(settings.keys),
        _clipboard(settings),
    )


def _clipboard(settings: BoardSettings) -> str:
    """How to copy, where that is a way there is; raises ConfigRefused."""
    from corr_tui.state.home import ConfigRefused
    from corr_tui.ui.clipboard import Way

    if settings.clipboard is None:
        return Way.AUTO
    if settings.clipboard not in list(Way):
        raise ConfigRefused("clipboard", settings.sources["clipboard"], f"must be one of {', '.join(Way)}")
    return settings.clipboard


_OPTIONS = (
    click.option("--theme", metavar="NAME", help="The colours of the board."),
    click.option("--keys", "preset", metavar="PRESET", help="The keys to start from: default or vim."),
    click.option("--ascii/--no-ascii", default=None, help="Draw with ASCII alone, or not."),
    click.option("--compact", is_flag=True, default=None, help="A strip to stand beside something else: 60 by 12 do."),
    click.option("--reduced-motion/--no-reduced-motion", default=None, help="Let nothing glide or blink, or let it."),
)


def look_flags(command: _Function) -> _Function:
    """Give a command the flags of look and keys; it receives them as one `look` argument.

    The same flags may stand before a verb or after it; those after it are the nearer ones.
    """

    @click.pass_context
    def with_look(ctx: click.Context, /, *arguments: Any, **options: Any) -> Any:
        own = LookFlags(**{field.name: options.pop(field.name) for field in fields(LookFlags)})
        look = ctx.meta[_META] = own.over(ctx.meta.get(_META, UNSAID))
        return ctx.invoke(command, *arguments, look=look, **options)

    with_look.__doc__ = command.__doc__
    with_look.__name__ = command.__name__
    wrapped: Any = with_look
    wrapped.__click_params__ = getattr(command, "__click_params__", [])
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return cast(_Function, wrapped)


def connection_flags() -> Flags:
    """The settings flags that stood before the verb, for a verb that has none of its own."""
    found = click.get_current_context().obj
    return found if isinstance(found, Flags) else Flags()
