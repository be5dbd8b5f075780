"""What is worth a notice between two snapshots: what newly wants my eyes, by the reasons of triage.

Nothing of what I did myself, and nothing that stood there when the history was first whole: reading what is old is no
news. Pure; triage says why each thing is listed.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from corr_tui.state.facts import Noted
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot, UnsentState
from corr_tui.state.triage import Item, Reason, triage


def notable(before: Snapshot, now: Snapshot, then: datetime | None, at: datetime | None) -> tuple[Item, ...]:
    """What wants my eyes at the service's time `at` and did not at `then`; of what I sent, only what was refused."""
    if not before.history.complete or before.history.reset_from != now.history.reset_from:
        return ()
    known = {item.key for group in triage(before, then) for item in group.items}
    since = _Since(before, now, timed=then is not None)
    items = (item for group in triage(now, at) for item in group.items)
    found = [item for item in items if item.key not in known and since.is_news(item)]
    return (*found, *(Item(Reason.UNSENT, each) for each in _refused(now) - _refused(before)))


def chosen(items: Collection[Item], reasons: Collection[str] | None) -> tuple[Item, ...]:
    """Those with one of these reasons; all of them for None."""
    return tuple(item for item in items if reasons is None or item.reason in reasons)


class _Since:
    """What came to pass since a snapshot."""

    def __init__(self, before: Snapshot, now: Snapshot, *, timed: bool) -> None:
        self._known, self._noted, self._at_hand = facts(before).noted, facts(now).noted, before.by_id
        self._timed = timed
        self._me = now.me.identity_id if now.me else None

    def is_news(self, item: Item) -> bool:
        """Whether it is listed because of something new that others did, or of time alone."""
        match item.reason:
            case Reason.UNSENT:
                return False
            case Reason.EXPIRY:
                return self._timed and item.event_id in self._at_hand
            case Reason.SIGNATURE:
                return True
            case Reason.FORK:
                return any(each not in self._known for each in item.about)
        return item.event_id not in self._known and not self._mine(self._noted.get(item.event_id))

    def _mine(self, noted: Noted | None) -> bool:
        return noted is not None and noted.proved and noted.identity_id == self._me


def _refused(snapshot: Snapshot) -> set[str]:
    return {each.event.event_id for each in snapshot.unsent if each.state is UnsentState.REFUSED}
