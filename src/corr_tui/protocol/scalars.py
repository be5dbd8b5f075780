"""The scalar values of an event, each with its rule (§2, §2.1, §2.2, §5).

A check takes a decoded value and raises Refusal with a code and a sentence when the value breaks the rule. The types
(`Uuid`, `EventId`, `Timestamp`, …) are strings annotated with their check; the records declare their fields with
them, so the shape of a record and the rules of its fields are one declaration.

Lengths count Unicode scalar values, which is what `len` of a decoded string counts. Patterns are matched whole: `$`
would admit a newline.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from corr_tui.protocol.strict_json import BAD_SCALAR, MAX_SAFE_INTEGER, MESSAGES, reason_of

Check = Callable[[object], None]
"""Raises Refusal when its argument breaks one rule."""


class Refusal(ValueError):
    """One broken rule, not yet placed in a value."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def is_string(value: object) -> str:
    """`value` as a string of Unicode scalar values without U+0000 (§2), or Refusal.

    Strict decoding has refused the others already; what people type into a draft has not been through it.
    """
    if not isinstance(value, str):
        raise Refusal("string_expected", "must be a string")
    if (not value.isascii() or "\0" in value) and (bad := BAD_SCALAR.search(value)):
        reason = reason_of(bad[0])
        raise Refusal(reason, MESSAGES[reason])
    return value


def is_integer(value: object) -> int:
    """`value` as an integer (booleans are none), or Refusal."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refusal("integer_expected", "must be an integer")
    return value


def _matches(code: str, pattern: str, message: str) -> Check:
    whole = re.compile(pattern).fullmatch

    def check(value: object) -> None:
        if not whole(is_string(value)):
            raise Refusal(code, message)

    return check


def _scalar_count(noun: str, least: int, most: int) -> Check:
    def check(value: object) -> None:
        _count(noun, is_string(value), least, most)

    return check


def _count(noun: str, text: str, least: int, most: int) -> None:
    if not least <= len(text) <= most:
        raise Refusal(f"{noun}_length", f"must have {least} to {most} Unicode scalar values, and has {len(text)}")


def integer_from(least: int) -> Check:
    """A check for a safe integer no smaller than `least`."""

    def check(value: object) -> None:
        if not least <= is_integer(value) <= MAX_SAFE_INTEGER:
            raise Refusal("integer_range", f"must be an integer from {least} to {MAX_SAFE_INTEGER}")

    return check


def constant(expected: str, code: str) -> Check:
    """A check for one exact string."""

    def check(value: object) -> None:
        if value != expected:
            raise Refusal(code, f"must be exactly {expected!r}")

    return check


def one_of(expected: frozenset[str], code: str) -> Check:
    """A check for one string of a closed vocabulary."""
    known = ", ".join(sorted(expected))

    def check(value: object) -> None:
        if is_string(value) not in expected:
            raise Refusal(code, f"must be one of {known}")

    return check


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
"""Unicode general category Cc, which is a closed set."""
_SPACE_OR_CONTROL = re.compile("[\\s\ufeff\x00-\x1f\x7f-\x9f]")


def check_opaque_id(value: object) -> None:
    """An opaque project-local identifier: 1–256 scalar values, no whitespace, U+FEFF or control (§2.1)."""
    text = is_string(value)
    _count("opaque_id", text, 1, 256)
    if _SPACE_OR_CONTROL.search(text):
        raise Refusal("opaque_id_character", "must hold no whitespace, U+FEFF or control character")


_MILLISECONDS = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_SECONDS = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z")


def check_timestamp(value: object) -> None:
    """RFC3339-ms: exactly `YYYY-MM-DDTHH:mm:ss.sssZ`, a real instant of the years 0001 to 9999 (§2)."""
    text = is_string(value)
    if not _MILLISECONDS.fullmatch(text):
        if _SECONDS.fullmatch(text):
            raise Refusal("timestamp_requires_milliseconds", "must have exactly three digits of milliseconds")
        raise Refusal("timestamp_form", "must have the form YYYY-MM-DDTHH:mm:ss.sssZ")
    if text.startswith("0000"):
        raise Refusal("timestamp_year_zero_not_admitted", "must name a year from 0001 to 9999")
    try:
        real = datetime.fromisoformat(text).hour == int(text[11:13])  # some versions read 24:00 as the next day
    except ValueError:
        real = False
    if not real:
        raise Refusal("timestamp_not_an_instant", "must name a real instant")


def check_branch(value: object) -> None:
    """A bounded report of a branch name: 1–255 scalar values without controls (§2.2)."""
    text = is_string(value)
    _count("branch", text, 1, 255)
    if _CONTROL.search(text):
        raise Refusal("branch_character", "must hold no control character")


_GLOB = re.compile(r"[*?\[\]{}!]")


def check_path_prefix(value: object) -> None:
    """A normalized repo-relative path prefix, or `.` for the whole repository (§2.2)."""
    text = is_string(value)
    _count("path", text, 1, 256)
    if text == ".":
        return
    if _CONTROL.search(text):
        raise Refusal("path_character", "must hold no control character")
    if "\\" in text:
        raise Refusal("path_backslash", "must separate segments with /, not a backslash")
    if _GLOB.search(text):
        raise Refusal("path_glob", "must be a prefix, not a pattern: none of * ? [ ] { } !")
    if text.startswith("/") or text.endswith("/"):
        raise Refusal("path_edge_slash", "must have no leading or trailing /")
    if not {"", ".", ".."}.isdisjoint(text.split("/")):
        raise Refusal("path_segment", "must have no empty, . or .. segment")


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def check_locator(value: object) -> None:
    """A place to inspect bytes: an ASCII scheme, a colon, then no whitespace or control; 1–2048 scalar values (§5)."""
    text = is_string(value)
    _count("locator", text, 1, 2048)
    if not _SCHEME.match(text):
        raise Refusal("locator_scheme", "must start with a URI scheme and a colon")
    if _SPACE_OR_CONTROL.search(text):
        raise Refusal("locator_character", "must hold no whitespace, U+FEFF or control character")


_SIGNATURE = re.compile(r"[A-Za-z0-9_-]{85}[AQgw]").fullmatch


def check_signature_value(value: object) -> None:
    """64 bytes in canonical unpadded base64url: 86 characters, the last of which has no stray bits (§3)."""
    if not _SIGNATURE(is_string(value)):
        raise Refusal("signature_encoding", "must be 64 bytes in canonical unpadded base64url")


def encode_base64url(raw: bytes) -> str:
    """Canonical unpadded base64url (§3)."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def decode_signature_value(text: str) -> bytes:
    """The 64 signature bytes; raises Refusal unless the encoding is canonical (§3)."""
    check_signature_value(text)
    return urlsafe_b64decode(text + "==")


