"""The commands there are, each with the keys it has unless a person wants others. Only what works stands here."""

from __future__ import annotations

from corr_tui.ui.board_commands import BOARD_COMMANDS
from corr_tui.ui.command import Command, Scope
from corr_tui.ui.desk_commands import DESK_COMMANDS
from corr_tui.ui.view_commands import VIEW_COMMANDS

_SAID_OF_AN_EVENT = frozenset({"events", "selected"})


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
    return _command(Scope.READING, group, kind, (key,), verb, description, f"compose('{kind}')", panels, footer)


def _move(name: str, keys: tuple[str, ...], verb: str, description: str) -> Command:
    return _command(Scope.LIST, "Moving", f"move.{name}", keys, verb, description, f"cursor_{name}")


def _reading(
    id: str,
    keys: tuple[str, ...],
    verb: str,
    description: str,
    action: str,
    panels: frozenset[str] = frozenset(),
    footer: int | None = None,
) -> Command:
    return _command(Scope.READING, "The board", id, keys, verb, description, action, panels, footer)


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


def _filtering(
    name: str, keys: tuple[str, ...], verb: str, description: str, action: str, footer: int | None = None
) -> Command:
    action = f"screen.filter_{action}"
    return _command(
        Scope.FILTER, "While a filter is written", f"filter.{name}", keys, verb, description, action, footer=footer
    )


def _unsent(
    name: str, keys: tuple[str, ...], verb: str, description: str, action: str, footer: int | None = None
) -> Command:
    return _command(Scope.OUTBOX, "In the outbox", f"outbox.{name}", keys, verb, description, action, footer=footer)


BUILT_IN = (
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
    _command(
        Scope.BOARD,
        "Panels",
        "filter",
        ("slash",),
        "filter",
        "Narrow the events, and the panels that can answer, by a filter",
        "filter",
        footer=7,
    ),
    _command(
        Scope.BOARD,
        "Panels",
        "filter.name",
        ("ctrl+n",),
        "names it",
        "Keep the filter under a name, in config.toml",
        "filter_name",
    ),
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
    _move("first", ("home",), "first", "To the first row"),
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
    _reading("copy.id", ("y",), "copy id", "Copy the event id", "copy_id", panels=_SAID_OF_AN_EVENT, footer=11),
    _reading("copy.json", ("Y",), "copy JSON", "Copy the event as JSON", "copy_json", panels=_SAID_OF_AN_EVENT),
    _reading("search", ("ctrl+f",), "search", "Search the whole history kept here", "search", footer=12),
    _reading(
        "outbox", ("o",), "outbox", "What I signed and has no receipt: list, export, discard", "outbox", footer=13
    ),
    _reading("refresh", ("R",), "refresh", "Ask the service again now", "refresh_now", footer=10),
    _reading(
        "hold",
        ("H",),
        "pause this board",
        "Pause this board, or go on: paused, it asks the service nothing, tells nobody",
        "toggle_hold",
    ),
    _reading(
        "history.stop", ("S",), "stop reading", "Stop reading the older history, or go on reading it", "toggle_replay"
    ),
    _reading("help", ("question_mark",), "help", "What the keys do and what the signs mean", "help", footer=0),
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
    _command(
        Scope.BOARD,
        "The board",
        "quit",
        ("q",),
        "quit",
        "Leave; what is unsent is kept and goes out next time",
        "quit",
        footer=8,
    ),
    *BOARD_COMMANDS,
    *VIEW_COMMANDS,
    *DESK_COMMANDS,
    _writing("post", ("enter",), "posts", "Sign and post the event shown, once", "post"),
    _writing("edit", ("e",), "words", "Write, or change, your own words; Enter ends writing", "edit", footer=1),
    _writing(
        "editor",
        ("ctrl+o",),
        "in your editor",
        "Write in $VISUAL, else in $EDITOR; saved, its words come back here",
        "open_editor",
    ),
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
    _filtering("keep", ("enter",), "keeps it", "Keep the filter, and go to the events", "keep", footer=1),
    _filtering(
        "complete", ("tab",), "completes", "Go on with the word: fields, kinds, states, people, threads", "complete"
    ),
    _filtering("down", ("down",), "down", "Down one row of the events", "move('down')"),
    _filtering("up", ("up",), "up", "Up one row of the events", "move('up')"),
    _filtering("page_down", ("pagedown",), "page down", "Down one page of the events", "move('page_down')"),
    _filtering("page_up", ("pageup",), "page up", "Up one page of the events", "move('page_up')"),
    _filtering("close", ("escape",), "drops it", "Back to what was shown before", "close", footer=0),
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
