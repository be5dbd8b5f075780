"""What the protocol refuses, and how it says so.

ProtocolError            a value that this profile does not admit; carries one reason, a JSON path and a sentence
├── JsonRefused          bytes that are not strict I-JSON (§2)
├── EventRefused         a parsed value that is not a closed event (§2.1, §2.2, §5); carries every issue found
└── SignatureRefused     an event whose identifier or signature does not hold (§3)

A reason is a stable lowercase word for programs; a message is a sentence for people. Neither ever repeats more of the
refused value than its place.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

JsonPath = tuple[str | int, ...]
"""Names and indexes from the root of a JSON value to one of its parts."""


_PLAIN_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,63}")
_MOST_SHOWN = 64


def show_path(path: JsonPath) -> str:
    """A path as people write it: `body.artifact.revision`, `parents[3]`, `$` for the root.

    Names come from whoever sent the value: any that is not a plain word is shown as an ASCII JSON string, cut short.
    """
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        elif _PLAIN_NAME.fullmatch(step):
            shown += f".{step}" if shown else step
        else:
            shown += f"[{json.dumps(step[:_MOST_SHOWN])}]"
    return shown or "$"


class Issue(NamedTuple):
    """One rule that one part of a value breaks."""

    path: JsonPath
    code: str
    message: str


class ProtocolError(Exception):
    """The base of everything this package raises on bad input."""

    def __init__(self, reason: str, message: str, path: JsonPath = ()) -> None:
        super().__init__(f"{show_path(path)}: {message}" if path else message)
        self.reason = reason
        self.message = message
        self.path = path


class JsonRefused(ProtocolError):
    """Bytes that are not strict I-JSON of this profile (§2)."""


class EventRefused(ProtocolError):
    """A value that is not a closed event; `issues` holds each broken rule, in the order of the fields (§2.1, §5)."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        first = issues[0]
        super().__init__(first.code, first.message, first.path)
        self.issues = issues


class SignatureRefused(ProtocolError):
    """An identifier or a signature that does not hold over the canonical bytes (§3)."""
