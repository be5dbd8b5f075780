"""Signing keys at rest: a 32-byte Ed25519 seed, raw or in standard base64, in a file of this user's.

Anything else is refused by what was found, as a length or the name of a form, never by repeating it.
"""

from __future__ import annotations

import re
from pathlib import Path
from secrets import token_bytes

from corr_tui.protocol.errors import SignatureRefused
from corr_tui.protocol.signing import decode_key
from corr_tui.state import private_file

SEED_LENGTH = 32
_MAX_FILE = 4096
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{8,}={0,2}").fullmatch


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


def create_seed(path: Path, *, folders: bool = True) -> bytes:
    """A new seed in a new file of mode 0600; raises CredentialRefused when the file exists or cannot be made.

    `folders` is as for `private_file.create`.
    """
    seed = token_bytes(SEED_LENGTH)
    try:
        private_file.create(path, seed, folders=folders)
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
        raise CredentialRefused(f"{_found(content)}; a key is {SEED_LENGTH} raw bytes or standard base64") from None


def _found(content: bytes) -> str:
    """What stands there instead of a key, without repeating any of it."""
    text = content.strip()
    if not text:
        return "empty"
    if len(content) > _MAX_FILE:
        return f"more than {_MAX_FILE} bytes"
    if text.startswith(b"-----BEGIN"):
        return "PEM or an OpenSSH key"
    if len(text) == 64 and all(byte in b"0123456789abcdefABCDEF" for byte in text):
        return "64 hexadecimal digits"
    if len(content) == 64:
        return "64 bytes, perhaps a seed with its public key"
    return _encoded(text) or f"{len(content)} byte{'' if len(content) == 1 else 's'}"


def _encoded(text: bytes) -> str:
    """What text in some base64 holds, or empty where it is none."""
    if not _BASE64(text):
        return ""
    length = len(text.rstrip(b"=")) * 3 // 4
    if length != SEED_LENGTH:
        return f"{len(text)} bytes, as base64 a key of {length}" if len(text) % 4 == 0 else ""
    if b"-" in text or b"_" in text:
        return "base64url"
    return "base64 without padding" if not text.endswith(b"=") else "base64 that is not in its one standard form"
