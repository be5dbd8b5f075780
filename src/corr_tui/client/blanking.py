"""Words that must not be written down, blanked wherever they stand in bytes: plain, escaped in JSON, or in a URL."""

from __future__ import annotations

import re
from collections.abc import Iterable

BLANK = b"[blanked]"
"""What stands in the place of a secret."""
TELLING = 8
"""Characters of a secret that tell something about it."""

_ESCAPED = (b"\\u00", b"%", b"\\/")
"""Without one of these no character of a secret is written another way, and the costly search is left out."""


class Blanking:
    """The secrets of one recording; each is visible ASCII, and an empty one is none."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # the longest first: one secret may be the start of another
        words = sorted({secret for secret in secrets if secret}, key=len, reverse=True)
        self._plain = [word.encode("utf-8") for word in words]
        self._written = [re.compile(b"".join(map(_ways, word))) for word in words]

    def __call__(self, raw: bytes) -> bytes:
        """The bytes without the secrets."""
        for plain in self._plain:
            raw = raw.replace(plain, BLANK)
        if any(each in raw for each in _ESCAPED):
            for written in self._written:
                raw = written.sub(BLANK, raw)
        return raw

    def end(self, raw: bytes) -> bytes:
        """The same for bytes that were cut off: their end is no start of a secret, unless of a few characters."""
        raw = self(raw)
        for plain in self._plain:
            for size in range(min(len(plain), len(raw)), TELLING - 1, -1):
                if raw.endswith(plain[:size]):
                    return raw[:-size] + BLANK
        return raw

    def text(self, text: str) -> str:
        """The text without the secrets."""
        return self(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def _ways(character: str) -> bytes:
    """The ways to write one character."""
    code = f"{ord(character):02x}".encode("ascii")
    ways = [re.escape(character.encode("utf-8")), rb"\\u00(?i:" + code + b")", b"%(?i:" + code + b")"]
    if character == "/":
        ways.append(rb"\\/")
    return b"(?:" + b"|".join(ways) + b")"
