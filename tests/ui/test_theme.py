"""The tokens: contrast of every text on every ground it may meet, and what remains without colour."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from corr_tui.ui.line import Ink
from corr_tui.ui.theme import (
    DARK,
    HIGH_CONTRAST,
    LEAST,
    OWN,
    READABLE,
    Ground,
    Inks,
    Tokens,
    contrast,
    in_order,
    themes,
    tokens_of,
    variables_of,
)

LENT = ("foreground", "background", "surface", "primary", "warning", "error")
COLOURED = {name: theme for name, theme in BUILTIN_THEMES.items() if not theme.ansi}
EVERY = {**OWN, **{name: tokens_of(theme) for name, theme in COLOURED.items()}}


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#8cb9f6", "#8cb9f6") == 1


@pytest.mark.parametrize("name", EVERY)
def test_every_text_reads_on_every_ground(name: str) -> None:
    tokens = EVERY[name]
    poor = {
        (ground.value, token): round(contrast(tokens.colour(token), tokens.colour(ground.value)), 2)
        for ground in Ground
        for token in LEAST
        if contrast(tokens.colour(token), tokens.colour(ground.value)) < READABLE
    }
    assert poor == {}


@pytest.mark.parametrize("name", EVERY)
def test_dim_text_keeps_more_than_the_least_contrast(name: str) -> None:
    """To one decimal; on an active tab and an armed button of a light theme it is 4.8."""
    tokens = EVERY[name]
    grounds = [ground for ground in Ground if ground is not Ground.ACCENT]
    assert min(round(contrast(tokens.dim, tokens.colour(ground.value)), 1) for ground in grounds) >= 4.9


@pytest.mark.parametrize("name", EVERY)
def test_strong_text_stands_out_from_text_and_text_from_dim(name: str) -> None:
    tokens = EVERY[name]
    dim, text, strong = (contrast(tokens.colour(token), tokens.panel) for token in ("dim", "text", "strong"))
    assert dim < text <= strong
    assert (text < strong) is (name != "corr-high-contrast")


@pytest.mark.parametrize("name", OWN)
def test_nothing_of_ours_is_green_and_the_three_hues_are_far_apart(name: str) -> None:
    hues = {}
    for token in Tokens._fields:
        hue, saturation, _ = Color.parse(OWN[name].colour(token)).hsl
        assert saturation < 0.06 or not 75 <= hue * 360 <= 165, token
        hues[token] = hue * 360
    for one, other in (("accent", "attn"), ("accent", "alarm"), ("attn", "alarm")):
        apart = abs(hues[one] - hues[other])
        assert min(apart, 360 - apart) >= 30


COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(st.fixed_dictionaries(dict.fromkeys(LENT, COLOURS)), st.booleans())
@example(dict.fromkeys(LENT, "#777777"), True)
@example(dict.fromkeys(LENT, "#777777") | {"background": "#888888", "surface": "#666666"}, False)
def test_whatever_colours_a_theme_lends_every_text_reads(lent: dict[str, str], dark: bool) -> None:
    tokens = tokens_of(theme_of(lent, dark=dark))
    for ground in Ground:
        for token in LEAST:
            assert contrast(tokens.colour(token), tokens.colour(ground.value)) >= READABLE


def test_a_derived_theme_keeps_colours_that_read_already() -> None:
    black_and_white = {"foreground": "#ffffff", "background": "#000000", "surface": "#000000"}
    lent = {**black_and_white, "primary": "#99ccff", "warning": "#ffcc66", "error": "#ff9999"}
    tokens = tokens_of(theme_of(lent, dark=True))
    for token, name in (("accent", "primary"), ("attn", "warning"), ("alarm", "error"), ("strong", "foreground")):
        assert contrast(tokens.colour(token), lent[name]) < 1.02, "but for the rounding of the theme's own colours"


def theme_of(lent: dict[str, str], *, dark: bool) -> Theme:
    """A theme of Textual's that lends these colours."""
    return Theme(
        "lent",
        primary=lent["primary"],
        warning=lent["warning"],
        error=lent["error"],
        foreground=lent["foreground"],
        background=lent["background"],
        surface=lent["surface"],
        dark=dark,
    )


def test_themes_are_offered_ours_first_and_only_with_colours_of_their_own() -> None:
    offered = [theme.name for theme in in_order([*BUILTIN_THEMES.values(), *themes()])]
    assert offered[: len(OWN)] == list(OWN)
    assert offered[len(OWN) :] == sorted(COLOURED)


def test_high_contrast_text_is_seven_to_one_on_its_panels() -> None:
    for token in LEAST:
        assert contrast(HIGH_CONTRAST.colour(token), HIGH_CONTRAST.panel) >= 7


def test_every_token_is_a_variable_of_every_theme_of_ours() -> None:
    wanted = {name.replace("_", "-") for name in Tokens._fields}
    assert set(variables_of(DARK)) == wanted
    assert all(set(theme.variables) == wanted for theme in themes())


def test_another_theme_lends_its_three_hues() -> None:
    nord = tokens_of(BUILTIN_THEMES["nord"])
    assert nord.canvas == "#2e3440"
    assert len({nord.accent, nord.attn, nord.alarm}) == 3


def test_without_colour_weight_and_reverse_remain() -> None:
    inks = Inks(DARK, colourless=True)
    styles = [inks.style(ink, ground) for ink in Ink for ground in Ground]
    assert all(style.color is None and style.bgcolor is None for style in styles)
    assert inks.style(Ink.STRONG).bold
    assert inks.style(Ink.TEXT, Ground.CURSOR).reverse
    assert not inks.style(Ink.TEXT, Ground.RAISED).reverse
