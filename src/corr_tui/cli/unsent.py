"""What becomes of events that were signed and could not be posted, in words (§7; experience: Also).

A command never leaves it open whether something of it is kept: an event is kept once it is signed and stored, and
goes out again as the same bytes; before that nothing is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corr_tui.ui.text import clean

if TYPE_CHECKING:
    from corr_tui.state.snapshot import Me

NOTHING = "Nothing was posted or kept."
"""For whatever stood in the way before an event was signed."""


def whom(me: Me | None) -> str:
    """What to call whom a process signs as: the listed name, else the start of the id."""
    if me is None:
        return "the same identity"
    return clean(me.name).strip() or f"{clean(me.identity_id[:8])}…"


def next_of(who: str) -> str:
    """When kept events of an identity go out: another one's commands leave them alone."""
    return f"with the next `corr-tui` or `corr-tui send` as {who}"


def kept_here(event_id: str, who: str) -> str:
    """For an event that was signed and has no receipt: what becomes of it, and how to see it or give it up."""
    return (
        f"It is kept here, and the same bytes go out {next_of(who)}. `corr-tui outbox` lists it; "
        f"`corr-tui outbox discard {_short(event_id)}` gives it up."
    )


def kept_refused(event_id: str) -> str:
    """For an event that was refused: what becomes of it, and how to give it up."""
    return (
        "It will not be sent again. It is kept here as refused: `corr-tui outbox` lists it, "
        f"`corr-tui outbox discard {_short(event_id)}` gives it up."
    )


def kept_words(count: int, who: str) -> str:
    """How many events are kept, and when they go out."""
    events, go, them = ("1 event is", "it goes", "it") if count == 1 else (f"{count} events are", "they go", "them")
    return f"{events} not sent yet and kept here; {go} out {next_of(who)}. `corr-tui outbox` lists {them}."


def _short(event_id: str) -> str:
    return event_id.removeprefix("sha256:")[:12]
