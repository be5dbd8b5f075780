"""From the options of `send` to a draft: whatever was given goes into the body, and the profile judges it (§5).

An option that its kind has no field for is not dropped: it reaches the closed body and is refused there, by name.
Filled in where nothing was given: a new claim id and generation 1 for claim.open; thread and paths of the first event
cited; claim, generation, predecessor and paths from the claim a renewal or release continues; what a resume resumes
from; base revision and branch as Git here reports them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import msgspec

from corr_tui.cli.failures import Invalid
from corr_tui.protocol.bodies import BODIES, Body
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import Issue, show_path
from corr_tui.protocol.event import Event
from corr_tui.state.git_facts import GitFacts

WHOLE_REPOSITORY = (".",)


@dataclass(frozen=True, slots=True)
class Said:
    """What the command line says of one event; None and empty where it says nothing."""

    kind: str
    thread_id: str | None = None
    paths: tuple[str, ...] = ()
    body: Mapping[str, Any] = field(default_factory=dict)
    """The fields given as they stand, by their name in the body."""
    targets: tuple[str, ...] = ()
    """As typed: an event id, the start of one, or a receipt number."""
    parents: tuple[str, ...] = ()
    predecessor: str | None = None
    base_revision: str | None = None
    branch: str | None = None

    @property
    def continues_claim(self) -> bool:
        """Whether this is the next generation of a claim (§6)."""
        return self.kind in ("claim.renew", "claim.release")


@dataclass(frozen=True, slots=True)
class Cited:
    """An event that was looked up; `event` is None when this service has not stored it."""

    event_id: str
    event: Event | None


@dataclass(frozen=True, slots=True)
class Tip:
    """The claim event that a renewal or release continues; only its id is known when it is not stored here."""

    event_id: str
    claim_id: str | None = None
    generation: int | None = None
    thread_id: str | None = None
    paths: tuple[str, ...] = ()


def draft_of(
    said: Said, targets: tuple[Cited, ...], parents: tuple[Cited, ...], tip: Tip | None, facts: GitFacts
) -> Draft:
    """The draft that was meant; raises Invalid when no thread is known or one target too many is given."""
    known = next((cited.event for cited in targets if cited.event is not None), None)
    thread = said.thread_id or (tip.thread_id if tip else None) or (known.thread_id if known else None)
    if not targets and any(name.startswith("target_event_id") for name in required(BODIES[said.kind])):
        raise Invalid(f"--target: say which event this {said.kind} is about: 12, #12, an id or the start of one")
    if thread is None:
        raise Invalid("--thread: say which thread this belongs to")
    body = {**_filled(said.kind, tip), **_given(said, tip), **_target_fields(said.kind, targets)}
    return Draft(
        kind=said.kind,
        thread_id=thread,
        body=body,
        paths=_paths(said, tip, known),
        base_revision=said.base_revision or facts.head(),
        branch=said.branch or facts.branch(),
        parents=tuple(cited.event_id for cited in parents),
    )


def required(body: type[Body]) -> list[str]:
    """The fields a body must have (§5)."""
    return [field.name for field in msgspec.structs.fields(body) if field.required]


def _paths(said: Said, tip: Tip | None, known: Event | None) -> tuple[str, ...]:
    """The paths of a claim are those of its tip, which what was typed only helped to find (§6)."""
    if tip and tip.paths:
        return tip.paths
    return said.paths or (tuple(known.scope.paths) if known else WHOLE_REPOSITORY)


def _filled(kind: str, tip: Tip | None) -> dict[str, Any]:
    """What a claim's body holds when nothing else was said."""
    if kind == "claim.open":
        return {"claim_id": str(uuid4()), "generation": 1}
    if tip is None:
        return {}
    following = tip.generation + 1 if tip.generation else None
    filled = {"claim_id": tip.claim_id, "generation": following, "predecessor_event_id": tip.event_id}
    return {name: value for name, value in filled.items() if value is not None}


def _given(said: Said, tip: Tip | None) -> dict[str, Any]:
    """The fields given, but for the start of a claim id that only served to find the tip."""
    found = tip is not None and tip.claim_id is not None
    return {name: value for name, value in said.body.items() if name != "claim_id" or not found}


def _target_fields(kind: str, targets: tuple[Cited, ...]) -> dict[str, Any]:
    """The targets under the field their kind has; a kind without one gets the singular, which its body refuses."""
    if not targets:
        return {}
    ids = [cited.event_id for cited in targets]
    if "target_event_ids" in BODIES[kind].__struct_fields__:
        return {"target_event_ids": ids}
    if len(ids) > 1:
        raise Invalid(f"--target: {kind} takes one target")
    return {"target_event_id": ids[0]}


_OPTIONS = {
    "thread_id": "--thread",
    "scope.paths": "--path",
    "scope.base_revision": "--base-revision",
    "scope.branch": "--branch",
    "parents": "--parent",
    "body.summary": "--summary",
    "body.detail": "--detail",
    "body.target_event_id": "--target",
    "body.target_event_ids": "--target",
    "body.claim_id": "--claim",
    "body.generation": "--generation",
    "body.predecessor_event_id": "--predecessor",
    "body.expires_at": "--expires-in or --expires-at",
    "body.result_revision": "--revision",
    "body.artifact": "--artifact-commit, --artifact-patch or --artifact-digest",
    "body.artifact.locator": "--locator",
    "body.until": "--until",
    "body.next_safe_action": "--next-safe-action",
    "body.handoff_id": "--handoff-id",
}


def refusal_of(kind: str, issues: tuple[Issue, ...]) -> str:
    """Every rule a draft breaks, each with its field and the option that sets it."""
    lines = [f"{kind} breaks {'a rule' if len(issues) == 1 else f'{len(issues)} rules'} of the profile:"]
    if not any(issue.path for issue in issues):
        lines = [f"{kind} cannot be made:"]
    for issue in issues:
        names = [part for part in issue.path if isinstance(part, str)]
        option = next((_OPTIONS[".".join(names[:end])] for end in (3, 2, 1) if ".".join(names[:end]) in _OPTIONS), "")
        where = f"{show_path(issue.path)}: " if issue.path else ""
        lines.append(f"  {where}{issue.message} ({issue.code}){f'  {option}' if option else ''}")
    return "\n".join(lines)
