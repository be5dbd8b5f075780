"""Strict I-JSON from bytes (§2).

Only objects, arrays, strings, booleans, null and integers within ±(2^53−1) are admitted. Duplicate decoded names,
invalid UTF-8, a byte order mark, unpaired surrogates, U+0000, fractions, exponents, negative zero, NaN and infinities
are refused, each with its own reason and the path of the first offence.

Decoding runs once through the standard library with hooks that only notice an offence, and measures the result. When
something is or may be wrong, a second pass decodes the same text with every offence left in place as a mark, and walks
it in document order: the path of an offence costs nothing until there is one.

The order of reasons is fixed. A byte order mark and invalid UTF-8 come first; broken syntax outranks every offence,
except that nothing is read beyond a container that lies too deep; then the first offence in document order counts; too
many nodes come last.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn, TypeAlias

from corr_tui.protocol.errors import JsonPath, JsonRefused

Json: TypeAlias = bool | int | str | list["Json"] | dict[str, "Json"] | None
"""A decoded value of this profile."""

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON implementation keeps exact."""


class Limits(NamedTuple):
    """How much structure a decoder admits: containers inside each other, and values and names in all."""

    depth: int
    nodes: int


EVENT_LIMITS = Limits(depth=64, nodes=10_000)
"""For one event: far above what the closed schema can hold."""

COLLECTION_LIMITS = Limits(depth=64, nodes=1_000_000)
"""For a page of records or a snapshot: many events, but never an unbounded tree."""

MESSAGES = {
    "invalid_utf8": "the bytes are not well-formed UTF-8",
    "byte_order_mark": "JSON starts with its value, not with a byte order mark",
    "invalid_json": "the text is not JSON",
    "duplicate_object_name": "an object repeats a decoded name",
    "nul_not_admitted": "U+0000 is not admitted in a string or a name",
    "non_scalar_unicode": "a string or a name holds an unpaired surrogate",
    "fractional_number": "a number has a fraction; only integers are admitted",
    "exponent_number": "a number has an exponent; only plain integers are admitted",
    "negative_zero": "negative zero is not admitted",
    "invalid_json_number": "NaN and infinities are not JSON numbers",
    "unsafe_integer": "an integer lies outside ±9007199254740991",
    "too_deep": "containers are nested too deeply",
    "too_many_nodes": "there are too many values",
}
"""Every reason this module refuses bytes for, with its sentence."""


BAD_SCALAR = re.compile("[\x00\ud800-\udfff]")
"""What no string value and no name may hold."""


def decode(raw: bytes, limits: Limits = EVENT_LIMITS) -> Json:
    """The one value in `raw`, or JsonRefused with a reason of MESSAGES and the path of the first offence (§2)."""
    if raw.startswith(b"\xef\xbb\xbf"):
        raise refused("byte_order_mark")
    try:
        text = raw.decode("utf-8", "strict")
    except UnicodeDecodeError:
        raise refused("invalid_utf8") from None
    try:
        value: Json = _QUICK.decode(text)
    except (_Offence, RecursionError, json.JSONDecodeError) as noticed:
        raise _refusal(text, limits.depth) or noticed from None
    size = _measure(value)
    suspicious = size.depth > limits.depth or _may_offend(text, size.strings)
    if suspicious and (refusal := _refusal(text, limits.depth)):
        raise refusal
    if size.nodes > limits.nodes:
        raise refused("too_many_nodes")
    return value


def refused(reason: str, path: JsonPath = ()) -> JsonRefused:
    """The refusal for one reason of MESSAGES."""
    return JsonRefused(reason, MESSAGES[reason], path)


def reason_of(bad_scalar: str) -> str:
    """The reason to refuse what BAD_SCALAR has found."""
    return "nul_not_admitted" if bad_scalar == "\0" else "non_scalar_unicode"


# The quick pass: notice that something is or may be wrong, not where.


class _Offence(Exception):
    """Raised by a hook of the quick pass."""


def _offence(_: str) -> NoReturn:
    raise _Offence


@lru_cache(maxsize=1024)
def _integer(digits: str) -> int:
    """The integer; more than 17 characters cannot be safe, and long digit strings are slow to convert."""
    if len(digits) > 17 or digits == "-0":
        raise _Offence
    value = int(digits)
    if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        raise _Offence
    return value


_QUICK = json.JSONDecoder(parse_float=_offence, parse_int=_integer, parse_constant=_offence)


class _Size(NamedTuple):
    """How much structure a decoded value has; `strings` counts names too."""

    nodes: int
    strings: int
    depth: int


def _measure(value: Json) -> _Size:
    """Count level by level, since a value may be nested too deeply to recurse into."""
    values = names = others = depth = 0
    level: list[Any] = [value]
    while level:
        values += len(level)
        rest = [part for part in level if type(part) is not str]
        others += len(rest)
        level = []
        containers = [part for part in rest if type(part) is dict or type(part) is list]
        depth += bool(containers)
        for part in containers:
            if type(part) is dict:
                names += len(part)
                level.extend(part.values())
            else:
                level.extend(part)
    return _Size(names + values, names + values - others, depth)


