"""Which events a row of a panel is about, as far as they are heard here. Pure."""

from __future__ import annotations

from corr_tui.state.conflicts import conflicts
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Heard, Snapshot


def events_of(panel: str, key: str, snapshot: Snapshot) -> tuple[Heard, ...]:
    """The events of the row with this key: the sides of a conflict, a presence report, else the event it names."""
    if panel == "conflicts":
        ids = next((each.event_ids for each in conflicts(snapshot) if each.key == key), ())
    elif panel == "presence":
        report = facts(snapshot).reports.get(key)
        ids = (report.event_id,) if report else ()
    else:
        ids = (key,)
    return tuple(snapshot.by_id[each] for each in ids if each in snapshot.by_id)


def shown_by(panel: str, key: str, snapshot: Snapshot) -> Heard | None:
    """The event that opening the row with this key shows, or None when none of it was heard here.

    For a raised conflict it is the one that raises it; for who reported nothing, the last event received of them.
    """
    if panel == "conflicts":
        raised = next((each.raised_by for each in conflicts(snapshot) if each.key == key and each.raised_by), None)
        if raised is not None:
            return snapshot.by_id.get(raised)
    found = events_of(panel, key, snapshot)
    if found or panel != "presence":
        return found[0] if found else None
    return next((each for each in reversed(snapshot.events) if _by(each) == key), None)


def _by(heard: Heard) -> str:
    return heard.event.sender.identity_id if heard.event else ""
