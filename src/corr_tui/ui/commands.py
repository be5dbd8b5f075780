"""The one table of commands: bindings, footer, palette and help are all read from it.

A command belongs to a scope: the part of the interface that has its action. Scopes in one CONTEXT are active at the
same time, so no two of their commands may share a key; `table` refuses such a clash, whether built in or made by a
person's own keys, and names both commands. The commands themselves are in `built_in`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from textual.binding import Binding, BindingType

from corr_tui.ui.built_in import BUILT_IN
from corr_tui.ui.command import CONTEXTS, WRITING, Command, Scope
from corr_tui.ui.key_names import character_of, show_key

__all__ = [
    "COMMANDS",
    "CONTEXTS",
    "Command",
    "CommandUnknown",
    "HasCommands",
    "KeyClash",
    "KeyTyped",
    "Scope",
    "show_key",
]


class KeyClash(ValueError):
    """Two commands that are heard at the same time want one key; names both."""

    def __init__(self, key: str, one: Command, other: Command) -> None:
        super().__init__(f"{show_key(key)} is wanted by both {one.id} ({one.verb}) and {other.id} ({other.verb})")
        self.key = key
        self.commands = (one.id, other.id)


class CommandUnknown(ValueError):
    """A key setting names a command that does not exist; the message names those that are called alike."""

    def __init__(self, command_id: str, known: Iterable[str] = ()) -> None:
        from difflib import get_close_matches  # loaded only to refuse

        near = get_close_matches(command_id, list(known))
        meant = f"; did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"no command is called {command_id!a}{meant}")
        self.command_id = command_id


class KeyTyped(ValueError):
    """A command is to have a key that types, where somebody writes."""

    def __init__(self, key: str, command: Command) -> None:
        super().__init__(f"{show_key(key)} is typed there, so {command.id} ({command.verb}) cannot have it")
        self.key = key
        self.command_id = command.id


@runtime_checkable
class HasCommands(Protocol):
    """An app with a table of commands of its own."""

    commands: tuple[Command, ...]


def table(rebound: Mapping[str, Sequence[str]] | None = None) -> tuple[Command, ...]:
    """Every command, with a person's own keys in place of the built-in ones.

    Raises CommandUnknown for an id that does not exist, KeyClash when two commands want one key, and KeyTyped.
    """
    if not rebound:
        return COMMANDS
    known = {command.id for command in BUILT_IN}
    for command_id in rebound:
        if command_id not in known:
            raise CommandUnknown(command_id, known)
    commands = tuple(
        replace(command, keys=tuple(rebound[command.id])) if command.id in rebound else command for command in BUILT_IN
    )
    check(commands)
    return commands


def check(commands: Iterable[Command]) -> None:
    """Raise KeyClash unless every key means one thing in every context, and KeyTyped where none could hear it."""
    listed = tuple(commands)
    for command in listed:
        for key in command.keys if command.scope in WRITING else ():
            if character_of(key) is not None:
                raise KeyTyped(key, command)
    for context in CONTEXTS:
        taken: dict[str, Command] = {}
        for command in listed:
            if command.scope not in context:
                continue
            for key in command.keys:
                before = taken.setdefault(key, command)
                if before is not command:
                    raise KeyClash(key, before, command)


COMMANDS = BUILT_IN
check(COMMANDS)


def bindings(scope: Scope | str, commands: Sequence[Command] = COMMANDS) -> list[BindingType]:
    """Textual's bindings for one scope, each with the command's id and its sentence."""
    return [
        Binding(
            ",".join(command.keys),
            command.action,
            command.verb,
            key_display=command.shown,
            tooltip=command.description,
            id=command.id,
            show=command.footer is not None,
        )
        for command in commands
        if command.scope == scope and command.keys
    ]


def keymap(rebound: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A person's own keys as App.set_keymap takes them; raises as `table` does."""
    table(rebound)
    return {command_id: ",".join(keys) for command_id, keys in rebound.items()}


def footer(
    panel: str,
    commands: Sequence[Command] = COMMANDS,
    scopes: Iterable[Scope] = (Scope.READING, Scope.BOARD, Scope.LIST, Scope.APP),
    *,
    speaking: bool = True,
) -> tuple[Command, ...]:
    """The commands of the footer while a panel has the focus, in the order of the table; not `speaking` is for a
    reader without a key."""
    wanted = frozenset(scopes)
    return tuple(
        command
        for command in commands
        if command.footer is not None
        and command.scope in wanted
        and (not command.panels or panel in command.panels)
        and (speaking or not command.speaks)
    )


def listed(ids: Sequence[str], commands: Sequence[Command] = COMMANDS, *, speaking: bool = True) -> tuple[Command, ...]:
    """The commands with these ids for a footer, in their order: when room is short the last goes first."""
    found = (find(each, commands) for each in ids)
    heard = [command for command in found if command.keys and (speaking or not command.speaks)]
    return tuple(replace(command, footer=rank) for rank, command in enumerate(heard))


def find(command_id: str, commands: Sequence[Command] = COMMANDS) -> Command:
    """The command with an id; raises CommandUnknown."""
    for command in commands:
        if command.id == command_id:
            return command
    raise CommandUnknown(command_id)


def shown_keys(commands: Iterable[Command]) -> Mapping[str, str]:
    """By command id, its first key as people write it; empty where it has none."""
    return {command.id: command.shown for command in commands}


def commands_of(app: object) -> tuple[Command, ...]:
    """The commands with the keys they have in an app; with the built-in ones where it says nothing of keys."""
    return app.commands if isinstance(app, HasCommands) else COMMANDS
