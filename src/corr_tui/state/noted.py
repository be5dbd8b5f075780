"""What is kept of every event of a history, seen as it was at one receipt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from corr_tui.state.facts import Noted


class NotedThrough(Mapping[str, Noted]):
    """A map that only ever gets more, as it is now: a copy of it that costs nothing.

    Its entries come in receipt order, so that the number last noted tells which are among them.
    """

    __slots__ = ("_all", "_count", "_through")

    def __init__(self, noted: dict[str, Noted], through: int) -> None:
        self._all, self._count, self._through = noted, len(noted), through

    def __getitem__(self, event_id: str) -> Noted:
        noted = self._all[event_id]
        if noted.seq > self._through:
            raise KeyError(event_id)
        return noted

    def __iter__(self) -> Iterator[str]:
        return iter(list(islice(self._all, self._count)))

    def __len__(self) -> int:
        return self._count

    def since(self, before: Mapping[str, Noted]) -> Iterable[tuple[str, Noted]] | None:
        """What came after an earlier copy of the same map, in receipt order; None where that is no such copy."""
        if not isinstance(before, NotedThrough) or before._all is not self._all or before._count > self._count:
            return None
        return list(islice(self._all.items(), before._count, self._count))
