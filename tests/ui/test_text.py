"""The text door: whatever goes in, one line of printable cells comes out."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.ui.text import HIDDEN, cells, clean, clean_lines, first_words, quoted, typed

ANY_TEXT = st.text(st.characters(codec=None, categories=None))
"""Every code point, lone surrogates among them."""
NASTY = st.text(
    "aｱ漢 \x1b\x9b\u202e\u2066\u200b\u200d\ufe0f\u0301\u0e33👩🏽🇩\U000e0041\ue000\u1160\u0378\n\t\v\u2028\u3164\ud800"
)


@given(st.one_of(ANY_TEXT, NASTY))
def test_what_leaves_the_door_is_printable_and_has_a_width(text: str) -> None:
    cleaned = clean(text)
    assert all(unicodedata.category(each)[0] not in "CZ" or each == " " for each in cleaned)
    assert cells(cleaned) == sum(cells(each) for each in cleaned)


@given(st.one_of(ANY_TEXT, NASTY))
def test_the_door_is_idempotent(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.one_of(ANY_TEXT, NASTY), st.integers(0, 30))
def test_a_width_is_kept_and_idempotent(text: str, width: int) -> None:
    cut = clean(text, width)
    assert cells(cut) <= width
    assert clean(cut, width) == cut


@given(st.one_of(ANY_TEXT, NASTY), st.integers(2, 30))
def test_folded_lines_keep_the_width_and_every_word(text: str, width: int) -> None:
    lines = clean_lines(text, width)
    assert lines
    assert all(cells(line) <= width and clean(line) == line for line in lines)
    whole = "".join(clean(part) for part in text.splitlines())
    assert "".join(lines).replace(" ", "") == whole.replace(" ", "")


@given(st.one_of(ANY_TEXT, NASTY), st.integers(0, 30))
def test_quotes_and_first_words_keep_the_width(text: str, width: int) -> None:
    assert cells(quoted(text, width)) <= max(width, 2)
    assert cells(first_words(text, width)) <= width


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"),
        ("\x9b2J", f"{HIDDEN}2J"),
        ("\x7f", "␡"),
        ("a\nb\r\nc\u2028d\u2029e\x85f", "a⏎b⏎c⏎d⏎e⏎f"),
        ("a\tb\u00a0c\u3000d", "a b c d"),
        ("safe\u202etxt.exe", f"safe{HIDDEN}txt.exe"),
        ("\u2066x\u2069\u200e\u200f\u061c", f"{HIDDEN}x{HIDDEN * 4}"),
        ("b\u200bo", f"b{HIDDEN}o"),
        ("b\u200do", f"b{HIDDEN}o"),
        ("b\ufe0fo", f"b{HIDDEN}o"),
        ("\ufeffx\u00ad", f"{HIDDEN}x{HIDDEN}"),
        ("\U000e0041\U000e007f", HIDDEN * 2),
        ("\ud800\udc00", HIDDEN * 2),
        ("\ue000\U0010ffff\u0378", HIDDEN * 3),
        ("\u3164\u115f", HIDDEN * 2),
        ("z\u0301\u0302\u0303\u0304\u0305", "z\u0301\u0302\u0303"),
        ("\u0301x", f"{HIDDEN}x"),
        ("ଅ\u0300\u200c", "ଅ\u0300"),
        ("👩\u200d💻 ❤\ufe0f 👍🏽", "👩💻 ❤ 👍"),
        ("🇩🇪", "DE"),
        ("می\u200cخواهم", "میخواهم"),
        ("[bold]x[/bold][@click=app.quit]y[/]", "[bold]x[/bold][@click=app.quit]y[/]"),
    ],
)
def test_hostile_text_is_shown_and_does_nothing(hostile: str, shown: str) -> None:
    assert clean(hostile) == shown


def test_texts_that_differ_by_something_hidden_do_not_look_alike() -> None:
    assert len({clean(name) for name in ("bo", "b\u200bo", "b\u2060o​x", "b\u00ado!")}) == 4


def test_quoted_words_lose_their_line_breaks_to_a_sign_and_their_runs_of_blanks() -> None:
    assert quoted("a   b\nc") == "“a b⏎c”"
    assert quoted("Retry with full jitter", 14) == "“Retry with…”"


def test_first_words_end_between_words_where_that_loses_little() -> None:
    assert first_words("Retry with full jitter, cap at 30 s", 18) == "Retry with full…"
    assert first_words("x" * 40, 10) == "xxxxxxxxx…"


@given(st.one_of(ANY_TEXT, NASTY))
def test_a_field_takes_words_as_they_are_and_nothing_that_would_not_show(text: str) -> None:
    into = typed(text)
    assert typed(into) == into
    assert HIDDEN not in clean(into) or HIDDEN in text
    assert "\n" not in into
    assert "\x1b" not in into


def test_a_field_keeps_what_scripts_and_emoji_need() -> None:
    for words in ("می\u200cخواهم", "❤\ufe0f", "👩\u200d💻", "é e\u0301"):
        assert typed(words) == words
