"""The one table of commands: bindings, footer, palette and help are all read from it.

A command belongs to a scope: the part of the interface that has its action. Scopes in one CONTEXT are active at the
same time, so no two of their commands may share a key; `table` refuses such a clash, whether built in or made by a
person's own keys, and names both commands. Only commands that work stand here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from textual.binding import Binding, BindingType


class Scope(StrEnum):
    """Which part of the interface has the action of a command."""

    APP = "app"
    BOARD = "board"
    LIST = "list"
    """The list under the cursor, on any panel."""
    COMPOSE = "compose"
    HELP = "help"


CONTEXTS = (
    frozenset({Scope.APP, Scope.BOARD, Scope.LIST}),
    frozenset({Scope.APP, Scope.COMPOSE}),
    frozenset({Scope.APP, Scope.HELP}),
)
"""Scopes whose keys are heard at the same time."""

_SAID_OF_AN_EVENT = frozenset({"events", "selected"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing a person can do."""

    id: str
    """Stable: what a person's own key settings name."""
    keys: tuple[str, ...]
    """As Textual writes keys; the first is shown."""
    verb: str
    """The word beside the key in the footer."""
    description: str
    """A sentence for help and palette."""
    action: str
    """The action's name, on the part of the interface that `scope` names."""
    scope: Scope
    group: str
    """The heading it stands under in help."""
    panels: frozenset[str] = frozenset()
    """The panels whose footer shows it; empty means all."""
    footer: int | None = None
    """Its rank in the footer: when room is short, the highest goes first. None: not in the footer."""

    @property
    def shown(self) -> str:
        """Its first key as people write it."""
        return show_key(self.keys[0]) if self.keys else ""


class KeyClash(ValueError):
    """Two commands that are heard at the same time want one key; names both."""

    def __init__(self, key: str, one: Command, other: Command) -> None:
        super().__init__(f"{show_key(key)} is wanted by both {one.id} ({one.verb}) and {other.id} ({other.verb})")
        self.key = key
        self.commands = (one.id, other.id)


class CommandUnknown(ValueError):
    """A key setting names a command that does not exist."""

    def __init__(self, command_id: str) -> None:
        super().__init__(f"no command is called {command_id!r}")
        self.command_id = command_id


def _panel(number: int, name: str, description: str) -> Command:
    return Command(
        id=f"panel.{name}",
        keys=(str(number),),
        verb=name,
        description=description,
        action=f"panel('{name}')",
        scope=Scope.BOARD,
        group="Panels",
    )


def _say(key: str, kind: str, verb: str, description: str, footer: int) -> Command:
    return Command(
        id=kind,
        keys=(key,),
        verb=verb,
        description=description,
        action=f"compose('{kind}')",
        scope=Scope.BOARD,
        group="Say something about the event under the cursor",
        panels=_SAID_OF_AN_EVENT if kind.startswith("ack.") else _SAID_OF_AN_EVENT | {"conflicts"},
        footer=footer,
    )


def _move(name: str, keys: tuple[str, ...], verb: str, description: str) -> Command:
    return Command(
        id=f"move.{name}",
        keys=keys,
        verb=verb,
        description=description,
        action=f"cursor_{name}",
        scope=Scope.LIST,
        group="Moving",
    )


