"""From what somebody means to say to the core that is signed (§4, §5).

A Draft is a kind, a place and a body, with no identity, clock or sequence in it. `compose` adds those, and puts every
cited event into `parents`. It draws nothing from a clock or a random source: whoever composes passes them in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from corr_tui.protocol.bodies import BODIES, cited
from corr_tui.protocol.errors import EventRefused, Issue
from corr_tui.protocol.event import AUTHORITY, PROTOCOL, Core, Sender, read_core
from corr_tui.protocol.shape import shape_of

MAX_PARENTS = 16


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody means to say, before anyone has signed it."""

    kind: str
    thread_id: str
    body: Mapping[str, Any]
    paths: tuple[str, ...] = (".",)
    base_revision: str | None = None
    branch: str | None = None
    parents: tuple[str, ...] = ()
    """Events the sender observed and depends on besides those the body cites."""


def compose(
    draft: Draft, *, project_id: str, repository_id: str, sender: Sender, session_seq: int, issued_at: str
) -> Core:
    """The core of a draft, ready to sign; raises EventRefused with every rule the draft breaks (§2.1, §5)."""
    value = {
        "protocol": PROTOCOL,
        "project_id": project_id,
        "repository_id": repository_id,
        "thread_id": draft.thread_id,
        "sender": {name: getattr(sender, name) for name in Sender.__struct_fields__},
        "kind": draft.kind,
        "parents": list(parents_of(draft)),
        "session_seq": session_seq,
        "issued_at": issued_at,
        "scope": {"base_revision": draft.base_revision, "branch": draft.branch, "paths": list(draft.paths)},
        "body": dict(draft.body),
        "authority": {name: part if isinstance(part, str) else [] for name, part in AUTHORITY.items()},
    }
    return read_core(value)


def parents_of(draft: Draft) -> tuple[str, ...]:
    """The cited events first, then the draft's own parents, each once; raises EventRefused for a broken body (§4)."""
    record = BODIES.get(draft.kind)
    if record is None:
        raise EventRefused((Issue(("kind",), "kind_unknown", f"must be one of {', '.join(BODIES)}"),))
    issues: list[Issue] = []
    shape_of(record)(dict(draft.body), ("body",), issues)
    if issues:
        raise EventRefused(tuple(issues))
    return tuple(dict.fromkeys((*cited(msgspec.convert(dict(draft.body), record)), *draft.parents)))
