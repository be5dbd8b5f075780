"""The one door for text written by others (§5: text, never commands; §9; experience: honesty).

Whatever came from the network, a file or a command passes `clean` before a terminal sees it, whether in a panel, a
notice, a title, the clipboard's confirmation or the output of a command. What comes out is one line of printable
characters, each with a width of its own; nothing in it moves the cursor, changes a colour, reverses the reading
order or hides. It is never markup: whoever draws it draws it as plain text.

    line breaks                           ⏎
    tabs and every other blank            a space
    C0 controls and DEL                   their pictures: ␛ for ESC
    C1, bidi controls, zero-width and     �, so that two texts that differ do not look alike
    other invisible characters, tags,
    surrogates, private use, unassigned
    joiners and variation selectors       dropped where scripts and emoji use them, else �
    regional indicators                   their letters
    combining marks                       at most three on one character, none on nothing

`clean` is idempotent, so passing the door twice does no harm.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import category

from rich.cells import cell_len, get_character_cell_size, split_graphemes

HIDDEN = "�"
"""Stands for a character that would not show, or would change how others show."""
BREAK = "⏎"
"""Stands for a line break."""
ELLIPSIS = "…"
MAX_MARKS = 3
"""Combining marks kept on one character; three is what pointed Hebrew needs."""

_BREAKS = re.compile("\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_JOINERS = frozenset({0x200C, 0x200D, *range(0xFE00, 0xFE10), *range(0x1F3FB, 0x1F400)})
"""Zero-width joiners, variation selectors and skin tones: they change the character before them."""
_FIRST_JOINABLE = 0x590
"""Below it stand Latin, Greek, Cyrillic and Armenian, where a joiner only hides."""
_INVISIBLE = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xE0000, 0xE1000)}
)
"""Default-ignorable code points whose general category does not say so."""
_BLANKS = frozenset({0x09, 0x2800})
_REGIONAL = range(0x1F1E6, 0x1F200)


def clean(text: str, width: int | None = None) -> str:
    """One line of printable characters; at most `width` cells when given, cut with an ellipsis.

    Takes any string, also one that holds lone surrogates, and raises nothing.
    """
    safe = text if text.isascii() and text.isprintable() else _cleaned(text)
    return safe if width is None else cut(safe, width)


def clean_lines(text: str, width: int) -> tuple[str, ...]:
    """Clean lines of at most `width` cells: broken where the text breaks, then at blanks, then anywhere."""
    return tuple(line for part in _BREAKS.split(text) for line in _wrapped(clean(part), max(width, 2)))


def quoted(text: str, width: int | None = None) -> str:
    """The words of others, clean and in quotation marks; at most `width` cells with the marks when given."""
    words = " ".join(clean(text).split())
    return f"“{words if width is None else cut(words, max(width - 2, 0))}”"


def first_words(text: str, width: int) -> str:
    """The beginning of a text, clean, blanks collapsed; cut between words when that loses little, with an ellipsis."""
    words = " ".join(clean(text).split())
    if cells(words) <= width:
        return words
    short = cut(words, width)
    start, blank, _ = short[:-1].rpartition(" ")
    return f"{start}{ELLIPSIS}" if blank and cells(start) >= width * 2 // 3 else short


def typed(text: str) -> str:
    """What a person may put into a one-line field: the same words, without what would not show in it.

    Line breaks and other blanks become spaces. Joiners and marks that scripts and emoji need stay, because these are
    the person's own words and are posted as they stand.
    """
    kept: list[str] = []
    base = " "
    for character in _BREAKS.sub(" ", text):
        shown = _shown(character)
        if shown is None:
            if base != " " and (ord(character) not in _JOINERS or ord(base) >= _FIRST_JOINABLE):
                kept.append(character)
            continue
        if shown in (character, " ") or ord(character) in _REGIONAL:
            kept.append(" " if shown == " " else character)
            base = shown
    return "".join(kept)


def cells(text: str) -> int:
    """How many terminal cells clean text takes; one for each character of ASCII, which most of it is."""
    return len(text) if text.isascii() else cell_len(text)


def cut(text: str, width: int) -> str:
    """Clean text in at most `width` cells; an ellipsis stands for what is cut off its end."""
    if cells(text) <= width:
        return text
    if width <= 0:
        return ""
    if text[:width].isascii():
        return text[: width - 1].rstrip() + ELLIPSIS
    kept, room = 0, width - 1
    for _, end, size in split_graphemes(text)[0]:
        if size > room:
            break
        kept, room = end, room - size
    return text[:kept].rstrip() + ELLIPSIS


def _cleaned(text: str) -> str:
    """Every character replaced by what may be shown for it."""
    kept: list[str] = []
    base, marks = " ", 0
    for character in _BREAKS.sub(BREAK, text):
        shown = _shown(character)
        if shown is None and base != " ":
            if ord(character) not in _JOINERS:
                marks += 1
                kept += character if marks <= MAX_MARKS else ""
                continue
            if ord(base) >= _FIRST_JOINABLE:
                continue
        base, marks = shown or HIDDEN, 0
        kept.append(base)
    return "".join(kept)


@lru_cache(maxsize=4096)
def _shown(character: str) -> str | None:
    """What is shown for one character, or None when that depends on the characters before it."""
    code = ord(character)
    if 0x20 <= code < 0x7F:
        return character
    if code in _BLANKS:
        return " "
    if code < 0x20 or code == 0x7F:
        return chr(0x2421 if code == 0x7F else 0x2400 + code)
    if code in _JOINERS:
        return None
    if code in _REGIONAL:
        return chr(code - _REGIONAL.start + ord("A"))
    kind = category(character)
    if kind == "Zs":
        return " "
    if kind[0] == "C" or code in _INVISIBLE:
        return HIDDEN
    if kind in ("Mn", "Me") or get_character_cell_size(character) == 0:
        return None
    return character


def _wrapped(text: str, width: int) -> list[str]:
    """Clean text folded at blanks, and inside a word only when the word alone is too wide."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if cells(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = _chopped(word, width)
        lines += full
    return [*lines, line]


def _chopped(word: str, width: int) -> list[str]:
    """One word in pieces of at most `width` cells; at least one piece."""
    pieces, start, size = [], 0, 0
    for begin, _, wide in split_graphemes(word)[0]:
        if size + wide > width:
            pieces.append(word[start:begin])
            start, size = begin, 0
        size += wide
    return [*pieces, word[start:]]
