"""Look and keys by flag, variable and file; what is refused before a board starts; the list of keys and the tester."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corr_tui.cli.flags import Flags
from corr_tui.cli.look import Look, LookFlags, look_of
from corr_tui.state.board_settings import board_settings
from corr_tui.state.home import ConfigRefused, Home
from corr_tui.state.notice_settings import NoticeSettings
from corr_tui.ui.commands import COMMANDS
from corr_tui.ui.key_notes import note_of
from corr_tui.ui.key_tester import KeyTester
from tests.ui.bare_app import screen_text

from .conftest import Cli
from .test_board import terminal
from .test_main import loaded_by


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home.under(tmp_path)
    found.config.mkdir()
    return found


def written(cli: Cli, content: str) -> Path:
    """The configuration file of the command line's home."""
    path = Home.under(cli.home).config_file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


# Settings.


def test_without_a_file_nothing_is_asked_for(home: Home) -> None:
    settings = board_settings({}, {}, home)
    assert (settings.theme, settings.ascii, settings.reduced_motion, settings.preset) == (None, None, None, None)
    assert not settings.keys


def test_a_flag_stands_over_a_variable_over_the_file(home: Home) -> None:
    home.config_file.write_text(
        '[board]\ntheme = "filed"\nascii = true\nreduced_motion = true\n[keys]\npreset = "filed"\n'
    )

    def found(flags: dict[str, object], environment: dict[str, str]) -> tuple[object, ...]:
        settings = board_settings(flags, environment, home)
        return settings.theme, settings.ascii, settings.reduced_motion, settings.preset

    assert found({}, {}) == ("filed", True, True, "filed")
    environment = {
        "CORR_TUI_THEME": "varied",
        "CORR_TUI_ASCII": "0",
        "CORR_TUI_REDUCED_MOTION": "0",
        "CORR_TUI_KEYS": "varied",
    }
    assert found({}, environment) == ("varied", False, False, "varied")
    flags: dict[str, object] = {"theme": "flagged", "ascii": True, "reduced_motion": True, "preset": "flagged"}
    assert found(flags, environment) == ("flagged", True, True, "flagged")
    assert found({}, dict.fromkeys(environment, "")) == ("filed", True, True, "filed")


def test_a_command_is_named_with_or_without_quotation_marks_and_has_one_key_or_several(home: Home) -> None:
    home.config_file.write_text('[keys]\nack.seen = "f5"\n"ack.applied" = ["f6", "f7"]\nrefresh = "f8"\n')
    keys = board_settings({}, {}, home).keys
    assert keys == {"ack.seen": ("f5",), "ack.applied": ("f6", "f7"), "refresh": ("f8",)}


@pytest.mark.parametrize(
    ("content", "setting", "rule"),
    [
        ("board = 1", "board", "must be a table"),
        ("[board]\ntheme = 1", "board.theme", "must be a string"),
        ("[board]\nascii = 'yes'", "board.ascii", "must be true or false"),
        ("[board]\nreduced_motion = 1", "board.reduced_motion", "must be true or false"),
        ("[board]\ncolour = 'red'", "'board.colour'", "is no setting; the settings there are theme, ascii"),
        ("[keys]\npreset = true", "keys.preset", "must be a string"),
        ("[keys]\nrefresh = 1", "'keys.refresh'", "must be a key"),
        ("[keys]\nrefresh = []", "'keys.refresh'", "must be a key"),
        ("[keys]\nrefresh = ['f5', 2]", "'keys.refresh'", "must be a key"),
        ("[keyz]\nrefresh = 'f5'", "'keyz'", "is no table of it; the tables are board, keys"),
        ("[keys", "config.toml", "is not TOML"),
    ],
)
def test_a_setting_that_breaks_its_rule_is_refused_by_name_file_and_rule(
    content: str, setting: str, rule: str, home: Home
) -> None:
    home.config_file.write_text(content)
    with pytest.raises(ConfigRefused) as refused:
        board_settings({}, {}, home)
    assert (refused.value.setting, refused.value.source) == (setting, str(home.config_file))
    assert rule in refused.value.rule


@pytest.mark.parametrize("variable", ["CORR_TUI_ASCII", "CORR_TUI_REDUCED_MOTION"])
def test_a_variable_that_is_neither_1_nor_0_is_refused(variable: str, home: Home) -> None:
    with pytest.raises(ConfigRefused, match=f"{variable}.*must be 1 or 0"):
        board_settings({}, {variable: "yes"}, home)


