"""Canonical bytes, signatures and identifiers (§3)."""

from __future__ import annotations

import json
from base64 import b64encode
from copy import deepcopy
from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.signing import SigningKey

from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.errors import EventRefused, JsonRefused, ProtocolError, SignatureRefused
from corr_tui.protocol.event import Event, Signature, read_event
from corr_tui.protocol.scalars import encode_base64url
from corr_tui.protocol.signing import (
    check_event_id,
    check_signature,
    core_bytes,
    decode_key,
    event_id_of,
    event_jcs,
    jcs,
    public_key_of,
    sign,
    signing_digest,
    verify,
)
from corr_tui.protocol.strict_json import decode
from tests.protocol.examples import SEED, changed, core, event_id, issues_of, signed, uuid
from tests.protocol.strategies import JSON, SCALARS, cores

KEY = public_key_of(SEED)
OTHER_SEED = bytes(32)


def refusal(event: Event, key: bytes = KEY) -> str:
    """The reason for which verification refuses an event; fails when it does not."""
    with pytest.raises(SignatureRefused) as caught:
        verify(event, key)
    return caught.value.reason


# Canonical bytes.


@given(JSON)
def test_jcs_is_rfc8785_on_every_value_of_the_profile(value: Any) -> None:
    """§3: the whole profile, whatever its names."""
    assert jcs(value) == rfc8785.dumps(value)
    assert decode(jcs(value)) == value


def test_jcs_orders_names_by_utf16_units() -> None:
    """§3: U+1F600 sorts before U+E000, unlike by code point."""
    assert jcs({"\ue000": 1, "😀": 2, "a": 3}) == '{"a":3,"😀":2,"\ue000":1}'.encode()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"n": 1.5}, "fractional_number"),
        ({"n": 1.0}, "fractional_number"),
        ({"n": 1e300}, "exponent_number"),
        ({"n": -0.0}, "negative_zero"),
        ({"n": float("nan")}, "invalid_json_number"),
        ({"n": float("inf")}, "invalid_json_number"),
        ({"n": 2**53}, "unsafe_integer"),
        ({"n": "\ud800"}, "non_scalar_unicode"),
        ({"\udfff": 1}, "non_scalar_unicode"),
        ({"n": "\0"}, "nul_not_admitted"),
    ],
)
def test_jcs_refuses_what_the_profile_does_not_admit(value: Any, reason: str) -> None:
    """§3, step 1: the library alone would write fractions, and fail untidily on unpaired surrogates."""
    with pytest.raises(JsonRefused) as caught:
        jcs(value)
    assert caught.value.reason == reason
    assert isinstance(caught.value, ProtocolError)


@given(cores())
def test_the_quick_canonical_form_is_rfc8785_on_every_valid_event(value: dict[str, Any]) -> None:
    """§3: sorted names and no spaces are RFC 8785 for closed ASCII names and safe integers."""
    event = sign(value, SEED)
    assert event_jcs(value) == rfc8785.dumps(value)
    assert event_jcs(event.evidence) == rfc8785.dumps(event.evidence)


@given(st.text(SCALARS, min_size=1, max_size=50))
def test_the_quick_canonical_form_escapes_as_rfc8785_does(text: str) -> None:
    """§3: escapes of control characters, quotation marks and backslashes, and nothing else."""
    value = core("intent", {"summary": text})
    assert event_jcs(value) == rfc8785.dumps(value)


def test_every_ascii_and_control_character_is_escaped_as_rfc8785_does() -> None:
    """§3: all of U+0001–U+00FF and the line separators at once."""
    value = {"summary": "".join(map(chr, range(1, 256))) + "\u2028\u2029\ufeff\uffff\U0010ffff"}
    assert event_jcs(value) == rfc8785.dumps(value)


# Signing.


@given(cores())
@settings(max_examples=50)
def test_whatever_is_signed_verifies(value: dict[str, Any]) -> None:
    """§3: sign, read, verify; the core is what was composed."""
    before = deepcopy(value)
    event = sign(value, SEED)
    assert value == before
    verify(event, KEY)
    verify(read_event(decode(json.dumps(event.evidence).encode())), KEY)
    assert {name: event.evidence[name] for name in value} == before


def test_signing_follows_the_steps() -> None:
    """§3, steps 2 to 7, one by one."""
    value = core()
    digest = signing_digest(rfc8785.dumps(value))
    assert len(digest) == 32
    signature = SigningKey(SEED).sign(digest).signature
    with_signature = {**value, "signature": {"algorithm": "Ed25519", "value_b64url": encode_base64url(signature)}}
    event = sign(value, SEED)
    assert event.evidence == {**with_signature, "event_id": event_id_of(rfc8785.dumps(with_signature))}


