"""Which events a filter finds in a Snapshot (experience: Also).

A filter is compiled once for a Snapshot and then asked about each event; what a term needs of the whole (conflicts,
facts, names) is worked out when it is first asked for. A negated term finds exactly what the term does not. Words of
others are compared as data: folded, blanks collapsed, never patterns. What cannot be known now is found by no term
that asks for it, and `doubts` says so.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Iterator
from enum import StrEnum
from functools import cached_property, lru_cache, reduce
from typing import Any

from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.event import Event
from corr_tui.protocol.paths import overlaps
from corr_tui.state.conflicts import ConflictKind, conflicts
from corr_tui.state.facts import Facts, ThreadState
from corr_tui.state.filter_grammar import Field, Filter, Has, Is, Term
from corr_tui.state.projection import facts
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Heard, Snapshot, Unsent
from corr_tui.state.standing import Standing, claims_standing, claims_view, conflicts_standing
from corr_tui.state.verdict import Verdict

Subject = Heard | Unsent
"""What is asked about: an event heard, or one of mine without a receipt."""
Test = Callable[[Subject], bool]

NAMED = 4
"""Characters of an identity's id that name it, as where it has no listed name."""


class Need(StrEnum):
    """What a filter rests on, besides the event itself."""

    NAMES = "names"
    VERDICTS = "verdicts"
    HISTORY = "history"
    PROJECTION = "projection"


_BYTES = frozenset({Need.VERDICTS})
_HISTORY = frozenset({Need.VERDICTS, Need.HISTORY})
"""Facts follow from events whose signature was proved."""
_NEEDS: dict[str, frozenset[Need]] = {
    **dict.fromkeys((Is.VERIFIED, Is.LISTED, Is.UNVERIFIED, Is.NO_KEY), _BYTES),
    **dict.fromkeys((Is.MISMATCH, Is.MALFORMED, Is.KEY_CHANGED, Is.KEY_REVOKED), _BYTES),
    **dict.fromkeys((Is.OPEN, Is.CLOSED, Is.UNRESOLVED, Is.REPAIRED), _HISTORY),
    **dict.fromkeys((Has.ACKS, Has.MY_ACK, Has.CITATIONS), _HISTORY),
    Is.CONFLICTED: _HISTORY | {Need.PROJECTION},
    Is.LIVE: frozenset({Need.PROJECTION}),
}


def matching(wanted: Filter, snapshot: Snapshot) -> Test:
    """Whether an event of the Snapshot is found; the answer is good for this Snapshot alone."""
    asked = _Asked(snapshot)
    cheap_first = sorted(wanted.terms, key=lambda term: term.field is Field.WORDS)
    tests = [_signed(term, asked) for term in cheap_first]
    return reduce(_both, tests) if tests else _any


def needs(wanted: Filter) -> frozenset[Need]:
    """What has to be at hand for the filter to find what it names."""
    return frozenset(need for term in wanted.terms for need in _needs(term))


def doubts(wanted: Filter, snapshot: Snapshot) -> tuple[str, ...]:
    """Each term that rests on something not wholly known now, with what that is, in words."""
    return tuple(f"{term}: {doubt}" for term in wanted.terms if (doubt := _doubt(term, snapshot)))


def folded(text: str) -> str:
    """Text as words are compared: case folded, composed, blanks collapsed."""
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def _needs(term: Term) -> frozenset[Need]:
    if term.field in (Field.WORDS, Field.BY):
        return frozenset({Need.NAMES})
    return _NEEDS.get(term.value, frozenset()) if term.field in (Field.IS, Field.HAS) else frozenset()


def _doubt(term: Term, snapshot: Snapshot) -> str:
    needed = _needs(term)
    if Need.PROJECTION in needed:
        worth = claims_standing(snapshot) if term.value == Is.LIVE else conflicts_standing(snapshot)
        if worth is not Standing.COMPLETE:
            return f"projection {worth}"
    if Need.HISTORY in needed and not snapshot.history.complete:
        through = snapshot.history.through
        return f"history read through #{through} only" if through else "history not read yet"
    return ""


