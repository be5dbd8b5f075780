"""What becomes of keys on their way: those that terminals, multiplexers and desktops commonly keep to themselves.

Common is not always: only the tester, in the terminal at hand, shows what arrives there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "ctrl+a": "screen, and tmux where it is set so, take it as their prefix",
        "ctrl+b": "tmux takes it as its prefix: there it has to be pressed twice",
        "ctrl+c": "without a program that asks for keys, it interrupts",
        "ctrl+h": "some terminals send it for Backspace",
        "ctrl+i": "to most terminals it is Tab",
        "ctrl+j": "some terminals send it for Enter or for Shift+Enter",
        "ctrl+m": "to most terminals it is Enter",
        "ctrl+q": "some terminals let output go on with it, and pass it to no program",
        "ctrl+s": "some terminals stop output with it, and pass it to no program",
        "ctrl+z": "a shell stops the program in the foreground with it",
        "ctrl+@": "it is Ctrl+Space; desktops switch input methods with it",
        "ctrl+left_square_bracket": "to most terminals it is Esc",
        "ctrl+backslash": "without a program that asks for keys, it ends the program",
        "ctrl+minus": "many terminals change the size of letters with it",
        "ctrl+plus": "many terminals change the size of letters with it",
        "ctrl+pageup": "many terminals go to another tab with it",
        "ctrl+pagedown": "many terminals go to another tab with it",
        "ctrl+tab": "many terminals go to another tab with it",
        "f1": "some terminals open their help with it",
        "f10": "some terminals open their menu with it",
        "f11": "many terminals fill the screen with it",
        "escape": "tmux holds it back a moment, to see whether a sequence follows (escape-time)",
        "shift+insert": "many terminals paste with it",
        "shift+pageup": "many terminals scroll with it",
        "shift+pagedown": "many terminals scroll with it",
    }
)
_MODIFIERS: Mapping[str, str] = MappingProxyType(
    {
        "super": "desktops and window managers keep most keys with Super",
        "hyper": "few terminals pass keys with Hyper on",
        "meta": "few terminals pass keys with Meta on",
        "alt": "desktops open menus with Alt, and tmux may take it for Esc and the key",
    }
)
_ALONE = frozenset({"enter", "tab", "backspace", "escape", "space"})
"""Keys to which most terminals add no modifier."""


def note_of(key: str) -> str:
    """What commonly becomes of a key before it arrives, as one sentence without its stop; empty where nothing does."""
    if key in _KEYS:
        return _KEYS[key]
    *modifiers, base = key.split("+")
    for modifier, note in _MODIFIERS.items():
        if modifier in modifiers:
            return note
    if modifiers and base in _ALONE and key != "shift+tab":
        return "most terminals, and tmux, send the key without the modifier"
    if "ctrl" in modifiers and "shift" in modifiers:
        return "most terminals keep Ctrl+Shift for themselves, or send the key without Shift"
    return ""
