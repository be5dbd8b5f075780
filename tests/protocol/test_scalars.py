"""The scalar values: forms, bounds in scalar values, real instants (§2, §2.1, §2.2, §3, §5)."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.protocol import scalars
from corr_tui.protocol.scalars import Check, Refusal
from corr_tui.protocol.strict_json import MAX_SAFE_INTEGER
from tests.protocol import strategies

INTEGERS = ("GenerationOne", "LaterGeneration", "SessionSeq")
STRINGS = (
    "Uuid",
    "EventId",
    "Digest",
    "Revision",
    "OpaqueId",
    "Timestamp",
    "Branch",
    "PathPrefix",
    "Locator",
    "SignatureValue",
    "Text",
    "HandoffText",
)
CHECKS: dict[str, Check] = {name: get_args(getattr(scalars, name))[1] for name in (*STRINGS, *INTEGERS)}


def refusal(scalar: str, value: object) -> str | None:
    """The code for which a scalar refuses a value, or None when it admits it."""
    try:
        CHECKS[scalar](value)
    except Refusal as refused:
        return refused.code
    return None


@pytest.mark.parametrize("scalar", STRINGS)
@pytest.mark.parametrize("value", [None, 1, True, [], {}, b"x"])
def test_a_string_is_expected(scalar: str, value: object) -> None:
    """§2.1: no scalar of another type passes for a string."""
    assert refusal(scalar, value) == "string_expected"


@pytest.mark.parametrize("scalar", STRINGS)
@pytest.mark.parametrize(
    ("value", "code"), [("a\0", "nul_not_admitted"), ("\0", "nul_not_admitted"), ("a\ud800", "non_scalar_unicode")]
)
def test_no_string_holds_nul_or_an_unpaired_surrogate(scalar: str, value: str, code: str) -> None:
    """§2, §3 step 1: what is typed into a draft was never decoded, and is refused before it is signed."""
    assert refusal(scalar, value) == code


@pytest.mark.parametrize("scalar", INTEGERS)
@pytest.mark.parametrize("value", [None, "1", True, False, 1.0, [], {}])
def test_an_integer_is_expected_and_a_boolean_is_none(scalar: str, value: object) -> None:
    """§2: booleans and fractions are not integers."""
    assert refusal(scalar, value) == "integer_expected"


@pytest.mark.parametrize(
    ("scalar", "least", "code"),
    [("SessionSeq", 1, "integer_range"), ("LaterGeneration", 2, "integer_range")],
)
def test_integers_have_bounds(scalar: str, least: int, code: str) -> None:
    """§4, §5: from one, or from two, up to the largest safe integer."""
    assert refusal(scalar, least) is None
    assert refusal(scalar, MAX_SAFE_INTEGER) is None
    assert refusal(scalar, least - 1) == code
    assert refusal(scalar, -1) == code
    assert refusal(scalar, MAX_SAFE_INTEGER + 1) == code


def test_an_open_has_generation_one() -> None:
    """§5: `generation: 1`."""
    assert refusal("GenerationOne", 1) is None
    assert refusal("GenerationOne", 0) == "open_generation_must_be_one"
    assert refusal("GenerationOne", 2) == "open_generation_must_be_one"


UUID = "11111111-1111-4111-8111-1111111111af"


@pytest.mark.parametrize(
    "value", [UUID, "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]
)
def test_a_uuid_is_lowercase_and_hyphenated(value: str) -> None:
    """§2: the canonical form, whatever version the digits say."""
    assert refusal("Uuid", value) is None


@pytest.mark.parametrize(
    "value",
    [
        "",
        UUID.upper(),
        UUID.replace("-", ""),
        f"{{{UUID}}}",
        f"urn:uuid:{UUID}",
        f"{UUID}\n",
        f" {UUID}",
        UUID[:-1],
        UUID + "0",
        UUID[:-1] + "g",
        UUID[:-1] + "１",
    ],
)
def test_other_spellings_of_a_uuid_are_refused(value: str) -> None:
    """§2: one spelling, matched whole."""
    assert refusal("Uuid", value) == "uuid_form"


@pytest.mark.parametrize(("scalar", "code"), [("EventId", "event_id_form"), ("Digest", "digest_form")])
def test_digests_are_64_lowercase_hexadecimal_digits(scalar: str, code: str) -> None:
    """§2.1, §5."""
    digits = "0123456789abcdef" * 4
    assert refusal(scalar, f"sha256:{digits}") is None
    for wrong in (
        "",
        digits,
        f"sha256:{digits}\n",
        f"SHA256:{digits}",
        f"sha256:{digits.upper()}",
        f"sha256:{digits}0",
    ):
        assert refusal(scalar, wrong) == code
    assert refusal(scalar, f"sha256:{digits[1:]}") == code
    assert refusal(scalar, f"sha512:{digits}") == code


@pytest.mark.parametrize("value", ["a" * 40, "0" * 64])
def test_a_revision_has_40_or_64_digits(value: str) -> None:
    """§2.2."""
    assert refusal("Revision", value) is None


@pytest.mark.parametrize(
    "value", ["", "a" * 39, "a" * 41, "a" * 63, "a" * 65, "A" * 40, "g" * 40, "a" * 40 + "\n", "HEAD", "a" * 7]
)
def test_other_revisions_are_refused(value: str) -> None:
    """§2.2: no abbreviation, no name."""
    assert refusal("Revision", value) == "revision_form"


# Instants.


@pytest.mark.parametrize(
    "value",
    [
        "2026-07-19T10:00:00.000Z",
        "0001-01-01T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z",
        "2024-02-29T12:00:00.001Z",
        "2000-02-29T00:00:00.000Z",
    ],
)
def test_real_instants_of_the_years_1_to_9999(value: str) -> None:
    """§2: RFC3339-ms."""
    assert refusal("Timestamp", value) is None


@pytest.mark.parametrize(
    "value",
    [
        "2023-02-29T00:00:00.000Z",
        "1900-02-29T00:00:00.000Z",
        "2026-02-30T00:00:00.000Z",
        "2026-04-31T00:00:00.000Z",
        "2026-00-01T00:00:00.000Z",
        "2026-13-01T00:00:00.000Z",
        "2026-01-00T00:00:00.000Z",
        "2026-01-32T00:00:00.000Z",
        "2026-01-01T24:00:00.000Z",
        "2026-01-01T25:00:00.000Z",
        "2026-01-01T00:60:00.000Z",
        "2016-12-31T23:59:60.000Z",
    ],
)
def test_what_names_no_instant_is_refused(value: str) -> None:
    """§2: no 29 February of a common year, no 24:00, no leap second."""
    assert refusal("Timestamp", value) == "timestamp_not_an_instant"


@pytest.mark.parametrize("value", ["0000-01-01T00:00:00.000Z", "0000-02-29T00:00:00.000Z"])
def test_the_year_zero_is_refused(value: str) -> None:
    """§2: from 0001."""
    assert refusal("Timestamp", value) == "timestamp_year_zero_not_admitted"


@pytest.mark.parametrize(
    "value",
    ["2026-07-19T12:00:00Z", "2026-07-19T12:00:00.0Z", "2026-07-19T12:00:00.00Z", "2026-07-19T12:00:00.0000Z"],
)
def test_exactly_three_digits_of_milliseconds(value: str) -> None:
    """§2: `.sss`."""
    assert refusal("Timestamp", value) == "timestamp_requires_milliseconds"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "2026-07-19",
        "2026-07-19T10:00:00.000",
        "2026-07-19T10:00:00.000+00:00",
        "2026-07-19T10:00:00.000z",
        "2026-07-19t10:00:00.000Z",
        "2026-07-19 10:00:00.000Z",
        "2026-07-19T10:00:00.000Z\n",
        " 2026-07-19T10:00:00.000Z",
        "2026-07-19T10:00:00,000Z",
        "20260719T100000.000Z",
        "+2026-07-19T10:00:00.000Z",
        "-0001-07-19T10:00:00.000Z",
        "10000-01-01T00:00:00.000Z",
        "２026-07-19T10:00:00.000Z",
        "2026-W29-7T10:00:00.000Z",
    ],
)
def test_other_forms_of_an_instant_are_refused(value: str) -> None:
    """§2: exactly `YYYY-MM-DDTHH:mm:ss.sssZ`."""
    assert refusal("Timestamp", value) == "timestamp_form"


@given(strategies.INSTANTS)
def test_every_instant_is_admitted(value: str) -> None:
    """§2: whatever the calendar names."""
    assert refusal("Timestamp", value) is None


# Opaque identifiers, branches, locators.

WHITESPACE = "\t\n\x0b\x0c\r \x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u200a\u2028\u2029\u202f\u205f\u3000"
CONTROLS = [chr(code) for code in (*range(1, 32), *range(127, 160))]


@pytest.mark.parametrize(
    "value", ["a", "task:42", "repo:github.com/example/project", "💡", "\u200b", "\u180e", "é" * 256, "𝄞" * 256]
)
def test_opaque_ids_count_scalar_values(value: str) -> None:
    """§2.1: 1–256 Unicode scalar values."""
    assert refusal("OpaqueId", value) is None


@pytest.mark.parametrize("value", ["", "a" * 257, "𝄞" * 257])
def test_opaque_ids_are_bounded(value: str) -> None:
    """§2.1: 1–256 Unicode scalar values."""
    assert refusal("OpaqueId", value) == "opaque_id_length"


@pytest.mark.parametrize("character", [*WHITESPACE, *CONTROLS, "\ufeff"])
def test_opaque_ids_hold_no_whitespace_bom_or_control(character: str) -> None:
    """§2.1: no Unicode whitespace, U+FEFF or general category Cc, at either end or within."""
    for value in (character, f"a{character}b", f"a{character}", f"{character}a"):
        assert refusal("OpaqueId", value) == "opaque_id_character"


@pytest.mark.parametrize("value", ["main", "feature/äöü with space", "𝄞" * 255, " ", "\u2028", "\ufeff"])
def test_a_branch_is_a_bounded_report(value: str) -> None:
    """§2.2: only controls are refused."""
    assert refusal("Branch", value) is None


@pytest.mark.parametrize("character", CONTROLS)
def test_a_branch_holds_no_control(character: str) -> None:
    """§2.2: no Unicode Cc control."""
    assert refusal("Branch", f"a{character}") == "branch_character"


def test_a_branch_is_bounded() -> None:
    """§2.2: the schema's 1–255 scalar values."""
    assert refusal("Branch", "") == "branch_length"
    assert refusal("Branch", "𝄞" * 256) == "branch_length"


