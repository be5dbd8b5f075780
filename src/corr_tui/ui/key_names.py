"""What keys are called: as people write them, as Textual names them, and which cannot be had (experience: keys).

One key has one name here, however it was written, so that two commands cannot want it under two names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from textual.keys import KEY_NAME_REPLACEMENTS, Keys, format_key, key_to_character

MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")
"""In the order in which they stand before a key."""

UNUSABLE: Mapping[str, str] = MappingProxyType(
    {
        "ctrl+c": "copies selected text, and tells how to leave",
        "ctrl+q": "leaves from anywhere",
        "ctrl+i": "is the same as tab to most terminals",
        "ctrl+m": "is the same as enter to most terminals",
        "ctrl+left_square_bracket": "is the same as escape to most terminals",
        "ctrl+space": "has two names, and which one comes is the terminal's choice",
        "ctrl+at": "has two names, and which one comes is the terminal's choice",
    }
)
"""Keys no command can have, and why."""

_SHOWN = {
    "escape": "Esc",
    "enter": "Enter",
    "space": "Space",
    "tab": "Tab",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "home": "Home",
    "end": "End",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "insert": "Insert",
    "delete": "Delete",
    "backspace": "Backspace",
}
_NAMED = {
    **{key.value: key.value for key in Keys if key.value.isalnum()},
    **{shown.lower(): key for key, shown in _SHOWN.items()},
    "return": "enter",
}
"""Key names people may write, in lower case → as Textual has them."""


class KeyUnusable(ValueError):
    """A text that names no key, or a key no command can have; the message says which rule it breaks."""

    def __init__(self, text: str, rule: str) -> None:
        super().__init__(f"{text!a} {rule}")
        self.text = text
        self.rule = rule


def read_key(text: str) -> str:
    """The key a text names, as Textual has it: `?`, `A`, `f5`, `Esc`, `ctrl+r`, `^r`, `shift+tab`, `question_mark`.

    Raises KeyUnusable.
    """
    *modifiers, base = _parts(text)
    if not set(modifiers) <= set(MODIFIERS) or len(set(modifiers)) != len(modifiers):
        raise KeyUnusable(text, f"is no key; before a key stand {', '.join(MODIFIERS)}, each once")
    key = _base(base)
    if key is None:
        raise KeyUnusable(text, "is no key; write it as `?`, `A`, `f5`, `escape`, `pagedown` or `ctrl+r`")
    if len(key) == 1 and key.isalpha() and modifiers:
        upper = modifiers == ["shift"]
        key, modifiers = (key.upper(), []) if upper else (key.lower(), modifiers)
    whole = "+".join((*sorted(modifiers), key))
    if whole in UNUSABLE:
        raise KeyUnusable(text, f"cannot be a command's: it {UNUSABLE[whole]}")
    return whole


def show_key(key: str) -> str:
    """A key as people write it: `Esc`, `?`, `^p`, `A`."""
    *modifiers, base = key.split("+")
    character = character_of(base)
    shown = _SHOWN.get(base) or (character if character and not character.isspace() else base)
    if modifiers == ["ctrl"]:
        return f"^{shown}"
    return "+".join((*(each.capitalize() for each in modifiers), shown))


def character_of(key: str) -> str | None:
    """The character a key puts where somebody writes, if any."""
    if key == "space":
        return " "
    if len(key) == 1 or key in _SHOWN:
        return key if len(key) == 1 else None
    shown = format_key(key)
    character = shown if len(shown) == 1 else key_to_character(key)
    return character if character and character.isprintable() else None


def _parts(text: str) -> list[str]:
    """Modifiers in lower case, and the key they stand before."""
    if len(text) == 2 and text[0] == "^":
        return ["ctrl", text[1].lower()]
    if len(text) > 1 and text.endswith("+"):  # the key + itself
        return [*text.removesuffix("+").removesuffix("+").lower().split("+"), "+"]
    *modifiers, base = text.split("+") if len(text) > 1 else [text]
    return [*(each.strip().lower() for each in modifiers), base if len(base) == 1 else base.strip()]


def _base(text: str) -> str | None:
    """The key without modifiers; None where the text is none."""
    if len(text) != 1 and text.lower() in _NAMED:
        return _NAMED[text.lower()]
    character = text if len(text) == 1 else character_of(text.lower())
    if character == " ":
        return "space"
    if character is None or not character.isprintable() or character.isspace():
        return None
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name) or None
