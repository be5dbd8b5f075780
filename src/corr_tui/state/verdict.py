"""What the bytes of an event and a key say of each other; never of a person (experience: honesty 8).

A module of its own, so that the signs of the verdicts can be drawn before the protocol is loaded.
"""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """A fact about the bytes of one event and a key; never about a person (experience: honesty 8)."""

    VERIFIED = "verified"
    """Under a key pinned here before."""
    LISTED = "listed"
    """Under a key this service lists, pinned on first use."""
    NO_KEY = "no key"
    MISMATCH = "mismatch"
    MALFORMED = "malformed"
    KEY_CHANGED = "key changed"
    """The service lists another key under an id pinned here. Loud."""
    KEY_REVOKED = "key revoked since"

    @property
    def holds(self) -> bool:
        """Whether the signature was proved under a known key."""
        return self in (Verdict.VERIFIED, Verdict.LISTED, Verdict.KEY_REVOKED)
