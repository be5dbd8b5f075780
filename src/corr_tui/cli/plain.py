"""Events, claims and conflicts as plain lines of text, without escapes (experience: honesty).

Words of others pass the one text door and stand in quotation marks. Instants are UTC, and say whose they are by
their place: every event line starts with the service's receipt. No line prefers a side of a conflict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corr_tui.protocol.event import Event
from corr_tui.protocol.records import ActiveClaim, Claims, Conflicts, Record, Voice
from corr_tui.ui.text import clean, quoted

_QUOTED = ("summary", "detail", "next_safe_action")


@dataclass(frozen=True, slots=True)
class Names:
    """What to call identities and events; both maps may be incomplete."""

    identities: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)

    def who(self, identity_id: str) -> str:
        """The listed name, cleaned, else the start of the id."""
        return clean(self.identities.get(identity_id, "")) or f"{clean(identity_id[:8])}…"

    def event(self, event_id: str) -> str:
        """`#12` for an event at hand, else the start of its id."""
        number = self.numbers.get(event_id)
        return f"#{number}" if number else f"{clean(event_id.removeprefix('sha256:')[:8])}…"


def numbers_of(records: tuple[Record, ...]) -> dict[str, str]:
    """The receipt numbers of these events."""
    return {record.event.event_id: record.receipt.received_seq for record in records}


def event_line(record: Record, names: Names) -> str:
    """One record: number, receipt, sender, kind, thread, what it says, and the service's diagnostics."""
    receipt = f"#{record.receipt.received_seq}  {_instant(record.receipt.received_at)}"
    if not isinstance(record.event, Event):
        return f"{receipt}  malformed event {clean(record.event.event_id)}"
    event = record.event
    parts = [receipt, names.who(event.sender.identity_id), event.kind, clean(event.thread_id), *_says(event, names)]
    if record.missing_parents:
        parts.append(f"missing {len(record.missing_parents)} of its parents")
    if record.lineage_status in ("pending", "invalid"):
        parts.append(f"lineage {record.lineage_status}")
    return "  ".join(parts)


def _says(event: Event, names: Names) -> list[str]:
    """The body in words, whatever its kind, in the order of its fields."""
    body = event.evidence["body"]
    said: list[str] = []
    if event.kind.startswith("claim."):
        said.append(f"{clean(' '.join(event.scope.paths))}  gen {body['generation']}")
    elif set(event.scope.paths) != {"."}:
        said.append(_paths(event.scope.paths))
    for cited in event.cited:
        said.append(f"→ {names.event(cited)}")
    if artifact := body.get("artifact"):
        said.append(f"{artifact['kind']} {artifact.get('revision') or artifact['digest']}")
    for name, words in (("until", "until"), ("expires_at", "expires"), ("result_revision", "result")):
        if body.get(name):
            said.append(f"{words} {_instant(body[name])}")
    return said + [quoted(body[name]) for name in _QUOTED if name in body]


def _paths(paths: Sequence[str]) -> str:
    """The first path and how many more: `in src/api +2`."""
    return f"in {clean(paths[0])}{f' +{len(paths) - 1}' if len(paths) > 1 else ''}"


def claim_line(claim: ActiveClaim, names: Names) -> str:
    """One live claim; advisory, and one of several when it competes."""
    parts = [
        clean(" ".join(claim.scope.paths)),
        names.who(claim.owner_identity_id),
        clean(claim.thread_id),
        f"gen {claim.generation}",
        f"expires {_instant(claim.expires_at)}",
        names.event(claim.event_id),
    ]
    if claim.conflicted:
        parts.append(f"competes with {', '.join(map(names.event, claim.competing_event_ids)) or 'another branch'}")
    return "  ".join(parts)


def claims_lines(claims: Claims | Voice, tips: tuple[ActiveClaim, ...], names: Names) -> list[str]:
    """The live claims, and what their absence means: only a complete projection may say that there are none (§6)."""
    lines = [claim_line(claim, names) for claim in tips]
    match claims.projection_status:
        case "complete":
            return lines or ["No active claims."]
        case "truncated":
            return [*lines, "Truncated: claims may be missing here. Narrow with --thread or --path, or ask again."]
        case _:
            return [*lines, "Unavailable: the service could not compute its claims. There may be some."]


def conflict_lines(conflicts: Conflicts, names: Names) -> list[str]:
    """Every conflict a voice names; nobody is preferred (§7.1)."""
    lines = [
        f"overlap  {clean(' '.join(row.paths))}  {names.event(row.left_event_id)} × {names.event(row.right_event_id)}"
        for row in conflicts.overlapping_claims
    ]
    lines += [
        f"fork  {names.who(row.identity_id)} sequence {row.session_seq}  {' · '.join(map(names.event, row.event_ids))}"
        for row in conflicts.session_forks
    ]
    lines += [
        f"missing  {len(row.missing_parent_ids)} of the parents of {names.event(row.event_id)}"
        for row in conflicts.missing_parents
    ]
    return lines


def voice_lines(voice: Voice, repository_id: str, names: Names) -> list[str]:
    """The finite voice, oldest event first."""
    # Without a stream the service evaluates at the epoch, which says nothing to anybody (§6).
    evaluated = f"of {_instant(voice.evaluated_at)}  #{voice.cursor}" if voice.cursor else "(no event yet)"
    lines = [f"{clean(repository_id)}  projection {voice.projection_status} {evaluated}"]
    lines += ["", "Recent events"]
    lines += [f"  {event_line(record, names)}" for record in reversed(voice.recent_events)] or ["  none"]
    lines += ["", "Active claims, advisory"]
    lines += [f"  {line}" for line in claims_lines(voice, voice.active_claims, names)]
    lines += ["", "Conflicts the service computes, none preferred"]
    found = conflict_lines(voice.conflicts, names)
    none = "none" if voice.projection_status == "complete" else "none in this part"
    return lines + [f"  {line}" for line in found or [none]]


def _instant(text: str) -> str:
    """An instant without its milliseconds; a revision stays as it is."""
    return f"{text[:10]} {text[11:19]}Z" if text[-1:] == "Z" else text