def test_signing_refuses_what_breaks_the_profile() -> None:
    """§3, step 1: validate first."""
    with pytest.raises(EventRefused):
        sign(core("intent", {"summary": ""}), SEED)
    with pytest.raises(EventRefused):
        sign(core(authority={"automatic_action": "never", "grants": ["write"]}), SEED)
    with pytest.raises(EventRefused):
        sign(signed().evidence, SEED)


@pytest.mark.parametrize("text", ["a\ud800", "\udcff", "a\0b"])
@pytest.mark.parametrize("path", [("body", "summary"), ("thread_id",), ("scope", "branch")])
def test_signing_refuses_strings_that_were_never_decoded(text: str, path: tuple[str, ...]) -> None:
    """§2, §3, step 1: an argument of a command line may hold an unpaired surrogate."""
    reason = "nul_not_admitted" if "\0" in text else "non_scalar_unicode"
    assert issues_of(changed(core(), path, text)) == [(path, reason)]
    with pytest.raises(EventRefused):
        sign(changed(core(), path, text), SEED)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_seed_has_32_bytes(length: int) -> None:
    """§3, step 4."""
    with pytest.raises(SignatureRefused) as caught:
        sign(core(), bytes(length))
    assert caught.value.reason == "seed_length"


# Verifying.

TAMPERED: list[tuple[tuple[str | int, ...], object]] = [
    (("project_id",), uuid(9)),
    (("repository_id",), "repo:example/gadgets"),
    (("thread_id",), "task:43"),
    (("sender", "identity_id"), uuid(9)),
    (("sender", "signing_key_id"), uuid(9)),
    (("sender", "device_id"), uuid(9)),
    (("sender", "session_id"), uuid(9)),
    (("kind",), "progress"),
    (("parents",), [event_id(2), event_id(1)]),
    (("parents",), []),
    (("session_seq",), 2),
    (("issued_at",), "2026-07-19T10:00:00.001Z"),
    (("scope", "base_revision"), "a" * 40),
    (("scope", "branch"), "main"),
    (("scope", "paths"), ["src/api", "docs"]),
    (("scope", "paths", 0), "docs2"),
    (("body", "summary"), "in wordѕ"),
]


@pytest.mark.parametrize(("path", "part"), TAMPERED)
def test_a_change_of_any_field_breaks_the_identifier(path: tuple[str | int, ...], part: object) -> None:
    """§3: the server and every reader recompute it."""
    tampered = read_event(changed(signed().evidence, path, part))
    assert refusal(tampered) == "event_id_mismatch"


@pytest.mark.parametrize(("path", "part"), TAMPERED)
def test_a_change_of_any_field_breaks_the_signature_even_under_a_new_identifier(
    path: tuple[str | int, ...], part: object
) -> None:
    """§3: whoever recomputes the identifier cannot recompute the signature."""
    tampered = changed(signed().evidence, path, part)
    del tampered["event_id"]
    tampered["event_id"] = event_id_of(event_jcs(tampered))
    assert refusal(read_event(tampered)) == "signature_invalid"


def test_every_field_of_the_core_was_tampered_with() -> None:
    """No field is left out of the two tests above, save constants that cannot change."""
    assert {path[0] for path, _ in TAMPERED} == set(core()) - {"protocol", "authority"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_of_any_member_of_any_body_breaks_the_signature(kind: str) -> None:
    """§3: bodies are covered whole; leaving an optional field out is a change too."""
    event = signed(kind)
    for name in event.evidence["body"]:
        smaller = deepcopy(event.evidence)
        del smaller["body"][name]
        assert event_jcs(smaller) != event_jcs(event.evidence)
        with pytest.raises(ProtocolError):
            verify(read_event(smaller), KEY)


def test_absent_and_null_are_different_signed_bytes() -> None:
    """§3, §5: `until`."""
    bare, null = signed("pause", {}), signed("pause", {"until": None})
    assert bare.event_id != null.event_id
    with pytest.raises(SignatureRefused):
        verify(read_event(changed(bare.evidence, ("body", "until"), None)), KEY)


def test_the_order_of_names_on_the_wire_does_not_matter() -> None:
    """§3: received values are parsed and re-canonicalized; the order of lists is signed."""

    def reverse(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: reverse(value[name]) for name in reversed(value)}
        return value

    event = signed("claim.renew")
    reordered = read_event(decode(json.dumps(reverse(event.evidence), indent=3).encode()))
    assert json.dumps(reordered.evidence) != json.dumps(event.evidence)
    verify(reordered, KEY)


def test_receipt_time_and_unknown_members_are_never_part_of_an_event() -> None:
    """§4: the receipt is not covered; a closed event cannot carry it."""
    assert issues_of({**signed().evidence, "received_seq": "1"}, read_event) == [
        (("received_seq",), "unknown_event_field")
    ]


def test_another_key_is_refused() -> None:
    """§3."""
    assert refusal(signed(), public_key_of(OTHER_SEED)) == "signature_invalid"


@pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
def test_a_key_of_another_length_is_refused(length: int) -> None:
    """§3: Ed25519 keys have 32 bytes."""
    assert refusal(signed(), bytes(length)) == "signature_invalid"


SMALL_ORDER = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
]


