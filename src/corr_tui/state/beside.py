"""What follows from the history, set beside what the service said (§6)."""

from __future__ import annotations

from dataclasses import replace

from corr_tui.state.differences import differs
from corr_tui.state.ledger import Ledger
from corr_tui.state.snapshot import Computed, Snapshot, instant


def beside(snapshot: Snapshot, ledger: Ledger, monotonic: float) -> Snapshot:
    """The snapshot with the facts of its history, the projection computed here, and in what the service's differs.

    It is computed for the service's now, as far as that is known, at the local monotonic instant; else for the newest
    instant that the service named.
    """
    history, facts, voice = snapshot.history, ledger.facts(), snapshot.projection.voice
    now = snapshot.clock.now(monotonic)
    named = max(ledger.received_at, voice.evaluated_at if voice else "")

    def at(moment: str) -> Computed:
        return ledger.computed(moment, history.through, history.complete)

    return replace(
        snapshot,
        facts=facts,
        computed=at(instant(now) if now is not None else named),
        differs=differs(snapshot.projection, facts, at),
    )
