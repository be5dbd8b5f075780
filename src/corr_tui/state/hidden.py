"""What somebody hid from triage here: keys of items, in one private file a place. Nobody is told of it.

A file that cannot be read hides nothing; one that cannot be written hides until this run ends, and `hide` says why.
What another run of the same place hid meanwhile is kept.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from corr_tui.state import private_file

MOST = 20_000
"""Keys that are kept; the ones hidden first are forgotten first."""


class Hidden:
    """The keys hidden at one place, in the order they were hidden."""

    def __init__(self, state: Path, place: str) -> None:
        """`state` is the folder of this installation's state, `place` names the service and the repository."""
        self._path = state / "hidden" / f"{sha256(place.encode()).hexdigest()[:32]}.json"
        self._place = place
        self._keys: dict[str, None] | None = None
        self._turn = asyncio.Lock()

    @property
    def keys(self) -> frozenset[str]:
        """What is hidden now."""
        return frozenset(self._known())

    async def hide(self, key: str, *, hidden: bool) -> str:
        """Hide an item, or show it again, at once; returns why it is not kept beyond this run, or nothing."""
        _change(self._known(), key, hidden)
        async with self._turn:
            try:
                await asyncio.to_thread(self._write, key, hidden)
            except OSError as error:
                return f"{self._path} cannot be written: {error.strerror}"
        return ""

    def _known(self) -> dict[str, None]:
        if self._keys is None:
            self._keys = dict.fromkeys(self._read())
        return self._keys

    def _read(self) -> list[str]:
        try:
            held: Any = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return []
        kept = held.get("hidden") if isinstance(held, dict) else None
        return [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []

    def _write(self, key: str, hidden: bool) -> None:
        keys = dict.fromkeys(self._read())
        _change(keys, key, hidden)
        private_file.replace(self._path, _content(self._place, keys))


def _change(keys: dict[str, None], key: str, hidden: bool) -> None:
    keys.pop(key, None)
    if hidden:
        keys[key] = None


def _content(place: str, keys: Iterable[str]) -> bytes:
    return json.dumps({"place": place, "hidden": list(keys)[-MOST:]}, indent=1).encode()
