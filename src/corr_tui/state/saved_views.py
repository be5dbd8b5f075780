"""Filters with names: the table `[views]` of the configuration file, `reviews = "kind:artifact.offer -has:my-ack"`.

A filter that is none is refused at the start, with its place. A view is saved into the file as it stands: comments and
order of everything else stay as a person wrote them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corr_tui.state.home import ConfigRefused, Home, read_config

TABLE = "views"
MOST_NAME = 40
"""Characters of a name, at most."""


class NameRefused(Exception):
    """A view cannot be saved under this name, or at all; the text says why."""


class SavedViews:
    """The filters with names of one configuration file."""

    def __init__(self, path: Path, views: Mapping[str, str]) -> None:
        self._path = path
        self.views = dict(views)
        """By name the text of the filter, in the order of the file."""

    @classmethod
    def read(cls, home: Home) -> SavedViews:
        """Those of an installation; raises ConfigRefused for the first that breaks its rule."""
        source = str(home.config_file)
        table = read_config(home.config_file).get(TABLE, {})
        if not isinstance(table, dict):
            raise ConfigRefused(TABLE, source, "must be a table")
        for name, text in table.items():
            _check(name, text, source)
        return cls(home.config_file, table)

    def save(self, name: str, text: str) -> None:
        """Keep a filter under a name, in place of the one that has it, if any; raises NameRefused."""
        name = name.strip()
        if not name or len(name) > MOST_NAME or not name.isprintable():
            raise NameRefused(f"a name has 1 to {MOST_NAME} characters that show")
        try:
            _write(self._path, name, text)
        except OSError as error:
            raise NameRefused(f"{self._path} cannot be written: {error.strerror}") from None
        except ValueError as error:
            raise NameRefused(f"{self._path} is not TOML: {error}") from None
        self.views[name] = text


def _check(name: str, text: object, source: str) -> None:
    from corr_tui.state.filter_grammar import FilterRefused, parse_filter  # of no use where no view is saved

    setting = f"views.{name}"
    if not isinstance(text, str):
        raise ConfigRefused(ascii(setting), source, "must be the text of a filter")
    try:
        parse_filter(text)
    except FilterRefused as refused:
        raise ConfigRefused(ascii(setting), source, f"at character {refused.position + 1}: {refused}") from None


def _write(path: Path, name: str, text: str) -> None:
    """Raises OSError, and ValueError for a file that is not TOML."""
    import tomlkit  # of no use before somebody saves a view

    from corr_tui.state import private_file

    path = path.resolve()
    document: Any = tomlkit.parse(path.read_bytes().decode("utf-8") if path.exists() else "")
    if not isinstance(document.get(TABLE, {}), dict):
        raise ValueError(f"{TABLE} is no table")
    if TABLE not in document:
        document[TABLE] = tomlkit.table()
    document[TABLE][name] = text
    private_file.replace(path, tomlkit.dumps(document).encode("utf-8"))