_BAD_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def _may_offend(text: str, strings: int) -> bool:
    """Whether decoded text may hold a repeated name, U+0000 or an unpaired surrogate.

    A repetition loses a name, and perhaps strings under it: then there are more pairs of quotation marks in the text
    than strings in what it was decoded to. In decoded UTF-8 only an escape can bring U+0000 or a surrogate.
    """
    if "\\" not in text:
        return text.count('"') != 2 * strings
    return _delimiters(text, strings) != 2 * strings or _BAD_ESCAPE.search(text) is not None


def _delimiters(text: str, strings: int) -> int:
    """How many quotation marks delimit strings; marks in them are escaped, but looked for only if the count differs."""
    marks = text.count('"')
    if marks == 2 * strings:
        return marks
    unescaped = text.replace("\\\\", "")
    return unescaped.count('"') - unescaped.count('\\"')


# The slow pass, only run on a text that is or may be refused: find the first offence and its path.


class _Mark(NamedTuple):
    """An offence left in place of the number it is."""

    reason: str


class _Pairs(NamedTuple):
    """An object with its names as they came, repetitions included."""

    pairs: list[tuple[str, Any]]

    def items(self) -> list[tuple[str, Any]]:
        """The members, as a dict gives them."""
        return self.pairs


def _marked_object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Pairs:
    value = dict(pairs)
    return value if len(value) == len(pairs) else _Pairs(pairs)


def _marked_integer(digits: str) -> int | _Mark:
    if digits == "-0":
        return _Mark("negative_zero")
    try:
        return _integer(digits)
    except _Offence:
        return _Mark("unsafe_integer")


def _marked_float(number: str) -> _Mark:
    if number.startswith("-") and not re.search("[1-9]", re.split("[eE]", number)[0]):
        return _Mark("negative_zero")
    return _Mark("fractional_number" if "." in number else "exponent_number")


_MARKING = json.JSONDecoder(
    object_pairs_hook=_marked_object,
    parse_float=_marked_float,
    parse_int=_marked_integer,
    parse_constant=lambda _: _Mark("invalid_json_number"),
)


def _refusal(text: str, depth: int) -> JsonRefused | None:
    """The refusal for what is wrong with a text, if anything is."""
    try:
        marked = _MARKING.decode(text)
    except json.JSONDecodeError as error:
        readable = _cut(text[: error.pos], depth)
        if readable is None:
            return JsonRefused("invalid_json", f"{error.msg} at character {error.pos}")
        marked = _MARKING.decode(readable)
    except RecursionError:
        readable = _cut(text, depth)
        if readable is None:
            raise
        marked = _MARKING.decode(readable)
    found = _first_offence(marked, depth)
    return refused(found[0], tuple(reversed(found[1]))) if found else None


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def _cut(text: str, depth: int) -> str | None:
    """`text` up to the first container that lies deeper than `depth`, with that one empty and the others closed; None
    when there is none. The text may be too deep to decode at all, or broken further on."""
    closings: list[str] = []
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "[" | "{" as opening:
                if len(closings) == depth:
                    return f"{text[: token.start()]}[]{''.join(reversed(closings))}"
                closings.append("]" if opening == "[" else "}")
            case "]" | "}":
                closings.pop()
    return None


_Found: TypeAlias = tuple[str, list[str | int]]
"""A reason, and the steps from its place up to the root."""


def _first_offence(part: Any, depth: int) -> _Found | None:
    """The first offence in a marked value in document order; a container with no `depth` left is one."""
    if isinstance(part, _Mark):
        return part.reason, []
    if isinstance(part, str):
        return _unicode_offence(part)
    if not isinstance(part, (dict, list, _Pairs)):
        return None
    if depth == 0:
        return "too_deep", []
    return _first_in_list(part, depth) if isinstance(part, list) else _first_in_object(part, depth)


def _first_in_list(part: list[Any], depth: int) -> _Found | None:
    for index, item in enumerate(part):
        if type(item) is int or (type(item) is str and item.isascii() and "\0" not in item):
            continue
        if found := _first_offence(item, depth - 1):
            found[1].append(index)
            return found
    return None


def _first_in_object(part: dict[str, Any] | _Pairs, depth: int) -> _Found | None:
    seen: set[str] = set()
    for name, item in part.items():
        if (not name.isascii() or "\0" in name) and (found := _unicode_offence(name)):
            return found
        if name in seen:
            return "duplicate_object_name", [name]
        seen.add(name)
        if type(item) is not int and (found := _first_offence(item, depth - 1)):
            found[1].append(name)
            return found
    return None


def _unicode_offence(text: str) -> _Found | None:
    bad = BAD_SCALAR.search(text)
    return (reason_of(bad[0]), []) if bad else None
