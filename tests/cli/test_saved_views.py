"""Filters with names are checked before a board starts."""

from __future__ import annotations

from corr_tui.cli.flags import Flags
from corr_tui.cli.look import UNSAID, look_of

from .conftest import Cli


def write(cli: Cli, content: str) -> None:
    """Write the configuration file."""
    (cli.home / "config").mkdir(parents=True)
    (cli.home / "config" / "config.toml").write_text(content, encoding="utf-8")


def test_a_view_that_is_no_filter_is_refused_with_its_place_and_file(cli: Cli) -> None:
    write(cli, '[views]\nmine = "is:mime"\n')
    said = cli.run("keys", code=2).stderr
    assert "'views.mine'" in said
    assert "config.toml" in said
    assert "at character 4: is: knows only" in said


def test_views_reach_the_board(cli: Cli) -> None:
    write(cli, '[views]\nmine = "is:mine"\n')
    views = look_of(UNSAID, Flags()).views
    assert views is not None
    assert views.views == {"mine": "is:mine"}
