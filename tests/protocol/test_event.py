"""The closed envelope, the exact authority object, citations in parents (§1, §2.1, §2.2, §4, §5)."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given

from corr_tui.protocol.bodies import KINDS, cited
from corr_tui.protocol.errors import EventRefused
from corr_tui.protocol.event import AUTHORITY, Core, Event, read_core, read_event, read_event_again
from corr_tui.protocol.strict_json import MAX_SAFE_INTEGER
from tests.protocol.examples import changed, core, event_id, full_bodies, issues_of, shared, signed, uuid, without
from tests.protocol.strategies import cores

ENVELOPE = (
    "protocol",
    "event_id",
    "project_id",
    "repository_id",
    "thread_id",
    "sender",
    "kind",
    "parents",
    "session_seq",
    "issued_at",
    "scope",
    "body",
    "authority",
    "signature",
)
OBJECTS = {
    "sender": ("identity_id", "signing_key_id", "device_id", "session_id"),
    "scope": ("base_revision", "branch", "paths"),
    "authority": ("automatic_action", "grants"),
    "signature": ("algorithm", "value_b64url"),
}
PARTS = [(name,) for name in ENVELOPE] + [(name, part) for name, parts in OBJECTS.items() for part in parts]


def event() -> dict[str, Any]:
    """A valid signed event as an object."""
    return deepcopy(signed().evidence)


@pytest.mark.parametrize("path", PARTS)
def test_every_field_is_required(path: tuple[str, ...]) -> None:
    """§2.1: the schema's field presence, in the envelope and in each of its objects."""
    assert issues_of(without(event(), path), read_event) == [(path, f"{path[-1]}_required")]


@pytest.mark.parametrize(("name", "noun"), [((), "event"), *(((name,), name) for name in OBJECTS)])
@pytest.mark.parametrize("field", ["unknown", "", "Kind", "kind ", "é"])
def test_an_unknown_field_is_refused(name: tuple[str, ...], noun: str, field: str) -> None:
    """§2.1: closed objects."""
    path = (*name, field)
    assert issues_of(changed(event(), path, None), read_event) == [(path, f"unknown_{noun}_field")]


def test_a_core_has_neither_identifier_nor_signature() -> None:
    """§3: the core is the event with `event_id` and `signature` omitted."""
    assert issues_of(event()) == [(("signature",), "unknown_event_field"), (("event_id",), "unknown_event_field")]
    assert issues_of(core(), read_event) == [
        (("event_id",), "event_id_required"),
        (("signature",), "signature_required"),
    ]


WRONG: dict[tuple[str | int, ...], list[tuple[object, str]]] = {
    ("protocol",): [
        ("agent-correspondence/v0.2", "protocol_unknown"),
        (None, "protocol_unknown"),
        (1, "protocol_unknown"),
    ],
    ("event_id",): [("sha256:" + "A" * 64, "event_id_form"), (None, "string_expected")],
    ("project_id",): [(uuid(1).replace("-", ""), "uuid_form"), (1, "string_expected")],
    ("repository_id",): [("", "opaque_id_length"), ("a b", "opaque_id_character"), (None, "string_expected")],
    ("thread_id",): [("x" * 257, "opaque_id_length"), ("a\u2028", "opaque_id_character"), ([], "string_expected")],
    ("sender",): [(None, "object_expected"), ([], "object_expected"), ("ana", "object_expected")],
    ("sender", "identity_id"): [("ana", "uuid_form"), (None, "string_expected")],
    ("sender", "signing_key_id"): [("key", "uuid_form"), (None, "string_expected")],
    ("sender", "device_id"): [("laptop", "uuid_form"), (None, "string_expected")],
    ("sender", "session_id"): [("run", "uuid_form"), (None, "string_expected")],
    ("kind",): [
        ("intents", "kind_unknown"),
        ("", "kind_unknown"),
        (None, "string_expected"),
        (["intent"], "string_expected"),
    ],
    ("parents",): [(None, "list_expected"), ({}, "list_expected"), (event_id(1), "list_expected")],
    ("parents", 0): [(None, "string_expected"), ("1", "event_id_form"), ([], "string_expected")],
    ("session_seq",): [
        (0, "integer_range"),
        (True, "integer_expected"),
        ("1", "integer_expected"),
        (1.0, "integer_expected"),
    ],
    ("issued_at",): [("now", "timestamp_form"), (1, "string_expected"), (None, "string_expected")],
    ("scope",): [(None, "object_expected"), ([], "object_expected")],
    ("scope", "base_revision"): [("main", "revision_form"), (1, "string_expected")],
    ("scope", "branch"): [("", "branch_length"), ("a\nb", "branch_character"), (False, "string_expected")],
    ("scope", "paths"): [([], "list_length"), (None, "list_expected"), ("docs", "list_expected")],
    ("scope", "paths", 1): [("/a", "path_edge_slash"), (None, "string_expected")],
    ("body",): [(None, "object_expected"), ([], "object_expected"), ("in words", "object_expected")],
    ("authority",): [(None, "object_expected"), ([], "object_expected")],
    ("signature",): [(None, "object_expected"), ("y93m", "object_expected")],
    ("signature", "algorithm"): [
        ("ed25519", "signature_algorithm"),
        ("Ed448", "signature_algorithm"),
        (None, "signature_algorithm"),
    ],
    ("signature", "value_b64url"): [
        ("A" * 85 + "B", "signature_encoding"),
        ("A" * 88, "signature_encoding"),
        (None, "string_expected"),
    ],
}


