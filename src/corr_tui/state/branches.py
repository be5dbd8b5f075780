"""Claim lineage and branch tips of one repository, settled as the events come (§6).

The rules are those of `protocol.lineage`, which says them of a set: here an event about a claim is settled when its
predecessor is, whichever of the two comes first, and the order of coming changes nothing in the end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from heapq import nsmallest
from operator import itemgetter

from corr_tui.protocol.lineage import ClaimEvent, LineageStatus, continues

_Tip = tuple[str, str, str]
"""A tip in the service's neutral order: expiry, claim, event."""


class Branches:
    """The branches of every claim, as far as they were heard."""

    def __init__(self) -> None:
        self._claims: dict[str, ClaimEvent] = {}
        self._statuses: dict[str, LineageStatus] = {}
        self._waiting: defaultdict[str, list[str]] = defaultdict(list)
        """Pending events by the predecessor they wait for."""
        self._unsettled: dict[str, LineageStatus] = {}
        self._tips: defaultdict[str, set[str]] = defaultdict(set)
        """The valid terminal events of each claim, releases too."""
        self._ordered: list[_Tip] = []
        """The tips that may be active, in order, but for what came and went since they were last asked for."""
        self._came: list[_Tip] = []
        self._went: set[str] = set()

    def note(self, event_id: str, claim: ClaimEvent | None) -> None:
        """Take one event into account: its claim view, or None for one that is not about a claim."""
        if claim is None:
            self._settle(event_id, "not_applicable")
            return
        self._claims[event_id] = claim
        before = self._statuses.get(claim.predecessor_event_id or "", "pending")
        if claim.predecessor_event_id is None:
            self._settle(event_id, "valid")
        elif before == "pending":
            self._statuses[event_id] = self._unsettled[event_id] = "pending"
            self._waiting[claim.predecessor_event_id].append(event_id)
        else:
            self._settle(event_id, self._after(claim))

    def _after(self, claim: ClaimEvent) -> LineageStatus:
        """The status of an event whose predecessor is settled."""
        before = claim.predecessor_event_id or ""
        if self._statuses[before] != "valid":
            return "invalid"
        return "valid" if continues(claim, self._claims[before]) else "invalid"

    def _settle(self, event_id: str, status: LineageStatus) -> None:
        """Settle one event and whatever waited for it, and for that; walks, since a chain may be very long."""
        settled = [(event_id, status)]
        while settled:
            here, status = settled.pop()
            self._statuses[here] = status
            self._unsettled.pop(here, None)
            if status == "invalid":
                self._unsettled[here] = status
            elif status == "valid":
                self._begin_tip(self._claims[here])
            settled += [(child, self._after(self._claims[child])) for child in self._waiting.pop(here, ())]

    def _begin_tip(self, claim: ClaimEvent) -> None:
        """A valid event is a tip, and its direct predecessor is none any more."""
        tips = self._tips[claim.claim_id]
        if claim.predecessor_event_id in tips:
            tips.discard(claim.predecessor_event_id)
            self._went.add(claim.predecessor_event_id)
        tips.add(claim.event_id)
        if claim.expires_at is not None:
            self._came.append((claim.expires_at, claim.claim_id, claim.event_id))

    def unsettled(self) -> dict[str, LineageStatus]:
        """The events about a claim that are pending or invalid."""
        return dict(self._unsettled)

    def active(self, now: str, most: int) -> tuple[list[ClaimEvent], str | None]:
        """The first live tips at the instant `now`, in the service's neutral order, at most `most`; and the newest
        expiry of a tip that has passed by then (§6)."""
        ordered = self._in_order()
        passed = bisect_right(ordered, now, key=itemgetter(0))
        live = [self._claims[event_id] for _, _, event_id in ordered[passed : passed + most]]
        return live, ordered[passed - 1][0] if passed else None

    def _in_order(self) -> list[_Tip]:
        if self._came or self._went:
            # What is kept is in order already: sorting it again costs one pass.
            self._ordered = sorted(tip for tip in (*self._ordered, *self._came) if tip[2] not in self._went)
            self._came.clear()
            self._went.clear()
        return self._ordered

    def tips(self, claim_id: str, most: int) -> list[str]:
        """The first of the terminal events of a claim, live or not, by event id; at most `most`."""
        return nsmallest(most, self._tips[claim_id])
