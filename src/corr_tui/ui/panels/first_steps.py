"""The first minute: what stands where the events will be, before there is any: who may speak here, and by what command.

A command is copied whole, however much of it there is room for. Nothing secret is in one: what only its owner may know
is left open. Nothing is run from here.
"""

from __future__ import annotations

import shlex
from typing import NamedTuple

from corr_tui.state.snapshot import LOCAL_SERVICE, Snapshot
from corr_tui.ui.layout import dim, paragraph, text, words
from corr_tui.ui.line import Ink, Line, Row
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import clean

FIRST = "first step "
"""What the key of each command begins with; no event id does."""
INTENT = "--thread task:1 --summary 'What I do next'"


class Step(NamedTuple):
    """One command, and what it is for."""

    name: str
    reason: str
    command: str


def steps(snapshot: Snapshot) -> tuple[Step, ...]:
    """What may be done first: by an agent here, and by a colleague."""
    if snapshot.recorded:
        return ()
    if snapshot.service == LOCAL_SERVICE:
        return (
            Step(
                "agent", "An agent, in any terminal of this repository:", f"corr-tui send intent --as agent-1 {INTENT}"
            ),
            Step(
                "claim",
                "What it works on for a while, advisory:",
                "corr-tui send claim.open --as agent-1 --thread task:1 --path . --expires-in 45m",
            ),
            Step("colleague", "A colleague at this machine, on a board of their own:", "corr-tui --as colleague"),
            Step(
                "serve", "For other machines, a service, empty at first:", "corr-tui serve --database sqlite:///team.db"
            ),
        )
    place = f"CORR_TUI_BASE_URL={_quoted(snapshot.service)} CORR_TUI_REPOSITORY_ID={_quoted(snapshot.repository_id)}"
    own = "CORR_TUI_BEARER= CORR_TUI_IDENTITY_ID= CORR_TUI_SIGNING_KEY_ID= CORR_TUI_SIGNING_KEY_FILE="
    return (
        Step("place", "An agent or a colleague, in their own terminal:", f"export {place}"),
        Step("own", "and what this service gave them, not you:", f"export {own}"),
        Step("agent", "Then an agent:", f"corr-tui send intent {INTENT}"),
        Step("colleague", "and a colleague:", "corr-tui"),
    )


def command_of(snapshot: Snapshot, key: str) -> str:
    """The command of the row with this key, whole; empty for any other row."""
    return next((each.command for each in steps(snapshot) if FIRST + each.name == key), "")


def rows(reading: Reading, width: int, sentence: str, bounds: str) -> tuple[Row, ...]:
    """That there is nothing yet, then each command under what it is for."""
    listed = steps(reading.snapshot)
    heading: tuple[Line, ...] = (
        words(width, text(sentence, Ink.STRONG)),
        *paragraph(width, bounds),
        words(width, reading.key("copy.id", "copies the command under the cursor")),
    )
    return (
        Row("no events", heading, known=True, note=True, heading=True, space=1),
        *(
            Row(
                FIRST + each.name,
                (words(width, dim(each.reason)), words(width, text(f"  {each.command}"))),
                space=1,
                known=True,
                note=True,
            )
            for each in listed
        ),
    )


def _quoted(value: str) -> str:
    return shlex.quote(clean(value))
