"""Verifying and decoding, against the bare signature check and the plain parser."""

from __future__ import annotations

import json
from hashlib import sha256

import rfc8785
from nacl.signing import VerifyKey

from corr_tui.protocol import signing, strict_json
from corr_tui.protocol.event import Event, read_event
from corr_tui.protocol.records import read_voice
from corr_tui.protocol.scalars import decode_signature_value
from corr_tui.protocol.strict_json import COLLECTION_LIMITS
from tests.bench.measure import side_by_side
from tests.correspondents import World, claim


def voice_of(events: int, words: int) -> bytes:
    """A voice with that many recent events, each with so many words."""
    world = World()
    for number in range(events):
        world.say("ana", "observation", summary="word " * words, paths=[f"src/{number}"])
    for number in range(20):
        world.say("bo", "claim.open", claim_id=claim(number), expires_in=3600, paths=[f"docs/{number}"])
    return json.dumps(world.voice()).encode()


def main() -> None:
    """Print each ratio of targets 2 and 3."""
    world = World()
    small = world.event("ana", "claim.open", claim_id=claim(1), expires_in=3600, paths=["src/api"])
    large = world.event(
        "ana",
        "handoff",
        summary="𝄞" * 2000,
        next_safe_action="𝄞" * 1000,
        paths=[f"{n:02d}" + "é" * 250 for n in range(64)],
    )
    key = world.people["ana"].public_key
    for title, event in (("typical event", small), ("large event", large)):
        verify_against_bare(title, event, key)
    for title, raw in (("67 KB voice", voice_of(40, 100)), ("voice with many rows", voice_of(50, 190))):
        side_by_side(
            f"decode a {title} ({len(raw) // 1000} KB) ÷ json.loads",
            lambda raw=raw: strict_json.decode(raw, COLLECTION_LIMITS),  # type: ignore[misc]
            lambda raw=raw: json.loads(raw),  # type: ignore[misc]
            "≤ 2",
        )
    hostile = b"[" * 60 + b"]" * 60 + b" " * 65_000
    side_by_side(
        "decode a nested hostile body ÷ json.loads",
        lambda: strict_json.decode(hostile),
        lambda: json.loads(hostile),
        "≤ 4",
    )
    raw = voice_of(40, 100)
    side_by_side(
        "decode and read a voice ÷ json.loads",
        lambda: read_voice(strict_json.decode(raw, COLLECTION_LIMITS)),
        lambda: json.loads(raw),
        "none",
    )


def verify_against_bare(title: str, event: Event, key: bytes) -> None:
    """Read and verify against the bare signature check, and against rfc8785 used twice."""
    evidence = event.evidence
    core = {name: part for name, part in evidence.items() if name not in ("event_id", "signature")}
    digest = signing.signing_digest(signing.event_jcs(core))
    signature = decode_signature_value(event.signature.value_b64url)

    def bare() -> None:
        VerifyKey(key).verify(digest, signature)

    def plain() -> None:
        read_event(evidence)
        sha256(rfc8785.dumps({name: part for name, part in evidence.items() if name != "event_id"})).hexdigest()
        VerifyKey(key).verify(signing.signing_digest(rfc8785.dumps(core)), signature)

    side_by_side(
        f"read and verify a {title} ÷ bare Ed25519", lambda: signing.verify(read_event(evidence), key), bare, "≤ 2"
    )
    side_by_side(
        f"read and verify a {title} ÷ with rfc8785 twice",
        lambda: signing.verify(read_event(evidence), key),
        plain,
        "< 1",
    )
