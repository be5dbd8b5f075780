"""The 21 closed bodies, the three artifacts, and what each cites (§5).

Every body is a closed record; a kind chooses its record in BODIES. `cited` lists the event ids a body depends on, all
of which must stand in the parents of its event.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from corr_tui.protocol.scalars import (
    Digest,
    EventId,
    GenerationOne,
    HandoffText,
    LaterGeneration,
    Locator,
    Revision,
    Text,
    Timestamp,
    Uuid,
)
from corr_tui.protocol.shape import UNSET, Items, Record, UnsetType

Kind = Literal[
    "intent",
    "claim.open",
    "claim.renew",
    "claim.release",
    "progress",
    "observation",
    "artifact.offer",
    "ack.seen",
    "ack.understood",
    "ack.accepted",
    "ack.applied",
    "ack.rejected",
    "conflict.raise",
    "conflict.resolve",
    "pause",
    "rest",
    "resume",
    "refusal",
    "handoff",
    "close",
    "repair",
]


class Body(Record, frozen=True):
    """The base of every body."""

    noun: ClassVar[str] = "body"


class Summary(Body, frozen=True):
    """intent, progress, observation: a report in words."""

    summary: Text


class ClaimOpen(Body, frozen=True):
    """claim.open: the root of an advisory claim."""

    claim_id: Uuid
    generation: GenerationOne
    expires_at: Timestamp


class ClaimRenew(Body, frozen=True):
    """claim.renew: the next generation of one branch."""

    claim_id: Uuid
    generation: LaterGeneration
    predecessor_event_id: EventId
    expires_at: Timestamp


class ClaimRelease(Body, frozen=True):
    """claim.release: the end of one branch."""

    claim_id: Uuid
    generation: LaterGeneration
    predecessor_event_id: EventId
    detail: Text | UnsetType = UNSET


class GitCommit(Record, frozen=True, tag_field="kind", tag="git_commit"):
    """An artifact named by a Git revision."""

    noun: ClassVar[str] = "artifact"
    kind: ClassVar[str] = "git_commit"

    revision: Revision


class GitPatch(Record, frozen=True, tag_field="kind", tag="git_patch"):
    """A patch named by the digest of its bytes, and perhaps a place to inspect them."""

    noun: ClassVar[str] = "artifact"
    kind: ClassVar[str] = "git_patch"

    digest: Digest
    locator: Locator | UnsetType = UNSET


class ContentDigest(Record, frozen=True, tag_field="kind", tag="content_digest"):
    """Any content named by the digest of its bytes, and perhaps a place to inspect them."""

    noun: ClassVar[str] = "artifact"
    kind: ClassVar[str] = "content_digest"

    digest: Digest
    locator: Locator | UnsetType = UNSET


Artifact: TypeAlias = GitCommit | GitPatch | ContentDigest


class ArtifactOffer(Body, frozen=True):
    """artifact.offer: immutable evidence, offered."""

    artifact: Artifact
    summary: Text | UnsetType = UNSET


class Citation(Body, frozen=True):
    """ack.seen, ack.understood, ack.accepted, ack.rejected, resume: one event, and perhaps words."""

    target_event_id: EventId
    detail: Text | UnsetType = UNSET


class Applied(Body, frozen=True):
    """ack.applied: a report of application at a revision."""

    target_event_id: EventId
    result_revision: Revision
    detail: Text | UnsetType = UNSET


class ConflictRaise(Body, frozen=True):
    """conflict.raise: events that stand against each other."""

    target_event_ids: Annotated[list[EventId], Items(2, 16)]
    summary: Text | UnsetType = UNSET


class Correction(Body, frozen=True):
    """conflict.resolve, repair: a report about cited history, which stays as it is."""

    target_event_ids: Annotated[list[EventId], Items(1, 16)]
    summary: Text
    result_revision: Revision | UnsetType = UNSET


class Availability(Body, frozen=True):
    """pause, rest: no reason asked; `until` may be absent, null or an instant."""

    until: Timestamp | UnsetType | None = UNSET
    detail: Text | UnsetType = UNSET


class Refused(Body, frozen=True):
    """refusal: no reason asked."""

    target_event_id: EventId | UnsetType = UNSET
    detail: Text | UnsetType = UNSET


class Handoff(Body, frozen=True):
    """handoff: where a thread may go on; `handoff_id` locates a snapshot and need not exist here."""

    summary: HandoffText
    next_safe_action: Text
    handoff_id: Uuid | UnsetType = UNSET


class Close(Body, frozen=True):
    """close: a report of closure; history stays."""

    summary: Text | UnsetType = UNSET


BODIES: dict[str, type[Body]] = {
    "intent": Summary,
    "claim.open": ClaimOpen,
    "claim.renew": ClaimRenew,
    "claim.release": ClaimRelease,
    "progress": Summary,
    "observation": Summary,
    "artifact.offer": ArtifactOffer,
    "ack.seen": Citation,
    "ack.understood": Citation,
    "ack.accepted": Citation,
    "ack.applied": Applied,
    "ack.rejected": Citation,
    "conflict.raise": ConflictRaise,
    "conflict.resolve": Correction,
    "pause": Availability,
    "rest": Availability,
    "resume": Citation,
    "refusal": Refused,
    "handoff": Handoff,
    "close": Close,
    "repair": Correction,
}
"""The closed body of each of the 21 kinds."""

KINDS = tuple(BODIES)
CLAIM_KINDS = frozenset({"claim.open", "claim.renew", "claim.release"})
ACK_KINDS = ("ack.seen", "ack.understood", "ack.accepted", "ack.applied", "ack.rejected")


def cited(body: Body) -> tuple[str, ...]:
    """The event ids a body depends on; each of them must also be a parent of its event (§5)."""
    match body:
        case Citation(target_event_id=target) | Applied(target_event_id=target):
            return (target,)
        case Refused(target_event_id=str(target)):
            return (target,)
        case ConflictRaise(target_event_ids=targets) | Correction(target_event_ids=targets):
            return tuple(targets)
        case ClaimRenew(predecessor_event_id=predecessor) | ClaimRelease(predecessor_event_id=predecessor):
            return (predecessor,)
        case _:
            return ()
