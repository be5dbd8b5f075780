"""Facts that follow from events heard: threads, presence reports, declarations, citations, session forks (§4, §5).

The rules:
- only events whose signature was proved count (`Verdict.holds`); every other event is shown, and counted as an event of
  its thread, but drives no state;
- a pause or rest stands until its own sender resumes it by citing that very event, or reports another pause or rest in
  the same thread; an `until` that passes ends nothing (experience: honesty 6);
- a close stands until somebody works on in its thread. Work is told by receipt order, which is the order of hearing,
  not of causes;
- a raised conflict stands until a resolution cites it, or one received after it cites all of its targets;
- the sides of a fork are ordered by event id, and no order of time chooses among them (§8);
- nothing here says who is there: silence is silence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from corr_tui.protocol.bodies import ACK_KINDS, Availability, Citation, Handoff, Summary, cited
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import MalformedEvent
from corr_tui.state.facts import Declaration, Facts, Report, ReportState, Thread, ThreadState
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Heard, Snapshot

WORK_KINDS = frozenset({"intent", "claim.open", "claim.renew", "progress", "artifact.offer", "handoff", "resume"})
"""Kinds that say a closed thread goes on; acknowledging or correcting it does not."""


def facts(snapshot: Snapshot) -> Facts:
    """The facts of a Snapshot: those it carries, else what follows from its events, computed once for one tuple."""
    return snapshot.facts if snapshot.facts is not None else facts_of(snapshot.events)


def facts_of(events: tuple[Heard, ...]) -> Facts:
    """The facts that follow from events in receipt order; computed once for one tuple."""
    return _facts(Same(events))


def strongest(declarations: Iterable[Declaration]) -> dict[str, Declaration]:
    """By identity, the furthest of its seen, understood, accepted, applied; a rejection is none of these steps."""
    found: dict[str, Declaration] = {}
    for each in declarations:
        held = found.get(each.identity_id)
        if each.kind == "ack.rejected" or (held and ACK_KINDS.index(held.kind) > ACK_KINDS.index(each.kind)):
            continue
        found[each.identity_id] = each
    return found


@lru_cache(maxsize=4)
def _facts(same: Same[tuple[Heard, ...]]) -> Facts:
    threads: dict[str, _ThreadNotes] = {}
    reports, raised = _Reports(), _Raised()
    declared: dict[str, list[Declaration]] = defaultdict(list)
    cited_by: dict[str, list[str]] = defaultdict(list)
    places: dict[tuple[str, str, str, int], set[str]] = defaultdict(set)
    for heard in same.value:
        event = heard.event
        thread_id = event.thread_id if event else _thread_of(heard.record.event)
        notes = threads.setdefault(thread_id, _ThreadNotes(thread_id)) if thread_id else None
        if notes:
            notes.count(heard)
        if event is None or not heard.verdict.holds:
            continue
        received_at = heard.record.receipt.received_at
        if notes:
            notes.note(event)
        reports.note(event, received_at)
        raised.note(event)
        if event.kind in ACK_KINDS:
            for target in cited(event.body):
                declared[target].append(Declaration(event.kind, event.sender.identity_id, event.event_id, received_at))
        else:
            for parent in event.parents:
                cited_by[parent].append(event.event_id)
        sender = event.sender
        places[(sender.identity_id, sender.device_id, sender.session_id, event.session_seq)].add(event.event_id)
    return Facts(
        threads={thread_id: notes.thread(reports) for thread_id, notes in threads.items()},
        reports=reports.standing(),
        declared={target: tuple(each) for target, each in declared.items()},
        cited_by={parent: tuple(each) for parent, each in cited_by.items()},
        forks={place: tuple(sorted(ids)) for place, ids in places.items() if len(ids) > 1},
        raised=raised.standing(),
    )


def _thread_of(event: Event | MalformedEvent) -> str | None:
    """The thread a malformed event names, if it names one."""
    evidence = event.evidence if isinstance(event.evidence, dict) else {}
    named = evidence.get("thread_id")
    return named if isinstance(named, str) and named else None


class _Reports:
    """Presence reports while the events are read in receipt order."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Report] = {}
        self._said: dict[str, Report] = {}

    def note(self, event: Event, received_at: str) -> None:
        """Take a pause, rest, resume or refusal into account."""
        identity_id, place = event.sender.identity_id, (event.sender.identity_id, event.thread_id)
        body = event.body
        match event.kind:
            case "pause" | "rest":
                assert isinstance(body, Availability)
                state = ReportState.PAUSED if event.kind == "pause" else ReportState.RESTING
                until = body.until if isinstance(body.until, str) else None
                report = Report(state, identity_id, event.thread_id, event.event_id, received_at, until)
                self._open.pop(place, None)
                self._open[place] = report
            case "resume":
                assert isinstance(body, Citation)
                self._close(identity_id, body.target_event_id)
                self._said[identity_id] = Report(
                    ReportState.RESUMED, identity_id, event.thread_id, event.event_id, received_at
                )
            case "refusal":
                self._said[identity_id] = Report(
                    ReportState.DECLINED, identity_id, event.thread_id, event.event_id, received_at
                )
            case _:
                pass

    def _close(self, identity_id: str, target: str) -> None:
        for place, report in list(self._open.items()):
            if place[0] == identity_id and report.event_id == target:
                del self._open[place]

    def standing(self) -> dict[str, Report]:
        """By identity: its pause or rest that stands, else what it said instead."""
        return {**self._said, **{report.identity_id: report for report in self._open.values()}}

    def in_thread(self, thread_id: str) -> Report | None:
        """The pause or rest last heard in a thread that still stands."""
        found = [report for report in self._open.values() if report.thread_id == thread_id]
        return found[-1] if found else None


