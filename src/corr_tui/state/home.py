"""The folders of this installation, its configuration file, and how a setting in it is refused.

Nothing here loads a client or the protocol: whoever paints may know the person's keys and colours before that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TABLES = ("board", "keys", "notices", "views")
"""The tables of the configuration file; each is read by the module it belongs to."""


class ConfigRefused(Exception):
    """A setting that cannot be used: which, where it came from, and the rule it breaks."""

    def __init__(self, setting: str, source: str, rule: str) -> None:
        super().__init__(f"{setting} ({source}): {rule}")
        self.setting = setting
        self.source = source
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Home:
    """The folders of this installation. They are made by whoever first writes into them."""

    config: Path
    data: Path
    state: Path

    @classmethod
    def under(cls, folder: Path) -> Home:
        """Everything under one folder."""
        return cls(folder / "config", folder / "data", folder / "state")

    @classmethod
    def find(cls, environment: Mapping[str, str], folder: Path | None = None) -> Home:
        """Under `folder`, else under CORR_TUI_HOME, else where this platform keeps such things."""
        if folder is not None:
            return cls.under(folder.expanduser())
        if environment.get("CORR_TUI_HOME"):
            return cls.under(Path(environment["CORR_TUI_HOME"]).expanduser())
        import platformdirs  # slow to load, and of no use to whoever names a folder

        found = platformdirs.PlatformDirs("corr-tui", appauthor=False)
        return cls(found.user_config_path, found.user_data_path, found.user_state_path)

    @property
    def config_file(self) -> Path:
        """The configuration file, which need not exist."""
        return self.config / "config.toml"

    @property
    def trust_file(self) -> Path:
        """Where the keys that are known here are pinned."""
        return self.data / "trust.sqlite3"

    @property
    def history_file(self) -> Path:
        """Where the events that were read are kept."""
        return self.data / "history.sqlite3"

    @property
    def projects_file(self) -> Path:
        """Where it is remembered which projects services named, and who takes part in them."""
        return self.state / "projects.sqlite3"


def read_config(path: Path) -> Mapping[str, Any]:
    """The configuration file as a table; empty when there is none. Raises ConfigRefused."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigRefused("config.toml", str(path), f"cannot be read: {error.strerror}") from None
    import tomllib  # of no use where there is no file

    try:
        config = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigRefused("config.toml", str(path), f"is not TOML: {error}") from None
    for name, value in config.items():
        if isinstance(value, dict) and name not in TABLES:
            raise ConfigRefused(ascii(name), str(path), f"is no table of it; the tables are {', '.join(TABLES)}")
    return config
