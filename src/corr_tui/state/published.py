"""The newest snapshot, and everyone who waits for the next one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from corr_tui.state.snapshot import Snapshot


class Published:
    """One snapshot that is replaced, never changed; whoever reads slowly misses those in between."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._waiting: set[asyncio.Event] = set()
        self._closed = False

    def change(self, change: Callable[[Snapshot], Snapshot]) -> None:
        """Replace the snapshot by what `change` makes of it; nobody hears of a change that is none."""
        changed = change(self.snapshot)
        if changed is not self.snapshot:
            self.snapshot = changed
            self._tell()

    def close(self) -> None:
        """Let every waiting reader finish."""
        self._closed = True
        self._tell()

    async def snapshots(self) -> AsyncGenerator[Snapshot, None]:
        """The newest snapshot now and after each change, until closed."""
        told = asyncio.Event()
        self._waiting.add(told)
        seen: Snapshot | None = None
        try:
            while True:
                told.clear()
                if self.snapshot is not seen:
                    seen = self.snapshot
                    yield seen
                elif self._closed:
                    return
                else:
                    await told.wait()
        finally:
            self._waiting.discard(told)

    def _tell(self) -> None:
        for waiting in self._waiting:
            waiting.set()
