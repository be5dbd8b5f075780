"""The append transaction (§3, §4, §6, §7).

The rule: an event is stored once, under the next number of its project's stream, with the database's clock; both come
from one row that is updated inside the transaction, so that numbers become visible in their order. Every answer is
derived from facts of that transaction. An exact retry gets the first receipt, whatever became of its key since.

Appends of one project that arrive together are committed together: while one thread commits, the others wait, and then
one of those that are not answered yet takes everything that waits. Whoever is answered goes on at once. When a group
fails as a whole, its members are tried one by one, so that none of them pays for another. Projects never wait here for
each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Condition

from sqlalchemy import Connection, Row, bindparam, insert, select

from corr_tui.protocol.errors import SignatureRefused
from corr_tui.protocol.event import Event
from corr_tui.protocol.lineage import LineageStatus
from corr_tui.protocol.signing import check_signature
from corr_tui.server.database import Database, StorageUnavailable
from corr_tui.server.facts import Facts
from corr_tui.server.frontier import add_claim, make_ready
from corr_tui.server.record import OF_SESSION_PLACE, Stored, Warning
from corr_tui.server.refusal import Refused
from corr_tui.server.submission import Submission
from corr_tui.server.tables import claim_events, events, identities, signing_keys, streams
from corr_tui.server.turn import Turn

MAX_GROUP = 64
"""The most appends in one commit."""

MAX_REMEMBERED_KEYS = 4096

MAX_WARNING_EVENTS = 16

_BY_ID = (
    select(events, claim_events.c.lineage_status)
    .outerjoin(
        claim_events,
        (claim_events.c.project_id == events.c.project_id) & (claim_events.c.event_id == events.c.event_id),
    )
    .where(events.c.project_id == bindparam("project_id"), events.c.event_id == bindparam("event_id"))
)
_KEY = select(
    signing_keys.c.public_key,
    (signing_keys.c.revoked_at.is_(None) & identities.c.revoked_at.is_(None)).label("active"),
).where(
    signing_keys.c.project_id == bindparam("project_id"),
    signing_keys.c.signing_key_id == bindparam("signing_key_id"),
    signing_keys.c.identity_id == bindparam("identity_id"),
    identities.c.project_id == signing_keys.c.project_id,
    identities.c.identity_id == signing_keys.c.identity_id,
)
_INCOMPLETE = select(streams.c.incomplete).where(streams.c.project_id == bindparam("project_id"))
_ADD_EVENT = insert(events)


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a submission: stored now, or stored before."""

    record: Stored
    created: bool


@dataclass(slots=True)
class _Waiting:
    """A submission on its way through a commit."""

    submission: Submission
    answer: Appended | Refused | StorageUnavailable | None = None


@dataclass(slots=True)
class _Queue:
    """The submissions to one project that wait for a commit, and whether one is under way."""

    waiting: deque[_Waiting] = field(default_factory=deque)
    committing: bool = False


@dataclass(slots=True)
class Store:
    """Appends to one database, from any thread."""

    database: Database
    _queues: dict[str, _Queue] = field(default_factory=dict)
    """By project that was ever appended to."""
    _turn: Condition = field(default_factory=Condition)
    """Held for a moment only, to begin a commit or to end one; never during it."""
    _public_keys: dict[tuple[str, str, str], bytes] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """How many submissions wait for a commit that has not begun."""
        return sum(len(queue.waiting) for queue in list(self._queues.values()))

    @property
    def committing(self) -> bool:
        """Whether a thread commits just now."""
        return any(queue.committing for queue in list(self._queues.values()))

    def append(self, submission: Submission) -> Appended:
        """Store an event, or find it stored; raises Refused or StorageUnavailable (§4, §7)."""
        self._check_signature(submission)
        waiting = _Waiting(submission)
        project_id = submission.event.project_id
        queue = self._queues.setdefault(project_id, _Queue())
        queue.waiting.append(waiting)
        while group := self._next_group(queue, waiting):
            try:
                self._commit(project_id, group)
            finally:
                with self._turn:
                    queue.committing = False
                    self._turn.notify_all()
        if isinstance(waiting.answer, Exception):
            raise waiting.answer
        assert waiting.answer is not None
        return waiting.answer

    def reconcile(self, project_id: str) -> None:
        """Settle one bounded step of ready lineage, where there is some, in a transaction of its own (§6)."""
        with self.database.reading() as connection:
            incomplete = connection.execute(_INCOMPLETE, {"project_id": project_id}).scalar_one_or_none()
        if not incomplete:
            return
        with self.database.writing() as connection:
            turn = Turn.begun(connection, self.database, project_id)
            turn.reconcile()
            turn.end()

    def _next_group(self, queue: _Queue, waiting: _Waiting) -> list[_Waiting]:
        """Wait for an answer, which leaves nothing to commit, or for the turn to commit everything that waits."""
        with self._turn:
            self._turn.wait_for(lambda: waiting.answer is not None or not queue.committing)
            if waiting.answer is not None:
                return []
            queue.committing = True
            return [queue.waiting.popleft() for _ in range(min(MAX_GROUP, len(queue.waiting)))]

    def _check_signature(self, submission: Submission) -> None:
        """Prove the signature before the turn; whether the key is still active is asked within it."""
        event = submission.event
        try:
            check_signature(event, submission.core_jcs, self._public_key(event))
        except SignatureRefused:
            with self.database.reading() as connection:
                _check_active(connection, event)
            message = "The Ed25519 signature does not hold over the canonical core of this event."
            hint = "Sign SHA-256 of the profile name, one zero byte and the RFC 8785 bytes of the core."
            raise Refused(403, "signature_invalid", message, hint=hint) from None

    def _public_key(self, event: Event) -> bytes:
        """The sender's own key, active or not; remembered, since a key never changes; raises Refused."""
        sender = (event.project_id, event.sender.identity_id, event.sender.signing_key_id)
        public_key = self._public_keys.get(sender)
        if public_key is None:
            with self.database.reading() as connection:
                public_key = bytes(_key(connection, event).public_key)
            if len(self._public_keys) >= MAX_REMEMBERED_KEYS:
                self._public_keys.clear()
            self._public_keys[sender] = public_key
        return public_key

    def _commit(self, project_id: str, group: Sequence[_Waiting]) -> bool:
        """Answer every member of a group; returns whether it had its turn.

        A group that failed with its turn is tried again member by member, until one of them does not even get there.
        """
        begun = False
        try:
            with self.database.writing() as connection:
                turn = Turn.begun(connection, self.database, project_id)
                begun = True
                answers = self._take(turn, group)
            for each, answer in answers:
                each.answer = answer
        except StorageUnavailable as error:
            again = begun and len(group) > 1
            for each in group:
                if again:
                    again = self._commit(project_id, [each])
                else:
                    each.answer = error
        finally:
            for each in group:
                each.answer = each.answer or StorageUnavailable("unanswered")
        return begun

    def _take(self, turn: Turn, group: Sequence[_Waiting]) -> list[tuple[_Waiting, Appended | Refused]]:
        """Append what waits for one project, and have other processes notice it once (§7.1)."""
        facts = Facts.of(turn.connection, turn.project_id, [each.submission.event for each in group])
        answers = [(each, _append(turn, facts, each.submission)) for each in group]
        turn.end()
        if any(isinstance(answer, Appended) and answer.created for _, answer in answers):
            self.database.announce(turn.connection, turn.project_id)
        return answers


