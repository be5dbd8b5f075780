"""Settings by flag, variable, file, and other tools' variables; each refusal names setting, source and rule."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from corr_tui.state.config import DEFAULT_BASE_URL, Settings, resolve
from corr_tui.state.home import ConfigRefused, Home

IDENTITY = "22222222-2222-4222-8222-222222222222"
KEY = "33333333-3333-4333-8333-333333333333"
SEED = bytes(range(32))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home.under(tmp_path)
    found.config.mkdir()
    return found


def test_nothing_configured_is_no_service(home: Home) -> None:
    settings = resolve({}, {}, home)
    assert settings == Settings(sources={})
    assert not settings.configured


def test_a_flag_stands_over_a_variable_over_the_file_over_other_tools_variables(home: Home) -> None:
    environment = {"AT_API_KEY": "at_other"}
    assert resolve({}, environment, home).bearer == "at_other"
    home.config_file.write_text('bearer = "at_file"')
    assert resolve({}, environment, home).bearer == "at_file"
    environment["CORR_TUI_BEARER"] = "at_variable"
    assert resolve({}, environment, home).bearer == "at_variable"
    settings = resolve({"bearer": "at_flag"}, environment, home)
    assert (settings.bearer, settings.sources["bearer"]) == ("at_flag", "--bearer")


def test_a_bearer_alone_means_the_public_service(home: Home) -> None:
    settings = resolve({"bearer": None}, {"AT_API_KEY": "at_x"}, home)
    assert (settings.base_url, settings.sources["base_url"]) == (DEFAULT_BASE_URL, "default")
    assert settings.configured


def test_every_variable_of_this_program_and_of_other_tools_is_read(home: Home, tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_bytes(SEED)
    own = {
        "CORR_TUI_BASE_URL": "http://127.0.0.1:8787/",
        "CORR_TUI_BEARER": "at_x",
        "CORR_TUI_REPOSITORY_ID": "repo:a/b",
        "CORR_TUI_IDENTITY_ID": IDENTITY,
        "CORR_TUI_SIGNING_KEY_ID": KEY,
        "CORR_TUI_SIGNING_KEY_FILE": str(key_file),
    }
    settings = resolve({}, own, home)
    assert settings.base_url == "http://127.0.0.1:8787"
    assert (settings.repository_id, settings.identity_id, settings.signing_key_id) == ("repo:a/b", IDENTITY, KEY)
    assert settings.seed == SEED
    others = {
        "AT_API_KEY": "at_x",
        "AGENTTOOL_IDENTITY_ID": IDENTITY,
        "AGENTTOOL_SIGNING_KEY_ID": KEY,
        "AGENTTOOL_PRIV": b64encode(SEED).decode(),
    }
    settings = resolve({}, others, home)
    assert (settings.identity_id, settings.signing_key_id, settings.seed) == (IDENTITY, KEY, SEED)


def test_a_key_file_stands_over_a_key_in_a_variable(home: Home, tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_bytes(SEED)
    environment = {"AGENTTOOL_PRIV": b64encode(bytes(32)).decode(), "AT_API_KEY": "at_x"}
    assert resolve({"signing_key_file": key_file}, environment, home).seed == SEED


def test_an_empty_variable_says_nothing(home: Home) -> None:
    assert resolve({}, {"CORR_TUI_BEARER": "", "AT_API_KEY": ""}, home).bearer is None


@pytest.mark.parametrize(
    ("variable", "value", "setting"),
    [
        ("CORR_TUI_BASE_URL", "service.example", "base_url"),
        ("CORR_TUI_BASE_URL", "http://user:secret@service.example", "base_url"),
        ("CORR_TUI_BASE_URL", "http://service.example/?secret", "base_url"),
        ("CORR_TUI_BEARER", "secret words", "bearer"),
        ("AT_API_KEY", "secret\n", "bearer"),
        ("CORR_TUI_REPOSITORY_ID", "secret space", "repository_id"),
        ("CORR_TUI_IDENTITY_ID", "SECRET", "identity_id"),
        ("AGENTTOOL_SIGNING_KEY_ID", IDENTITY.upper() + "secret", "signing_key_id"),
        ("AGENTTOOL_PRIV", "secret", "signing_key"),
        ("CORR_TUI_SIGNING_KEY_FILE", "/nowhere/at/all", "signing_key_file"),
    ],
)
def test_a_bad_value_is_refused_by_name_and_source_and_not_repeated(
    variable: str, value: str, setting: str, home: Home
) -> None:
    with pytest.raises(ConfigRefused) as raised:
        resolve({}, {"AT_API_KEY": "at_x", variable: value}, home)
    assert (raised.value.setting, raised.value.source) == (setting, variable)
    assert "secret" not in str(raised.value).lower()


@pytest.mark.parametrize("content", ["bearer = ", "bearer = 7", "\xff"])
def test_a_broken_file_is_refused_by_its_path(content: str, home: Home) -> None:
    home.config_file.write_bytes(content.encode("latin-1"))
    with pytest.raises(ConfigRefused) as raised:
        resolve({}, {}, home)
    assert raised.value.source == str(home.config_file)


@pytest.mark.parametrize("name", ["baerer", "signing_key", '"\\u001b[2J"'])
def test_a_name_that_is_no_setting_is_refused_and_a_table_is_somebody_else_s(name: str, home: Home) -> None:
    home.config_file.write_text(f"{name} = 'secret'\n[keys]\nhelp = 'h'\n")
    with pytest.raises(ConfigRefused, match="is no setting") as raised:
        resolve({}, {}, home)
    assert str(raised.value).isprintable()
    assert "secret" not in str(raised.value)
    assert "[board], [keys], [notices] and [views]" in str(raised.value)
    home.config_file.write_text("[keys]\nhelp = 'h'\n")
    assert not resolve({}, {}, home).configured


def test_an_address_without_a_bearer_is_refused(home: Home) -> None:
    with pytest.raises(ConfigRefused, match="CORR_TUI_BEARER"):
        resolve({"base_url": "http://127.0.0.1:1"}, {}, home)


SIGNERS = {
    "identity_id": ("--identity", "CORR_TUI_IDENTITY_ID", "AGENTTOOL_IDENTITY_ID"),
    "signing_key_id": ("--signing-key", "CORR_TUI_SIGNING_KEY_ID", "AGENTTOOL_SIGNING_KEY_ID"),
    "signing_key_file": ("--signing-key-file", "CORR_TUI_SIGNING_KEY_FILE", ""),
    "signing_key": ("", "", "AGENTTOOL_PRIV"),
}


@pytest.mark.parametrize("setting", SIGNERS)
def test_whom_to_sign_as_is_refused_without_a_service_wherever_it_is_said(
    setting: str, home: Home, tmp_path: Path
) -> None:
    key_file = tmp_path / "key"
    key_file.write_bytes(SEED)
    values = {"identity_id": IDENTITY, "signing_key_id": KEY, "signing_key_file": str(key_file)}
    value = values.get(setting, b64encode(SEED).decode())
    flag, variable, fallback = SIGNERS[setting]
    places: list[tuple[dict[str, object], dict[str, str], str, str]] = []
    if flag:
        places.append(({setting: value}, {}, "", flag))
        places.append(({}, {}, f"{setting} = '{value}'", str(home.config_file)))
    places += [({}, {name: value}, "", name) for name in (variable, fallback) if name]
    for flags, environment, content, source in places:
        home.config_file.write_text(content)
        with pytest.raises(ConfigRefused, match="--as NAME") as raised:
            resolve(flags, environment, home)
        assert (raised.value.setting, raised.value.source) == (setting, source)
        assert "CORR_TUI_BASE_URL" in str(raised.value)
        assert resolve({**flags, "bearer": "at_x"}, environment, home).configured


def test_every_setting_that_says_whom_to_sign_as_is_named(home: Home) -> None:
    environment = {"CORR_TUI_IDENTITY_ID": IDENTITY, "AGENTTOOL_SIGNING_KEY_ID": KEY}
    with pytest.raises(ConfigRefused, match=r"CORR_TUI_IDENTITY_ID.*AGENTTOOL_SIGNING_KEY_ID"):
        resolve({}, environment, home)


def test_the_name_to_sign_as_comes_by_flag_variable_and_file(home: Home) -> None:
    home.config_file.write_text("as = 'filed'")
    assert resolve({}, {}, home).as_name == "filed"
    assert resolve({}, {"CORR_TUI_AS": "varied"}, home).as_name == "varied"
    settings = resolve({"as": "flagged"}, {"CORR_TUI_AS": "varied"}, home)
    assert (settings.as_name, settings.sources["as"]) == ("flagged", "--as")


@pytest.mark.parametrize("name", ["", "two words", "x" * 65, "a\u200bb", "\u202e", "line\n", "\x1b[2J"])
def test_a_name_that_is_not_one_visible_word_is_refused(name: str, home: Home) -> None:
    with pytest.raises(ConfigRefused, match="one visible word"):
        resolve({"as": name}, {}, home)


@pytest.mark.parametrize("bearer", ["CORR_TUI_BEARER", "AT_API_KEY"])
def test_a_name_to_sign_as_is_refused_where_a_service_is_configured(bearer: str, home: Home) -> None:
    with pytest.raises(ConfigRefused, match=f"{bearer}.*--identity") as raised:
        resolve({}, {bearer: "at_x", "CORR_TUI_AS": "builder-1"}, home)
    assert (raised.value.setting, raised.value.source) == ("as", "CORR_TUI_AS")


def test_a_secret_is_in_no_text_form(home: Home) -> None:
    environment = {"CORR_TUI_BEARER": "at_secret", "AGENTTOOL_PRIV": b64encode(SEED).decode()}
    text = repr(resolve({}, environment, home))
    assert "at_secret" not in text
    assert repr(SEED) not in text


def test_one_variable_moves_every_folder(tmp_path: Path) -> None:
    assert Home.find({"CORR_TUI_HOME": str(tmp_path)}) == Home.under(tmp_path)
    assert Home.find({"CORR_TUI_HOME": "/elsewhere"}, tmp_path) == Home.under(tmp_path)
    platform_home = Home.find({})
    assert len({platform_home.config, platform_home.data, platform_home.state}) >= 2
