"""What a service answers: tolerant of unknown members, strict about named ones (§4, §6, §7)."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from corr_tui.protocol.event import Event
from corr_tui.protocol.records import (
    MalformedEvent,
    RecordRefused,
    read_claims,
    read_events_page,
    read_record,
    read_voice,
    read_wake,
)
from tests.protocol.examples import LATER, NOW, changed, event_id, signed, uuid, without

EVENT = signed("claim.open")


def record() -> dict[str, Any]:
    """A record of one event."""
    return {
        "event": EVENT.evidence,
        "receipt": {"received_seq": "42", "received_at": NOW},
        "missing_parents": [event_id(1)],
        "lineage_status": "valid",
    }


def posted() -> dict[str, Any]:
    """The answer to a POST, with both warnings."""
    warnings = [
        {"code": "session_fork", "detail": "two events", "event_ids": [event_id(1)]},
        {"code": "claim_lineage_pending", "detail": "not yet", "paths": ["docs"]},
    ]
    return {**record(), "warnings": warnings}


def page() -> dict[str, Any]:
    """A page of one record."""
    place = {"after": None, "next_after": "42", "has_more": False}
    return {"protocol": "agent-correspondence/v0.1", "scope": "project_private", "events": [record()], "page": place}


def claims() -> dict[str, Any]:
    """The projection of one live claim."""
    claim = {
        "claim_id": uuid(6),
        "generation": 2,
        "event_id": EVENT.event_id,
        "owner_identity_id": uuid(2),
        "device_id": uuid(4),
        "session_id": uuid(5),
        "thread_id": "task:42",
        "scope": {"base_revision": None, "branch": None, "paths": ["docs"]},
        "expires_at": LATER,
        "conflicted": True,
        "competing_event_ids": [event_id(2)],
    }
    return {
        "protocol": "agent-correspondence/v0.1",
        "scope": "project_private",
        "evaluated_at": NOW,
        "cursor": "42",
        "projection_status": "complete",
        "truncated": False,
        "claims": [claim],
    }


def voice() -> dict[str, Any]:
    """A finite voice with one of each row."""
    fork = {"identity_id": uuid(2), "device_id": uuid(4), "session_id": uuid(5), "session_seq": 1}
    value = claims()
    return {
        **{name: part for name, part in value.items() if name != "claims"},
        "recent_events": [record()],
        "active_claims": value["claims"],
        "conflicts": {
            "missing_parents": [{"event_id": EVENT.event_id, "missing_parent_ids": [event_id(1)]}],
            "session_forks": [{**fork, "event_ids": [event_id(1), event_id(2)]}],
            "overlapping_claims": [{"left_event_id": event_id(1), "right_event_id": event_id(2), "paths": ["docs"]}],
        },
    }


def wake() -> dict[str, Any]:
    """The data of a change frame."""
    context = {
        "received_seq": "42",
        "repository_id": "r",
        "thread_id": "t",
        "event_id": EVENT.event_id,
        "kind": "intent",
    }
    return {"_format": "wake_event/v1", "key": "correspondence", "kind": "updated", "context": context}


ANSWERS: dict[str, tuple[Callable[[object], object], Callable[[], dict[str, Any]]]] = {
    "record": (read_record, record),
    "posted": (read_record, posted),
    "page": (read_events_page, page),
    "claims": (read_claims, claims),
    "voice": (read_voice, voice),
    "wake": (read_wake, wake),
}


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every part of an answer, without looking into its events."""
    found = [path]
    if isinstance(value, dict):
        found += [place for name, part in value.items() if name != "event" for place in places(part, (*path, name))]
    elif isinstance(value, list):
        found += [place for index, part in enumerate(value) for place in places(part, (*path, index))]
    return found


def part_of(value: Any, path: tuple[str | int, ...]) -> Any:
    """The part of a value at a path."""
    for step in path:
        value = value[step]
    return value


UNNAMED = {"protocol", "_format"}
"""Members that are on the wire and that no view holds; `scope` and `kind` are such at the root only."""
EVERYWHERE = [
    (name, path)
    for name, (_, make) in ANSWERS.items()
    for path in places(make())
    if not (len(path) == 1 and path[0] in {*UNNAMED, "scope", "kind"})
]


def refusal(read: Callable[[object], object], value: object) -> str:
    """The message with which an answer is refused; fails when it is not."""
    with pytest.raises(RecordRefused) as caught:
        read(value)
    assert caught.value.reason == "record_invalid"
    return caught.value.message


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_read(name: str) -> None:
    """§7, §7.1: the shapes of the profile."""
    read, make = ANSWERS[name]
    read(make())


@pytest.mark.parametrize(("name", "path"), EVERYWHERE)
def test_unknown_members_are_ignored_everywhere(name: str, path: tuple[str | int, ...]) -> None:
    """A later service may add some."""
    read, make = ANSWERS[name]
    if isinstance(part_of(make(), path), dict):
        assert read(changed(make(), (*path, "added"), {"x": [1]})) == read(make())