def test_nothing_of_a_client_or_of_toml_is_loaded_to_know_look_and_keys() -> None:
    """The board is painted no later for it."""
    statement = (
        "from corr_tui.state.board_settings import board_settings; from corr_tui.state.home import Home; "
        "from pathlib import Path; board_settings({}, {}, Home.under(Path('/nowhere')))"
    )
    loaded = loaded_by(statement)
    assert loaded.isdisjoint({"tomllib", "textual", "corr_tui.state.config"})
    assert not {each for each in loaded if each.startswith(("corr_tui.client", "corr_tui.protocol"))}


# What is there.


def test_a_look_that_is_there_reaches_the_board(cli: Cli) -> None:
    written(cli, '[board]\ntheme = "nord"\nreduced_motion = true\n[keys]\npreset = "vim"\nrefresh = "F5"\n')
    look = look_of(LookFlags(ascii=True), Flags())
    assert (look.theme, look.ascii_only, look.reduced_motion, look.preset) == ("nord", True, True, "vim")
    assert (look.clipboard, look.notices) == ("auto", NoticeSettings())
    assert (look.keys["refresh"], look.keys["move.first"], look.own) == (("f5",), ("g", "home"), frozenset({"refresh"}))


def test_how_to_copy_and_to_tell_reaches_the_board_from_file_and_variable(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(cli, '[board]\nclipboard = "none"\n[notices]\nbell = true\nreasons = ["raised"]\n')
    look = look_of(LookFlags(), Flags())
    assert look.clipboard == "none"
    assert look.notices == NoticeSettings(bell=True, reasons=frozenset({"raised"}))
    monkeypatch.setenv("CORR_TUI_CLIPBOARD", "osc52")
    assert look_of(LookFlags(), Flags()).clipboard == "osc52"


def test_a_look_nobody_asked_for_is_the_built_in_one(cli: Cli) -> None:
    assert look_of(LookFlags(), Flags()) == Look(theme="corr-dark")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[board]\ntheme = "neon"', ("theme (", "'neon'", "corr-dark", "corr-high-contrast", "nord")),
        ('[board]\nclipboard = "paper"', ("clipboard (", "must be one of auto, osc52, platform, none")),
        ("[notices]\nhorn = true", ("'notices.horn' (", "in_app, bell, osc9, title, reasons")),
        ('[notices]\nreasons = ["offer"]', ("notices.reasons (", "unacknowledged, raised, overlap")),
        ('[keys]\npreset = "emacs"', ("preset (", "'emacs'", "default and vim")),
        ('[keys]\n"ack.sean" = "f5"', ("keys (", "'ack.sean'", "did you mean ack.seen")),
        ('[keys]\nrefresh = "s"', ("keys (", "s is wanted by both", "ack.seen (seen)", "refresh (refresh)")),
        ('[keys]\nrefresh = "hyperspace"', ("keys.refresh (", "'hyperspace' is no key")),
        ('[keys]\nrefresh = "ctrl+q"', ("keys.refresh (", "leaves from anywhere")),
        ('[keys]\n"search.close" = "z"', ("keys (", "z is typed there", "search.close (close)")),
    ],
)
def test_what_is_not_there_is_refused_by_name_file_and_rule(content: str, words: tuple[str, ...], cli: Cli) -> None:
    path = written(cli, content)
    said = cli.run("keys", code=2).stderr
    assert said.isprintable() or said.count("\n") == 1
    assert str(path) in said
    assert all(each in said for each in words)


@pytest.mark.parametrize("verb", [(), ("demo", "--frozen"), ("keys", "--test")])
def test_a_clash_is_refused_before_anything_is_drawn_or_made(verb: tuple[str, ...], cli: Cli) -> None:
    written(cli, '[keys]\nrefresh = "s"')
    with terminal(*verb) as board:
        assert board.end() == 2
    said = board.written.decode()
    assert "\x1b" not in said
    assert "s is wanted by both ack.seen (seen) and refresh (refresh)" in said.replace("\r\n", " ")
    assert os.listdir(cli.home) == ["config"]


