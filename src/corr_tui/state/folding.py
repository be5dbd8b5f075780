"""The fold of the whole history, as far as it has come (§4, §5, §6).

Events are folded as they are read. What an earlier session kept is folded from the disk, some at a time; until that has
caught up, nothing that follows from the whole is said anew. Where an event turns out to be worth something else than
when it was folded, the history is folded once more from its beginning, and what was said before stands meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from corr_tui.state.ledger import Ledger
from corr_tui.state.snapshot import Heard

FOLDED_AT_ONCE = 200
"""Events folded before whatever else waits has its turn: a few milliseconds."""

Part = Callable[[str | None, int], Awaitable[tuple[Heard, ...]]]
"""So many events after a cursor, in receipt order; none at the end."""


class Folding:
    """Folds a history that `part` gives piece by piece."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._ledger = Ledger()
        self._twofold: set[str] = set()
        """Identifiers under which other bytes came before their own did."""
        self._unsound = False
        self.through: str | None = None
        """The cursor up to which events are folded."""
        self.ledger: Ledger | None = None
        """The fold that was whole last; None until one is."""

    def begin_again(self) -> None:
        """Forget everything: it is another history."""
        self._twofold.clear()
        self.ledger = None
        self.fold_anew()

    def fold_anew(self) -> None:
        """Fold from the beginning: something is worth something else than it was."""
        self._ledger, self.through, self._unsound = Ledger(), None, False

    def note(self, before: str | None, events: Iterable[Heard], through: str | None) -> None:
        """Fold the events between two cursors, if everything before them is folded."""
        if self.through == before:
            self._note(events, through)

    def note_again(self, events: Iterable[Heard]) -> None:
        """Fold a newer word on events, as far as they are folded."""
        for heard in events:
            if self.through is not None and heard.record.seq <= int(self.through):
                self._note_one(heard)

    async def catch_up(self, through: Callable[[], str | None], most: float = float("inf")) -> bool:
        """Fold what is left up to a cursor, at most so many events; returns whether that was all of it."""
        while True:
            if self._unsound:
                self.fold_anew()
            if self.through == through():
                self.ledger = self._ledger
                return True
            if most <= 0:
                return False
            most -= FOLDED_AT_ONCE
            ledger, end = self._ledger, through()
            events = await self._part(self.through, FOLDED_AT_ONCE)
            if self._ledger is ledger:
                self._note(events, events[-1].record.receipt.received_seq if events else end)
            await asyncio.sleep(0)

    def _note(self, events: Iterable[Heard], through: str | None) -> None:
        for heard in events:
            self._note_one(heard)
        self.through = through

    def _note_one(self, heard: Heard) -> None:
        if heard.genuine or heard.event_id not in self._twofold:
            sound = self._ledger.note(heard)
            if not sound and heard.genuine and heard.event_id not in self._twofold:
                self._twofold.add(heard.event_id)
                self._unsound = True
