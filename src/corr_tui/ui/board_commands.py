"""The commands that divide the board, mark its events and go back over what was looked at."""

from __future__ import annotations

from corr_tui.ui.command import Command, Scope

_HIDEABLE = ((1, "threads"), (3, "claims"), (4, "conflicts"), (5, "presence"), (6, "selected"))
"""The panels that can be hidden, by their numbers: the events cannot."""


def _on_board(group: str, id: str, keys: tuple[str, ...], verb: str, description: str, action: str) -> Command:
    return Command(id=id, keys=keys, verb=verb, description=description, action=action, scope=Scope.BOARD, group=group)


def _after_panels(name: str, keys: tuple[str, ...], verb: str, description: str, action: str) -> Command:
    return Command(
        id=f"show.{name}",
        keys=keys,
        verb=verb,
        description=description,
        action=action,
        scope=Scope.PANELS,
        group="After the key that hides and shows panels",
    )


BOARD_COMMANDS = (
    _on_board(
        "Panels", "panel.maximise", ("m",), "maximise", "Give this panel all the room, or give it back", "maximise"
    ),
    _on_board(
        "Panels", "panel.arrange", ("M",), "panels", "Hide panels, or show them again: its number follows", "arrange"
    ),
    Command(
        id="mark",
        keys=("space",),
        verb="mark",
        description="Mark the event, or unmark it: what is said next is said of every marked one",
        action="mark",
        scope=Scope.READING,
        group="Say something about the event under the cursor",
    ),
    _on_board(
        "Moving", "trail.back", ("left_square_bracket",), "back to", "Back to the event looked at before", "trail(-1)"
    ),
    _on_board("Moving", "trail.forward", ("right_square_bracket",), "on to", "Forward again", "trail(1)"),
    *(
        _after_panels(name, (str(number),), name, f"Hide the panel {name}, or show it again", f"choose('{name}')")
        for number, name in _HIDEABLE
    ),
    _after_panels("all", ("0", "a"), "all", "Show every panel", "choose('all')"),
    _after_panels("close", ("escape", "M", "q"), "nothing", "Leave the panels as they are", "close"),
)
"""In the order of help."""