@pytest.mark.parametrize(
    ("path", "part", "code"), [(path, *wrong) for path, wrongs in WRONG.items() for wrong in wrongs]
)
def test_every_field_has_its_form(path: tuple[str | int, ...], part: object, code: str) -> None:
    """§2.1, §2.2, §3, §4: the schema's vocabulary and bounds."""
    assert (path, code) in issues_of(changed(event(), path, part), read_event)


@pytest.mark.parametrize("part", ["base_revision", "branch"])
def test_an_unknown_state_is_null_and_never_absent(part: str) -> None:
    """§2.2: one unknown state has one canonical shape."""
    known = {"base_revision": "a" * 64, "branch": "main"}[part]
    assert getattr(read_core(changed(core(), ("scope", part), known)).scope, part) == known
    assert getattr(read_core(changed(core(), ("scope", part), None)).scope, part) is None
    assert issues_of(without(core(), ("scope", part))) == [(("scope", part), f"{part}_required")]


@pytest.mark.parametrize(
    ("authority", "path", "code"),
    [
        ({"automatic_action": "always", "grants": []}, "automatic_action", "authority_automatic_action"),
        ({"automatic_action": "Never", "grants": []}, "automatic_action", "authority_automatic_action"),
        ({"automatic_action": True, "grants": []}, "automatic_action", "authority_automatic_action"),
        ({"automatic_action": "never", "grants": ["write"]}, "grants", "authority_grants"),
        ({"automatic_action": "never", "grants": [None]}, "grants", "authority_grants"),
        ({"automatic_action": "never", "grants": {}}, "grants", "authority_grants"),
        ({"automatic_action": "never", "grants": None}, "grants", "authority_grants"),
        ({"automatic_action": "never", "grants": ""}, "grants", "authority_grants"),
        ({"automatic_action": "never", "grants": False}, "grants", "authority_grants"),
        ({"automatic_action": "never", "grants": [], "scope": "all"}, "scope", "unknown_authority_field"),
    ],
)
def test_the_authority_object_is_exact(authority: object, path: str, code: str) -> None:
    """§1: every accepted event contains exactly `{"automatic_action":"never","grants":[]}`."""
    assert issues_of(core(authority=authority)) == [(("authority", path), code)]


def test_the_exact_authority_object_grants_nothing() -> None:
    """§1."""
    assert AUTHORITY == {"automatic_action": "never", "grants": []}
    read_core(core(authority=dict(AUTHORITY)))


def test_parents_are_at_most_16_and_unique() -> None:
    """§4: a unique list of at most 16 event ids."""
    ids = [event_id(number) for number in range(17)]
    assert read_core(core(parents=[])).parents == ()
    assert read_core(core(parents=ids[:16])).parents == tuple(ids[:16])
    assert issues_of(core(parents=ids)) == [(("parents",), "list_length")]
    assert issues_of(core(parents=[*ids[:3], ids[1]])) == [(("parents", 3), "list_not_unique")]


def test_paths_are_1_to_64_and_unique() -> None:
    """§2.2: 1–64 unique prefixes."""
    paths = [f"a/{number}" for number in range(65)]
    assert issues_of(changed(core(), ("scope", "paths"), [])) == [(("scope", "paths"), "list_length")]
    assert read_core(changed(core(), ("scope", "paths"), paths[:64])).scope.paths == paths[:64]
    assert issues_of(changed(core(), ("scope", "paths"), paths)) == [(("scope", "paths"), "list_length")]
    assert issues_of(changed(core(), ("scope", "paths"), ["a", "b", "a"])) == [
        (("scope", "paths", 2), "list_not_unique")
    ]


def test_paths_that_differ_in_normalization_or_case_are_two() -> None:
    """§2, §2.2: compared as supplied; a prefix of another is no repetition either."""
    paths = ["é", "e\u0301", "É", "a", "a/b", "."]
    assert read_core(changed(core(), ("scope", "paths"), paths)).scope.paths == paths


@pytest.mark.parametrize("seq", [1, 2, MAX_SAFE_INTEGER])
def test_session_seq_starts_at_one(seq: int) -> None:
    """§4: from one, with gaps, up to the largest safe integer."""
    assert read_core(core(session_seq=seq)).session_seq == seq


