"""What a filter says of things that are no events: claims, conflicts, reports and threads (experience: Also).

Only terms about a path, a sender or a thread ask something such a thing can answer; the others are left out of account
there, and where none of these terms stands nothing is left out. A thing with several sides is found where any side is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from corr_tui.protocol.paths import overlaps
from corr_tui.state.filter import by_test, fitting, matching
from corr_tui.state.filter_grammar import Field, Filter, Term
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Heard, Snapshot, Unsent

ASKED = frozenset({Field.PATH, Field.BY, Field.THREAD})
"""The fields of terms that are asked of things that are no events."""


class Thing(NamedTuple):
    """What a thing can answer."""

    identity_ids: Iterable[str] = ()
    thread_ids: Iterable[str] = ()
    paths: Iterable[str] = ()


class Found(NamedTuple):
    """What a filter finds among the events at hand, in their order."""

    heard: tuple[Heard, ...]
    unsent: tuple[Unsent, ...]


def found(wanted: Filter, snapshot: Snapshot) -> Found:
    """The events that a filter finds; worked out once for one filter and one Snapshot."""
    return _found(wanted, Same(snapshot))


@lru_cache(maxsize=4)
def _found(wanted: Filter, same: Same[Snapshot]) -> Found:
    snapshot, test = same.value, matching(wanted, same.value)
    return Found(tuple(filter(test, snapshot.events)), tuple(filter(test, snapshot.unsent)))


def asked_of_things(wanted: Filter | None, fields: frozenset[Field] = ASKED) -> Filter:
    """The part of a filter that is asked of such things, or of those that answer only to some fields."""
    return Filter(tuple(term for term in wanted.terms if term.field in fields)) if wanted else Filter()


def things_test(wanted: Filter, snapshot: Snapshot) -> Callable[[Thing], bool]:
    """Whether a thing is found by what is asked of it."""
    tests = [_test(term, snapshot) for term in asked_of_things(wanted).terms]
    return lambda thing: all(test(thing) for test in tests)


def _test(term: Term, snapshot: Snapshot) -> Callable[[Thing], bool]:
    if term.field is Field.PATH:
        path = term.value
        return _signed(term, lambda thing: any(overlaps(path, each) for each in thing.paths))
    if term.field is Field.THREAD:
        fits = fitting(term.value)
        return _signed(term, lambda thing: any(map(fits, thing.thread_ids)))
    by = by_test(term.value, snapshot)
    return _signed(term, lambda thing: any(map(by, thing.identity_ids)))


def _signed(term: Term, test: Callable[[Thing], bool]) -> Callable[[Thing], bool]:
    return (lambda thing: not test(thing)) if term.negated else test
