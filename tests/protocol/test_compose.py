"""From a draft to a core: parents, constants, every broken rule (§1, §4, §5)."""

from __future__ import annotations

from typing import Any

import pytest

from corr_tui.protocol.bodies import KINDS, cited
from corr_tui.protocol.compose import MAX_PARENTS, Draft, compose, parents_of
from corr_tui.protocol.errors import EventRefused
from corr_tui.protocol.event import Core, Sender
from corr_tui.protocol.signing import public_key_of, sign, verify
from tests.protocol.examples import NOW, REVISION, SEED, core, event_id, full_bodies, uuid

SENDER = Sender(identity_id=uuid(2), signing_key_id=uuid(3), device_id=uuid(4), session_id=uuid(5))


def draft(kind: str = "intent", body: dict[str, Any] | None = None, **words: Any) -> Draft:
    """A draft of a kind with every field of its body."""
    return Draft(kind=kind, thread_id="task:42", body=full_bodies().get(kind, {}) if body is None else body, **words)


def composed(meant: Draft, **words: Any) -> Core:
    """The core of a draft."""
    given = {"project_id": uuid(1), "repository_id": "repo:example/widgets", "session_seq": 1, "issued_at": NOW}
    return compose(meant, sender=SENDER, **{**given, **words})


def issues_of(meant: Draft, **words: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """Where and for which reason a draft is refused; fails when it is not."""
    with pytest.raises(EventRefused) as caught:
        composed(meant, **words)
    return [(issue.path, issue.code) for issue in caught.value.issues]


@pytest.mark.parametrize("kind", KINDS)
def test_a_draft_of_every_kind_becomes_a_core_that_can_be_signed(kind: str) -> None:
    """§2.1, §3: compose, sign, verify."""
    meant = draft(kind, paths=("docs", "src/api"))
    made = composed(meant)
    assert made.kind == kind
    assert made.evidence == core(kind, parents=list(made.cited))
    verify(sign(made.evidence, SEED), public_key_of(SEED))


def test_authority_is_exact_and_fresh() -> None:
    """§1: no draft can grant anything, and no core shares its list with another."""
    one, other = composed(draft()), composed(draft())
    assert one.evidence["authority"] == {"automatic_action": "never", "grants": []}
    assert one.evidence["authority"]["grants"] is not other.evidence["authority"]["grants"]


def test_a_draft_says_nothing_about_place_unless_told() -> None:
    """§2.2: the whole repository, nothing known of Git."""
    assert composed(draft()).evidence["scope"] == {"base_revision": None, "branch": None, "paths": ["."]}
    told = draft(paths=("a", "b"), base_revision=REVISION, branch="main")
    assert composed(told).evidence["scope"] == {"base_revision": REVISION, "branch": "main", "paths": ["a", "b"]}


def test_cited_events_come_first_in_parents_and_each_stands_once() -> None:
    """§4, §5: targets in the order of the body, then what else was observed."""
    body = {"target_event_ids": [event_id(3), event_id(1)], "summary": "in words"}
    meant = draft("repair", body, parents=(event_id(2), event_id(1), event_id(2)))
    assert parents_of(meant) == (event_id(3), event_id(1), event_id(2))
    assert composed(meant).parents == (event_id(3), event_id(1), event_id(2))


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_body_cites_becomes_a_parent(kind: str) -> None:
    """§5: nobody has to repeat a target by hand."""
    assert parents_of(draft(kind)) == cited(composed(draft(kind)).body)


def test_own_parents_are_kept_in_order() -> None:
    """§4: what the sender observed."""
    ids = tuple(event_id(number) for number in (5, 3, 9))
    assert parents_of(draft(parents=ids)) == ids


def test_more_than_16_parents_are_refused() -> None:
    """§4: at most 16, cited ones included."""
    ids = tuple(event_id(number) for number in range(2, 18))
    assert len(ids) == MAX_PARENTS
    assert composed(draft(parents=ids)).parents == ids
    assert issues_of(draft("ack.seen", parents=ids)) == [(("parents",), "list_length")]


def test_an_unknown_kind_is_refused() -> None:
    """§5: 21 kinds."""
    assert issues_of(draft("claim.steal")) == [(("kind",), "kind_unknown")]


def test_a_broken_body_is_refused_with_every_rule_it_breaks() -> None:
    """§5: before anything is made of what it cites."""
    body = {"target_event_id": "1", "detail": "", "extra": 1}
    assert issues_of(draft("ack.seen", body)) == [
        (("body", "target_event_id"), "event_id_form"),
        (("body", "detail"), "text_length"),
        (("body", "extra"), "unknown_body_field"),
    ]


def test_everything_around_the_body_is_checked_too() -> None:
    """§2.1: whoever composes passes sequence and clock in, and neither is trusted."""
    meant = draft(paths=("/a",), parents=("1",))
    assert issues_of(meant, session_seq=0, issued_at="now", project_id="p", repository_id=" ") == [
        (("project_id",), "uuid_form"),
        (("repository_id",), "opaque_id_character"),
        (("parents", 0), "event_id_form"),
        (("session_seq",), "integer_range"),
        (("issued_at",), "timestamp_form"),
        (("scope", "paths", 0), "path_edge_slash"),
    ]


def test_the_draft_is_not_part_of_the_core() -> None:
    """A draft may be changed and sent again; what was composed stays."""
    body = full_bodies()["intent"]
    made = composed(draft(body=body))
    body["summary"] = "other words"
    assert made.evidence["body"] == {"summary": "in words"}
