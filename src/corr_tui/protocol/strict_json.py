"""Strict I-JSON from bytes (§2).

Only objects, arrays, strings, booleans, null and integers within ±(2^53−1) are admitted. Duplicate decoded names,
invalid UTF-8, a byte order mark, unpaired surrogates, U+0000, fractions, exponents, negative zero, NaN and infinities
are refused, each with its own reason and the path of the first offence.

Decoding runs once through the standard library with hooks that only notice an offence. When there is one, a second
pass decodes the same text with every offence left in place as a mark, and walks the result in document order: the
path of an offence costs nothing until there is one.
"""

from __future__ import annotations

import json
import re
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


def decode(raw: bytes, limits: Limits = EVENT_LIMITS) -> Json:
    """The one value in `raw`, or JsonRefused with a reason of MESSAGES and the path of the first offence (§2)."""
    if raw.startswith(b"\xef\xbb\xbf"):
        raise refused("byte_order_mark")
    try:
        text = raw.decode("utf-8", "strict")
    except UnicodeDecodeError:
        raise refused("invalid_utf8") from None
    try:
        value: Json = STRICT.decode(text)
    except _Offence:
        _refuse_first_offence(text)
    except RecursionError:
        raise refused("too_deep", _path_at_depth(text, limits.depth)) from None
    except json.JSONDecodeError as error:
        raise JsonRefused("invalid_json", f"{error.msg} at character {error.pos}") from None
    if "\\u" in text and _has_escaped_offence(value):
        _refuse_first_offence(text)
    _check_limits(text, value, limits)
    return value


def refused(reason: str, path: JsonPath = ()) -> JsonRefused:
    """The refusal for one reason of MESSAGES."""
    return JsonRefused(reason, MESSAGES[reason], path)


# The quick pass: notice that something is wrong, not where.


class _Offence(Exception):
    """Raised by a hook of the quick pass."""


def _offence(_: str) -> NoReturn:
    raise _Offence


def _integer(digits: str) -> int:
    """The integer; more than 17 characters cannot be safe, and long digit strings are slow to convert."""
    if len(digits) > 17 or digits == "-0":
        raise _Offence
    value = int(digits)
    if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        raise _Offence
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Offence
    return value


STRICT = json.JSONDecoder(object_pairs_hook=_object, parse_float=_offence, parse_int=_integer, parse_constant=_offence)

_BAD_SCALAR = re.compile("[\x00\ud800-\udfff]")


def _has_escaped_offence(value: Json) -> bool:
    """Whether a decoded string holds U+0000 or a surrogate; in decoded UTF-8 only an escape can bring one."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            if _BAD_SCALAR.search(part):
                return True
        elif isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part)
            waiting.extend(part.values())
    return False


def _check_limits(text: str, value: Json, limits: Limits) -> None:
    """Refuse too deep or too large a value. Counting brackets and commas bounds both, so most values are not walked."""
    openings = text.count("[") + text.count("{")
    if openings <= limits.depth and openings + text.count(",") < limits.nodes // 2:
        return
    nodes = 1
    level: list[Json] = [value]
    for _ in range(limits.depth + 1):
        containers = [part for part in level if isinstance(part, (list, dict))]
        if not containers:
            return
        level = []
        for part in containers:
            if isinstance(part, dict):
                nodes += 2 * len(part)
                level.extend(part.values())
            else:
                nodes += len(part)
                level.extend(part)
        if nodes > limits.nodes:
            raise refused("too_many_nodes")
    raise refused("too_deep", _path_at_depth(text, limits.depth))


# The slow pass, only ever run on a text that is about to be refused: find the first offence and its path.


class _Mark(NamedTuple):
    """An offence left in place of the number it is."""

    reason: str


class _Pairs(NamedTuple):
    """An object with its names as they came, repetitions included."""

    pairs: list[tuple[str, Any]]


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
    object_pairs_hook=_Pairs,
    parse_float=_marked_float,
    parse_int=_marked_integer,
    parse_constant=lambda _: _Mark("invalid_json_number"),
)


def _refuse_first_offence(text: str) -> NoReturn:
    """Raise for the first offence in document order, or for broken syntax further on where there is some."""
    try:
        marked = _MARKING.decode(text)
    except json.JSONDecodeError as error:
        raise JsonRefused("invalid_json", f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        raise refused("too_deep", _path_at_depth(text, EVENT_LIMITS.depth)) from None
    waiting: list[tuple[JsonPath, Any]] = [((), marked)]
    while waiting:
        path, part = waiting.pop()
        if isinstance(part, _Mark):
            raise refused(part.reason, path)
        if isinstance(part, _Pairs):
            waiting.extend(reversed(_members(path, part)))
        elif isinstance(part, list):
            waiting.extend(reversed([((*path, index), item) for index, item in enumerate(part)]))
        elif isinstance(part, str) and (bad := _BAD_SCALAR.search(part)):
            raise refused("nul_not_admitted" if bad[0] == "\0" else "non_scalar_unicode", path)
    raise AssertionError("the quick pass noticed an offence that the slow pass does not know")


def _members(path: JsonPath, value: _Pairs) -> list[tuple[JsonPath, Any]]:
    """What to look at inside one object, in order: each name, a mark for a repeated one, then its value."""
    members: list[tuple[JsonPath, Any]] = []
    seen: set[str] = set()
    for name, item in value.pairs:
        place = (*path, name)
        if _BAD_SCALAR.search(name):
            members.append((path, name))
        elif name in seen:
            members.append((place, _Mark("duplicate_object_name")))
        seen.add(name)
        members.append((place, item))
    return members


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]', re.DOTALL)


def _path_at_depth(text: str, depth: int) -> JsonPath:
    """The path of the first container that lies deeper than `depth`, from the tokens alone: the text may be too deep to
    decode at all."""
    stack: list[int | str] = []
    name = ""
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "[" | "{" as opening:
                if len(stack) == depth:
                    return tuple(stack)
                stack.append(0 if opening == "[" else "")
            case "]" | "}":
                stack.pop()
            case ",":
                if isinstance(stack[-1], int):
                    stack[-1] += 1
            case ":":
                stack[-1] = name
            case string:
                name = json.loads(string)
    return ()
