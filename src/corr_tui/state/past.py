"""Whatever is asked of the history beyond what a Snapshot holds: one event, more events, and events with words in them.

What is not on disk is in memory: where nothing can be kept, nothing is let go.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from corr_tui.state.archive import Archive
from corr_tui.state.border import SearchRefused
from corr_tui.state.chronicle import Chronicle
from corr_tui.state.history_file import HistoryUnusable
from corr_tui.state.kept_apart import Found
from corr_tui.state.published import Published
from corr_tui.state.snapshot import Heard, Snapshot
from corr_tui.state.wanted import Wanted
from corr_tui.state.window import WIDENED, seq_of, widened, without

RECALLED = 512
"""Older events that a Snapshot keeps because somebody asked for them."""


class Past:
    """Answers from disk and from memory."""

    def __init__(self, archive: Archive, chronicle: Chronicle, published: Published) -> None:
        self._archive = archive
        self._chronicle = chronicle
        self._published = published

    async def recall(self, event_id: str) -> Heard | None:
        """An event of the whole history, which the snapshot's `by_id` then holds too; None when it was not read."""
        known = self._published.snapshot.by_id.get(event_id)
        found = known or await self._archive.named(event_id)
        if found is None or known is not None:
            return found
        recalled = self._chronicle.recalled
        recalled[event_id] = None
        forgotten = list(recalled)[:-RECALLED]
        for each in forgotten:
            del recalled[each]

        def holding(snapshot: Snapshot) -> Snapshot:
            snapshot = without(snapshot, forgotten)
            by_id = snapshot.by_id if event_id in snapshot.by_id else {**snapshot.by_id, event_id: found}
            return replace(snapshot, by_id=MappingProxyType(dict(by_id)))

        self._published.change(holding)
        return found

    async def widen(self) -> bool:
        """Let the snapshot hold more of the earlier events; returns whether there were any."""
        events = self._published.snapshot.events
        if not events or not self._published.snapshot.history.earlier:
            return False
        self._chronicle.most += WIDENED  # before anything else slides out
        older = await self._archive.before(events[0].record.receipt.received_seq, WIDENED)
        if not older:
            return False
        self._chronicle.show(lambda snapshot: widened(snapshot, older))
        return True

    async def search(self, words: str, most: int) -> tuple[Heard, ...]:
        """The newest events of the whole history that hold all of these words, newest first; raises SearchRefused."""
        snapshot, wanted = self._published.snapshot, self._wanted(words)
        try:
            kept = await self._archive.found(wanted, most)
        except HistoryUnusable as unusable:
            raise SearchRefused(str(unusable)) from None
        on_disk = self._archive.through
        held = [each for each in snapshot.events if seq_of(each) > on_disk and wanted.found_in(each)]
        found = {each.key: each for each in (*reversed(held), *kept)}
        return tuple(sorted(found.values(), key=seq_of, reverse=True)[:most])

    async def search_apart(self, words: str, most: int) -> Found:
        """The same in the histories that were at this address before, at most so many of each; raises SearchRefused."""
        try:
            return await self._archive.apart.found(self._wanted(words), most)
        except HistoryUnusable as unusable:
            raise SearchRefused(str(unusable)) from None

    async def saw_apart(self) -> None:
        """Somebody was told of the history that was at this address before."""
        await self._archive.apart.tell_seen()
        self._chronicle.show()

    def _wanted(self, words: str) -> Wanted:
        wanted = Wanted(words, self._published.snapshot.identities)
        if not wanted:
            raise SearchRefused("there is no word in this to look for")
        if not self._archive.searchable:
            raise SearchRefused("the SQLite of this Python cannot search (it has no FTS5)")
        return wanted
