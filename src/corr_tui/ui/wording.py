"""What each kind says, and what it does not establish, in plain words (§1, §5, §9; experience: honesty 4 to 7).

One sentence for what the sender declares, and a list of what a reader may be tempted to conclude and must not. The
composer shows both where a kind is chosen, the selected event where it is read, and help for all kinds together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corr_tui.protocol.bodies import Kind


@dataclass(frozen=True, slots=True)
class Wording:
    """The words for one kind; `{who}` and `{target}` stand for the sender's name and the events cited."""

    says: str
    rest: str
    """A short second sentence, dim; may be empty."""
    does_not_establish: tuple[str, ...]
    """Each completes “does not establish …”."""
    briefly: tuple[str, ...]
    """The same in single words, for narrow screens: each completes “not …”."""


_NO_REASON = "No reason is owed."
_STAYS = "What was said stays as it is."

WORDING: Mapping[Kind, Wording] = {
    "intent": Wording(
        "{who} proposes a direction.",
        "",
        ("that anyone has a task now", "that others agree", "that work has begun"),
        ("assigned", "agreed", "begun"),
    ),
    "claim.open": Wording(
        "{who} means to work in these paths until the time signed.",
        "A courtesy to others, who may work there too.",
        ("exclusive use of the paths", "permission, or a limit on anyone", "that work is going on there"),
        ("exclusive", "permitted", "under way"),
    ),
    "claim.renew": Wording(
        "{who} still means to work in these paths, until a new time.",
        "",
        ("exclusive use of the paths", "that other branches of the claim ended", "that work is going on there"),
        ("exclusive", "sole branch", "under way"),
    ),
    "claim.release": Wording(
        "{who} ends this branch of the claim.",
        "",
        ("that the work is done", "that other branches of the claim ended", "that nobody else works in the paths"),
        ("done", "sole branch", "free of others"),
    ),
    "progress": Wording(
        "{who} reports how the work stands.",
        "",
        ("that the report is true", "that Git holds any of it", "when it will be done"),
        ("proved", "in Git", "promised"),
    ),
    "observation": Wording(
        "{who} reports something noticed.",
        "",
        ("that it is so", "why it is so", "what anyone meant by it"),
        ("proved", "explained", "intended"),
    ),
    "artifact.offer": Wording(
        "{who} offers something named by a revision or a digest.",
        "Nothing of it is fetched or run.",
        ("that the bytes are still there", "that anyone checked them", "permission to fetch, run or apply them"),
        ("available", "checked", "permitted"),
    ),
    "ack.seen": Wording(
        "The bytes of {target} reached {who}.",
        "Nothing else.",
        (
            "that it was understood",
            "agreement or acceptance",
            "that anything was applied or checked",
            "permission, assignment, or a promise",
        ),
        ("understood", "agreed", "applied", "checked", "permitted", "promised"),
    ),
    "ack.understood": Wording(
        "{who} read {target} well enough to go on.",
        "",
        (
            "that both mean the same by it",
            "that it is true",
            "agreement or acceptance",
            "permission, assignment, or a promise",
        ),
        ("shared meaning", "true", "agreed", "permitted", "promised"),
    ),
    "ack.accepted": Wording(
        "{who} accepts {target} for coordination.",
        "",
        (
            "that it was applied, merged or deployed",
            "permission or authority",
            "that anyone has a task now",
        ),
        ("applied", "merged", "deployed", "permitted", "assigned"),
    ),
    "ack.applied": Wording(
        "{who} reports having applied {target}, giving this revision.",
        "Git can tell whether it did.",
        (
            "that the revision exists or holds it",
            "that a remote or a branch has it",
            "that tests passed or it was deployed",
        ),
        ("in Git", "on a remote", "tested", "deployed"),
    ),
    "ack.rejected": Wording(
        "{who} declines {target}.",
        _NO_REASON,
        ("a judgement about its author", "that its author gives anything up", "that it was wrong"),
        ("a judgement", "a surrender", "wrong"),
    ),
    "conflict.raise": Wording(
        "{who} shows that {target} stand against each other.",
        "",
        ("which of them holds", "that anyone is at fault", "that anyone must stop"),
        ("decided", "a fault", "a stop"),
    ),
    "conflict.resolve": Wording(
        "{who} reports a reconciliation of {target}.",
        _STAYS,
        ("that Git merged anything", "that others agree", "that the conflict did not happen"),
        ("merged", "agreed", "undone"),
    ),
    "pause": Wording(
        "{who} suspends work.",
        _NO_REASON,
        ("that anything went wrong", "that the work is given up", "that work resumes when the time passes"),
        ("a failure", "given up", "resumed by time"),
    ),
    "rest": Wording(
        "{who} declares rest.",
        _NO_REASON,
        ("how {who} fares", "that anything went wrong", "that work resumes when the time passes"),
        ("a feeling", "a failure", "resumed by time"),
    ),
    "resume": Wording(
        "{who} takes up again what {target} suspended.",
        "",
        ("that anyone else resumes", "that claims are live again", "that work is going on"),
        ("for others", "a claim", "under way"),
    ),
    "refusal": Wording(
        "{who} declines.",
        _NO_REASON,
        ("a judgement about anyone", "that asking again is welcome", "that the work is wrong"),
        ("a judgement", "an opening", "wrong"),
    ),
    "handoff": Wording(
        "{who} points the thread to a next safe step.",
        "",
        ("that anyone took it on", "authority to take the step", "that the snapshot named exists"),
        ("taken on", "permitted", "proved"),
    ),
    "close": Wording(
        "{who} reports this thread closed.",
        _NO_REASON,
        ("that the work is done", "that others agree", "that history is gone"),
        ("done", "agreed", "deleted"),
    ),
    "repair": Wording(
        "{who} appends a correction to {target}.",
        _STAYS,
        ("that earlier events are changed or gone", "that others accept the correction", "that Git holds the result"),
        ("changed", "agreed", "in Git"),
    ),
}
"""For each of the 21 kinds."""

SIGNATURES = (
    "verified: the signature is proved under a key pinned here.",
    "listed: it is proved under a key this service lists, which is pinned now, so that a later change is noticed. "
    "No reason to worry.",
)
"""What the two quiet verdicts mean; shown in help under the signs."""

HONESTY = (
    "A claim is a courtesy. It keeps nobody out and gives nobody a right.",
    "An acknowledgement declares what its sender chose to declare, and nothing beyond it.",
    "A conflict has no preferred side here; its parties stand in a neutral order.",
    "A verified signature is a fact about bytes and a key, not about a person, truth or consent.",
    "Silence is not assent, and a recent event does not tell whether anybody is there.",
    "Looking acknowledges nothing. Nothing is posted without a key pressed for that very event.",
    "Everyone who may read this project can read what you write here. Leave secrets out.",
    "Git alone tells which files and revisions exist.",
)
"""Shown in help."""


def says(kind: Kind, who: str, targets: Sequence[str]) -> str:
    """What an event of this kind declares; names and numbers must be clean already."""
    return WORDING[kind].says.format(who=who, target=listed(targets))


def does_not_establish(kind: Kind, who: str) -> tuple[str, ...]:
    """What an event of this kind does not establish; the name must be clean already."""
    return tuple(each.format(who=who) for each in WORDING[kind].does_not_establish)


def listed(names: Sequence[str]) -> str:
    """`#1`, `#1 and #2`, `#1, #2 and #3`, `#1, #2 and 5 more`; `an event` for none."""
    if not names:
        return "an event"
    if len(names) == 1:
        return names[0]
    if len(names) <= 3:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{names[0]}, {names[1]} and {len(names) - 2} more"
