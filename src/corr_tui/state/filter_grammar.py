"""The filter grammar: from text to terms that all have to hold, and back (experience: Also).

    words  "quoted words"  kind:ack.*  by:bo  thread:task:42  path:src/api  id:6f9d  is:unverified  has:missing  -term

Terms stand beside each other and each narrows; `-` before one takes away what it finds. A value with blanks stands in
quotation marks, where `\\"` and `\\\\` stand for a quotation mark and a backslash. A word that looks like a field
(`task:42`) or begins with `-` is quoted too. Whatever else is written is refused at its place in the text, and nothing
is guessed. `filter` says which events a term finds.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from enum import StrEnum

from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.scalars import Refusal, check_path_prefix


class Field(StrEnum):
    """What a term asks about; WORDS has no name before its value."""

    WORDS = ""
    KIND = "kind"
    BY = "by"
    THREAD = "thread"
    PATH = "path"
    ID = "id"
    IS = "is"
    HAS = "has"


class Is(StrEnum):
    """The states an event may be asked for; nothing else is one."""

    VERIFIED = "verified"
    LISTED = "listed"
    UNVERIFIED = "unverified"
    NO_KEY = "no-key"
    MISMATCH = "mismatch"
    MALFORMED = "malformed"
    KEY_CHANGED = "key-changed"
    KEY_REVOKED = "key-revoked"
    MINE = "mine"
    UNSENT = "unsent"
    CONFLICTED = "conflicted"
    UNRESOLVED = "unresolved"
    REPAIRED = "repaired"
    LIVE = "live"
    PENDING = "pending"
    INVALID = "invalid"
    OPEN = "open"
    CLOSED = "closed"


class Has(StrEnum):
    """What an event may be asked to have; nothing else can be asked for."""

    MISSING = "missing"
    PARENTS = "parents"
    CITATIONS = "citations"
    ACKS = "acks"
    MY_ACK = "my-ack"
    ARTIFACT = "artifact"
    LOCATOR = "locator"
    UNTIL = "until"


FIELDS = {
    Field.WORDS: "words in what is said, its paths, thread, kind or sender, in whatever case",
    Field.KIND: "a kind; kind:ack.* is every kind that begins so",
    Field.BY: "the sender, by listed name or the start of the identity's id; by:an* is every name that begins so",
    Field.THREAD: "a thread; thread:task:* is every thread that begins so",
    Field.PATH: "what overlaps this path, by the rule of prefixes",
    Field.ID: "the start of an event id, or a receipt number: id:#4810",
    Field.IS: "a state of the event",
    Field.HAS: "something the event has",
}
"""What each field asks, for people."""
MEANINGS = {
    Is.VERIFIED: "the signature holds under a key pinned here before",
    Is.LISTED: "the signature holds under a key this service lists, pinned on first use",
    Is.UNVERIFIED: "no signature was proved here, for whatever reason",
    Is.NO_KEY: "no key is known to prove the signature by",
    Is.MISMATCH: "bytes and signature, identifier or place do not belong together",
    Is.MALFORMED: "it is no event of this profile",
    Is.KEY_CHANGED: "the service lists another key under an id pinned here",
    Is.KEY_REVOKED: "the signature holds under a key that was revoked since",
    Is.MINE: "it names the identity signed as here as its sender",
    Is.UNSENT: "it is signed here and has no receipt",
    Is.CONFLICTED: "it is a side of a conflict: branches, a fork, an overlap, or one that was raised",
    Is.UNRESOLVED: "it raises a conflict that no resolution cites",
    Is.REPAIRED: "a repair cites it",
    Is.LIVE: "it is the tip of an active claim",
    Is.PENDING: "it continues a claim event that is not known yet",
    Is.INVALID: "it continues a claim it cannot continue",
    Is.OPEN: "nobody reported its thread closed or handed off, or work went on since",
    Is.CLOSED: "its thread was reported closed",
    Has.MISSING: "a parent that is not stored",
    Has.PARENTS: "at least one parent",
    Has.CITATIONS: "an event other than an acknowledgement that names it as parent",
    Has.ACKS: "an acknowledgement by anybody, a rejection included",
    Has.MY_ACK: "an acknowledgement by the identity signed as here",
    Has.ARTIFACT: "an artifact it offers",
    Has.LOCATOR: "a place where its artifact may be inspected",
    Has.UNTIL: "an instant it says it is away until",
}
"""What each state and possession means, for people."""
KIND_GROUPS = ("ack.*", "claim.*", "conflict.*")
"""The families of kinds."""


class FilterRefused(Exception):
    """A text that is no filter: the place in it, the rule, and what would be known there."""

    def __init__(self, position: int, length: int, rule: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(f"{rule}: {', '.join(known)}" if known else rule)
        self.position = position
        """Where in the text, in characters from 0."""
        self.length = length
        """How many characters it is about, at least 1; it may be the place just after the text."""
        self.rule = rule
        """The rule in words of ours."""
        self.known = known
        """The values that can stand there, if they are few."""


@dataclasses.dataclass(frozen=True, slots=True)
class Term:
    """One thing asked. Where it stood in the text does not make it another."""

    field: Field
    value: str
    negated: bool = False
    position: int = dataclasses.field(default=0, compare=False)
    length: int = dataclasses.field(default=0, compare=False)

    def __str__(self) -> str:
        shown = f"{self.field}:" if self.field else ""
        return f"{'-' if self.negated else ''}{shown}{_written(self.value, bare_word=not self.field)}"


@dataclasses.dataclass(frozen=True, slots=True)
class Filter:
    """Terms that all have to hold; without any, everything is found. Its text reads back as the same filter."""

    terms: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    def __bool__(self) -> bool:
        return bool(self.terms)


_BLANKS = re.compile(r"\s*")
_NAME = re.compile(r"([A-Za-z]+):")
_BARE = re.compile(r'[^\s"]*')
_QUOTED = re.compile(r'"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"')
_ESCAPE = re.compile(r'\\(["\\])')
_ID = re.compile(r"(?:sha256:)?([0-9a-f]{1,64})…?")
_NUMBER = re.compile(r"#[1-9][0-9]{0,39}")


def parse_filter(text: str) -> Filter:
    """The filter that a text writes down; raises FilterRefused and nothing else, whatever the text."""
    return Filter(tuple(_terms(text)))


def _terms(text: str) -> Iterator[Term]:
    place = _end(_BLANKS, text, 0)
    while place < len(text):
        term = _term(text, place)
        yield term
        place = _end(_BLANKS, text, place + term.length)


def _term(text: str, start: int) -> Term:
    """The term that begins at `start`."""
    negated = text[start] == "-"
    place = start + negated
    name = _NAME.match(text, place)
    asked = Field.WORDS
    if name:
        asked = _field(name[1], place)
        place = name.end()
    elif negated and text[place : place + 1] == "-":
        raise FilterRefused(start, 2, "a term is negated by one -; quote a word that begins with -")
    value, end = _value(text, place)
    if end == place:
        known = _known(asked)
        rule = f"{asked}: asks for a value" if asked else "- takes away what the term after it finds, and there is none"
        raise FilterRefused(start, max(end - start, 1), rule, known)
    try:
        value = _checked(asked, value)
    except Refusal as refused:
        raise FilterRefused(place, end - place, refused.message, _known(asked)) from None
    return Term(asked, value, negated, start, end - start)


def _field(name: str, place: int) -> Field:
    known = {str(each): each for each in Field if each}
    if name.lower() not in known:
        rule = f"no field is called {name.lower()[:32]}; quote it to look for the words, or use"
        raise FilterRefused(place, len(name) + 1, rule, tuple(f"{each}:" for each in known))
    return known[name.lower()]


def _value(text: str, place: int) -> tuple[str, int]:
    """The value that begins at `place`, and where it ends; the two are equal where there is none."""
    if text[place : place + 1] == '"':
        quoted = _QUOTED.match(text, place)
        if quoted is None:
            raise FilterRefused(place, len(text) - place, "this quotation mark is not closed")
        value, end = _ESCAPE.sub(r"\1", quoted[1]), quoted.end()
    else:
        end = _end(_BARE, text, place)
        value = text[place:end]
    if end < len(text) and not text[end].isspace():
        rule = "a quotation mark opens a whole value" if text[end] == '"' else "a blank follows a closed quotation mark"
        raise FilterRefused(end, 1, rule)
    return value, end


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Where a pattern that may match nothing ends."""
    found = pattern.match(text, place)
    return place if found is None else found.end()