_BUILT_IN = (
    _say("s", "ack.seen", "seen", "Say that its bytes reached you", 1),
    _say("u", "ack.understood", "understood", "Say that you read it well enough to go on", 2),
    _say("a", "ack.accepted", "accepted", "Accept it for coordination", 3),
    _say("A", "ack.applied", "applied", "Report that you applied it, and at which revision", 4),
    _say("x", "ack.rejected", "rejected", "Decline it; no reason is asked", 5),
    _say("r", "repair", "repair", "Append a correction that cites it; it stays as it is", 6),
    _panel(1, "threads", "Go to the threads"),
    _panel(2, "events", "Go to the events"),
    _panel(3, "claims", "Go to the active claims"),
    _panel(4, "conflicts", "Go to the conflicts"),
    _panel(5, "presence", "Go to the presence reports"),
    _panel(6, "selected", "Go to the selected event"),
    Command(
        id="panel.next",
        keys=("tab",),
        verb="next",
        description="Go to the next panel",
        action="next_panel",
        scope=Scope.BOARD,
        group="Panels",
    ),
    Command(
        id="panel.previous",
        keys=("shift+tab",),
        verb="previous",
        description="Go to the previous panel",
        action="previous_panel",
        scope=Scope.BOARD,
        group="Panels",
    ),
    _move("down", ("j", "down"), "down", "Down one row"),
    _move("up", ("k", "up"), "up", "Up one row"),
    _move("first", ("g", "home"), "first", "To the first row"),
    _move("last", ("G", "end"), "last", "To the last row, and stay with what arrives"),
    _move("page_down", ("pagedown", "ctrl+d"), "page down", "Down one page"),
    _move("page_up", ("pageup", "ctrl+u"), "page up", "Up one page"),
    Command(
        id="open",
        keys=("enter",),
        verb="open",
        description="Open the row: choose a thread, or show an event",
        action="open",
        scope=Scope.LIST,
        group="Moving",
        panels=frozenset({"threads", "events", "claims", "conflicts", "presence"}),
        footer=7,
    ),
    Command(
        id="back",
        keys=("escape",),
        verb="back",
        description="Back to where you were; never quits",
        action="back",
        scope=Scope.BOARD,
        group="Moving",
    ),
    Command(
        id="copy.id",
        keys=("y",),
        verb="copy id",
        description="Copy the event id",
        action="copy_id",
        scope=Scope.BOARD,
        group="The board",
        panels=_SAID_OF_AN_EVENT,
        footer=11,
    ),
    Command(
        id="copy.json",
        keys=("Y",),
        verb="copy JSON",
        description="Copy the event as JSON",
        action="copy_json",
        scope=Scope.BOARD,
        group="The board",
        panels=_SAID_OF_AN_EVENT,
    ),
    Command(
        id="refresh",
        keys=("R",),
        verb="refresh",
        description="Ask the service again now",
        action="refresh_now",
        scope=Scope.BOARD,
        group="The board",
        footer=10,
    ),
    Command(
        id="help",
        keys=("question_mark",),
        verb="help",
        description="What the keys do and what the signs mean",
        action="help",
        scope=Scope.BOARD,
        group="The board",
        footer=0,
    ),
    Command(
        id="palette",
        keys=("ctrl+p",),
        verb="palette",
        description="Find a command, a thread, a claim or a participant",
        action="command_palette",
        scope=Scope.APP,
        group="The board",
        footer=9,
    ),
    Command(
        id="quit",
        keys=("q",),
        verb="quit",
        description="Leave; what is unsent is kept and goes out next time",
        action="quit",
        scope=Scope.BOARD,
        group="The board",
        footer=8,
    ),
    Command(
        id="compose.post",
        keys=("enter",),
        verb="posts",
        description="Sign and post the event shown, once",
        action="post",
        scope=Scope.COMPOSE,
        group="In the composer",
    ),
    Command(
        id="compose.edit",
        keys=("e",),
        verb="words",
        description="Write, or change, your own words; Enter ends writing",
        action="edit",
        scope=Scope.COMPOSE,
        group="In the composer",
        footer=1,
    ),
    Command(
        id="compose.bytes",
        keys=("v",),
        verb="signed bytes",
        description="Show or hide exactly the bytes that will be signed",
        action="toggle_bytes",
        scope=Scope.COMPOSE,
        group="In the composer",
        footer=2,
    ),
    Command(
        id="compose.next_field",
        keys=("tab",),
        verb="next field",
        description="Write in the next field",
        action="next_field",
        scope=Scope.COMPOSE,
        group="In the composer",
    ),
    Command(
        id="compose.down",
        keys=("down", "pagedown"),
        verb="down",
        description="Down, where not everything fits",
        action="scroll_body('down')",
        scope=Scope.COMPOSE,
        group="In the composer",
    ),
    Command(
        id="compose.up",
        keys=("up", "pageup"),
        verb="up",
        description="Up, where not everything fits",
        action="scroll_body('up')",
        scope=Scope.COMPOSE,
        group="In the composer",
    ),
    Command(
        id="compose.close",
        keys=("escape",),
        verb="closes, posts nothing",
        description="Close and post nothing; your words are kept while corr-tui runs",
        action="close",
        scope=Scope.COMPOSE,
        group="In the composer",
        footer=0,
    ),
    Command(
        id="help.close",
        keys=("escape", "question_mark", "q"),
        verb="close",
        description="Close help",
        action="close",
        scope=Scope.HELP,
        group="In help",
        footer=0,
    ),
    Command(
        id="help.down",
        keys=("j", "down"),
        verb="down",
        description="Down one line",
        action="scroll_body('down')",
        scope=Scope.HELP,
        group="In help",
        footer=1,
    ),
    Command(
        id="help.page_down",
        keys=("pagedown", "space", "ctrl+d"),
        verb="page down",
        description="Down one page",
        action="scroll_body('page down')",
        scope=Scope.HELP,
        group="In help",
    ),
    Command(
        id="help.page_up",
        keys=("pageup", "ctrl+u"),
        verb="page up",
        description="Up one page",
        action="scroll_body('page up')",
        scope=Scope.HELP,
        group="In help",
    ),
    Command(
        id="help.up",
        keys=("k", "up"),
        verb="up",
        description="Up one line",
        action="scroll_body('up')",
        scope=Scope.HELP,
        group="In help",
    ),
)


