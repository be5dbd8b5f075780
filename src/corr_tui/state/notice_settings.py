"""How a person wants to be told of what newly wants their eyes: table `[notices]` of the configuration file.

[notices]
in_app = true                    # a line in the footer
bell = false                     # the terminal's bell
osc9 = false                     # a notification of the desktop, where the terminal makes one of OSC 9
title = false                    # how many, in the title of the window
reasons = ["raised", "overlap"]  # those of triage; all of them where nothing is said
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corr_tui.state.home import ConfigRefused, Home, read_config

SWITCHES = ("in_app", "bell", "osc9", "title")


@dataclass(frozen=True, slots=True)
class NoticeSettings:
    """Which ways a notice goes, and for which reasons."""

    in_app: bool = True
    bell: bool = False
    osc9: bool = False
    title: bool = False
    reasons: frozenset[str] | None = None
    """None: every reason."""


def notice_settings(home: Home) -> NoticeSettings:
    """What the file says; raises ConfigRefused for the first that breaks its rule."""
    source, table = str(home.config_file), read_config(home.config_file).get("notices", {})
    if not isinstance(table, dict):
        raise ConfigRefused("notices", source, "must be a table, [notices]")
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name == "reasons":
            values[name] = _reasons(value, source)
        elif name not in SWITCHES:
            known = ", ".join((*SWITCHES, "reasons"))
            raise ConfigRefused(ascii(f"notices.{name}"), source, f"is no setting; the settings there are {known}")
        elif not isinstance(value, bool):
            raise ConfigRefused(f"notices.{name}", source, "must be true or false")
        else:
            values[name] = value
    return NoticeSettings(**values)


def _reasons(value: object, source: str) -> frozenset[str]:
    from corr_tui.state.triage import Reason  # of no use, and slow to load, where nothing is said of reasons

    known: Mapping[str, Reason] = {each.value: each for each in Reason}
    if not isinstance(value, list) or not all(isinstance(each, str) and each in known for each in value):
        raise ConfigRefused("notices.reasons", source, f"must be a list of some of {', '.join(known)}")
    return frozenset(value)
