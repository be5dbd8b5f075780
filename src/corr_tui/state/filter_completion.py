"""How a filter may go on at a place in its text: names of fields, and values where they are known (Also)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import NamedTuple

from corr_tui.protocol.bodies import KINDS
from corr_tui.state.filter_grammar import KIND_GROUPS, Field, Filter, Has, Is, Term

_CLOSED: Mapping[Field, tuple[str, ...]] = MappingProxyType(
    {Field.KIND: (*KIND_GROUPS, *KINDS), Field.IS: tuple(Is), Field.HAS: tuple(Has)}
)
_NOTHING: Mapping[Field, Sequence[str]] = MappingProxyType({})
_TOKEN = re.compile(r'(?:"[^"]*"?|[^\s"])*$')
_HEAD = re.compile(r"-?(?:([A-Za-z]+):)?")


class Completion(NamedTuple):
    """A text gone on with, and what else could stand there."""

    text: str
    cursor: int
    """The place after what was put in, in characters from 0."""
    choices: tuple[str, ...]
    """What could stand there, where that is more than one."""


def complete(text: str, cursor: int, known: Mapping[Field, Sequence[str]] = _NOTHING) -> Completion:
    """The text with the term before the cursor gone on with as far as only one way leads; `known` are values of fields
    that take any."""
    before, after = text[:cursor], text[cursor:]
    start = _TOKEN.search(before)
    token = before[start.start() :] if start else ""
    head = _HEAD.match(token)
    begun = token[head.end() :] if head else token
    choices = _choices(head[1] if head else None, begun, known)
    if not choices:
        return Completion(text, cursor, ())
    shared = sum(
        1
        for _ in takewhile(lambda letters: len({each.casefold() for each in letters}) == 1, zip(*choices, strict=False))
    )
    whole = choices[0] if len(choices) == 1 else choices[0][: max(shared, len(begun))]
    end = " " if len(choices) == 1 and not whole.endswith(":") and not after[:1].isspace() else ""
    put = f"{before[: len(before) - len(begun)]}{whole}{end}"
    return Completion(put + after, len(put), choices if len(choices) > 1 else ())


def _choices(name: str | None, begun: str, known: Mapping[Field, Sequence[str]]) -> tuple[str, ...]:
    wanted = begun.casefold()
    if name is None:
        fields = (f"{each}:" for each in Field if each)
        return tuple(each for each in fields if each.startswith(wanted))
    field = next((each for each in Field if each == name.lower()), None)
    if field is None or begun.startswith('"'):
        return ()
    if field in _CLOSED:
        return tuple(str(each) for each in _CLOSED[field] if each.startswith(wanted))
    written = (str(Filter((Term(field, each),))).partition(":")[2] for each in known.get(field, ()) if each.strip())
    return tuple(sorted({each for each in written if each.casefold().startswith(wanted)}))
