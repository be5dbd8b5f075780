"""Signing keys at rest: a 32-byte Ed25519 seed, raw or in standard base64, in a file of this user's.

Anything else is refused by the name of what it looks like, never by repeating it.
"""

from __future__ import annotations

from pathlib import Path
from secrets import token_bytes

from corr_tui.protocol.errors import SignatureRefused
from corr_tui.protocol.signing import decode_key
from corr_tui.state import private_file

SEED_LENGTH = 32
_MAX_FILE = 4096


class CredentialRefused(Exception):
    """A signing key that cannot be used; the text says why and never holds any of it."""


def read_seed(path: Path) -> bytes:
    """The 32 secret bytes of a key file; raises CredentialRefused."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise CredentialRefused(f"the key file cannot be read: {error.strerror}") from None
    return seed_from(content)


def create_seed(path: Path) -> bytes:
    """A new seed in a new file of mode 0600; raises CredentialRefused when the file exists or cannot be made."""
    seed = token_bytes(SEED_LENGTH)
    try:
        private_file.create(path, seed)
    except FileExistsError:
        raise CredentialRefused("the key file exists already, and a key is never overwritten") from None
    except OSError as error:
        raise CredentialRefused(f"the key file cannot be made: {error.strerror}") from None
    return seed


def seed_from(content: bytes) -> bytes:
    """The seed in the content of a key file or variable: 32 raw bytes, or their standard base64."""
    if len(content) == SEED_LENGTH:
        return content
    try:
        return decode_key(content.decode("ascii"))
    except (UnicodeDecodeError, SignatureRefused):
        message = f"a signing key is 32 raw bytes or their standard base64; this is {_looks_like(content)}"
        raise CredentialRefused(message) from None


def _looks_like(content: bytes) -> str:
    text = content.strip()
    if not text:
        return "empty"
    if text.startswith(b"-----BEGIN"):
        return "PEM or an OpenSSH key"
    if len(text) == 64 and all(byte in b"0123456789abcdefABCDEF" for byte in text):
        return "hexadecimal"
    if len(content) == 64:
        return "64 bytes, perhaps a seed with its public key"
    if b"-" in text or b"_" in text or len(text) == 43:
        return "base64url or base64 without padding"
    return "something else"
