"""Verdicts on many events, some at a time, so that whatever else waits has its turn (§3)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import NamedTuple

from corr_tui.protocol.records import Record
from corr_tui.state.snapshot import Heard
from corr_tui.state.trust import Trust

JUDGED_AT_ONCE = 50
"""Events judged before whatever else waits has its turn: some milliseconds of signatures."""


class Changed(NamedTuple):
    """An event whose verdict is another now."""

    before: Heard
    now: Heard

    @property
    def flipped(self) -> bool:
        """Whether it counts and did not, or counted and does not."""
        return self.before.verdict.holds is not self.now.verdict.holds


class Judge:
    """Judges by the keys that `trust` knows now."""

    def __init__(self, trust: Trust) -> None:
        self._trust = trust

    def heard(self, record: Record) -> Heard:
        """A record with the verdict on its bytes."""
        verdict, detail = self._trust.judge(record.event)
        return Heard(record, verdict, detail, self._trust.genuine(record.event))

    async def judged(self, records: Iterable[Record]) -> tuple[Heard, ...]:
        """The records with their verdicts."""
        heard: list[Heard] = []
        for number, record in enumerate(records):
            if number % JUDGED_AT_ONCE == 0:  # before the first, since a page was decoded just now
                await asyncio.sleep(0)
            heard.append(self.heard(record))
        return tuple(heard)

    async def changed(self, events: Iterable[Heard]) -> list[Changed]:
        """Those of the events whose verdict is another now."""
        before = tuple(events)
        now = await self.judged(heard.record for heard in before)
        return [Changed(old, new) for old, new in zip(before, now, strict=True) if old != new]