class _Asked:
    """What terms need of a whole Snapshot, each part worked out once and only when it is asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.my_id = snapshot.me.identity_id if snapshot.me else None
        self._names: dict[str, str] = {}

    @cached_property
    def facts(self) -> Facts:
        """What follows from the events heard."""
        return facts(self.snapshot)

    @cached_property
    def conflicted(self) -> frozenset[str]:
        """The sides of every conflict; an event that lacks a parent stands against nobody."""
        found = (each for each in conflicts(self.snapshot) if each.kind is not ConflictKind.MISSING)
        return frozenset(event_id for each in found for event_id in each.event_ids)

    @cached_property
    def live(self) -> frozenset[str]:
        """The tips of active claims."""
        view = claims_view(self.snapshot)
        return frozenset(claim.event_id for claim in view.claims) if view else frozenset()

    @cached_property
    def repaired(self) -> frozenset[str]:
        """What proved repairs cite."""
        repairs = (each.event for each in self.snapshot.events if each.verdict.holds)
        return frozenset(cited for event in repairs if event and event.kind == "repair" for cited in event.cited)

    def name(self, identity_id: str) -> str:
        """The listed name, folded; empty where none is listed."""
        name = self._names.get(identity_id)
        if name is None:
            known = self.snapshot.identities.get(identity_id)
            name = self._names[identity_id] = folded(known.name) if known else ""
        return name


def _any(subject: Subject) -> bool:
    return True


def _both(one: Test, other: Test) -> Test:
    return lambda subject: one(subject) and other(subject)


def _signed(term: Term, asked: _Asked) -> Test:
    """What a term finds, or what it does not when it is negated."""
    test = _test(term, asked)
    return (lambda subject: not test(subject)) if term.negated else test


def _test(term: Term, asked: _Asked) -> Test:
    match term.field:
        case Field.WORDS:
            return _words(term.value, asked)
        case Field.KIND:
            return _kind(term.value)
        case Field.BY:
            return _by(term.value, asked)
        case Field.THREAD:
            fits = fitting(term.value)
            return lambda subject: fits(_thread(subject))
        case Field.PATH:
            return _path(term.value)
        case Field.ID:
            return _id(term.value)
        case Field.IS:
            return _STATES[Is(term.value)](asked)
        case Field.HAS:
            return _POSSESSIONS[Has(term.value)](asked)


def _words(value: str, asked: _Asked) -> Test:
    wanted = folded(value)

    def test(subject: Subject) -> bool:
        event = subject.event
        if event is None:
            return False
        return wanted in _text(Same(event)) or wanted in asked.name(event.sender.identity_id)

    return test


@lru_cache(maxsize=8192)
def _text(same: Same[Event]) -> str:
    """Everything words are looked for in, folded, no part running into the next; a list is filtered many times."""
    return "\n".join(map(folded, _parts(same.value)))


_SAID = ("summary", "detail", "next_safe_action", "result_revision")
_ARTIFACT = ("revision", "digest", "locator")


def _parts(event: Event) -> Iterator[str]:
    """Every text of an event that words are looked for in; the body was read by its closed record."""
    yield event.kind
    yield event.thread_id
    yield from event.scope.paths
    body: dict[str, Any] = event.evidence["body"]
    for name in _SAID:
        if name in body:
            yield body[name]
    if "artifact" in body:
        yield from (body["artifact"][name] for name in _ARTIFACT if name in body["artifact"])


def _kind(value: str) -> Test:
    fits = fitting(value)
    kinds = frozenset(kind for kind in KINDS if fits(kind))
    return lambda subject: (event := subject.event) is not None and event.kind in kinds


def _by(value: str, asked: _Asked) -> Test:
    by = _by_identity(value, asked)
    return lambda subject: (event := subject.event) is not None and by(event.sender.identity_id)


def by_test(value: str, snapshot: Snapshot) -> Callable[[str], bool]:
    """Whether an identity is meant by a name, or by the start of an id."""
    return _by_identity(value, _Asked(snapshot))


def _by_identity(value: str, asked: _Asked) -> Callable[[str], bool]:
    fits, start = fitting(folded(value)), value.lower().rstrip("…")
    known: dict[str, bool] = {}

    def test(identity_id: str) -> bool:
        if identity_id not in known:
            by_id = len(start) >= NAMED and identity_id.startswith(start)
            known[identity_id] = by_id or fits(asked.name(identity_id))
        return known[identity_id]

    return test


def _path(value: str) -> Test:
    return lambda subject: (
        (event := subject.event) is not None and any(overlaps(value, path) for path in event.scope.paths)
    )


def _id(value: str) -> Test:
    if value.startswith("#"):
        number = value[1:]
        return lambda subject: isinstance(subject, Heard) and subject.record.receipt.received_seq == number
    return lambda subject: _event_id(subject).removeprefix("sha256:").startswith(value)


def fitting(value: str) -> Callable[[str], bool]:
    """Equal to the value; where it ends in a star, beginning so."""
    if value.endswith("*"):
        start = value[:-1]
        return lambda text: text.startswith(start)
    return lambda text: text == value


def _event_id(subject: Subject) -> str:
    return subject.event_id if isinstance(subject, Heard) else subject.event.event_id


def _thread(subject: Subject) -> str:
    """The thread; of a malformed event the one it names, or nothing."""
    if subject.event is not None:
        return subject.event.thread_id
    evidence = subject.record.event.evidence if isinstance(subject, Heard) else None
    named = evidence.get("thread_id") if isinstance(evidence, dict) else None
    return named if isinstance(named, str) else ""


def _verdict(*verdicts: Verdict) -> Callable[[_Asked], Test]:
    found = frozenset(verdicts)
    return lambda asked: lambda subject: isinstance(subject, Heard) and subject.verdict in found


def _lineage(status: str) -> Callable[[_Asked], Test]:
    return lambda asked: lambda subject: isinstance(subject, Heard) and subject.record.lineage_status == status


def _among(ids: Callable[[_Asked], Container[str]]) -> Callable[[_Asked], Test]:
    """Whether the event's id is among those of the whole, which are asked for with the first event."""
    return lambda asked: lambda subject: _event_id(subject) in ids(asked)


