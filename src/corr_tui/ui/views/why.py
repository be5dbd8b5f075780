"""Why an event about a claim is pending or invalid, in words (§6)."""

from __future__ import annotations

from corr_tui.protocol.lineage import ClaimEvent
from corr_tui.state.claimed import ClaimHistory, Node, claim_histories
from corr_tui.state.projection import facts
from corr_tui.ui.panels.reading import Reading


def why_of(reading: Reading, history: ClaimHistory, node: Node) -> str:
    """Why an event about a claim is pending or invalid; empty for a valid one."""
    before = node.claim.predecessor_event_id or ""
    if node.status == "pending":
        if before in facts(reading.snapshot).claims:
            return f"renews {reading.number(before)}, which is pending"
        return f"renews a predecessor not here, {reading.number(before)}"
    if node.status == "valid":
        return ""
    named = history.nodes.get(before) or _elsewhere(reading, before)
    return broken(node.claim, named)


def _elsewhere(reading: Reading, event_id: str) -> Node | None:
    """An event about another claim."""
    known = facts(reading.snapshot)
    heard = known.claims.get(event_id)
    return claim_histories(known)[heard.claim.claim_id].nodes[event_id] if heard else None


def broken(child: ClaimEvent, before: Node | None) -> str:
    """Which rule of §6 an invalid event breaks; `before` is the event it names, where that is about a claim."""
    if before is None:
        return "names an event that is not about a claim"
    named = before.claim
    if before.status != "valid":
        return "continues an invalid event"
    if named.is_release:
        return "continues a release"
    if child.claim_id != named.claim_id:
        return "continues another claim"
    if child.identity_id != named.identity_id:
        return "by another identity than its predecessor"
    if child.generation != named.generation + 1:
        return f"generation {child.generation} after {named.generation}"
    return "paths differ from its predecessor"