class _Raised:
    """Raised conflicts while the events are read in receipt order."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, ...]] = {}
        self._by_first: dict[str, set[str]] = defaultdict(set)
        """Raises by their first target, which whatever cites all of their targets cites too."""
        self._resolved: set[str] = set()
        """Events cited by a resolution; a raise may be received after the one that cites it."""

    def note(self, event: Event) -> None:
        """Take a raise or a resolution into account."""
        targets = cited(event.body)
        if event.kind == "conflict.raise":
            self._open[event.event_id] = targets
            self._by_first[targets[0]].add(event.event_id)
        elif event.kind == "conflict.resolve":
            self._resolved.update(targets)
            for target in targets:
                for each in list(self._by_first.get(target, ())):
                    if set(targets).issuperset(self._open[each]):
                        del self._open[each]
                        self._by_first[target].discard(each)

    def standing(self) -> dict[str, tuple[str, ...]]:
        """By raise, its targets, where nothing resolves it."""
        return {each: of for each, of in self._open.items() if each not in self._resolved}


class _ThreadNotes:
    """One thread while its events are read in receipt order."""

    def __init__(self, thread_id: str) -> None:
        self._thread_id = thread_id
        self._count = 0
        self._last: Heard | None = None
        self._words: tuple[int, str] = (9, "")
        self._end: Event | None = None
        """The close or handoff that stands."""

    def count(self, heard: Heard) -> None:
        """Take any event into account, proved or not."""
        self._count += 1
        self._last = heard

    def note(self, event: Event) -> None:
        """Take a proved event into account."""
        if event.kind in ("close", "handoff"):
            self._end = event
        elif event.kind in WORK_KINDS:
            self._end = None
        rank = 0 if event.kind == "intent" else 1
        if isinstance(event.body, (Summary, Handoff)) and rank < self._words[0]:
            self._words = (rank, event.body.summary)

    def thread(self, reports: _Reports) -> Thread:
        """What was said of the thread."""
        assert self._last is not None
        state, by, event_id = ThreadState.QUIET, None, None
        report = reports.in_thread(self._thread_id)
        if self._end is not None:
            state = ThreadState.CLOSED if self._end.kind == "close" else ThreadState.HANDED_OFF
            by, event_id = self._end.sender.identity_id, self._end.event_id
        if report is not None and state is not ThreadState.CLOSED:
            state = ThreadState.PAUSED if report.state is ReportState.PAUSED else ThreadState.RESTING
            by, event_id = report.identity_id, report.event_id
        receipt = self._last.record.receipt
        return Thread(
            self._thread_id,
            self._count,
            self._last.record.seq,
            receipt.received_at,
            self._words[1],
            state,
            by,
            event_id,
        )