def _by_me(asked: _Asked) -> Test:
    return lambda subject: (event := subject.event) is not None and event.sender.identity_id == asked.my_id


def _in_thread(found: Callable[[ThreadState], bool]) -> Callable[[_Asked], Test]:
    def make(asked: _Asked) -> Test:
        def test(subject: Subject) -> bool:
            thread = asked.facts.threads.get(_thread(subject))
            return thread is not None and found(thread.state)

        return test

    return make


def _acked_by_me(asked: _Asked) -> Test:
    def test(subject: Subject) -> bool:
        declared = asked.facts.declared.get(_event_id(subject), ())
        return any(each.identity_id == asked.my_id for each in declared)

    return test


def _missing(asked: _Asked) -> Test:
    known = asked.snapshot.by_id
    return lambda subject: (
        isinstance(subject, Heard) and any(parent not in known for parent in subject.record.missing_parents)
    )


def _in_body(name: str, *, of_artifact: bool = False) -> Callable[[_Asked], Test]:
    def test(subject: Subject) -> bool:
        if (event := subject.event) is None:
            return False
        body: dict[str, Any] = event.evidence["body"]
        return bool((body.get("artifact", {}) if of_artifact else body).get(name))

    return lambda asked: test


_STATES: dict[Is, Callable[[_Asked], Test]] = {
    Is.VERIFIED: _verdict(Verdict.VERIFIED),
    Is.LISTED: _verdict(Verdict.LISTED),
    Is.UNVERIFIED: _verdict(*(each for each in Verdict if not each.holds)),
    Is.NO_KEY: _verdict(Verdict.NO_KEY),
    Is.MISMATCH: _verdict(Verdict.MISMATCH),
    Is.MALFORMED: _verdict(Verdict.MALFORMED),
    Is.KEY_CHANGED: _verdict(Verdict.KEY_CHANGED),
    Is.KEY_REVOKED: _verdict(Verdict.KEY_REVOKED),
    Is.MINE: _by_me,
    Is.UNSENT: lambda asked: lambda subject: isinstance(subject, Unsent),
    Is.CONFLICTED: _among(lambda asked: asked.conflicted),
    Is.UNRESOLVED: _among(lambda asked: asked.facts.raised),
    Is.REPAIRED: _among(lambda asked: asked.repaired),
    Is.LIVE: _among(lambda asked: asked.live),
    Is.PENDING: _lineage("pending"),
    Is.INVALID: _lineage("invalid"),
    Is.OPEN: _in_thread(lambda state: state not in (ThreadState.CLOSED, ThreadState.HANDED_OFF)),
    Is.CLOSED: _in_thread(lambda state: state is ThreadState.CLOSED),
}
_POSSESSIONS: dict[Has, Callable[[_Asked], Test]] = {
    Has.MISSING: _missing,
    Has.PARENTS: lambda asked: lambda subject: (event := subject.event) is not None and bool(event.parents),
    Has.CITATIONS: _among(lambda asked: asked.facts.cited_by),
    Has.ACKS: _among(lambda asked: asked.facts.declared),
    Has.MY_ACK: _acked_by_me,
    Has.ARTIFACT: _in_body("artifact"),
    Has.LOCATOR: _in_body("locator", of_artifact=True),
    Has.UNTIL: _in_body("until"),
}
