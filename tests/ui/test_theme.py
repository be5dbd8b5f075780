"""The tokens: contrast of every text on every ground it may meet, and what remains without colour."""

from __future__ import annotations

import pytest
from textual.theme import BUILTIN_THEMES

from corr_tui.ui.line import Ink
from corr_tui.ui.theme import (
    DARK,
    HIGH_CONTRAST,
    MEETS,
    OWN,
    READABLE,
    Ground,
    Inks,
    Tokens,
    contrast,
    themes,
    tokens_of,
    variables_of,
)

COLOURED = {name: theme for name, theme in BUILTIN_THEMES.items() if not theme.ansi}
EVERY = {**OWN, **{name: tokens_of(theme) for name, theme in COLOURED.items()}}


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#8cb9f6", "#8cb9f6") == 1


@pytest.mark.parametrize("name", EVERY)
def test_every_text_reads_on_every_ground_it_may_meet(name: str) -> None:
    poor = {
        (ground.value, token): round(contrast(EVERY[name].colour(token), EVERY[name].colour(ground.value)), 2)
        for ground, carried in MEETS.items()
        for token in carried
        if contrast(EVERY[name].colour(token), EVERY[name].colour(ground.value)) < READABLE
    }
    assert poor == {}


@pytest.mark.parametrize("name", ["corr-dark", "corr-light"])
def test_dim_text_keeps_more_than_the_least_contrast(name: str) -> None:
    grounds = [ground for ground in Ground if ground is not Ground.ACCENT]
    assert min(round(contrast(OWN[name].dim, OWN[name].colour(ground.value)), 1) for ground in grounds) >= 4.9


def test_high_contrast_text_is_seven_to_one_on_its_panels() -> None:
    for token in ("dim", "text", "strong", "accent", "attn", "alarm"):
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