def table(rebound: Mapping[str, Sequence[str]] | None = None) -> tuple[Command, ...]:
    """Every command, with a person's own keys in place of the built-in ones.

    Raises CommandUnknown for an id that does not exist and KeyClash when two commands want one key.
    """
    known = {command.id for command in _BUILT_IN}
    for command_id in rebound or {}:
        if command_id not in known:
            raise CommandUnknown(command_id)
    commands = tuple(
        replace(command, keys=tuple(rebound[command.id])) if rebound and command.id in rebound else command
        for command in _BUILT_IN
    )
    check(commands)
    return commands


def check(commands: Iterable[Command]) -> None:
    """Raise KeyClash unless every key means one thing in every context."""
    listed = tuple(commands)
    for context in CONTEXTS:
        taken: dict[str, Command] = {}
        for command in listed:
            if command.scope not in context:
                continue
            for key in command.keys:
                before = taken.setdefault(key, command)
                if before is not command:
                    raise KeyClash(key, before, command)


COMMANDS = table()


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
    scopes: Iterable[Scope] = (Scope.BOARD, Scope.LIST, Scope.APP),
) -> tuple[Command, ...]:
    """The commands of the footer while a panel has the focus, in the order of the table."""
    wanted = frozenset(scopes)
    return tuple(
        command
        for command in commands
        if command.footer is not None and command.scope in wanted and (not command.panels or panel in command.panels)
    )


def find(command_id: str, commands: Sequence[Command] = COMMANDS) -> Command:
    """The command with an id; raises CommandUnknown."""
    for command in commands:
        if command.id == command_id:
            return command
    raise CommandUnknown(command_id)


_NAMES = {
    "escape": "Esc",
    "enter": "Enter",
    "question_mark": "?",
    "ctrl+p": "^p",
    "space": "Space",
    "tab": "Tab",
    "shift+tab": "Shift+Tab",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "home": "Home",
    "end": "End",
    "up": "Up",
    "down": "Down",
    "slash": "/",
}


def show_key(key: str) -> str:
    """A key as people write it: `Esc`, `?`, `^p`, `A`."""
    if key in _NAMES:
        return _NAMES[key]
    return f"^{key.removeprefix('ctrl+')}" if key.startswith("ctrl+") else key
