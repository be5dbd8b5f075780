"""What somebody looks for in a history: words, all of which an event has to hold, in whatever order.

A word is found where a word begins with it; words in quotation marks, or joined as in `src/api`, follow each other.
Case and accents do not count. What is looked through is what people would: what was said, the paths, the thread, the
kind and who said it, by the name the service lists as well as by identity.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from corr_tui.protocol.event import Event
from corr_tui.state.snapshot import Heard, Identity

_TERM = re.compile(r'"([^"]*)"?|(\S+)')
_WORD = re.compile(r"[^\W_]+")
_IDENTIFIERS = re.compile(r"\A(?:sha256:[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\Z")
MOST_TERMS = 32


class Texts(NamedTuple):
    """What of one event is looked through."""

    said: str
    paths: str
    thread: str
    kind: str
    sender: str


class Wanted:
    """Words to look for; false when there are none."""

    def __init__(self, words: str, identities: Mapping[str, Identity]) -> None:
        terms = [_tokens(quoted or plain) for quoted, plain in _TERM.findall(words)]
        self._terms = [term for term in terms if term][:MOST_TERMS]
        self._named = [
            [each.identity_id for each in identities.values() if _holds(_tokens(each.name), term)]
            for term in self._terms
        ]

    def __bool__(self) -> bool:
        return bool(self._terms)

    def expression(self) -> str:
        """The same as an FTS5 expression; what is quoted holds letters and digits only."""
        return " AND ".join(map(self._one, self._terms, self._named))

    @staticmethod
    def _one(term: list[str], named: list[str]) -> str:
        senders = "".join(f' OR sender : "{" ".join(_tokens(each))}"' for each in named)
        return f'("{" ".join(term)}" *{senders})'

    def found_in(self, heard: Heard) -> bool:
        """Whether an event holds them all."""
        texts = texts_of(heard)
        columns = [_tokens(text) for text in texts]
        return all(
            texts.sender in named or any(_holds(tokens, term) for tokens in columns)
            for term, named in zip(self._terms, self._named, strict=True)
        )


def texts_of(heard: Heard) -> Texts:
    """What of an event is looked through; of a malformed one whatever text it holds."""
    event = heard.record.event
    if not isinstance(event, Event):
        return Texts("\n".join(_strings(event.evidence)), "", "", "", "")
    said = "\n".join(_strings(event.evidence["body"]))
    return Texts(said, "\n".join(event.scope.paths), event.thread_id, event.kind, event.sender.identity_id)


def indexed(heard: Heard) -> tuple[str, ...]:
    """The words of an event, column by column, for an index."""
    return tuple(" ".join(_tokens(text)) for text in texts_of(heard))


def _strings(value: object) -> Iterator[str]:
    """The strings in a value but for identifiers, which nobody looks for by their parts."""
    if isinstance(value, str):
        if not _IDENTIFIERS.match(value):
            yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _tokens(text: str) -> list[str]:
    """The words of a text, without case and accents."""
    if not text.isascii():
        text = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return _WORD.findall(text.casefold())


def _holds(tokens: list[str], term: list[str]) -> bool:
    """Whether the words of a term follow each other, the last one perhaps begun only."""
    *whole, begun = term or [""]
    return any(
        tokens[start : start + len(whole)] == whole and tokens[start + len(whole)].startswith(begun)
        for start in range(len(tokens) - len(whole))
    )
