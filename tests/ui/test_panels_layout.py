"""Columns, truncation and glyphs: the cells everything stands in (look: glyphs; space and alignment)."""

from __future__ import annotations

from datetime import UTC, date, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.state.snapshot import Verdict
from corr_tui.ui import times
from corr_tui.ui.glyphs import VERDICTS, Glyph, plain
from corr_tui.ui.layout import (
    Cell,
    columns,
    cut_name,
    cut_start,
    dim,
    dimmed,
    ends,
    fit,
    joined,
    merged,
    spaced,
    text,
    trim,
    width_of,
)
from corr_tui.ui.line import Ink, Row, Span
from corr_tui.ui.text import cells, clean
from tests.ui.panel_scene import said

WORDS = st.text(max_size=30).map(clean)
SPANS = st.lists(st.builds(Span, WORDS, st.sampled_from(Ink)), max_size=5)
WIDTHS = st.integers(0, 90)


def test_every_glyph_takes_one_cell_and_stands_for_one_thing() -> None:
    symbols = [glyph.symbol for glyph in Glyph]
    assert all(cells(symbol) == 1 and len(symbol) == 1 for symbol in symbols)
    assert len(set(symbols)) == len(symbols)
    assert len({glyph.word for glyph in Glyph}) == len(symbols)


def test_every_glyph_has_an_ascii_stand_in_of_one_cell_and_its_own() -> None:
    stand_ins = [glyph.value.ascii for glyph in Glyph]
    assert all(len(each) == 1 and each.isascii() for each in stand_ins)
    # a dash is both the spent part of a bar and silence: neither ever stands where the other may
    assert sorted(each for each in set(stand_ins) if stand_ins.count(each) > 1) == ["-"]


def test_a_cut_in_ascii_is_taken_for_no_full_stop_and_for_no_glyph() -> None:
    cut = said(plain((Span("codex-on…op"),)))
    assert cut == "codex-on_op"
    assert "_" not in {glyph.value.ascii for glyph in Glyph}


def test_every_verdict_has_its_glyph_with_its_own_word() -> None:
    assert {verdict: glyph.word for verdict, glyph in VERDICTS.items()} == {each: each.value for each in Verdict}


def test_neither_of_the_two_glyphs_that_fonts_break_is_used() -> None:
    assert not {"⑂", "⚠"} & {glyph.symbol for glyph in Glyph}


@given(SPANS)
def test_a_line_in_ascii_keeps_its_cells(spans: list[Span]) -> None:
    line = plain(tuple(spans))
    assert said(line).isascii()
    assert width_of(line) == width_of(spans)


@given(SPANS, WIDTHS, st.booleans())
def test_fitting_gives_exactly_the_width(spans: list[Span], width: int, right: bool) -> None:
    assert width_of(fit(spans, width, right=right)) == width


@given(SPANS, WIDTHS)
def test_nothing_is_cut_without_an_ellipsis(spans: list[Span], width: int) -> None:
    kept = trim(spans, width)
    if width_of(spans) > width > 0:
        assert said(kept).endswith("…")
    elif width > 0:
        assert said(kept) == said(tuple(spans))


@given(WORDS, WIDTHS)
def test_a_path_is_cut_at_its_start(words: str, width: int) -> None:
    kept = cut_start(words, width)
    assert cells(kept) <= width
    assert kept == words or not kept or words.endswith(kept.removeprefix("…"))


def test_a_path_keeps_its_end() -> None:
    assert cut_start("packages/api/client", 11) == "…api/client"


@given(SPANS, SPANS, st.integers(20, 90))
def test_columns_and_ends_share_the_edges_of_a_panel(left: list[Span], right: list[Span], width: int) -> None:
    for line in (columns(width, Cell(tuple(left), 9), Cell(tuple(right), 60, right=True)), ends(width, left, right)):
        assert width_of(line) == width
        assert said(line).startswith("  ")
        assert said(line).endswith(" ")


def test_two_cells_stand_between_columns_and_numbers_align_right() -> None:
    line = columns(20, Cell(text("ab"), 4), Cell(text("7"), 3, right=True))
    assert said(line) == "  ab      7         "


def test_the_right_end_stays_when_the_left_is_cut() -> None:
    assert said(ends(20, text("a long beginning"), dim("gen 3"))) == "  a long be…  gen 3 "