OPTIONAL = {
    "warnings",
    "event_ids",
    "paths",
    "context",
    "received_seq",
    "repository_id",
    "thread_id",
    "event_id",
    "kind",
}
"""What may be left out: warnings and their lists, and everything in a wake frame but its key."""


@pytest.mark.parametrize(
    ("name", "path"), [(name, path) for name, path in EVERYWHERE if path and isinstance(path[-1], str)]
)
def test_named_members_are_required(name: str, path: tuple[str | int, ...]) -> None:
    """§7, §7.1: an answer without them is not the record."""
    read, make = ANSWERS[name]
    value = without(make(), path)
    if path[-1] in OPTIONAL and (name == "wake" or "warnings" in path):
        read(value)
    else:
        assert f"`{path[-1]}`" in refusal(read, value)


@pytest.mark.parametrize(("name", "path"), EVERYWHERE)
@pytest.mark.parametrize("wrong", [7.5, {"x": 1}])
def test_named_members_have_their_type(name: str, path: tuple[str | int, ...], wrong: object) -> None:
    """§7, §7.1: nothing is coerced."""
    read, make = ANSWERS[name]
    value = changed(make(), path, wrong)
    if wrong == {"x": 1} and path == ("context",):
        assert read(value) == read(without(make(), path))
    else:
        refusal(read, value)


CURSORS = ["", "0", "01", "-1", "+1", "1.0", " 1", "1 ", "1\n", "１", "1" * 41, "1" * 5000, "x"]


@pytest.mark.parametrize("cursor", CURSORS)
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("record", ("receipt", "received_seq")),
        ("claims", ("cursor",)),
        ("voice", ("cursor",)),
        ("wake", ("context", "received_seq")),
    ],
)
def test_a_cursor_is_a_positive_decimal_string(name: str, path: tuple[str, ...], cursor: str) -> None:
    """§4: canonical, no leading zero; bounded, so that it can be counted with."""
    read, make = ANSWERS[name]
    refusal(read, changed(make(), path, cursor))


@pytest.mark.parametrize("cursor", ["1", "42", "9007199254740993", "9" * 40])
def test_a_cursor_may_exceed_safe_integers(cursor: str) -> None:
    """§4: a string, read as a number only here."""
    assert read_record(changed(record(), ("receipt", "received_seq"), cursor)).seq == int(cursor)


@pytest.mark.parametrize("name", ["after", "next_after"])
def test_a_page_may_start_at_nothing_or_zero(name: str) -> None:
    """§7: `next_after` repeats the supplied `after`, which may be 0."""
    for cursor in (None, "0", "42"):
        assert getattr(read_events_page(changed(page(), ("page", name), cursor)).page, name) == cursor
    for cursor in CURSORS:
        if cursor != "0":
            refusal(read_events_page, changed(page(), ("page", name), cursor))


@pytest.mark.parametrize(
    "instant",
    [
        "",
        "now",
        "2026-07-19T10:00:00Z",
        "2026-07-19T10:00:00.000Z\n",
        "2026-07-19T24:00:00.000Z",
        "2026-02-30T10:00:00.000Z",
        "0000-01-01T00:00:00.000Z",
    ],
)
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("record", ("receipt", "received_at")),
        ("claims", ("evaluated_at",)),
        ("claims", ("claims", 0, "expires_at")),
        ("voice", ("evaluated_at",)),
        ("voice", ("active_claims", 0, "expires_at")),
        ("voice", ("recent_events", 0, "receipt", "received_at")),
    ],
)
def test_instants_are_real(name: str, path: tuple[str | int, ...], instant: str) -> None:
    """§2, §4, §6: what clocks are computed from."""
    read, make = ANSWERS[name]
    refusal(read, changed(make(), path, instant))


@pytest.mark.parametrize("status", ["complete", "truncated", "unavailable"])
def test_the_projection_status_is_one_of_three(status: str) -> None:
    """§6: a word that is not known is never taken for `complete`."""
    assert read_voice(changed(voice(), ("projection_status",), status)).projection_status == status
    for wrong in ("Complete", "", None, True, "partial"):
        refusal(read_voice, changed(voice(), ("projection_status",), wrong))
        refusal(read_claims, changed(claims(), ("projection_status",), wrong))


@pytest.mark.parametrize("status", ["not_applicable", "valid", "pending", "invalid"])
def test_the_lineage_status_is_one_of_four(status: str) -> None:
    """§7."""
    assert read_record(changed(record(), ("lineage_status",), status)).lineage_status == status
    refusal(read_record, changed(record(), ("lineage_status",), "maybe"))


def test_an_empty_project_has_no_cursor() -> None:
    """§6: `evaluated_at` is 1970 without a stream."""
    value = {**voice(), "cursor": None, "evaluated_at": "1970-01-01T00:00:00.000Z"}
    assert read_voice(value).cursor is None