def _checked(asked: Field, value: str) -> str:
    """The value as it is kept; raises Refusal with the rule it breaks."""
    if not value.strip():
        raise Refusal("filter_empty", "there is nothing between the quotation marks")
    match asked:
        case Field.KIND:
            return _kind(value.lower())
        case Field.IS | Field.HAS:
            if value.lower() not in _known(asked):
                raise Refusal("filter_unknown", f"{asked}: knows only")
            return value.lower()
        case Field.PATH:
            path = value.rstrip("/")
            check_path_prefix(path)
            return path
        case Field.ID:
            return _id(value.lower())
        case _:
            return value


def _kind(value: str) -> str:
    if not any(kind == value or (value[-1] == "*" and kind.startswith(value[:-1])) for kind in KINDS):
        raise Refusal("filter_kind", "no kind is called or begins so; the kinds are")
    return value


def _id(value: str) -> str:
    start = _ID.fullmatch(value)
    if start is None and not _NUMBER.fullmatch(value):
        raise Refusal("filter_id", "must be the start of an event id in hexadecimal, or a receipt number such as #4810")
    return start[1] if start else value


def _known(asked: Field) -> tuple[str, ...]:
    """The values a field takes, where they are a closed set."""
    match asked:
        case Field.KIND:
            return (*KIND_GROUPS, *KINDS)
        case Field.IS:
            return tuple(Is)
        case Field.HAS:
            return tuple(Has)
        case _:
            return ()


def _written(value: str, *, bare_word: bool) -> str:
    """A value as it is written, in quotation marks where it would read as something else without."""
    looks_otherwise = bare_word and (value.startswith("-") or _NAME.match(value))
    if _BARE.fullmatch(value) and not looks_otherwise:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