def _append(turn: Turn, facts: Facts, submission: Submission) -> Appended | Refused:
    """One append within a turn. A refusal comes before the first write, so it leaves nothing to undo."""
    event, connection = submission.event, turn.connection
    if event.event_id in facts.stored:
        return _append_again(turn, facts, submission)
    if not facts.may_sign(event):
        return _not_active()
    received_seq = turn.receive()
    connection.execute(_ADD_EVENT, _event_row(submission, received_seq, turn.now))
    facts.stored.add(event.event_id)
    status: LineageStatus = "not_applicable" if submission.claim is None else add_claim(connection, submission.claim)
    ready = status != "pending" and make_ready(connection, event.project_id, event.event_id)
    if ready or turn.incomplete:
        turn.reconcile()
    record = Stored(submission.evidence, received_seq, turn.now, facts.missing_parents(event), status)
    return Appended(record.warned(_warnings(connection, event, status)), created=True)


def _append_again(turn: Turn, facts: Facts, submission: Submission) -> Appended | Refused:
    """The answer to an exact retry: the first receipt, with the diagnostics of now."""
    event, connection = submission.event, turn.connection
    if turn.incomplete:
        turn.reconcile()
    before = connection.execute(_BY_ID, {"project_id": event.project_id, "event_id": event.event_id}).one()
    if before.evidence != submission.evidence:
        return Refused(409, "event_id_conflict", "Another event is stored under this event_id.")
    status: LineageStatus = before.lineage_status or "not_applicable"
    missing = facts.missing_parents(event)
    record = Stored(before.evidence, before.received_seq, before.received_at, missing, status)
    return Appended(record.warned(_warnings(connection, event, status)), created=False)


def _key(connection: Connection, event: Event) -> Row[tuple[object, ...]]:
    """The sender's own key in this project, active or not, or Refused."""
    place = {
        "project_id": event.project_id,
        "signing_key_id": event.sender.signing_key_id,
        "identity_id": event.sender.identity_id,
    }
    key = connection.execute(_KEY, place).one_or_none()
    if key is None:
        raise _not_active()
    return key


def _check_active(connection: Connection, event: Event) -> None:
    """Refused unless the sender is active and signs with an active key of its own (§2.1)."""
    if not _key(connection, event).active:
        raise _not_active()


def _not_active() -> Refused:
    message = "The sender must be an active identity of this project and sign with an active key of its own."
    return Refused(403, "sender_or_signing_key_not_active", message)


def _warnings(connection: Connection, event: Event, status: LineageStatus) -> tuple[Warning, ...]:
    """The advisories of a write (§7)."""
    warnings = []
    siblings = connection.execute(OF_SESSION_PLACE, _session_place(event, MAX_WARNING_EVENTS)).scalars().all()
    if len(siblings) > 1:
        detail = "Several signed events stand at this place of this session. All of them are kept; none is preferred."
        warnings.append(Warning("session_fork", detail, tuple(siblings)))
    if status == "pending":
        detail = "The event is stored and replayed, but its claim stays inactive until its predecessor has arrived."
        warnings.append(Warning("claim_lineage_pending", detail, (event.event_id,)))
    return tuple(warnings)


def _session_place(event: Event, most: int) -> dict[str, object]:
    return {
        "project_id": event.project_id,
        "identity_id": event.sender.identity_id,
        "device_id": event.sender.device_id,
        "session_id": event.sender.session_id,
        "session_seq": event.session_seq,
        "most": most,
    }


def _event_row(submission: Submission, received_seq: int, received_at: str) -> dict[str, object]:
    event = submission.event
    return {
        "project_id": event.project_id,
        "received_seq": received_seq,
        "event_id": event.event_id,
        "received_at": received_at,
        "repository_id": event.repository_id,
        "thread_id": event.thread_id,
        "identity_id": event.sender.identity_id,
        "device_id": event.sender.device_id,
        "session_id": event.sender.session_id,
        "session_seq": event.session_seq,
        "kind": event.kind,
        "parents": " ".join(event.parents),
        "evidence": submission.evidence,
    }