def check_generation_one(value: object) -> None:
    """The generation of a claim.open (§5)."""
    if is_integer(value) != 1:
        raise Refusal("open_generation_must_be_one", "a claim.open has generation 1")


def check_no_grants(value: object) -> None:
    """The grants of every event: an empty list (§1)."""
    if value != []:
        raise Refusal("authority_grants", "must be exactly an empty list: no event grants anything")


HEX64 = "[0-9a-f]{64}"

Uuid = Annotated[
    str,
    _matches(
        "uuid_form",
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "must be a lowercase hyphenated UUID",
    ),
]
EventId = Annotated[
    str, _matches("event_id_form", f"sha256:{HEX64}", "must be sha256: and 64 lowercase hexadecimal digits")
]
Digest = Annotated[
    str, _matches("digest_form", f"sha256:{HEX64}", "must be sha256: and 64 lowercase hexadecimal digits")
]
Revision = Annotated[
    str,
    _matches("revision_form", f"[0-9a-f]{{40}}|{HEX64}", "must be 40 or 64 lowercase hexadecimal digits"),
]
OpaqueId = Annotated[str, check_opaque_id]
Timestamp = Annotated[str, check_timestamp]
Branch = Annotated[str, check_branch]
PathPrefix = Annotated[str, check_path_prefix]
Locator = Annotated[str, check_locator]
SignatureValue = Annotated[str, check_signature_value]
Text = Annotated[str, _scalar_count("text", 1, 1000)]
HandoffText = Annotated[str, _scalar_count("text", 1, 2000)]
GenerationOne = Annotated[int, check_generation_one]
LaterGeneration = Annotated[int, integer_from(2)]
SessionSeq = Annotated[int, integer_from(1)]
