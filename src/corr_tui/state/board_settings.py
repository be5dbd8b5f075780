"""How a person wants the board to look and which keys it has: tables `[board]` and `[keys]` of the configuration file.

A setting is taken from a flag, else from its variable, else from the file. Which themes, presets, commands and keys
there are is the interface's to say; here it is only said what was asked for, and where.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from corr_tui.state.home import ConfigRefused, Home, read_config

_TEXTS = {
    "theme": ("--theme", "CORR_TUI_THEME"),
    "preset": ("--keys", "CORR_TUI_KEYS"),
    "clipboard": ("", "CORR_TUI_CLIPBOARD"),
}
_SWITCHES = {
    "ascii": ("--ascii", "CORR_TUI_ASCII"),
    "reduced_motion": ("--reduced-motion", "CORR_TUI_REDUCED_MOTION"),
}
_BOARD = ("theme", "ascii", "reduced_motion", "clipboard")
"""What stands in the table `[board]`."""


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """What was asked for; None where nothing was. `sources` says by setting where each came from."""

    theme: str | None = None
    ascii: bool | None = None
    """Whether to draw with ASCII alone."""
    reduced_motion: bool | None = None
    preset: str | None = None
    """The set of keys to start from."""
    clipboard: str | None = None
    """How to copy."""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """By command id the keys it is to have, as they were written."""
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def board_settings(flags: Mapping[str, object], environment: Mapping[str, str], home: Home) -> BoardSettings:
    """What flags, variables and the file say; raises ConfigRefused for the first that breaks its rule.

    `flags` maps `theme`, `preset` (text), `ascii` and `reduced_motion` (truth) to what the command line said; None
    says nothing.
    """
    file, source = read_config(home.config_file), str(home.config_file)
    board, keys = _table(file, "board", source), dict(_flat(_table(file, "keys", source)))
    for name in board:
        if name not in _BOARD:
            known = ", ".join(_BOARD)
            raise ConfigRefused(ascii(f"board.{name}"), source, f"is no setting; the settings there are {known}")
    preset = keys.pop("preset", None)
    written = {name: (value, f"board.{name}") for name, value in board.items()}
    if preset is not None:
        written["preset"] = (preset, "keys.preset")
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name in (*_TEXTS, *_SWITCHES):
        found = _find(name, flags, environment, written, source)
        if found is not None:
            values[name], sources[name] = found
    own = {command_id: _keys(command_id, value, source) for command_id, value in keys.items()}
    return BoardSettings(**values, keys=MappingProxyType(own), sources=MappingProxyType({**sources, "keys": source}))


def _find(
    name: str,
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    written: Mapping[str, tuple[Any, str]],
    file: str,
) -> tuple[object, str] | None:
    """The value of a setting and where it came from. An empty variable says nothing."""
    flag, variable = _TEXTS.get(name) or _SWITCHES[name]
    if flags.get(name) is not None:
        return flags[name], flag
    if said := environment.get(variable):
        if name in _TEXTS:
            return said, variable
        if said not in ("0", "1"):
            raise ConfigRefused(name, variable, "must be 1 or 0")
        return said == "1", variable
    if name not in written:
        return None
    value, called = written[name]
    if not isinstance(value, str if name in _TEXTS else bool):
        raise ConfigRefused(called, file, "must be a string" if name in _TEXTS else "must be true or false")
    return value, file


def _table(file: Mapping[str, Any], name: str, source: str) -> Mapping[str, Any]:
    table = file.get(name, {})
    if not isinstance(table, dict):
        raise ConfigRefused(name, source, f"must be a table, [{name}]")
    return table


def _flat(table: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """Command ids with what was written for them; `ack.seen = "s"` without quotation marks is a table of a table."""
    flat: list[tuple[str, Any]] = []
    for name, value in table.items():
        flat += _flat(value, f"{before}{name}.") if isinstance(value, dict) else [(f"{before}{name}", value)]
    return flat


def _keys(command_id: str, value: Any, source: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed or not all(isinstance(each, str) for each in listed):
        rule = 'must be a key, as "f5", or a list of keys, as ["f5", "ctrl+r"]'
        raise ConfigRefused(ascii(f"keys.{command_id}"), source, rule)
    return tuple(listed)