@pytest.mark.parametrize(
    "key", [*SMALL_ORDER, "ff" * 32, "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"]
)
def test_small_order_and_garbage_keys_are_refused(key: str) -> None:
    """§3: under a key of small order a signature of zeros would hold for many messages."""
    event = signed()
    forged = changed(event.evidence, ("signature", "value_b64url"), encode_base64url(bytes.fromhex(key) + bytes(32)))
    del forged["event_id"]
    forged["event_id"] = event_id_of(event_jcs(forged))
    assert refusal(read_event(forged), bytes.fromhex(key)) == "signature_invalid"
    assert refusal(event, bytes.fromhex(key)) == "signature_invalid"


def test_a_signature_with_an_unreduced_scalar_is_refused() -> None:
    """§3: S + L verifies nowhere, so a signature has one form."""
    order = 2**252 + 27742317777372353535851937790883648493
    event = signed()
    signature = SigningKey(SEED).sign(signing_digest(core_bytes(event.evidence))).signature
    scalar = int.from_bytes(signature[32:], "little") + order
    forged = encode_base64url(signature[:32] + scalar.to_bytes(32, "little"))
    value = changed(event.evidence, ("signature", "value_b64url"), forged)
    del value["event_id"]
    value["event_id"] = event_id_of(event_jcs(value))
    assert refusal(read_event(value)) == "signature_invalid"


@pytest.mark.parametrize("text", ["", "A" * 85 + "B", "A" * 86 + "==", "+" * 86])
def test_a_signature_that_is_not_canonical_base64url_is_refused(text: str) -> None:
    """§3: before it can affect anything: by the reader, and by the check of a view that never was read."""
    event = signed()
    path = ("signature", "value_b64url")
    assert issues_of(changed(event.evidence, path, text), read_event) == [(path, "signature_encoding")]
    unread = msgspec.structs.replace(event, signature=Signature(algorithm="Ed25519", value_b64url=text))
    with pytest.raises(SignatureRefused) as caught:
        check_signature(unread, core_bytes(event.evidence), KEY)
    assert caught.value.reason == "signature_encoding"


@given(cores())
@settings(max_examples=100)
def test_cutting_the_signature_out_gives_the_core(value: dict[str, Any]) -> None:
    """§3: one canonicalization serves both digests, whatever the strings look like."""
    event = sign(value, SEED)
    assert check_event_id(event) == rfc8785.dumps(value) == core_bytes(event.evidence)


@pytest.mark.parametrize(
    "text",
    [
        '"signature":{"algorithm":"Ed25519","value_b64url":"{}"}},',
        '\\"signature\\":{\\"algorithm\\":\\"Ed25519\\",\\"value_b64url\\":\\"{}\\"}},',
        ',"signature":{"algorithm":"Ed25519","value_b64url":"',
        "\\",
        '"',
    ],
)
@pytest.mark.parametrize("path", [("body", "summary"), ("repository_id",), ("thread_id",), ("scope", "branch")])
def test_a_string_that_looks_like_a_signature_is_not_cut(text: str, path: tuple[str, ...]) -> None:
    """§3: in canonical text a quotation mark inside a string is always escaped."""
    value = changed(core(), path, text)
    event = sign(value, SEED)
    assert check_event_id(event) == rfc8785.dumps(value)
    verify(event, KEY)


# Keys.


def test_a_key_is_32_bytes_in_standard_base64() -> None:
    """The form in which services list public keys."""
    text = b64encode(KEY).decode()
    assert decode_key(text) == KEY
    assert decode_key(f" {text}\n") == KEY


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "key_length"),
        (b64encode(bytes(31)).decode(), "key_length"),
        (b64encode(bytes(33)).decode(), "key_length"),
        (encode_base64url(b"\xff" * 32), "key_encoding"),
        ("é", "key_encoding"),
        ("A", "key_encoding"),
        ("-----BEGIN PUBLIC KEY-----", "key_encoding"),
    ],
)
def test_other_forms_of_a_key_are_refused(text: str, reason: str) -> None:
    """No URL alphabet, no PEM, no other length."""
    with pytest.raises(SignatureRefused) as caught:
        decode_key(text)
    assert caught.value.reason == reason


def test_the_message_of_a_refused_key_does_not_hold_it() -> None:
    """A key file may hold a seed."""
    with pytest.raises(SignatureRefused) as caught:
        decode_key("hunter2!")
    assert "hunter2" not in str(caught.value)