@pytest.mark.parametrize(
    "value",
    [
        "https://example.test/patch",
        "http:",
        "urn:sha256:abc",
        "a:",
        "A+.-9:x",
        "x:é𝄞\u200b",
        "javascript:alert(1)",
        "x:" + "𝄞" * 2046,
    ],
)
def test_a_locator_is_a_scheme_and_anything_without_space(value: str) -> None:
    """§5: an ASCII scheme prefix and zero or more non-whitespace scalar values."""
    assert refusal("Locator", value) is None


@pytest.mark.parametrize(
    "value", ["patches/example.diff", "1bad:value", ":x", "é:x", "a b:c", "-a:b", "a_b:c", "a", "//x", " a:b"]
)
def test_a_locator_needs_a_scheme(value: str) -> None:
    """§5: `[A-Za-z][A-Za-z0-9+.-]*:`."""
    assert refusal("Locator", value) == "locator_scheme"


@pytest.mark.parametrize("character", [*WHITESPACE, *CONTROLS, "\ufeff"])
def test_a_locator_holds_no_whitespace_bom_or_control(character: str) -> None:
    """§5: forbidden anywhere after the scheme."""
    assert refusal("Locator", f"x:{character}") == "locator_character"
    assert refusal("Locator", f"x:a{character}b") == "locator_character"