def test_parts_that_are_empty_leave_no_gap() -> None:
    assert said(joined((text("a"), (), text("b")), 2)) == "a  b"


@given(SPANS)
def test_joining_neighbours_of_one_ink_changes_no_text(spans: list[Span]) -> None:
    assert said(merged(spans)) == said(tuple(spans))


def test_a_dimmed_line_keeps_its_graphics_faint() -> None:
    line = dimmed((Span("a", Ink.STRONG), Span("─", Ink.FAINT), Span("b", Ink.ATTN)))
    assert [span.ink for span in line] == [Ink.DIM, Ink.FAINT, Ink.DIM]


def test_rows_get_a_blank_line_between_them_only_where_all_have_room() -> None:
    rows = [Row(str(number), ((), ())) for number in range(3)]
    assert [row.space for row in spaced(rows, 8)] == [1, 1, 0]
    assert [row.space for row in spaced(rows, 7)] == [0, 0, 0]
    assert spaced([], 0) == ()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-3, "0 s"),
        (2.9, "2 s"),
        (60, "1 min"),
        (58 * 60 + 59, "58 min"),
        (3600, "1 h"),
        (5520, "1 h 32"),
        (12 * 3600 + 5, "12 h"),
        (3 * 86400, "3 days"),
        (30 * 86400, "30 d"),
        (10**12, "years"),
    ],
)
def test_a_span_of_time_takes_at_most_six_cells(seconds: float, words: str) -> None:
    assert times.span(seconds) == words
    assert len(words) <= 6


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (29, "<1 min"),
        (30, "1 min"),
        (89, "1 min"),
        (10 * 60 - 3, "10 min"),
        (45 * 60 - 3, "45 min"),
        (3600 - 3, "1 h"),
        (5520 - 3, "1 h 32"),
        (10 * 3600 - 31, "9 h 59"),
        (10 * 3600 - 30, "10 h"),
        (12 * 3600 - 3, "12 h"),
        (47.5 * 3600, "2 days"),
        (3 * 86400 - 3, "3 days"),
    ],
)
def test_what_is_left_is_told_to_the_nearest_minute_then_hour_then_day(seconds: float, words: str) -> None:
    assert times.left(seconds) == words
    assert len(words) <= 6


@given(st.floats(0.01, 40 * times.DAY))
def test_what_is_left_changes_when_it_is_said_to_and_not_before(seconds: float) -> None:
    wait = times.next_left(seconds)
    assert 0 <= wait <= seconds
    assert times.left(seconds - wait * 0.999) == times.left(seconds)
    if wait < seconds:
        assert times.left(seconds - wait - 0.001) != times.left(seconds)


def test_times_of_day_are_told_in_the_zone_of_the_viewer() -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    assert times.clock("2026-05-14T20:00:00.000Z", UTC) == "20:00:00"
    assert times.clock("2026-05-14T20:00:00.000Z", east) == "01:30:00"
    assert times.day("2026-05-14T20:00:00.000Z", east) == date(2026, 5, 15)


def test_a_time_to_come_names_its_day_only_when_it_is_another() -> None:
    today = date(2026, 5, 14)
    assert times.until("2026-05-14T16:00:00.000Z", UTC, today) == "16:00"
    assert times.until("2026-05-15T16:00:00.000Z", UTC, today) == "15 May"
    assert times.until("2027-05-15T16:00:00.000Z", UTC, today) == "2027"
    assert times.in_full("2026-05-14T16:00:00.000Z", UTC, today) == "16:00"
    assert times.in_full("2027-05-15T16:00:00.000Z", UTC, today) == "15 May 2027 16:00"


@pytest.mark.parametrize("instant", ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_the_first_and_the_last_instant_there_are_can_be_told_anywhere(instant: str) -> None:
    for hours in (-12, 0, 14):
        assert len(times.clock(instant, timezone(timedelta(hours=hours)))) == 8


def test_names_that_differ_at_their_end_stay_apart_when_cut() -> None:
    assert cut_name("builder-1", 8) == "build…-1"
    assert cut_name("builder-2", 8) == "build…-2"
    assert cut_name("maya", 8) == "maya"
    assert cut_name("builder-1", 4) == "bui…"


@given(st.text(max_size=30).map(clean), st.integers(0, 20))
def test_a_name_cut_in_its_middle_fits(name: str, width: int) -> None:
    assert cells(cut_name(name, width)) <= width