def test_warnings_are_those_of_a_post() -> None:
    """§7: GET records omit them."""
    assert read_record(record()).warnings == ()
    fork, pending = read_record(posted()).warnings
    assert (fork.code, fork.event_ids, fork.paths) == ("session_fork", (event_id(1),), ())
    assert (pending.code, pending.event_ids, pending.paths) == ("claim_lineage_pending", (), ("docs",))


def test_a_record_holds_the_event_and_leaves_the_answer_untouched() -> None:
    """§2: evidence is what was received."""
    value = voice()
    before = deepcopy(value)
    heard = read_voice(value).recent_events[0]
    assert value == before
    assert isinstance(heard.event, Event)
    assert heard.event.evidence is value["recent_events"][0]["event"]
    assert heard.missing_parents == (event_id(1),)


@pytest.mark.parametrize(
    ("event", "named", "code"),
    [
        ({"event_id": "sha256:x", "kind": "intent"}, "sha256:x", "protocol_required"),
        ({**EVENT.evidence, "extra": 1}, EVENT.event_id, "unknown_event_field"),
        ({"event_id": 7}, "", "protocol_required"),
        ({}, "", "protocol_required"),
        (None, "", "object_expected"),
        ([1], "", "object_expected"),
        ("event", "", "object_expected"),
    ],
)
def test_a_malformed_event_does_not_take_the_page_down(event: object, named: str, code: str) -> None:
    """One event that breaks the profile stands beside those that do not."""
    value = page()
    value["events"] = [record(), {**record(), "event": event}, record()]
    first, broken, last = read_events_page(value).events
    assert isinstance(first.event, Event)
    assert isinstance(last.event, Event)
    assert isinstance(broken.event, MalformedEvent)
    assert broken.event.evidence is event
    assert broken.event.event_id == named
    assert code in [issue.code for issue in broken.event.issues]
    assert broken.seq == 42


def test_diagnostics_may_name_a_malformed_event() -> None:
    """An identifier in a row is whatever the service calls an event."""
    row = [{"event_id": "odd", "missing_parent_ids": ["odd too"]}]
    assert (
        read_voice(changed(voice(), ("conflicts", "missing_parents"), row)).conflicts.missing_parents[0].event_id
        == "odd"
    )


@pytest.mark.parametrize("value", [None, [], "voice", 1, {}])
@pytest.mark.parametrize("read", [read_record, read_events_page, read_claims, read_voice, read_wake])
def test_anything_else_is_refused(read: Callable[[object], object], value: object) -> None:
    """Nothing but RecordRefused leaves the reader."""
    refusal(read, value)


@pytest.mark.parametrize("word", ["\x1b[31mred", "it's", 'say "x"', "a'\n\"b"])
def test_the_message_names_the_place_and_does_not_repeat_the_word(word: str) -> None:
    """What came over the wire stays out of messages."""
    message = refusal(read_record, changed(record(), ("lineage_status",), word))
    assert word not in message
    assert "lineage_status" in message
    assert message.isprintable()


def test_a_wake_frame_is_a_hint() -> None:
    """§7.1: only its key is needed; everything else may be missing or null."""
    assert read_wake({"key": "correspondence"}).context.received_seq is None
    nothing = dict.fromkeys(("received_seq", "repository_id", "thread_id", "event_id", "kind"))
    assert read_wake({"key": "correspondence", "context": nothing}) == read_wake({"key": "correspondence"})
    assert read_wake(wake()).context.received_seq == "42"


@pytest.mark.parametrize(
    ("name", "most"),
    [("recent_events", 50), ("active_claims", 128)],
)
def test_a_voice_has_no_more_rows_than_its_fixed_bounds(name: str, most: int) -> None:
    """§7.1: 50 recent records, 128 active claim branches."""
    value = voice()
    value[name] = value[name][:1] * most
    assert len(getattr(read_voice(value), name)) == most
    value[name] = value[name][:1] * (most + 1)
    assert f"length <= {most}" in refusal(read_voice, value)


@pytest.mark.parametrize(
    ("name", "most"),
    [("missing_parents", 50), ("session_forks", 50), ("overlapping_claims", 128)],
)
def test_conflicts_have_no_more_rows_than_their_fixed_bounds(name: str, most: int) -> None:
    """§7.1: a service that says more is not believed, and costs nothing."""
    value = voice()
    rows = value["conflicts"][name]
    value["conflicts"][name] = rows[:1] * most
    assert len(getattr(read_voice(value).conflicts, name)) == most
    value["conflicts"][name] = rows[:1] * (most + 1)
    assert f"length <= {most}" in refusal(read_voice, value)


@pytest.mark.parametrize("paths", [[], ["a"] * 65])
def test_a_claim_row_has_between_one_and_64_paths(paths: list[str]) -> None:
    """§2.2, §6."""
    value = claims()
    value["claims"][0]["scope"]["paths"] = paths
    assert "length" in refusal(read_claims, value)


@pytest.mark.parametrize("generation", [0, -1])
def test_a_claim_row_has_a_generation_from_one_on(generation: int) -> None:
    """§5, §6."""
    value = claims()
    value["claims"][0]["generation"] = generation
    assert ">= 1" in refusal(read_claims, value)
