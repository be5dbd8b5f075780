"""Random values of the profile: JSON, scalars, and valid cores of every kind."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.strict_json import MAX_SAFE_INTEGER
from tests.protocol.examples import core, full_bodies

SCALARS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = st.text(SCALARS, max_size=12)
INTEGERS = st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
LEAVES = st.none() | st.booleans() | INTEGERS | TEXTS
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5), max_leaves=25
)

UUIDS = st.uuids().map(str)
EVENT_IDS = st.integers(0, 2**256 - 1).map(lambda number: f"sha256:{number:064x}")
REVISIONS = st.integers(0, 2**160 - 1).map(lambda number: f"{number:040x}")
INSTANTS = st.datetimes(min_value=datetime(1, 1, 1)).map(lambda moment: f"{moment.isoformat(timespec='milliseconds')}Z")
OPAQUE_IDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="\ufeff"),
    min_size=1,
    max_size=20,
)
LOOKALIKES = st.sampled_from(
    [
        '"signature":{"algorithm":"Ed25519","value_b64url":"',
        '\\"signature\\":{',
        '"},"signature":{"algorithm":"Ed25519"},"thread_id":"',
        "\\",
        '\\\\"',
    ]
)
SUMMARIES = st.lists(st.text(SCALARS, max_size=10) | LOOKALIKES, min_size=1, max_size=4).map("".join).filter(bool)
SEGMENTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\*?[]{}!"), min_size=1, max_size=6
).filter(lambda segment: segment not in (".", ".."))
PREFIXES = st.just(".") | st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)
SHORT_SEGMENTS = st.sampled_from(["a", "b", "ab", "a-b"])
NEAR_PREFIXES = st.just(".") | st.lists(SHORT_SEGMENTS, min_size=1, max_size=3).map("/".join)
"""Prefixes over few letters, so that many overlap."""

FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "summary": SUMMARIES,
    "detail": SUMMARIES,
    "next_safe_action": SUMMARIES,
    "claim_id": UUIDS,
    "handoff_id": UUIDS,
    "expires_at": INSTANTS,
    "until": INSTANTS | st.none(),
    "target_event_id": EVENT_IDS,
    "predecessor_event_id": EVENT_IDS,
    "target_event_ids": st.lists(EVENT_IDS, min_size=2, max_size=5, unique=True),
    "result_revision": REVISIONS,
    "artifact": st.fixed_dictionaries({"kind": st.just("git_commit"), "revision": REVISIONS}),
}


@st.composite
def cores(draw: st.DrawFn) -> dict[str, Any]:
    """A valid core of any kind, with every field of its body."""
    kind = draw(st.sampled_from(KINDS))
    body = full_bodies()[kind]
    body = {name: draw(FIELDS[name]) if name in FIELDS else part for name, part in body.items()}
    if body.get("generation", 1) > 1:
        body["generation"] = draw(st.integers(2, MAX_SAFE_INTEGER))
    cited = body.get("target_event_ids", [body[name] for name in body if name.endswith("event_id")])
    scope = {
        "base_revision": draw(st.none() | REVISIONS),
        "branch": draw(st.none() | SEGMENTS),
        "paths": draw(st.lists(PREFIXES, min_size=1, max_size=4, unique=True)),
    }
    return core(
        kind,
        body,
        parents=list(dict.fromkeys([*cited, *draw(st.lists(EVENT_IDS, max_size=3))])),
        repository_id=draw(OPAQUE_IDS),
        thread_id=draw(OPAQUE_IDS),
        session_seq=draw(st.integers(1, MAX_SAFE_INTEGER)),
        issued_at=draw(INSTANTS),
        scope=scope,
    )
