"""Where this installation keeps things, and how it is told what to connect to.

A setting is taken from a flag, else from its variable, else from `config.toml`, else from the variable other tools of
the service use. A value that breaks its rule is refused with its name, where it came from and the rule; the value
itself is not repeated, since it may be a secret.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from corr_tui.client.links import origin
from corr_tui.protocol.scalars import Check, Refusal, Uuid, check_opaque_id
from corr_tui.state.credentials import CredentialRefused, read_seed, seed_from

DEFAULT_BASE_URL = "https://api.agenttool.dev"
"""The public service, for whoever has a bearer and names no other."""


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


@dataclass(frozen=True, slots=True)
class Settings:
    """What was configured; None where nothing was. `sources` says where each value came from."""

    base_url: str | None = None
    bearer: str | None = field(default=None, repr=False)
    repository_id: str | None = None
    identity_id: str | None = None
    signing_key_id: str | None = None
    seed: bytes | None = field(default=None, repr=False)
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def configured(self) -> bool:
        """Whether a service was configured, so that it is opened and not the local project."""
        return self.bearer is not None


@dataclass(frozen=True, slots=True)
class _Setting:
    """One setting: its own variable and the one other tools use, and what makes a value of its text."""

    variable: str
    fallback: str | None
    read: Callable[[str], Any]


def _base_url(text: str) -> str:
    if origin(text) is None or "?" in text or "#" in text:
        raise Refusal("base_url", "must be an absolute http or https address without credentials, query or fragment")
    return text.rstrip("/")


def _bearer(text: str) -> str:
    if not text.isascii() or not text.isprintable() or " " in text:
        raise Refusal("bearer", "must be one word of visible ASCII")
    return text


def _opaque_id(text: str) -> str:
    check_opaque_id(text)
    return text


def _uuid(text: str) -> str:
    check: Check = get_args(Uuid)[1]
    check(text)
    return text


def _key_file(text: str) -> bytes:
    return read_seed(Path(text).expanduser())


def _key(text: str) -> bytes:
    return seed_from(text.strip().encode("utf-8", "replace"))


_SETTINGS = {
    "base_url": _Setting("CORR_TUI_BASE_URL", None, _base_url),
    "bearer": _Setting("CORR_TUI_BEARER", "AT_API_KEY", _bearer),
    "repository_id": _Setting("CORR_TUI_REPOSITORY_ID", None, _opaque_id),
    "identity_id": _Setting("CORR_TUI_IDENTITY_ID", "AGENTTOOL_IDENTITY_ID", _uuid),
    "signing_key_id": _Setting("CORR_TUI_SIGNING_KEY_ID", "AGENTTOOL_SIGNING_KEY_ID", _uuid),
    "signing_key_file": _Setting("CORR_TUI_SIGNING_KEY_FILE", None, _key_file),
    "signing_key": _Setting("", "AGENTTOOL_PRIV", _key),
}


def resolve(flags: Mapping[str, object], environment: Mapping[str, str], home: Home) -> Settings:
    """The settings by flag, variable, file and fallback; raises ConfigRefused for the first that cannot be used.

    `flags` maps setting names (`base_url`, `bearer`, `repository_id`, `identity_id`, `signing_key_id`,
    `signing_key_file`) to what the command line said; None says nothing. Tables of the file belong to others.
    """
    file = read_config(home.config_file)
    for name, value in file.items():
        if not isinstance(value, dict) and not (name in _SETTINGS and _SETTINGS[name].variable):
            known = ", ".join(name for name, setting in _SETTINGS.items() if setting.variable)
            raise ConfigRefused(ascii(name), str(home.config_file), f"is no setting; the settings are {known}")
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, setting in _SETTINGS.items():
        found = _find(name, setting, flags, environment, file, home)
        if found is not None:
            text, sources[name] = found
            values[name] = _value(name, setting, text, sources[name])
    by_file, by_text = values.pop("signing_key_file", None), values.pop("signing_key", None)
    values["seed"] = by_file if by_file is not None else by_text
    return _whole(Settings(**values, sources=sources), home)


def read_config(path: Path) -> Mapping[str, Any]:
    """The configuration file as a table; empty when there is none. Raises ConfigRefused."""
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigRefused("config.toml", str(path), f"cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigRefused("config.toml", str(path), f"is not TOML: {error}") from None


def _find(
    name: str,
    setting: _Setting,
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    file: Mapping[str, Any],
    home: Home,
) -> tuple[str, str] | None:
    """The text of a setting and where it came from, or None. An empty variable says nothing."""
    flag = flags.get(name)
    if flag is not None:
        return str(flag), f"--{name.replace('_', '-')}"
    if environment.get(setting.variable):
        return environment[setting.variable], setting.variable
    if name in file and setting.variable:
        if not isinstance(file[name], str):
            raise ConfigRefused(name, str(home.config_file), "must be a string")
        return file[name], str(home.config_file)
    if setting.fallback and environment.get(setting.fallback):
        return environment[setting.fallback], setting.fallback
    return None


def _value(name: str, setting: _Setting, text: str, source: str) -> Any:
    try:
        return setting.read(text)
    except Refusal as refusal:
        raise ConfigRefused(name, source, refusal.message) from None
    except CredentialRefused as refused:
        raise ConfigRefused(name, source, str(refused)) from None


def _whole(settings: Settings, home: Home) -> Settings:
    """The settings with the default address, refused where one says nothing without another."""
    sources = settings.sources
    if settings.base_url is not None and settings.bearer is None:
        rule = f"is needed with base_url ({sources['base_url']}): set CORR_TUI_BEARER, or bearer in {home.config_file}"
        raise ConfigRefused("bearer", "not set", rule)
    if settings.bearer is None or settings.base_url is not None:
        return settings
    return Settings(
        DEFAULT_BASE_URL,
        settings.bearer,
        settings.repository_id,
        settings.identity_id,
        settings.signing_key_id,
        settings.seed,
        {**sources, "base_url": "default"},
    )
