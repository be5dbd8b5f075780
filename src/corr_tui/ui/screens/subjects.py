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
        report = facts(snapshot.events).reports.get(key)
        ids = (report.event_id,) if report else ()
    else:
        ids = (key,)
    return tuple(snapshot.by_id[each] for each in ids if each in snapshot.by_id)
