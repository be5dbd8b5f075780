"""What an event says, in one line: the body of each of the 21 kinds (§5).

Quotation marks hold words of others; everything else is ours, numbers and names included. An arrow points at what is
cited. Acknowledgements are dim throughout, so that intents, offers and conflicts stand out (look: hierarchy).
"""

from __future__ import annotations

from corr_tui.protocol.bodies import (
    Applied,
    ArtifactOffer,
    Availability,
    Citation,
    ClaimOpen,
    ClaimRelease,
    ClaimRenew,
    Close,
    ConflictRaise,
    Correction,
    GitCommit,
    GitPatch,
    Handoff,
    Refused,
    Summary,
)
from corr_tui.protocol.event import Event
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.layout import dim, dimmed, joined, text
from corr_tui.ui.line import Line
from corr_tui.ui.panels.reading import Reading, paths_words, quote, revision


def what(event: Event, reading: Reading) -> Line:
    """What an event says, as long as it is; whoever draws it cuts it."""
    said = _said(event, reading)
    return dimmed(said) if is_ack(event.kind) else said


def is_ack(kind: str) -> bool:
    """Whether a kind is an acknowledgement."""
    return kind.startswith("ack.")


def _said(event: Event, reading: Reading) -> Line:
    match event.body:
        case Summary(summary=summary):
            return quote(summary)
        case ClaimOpen():
            return text(paths_words(event.scope.paths))
        case ClaimRenew(generation=generation):
            return joined((text(paths_words(event.scope.paths)), dim(f"gen {generation}")), 2)
        case ClaimRelease(generation=generation, detail=detail):
            return joined((text(paths_words(event.scope.paths)), dim(f"gen {generation}"), quote(detail)), 2)
        case ArtifactOffer(summary=summary) as offer:
            return joined((artifact(offer), quote(summary)), 2)
        case Applied(target_event_id=target, result_revision=result, detail=detail):
            return joined((_arrow((target,), reading), text(f"at {revision(result)}"), quote(detail)), 2)
        case Citation(target_event_id=target, detail=detail):
            return joined((_arrow((target,), reading), quote(detail)), 2)
        case ConflictRaise(target_event_ids=targets, summary=summary):
            return joined((_against(targets, reading), quote(summary)), 2)
        case Correction(target_event_ids=targets, summary=summary):
            return joined((_arrow(targets, reading), quote(summary)), 2)
        case Availability(until=until, detail=detail):
            return joined((_until(until, reading), quote(detail)), 2)
        case Refused(target_event_id=target, detail=detail):
            return joined((_arrow((target,) if isinstance(target, str) else (), reading), quote(detail)), 2)
        case Handoff(summary=summary):
            return quote(summary)
        case Close(summary=summary):
            return quote(summary)
        case _:
            return ()


def artifact(offer: ArtifactOffer) -> Line:
    """`commit ab12cd3`: what is offered, by its kind and the start of what names it."""
    match offer.artifact:
        case GitCommit(revision=commit):
            return (*dim("commit "), *text(revision(commit)))
        case GitPatch(digest=digest):
            return (*dim("patch "), *text(revision(digest)))
        case other:
            return (*dim("content "), *text(revision(other.digest)))


def _arrow(targets: tuple[str, ...] | list[str], reading: Reading) -> Line:
    """`→ #4790`, and how many more."""
    if not targets:
        return ()
    more = f" +{len(targets) - 1}" if len(targets) > 1 else ""
    return (*dim("→ "), *text(reading.number(targets[0])), *dim(more))


def _against(targets: list[str], reading: Reading) -> Line:
    """`#4797 × #4798`: events raised against each other, in the order they were written."""
    shown = joined((text(reading.number(each)) for each in targets[:2]), 0)
    more = f" +{len(targets) - 2}" if len(targets) > 2 else ""
    return (shown[0], *dim(f" {Glyph.OVERLAP.symbol} "), *shown[1:], *dim(more))


def _until(until: object, reading: Reading) -> Line:
    """`until 16:00`, or nothing where nothing is said."""
    return (*dim("until "), *text(reading.until(until))) if isinstance(until, str) else ()
