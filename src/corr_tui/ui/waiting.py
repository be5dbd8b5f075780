"""What to call an event of mine that waits for its receipt: the same words wherever one is told of (§7).

Unsent has not left this machine; not known yet may have been received, for its answer was lost; refused waits no more.
"""

from __future__ import annotations

from collections.abc import Iterable

from corr_tui.state.border import Sent
from corr_tui.state.snapshot import Unsent, UnsentState

UNSENT = "unsent: it goes out once the service takes it"
UNKNOWN = "not known yet, sending the same event again"


def waits(sent: Sent) -> UnsentState:
    """Where an event stands whose send brought no receipt and no refusal; not known where nothing says better."""
    return sent.state if sent.state is UnsentState.UNSENT else UnsentState.UNKNOWN


def waiting_words(state: UnsentState) -> str:
    """What becomes of an event that waits."""
    return UNSENT if state is UnsentState.UNSENT else UNKNOWN


def counted(unsent: Iterable[Unsent]) -> list[tuple[UnsentState, int]]:
    """How many stand where: unsent, not known yet, refused; only what occurs."""
    states = [each.state for each in unsent]
    return [(state, states.count(state)) for state in UnsentState if state in states]
