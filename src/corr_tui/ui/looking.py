"""What was looked at here: by thread, the receipt number up to which a person has gone through its events.

Looking is private to this process and acknowledges nothing (experience: honesty 5). What stood on the board when it
first had the whole history is not new; afterwards an event is new until a person puts the cursor on it or below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot


def baseline(snapshot: Snapshot) -> Mapping[str, int]:
    """Everything heard so far, as looked at."""
    threads = facts(snapshot).threads
    return MappingProxyType({thread_id: thread.last_seq for thread_id, thread in threads.items()})


def reached(snapshot: Snapshot, first_target: str | None) -> int:
    """The receipt number up to which nothing is news, while the history is read for the first time.

    All that stands here once it is whole; before that what the replay came to, and what the service had when that was
    first known (`first_target`): a replay reads what is old.
    """
    history = snapshot.history
    if history.complete:
        return snapshot.events[-1].record.seq if snapshot.events else 0
    return max(int(history.through or 0), int(first_target or 0))


def looked_at(
    read_through: Mapping[str, int], snapshot: Snapshot, seq: int, thread_id: str | None
) -> Mapping[str, int]:
    """After a person came to the receipt number `seq` in the list of one thread, or of all threads for None."""
    threads = facts(snapshot).threads
    shown = threads if thread_id is None else {thread_id} & threads.keys()
    reached = {each: min(seq, threads[each].last_seq) for each in shown}
    return MappingProxyType(
        {**read_through, **{each: max(read_through.get(each, 0), seq) for each, seq in reached.items()}}
    )
