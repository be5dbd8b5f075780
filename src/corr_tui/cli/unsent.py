"""What becomes of events that were signed and could not be posted, in words (§7; experience: Also).

A command never leaves it open whether something of it is kept: an event is kept once it is signed and stored, and
goes out again as the same bytes; before that nothing is.
"""

from __future__ import annotations

NOTHING = "Nothing was posted or kept."
"""For whatever stood in the way before an event was signed."""
NEXT = "with the next `corr-tui` or `corr-tui send` of this home"
"""When kept events go out."""


def kept_here(event_id: str) -> str:
    """For an event that was signed and has no receipt: what becomes of it, and how to see it or give it up."""
    named = event_id.removeprefix("sha256:")[:12]
    return (
        f"It is kept here, and the same bytes go out {NEXT}. `corr-tui outbox` lists it; "
        f"`corr-tui outbox discard {named}` gives it up."
    )


def kept_words(count: int) -> str:
    """How many events are kept, and when they go out."""
    events, go, them = ("1 event is", "it goes", "it") if count == 1 else (f"{count} events are", "they go", "them")
    return f"{events} not sent yet and kept here; {go} out {NEXT}. `corr-tui outbox` lists {them}."
