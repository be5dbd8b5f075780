"""Facts that follow from events heard: threads, presence reports, declarations, citations, session forks (§4, §5).

The rules:
- only events whose signature was proved count (`Verdict.holds`); every other event is shown, and counted as an event of
  its thread, but drives no state;
- a pause or rest stands until its own sender resumes it by citing that very event, or reports another pause or rest in
  the same thread; an `until` that passes ends nothing (experience: honesty 6);
- a refusal stands in its thread until its own sender works there all the same, and is nobody else's;
- a close stands until somebody works on in its thread. Work is told by receipt order, which is the order of hearing,
  not of causes;
- a raised conflict stands until a resolution cites it, or one received after it cites all of its targets;
- the sides of a fork are ordered by event id, and no order of time chooses among them (§8);
- nothing here says who is there: silence is silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from corr_tui.protocol.bodies import ACK_KINDS
from corr_tui.state.facts import Declaration, Facts
from corr_tui.state.ledger import Ledger
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Heard, Snapshot


def facts(snapshot: Snapshot) -> Facts:
    """The facts of a Snapshot: those it carries, else what follows from its events, computed once for one tuple."""
    return snapshot.facts if snapshot.facts is not None else facts_of(snapshot.events)


def facts_of(events: tuple[Heard, ...]) -> Facts:
    """The facts that follow from events in receipt order; computed once for one tuple."""
    return _facts(Same(events))


def strongest(declarations: Iterable[Declaration]) -> dict[str, Declaration]:
    """By identity, the furthest of its seen, understood, accepted, applied; a rejection is none of these steps."""
    found: dict[str, Declaration] = {}
    for each in declarations:
        held = found.get(each.identity_id)
        if each.kind == "ack.rejected" or (held and ACK_KINDS.index(held.kind) > ACK_KINDS.index(each.kind)):
            continue
        found[each.identity_id] = each
    return found


@lru_cache(maxsize=4)
def _facts(same: Same[tuple[Heard, ...]]) -> Facts:
    return Ledger.of(same.value).facts()
