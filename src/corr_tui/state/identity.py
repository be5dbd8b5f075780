"""Which installation this is, and which run (§2.1).

`device_id` is made once and kept with the state of this installation; `session_id` is new in every process. They are
two identifiers and prove nothing about each other.
"""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import msgspec

from corr_tui.protocol.errors import EventRefused, Issue
from corr_tui.protocol.scalars import Uuid
from corr_tui.protocol.shape import Record, shape_of
from corr_tui.state import private_file


class InstallationRefused(Exception):
    """The file that says which installation this is cannot be made, read or understood: nothing is signed here."""


@dataclass(frozen=True, slots=True)
class Installation:
    """This installation in this run."""

    device_id: str
    session_id: str
    device_name: str
    """What this machine calls itself; it is shown here and sent nowhere."""


class _Device(Record, frozen=True):
    device_id: Uuid


def installation(state: Path) -> Installation:
    """This installation by its file in the state folder, made on first use, with a new session."""
    path = state / "device.json"
    try:
        if not path.exists():
            _make(path)
        content = path.read_bytes()
    except OSError as error:
        raise InstallationRefused(f"{path} cannot be used: {error.strerror}") from None
    return Installation(_device_id(path, content), str(uuid4()), _device_name())


def unnamed() -> Installation:
    """This run of an installation that cannot say which it is; it can read and sign nothing."""
    return Installation("", str(uuid4()), _device_name())


def _device_name() -> str:
    return platform.node() or "this device"


def _make(path: Path) -> None:
    content = json.dumps({"device_id": str(uuid4())}).encode("ascii")
    try:
        private_file.create(path, content)
    except FileExistsError:
        return  # another process was first; its file is the one


def _device_id(path: Path, content: bytes) -> str:
    issues: list[Issue] = []
    try:
        value = msgspec.json.decode(content)
        shape_of(_Device)(value, (), issues)
        if issues:
            raise EventRefused(tuple(issues))
    except (msgspec.DecodeError, EventRefused):
        raise InstallationRefused(f"{path} does not say which device this is; restore it or move it away") from None
    return str(value["device_id"])
