"""Filters with names: read from the configuration file, refused with their place, saved beside what a person wrote."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.state.home import ConfigRefused, Home
from corr_tui.state.saved_views import NameRefused, SavedViews

WRITTEN = """# mine
[board]
theme = "corr-light"  # by day

[views]
# what I owe nobody
reviews = "kind:artifact.offer -has:my-ack"
"""


def home(folder: Path, content: str | None = WRITTEN) -> Home:
    """An installation with this configuration file."""
    found = Home.under(folder)
    if content is not None:
        found.config.mkdir(parents=True, exist_ok=True)
        found.config_file.write_text(content, encoding="utf-8")
    return found


def test_views_are_read_in_their_order(tmp_path: Path) -> None:
    assert SavedViews.read(home(tmp_path)).views == {"reviews": "kind:artifact.offer -has:my-ack"}
    assert SavedViews.read(home(tmp_path / "none", None)).views == {}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[views]\nx = "is:nothing"', "at character 4: is: knows only"),
        ("[views]\nx = 3", "must be the text of a filter"),
        ('views = "x"', "must be a table"),
    ],
)
def test_a_view_that_is_no_filter_is_refused_with_its_place(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(ConfigRefused) as refused:
        SavedViews.read(home(tmp_path, content))
    assert words in str(refused.value)


def test_a_view_is_saved_and_everything_else_stays_as_it_was_written(tmp_path: Path) -> None:
    here = home(tmp_path)
    views = SavedViews.read(here)
    views.save("by bo", 'by:bo "in quotes"')
    written = here.config_file.read_text(encoding="utf-8")
    assert written.startswith(WRITTEN)
    assert (
        SavedViews.read(here).views
        == views.views
        == {
            "reviews": "kind:artifact.offer -has:my-ack",
            "by bo": 'by:bo "in quotes"',
        }
    )


def test_a_name_that_is_taken_is_taken_over(tmp_path: Path) -> None:
    here = home(tmp_path)
    SavedViews.read(here).save("reviews", "by:bo")
    assert SavedViews.read(here).views == {"reviews": "by:bo"}
    assert "# what I owe nobody" in here.config_file.read_text(encoding="utf-8")


def test_a_file_is_made_where_there_is_none(tmp_path: Path) -> None:
    here = home(tmp_path, None)
    SavedViews.read(here).save("mine", "is:mine")
    assert SavedViews.read(here).views == {"mine": "is:mine"}


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\nb", "a\x1bb"])
def test_a_name_that_would_not_show_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(NameRefused):
        SavedViews.read(home(tmp_path)).save(name, "by:bo")


def test_a_file_that_cannot_be_written_or_is_not_toml_any_more_is_said(tmp_path: Path) -> None:
    here = home(tmp_path)
    views = SavedViews.read(here)
    here.config_file.write_text("[views", encoding="utf-8")
    with pytest.raises(NameRefused, match="is not TOML"):
        views.save("x", "by:bo")
    here.config_file.unlink()
    here.config.rmdir()
    here.config.write_text("a file", encoding="utf-8")
    with pytest.raises(NameRefused, match="cannot be written"):
        views.save("x", "by:bo")
    assert "x" not in views.views


@given(name=st.text(min_size=1, max_size=40).filter(lambda each: each.isprintable() and each.strip() == each))
def test_any_name_that_shows_reads_back(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    here = home(tmp_path_factory.mktemp("home"))
    SavedViews.read(here).save(name, "by:bo")
    assert tomllib.loads(here.config_file.read_text(encoding="utf-8"))["views"][name] == "by:bo"
    assert SavedViews.read(here).views[name] == "by:bo"
