"""The locked values: the project's own vectors, and those of the specification where they lie beside the checkout."""

from __future__ import annotations

from base64 import urlsafe_b64decode
from typing import Any

import pytest

from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.errors import EventRefused, JsonPath, JsonRefused
from corr_tui.protocol.event import Scope, read_core
from corr_tui.protocol.lineage import ClaimEvent, Lineage, lineage_of
from corr_tui.protocol.scalars import Check, Refusal, check_locator, check_opaque_id, check_path_prefix
from corr_tui.protocol.signing import (
    SIGNING_DOMAIN,
    core_bytes,
    event_jcs,
    jcs,
    public_key_of,
    sign,
    signing_digest,
    verify,
)
from corr_tui.protocol.strict_json import decode
from tests.protocol.examples import core, own_vectors, spec_vectors

A, B = (f"sha256:{digit * 64}" for digit in "ab")


# Each check takes one vector, and is run over both collections.


def check_signing(vector: dict[str, Any], seed: bytes) -> None:
    """§3: every step of the signing vector."""
    public_key = urlsafe_b64decode(vector["public_key_b64url"] + "=")
    assert public_key_of(seed) == public_key
    assert core_bytes(read_core(vector["core"]).evidence).decode() == jcs(vector["core"]).decode() == vector["core_jcs"]
    assert signing_digest(vector["core_jcs"].encode()).hex() == vector["signing_digest_hex"]
    event = sign(vector["core"], seed)
    assert event.signature.value_b64url == vector["signature_b64url"]
    assert event.event_id == vector["event_id"]
    verify(event, public_key)


def check_canonicalization(vector: dict[str, Any]) -> None:
    """§3: RFC 8785 bytes."""
    assert jcs(vector["value"]).decode() == vector["jcs"]
    assert decode(vector["jcs"].encode()) == vector["value"]


def check_body(vector: dict[str, Any]) -> None:
    """§5: an admitted body."""
    read = read_core(core(vector["kind"], vector["body"], parents=[A, B]))
    assert read.evidence["body"] == vector["body"]


def check_invalid_body(vector: dict[str, Any]) -> JsonPath:
    """§5: a refused body, its reason; returns its path."""
    with pytest.raises(EventRefused) as caught:
        read_core(core(vector["kind"], vector["body"], parents=[A, B]))
    assert caught.value.reason == vector["reason"]
    return caught.value.path


def check_rejection(vector: dict[str, Any]) -> JsonPath:
    """§2: refused bytes, their reason; returns the path."""
    with pytest.raises(JsonRefused) as caught:
        decode(vector["json"].encode())
    assert caught.value.reason == vector["reason"]
    return caught.value.path


def admits(check: Check, value: object) -> bool:
    """Whether a check admits a value."""
    try:
        check(value)
    except Refusal:
        return False
    return True


def node_event(node: dict[str, Any]) -> ClaimEvent:
    """One node of a lineage vector, by its symbol, in one project and under one identity."""
    expiries = {"future": "2030-01-01T00:00:00.000Z", "past": "2020-01-01T00:00:00.000Z", None: None}
    return ClaimEvent(
        event_id=node["symbol"],
        project_id="project",
        repository_id="repository",
        thread_id="thread",
        identity_id="identity",
        device_id="device",
        session_id="session",
        claim_id="claim",
        generation=node["generation"],
        predecessor_event_id=node["predecessor"],
        expires_at=expiries[node["expires"]],
        scope=Scope(base_revision=None, branch=None, paths=node["paths"]),
    )


def active(known: Lineage) -> list[str]:
    """The live tips by id at an instant between past and future."""
    return sorted(tip.event_id for tip in known.active("2026-01-01T00:00:00.000Z"))


def check_lineage(vector: dict[str, Any]) -> None:
    """§6: statuses, active tips and all tips, after each arrival where the vector says so."""
    nodes = {node["symbol"]: node_event(node) for node in vector["nodes"]}
    known = lineage_of({})
    for count, symbol in enumerate(vector["arrival"], 1):
        known = lineage_of({arrived: nodes[arrived] for arrived in vector["arrival"][:count]})
        if "active_after_each_arrival" in vector:
            assert active(known) == sorted(vector["active_after_each_arrival"][count - 1])
        if "lineage_status_after_each_arrival" in vector:
            # The vector follows one event: the one that arrives first.
            status = known.status(vector["arrival"][0])
            assert status == vector["lineage_status_after_each_arrival"][count - 1], symbol
    tips = sorted(tip.event_id for found in known.tips.values() for tip in found)
    if "active_tips" in vector:
        assert active(known) == sorted(vector["active_tips"])
    if "all_tips" in vector:
        assert tips == sorted(vector["all_tips"])
    for symbol in vector.get("conflicted_tips", []):
        assert sorted([symbol, *known.competing(nodes[symbol])]) == sorted(vector["conflicted_tips"])


def by_name(vector: dict[str, Any]) -> str:
    """What a vector says, as the name of its test."""
    return str(vector["says"])


# The project's own.


def test_the_signing_vector() -> None:
    """§3: locked digest, signature and identifier."""
    vector = own_vectors("signing")
    check_signing(vector, bytes.fromhex(vector["seed_hex"]))


def test_the_signing_domain() -> None:
    """§3, step 3: the profile's name and a zero byte."""
    assert SIGNING_DOMAIN == b"agent-correspondence/v0.1\x00"


