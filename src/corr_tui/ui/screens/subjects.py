"""Which events a row of a panel is about. Pure."""

from __future__ import annotations

from corr_tui.protocol.bodies import cited
from corr_tui.state.conflicts import conflicts
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Heard, Snapshot
from corr_tui.ui.panels.told import subject_of


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


def shown_by(panel: str, key: str, snapshot: Snapshot) -> str | None:
    """The id of the event that opening the row with this key shows, whether it is at hand or not; None for none.

    For a raised conflict it is the one that raises it; for who reported nothing, the last event received of them.
    """
    if panel == "conflicts":
        found = next((each for each in conflicts(snapshot) if each.key == key), None)
        if found is None:
            return None
        ids = (found.raised_by,) if found.raised_by else found.event_ids
    elif panel == "presence":
        known = facts(snapshot)
        report = known.reports.get(key)
        return report.event_id if report else known.last_by.get(key)
    else:
        ids = (key,)
    return next((each for each in ids if each in snapshot.by_id), next(iter(ids), None))


def cited_by(snapshot: Snapshot, event_id: str | None) -> str | None:
    """The id of the event that the one under an id is about, else of its first parent; None when it names none."""
    subject = subject_of(snapshot, event_id)
    event = subject.event if subject else None
    return next(iter((*cited(event.body), *event.parents)), None) if event else None