@pytest.mark.parametrize("value", [None, [], "event", 1, True, [core()]])
def test_an_event_is_an_object(value: object) -> None:
    """§2.1."""
    assert issues_of(value) == [((), "object_expected")]
    assert issues_of(value, read_event) == [((), "object_expected")]


def test_every_broken_rule_is_reported_in_the_order_of_the_fields() -> None:
    """Fields first, then unknown ones, then the body; an event of unknown kind has no body to check."""
    value = changed(core("ack.seen", {"x": 1}, issued_at="now", extra=1), ("sender", "device_id"), "")
    assert issues_of(value) == [
        (("sender", "device_id"), "uuid_form"),
        (("issued_at",), "timestamp_form"),
        (("extra",), "unknown_event_field"),
        (("body", "target_event_id"), "target_event_id_required"),
        (("body", "x"), "unknown_body_field"),
    ]
    assert issues_of(core("mystery", {"x": 1})) == [(("kind",), "kind_unknown")]
    assert issues_of(without(core(), ("kind",))) == [(("kind",), "kind_required")]


def test_a_refusal_does_not_repeat_the_refused_value() -> None:
    """Messages name places and rules, not content."""
    secret = "hunter2\x1b[31m"
    value = core("intent", {"summary": 7}, thread_id=f"{secret} ", issued_at=secret, project_id=secret)
    with pytest.raises(EventRefused) as caught:
        read_core(value)
    assert "hunter2" not in "".join(issue.message for issue in caught.value.issues)


# What a body cites stands in parents.

CITING = [kind for kind in KINDS if cited(read_core(core(kind)).body)]


def test_these_kinds_cite() -> None:
    """§5: acknowledgements, claim continuations, conflicts, resume, refusal, repair."""
    assert set(KINDS) - set(CITING) == {
        *("intent", "claim.open", "progress", "observation", "artifact.offer", "pause", "rest", "handoff", "close")
    }


@pytest.mark.parametrize("kind", CITING)
def test_each_cited_event_stands_in_parents(kind: str) -> None:
    """§5: targets and predecessors MUST also appear in `parents`."""
    read = read_core(core(kind))
    for target in read.cited:
        parents = [parent for parent in (event_id(1), event_id(2), event_id(3)) if parent != target]
        assert issues_of(core(kind, parents=parents)) == [(("parents",), "cited_event_not_in_parents")]
    assert read_core(core(kind, parents=[event_id(9), *reversed(read.cited)])).cited == read.cited


def test_a_refusal_of_nothing_in_particular_cites_nothing() -> None:
    """§5: `target_event_id` is optional in a refusal."""
    assert read_core(core("refusal", {}, parents=[])).cited == ()


# The view and the evidence.


@given(cores())
def test_every_valid_core_is_read_and_its_evidence_stays_untouched(value: dict[str, Any]) -> None:
    """§2: the parsed object is what was signed; the view repeats it without changing it."""
    before = deepcopy(value)
    read = read_core(value)
    assert read.evidence is value
    assert value == before
    assert (read.kind, read.thread_id, list(read.parents)) == (value["kind"], value["thread_id"], value["parents"])
    assert read.scope.paths == value["scope"]["paths"]
    assert set(read.cited) <= set(read.parents)


@pytest.mark.parametrize("kind", KINDS)
def test_a_signed_event_of_every_kind_is_read(kind: str) -> None:
    """§2.1, §5: the 21 kinds, with every field of their bodies."""
    read = signed(kind)
    assert isinstance(read, Event)
    assert isinstance(read, Core)
    assert (read.kind, read.event_id) == (kind, read.evidence["event_id"])
    assert read.signature.value_b64url == read.evidence["signature"]["value_b64url"]
    assert read.evidence["body"] == full_bodies()[kind]
    assert read.sender.device_id == uuid(4)


def test_the_envelope_is_that_of_the_normative_schema() -> None:
    """§2.1: the companion JSON Schema is normative for field presence and vocabulary."""
    schema = json.loads(shared("spec", "agent-correspondence-0.1.schema.json").read_text("utf-8"))
    assert set(schema["required"]) == set(ENVELOPE) == set(schema["properties"])
    assert tuple(schema["properties"]["kind"]["enum"]) == KINDS
    objects = {**schema["$defs"], "scope": schema["$defs"]["workScope"]}
    for name, parts in OBJECTS.items():
        assert set(objects[name]["required"]) == set(parts)


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_that_was_admitted_before_is_viewed_again_as_it_was(kind: str) -> None:
    """§3: its identifier proves that it is the same, so the rules are not gone through again."""
    event = signed(kind)
    assert read_event_again(deepcopy(event.evidence)) == event == read_event(deepcopy(event.evidence))
