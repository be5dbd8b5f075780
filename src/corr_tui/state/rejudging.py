"""Verdicts looked at again because keys are listed otherwise than before (§3; experience: honesty 8).

Only the events of the identity whose list it is are judged again, those in memory and those on disk; a signature that
was proved is not proved again under the same key.
"""

from __future__ import annotations

from collections.abc import Iterable

from corr_tui.state.archive import Archive
from corr_tui.state.chronicle import LOADED_AT_ONCE, Chronicle
from corr_tui.state.judge import Judge
from corr_tui.state.published import Published
from corr_tui.state.snapshot import Heard
from corr_tui.state.trust import Trust


class Rejudging:
    """Judges again whatever a new list of keys is about."""

    def __init__(
        self, archive: Archive, chronicle: Chronicle, trust: Trust, judge: Judge, published: Published
    ) -> None:
        self._archive = archive
        self._chronicle = chronicle
        self._trust = trust
        self._judge = judge
        self._published = published

    async def listed(self, identities: Iterable[str]) -> None:
        """The keys of these were read; where they are others than their events were judged by, judge those again."""
        flipped = False
        for identity_id in identities:
            listing = self._trust.listing(identity_id)
            known = self._archive.listings.get(identity_id) == listing and identity_id not in self._archive.unsure
            if listing is None or known:
                continue
            in_memory, on_disk = await self._in_memory(identity_id), await self._on_disk(identity_id)
            flipped = flipped or in_memory or on_disk
            await self._archive.renew((), (identity_id, listing))
            self._archive.unsure.discard(identity_id)
        if flipped:
            await self._chronicle.fold_anew()

    async def _in_memory(self, identity_id: str) -> bool:
        """Those that the snapshot holds; returns whether any flipped."""
        held = self._published.snapshot.by_id.values()
        changed = await self._judge.changed(heard for heard in held if _is_by(heard, identity_id))
        if changed:
            now = tuple(each.now for each in changed)
            self._published.change(lambda snapshot: self._chronicle.shown(snapshot, now))
        return any(each.flipped for each in changed)

    async def _on_disk(self, identity_id: str) -> bool:
        """Those that are kept; returns whether any flipped."""
        after, flipped = None, False
        while events := await self._archive.said_by(identity_id, after, LOADED_AT_ONCE):
            changed = await self._judge.changed(events)
            await self._archive.renew([each.now for each in changed])
            flipped = flipped or any(each.flipped for each in changed)
            after = events[-1].record.receipt.received_seq
        return flipped


def _is_by(heard: Heard, identity_id: str) -> bool:
    return heard.event is not None and heard.event.sender.identity_id == identity_id
