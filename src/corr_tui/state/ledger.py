"""What follows from a history, folded event by event as it is read (§4, §5, §6).

The rules:
- events are noted in receipt order, each id once, with the verdict on it; the fold of the parts is the fold of the
  whole, and one more event costs the same however long the history is;
- every event counts as an event of its thread; only a proved one (`Verdict.holds`) drives state;
- an event that is noted again, as when the service says it anew, must be worth what it was worth before. Where it is
  not, `note` says so, and whoever holds the history folds it anew;
- a projection is computed of what is proved here; `computed` says by which rules;
- a parent is stored when it was noted here with bytes that are its own and nothing refutes, or when the service once
  said of its child that it is: what is stored stays (§4), and it may lie in another repository of the project.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from types import MappingProxyType

from corr_tui.protocol.bodies import ACK_KINDS, CLAIM_KINDS, ClaimOpen, ClaimRelease, ClaimRenew, cited
from corr_tui.protocol.event import Event
from corr_tui.protocol.lineage import claim_event
from corr_tui.protocol.records import MalformedEvent, Record
from corr_tui.state.branches import Branches
from corr_tui.state.computed import computed
from corr_tui.state.facts import Amendment, ClaimHeard, Declaration, Facts, Noted, SessionHeard, Thread
from corr_tui.state.gathered import Gathered
from corr_tui.state.noted import NotedThrough
from corr_tui.state.said import Raised, Reports, ThreadNotes
from corr_tui.state.snapshot import Computed, Heard, Verdict

REFUTED = frozenset({Verdict.MISMATCH, Verdict.MALFORMED})
"""Verdicts that say an event is not what it claims to be; it is shown and never counts."""


AMENDING = frozenset({"repair", "conflict.resolve"})
"""Kinds that are drawn on what they cite: a correction, and a reconciliation."""


class Ledger:
    """The fold of one repository's history."""

    def __init__(self) -> None:
        self._noted: dict[str, Noted] = {}
        self._names: dict[str, str] = {}
        self._last_seq = 0
        self.received_at = ""
        """The newest receipt among the events noted (RFC3339-ms), or empty."""
        self._unproved_claims = 0
        """Events about claims that neither count nor are refuted."""
        self._threads: dict[str, ThreadNotes] = {}
        self._told: dict[str, Thread] = {}
        self._retell: dict[str, None] = {}
        """Threads of which `_told` is not the newest, in the order they came up."""
        self._reports, self._raised, self._branches = Reports(), Raised(), Branches()
        self._declared: Gathered[str, Declaration] = Gathered()
        self._cited_by: Gathered[str, str] = Gathered()
        self._amended: Gathered[str, Amendment] = Gathered()
        self._places: defaultdict[tuple[str, str, str], dict[int, str]] = defaultdict(dict)
        """By session, the first event at each of its places."""
        self._sessions: dict[tuple[str, str, str], SessionHeard] = {}
        self._forks: defaultdict[tuple[str, str, str, int], set[str]] = defaultdict(set)
        self._missing: dict[str, list[str]] = {}
        """By event, its parents that are not stored."""
        self._awaited: defaultdict[str, list[str]] = defaultdict(list)
        """By a parent that is not stored, the events that name it."""
        self._last_by: dict[str, str] = {}
        self._claims: dict[str, ClaimHeard] = {}
        self._facts: Facts | None = None

    @classmethod
    def of(cls, events: Iterable[Heard]) -> Ledger:
        """The fold of events in receipt order."""
        ledger = cls()
        for heard in events:
            ledger.note(heard)
        return ledger

    def note(self, heard: Heard) -> bool:
        """Take one event into account. False when it contradicts what was noted: it lies before the last event noted,
        or the event of that id was worth something else. Nothing is taken then."""
        key = heard.event_id or f"#{heard.record.receipt.received_seq}"
        known = self._noted.get(key)
        if known is not None:
            return self._again(known, heard)
        if heard.record.seq < self._last_seq:
            return False
        self._facts = None
        self._last_seq = heard.record.seq
        noted = self._noted[key] = self._brief(heard, heard.record.seq)
        if noted.thread_id:
            self._note_in_thread(noted.thread_id, heard)
        event = heard.event
        if event is None or not noted.stored:
            return True
        self.received_at = max(self.received_at, heard.record.receipt.received_at)
        self._arrived(event.event_id)
        if noted.proved:
            self._note_proved(event, heard.record)
        elif event.kind in CLAIM_KINDS:
            self._unproved_claims += 1
        return True

    def facts(self) -> Facts:
        """Everything that follows so far; the same object until something is noted that changes it."""
        if self._facts is None:
            for thread_id in self._retell:
                self._told[thread_id] = self._threads[thread_id].thread(self._reports.in_thread(thread_id))
            self._retell.clear()
            self._facts = Facts(
                threads=MappingProxyType(self._told.copy()),
                reports=self._reports.standing(),
                declared=self._declared.frozen(),
                amended=self._amended.frozen(),
                cited_by=self._cited_by.frozen(),
                forks={place: tuple(sorted(ids)) for place, ids in self._forks.items()},
                sessions=self._sessions.copy(),
                raised=self._raised.standing(),
                missing={event_id: tuple(parents) for event_id, parents in self._missing.items()},
                unsettled=self._branches.unsettled(),
                claims=MappingProxyType(self._claims.copy()),
                last_by=self._last_by.copy(),
                noted=NotedThrough(self._noted, self._last_seq),
            )
        return self._facts

    def computed(self, now: str, through: str | None, complete: bool) -> Computed:
        """What the rules of the service make of it at the RFC3339-ms instant `now` (§6, §7.1).

        `through` is the cursor up to which the history was read, `complete` whether it is whole up to there.
        """
        complete = complete and not self._unproved_claims
        return computed(
            self._branches, self.facts(), now, through=through, received_at=self.received_at, complete=complete
        )

    def _again(self, known: Noted, heard: Heard) -> bool:
        """An event noted before; its newest diagnostics may say that more of its parents are stored."""
        if known != self._brief(heard, known.seq):
            return False
        for parent in set(self._missing.get(heard.event_id, ())).difference(heard.record.missing_parents):
            self._stored(parent, heard.event_id)
        return True

    def _brief(self, heard: Heard, seq: int) -> Noted:
        event, name, proved = heard.event, self._name, heard.verdict.holds
        if event is None:
            thread_id = _thread_of(heard.record.event)
            return Noted(seq, name(thread_id) if thread_id else None, None, None, None, proved=False, stored=False)
        body = event.body
        return Noted(
            seq,
            name(event.thread_id),
            name(event.sender.identity_id),
            name(event.kind),
            body.generation if isinstance(body, (ClaimOpen, ClaimRenew, ClaimRelease)) else None,
            proved=proved,
            stored=proved or (heard.genuine and heard.verdict not in REFUTED),
        )

    def _name(self, text: str) -> str:
        """The one copy of a text that a long history repeats."""
        return self._names.setdefault(text, text)

    def _note_in_thread(self, thread_id: str, heard: Heard) -> None:
        notes = self._threads.get(thread_id)
        if notes is None:
            notes = self._threads[thread_id] = ThreadNotes(thread_id)
        notes.count(heard.record.seq, heard.record.receipt.received_at)
        if heard.event is not None and heard.verdict.holds:
            notes.note(heard.event)
        self._retell[thread_id] = None

    def _note_proved(self, event: Event, record: Record) -> None:
        received_at, identity_id = record.receipt.received_at, event.sender.identity_id
        if touched := self._reports.note(event, received_at):
            self._retell[touched] = None
        self._raised.note(event)
        if event.kind in ACK_KINDS:
            declaration = Declaration(event.kind, identity_id, event.event_id, received_at)
            for target in cited(event.body):
                self._declared.add(target, declaration)
        else:
            for parent in event.parents:
                self._cited_by.add(parent, event.event_id)
        if event.kind in AMENDING:
            amendment = Amendment(self._name(event.kind), event.event_id, self._name(identity_id))
            for target in cited(event.body):
                self._amended.add(target, amendment)
        self._note_place(event)
        self._note_parents(event, record)
        claim = claim_event(event) if event.kind in CLAIM_KINDS else None
        if claim is not None:
            self._claims[event.event_id] = ClaimHeard(claim, record.seq, received_at)
        self._branches.note(event.event_id, claim)
        self._last_by[self._name(identity_id)] = event.event_id

    def _note_place(self, event: Event) -> None:
        sender, name = event.sender, self._name
        session = (name(sender.identity_id), name(sender.device_id), name(sender.session_id))
        self._sessions[session] = _further(self._sessions.get(session), event, name(sender.signing_key_id))
        first = self._places[session].setdefault(event.session_seq, event.event_id)
        if first != event.event_id:
            self._forks[(*session, event.session_seq)].update((first, event.event_id))

    def _note_parents(self, event: Event, record: Record) -> None:
        if not record.missing_parents:
            return
        said = frozenset(record.missing_parents)
        absent = [parent for parent in event.parents if parent in said and not self._has(parent)]
        for parent in absent:
            self._awaited[parent].append(event.event_id)
        if absent:
            self._missing[event.event_id] = absent

    def _has(self, event_id: str) -> bool:
        noted = self._noted.get(event_id)
        return noted is not None and noted.stored

    def _arrived(self, event_id: str) -> None:
        """An event is stored: who named it as parent misses it no more."""
        for child in self._awaited.pop(event_id, ()):
            self._stored(event_id, child)

    def _stored(self, parent: str, child: str) -> None:
        missing = self._missing.get(child, [])
        if parent in missing:
            self._facts = None
            missing.remove(parent)
            if not missing:
                del self._missing[child]


def _further(session: SessionHeard | None, event: Event, key_id: str) -> SessionHeard:
    """A session with one more event."""
    seq = event.session_seq
    if session is None:
        return SessionHeard(seq, seq, event.event_id, (key_id,))
    keys = session.key_ids if key_id in session.key_ids else (*session.key_ids, key_id)
    return SessionHeard(min(session.first_seq, seq), max(session.last_seq, seq), event.event_id, keys)


def _thread_of(event: Event | MalformedEvent) -> str | None:
    """The thread a malformed event names, if it names one."""
    evidence = event.evidence if isinstance(event.evidence, dict) else {}
    named = evidence.get("thread_id")
    return named if isinstance(named, str) and named else None
