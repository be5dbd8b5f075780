"""The fold of a history that comes piece by piece, and of one in which something turns out otherwise (§3, §4)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from corr_tui.protocol.event import read_event
from corr_tui.protocol.records import Record
from corr_tui.state import folding
from corr_tui.state.folding import Folding
from corr_tui.state.ledger import Ledger
from corr_tui.state.snapshot import Heard, Verdict
from tests.correspondents import World


class Told:
    """A history in memory, and its fold."""

    def __init__(self, *events: Heard) -> None:
        self.events = list(events)
        self.folding = Folding(self.part)
        self.asked = 0

    async def part(self, after: str | None, most: int) -> tuple[Heard, ...]:
        """So many events after a cursor."""
        self.asked += 1
        return tuple(each for each in self.events if each.record.seq > int(after or 0))[: min(most, 3)]

    def through(self) -> str | None:
        """The cursor of the last event."""
        return self.events[-1].record.receipt.received_seq if self.events else None

    def counts(self) -> dict[str, int]:
        """The events of each thread as far as they are folded."""
        ledger = self.folding.ledger
        assert ledger is not None
        return {thread.thread_id: thread.count for thread in ledger.facts().threads.values()}


def history(count: int) -> list[Heard]:
    """Events of two threads."""
    world = World()
    for number in range(count):
        world.say("ana", "observation", summary=str(number), thread=f"task:{number % 2}")
    return list(world.snapshot().events)


def forged(heard: Heard) -> Heard:
    """Other bytes under the same name."""
    assert heard.event is not None
    evidence = {**heard.event.evidence, "thread_id": "task:forged"}
    record = Record(read_event(evidence), heard.record.receipt, (), "not_applicable")
    return Heard(record, Verdict.MISMATCH, "other bytes", genuine=False)


@given(st.integers(0, 12), st.integers(0, 12))
async def test_pieces_come_to_the_same_as_the_whole(before: int, after: int) -> None:
    events = history(before + after)
    told = Told(*events[:before])
    assert await told.folding.catch_up(told.through)
    told.events = events
    told.folding.note(
        events[before - 1].record.receipt.received_seq if before else None, events[before:], told.through()
    )
    assert await told.folding.catch_up(told.through)
    assert told.folding.ledger is not None
    assert told.folding.ledger.facts().threads == Ledger.of(events).facts().threads


async def test_what_is_not_folded_yet_is_asked_for_and_nothing_twice() -> None:
    told = Told(*history(9))
    told.folding.note("3", told.events[3:], "9")
    assert told.folding.ledger is None
    assert await told.folding.catch_up(told.through)
    assert (told.counts(), told.asked) == ({"task:0": 5, "task:1": 4}, 3)


async def test_a_fold_that_has_no_more_time_goes_on_later() -> None:
    told = Told(*history(9))
    assert not await told.folding.catch_up(told.through, 0)
    assert not await told.folding.catch_up(told.through, folding.FOLDED_AT_ONCE)
    assert told.folding.through == "3"
    assert await told.folding.catch_up(told.through)
    assert told.counts() == {"task:0": 5, "task:1": 4}


async def test_forged_bytes_under_the_name_of_an_event_leave_no_trace_before_or_after_it() -> None:
    (genuine,) = history(1)
    copy = forged(genuine)
    later = replace(copy, record=replace_seq(copy.record, "2"))
    for first, second in ((copy, replace(genuine, record=replace_seq(genuine.record, "2"))), (genuine, later)):
        told = Told(first, second)
        assert await told.folding.catch_up(told.through)
        assert told.counts() == {"task:0": 1}


async def test_what_was_said_before_stands_while_a_history_is_folded_anew() -> None:
    told = Told(*history(6))
    assert await told.folding.catch_up(told.through)
    before = told.folding.ledger
    told.events = [replace(each, verdict=Verdict.MISMATCH) for each in told.events]
    told.folding.fold_anew()
    assert told.folding.ledger is before
    assert await told.folding.catch_up(told.through)
    anew = told.folding.ledger
    assert anew is not None
    assert anew is not before
    assert not any(noted.proved for noted in anew.facts().noted.values())


def replace_seq(record: Record, cursor: str) -> Record:
    """The same record at another cursor."""
    receipt = type(record.receipt)(cursor, record.receipt.received_at)
    return Record(record.event, receipt, record.missing_parents, record.lineage_status)
