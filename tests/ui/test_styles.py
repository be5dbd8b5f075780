"""Stylesheets are found in a wheel and in a checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from corr_tui.ui.styles import StylesMissing, stylesheet


def test_a_checkout_has_the_stylesheets_beside_the_package() -> None:
    assert stylesheet("board.tcss").is_file()


def test_the_folder_inside_the_package_comes_first(tmp_path: Path) -> None:
    wheel, checkout = tmp_path / "wheel", tmp_path / "checkout"
    for place in (wheel, checkout):
        place.mkdir()
        (place / "board.tcss").touch()
    assert stylesheet("board.tcss", (wheel, checkout)) == wheel / "board.tcss"


def test_a_missing_stylesheet_is_named(tmp_path: Path) -> None:
    with pytest.raises(StylesMissing, match=r"absent\.tcss"):
        stylesheet("absent.tcss", (tmp_path,))
