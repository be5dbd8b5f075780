"""Strict I-JSON: what is refused, for which reason, and where (§2)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corr_tui.protocol.errors import JsonRefused
from corr_tui.protocol.strict_json import COLLECTION_LIMITS, EVENT_LIMITS, MESSAGES, Limits, decode
from tests.protocol.strategies import INTEGERS, JSON, SCALARS


def refusal(raw: bytes | str, limits: Limits = EVENT_LIMITS) -> tuple[str, tuple[str | int, ...]]:
    """The reason and the path for which bytes are refused; fails when they are not."""
    with pytest.raises(JsonRefused) as caught:
        decode(raw.encode("utf-8") if isinstance(raw, str) else raw, limits)
    assert caught.value.reason in MESSAGES
    return caught.value.reason, caught.value.path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"a":1,"a":2}', ("a",)),
        ('{"a":1,"a":1}', ("a",)),
        ('{"":1,"":1}', ("",)),
        (r'{"a":1,"\u0061":2}', ("a",)),
        (r'{"\u00e9":1,"é":2}', ("é",)),
        (r'{"\ud83d\ude00":1,"😀":2}', ("😀",)),
        (r'{"a\"b":1,"a\u0022b":2}', ('a"b',)),
        (r'{"a\\":1,"a\u005c":2}', ("a\\",)),
        ('{"x":[{"y":1},{"y":1,"z":2,"y":3}]}', ("x", 1, "y")),
        ('{"a" :1,"a"\n:2,"b":":x"}', ("a",)),
        ('{"a":{"b":"lost","c":"lost"},"a":"\\"\\""}', ("a",)),
        ('{"a":1,"b":"\\"","a":2}', ("a",)),
    ],
)
def test_a_repeated_decoded_name_is_refused_at_that_name(text: str, path: tuple[str | int, ...]) -> None:
    """§2: duplicate object names, compared after escapes are resolved."""
    assert refusal(text) == ("duplicate_object_name", path)


def test_names_that_differ_in_any_scalar_are_different() -> None:
    """§2: no normalization, no case folding."""
    text = '{"é":1,"e\u0301":2,"É":3,"a":4,"A":5,"a ":6}'
    assert decode(text.encode()) == {"é": 1, "e\u0301": 2, "É": 3, "a": 4, "A": 5, "a ": 6}


@pytest.mark.parametrize(
    "raw",
    [
        b"\xff",
        b'"\xc3"',
        b'"\xc0\x80"',
        b'"\xed\xa0\x80"',
        b'"\xf4\x90\x80\x80"',
        b'\xff\xfe"\x00a\x00"\x00',
        b'"\xe2\x82"',
    ],
)
def test_invalid_utf8_is_refused(raw: bytes) -> None:
    """§2: overlong forms, encoded surrogates, values beyond U+10FFFF and other encodings."""
    assert refusal(raw) == ("invalid_utf8", ())


def test_a_byte_order_mark_is_refused_wherever_it_leads() -> None:
    """§2: I-JSON is UTF-8 without a mark."""
    assert refusal(b"\xef\xbb\xbf{}") == ("byte_order_mark", ())
    assert refusal(b"\xef\xbb\xbf") == ("byte_order_mark", ())
    assert decode('"\ufeff"'.encode()) == "\ufeff"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (r'"\ud800"', ()),
        (r'"\udfff"', ()),
        (r'{"s":"\ud800"}', ("s",)),
        (r'{"s":["a","b\udc00c"]}', ("s", 1)),
        (r'["\ude00\ud83d"]', (0,)),
        (r'["\ud83d\u0041"]', (0,)),
        (r'["\\ud83d\ude00"]', (0,)),
        (r'{"\ud800":1}', ()),
        (r'{"a":{"b\uDFFF":1}}', ("a",)),
    ],
)
def test_an_unpaired_surrogate_is_refused_in_values_and_names(text: str, path: tuple[str | int, ...]) -> None:
    """§2: unpaired surrogates, which only escapes can bring."""
    assert refusal(text) == ("non_scalar_unicode", path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\ude00"', "😀"),
        (r'{"\ud83d\ude00":"\uD83D\uDE00"}', {"😀": "😀"}),
        (r'"\\ud800"', r"\ud800"),
        (r'"\\u0000"', r"\u0000"),
        (r'["\"", "\\", ":\"x\":"]', ['"', "\\", ':"x":']),
        (r'{"\"a\"":"\\\""}', {'"a"': '\\"'}),
        (r'"\ue000\u0001\u007f"', "\ue000\u0001\u007f"),
    ],
)
def test_escapes_of_scalar_values_are_admitted(text: str, value: object) -> None:
    """§2: what only looks like an offence is none."""
    assert decode(text.encode()) == value


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (r'"\u0000"', ()),
        (r'{"s":"a\u0000b"}', ("s",)),
        (r'{"\u0000":"value"}', ()),
        (r'[{"a":{"x\u0000":1}}]', (0, "a")),
        (r'["\\\u0000"]', (0,)),
    ],
)
def test_nul_is_refused_in_values_and_names(text: str, path: tuple[str | int, ...]) -> None:
    """§2: U+0000 in string values and decoded object names."""
    assert refusal(text) == ("nul_not_admitted", path)


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        ("1.5", "fractional_number"),
        ("1.0", "fractional_number"),
        ("-1.0", "fractional_number"),
        ("-0.5", "fractional_number"),
        ("0.0", "fractional_number"),
        ("1.5e3", "fractional_number"),
        ("1e2", "exponent_number"),
        ("1E+2", "exponent_number"),
        ("0e0", "exponent_number"),
        ("-1e0", "exponent_number"),
        ("-0", "negative_zero"),
        ("-0.0", "negative_zero"),
        ("-0e1", "negative_zero"),
        ("-0.00E-7", "negative_zero"),
        ("NaN", "invalid_json_number"),
        ("Infinity", "invalid_json_number"),
        ("-Infinity", "invalid_json_number"),
        ("9007199254740992", "unsafe_integer"),
        ("-9007199254740992", "unsafe_integer"),
        ("90071992547409910", "unsafe_integer"),
        ("1" * 5000, "unsafe_integer"),
        ("-" + "9" * 5000, "unsafe_integer"),
    ],
)
@pytest.mark.parametrize(
    ("form", "path"), [("{}", ()), ('{{"n":{}}}', ("n",)), ("[0,{}]", (1,)), ('[{{"a":[1,\n{} ]}}]', (0, "a", 1))]
)
def test_each_number_of_another_profile_has_its_reason(
    number: str, reason: str, form: str, path: tuple[str | int, ...]
) -> None:
    """§2: only integers within ±(2^53−1), and no negative zero."""
    assert refusal(form.format(number)) == (reason, path)


@pytest.mark.parametrize("number", [0, 1, -1, 9007199254740991, -9007199254740991, 1000000000000000])
def test_integers_up_to_the_edge_are_admitted(number: int) -> None:
    """§2: the bounds themselves are safe."""
    assert decode(str(number).encode()) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "{",
        "[1,]",
        '{"a":1,}',
        "{} {}",
        "1 2",
        "null,",
        "nul",
        "True",
        "'a'",
        "{a:1}",
        '{"a"}',
        '{"a":}',
        "[1 2]",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "-00",
        "1e",
        "-NaN",
        '"a',
        '"\\x"',
        '"\\u12"',
        '"\n"',
        '"\t"',
        '"\x00"',
        '"\x1f"',
        "\x0b1",
        "\x0c1",
        "\u00a01",
        "1\u2028",
        "/* */1",
        "]",
        "[}",
        '{"a":1,"a":2',
        "[-0",
        "[1.5,,]",
    ],
)
def test_anything_else_is_not_json(text: str) -> None:
    """§2: broken syntax outranks every offence before it."""
    assert refusal(text) == ("invalid_json", ())


def test_the_refusal_of_broken_syntax_says_where() -> None:
    """The message holds the character, never the text around it."""
    with pytest.raises(JsonRefused, match="at character 5") as caught:
        decode(b"[1,2 secret]")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\r", " \r\n\t "])
def test_json_whitespace_is_admitted_between_tokens(space: str) -> None:
    """§3: harmless whitespace alters nothing."""
    text = space.join(["", "{", '"a"', ":", "[", "1", ",", '"b"', "]", ",", '"c"', ":", "{", "}", "}", ""])
    assert decode(text.encode()) == {"a": [1, "b"], "c": {}}


@pytest.mark.parametrize("number", ["0", "true", "null", '"x"', "[]", "{}"])
def test_any_value_may_stand_at_the_root(number: str) -> None:
    """A decoder of JSON texts, not only of objects."""
    assert decode(number.encode()) == json.loads(number)


def test_strings_are_kept_exactly() -> None:
    """§2: no normalization of any kind."""
    text = "e\u0301 é \r\n \u2028 ﬁ Ⅷ K \U0010ffff \u007f\u0085"
    assert decode(json.dumps(text, ensure_ascii=False).encode()) == text


# Order: the first offence in the document counts.


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[1.5,{"a":1,"a":2},-0]', ("fractional_number", (0,))),
        ('[{"a":1,"a":2},1.5]', ("duplicate_object_name", (0, "a"))),
        ('{"a":-0,"a":1}', ("negative_zero", ("a",))),
        (r'{"a":"\u0000","a":1.5}', ("nul_not_admitted", ("a",))),
        (r'{"a":1,"\ud800":{"b":1.5}}', ("non_scalar_unicode", ())),
        (r'["\u0000\ud800","\ud800"]', ("nul_not_admitted", (0,))),
        (r'["\ud800\u0000"]', ("non_scalar_unicode", (0,))),
        (r'{"\u0000":1,"\u0000":2}', ("nul_not_admitted", ())),
    ],
)
def test_the_first_offence_in_the_document_counts(text: str, found: tuple[str, Any]) -> None:
    """The order of reasons is that of the text."""
    assert refusal(text) == found


# Limits: how deep, how many.


def nested(depth: int, inner: str = "") -> str:
    """Arrays inside each other."""
    return "[" * depth + inner + "]" * depth


def test_depth_is_exact() -> None:
    """Containers inside each other: 64 are admitted, 65 are not."""
    assert decode(nested(64).encode()) == json.loads(nested(64))
    assert refusal(nested(65)) == ("too_deep", (0,) * 64)
    assert decode(nested(64, "1,2").encode())
    assert decode(('{"a":' * 64 + "1" + "}" * 64).encode())
    assert refusal('{"a":' * 65 + "1" + "}" * 65) == ("too_deep", ("a",) * 64)


def test_depth_is_told_with_the_path_of_the_container() -> None:
    """Indexes and names, beside brackets in strings and after closed neighbours."""
    inner = nested(62)
    deep = nested(63)
    assert decode(f'[1,{{"a]":"[[[{{","b":[[]],"c":{inner}}}]'.encode())
    assert refusal(f'[1,{{"a]":"[[[{{","b\\u0020":[[]],"c\\"":{deep}}}]') == ("too_deep", (1, 'c"', *[0] * 62))


@pytest.mark.parametrize("tail", ["", "]" * 99_999, "}", "!", '"'])
def test_a_hundred_thousand_brackets_are_too_deep_whatever_follows(tail: str) -> None:
    """The text cannot even be decoded; nothing is read beyond the container that is too deep."""
    assert refusal("[" * 100_000 + tail) == ("too_deep", (0,) * 64)
    assert refusal('{"a":[' * 50_000 + tail) == ("too_deep", ("a", 0) * 32)


@pytest.mark.parametrize("depth", [65, 900, 5_000])
def test_the_reason_does_not_depend_on_how_much_deeper_it_gets(depth: int) -> None:
    """A parser that runs out of stack and one that does not refuse alike."""
    path = (1, *(0,) * 63)
    assert refusal("[0," + "[" * depth + "]" * depth + "]") == ("too_deep", path)
    assert refusal("[0," + "[" * depth + ",") == ("too_deep", path)
    assert refusal("[-0," + "[" * depth + "]" * depth + "]") == ("negative_zero", (0,))
    assert refusal("[-0," + "[" * depth + ",") == ("negative_zero", (0,))
    assert refusal('{"a":1,"a":' + "[" * depth + ",") == ("duplicate_object_name", ("a",))
    assert refusal('{"\\u0000":' + "[" * depth + ",") == ("nul_not_admitted", ())


def test_broken_syntax_before_the_depth_is_not_json() -> None:
    """The order of reasons: whatever stands first in the text."""
    assert refusal("[1,," + nested(70)) == ("invalid_json", ())
    assert refusal('["' + "[" * 70 + "\x01") == ("invalid_json", ())
    assert refusal('["\\' + "[" * 70) == ("invalid_json", ())
    assert refusal("[" + "[]," * 70) == ("invalid_json", ())
    assert refusal("[" + "{}," * 70) == ("invalid_json", ())


def test_nodes_are_counted_exactly() -> None:
    """Values and names: 10,000 are admitted, 10,001 are not."""
    assert decode(json.dumps([0] * 9_999).encode()) == [0] * 9_999
    assert refusal(json.dumps([0] * 10_000)) == ("too_many_nodes", ())
    names = {str(number): number for number in range(4_999)}
    assert decode(json.dumps(names).encode()) == names
    assert decode(json.dumps([names]).encode()) == [names]
    assert refusal(json.dumps([names, 0])) == ("too_many_nodes", ())
    assert refusal(json.dumps({**names, "5000": 0})) == ("too_many_nodes", ())


def test_nodes_count_on_every_level() -> None:
    """A tree of many small containers is as large as a flat one."""
    tree = [[[0] * 9] * 9] * 100  # 1 + 100 + 900 + 8,100
    assert decode(json.dumps(tree).encode()) == tree
    assert refusal(json.dumps([*tree, *[0] * 900])) == ("too_many_nodes", ())
    assert decode(json.dumps([*tree, *[0] * 899]).encode())


def test_commas_and_brackets_in_strings_are_no_nodes() -> None:
    """Only structure counts."""
    value = {"s": ",[{" * 20_000}
    assert decode(json.dumps(value).encode()) == value


def test_an_offence_outranks_too_many_nodes() -> None:
    """The order of reasons: size comes last."""
    assert refusal("[" + "0," * 10_000 + "-0]") == ("negative_zero", (10_000,))
    assert refusal("[" + "0," * 10_000 + nested(64) + "]")[0] == "too_deep"


def test_a_collection_may_be_larger() -> None:
    """A page of many events is admitted where a single event is not."""
    page = [[number, "x"] for number in range(20_000)]
    assert decode(json.dumps(page).encode(), COLLECTION_LIMITS) == page
    assert refusal(json.dumps([0] * 1_000_000), COLLECTION_LIMITS) == ("too_many_nodes", ())
    assert refusal("[[[]]]", Limits(2, 100)) == ("too_deep", (0, 0))


def test_an_exhausted_stack_of_the_caller_is_not_the_texts_fault() -> None:
    """A value of admitted depth is never refused as too deep."""

    def down() -> None:
        decode(nested(60).encode())
        down()

    with pytest.raises(RecursionError):
        down()


# Laws.


@given(JSON)
@example({"a": '"', "b": "\\", "c": ':"', '"': '\\\\"'})
def test_every_value_of_the_profile_comes_back(value: object) -> None:
    """§2: whatever is admitted is decoded to what it is, escaped or not, spaced or not."""
    assert decode(json.dumps(value).encode()) == value
    assert decode(json.dumps(value, ensure_ascii=False, indent=1, separators=(" ,", " : ")).encode()) == value


@given(st.binary(max_size=200))
def test_random_bytes_are_decoded_or_refused(raw: bytes) -> None:
    """Nothing but JsonRefused leaves the decoder, and what it admits the plain parser reads alike."""
    try:
        value = decode(raw)
    except JsonRefused:
        return
    assert value == json.loads(raw)


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *'{}[],:"\\1 ',
            *("-0", "1.5", "1e1", "NaN", "true", "9" * 17, "\\u0000", "\\ud800"),
            *('"a"', '"b"', '"a":1', '"\\u0061":2', '{"a":1,"a":2}', '"\\\\"', '"\\"a"'),
        ]
    ),
    max_size=20,
)


@given(FRAGMENTS.map("".join))
def test_random_fragments_are_decoded_or_refused_with_a_path_that_exists(text: str) -> None:
    """The path of a refusal leads to a part of the document."""
    try:
        value = decode(text.encode())
    except JsonRefused as error:
        if error.reason == "invalid_json":
            return
        part: Any = json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
        for step in error.path:
            part = part[step]
        return
    assert value == json.loads(text)
    assert json.dumps(value, sort_keys=True).count(":") == json.dumps(json.loads(text), sort_keys=True).count(":")


PROFILE_BREAKERS = st.sampled_from(
    [
        ("1.5", "fractional_number"),
        ("-0", "negative_zero"),
        ("NaN", "invalid_json_number"),
        ('"\\ud800"', "non_scalar_unicode"),
    ]
)


@given(st.lists(INTEGERS | st.text(SCALARS, max_size=5), max_size=8), st.integers(0, 8), PROFILE_BREAKERS)
def test_an_offence_is_found_wherever_it_stands(items: list[Any], index: int, breaker: tuple[str, str]) -> None:
    """The path names the place, whatever stands around it."""
    texts = [json.dumps(item) for item in items]
    index = min(index, len(texts))
    texts.insert(index, breaker[0])
    assert refusal(f'{{"a":[{",".join(texts)}]}}') == (breaker[1], ("a", index))


@given(st.dictionaries(st.text(SCALARS, max_size=5), st.integers(0, 9), min_size=1, max_size=8), st.data())
def test_a_repeated_name_is_found_whatever_its_spelling(members: dict[str, int], data: st.DataObject) -> None:
    """§2: a name repeated with other escapes."""
    name = data.draw(st.sampled_from(sorted(members)))
    spelt = "".join(f"\\u{unit:04x}" for unit in _units(name))
    text = json.dumps(members, ensure_ascii=False)[:-1] + f', "{spelt}": 0}}'
    assert refusal(text) == ("duplicate_object_name", (name,))


def _units(text: str) -> list[int]:
    raw = text.encode("utf-16-be")
    return [int.from_bytes(raw[place : place + 2], "big") for place in range(0, len(raw), 2)]
