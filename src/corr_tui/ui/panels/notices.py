"""What a person should know beyond the events themselves, each in a sentence: none of it is about a participant.

A line at the foot of the panel it concerns says that there is something; opened, it is said in full.
"""

from __future__ import annotations

from corr_tui.state.snapshot import Apart, History, Snapshot
from corr_tui.state.troubles import Troubles
from corr_tui.ui.text import clean

DIFFERS = "The service’s view and what is computed here differ"


def notices(snapshot: Snapshot, *, seen: bool = False) -> tuple[str, ...]:
    """Every notice: about the keys, the outbox and the history kept here, then about views that differ; with `seen`
    those as well that somebody was told of in an earlier run."""
    differing = (f"{DIFFERS}: {clean(each)}" for each in snapshot.differs)
    return (*trouble_notices(snapshot.troubles), *history_notices(snapshot.history, seen=seen), *differing)


def trouble_notices(troubles: Troubles) -> tuple[str, ...]:
    """What this installation cannot do as it should, what matters most first."""
    found: list[str] = []
    if troubles.pins:
        found.append(f"Keys known here before: {clean(troubles.pins)}")
    if troubles.outbox:
        found.append(f"What is unsent is not known: {clean(troubles.outbox)}")
    if troubles.damaged:
        found.append(damaged_words(troubles.damaged))
    if troubles.runs:
        found.append(f"Another process may post what this one keeps, as the same events: {clean(troubles.runs)}")
    return tuple(found)


def damaged_words(event_ids: tuple[str, ...]) -> str:
    """That so many unsent events are damaged, and what can be done with them."""
    count = len(event_ids)
    events, their, are, them = ("event", "its", "is", "it") if count == 1 else ("events", "their", "are", "them")
    return (
        f"{count} unsent {events} in the outbox {are} damaged: {their} bytes are not those that were signed, so "
        f"nothing of {them} is posted. `corr-tui outbox` names {them}."
    )


def history_notices(history: History, *, seen: bool = False) -> tuple[str, ...]:
    """What became of the history kept here, where not all is well with it."""
    found: list[str] = []
    if history.apart is not None:
        if seen or not history.apart.seen:
            found.append(apart_words(history.apart))
    elif history.reset_from is not None:  # nothing is kept on disk in this run
        found.append(
            f"Another history is at this address now. The one to #{clean(history.reset_from)} is not shown any more."
        )
    if history.trouble:
        found.append(f"The history is not kept on disk: {clean(history.trouble)}")
    return tuple(found)


def apart_words(apart: Apart) -> str:
    """What became of the history that was at this address before, and how to look at it."""
    said = (
        f"Another history is at this address now. The one to #{clean(apart.through)} is kept apart on disk and is not "
        "shown"
    )
    events = "event" if apart.mine == 1 else "events"
    yours = f"; {apart.mine} {events} of yours in it {'is' if apart.mine == 1 else 'are'} not in this one"
    return f"{said}{yours if apart.mine else ''}. `corr-tui search --apart WORDS` looks through it."
