"""Reports, raised conflicts and threads while events are read in receipt order (§5).

The rules are those of `projection`. Whatever is asked of these is kept ready as the events come, so that one more event
costs the same after a hundred thousand others as after ten.
"""

from __future__ import annotations

from collections import defaultdict

from corr_tui.protocol.bodies import Availability, Citation, Handoff, Summary, cited
from corr_tui.protocol.event import Event
from corr_tui.state.facts import Report, ReportState, Thread, ThreadState

WORK_KINDS = frozenset({"intent", "claim.open", "claim.renew", "progress", "artifact.offer", "handoff", "resume"})
"""Kinds that say a closed thread goes on; acknowledging or correcting it does not."""


STATES = {
    ReportState.PAUSED: ThreadState.PAUSED,
    ReportState.RESTING: ThreadState.RESTING,
    ReportState.DECLINED: ThreadState.REFUSED,
}
"""What a report makes of a thread."""


class Reports:
    """Presence reports."""

    def __init__(self) -> None:
        self._by_thread: defaultdict[str, dict[str, Report]] = defaultdict(dict)
        """The pauses and rests that stand, by thread and identity, in the order they were heard."""
        self._by_identity: defaultdict[str, dict[str, Report]] = defaultdict(dict)
        """The same, by identity and thread."""
        self._by_event: dict[str, Report] = {}
        """The same, by the event that reports."""
        self._said: dict[str, Report] = {}
        self._declined: defaultdict[str, dict[str, Report]] = defaultdict(dict)
        """The refusals that stand, by thread and identity: until their sender works in the thread all the same."""

    def note(self, event: Event, received_at: str) -> str | None:
        """Take an event into account; returns the thread where another pause, rest or refusal stands now, if any."""
        identity_id, body = event.sender.identity_id, event.body
        if event.kind in WORK_KINDS and event.thread_id in self._declined:
            self._declined[event.thread_id].pop(identity_id, None)
        match event.kind:
            case "pause" | "rest":
                assert isinstance(body, Availability)
                state = ReportState.PAUSED if event.kind == "pause" else ReportState.RESTING
                until = body.until if isinstance(body.until, str) else None
                self._end(identity_id, event.thread_id)
                report = Report(state, identity_id, event.thread_id, event.event_id, received_at, until)
                self._by_thread[event.thread_id][identity_id] = report
                self._by_identity[identity_id][event.thread_id] = report
                self._by_event[event.event_id] = report
                return event.thread_id
            case "resume":
                assert isinstance(body, Citation)
                self._said[identity_id] = _plain(ReportState.RESUMED, event, received_at)
                return self._close(identity_id, body.target_event_id)
            case "refusal":
                declined = self._said[identity_id] = _plain(ReportState.DECLINED, event, received_at)
                self._declined[event.thread_id][identity_id] = declined
                return event.thread_id
            case _:
                return None

    def _close(self, identity_id: str, target: str) -> str | None:
        """End the report of this identity that is the very event a resume cites; returns its thread."""
        report = self._by_event.get(target)
        if report is None or report.identity_id != identity_id:
            return None
        self._end(identity_id, report.thread_id)
        return report.thread_id

    def _end(self, identity_id: str, thread_id: str) -> None:
        report = self._by_thread[thread_id].pop(identity_id, None)
        if report is not None:
            del self._by_identity[identity_id][thread_id], self._by_event[report.event_id]

    def standing(self) -> dict[str, Report]:
        """By identity: its pause or rest that stands, else what it said instead."""
        found = dict(self._said)
        for identity_id, reports in self._by_identity.items():
            if reports:
                found[identity_id] = next(reversed(reports.values()))
        return found

    def in_thread(self, thread_id: str) -> tuple[Report, ...]:
        """What stands in a thread: pauses and rests in the order they were heard, then refusals of others."""
        reports, declined = self._by_thread.get(thread_id, {}), self._declined.get(thread_id, {})
        return (*reports.values(), *(each for identity_id, each in declined.items() if identity_id not in reports))


def _plain(state: ReportState, event: Event, received_at: str) -> Report:
    return Report(state, event.sender.identity_id, event.thread_id, event.event_id, received_at)


class Raised:
    """Raised conflicts."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, ...]] = {}
        self._watched: defaultdict[str, list[str]] = defaultdict(list)
        """Raises by one of their targets, which whatever cites all of their targets cites too: the target that has the
        fewest so far, so that no event gathers them all."""
        self._resolved: set[str] = set()
        """Events cited by a resolution; a raise may be received after the one that cites it."""

    def note(self, event: Event) -> None:
        """Take a raise or a resolution into account."""
        targets = cited(event.body)
        if event.kind == "conflict.raise" and event.event_id not in self._resolved:
            self._open[event.event_id] = targets
            self._watched[min(targets, key=self._load)].append(event.event_id)
        elif event.kind == "conflict.resolve":
            self._resolved.update(targets)
            for target in targets:
                self._open.pop(target, None)
            cited_here = frozenset(targets)
            for target in targets:
                self._end_covered(target, cited_here)

    def _load(self, target: str) -> int:
        watching = self._watched.get(target)
        return len(watching) if watching else 0

    def _end_covered(self, target: str, cited_here: frozenset[str]) -> None:
        """End the raises watched at one target, all of whose targets are cited; forget those that ended before."""
        watching = self._watched.get(target)
        if watching is None:
            return
        still = []
        for raised in watching:
            targets = self._open.get(raised)
            if targets is None:
                continue
            if cited_here.issuperset(targets):
                del self._open[raised]
            else:
                still.append(raised)
        if still:
            self._watched[target] = still
        else:
            del self._watched[target]

    def standing(self) -> dict[str, tuple[str, ...]]:
        """By raise, its targets, where nothing resolves it."""
        return dict(self._open)


class ThreadNotes:
    """One thread."""

    def __init__(self, thread_id: str) -> None:
        self._thread_id = thread_id
        self._count = 0
        self._last_seq = 0
        self._last_received_at = ""
        self._words: tuple[int, str] = (9, "")
        self._end: tuple[ThreadState, str, str] | None = None
        """The close or handoff that stands: what it reports, by whom, in which event."""

    def count(self, seq: int, received_at: str) -> None:
        """Take any event into account, proved or not."""
        self._count += 1
        self._last_seq, self._last_received_at = seq, received_at

    def note(self, event: Event) -> None:
        """Take a proved event into account."""
        if event.kind in ("close", "handoff"):
            state = ThreadState.CLOSED if event.kind == "close" else ThreadState.HANDED_OFF
            self._end = (state, event.sender.identity_id, event.event_id)
        elif event.kind in WORK_KINDS:
            self._end = None
        rank = 0 if event.kind == "intent" else 1
        if isinstance(event.body, (Summary, Handoff)) and rank < self._words[0]:
            self._words = (rank, event.body.summary)

    def thread(self, reports: tuple[Report, ...]) -> Thread:
        """What was said of the thread, in which these reports stand.

        Its state is a close; else the pause or rest heard last; else a handoff; else the refusal heard last.
        """
        state, by, event_id = self._end or (ThreadState.OPEN, None, None)
        away = [each for each in reports if each.state is not ReportState.DECLINED]
        told = away[-1:] or (reports[-1:] if self._end is None else ())
        for report in told if state is not ThreadState.CLOSED else ():
            state, by, event_id = STATES[report.state], report.identity_id, report.event_id
        return Thread(
            self._thread_id,
            self._count,
            self._last_seq,
            self._last_received_at,
            self._words[1],
            state,
            by,
            event_id,
            reports,
            self._end,
        )
