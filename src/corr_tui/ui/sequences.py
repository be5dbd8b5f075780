"""What a terminal is told beside the picture: a bell, a notification, its title, its clipboard. Pure.

Every text passes the text door, so that no byte of it can end a sequence or begin another; the clipboard's goes in
base64. A terminal that does not know a sequence ignores it. tmux and GNU screen stand between: what they do not know
themselves is wrapped, and they hand it on where they are allowed to (`allow-passthrough` in tmux), else drop it.

    bell           BEL
    notification   OSC 9 ; text BEL              tmux, screen: wrapped
    title          OSC 2 ; text BEL              saved before by CSI 22 ; 2 t, given back by CSI 23 ; 2 t
    clipboard      OSC 52 ; c ; base64 BEL       tmux: as it is, for `set-clipboard on`, and wrapped
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from enum import StrEnum

from corr_tui.ui.text import clean

BELL = "\a"
SAVE_TITLE = "\x1b[22;2t"
RESTORE_TITLE = "\x1b]2;\a\x1b[23;2t"
"""First none, for terminals that keep no stack of titles."""
TITLE_CELLS = 80
NOTICE_CELLS = 160
MAX_CLIPBOARD = 74_994
"""Bytes of text that OSC 52 takes at most: many terminals stop at 100,000 characters with those around the text."""
SCREEN_PIECE = 240
"""Characters GNU screen is handed at once; older ones stop at 256."""


class Between(StrEnum):
    """What stands between this program and the terminal."""

    NOTHING = "nothing"
    TMUX = "tmux"
    SCREEN = "screen"


def between(environment: Mapping[str, str]) -> Between:
    """What stands between, as far as the environment says; over a remote shell it may not."""
    if environment.get("TMUX"):
        return Between.TMUX
    return Between.SCREEN if environment.get("STY") else Between.NOTHING


def notification(text: str, through: Between = Between.NOTHING) -> str:
    """A notification of the desktop, where the terminal makes one of OSC 9."""
    # a digit and a semicolon at its beginning would be read as a command by some terminals
    return _passed_on(f"\x1b]9;corr-tui: {clean(text, NOTICE_CELLS)}\a", through)


def title(text: str) -> str:
    """The title of the window, or of the pane of a multiplexer."""
    return f"\x1b]2;{clean(text, TITLE_CELLS)}\a"


def clipboard(text: str, through: Between = Between.NOTHING) -> str:
    """The text for the terminal's clipboard; at most MAX_CLIPBOARD bytes of it are taken by many."""
    sequence = f"\x1b]52;c;{b64encode(text.encode('utf-8', 'replace')).decode('ascii')}\a"
    return sequence + _passed_on(sequence, through) if through is Between.TMUX else _passed_on(sequence, through)


def _passed_on(sequence: str, through: Between) -> str:
    """Wrapped, so that what stands between hands it to the terminal as it is."""
    match through:
        case Between.TMUX:
            return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
        case Between.SCREEN:
            pieces = (sequence[at : at + SCREEN_PIECE] for at in range(0, len(sequence), SCREEN_PIECE))
            return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
        case Between.NOTHING:
            return sequence
