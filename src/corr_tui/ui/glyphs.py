"""The glyphs (look: glyphs): one glyph, one meaning, always with its word in the row or in the legend at the foot.

Every glyph takes one cell in every encoding of East Asian width but the ambiguous-as-wide one; for that one, and where
the encoding is not UTF-8, each has an ASCII stand-in. `plain` turns whole lines into ASCII without moving a cell.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from corr_tui.state.verdict import Verdict
from corr_tui.ui.line import Line, Span
from corr_tui.ui.text import cells


class Mark(NamedTuple):
    """A glyph, what it says, and its ASCII stand-in."""

    symbol: str
    word: str
    ascii: str


class Glyph(Enum):
    """Every glyph of the interface."""

    LIVE = Mark("●", "live", "*")
    PARTIAL = Mark("◐", "not known yet", "%")
    ABSENT = Mark("○", "missing", "O")
    NEW = Mark("•", "new", "+")
    PAUSED = Mark("‖", "paused", "p")
    RESTING = Mark("☾", "resting", "z")
    RESUMED = Mark("▸", "resumed", ">")
    CLOSED = Mark("■", "closed", "x")
    DECLINED = Mark("←", "declined", "<")
    EXPIRES_SOON = Mark("↓", "expires soon", "w")
    VERIFIED = Mark("✓", "verified", "v")
    LISTED = Mark("~", "listed", "~")
    NO_KEY = Mark("?", "no key", "?")
    MISMATCH = Mark("≠", "mismatch", "#")
    MALFORMED = Mark("¤", "malformed", "&")
    KEY_CHANGED = Mark("!", "key changed", "!")
    KEY_REVOKED = Mark("†", "key revoked since", "t")
    OVERLAP = Mark("×", "overlap", "X")
    BRANCHES = Mark("≺", "branches", "Y")
    FORK = Mark("‡", "fork", "F")
    RAISED = Mark("△", "raised", "R")
    TIP = Mark("◆", "live tip", "@")
    RENEWED = Mark("◇", "renewed", "o")
    RELEASED = Mark("□", "released", "r")
    EXPIRED = Mark("▫", "expired", "e")
    PENDING = Mark("◦", "pending", ".")
    INVALID = Mark("¬", "invalid", "i")
    MARKED = Mark("▪", "marked", ":")
    SEEN = Mark("▁", "seen", "s")
    UNDERSTOOD = Mark("▃", "understood", "u")
    ACCEPTED = Mark("▅", "accepted", "a")
    APPLIED = Mark("▇", "applied", "A")
    LEFT = Mark("━", "what is left", "=")
    SPENT = Mark("─", "what is spent", "-")
    BEFORE = Mark("‹", "goes on before", "{")
    AFTER = Mark("›", "goes on after", "}")
    SILENCE = Mark("—", "nothing said", "-")

    @property
    def symbol(self) -> str:
        """The glyph itself, one cell."""
        return self.value.symbol

    @property
    def word(self) -> str:
        """What it says."""
        return self.value.word


VERDICTS: dict[Verdict, Glyph] = {
    Verdict.VERIFIED: Glyph.VERIFIED,
    Verdict.LISTED: Glyph.LISTED,
    Verdict.NO_KEY: Glyph.NO_KEY,
    Verdict.MISMATCH: Glyph.MISMATCH,
    Verdict.MALFORMED: Glyph.MALFORMED,
    Verdict.KEY_CHANGED: Glyph.KEY_CHANGED,
    Verdict.KEY_REVOKED: Glyph.KEY_REVOKED,
}
"""The glyph of each verdict; its word is the verdict's own."""

ACKNOWLEDGED: dict[str, Glyph] = {
    "ack.seen": Glyph.SEEN,
    "ack.understood": Glyph.UNDERSTOOD,
    "ack.accepted": Glyph.ACCEPTED,
    "ack.applied": Glyph.APPLIED,
    "ack.rejected": Glyph.DECLINED,
}
"""The glyph of each declaration."""

_PUNCTUATION = {
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "…": "_",
    "·": "-",
    "→": ">",
    "±": "~",
    "⏎": "/",
    "▌": "|",
    "▏": "|",
    "–": "-",
    "⟨": "<",
    "⟩": ">",
    "┣": "[",
    "╋": "+",
    "├": "[",
    "┼": "+",
    "┤": "]",
    "╌": ".",
    "┆": ":",
    "│": "|",
    "└": "`",
    "┬": "+",
    "┐": "+",
}
_ASCII = {glyph.symbol: glyph.value.ascii for glyph in Glyph} | _PUNCTUATION


def plain(line: Line) -> Line:
    """The same line in ASCII, cell for cell; what has no stand-in becomes question marks."""
    return tuple(Span(_plain(span.text), span.ink) for span in line)


def _plain(text: str) -> str:
    if text.isascii():
        return text
    return "".join(
        character if character.isascii() else _ASCII.get(character, "?" * cells(character)) for character in text
    )
