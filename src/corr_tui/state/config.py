"""What this installation is told to connect to, and as whom.

A setting is taken from a flag, else from its variable, else from `config.toml`, else from the variable other tools of
the service use. A value that breaks its rule is refused with its name, where it came from and the rule; the value
itself is not repeated, since it may be a secret.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from corr_tui.client.links import origin
from corr_tui.protocol.scalars import Check, Refusal, Uuid, check_opaque_id
from corr_tui.state.credentials import CredentialRefused, read_seed, seed_from
from corr_tui.state.home import ConfigRefused, Home, read_config

DEFAULT_BASE_URL = "https://api.agenttool.dev"
"""The public service, for whoever has a bearer and names no other."""

MAX_NAME = 64
"""Characters of the name of an identity in a local project."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What was configured; None where nothing was. `sources` says where each value came from."""

    base_url: str | None = None
    bearer: str | None = field(default=None, repr=False)
    repository_id: str | None = None
    identity_id: str | None = None
    signing_key_id: str | None = None
    seed: bytes | None = field(default=None, repr=False)
    as_name: str | None = None
    """The name of the identity to sign as in a local project."""
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def configured(self) -> bool:
        """Whether a service was configured, so that it is opened and not the local project."""
        return self.bearer is not None


@dataclass(frozen=True, slots=True)
class _Setting:
    """One setting: its flag, its own variable and the one other tools use, and what makes a value of its text."""

    flag: str
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


def _name(text: str) -> str:
    if not 1 <= len(text) <= MAX_NAME or any(unicodedata.category(character)[0] in "CZ" for character in text):
        raise Refusal("as", f"must be one visible word of at most {MAX_NAME} characters")
    return text


def _key_file(text: str) -> bytes:
    return read_seed(Path(text).expanduser())


def _key(text: str) -> bytes:
    return seed_from(text.strip().encode("utf-8", "replace"))


_SETTINGS = {
    "base_url": _Setting("--base-url", "CORR_TUI_BASE_URL", None, _base_url),
    "bearer": _Setting("--bearer", "CORR_TUI_BEARER", "AT_API_KEY", _bearer),
    "repository_id": _Setting("--repository", "CORR_TUI_REPOSITORY_ID", None, _opaque_id),
    "identity_id": _Setting("--identity", "CORR_TUI_IDENTITY_ID", "AGENTTOOL_IDENTITY_ID", _uuid),
    "signing_key_id": _Setting("--signing-key", "CORR_TUI_SIGNING_KEY_ID", "AGENTTOOL_SIGNING_KEY_ID", _uuid),
    "signing_key_file": _Setting("--signing-key-file", "CORR_TUI_SIGNING_KEY_FILE", None, _key_file),
    "signing_key": _Setting("", "", "AGENTTOOL_PRIV", _key),
    "as": _Setting("--as", "CORR_TUI_AS", None, _name),
}
TABLES = "[board], [keys], [notices] and [views]"
"""What the file holds besides, each read by the module of its name."""
_SIGNER = ("identity_id", "signing_key_id", "signing_key_file", "signing_key")
"""The settings that say whom to sign as at a service."""


def resolve(flags: Mapping[str, object], environment: Mapping[str, str], home: Home) -> Settings:
    """The settings by flag, variable, file and fallback; raises ConfigRefused for the first that cannot be used.

    `flags` maps setting names (`base_url`, `bearer`, `repository_id`, `identity_id`, `signing_key_id`,
    `signing_key_file`, `as`) to what the command line said; None says nothing. Tables of the file belong to others.
    """
    file = read_config(home.config_file)
    for name, value in file.items():
        if not isinstance(value, dict) and not (name in _SETTINGS and _SETTINGS[name].variable):
            known = ", ".join(name for name, setting in _SETTINGS.items() if setting.variable)
            raise ConfigRefused(
                ascii(name), str(home.config_file), f"is no setting; the settings are {known}; the tables are {TABLES}"
            )
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, setting in _SETTINGS.items():
        found = _find(name, setting, flags, environment, file, home)
        if found is not None:
            text, sources[name] = found
            values[name] = _value(name, setting, text, sources[name])
    as_name = values.pop("as", None)
    by_file, by_text = values.pop("signing_key_file", None), values.pop("signing_key", None)
    values["seed"] = by_file if by_file is not None else by_text
    settings = Settings(**values, as_name=as_name, sources=sources)
    _check_signer(settings)
    return _whole(settings, home)


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
        return str(flag), setting.flag
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


def _check_signer(settings: Settings) -> None:
    """Refuse whom to sign as where nobody would ask for it: words must not go out under another name in silence."""
    sources = settings.sources
    if settings.configured and settings.as_name is not None:
        rule = (
            f"names an identity of a local project, and a service is configured (bearer: {sources['bearer']}); there "
            "--identity, --signing-key and --signing-key-file say whom you sign as"
        )
        raise ConfigRefused("as", sources["as"], rule)
    named = [name for name in _SIGNER if name in sources]
    if named and not settings.configured and settings.base_url is None:
        others = "".join(f", as does {name} ({sources[name]})" for name in named[1:])
        rule = (
            f"says whom to sign as at a service, and none is configured{others}. Set CORR_TUI_BASE_URL and "
            "CORR_TUI_BEARER, or leave it out; in a local project --as NAME says whom to sign as"
        )
        raise ConfigRefused(named[0], sources[named[0]], rule)


def _whole(settings: Settings, home: Home) -> Settings:
    """The settings with the default address, refused where one says nothing without another."""
    sources = settings.sources
    if settings.base_url is not None and settings.bearer is None:
        rule = f"is needed with base_url ({sources['base_url']}): set CORR_TUI_BEARER, or bearer in {home.config_file}"
        raise ConfigRefused("bearer", "not set", rule)
    if settings.bearer is None or settings.base_url is not None:
        return settings
    return replace(settings, base_url=DEFAULT_BASE_URL, sources={**sources, "base_url": "default"})
