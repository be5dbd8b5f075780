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
    """Help, and every other page that is only read."""
    SEARCH = "search"
    OUTBOX = "outbox"


CONTEXTS = (
    frozenset({Scope.APP, Scope.BOARD, Scope.LIST}),
    frozenset({Scope.APP, Scope.COMPOSE}),
    frozenset({Scope.APP, Scope.HELP}),
    frozenset({Scope.APP, Scope.SEARCH}),
    frozenset({Scope.APP, Scope.OUTBOX, Scope.LIST}),
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
    def speaks(self) -> bool:
        """Whether it says something, for which a key is needed."""
        return self.action.startswith("compose(")

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


def _command(
    scope: Scope,
    group: str,
    id: str,
    keys: tuple[str, ...],
    verb: str,
    description: str,
    action: str,
    panels: frozenset[str] = frozenset(),
    footer: int | None = None,
) -> Command:
    return Command(
        id=id,
        keys=keys,
        verb=verb,
        description=description,
        action=action,
        scope=scope,
        group=group,
        panels=panels,
        footer=footer,
    )


def _panel(number: int, name: str, description: str) -> Command:
    return _command(Scope.BOARD, "Panels", f"panel.{name}", (str(number),), name, description, f"panel('{name}')")


def _say(key: str, kind: str, verb: str, description: str, footer: int) -> Command:
    group = "Say something about the event under the cursor"
    panels = _SAID_OF_AN_EVENT if kind.startswith("ack.") else _SAID_OF_AN_EVENT | {"conflicts"}
    return _command(Scope.BOARD, group, kind, (key,), verb, description, f"compose('{kind}')", panels, footer)


def _move(name: str, keys: tuple[str, ...], verb: str, description: str) -> Command:
    return _command(Scope.LIST, "Moving", f"move.{name}", keys, verb, description, f"cursor_{name}")


def _board(
    id: str,
    keys: tuple[str, ...],
    verb: str,
    description: str,
    action: str,
    panels: frozenset[str] = frozenset(),
    footer: int | None = None,
) -> Command:
    return _command(Scope.BOARD, "The board", id, keys, verb, description, action, panels, footer)


def _writing(
    name: str, keys: tuple[str, ...], verb: str, description: str, action: str, footer: int | None = None
) -> Command:
    return _command(Scope.COMPOSE, "In the composer", f"compose.{name}", keys, verb, description, action, footer=footer)


def _in_help(
    name: str, keys: tuple[str, ...], verb: str, description: str, action: str, footer: int | None = None
) -> Command:
    return _command(Scope.HELP, "In help", f"help.{name}", keys, verb, description, action, footer=footer)


def _searching(
    name: str, keys: tuple[str, ...], verb: str, description: str, action: str, footer: int | None = None
) -> Command:
    return _command(Scope.SEARCH, "In search", f"search.{name}", keys, verb, description, action, footer=footer)


def _unsent(
    name: str, keys: tuple[str, ...], verb: str, description: str, action: str, footer: int | None = None
) -> Command:
    return _command(Scope.OUTBOX, "In the outbox", f"outbox.{name}", keys, verb, description, action, footer=footer)


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
    _command(Scope.BOARD, "Panels", "panel.next", ("tab",), "next", "Go to the next panel", "next_panel"),
    _command(
        Scope.BOARD,
        "Panels",
        "panel.previous",
        ("shift+tab",),
        "previous",
        "Go to the previous panel",
        "previous_panel",
    ),
    _move("down", ("j", "down"), "down", "Down one row"),
    _move("up", ("k", "up"), "up", "Up one row"),
    _move("first", ("g", "home"), "first", "To the first row"),
    _move("last", ("G", "end"), "last", "To the last row, and stay with what arrives"),
    _move("page_down", ("pagedown", "ctrl+d"), "page down", "Down one page"),
    _move("page_up", ("pageup", "ctrl+u"), "page up", "Up one page"),
    _command(
        Scope.LIST,
        "Moving",
        "open",
        ("enter",),
        "open",
        "Open the row: choose a thread, show an event, or in 6 what the event cites",
        "open",
        panels=frozenset({"threads", "events", "claims", "conflicts", "presence", "selected"}),
        footer=7,
    ),
    _command(Scope.BOARD, "Moving", "back", ("escape",), "back", "Back to where you were; never quits", "back"),
    _board("copy.id", ("y",), "copy id", "Copy the event id", "copy_id", panels=_SAID_OF_AN_EVENT, footer=11),
    _board("copy.json", ("Y",), "copy JSON", "Copy the event as JSON", "copy_json", panels=_SAID_OF_AN_EVENT),
    _board("search", ("ctrl+f",), "search", "Search the whole history kept here", "search", footer=12),
    _board("outbox", ("o",), "outbox", "What I signed and has no receipt: list, export, discard", "outbox", footer=13),
    _board("refresh", ("R",), "refresh", "Ask the service again now", "refresh_now", footer=10),
    _board(
        "hold",
        ("H",),
        "pause this board",
        "Pause this board, or go on: paused, it asks the service nothing, tells nobody",
        "toggle_hold",
    ),
    _board(
        "history.stop", ("S",), "stop reading", "Stop reading the older history, or go on reading it", "toggle_replay"
    ),
    _board(
        "notices",
        ("D",),
        "notices",
        "What to know about the history and the views here, in full",
        "notices",
    ),
    _board("help", ("question_mark",), "help", "What the keys do and what the signs mean", "help", footer=0),
    _command(
        Scope.APP,
        "The board",
        "palette",
        ("ctrl+p",),
        "palette",
        "Find a command, a thread, a claim or a participant",
        "command_palette",
        footer=9,
    ),
    _command(
        Scope.APP,
        "The board",
        "suspend",
        ("ctrl+z",),
        "to the shell",
        "Stop here and go to the shell; fg comes back",
        "suspend_process",
    ),
    _board("quit", ("q",), "quit", "Leave; what is unsent is kept and goes out next time", "quit", footer=8),
    _writing("post", ("enter",), "posts", "Sign and post the event shown, once", "post"),
    _writing("edit", ("e",), "words", "Write, or change, your own words; Enter ends writing", "edit", footer=1),
    _writing(
        "bytes", ("v",), "signed bytes", "Show or hide exactly the bytes that will be signed", "toggle_bytes", footer=2
    ),
    _writing("next_field", ("tab",), "next field", "Write in the next field", "next_field"),
    _writing("down", ("down", "pagedown"), "down", "Down, where not everything fits", "scroll_body('down')"),
    _writing("up", ("up", "pageup"), "up", "Up, where not everything fits", "scroll_body('up')"),
    _writing(
        "close",
        ("escape",),
        "closes, posts nothing",
        "Close and post nothing; your words are kept while corr-tui runs",
        "close",
        footer=0,
    ),
    _searching("show", ("enter",), "shows it", "Show the event under the cursor on the board", "show", footer=1),
    _searching("down", ("down",), "down", "Down one row", "move('down')", footer=2),
    _searching("up", ("up",), "up", "Up one row", "move('up')"),
    _searching("page_down", ("pagedown",), "page down", "Down one page", "move('page_down')"),
    _searching("page_up", ("pageup",), "page up", "Up one page", "move('page_up')"),
    _searching("close", ("escape", "ctrl+f"), "close", "Close search; the words are kept", "close", footer=0),
    _unsent("discard", ("d",), "discard", "Discard the event, once asked and pressed again", "discard", footer=2),
    _unsent("export", ("e",), "export", "Write its exact bytes to a file", "export", footer=3),
    _unsent("copy", ("Y",), "copy JSON", "Copy the event as JSON", "copy_json", footer=4),
    _unsent("close", ("escape", "q", "o"), "close", "Close the outbox; everything in it stays", "close", footer=0),
    _in_help("close", ("escape", "question_mark", "q"), "close", "Close this page", "close", footer=0),
    _in_help("down", ("j", "down"), "down", "Down one line", "scroll_body('down')", footer=1),
    _in_help("page_down", ("pagedown", "space", "ctrl+d"), "page down", "Down one page", "scroll_body('page down')"),
    _in_help("page_up", ("pageup", "ctrl+u"), "page up", "Up one page", "scroll_body('page up')"),
    _in_help("up", ("k", "up"), "up", "Up one line", "scroll_body('up')"),
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
