"""The 21 closed bodies and the three artifacts: every field, missing, unknown, of another type, at its bounds (§5)."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from corr_tui.protocol.bodies import (
    ACK_KINDS,
    BODIES,
    CLAIM_KINDS,
    KINDS,
    ArtifactOffer,
    Availability,
    ContentDigest,
    GitCommit,
    GitPatch,
)
from corr_tui.protocol.event import read_core
from corr_tui.protocol.shape import UNSET
from corr_tui.protocol.strict_json import MAX_SAFE_INTEGER
from tests.protocol.examples import (
    LATER,
    REVISION,
    changed,
    core,
    event_id,
    full_bodies,
    issues_of,
    shared,
    without,
)

OPTIONAL: dict[str, set[str]] = {
    "claim.release": {"detail"},
    "artifact.offer": {"summary"},
    "ack.seen": {"detail"},
    "ack.understood": {"detail"},
    "ack.accepted": {"detail"},
    "ack.applied": {"detail"},
    "ack.rejected": {"detail"},
    "conflict.raise": {"summary"},
    "conflict.resolve": {"result_revision"},
    "pause": {"until", "detail"},
    "rest": {"until", "detail"},
    "resume": {"detail"},
    "refusal": {"target_event_id", "detail"},
    "handoff": {"handoff_id"},
    "close": {"summary"},
    "repair": {"result_revision"},
}
"""The column "optional body" of the table in §5."""

IDS = [event_id(number) for number in range(1, 18)]
DIGEST = "sha256:" + "c" * 64

TEXT: list[tuple[object, str]] = [
    ("", "text_length"),
    ("𝄞" * 1001, "text_length"),
    (None, "string_expected"),
    (1, "string_expected"),
]
EVENT_ID: list[tuple[object, str]] = [("1", "event_id_form"), (None, "string_expected"), ([], "string_expected")]
UUID: list[tuple[object, str]] = [("1", "uuid_form"), (None, "string_expected"), (1, "string_expected")]
INSTANT: list[tuple[object, str]] = [
    ("2026-07-19T12:00:00Z", "timestamp_requires_milliseconds"),
    ("0000-01-01T00:00:00.000Z", "timestamp_year_zero_not_admitted"),
    ("2023-02-29T00:00:00.000Z", "timestamp_not_an_instant"),
    (1, "string_expected"),
]
GENERATION: list[tuple[object, str]] = [
    (1, "integer_range"),
    (0, "integer_range"),
    (MAX_SAFE_INTEGER + 1, "integer_range"),
    (True, "integer_expected"),
    (2.0, "integer_expected"),
    ("2", "integer_expected"),
    (None, "integer_expected"),
]
WRONG: dict[str, list[tuple[object, str]]] = {
    "summary": TEXT,
    "detail": TEXT,
    "next_safe_action": TEXT,
    "claim_id": UUID,
    "handoff_id": UUID,
    "generation": GENERATION,
    "predecessor_event_id": EVENT_ID,
    "target_event_id": EVENT_ID,
    "target_event_ids": [
        ([], "list_length"),
        (IDS, "list_length"),
        (event_id(1), "list_expected"),
        ({}, "list_expected"),
        (None, "list_expected"),
    ],
    "result_revision": [("HEAD", "revision_form"), (None, "string_expected")],
    "expires_at": [*INSTANT, (None, "string_expected")],
    "until": INSTANT,
    "artifact": [(None, "object_expected"), ([], "object_expected"), (REVISION, "object_expected")],
}
ONE: list[tuple[object, str]] = [
    (0, "open_generation_must_be_one"),
    (2, "open_generation_must_be_one"),
    (True, "integer_expected"),
    (1.0, "integer_expected"),
]
HANDOFF: list[tuple[object, str]] = [("", "text_length"), ("𝄞" * 2001, "text_length"), (None, "string_expected")]


def wrongs(kind: str, field: str) -> list[tuple[object, str]]:
    """What the field of a kind refuses, and why."""
    special = {("claim.open", "generation"): ONE, ("handoff", "summary"): HANDOFF}
    return special.get((kind, field), WRONG[field])


FIELDS = [(kind, field) for kind, body in full_bodies().items() for field in body]


def test_there_are_21_kinds() -> None:
    """§5: the table, each kind once."""
    assert len(KINDS) == len(set(KINDS)) == 21
    assert set(KINDS) == set(full_bodies()) == set(BODIES)
    assert {kind for kind in KINDS if kind.startswith("claim.")} == CLAIM_KINDS
    assert {kind for kind in KINDS if kind.startswith("ack.")} == set(ACK_KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_with_every_field_and_one_with_the_required_fields(kind: str) -> None:
    """§5: the required and the optional body of each kind."""
    full = full_bodies()[kind]
    bare = {name: part for name, part in full.items() if name not in OPTIONAL.get(kind, set())}
    assert isinstance(read_core(core(kind, full)).body, BODIES[kind])
    read = read_core(core(kind, bare))
    assert read.evidence["body"] == bare
    assert all(getattr(read.body, name) is UNSET for name in OPTIONAL.get(kind, set()))


@pytest.mark.parametrize(("kind", "field"), FIELDS)
def test_a_field_is_required_unless_the_table_says_optional(kind: str, field: str) -> None:
    """§5."""
    value = core(kind, without(full_bodies()[kind], (field,)))
    if field in OPTIONAL.get(kind, set()):
        read_core(value)
    else:
        assert issues_of(value) == [(("body", field), f"{field}_required")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("field", ["unknown", "reason", "reason_required", "Summary", ""])
def test_an_unknown_field_is_refused(kind: str, field: str) -> None:
    """§5: every body is a closed object; none of them asks a reason (§9)."""
    value = core(kind, {**full_bodies()[kind], field: None})
    assert issues_of(value) == [(("body", field), "unknown_body_field")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_of_another_kind_is_unknown(kind: str) -> None:
    """§5: closed, kind by kind."""
    every = {name: part for body in full_bodies().values() for name, part in body.items()}
    for name in every.keys() - full_bodies()[kind].keys():
        value = core(kind, {**full_bodies()[kind], name: every[name]})
        assert issues_of(value) == [(("body", name), "unknown_body_field")]


@pytest.mark.parametrize(
    ("kind", "field", "part", "code"),
    [(kind, field, *wrong) for kind, field in FIELDS for wrong in wrongs(kind, field)],
)
def test_every_field_has_its_form(kind: str, field: str, part: object, code: str) -> None:
    """§5: bounds, types, forms; booleans are no integers, null is not absence."""
    value = core(kind, {**full_bodies()[kind], field: part})
    assert issues_of(value) == [(("body", field), code)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", [None, [], "", 1, True])
def test_a_body_is_an_object(kind: str, body: object) -> None:
    """§2.1."""
    assert issues_of(changed(core(kind), ("body",), body)) == [(("body",), "object_expected")]


@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind, field in FIELDS if WRONG[field] is TEXT])
@pytest.mark.parametrize("character", ["a", "𝄞"])
def test_texts_count_scalar_values_up_to_their_bound(kind: str, field: str, character: str) -> None:
    """§5: 1000 scalar values, a handoff summary 2000."""
    most = 2000 if (kind, field) == ("handoff", "summary") else 1000
    read_core(core(kind, {**full_bodies()[kind], field: character}))
    read_core(core(kind, {**full_bodies()[kind], field: character * most}))
    value = core(kind, {**full_bodies()[kind], field: character * (most + 1)})
    assert issues_of(value) == [(("body", field), "text_length")]


@pytest.mark.parametrize(("kind", "least"), [("conflict.raise", 2), ("conflict.resolve", 1), ("repair", 1)])
def test_targets_are_bounded_and_unique(kind: str, least: int) -> None:
    """§5: 2–16 events for a raised conflict, 1–16 for a correction."""

    def value(targets: list[Any]) -> dict[str, Any]:
        return core(kind, {**full_bodies()[kind], "target_event_ids": targets}, parents=IDS[:16])

    read_core(value(IDS[:least]))
    read_core(value(IDS[:16]))
    assert issues_of(value(IDS[: least - 1])) == [(("body", "target_event_ids"), "list_length")]
    assert issues_of(value(IDS[:17])) == [(("body", "target_event_ids"), "list_length")]
    assert issues_of(value([IDS[0], IDS[1], IDS[0]])) == [(("body", "target_event_ids", 2), "list_not_unique")]
    assert issues_of(value([IDS[0], "1"])) == [(("body", "target_event_ids", 1), "event_id_form")]
    assert issues_of(value([IDS[0], [], []]))[:2] == [
        (("body", "target_event_ids", 1), "string_expected"),
        (("body", "target_event_ids", 2), "string_expected"),
    ]


@pytest.mark.parametrize("kind", ["claim.renew", "claim.release"])
def test_a_later_generation_starts_at_two(kind: str) -> None:
    """§5: `generation >= 2`."""
    for generation in (2, 3, MAX_SAFE_INTEGER):
        read_core(core(kind, {**full_bodies()[kind], "generation": generation}))


@pytest.mark.parametrize("kind", ["pause", "rest"])
def test_until_may_be_absent_null_or_an_instant_and_these_stay_apart(kind: str) -> None:
    """§5: the schema admits null, and absence is another signed object."""
    for body, until in (({}, UNSET), ({"until": None}, None), ({"until": LATER}, LATER)):
        read = read_core(core(kind, body))
        assert isinstance(read.body, Availability)
        assert read.body.until == until
        assert read.evidence["body"] == body


@pytest.mark.parametrize("kind", ["pause", "rest", "refusal", "ack.rejected", "close"])
def test_no_reason_is_required(kind: str) -> None:
    """§9: pause, rest, refusal, ack.rejected and close ask none."""
    body = {"target_event_id": event_id(1)} if kind == "ack.rejected" else {}
    read_core(core(kind, body))


# Artifacts.

ARTIFACTS: list[tuple[dict[str, Any], object]] = [
    ({"kind": "git_commit", "revision": REVISION}, GitCommit(revision=REVISION)),
    ({"kind": "git_commit", "revision": "b" * 64}, GitCommit(revision="b" * 64)),
    ({"kind": "git_patch", "digest": DIGEST}, GitPatch(digest=DIGEST)),
    ({"kind": "git_patch", "digest": DIGEST, "locator": "http:"}, GitPatch(digest=DIGEST, locator="http:")),
    ({"kind": "content_digest", "digest": DIGEST}, ContentDigest(digest=DIGEST)),
    ({"kind": "content_digest", "digest": DIGEST, "locator": "urn:x"}, ContentDigest(digest=DIGEST, locator="urn:x")),
]


def offer(artifact: object) -> dict[str, Any]:
    """An offer of an artifact."""
    return core("artifact.offer", {"artifact": artifact})


@pytest.mark.parametrize(("artifact", "view"), ARTIFACTS)
def test_an_artifact_is_exactly_one_of_three(artifact: dict[str, Any], view: object) -> None:
    """§5: a commit, a patch, or content by its digest."""
    read = read_core(offer(artifact)).body
    assert isinstance(read, ArtifactOffer)
    assert read.artifact == view
    assert read.artifact.kind == artifact["kind"]


@pytest.mark.parametrize(
    ("artifact", "field", "code"),
    [
        ({}, "kind", "artifact_kind_unknown"),
        ({"revision": REVISION}, "kind", "artifact_kind_unknown"),
        ({"kind": None, "revision": REVISION}, "kind", "artifact_kind_unknown"),
        ({"kind": ["git_commit"], "revision": REVISION}, "kind", "artifact_kind_unknown"),
        ({"kind": "git_tag", "revision": REVISION}, "kind", "artifact_kind_unknown"),
        ({"kind": "git_commit"}, "revision", "revision_required"),
        ({"kind": "git_commit", "revision": "b"}, "revision", "revision_form"),
        ({"kind": "git_commit", "revision": None}, "revision", "string_expected"),
        ({"kind": "git_commit", "revision": REVISION, "locator": "http:"}, "locator", "unknown_artifact_field"),
        ({"kind": "git_commit", "revision": REVISION, "digest": DIGEST}, "digest", "unknown_artifact_field"),
        ({"kind": "git_patch"}, "digest", "digest_required"),
        ({"kind": "git_patch", "digest": "c" * 64}, "digest", "digest_form"),
        ({"kind": "git_patch", "digest": DIGEST, "locator": None}, "locator", "string_expected"),
        ({"kind": "git_patch", "digest": DIGEST, "locator": ""}, "locator", "locator_length"),
        ({"kind": "git_patch", "digest": DIGEST, "locator": "a/b.diff"}, "locator", "locator_scheme"),
        ({"kind": "git_patch", "digest": DIGEST, "revision": REVISION}, "revision", "unknown_artifact_field"),
        ({"kind": "content_digest"}, "digest", "digest_required"),
        ({"kind": "content_digest", "digest": 1}, "digest", "string_expected"),
        ({"kind": "content_digest", "digest": DIGEST, "locator": "x: y"}, "locator", "locator_character"),
        ({"kind": "content_digest", "digest": DIGEST, "size": 1}, "size", "unknown_artifact_field"),
    ],
)
def test_other_artifacts_are_refused(artifact: dict[str, Any], field: str, code: str) -> None:
    """§5: each artifact is closed."""
    assert issues_of(offer(artifact)) == [(("body", "artifact", field), code)]


# The normative schema says the same.


def test_required_and_optional_fields_are_those_of_the_normative_schema() -> None:
    """§2.1: the schema is normative for field presence, body by body."""
    schema = json.loads(shared("spec", "agent-correspondence-0.1.schema.json").read_text("utf-8"))
    for rule in schema["allOf"]:
        kind = rule["if"]["properties"]["kind"]
        name = rule["then"]["properties"]["body"]["$ref"].removeprefix("#/$defs/")
        for each in [kind["const"]] if "const" in kind else kind["enum"]:
            fields = msgspec.structs.fields(BODIES[each])
            assert {field.name for field in fields} == set(schema["$defs"][name]["properties"])
            assert {field.name for field in fields if field.required} == set(schema["$defs"][name].get("required", []))