def test_a_locator_is_bounded() -> None:
    """§5: 1–2048 scalar values."""
    assert refusal("Locator", "") == "locator_length"
    assert refusal("Locator", "x:" + "𝄞" * 2047) == "locator_length"


# Texts.


@pytest.mark.parametrize(("scalar", "most"), [("Text", 1000), ("HandoffText", 2000)])
@pytest.mark.parametrize("character", ["a", "é", "𝄞", "\n", "\x1b", " "])
def test_texts_count_scalar_values(scalar: str, most: int, character: str) -> None:
    """§5: 1–1000 scalar values, 2000 for a handoff summary; U+0000 apart, all of them."""
    assert refusal(scalar, character) is None
    assert refusal(scalar, character * most) is None
    assert refusal(scalar, character * (most + 1)) == "text_length"
    assert refusal(scalar, "") == "text_length"


# Signatures.


@given(st.binary(min_size=64, max_size=64))
def test_64_bytes_have_one_encoding(raw: bytes) -> None:
    """§3: canonical unpadded base64url, there and back."""
    text = scalars.encode_base64url(raw)
    assert refusal("SignatureValue", text) is None
    assert scalars.decode_signature_value(text) == raw


@given(
    st.binary(min_size=64, max_size=64), st.sampled_from("BCDEFGHIJKLMNOPRSTUVWXYZabcdefhijklmnopqrstuvxyz0123456789-_")
)
def test_stray_bits_in_the_last_character_are_refused(raw: bytes, last: str) -> None:
    """§3: only the encoding whose unused bits are zero is canonical."""
    text = scalars.encode_base64url(raw)[:-1] + last
    assert refusal("SignatureValue", text) == "signature_encoding"
    with pytest.raises(Refusal):
        scalars.decode_signature_value(text)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "==",
        lambda text: text[:-1],
        lambda text: text + "A",
        lambda text: text + "\n",
        lambda text: "+" + text[1:],
        lambda text: "/" + text[1:],
        lambda text: " " + text[1:],
        lambda text: "",
    ],
)
def test_other_encodings_of_a_signature_are_refused(change: Any) -> None:
    """§3: no padding, no other alphabet, no other length."""
    assert refusal("SignatureValue", change("A" * 86)) == "signature_encoding"
