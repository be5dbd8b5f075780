"""Values compared by identity, so that what was computed from an unchanging value is found again at no cost."""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")


class Same(Generic[Value]):
    """A value equal only to itself; it is kept alive, so its identity is not given to another."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)