@pytest.mark.parametrize("vector", own_vectors("canonicalization"), ids=by_name)
def test_canonicalization(vector: dict[str, Any]) -> None:
    """§3."""
    check_canonicalization(vector)


@pytest.mark.parametrize("vector", own_vectors("rejections"), ids=by_name)
def test_rejections_have_their_reason_and_path(vector: dict[str, Any]) -> None:
    """§2."""
    assert check_rejection(vector) == tuple(vector["path"])


@pytest.mark.parametrize("vector", own_vectors("bodies"), ids=lambda vector: vector["kind"])
def test_bodies(vector: dict[str, Any]) -> None:
    """§5: one body of each kind."""
    check_body(vector)


def test_every_kind_has_a_body() -> None:
    """§5."""
    assert tuple(vector["kind"] for vector in own_vectors("bodies")) == KINDS


@pytest.mark.parametrize("vector", own_vectors("invalid_bodies"), ids=lambda vector: vector["reason"])
def test_invalid_bodies_have_their_reason_and_path(vector: dict[str, Any]) -> None:
    """§5."""
    assert check_invalid_body(vector) == tuple(vector["path"])


@pytest.mark.parametrize("vector", own_vectors("opaque_ids"), ids=lambda vector: ascii(vector["value"]))
def test_opaque_ids(vector: dict[str, Any]) -> None:
    """§2.1."""
    assert admits(check_opaque_id, vector["value"]) is vector["valid"]


@pytest.mark.parametrize("vector", own_vectors("locators"), ids=lambda vector: ascii(vector["value"]))
def test_locators(vector: dict[str, Any]) -> None:
    """§5."""
    assert admits(check_locator, vector["value"]) is vector["valid"]


@pytest.mark.parametrize("vector", own_vectors("path_prefixes"), ids=lambda vector: ascii(vector["path"]))
def test_path_prefixes(vector: dict[str, Any]) -> None:
    """§2.2."""
    assert admits(check_path_prefix, vector["path"]) is vector["valid"]


@pytest.mark.parametrize("vector", own_vectors("lineage"), ids=by_name)
def test_lineage(vector: dict[str, Any]) -> None:
    """§6."""
    check_lineage(vector)


# The specification's.


def test_the_published_vectors() -> None:
    """§2–§6: everything the specification publishes, with its reasons."""
    vectors = spec_vectors()
    signing = vectors["signing_vector"]
    check_signing(signing, bytes.fromhex(signing["private_seed_hex"]))
    for vector in vectors["canonicalization_vectors"]:
        check_canonicalization(vector)
    for vector in vectors["rejection_vectors"]:
        check_rejection(vector)
    for vector in vectors["body_matrix"]:
        check_body(vector)
    for vector in vectors["invalid_body_vectors"]:
        check_invalid_body(vector)
    for vector in vectors["opaque_id_vectors"]:
        assert admits(check_opaque_id, vector["value"]) is vector["valid"], vector
    for vector in vectors["locator_vectors"]:
        assert admits(check_locator, vector["value"]) is vector["valid"], vector
    for vector in vectors["path_vectors"]:
        assert admits(check_path_prefix, vector["path"]) is vector["valid"], vector
    for vector in vectors["lineage_vectors"]:
        check_lineage(vector)


def test_the_own_vectors_lock_the_published_values() -> None:
    """Nothing published is missing here, and no locked value differs."""
    vectors = spec_vectors()
    own = own_vectors("signing")
    for name in ("public_key_b64url", "core", "core_jcs", "signing_digest_hex", "signature_b64url", "event_id"):
        assert own[name] == vectors["signing_vector"][name]
    for name, published in (
        ("canonicalization", "canonicalization_vectors"),
        ("rejections", "rejection_vectors"),
        ("lineage", "lineage_vectors"),
    ):
        assert {vector["name"] for vector in vectors[published]} <= {vector["says"] for vector in own_vectors(name)}
    for name, published in (
        ("opaque_ids", "opaque_id_vectors"),
        ("locators", "locator_vectors"),
        ("path_prefixes", "path_vectors"),
    ):
        assert all(vector in own_vectors(name) for vector in vectors[published])


def test_the_published_bounds_are_the_ones_kept() -> None:
    """§2.1, §2.2, §4, §5: lengths and counts."""
    bounds = spec_vectors()["bounds"]
    assert bounds["repository_id_scalar_values_max"] == bounds["thread_id_scalar_values_max"] == 256
    assert admits(check_opaque_id, "x" * 256)
    assert not admits(check_opaque_id, "x" * 257)
    assert admits(check_path_prefix, "x" * bounds["path_scalar_values_max"])
    assert not admits(check_path_prefix, "x" * (bounds["path_scalar_values_max"] + 1))
    general, handoff = bounds["general_text_scalar_values_max"], bounds["handoff_summary_scalar_values_max"]
    read_core(core("handoff", {"summary": "x" * handoff, "next_safe_action": "x" * general}))
    ids = [f"sha256:{number:064x}" for number in range(bounds["parents_max"])]
    assert bounds["target_event_ids_max"] == len(ids)
    read_core(core("repair", {"target_event_ids": ids, "summary": "x"}, parents=ids))
    paths = [f"p/{number}" for number in range(bounds["scope_paths_max"])]
    read_core(core(scope={"base_revision": None, "branch": None, "paths": paths}))


def test_event_jcs_is_for_the_signing_vector_what_rfc8785_writes() -> None:
    """§3: the quick way gives the locked bytes too."""
    vector = own_vectors("signing")
    assert event_jcs(vector["core"]).decode() == vector["core_jcs"]
