"""Canonical bytes, digests, signatures and identifiers (§3).

    core_jcs       = RFC8785-JCS(event without event_id and signature)
    signing_digest = SHA-256("agent-correspondence/v0.1" || 0x00 || core_jcs)
    signature      = Ed25519(signing_digest)
    event_id       = "sha256:" || hex(SHA-256(RFC8785-JCS(event without event_id)))

The names of a closed event are ASCII and its numbers safe integers; for such values the standard library's encoder
with sorted names gives the bytes of RFC 8785 (UTF-16 order and code point order differ only beyond ASCII), at a
quarter of the time. Anything else goes through the rfc8785 library (`jcs`). In a canonical signed event the signature
is one known piece of text that stands nowhere else, so cutting it out of the signed bytes gives the core's bytes.
"""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import rfc8785
from nacl.exceptions import CryptoError
from nacl.signing import SigningKey, VerifyKey

from corr_tui.protocol.errors import SignatureRefused
from corr_tui.protocol.event import PROTOCOL, Event, read_core, read_event
from corr_tui.protocol.scalars import Refusal, decode_signature_value, encode_base64url
from corr_tui.protocol.strict_json import COLLECTION_LIMITS, Json, decode

SIGNING_DOMAIN = PROTOCOL.encode("ascii") + b"\x00"

_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), check_circular=False)


def jcs(value: Json) -> bytes:
    """RFC 8785 bytes of any value of this profile, whatever its names; raises JsonRefused for any other (§2, §3).

    The library alone would write fractions and trip over unpaired surrogates, so the value goes through strict decoding
    first: this is for values of unknown origin, not for speed.
    """
    admitted: Any = decode(json.dumps(value).encode("ascii"), COLLECTION_LIMITS)
    return rfc8785.dumps(admitted)


def event_jcs(checked: Mapping[str, Any]) -> bytes:
    """RFC 8785 bytes of a core or an event that `read_core` or `read_event` has admitted (§3)."""
    return _SORTED.encode(checked).encode("utf-8")


def core_bytes(checked: Mapping[str, Any]) -> bytes:
    """The canonical bytes that a signature covers (§3, step 2)."""
    return event_jcs({name: part for name, part in checked.items() if name not in ("event_id", "signature")})


def signing_digest(core_jcs: bytes) -> bytes:
    """The 32 bytes that are signed (§3, step 3)."""
    return sha256(SIGNING_DOMAIN + core_jcs).digest()


def sign(core: Mapping[str, Any], seed: bytes) -> Event:
    """The signed event for a core, under a 32-byte Ed25519 seed (§3, steps 1 to 7).

    Raises EventRefused when the core breaks the profile and SignatureRefused when the seed is not 32 bytes.
    """
    checked = read_core(dict(core)).evidence
    if len(seed) != 32:
        raise SignatureRefused("seed_length", "an Ed25519 seed has exactly 32 bytes")
    signature = SigningKey(seed).sign(signing_digest(event_jcs(checked))).signature
    signed = {
        **checked,
        "signature": {"algorithm": "Ed25519", "value_b64url": encode_base64url(signature)},
    }
    return read_event({**signed, "event_id": event_id_of(event_jcs(signed))})


def event_id_of(signed_jcs: bytes) -> str:
    """The identifier of canonical signed bytes (§3, step 6)."""
    return f"sha256:{sha256(signed_jcs).hexdigest()}"


def verify(event: Event, public_key: bytes) -> None:
    """Prove identifier and signature of an event under a 32-byte public key, or raise SignatureRefused (§3)."""
    core_jcs = check_event_id(event)
    check_signature(event, core_jcs, public_key)


def check_event_id(event: Event) -> bytes:
    """Recompute the identifier; returns the core's canonical bytes, or raises SignatureRefused (§3)."""
    signed = {name: part for name, part in event.evidence.items() if name != "event_id"}
    signed_jcs = event_jcs(signed)
    expected = event_id_of(signed_jcs)
    if expected != event.event_id:
        raise SignatureRefused("event_id_mismatch", f"these signed bytes have the identifier {expected}")
    piece = f'"signature":{{"algorithm":"Ed25519","value_b64url":"{event.signature.value_b64url}"}},'
    return signed_jcs.replace(piece.encode("ascii"), b"", 1)


def check_signature(event: Event, core_jcs: bytes, public_key: bytes) -> None:
    """Prove the signature over the core's canonical bytes, or raise SignatureRefused (§3)."""
    try:
        signature = decode_signature_value(event.signature.value_b64url)
        VerifyKey(public_key).verify(signing_digest(core_jcs), signature)
    except Refusal as refusal:
        raise SignatureRefused(refusal.code, refusal.message) from None
    except (CryptoError, ValueError, TypeError):
        message = "the Ed25519 signature does not match the canonical core"
        raise SignatureRefused("signature_invalid", message) from None


def public_key_of(seed: bytes) -> bytes:
    """The 32-byte public key of a 32-byte seed."""
    return bytes(SigningKey(seed).verify_key)


def decode_key(text: str) -> bytes:
    """The 32 bytes of a key in standard base64, or SignatureRefused."""
    try:
        key = b64decode(text.strip(), validate=True)
    except (Base64Error, ValueError):
        raise SignatureRefused("key_encoding", "a key is 32 bytes in standard base64") from None
    if len(key) != 32:
        raise SignatureRefused("key_length", "a key has exactly 32 bytes")
    return key
