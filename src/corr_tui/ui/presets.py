"""Sets of keys to start from, and a person's own keys over them (experience: keys).

A preset names only what differs from the keys in the table of commands; what it does not name keeps those. `vim` is
for hands that expect `h` and `l` beside `j` and `k`:

    h l        to the panel before, to the next one     i        write, in the composer
    g G        to the first row, to the last            j k      down and up, in the composer too
    ^f ^b      down and up one page                     :        the palette
    ^d ^u      the same, as without it                  f        search, since ^f pages
    ^g         the causal graph, since g goes first     ^l       the acknowledgements, since l goes on

The other keys mean what they mean without it: `u` is not undo, since nothing that was said can be undone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from corr_tui.ui.key_names import KeyUnusable, read_key

DEFAULT_PRESET = "default"
PRESETS: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        DEFAULT_PRESET: {},
        "vim": {
            "panel.next": ("l", "tab"),
            "panel.previous": ("h", "shift+tab"),
            "move.first": ("g", "home"),
            "view.graph": ("ctrl+g",),
            "view.ladder": ("ctrl+l",),
            "move.last": ("G", "end"),
            "move.page_down": ("ctrl+f", "pagedown", "ctrl+d"),
            "move.page_up": ("ctrl+b", "pageup", "ctrl+u"),
            "search": ("f",),
            "search.close": ("escape",),
            "palette": ("colon", "ctrl+p"),
            "compose.edit": ("i", "e"),
            "compose.down": ("j", "down", "pagedown", "ctrl+f"),
            "compose.up": ("k", "up", "pageup", "ctrl+b"),
            "help.page_down": ("ctrl+f", "pagedown", "space", "ctrl+d"),
            "help.page_up": ("ctrl+b", "pageup", "ctrl+u"),
        },
    }
)
"""Preset → command id → its keys, as Textual has them; the first is shown."""


class PresetUnknown(ValueError):
    """There is no preset of that name; the message says which there are."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no preset is called {name!a}; there are {' and '.join(PRESETS)}")
        self.name = name


class KeySettingRefused(ValueError):
    """The key given to a command cannot be used; names the command and the rule."""

    def __init__(self, command_id: str, refused: KeyUnusable) -> None:
        super().__init__(str(refused))
        self.command_id = command_id


def keys_over(preset: str, own: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The keys of a preset with a person's own over them, by command id, as `commands.table` takes them.

    Raises PresetUnknown and KeySettingRefused. Whether the commands are there is the table's to say.
    """
    if preset not in PRESETS:
        raise PresetUnknown(preset)
    return {**PRESETS[preset], **{command_id: _read(command_id, keys) for command_id, keys in own.items()}}


def _read(command_id: str, keys: Sequence[str]) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(read_key(key) for key in keys))
    except KeyUnusable as refused:
        raise KeySettingRefused(command_id, refused) from None
