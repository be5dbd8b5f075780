"""What a person should know beyond the events themselves, each in a sentence: none of it is about a participant.

A line at the foot of the panel it concerns says that there is something; opened, it is said in full.
"""

from __future__ import annotations

from corr_tui.state.snapshot import History, Snapshot
from corr_tui.ui.text import clean

DIFFERS = "The service’s view and what is computed here differ"


def notices(snapshot: Snapshot) -> tuple[str, ...]:
    """Every notice: about the history kept here, then about views that differ."""
    differing = (f"{DIFFERS}: {clean(each)}" for each in snapshot.differs)
    return (*history_notices(snapshot.history), *differing)


def history_notices(history: History) -> tuple[str, ...]:
    """What became of the history kept here, where not all is well with it."""
    found: list[str] = []
    if history.reset_from is not None:
        found.append(
            f"Another history is at this address now. The one to #{clean(history.reset_from)} is kept apart on disk "
            "and is not shown."
        )
    if history.trouble:
        found.append(f"The history is not kept on disk: {clean(history.trouble)}")
    return tuple(found)
