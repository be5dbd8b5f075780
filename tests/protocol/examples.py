"""Example values: one valid core, a full and a bare body of each kind, and identifiers that count.

Every function returns a fresh value, so that a test may change it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from corr_tui.protocol.errors import EventRefused
from corr_tui.protocol.event import Event, read_core
from corr_tui.protocol.signing import sign

ROOT = Path(__file__).parents[2]
SEED = bytes(range(32))
NOW = "2026-07-19T10:00:00.000Z"
LATER = "2026-07-19T12:00:00.000Z"
REVISION = "b" * 40

Issues = list[tuple[tuple[str | int, ...], str]]


def event_id(number: int) -> str:
    """An event id that says its number."""
    return f"sha256:{number:064x}"


def uuid(number: int) -> str:
    """A UUID that says its number."""
    return f"00000000-0000-4000-8000-{number:012x}"


def full_bodies() -> dict[str, dict[str, Any]]:
    """A body with every field for each of the 21 kinds."""
    target = {"target_event_id": event_id(1), "detail": "in words"}
    pause = {"until": LATER, "detail": "in words"}
    claim = {"claim_id": uuid(6), "generation": 2, "predecessor_event_id": event_id(1)}
    correction = {"target_event_ids": [event_id(1)], "summary": "in words", "result_revision": REVISION}
    bodies: dict[str, dict[str, Any]] = {
        "intent": {"summary": "in words"},
        "claim.open": {"claim_id": uuid(6), "generation": 1, "expires_at": LATER},
        "claim.renew": {**claim, "expires_at": LATER},
        "claim.release": {**claim, "detail": "in words"},
        "progress": {"summary": "in words"},
        "observation": {"summary": "in words"},
        "artifact.offer": {"artifact": {"kind": "git_commit", "revision": REVISION}, "summary": "in words"},
        "ack.seen": target,
        "ack.understood": target,
        "ack.accepted": target,
        "ack.applied": {**target, "result_revision": REVISION},
        "ack.rejected": target,
        "conflict.raise": {"target_event_ids": [event_id(1), event_id(2)], "summary": "in words"},
        "conflict.resolve": correction,
        "pause": pause,
        "rest": pause,
        "resume": target,
        "refusal": target,
        "handoff": {"summary": "in words", "next_safe_action": "in words", "handoff_id": uuid(7)},
        "close": {"summary": "in words"},
        "repair": correction,
    }
    return deepcopy(bodies)


def core(kind: str = "intent", body: Any = None, **changes: Any) -> dict[str, Any]:
    """A valid core of a kind; its parents are everything that the full bodies cite."""
    return {
        "protocol": "agent-correspondence/v0.1",
        "project_id": uuid(1),
        "repository_id": "repo:example/widgets",
        "thread_id": "task:42",
        "sender": {
            "identity_id": uuid(2),
            "signing_key_id": uuid(3),
            "device_id": uuid(4),
            "session_id": uuid(5),
        },
        "kind": kind,
        "parents": [event_id(1), event_id(2)],
        "session_seq": 1,
        "issued_at": NOW,
        "scope": {"base_revision": None, "branch": None, "paths": ["docs", "src/api"]},
        "body": full_bodies().get(kind, {}) if body is None else body,
        "authority": {"automatic_action": "never", "grants": []},
        **changes,
    }


def signed(kind: str = "intent", body: Any = None, **changes: Any) -> Event:
    """A signed event of a kind."""
    return sign(core(kind, body, **changes), SEED)


def changed(value: Any, path: tuple[str | int, ...], part: Any) -> Any:
    """A copy of a value with the part at a path replaced, or added."""
    if not path:
        return part
    copy = deepcopy(value)
    here = copy
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = part
    return copy


def without(value: Any, path: tuple[str | int, ...]) -> Any:
    """A copy of a value without the part at a path."""
    copy = deepcopy(value)
    here = copy
    for step in path[:-1]:
        here = here[step]
    del here[path[-1]]
    return copy


def issues_of(value: object, read: Callable[[object], object] = read_core) -> Issues:
    """Where and for which reason a value is refused; fails when it is not."""
    with pytest.raises(EventRefused) as caught:
        read(value)
    return [(issue.path, issue.code) for issue in caught.value.issues]


def own_vectors(name: str) -> Any:
    """The project's own vectors of one name."""
    return json.loads((ROOT / "tests" / "vectors" / f"{name}.json").read_text("utf-8"))


def shared(*parts: str) -> Path:
    """A path beside the checkout, where the specification and the recorded exchanges lie; skips where they do not."""
    path = ROOT.parent.joinpath("shared", *parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not beside this checkout")
    return path


def spec_vectors() -> dict[str, Any]:
    """The vectors that the specification publishes; skips where they are not beside the checkout."""
    vectors: dict[str, Any] = json.loads(shared("spec", "agent-correspondence-0.1-vectors.json").read_text("utf-8"))
    return vectors
