"""Values gathered under keys, of which frozen copies are taken again and again."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Gathered(Generic[Key, Value]):
    """Lists by key. A frozen copy costs what changed since the one before, and one copy of the map."""

    def __init__(self) -> None:
        self._growing: dict[Key, list[Value]] = {}
        self._kept: dict[Key, tuple[Value, ...]] = {}
        self._frozen: Mapping[Key, tuple[Value, ...]] | None = None

    def add(self, key: Key, value: Value) -> None:
        """One more value under a key."""
        growing = self._growing.get(key)
        if growing is None:
            growing = self._growing[key] = list(self._kept.get(key, ()))
        growing.append(value)
        self._frozen = None

    def frozen(self) -> Mapping[Key, tuple[Value, ...]]:
        """Everything so far, by key in the order of first values."""
        if self._frozen is None:
            self._kept.update({key: tuple(values) for key, values in self._growing.items()})
            self._growing.clear()
            self._frozen = MappingProxyType(dict(self._kept))
        return self._frozen