def test_a_theme_of_the_environment_that_is_not_there_is_refused_with_its_variable(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORR_TUI_THEME", "neon")
    said = cli.run("keys", code=2).stderr
    assert "theme (CORR_TUI_THEME): no theme is called 'neon'; there are corr-dark, corr-light" in said
    assert cli.run("keys", "--theme", "corr-light").stderr == ""


def test_own_keys_work_on_a_real_terminal(cli: Cli) -> None:
    written(cli, '[keys]\nquit = "z"\n')
    with terminal("demo", "--frozen") as board:
        board.read_until(b"#44")
        os.write(board.controller, b"q")
        os.write(board.controller, b"z")
        assert board.end() == 0


# The list.


def test_every_command_is_listed_with_its_id_and_keys(cli: Cli) -> None:
    listed = cli.run("keys").stdout
    for command in COMMANDS:
        line = next(line for line in listed.splitlines() if f" {command.id} " in line)
        assert line.split()[0] == command.shown
        assert command.description in line
        assert "built in:" not in line


def test_the_list_says_which_keys_are_mine_and_which_a_preset_s(cli: Cli) -> None:
    written(cli, '[keys]\n"ack.seen" = ["f5", "?"]\nhelp = "f1"\n')
    listed = cli.run("keys", "--keys", "vim").stdout
    assert "  f5 ?" in listed
    assert "Say that its bytes reached you  (yours; built in: s)" in listed
    assert "Go to the next panel  (vim; built in: Tab)" in listed


def test_the_same_as_json(cli: Cli) -> None:
    written(cli, '[keys]\npreset = "vim"\n"ack.seen" = "f5"\n')
    answer = cli.json("keys")
    by_id = {each["id"]: each for each in answer["commands"]}
    assert answer["preset"] == "vim"
    assert list(by_id) == [command.id for command in COMMANDS]
    seen, following, up = by_id["ack.seen"], by_id["panel.next"], by_id["move.up"]
    assert (seen["keys"], seen["built_in_keys"], seen["from"]) == (["f5"], ["s"], "config")
    assert (following["keys"], following["from"]) == (["l", "tab"], "preset")
    assert (up["keys"], up["from"], up["scope"]) == (["k", "up"], "built in", "list")


def test_flags_before_the_verb_count_and_those_after_it_are_nearer(cli: Cli) -> None:
    def preset(*arguments: str) -> object:
        return cli.json(*arguments)["preset"]

    assert preset("--keys", "vim", "keys") == "vim"
    assert preset("--keys", "vim", "keys", "--keys", "default") == "default"


# The tester.


def test_the_tester_says_that_it_needs_a_terminal(cli: Cli) -> None:
    assert "testing keys needs a terminal" in cli.run("keys", "--test", code=2).stderr
    assert "prints no JSON" in cli.run("keys", "--test", "--json", code=2).stderr


def test_the_tester_names_a_key_on_a_real_terminal_and_is_left_with_q_twice(cli: Cli) -> None:
    with terminal("keys", "--test") as board:
        board.read_until(b"is shown here")
        os.write(board.controller, b"s")
        board.read_until(b"ack.seen")
        os.write(board.controller, b"q")
        board.read_until(b"quit")
        os.write(board.controller, b"q")
        assert board.end() == 0


async def test_the_tester_names_a_key_says_what_it_does_where_and_what_becomes_of_it() -> None:
    app = KeyTester({"refresh": ("ctrl+b",)})
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("e")
        text = screen_text(app)
        assert "Textual calls it  e" in text
        assert "In the composer:  words  compose.edit" in text
        assert "In the outbox:  export  outbox.export" in text
        assert "commonly pass it on" in text
        await pilot.press("ctrl+b")
        text = screen_text(app)
        assert "The board:  refresh  refresh" in text
        assert "tmux takes it as its prefix" in text
        assert "before: e" in text
        await pilot.press("ctrl+q")
        assert "leaves from anywhere" in screen_text(app)
        await pilot.press("f9")
        assert "No command has this key." in screen_text(app)
    assert app.pressed == ["e", "ctrl+b", "ctrl+q", "f9"]


@pytest.mark.parametrize("keys", [("ctrl+c",), ("q", "q")])
async def test_the_tester_is_left_by_its_keys_and_by_no_other(keys: tuple[str, ...]) -> None:
    app = KeyTester(theme="corr-light")
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("escape", "q", "tab", "enter", "ctrl+q", "ctrl+p")
        assert app.is_running
        await pilot.press(*keys)
    assert app.pressed[:6] == ["escape", "q", "tab", "enter", "ctrl+q", "ctrl+p"]
    assert app.return_code == 0


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("ctrl+enter", "without the modifier"),
        ("shift+enter", "without the modifier"),
        ("alt+x", "Alt"),
        ("ctrl+shift+a", "Ctrl+Shift"),
        ("ctrl+s", "stop output"),
    ],
)
def test_keys_that_commonly_do_not_arrive_have_a_note(key: str, words: str) -> None:
    assert words in note_of(key)


def test_no_built_in_key_but_a_few_is_commonly_kept_by_others() -> None:
    noted = {key for command in COMMANDS for key in command.keys if note_of(key)}
    assert noted == {"ctrl+z", "escape"}
