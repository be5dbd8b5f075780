"""What keys are called: as people write them, as Textual names them, and which cannot be had (experience: keys).

One key has one name here, however it was written, so that two commands cannot want it under two names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from textual.binding import Binding
from textual.keys import Keys, key_to_character

MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")
"""In the order in which they stand before a key."""

RESERVED: Mapping[str, str] = MappingProxyType(
    {
        "ctrl+c": "it copies selected text, and tells how to leave",
        "ctrl+q": "it leaves from anywhere",
    }
)
"""Keys no command can have, and what they do instead."""

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
_SAME = {
    "ctrl+at": "ctrl+@",
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+space": "ctrl+@",
    "ctrl+left_square_bracket": "escape",
    "newline": "ctrl+j",
}
"""Keys for which terminals send the same as for another."""


class KeyUnusable(ValueError):
    """A text that names no key, or a key no command can have; the message says which rule it breaks."""

    def __init__(self, text: str, rule: str) -> None:
        super().__init__(f"{ascii(text)} {rule}")
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
    whole = _SAME.get(whole, whole)
    if whole in RESERVED:
        raise KeyUnusable(text, f"cannot be had: {RESERVED[whole]}")
    return whole


def show_key(key: str) -> str:
    """A key as people write it: `Esc`, `?`, `^p`, `A`."""
    *modifiers, base = key.split("+")
    character = key_to_character(base)
    shown = _SHOWN.get(base) or (character if character and not character.isspace() else base)
    if modifiers == ["ctrl"]:
        return f"^{shown}"
    return "+".join((*(each.capitalize() for each in modifiers), shown))


def types(key: str) -> bool:
    """Whether the key puts a character where somebody writes."""
    return key_to_character(key) is not None


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
    if len(text) == 1:
        character = text
    elif text.lower() in _NAMED:
        return _NAMED[text.lower()]
    else:
        character = (key_to_character(text.lower()) if text.isidentifier() else None) or ""
    if not character or unicodedata.category(character)[0] in "CM" or (character.isspace() and character != " "):
        return None
    if character == ",":
        return "comma"  # Textual separates keys by it
    return next(iter(Binding.make_bindings([Binding(character, "")]))).key
