"""The program as a whole: what it loads, when it draws, how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from corr_tui import __version__
from corr_tui.cli.main import VERBS

from .conftest import Cli

HEAVY = ("httpx", "sqlalchemy", "starlette", "uvicorn", "nacl", "rfc8785")


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a Python of its own, whose standard output is no terminal."""
    return subprocess.run(
        (sys.executable, *arguments),
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def loaded_by(statement: str) -> set[str]:
    """The modules a statement leaves loaded."""
    done = python("-c", f"import sys; {statement}; print(*sorted(sys.modules))")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_the_board_is_imported_without_transport_database_or_signatures() -> None:
    loaded = loaded_by("import corr_tui.cli.main, corr_tui.cli.board, corr_tui.ui.app")
    assert "textual" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_demo_is_imported_without_the_scene_or_a_service() -> None:
    loaded = loaded_by("import corr_tui.cli.demo")
    assert loaded.isdisjoint({*HEAVY, "textual", "corr_tui.demo.scene"})


def test_the_version_is_told_without_loading_click() -> None:
    statement = "sys.argv = ['corr-tui', '--version']; from corr_tui.__main__ import main; assert main() == 0"
    assert loaded_by(statement).isdisjoint({"click", "textual", "asyncio", *HEAVY})


def test_the_module_runs_as_the_program_does() -> None:
    done = python("-m", "corr_tui", "--version")
    assert (done.stdout, done.returncode) == (f"corr-tui {__version__}\n", 0)


@pytest.mark.parametrize("arguments", [(), ("demo",)])
def test_without_a_terminal_the_board_refuses_in_words_and_suggests_text(cli: Cli, arguments: tuple[str, ...]) -> None:
    done = python("-m", "corr_tui", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "corr-tui voice" in done.stderr
    assert "\x1b" not in done.stderr
    assert not cli.home.exists()


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(cli: Cli, verb: str) -> None:
    assert verb in cli.run(verb, "--help").stdout


def test_help_lists_every_verb_without_loading_any(cli: Cli) -> None:
    listed = cli.run("--help").stdout
    assert all(verb in listed for verb in VERBS)
    assert "no such command" in cli.run("nonsense", code=2).stderr.lower()


def test_settings_that_break_a_rule_are_named_with_their_source(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORR_TUI_BASE_URL", "ftp://example.org")
    assert "CORR_TUI_BASE_URL" in cli.run("voice", code=2).stderr
    assert "--base-url" in cli.run("voice", "--base-url", "nonsense", code=2).stderr


def test_a_service_that_does_not_answer_is_exit_code_4(cli: Cli) -> None:
    service = ("--base-url", "http://127.0.0.1:1", "--bearer", "at_none", "--repository", "acme/widgets")
    result = cli.run("voice", *service, code=4)
    assert "not reached" in result.stderr


def test_flags_may_stand_before_the_verb_or_after_it(cli: Cli) -> None:
    elsewhere = cli.folder / "elsewhere"
    cli.run("--home", str(elsewhere), "send", "observation", "--thread", "t", "--summary", "s")
    assert cli.run("events", "--home", str(elsewhere)).stdout.startswith("#1")
    assert not cli.home.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("keys",), ("outbox",), ("outbox", "--json")])
def test_a_full_standard_output_is_told_in_one_line(arguments: tuple[str, ...], tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            (sys.executable, "-m", "corr_tui", *arguments),
            env={**os.environ, "CORR_TUI_HOME": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.stderr == "corr-tui: standard output cannot be written: No space left on device\n"
    assert done.returncode == 1


@pytest.mark.parametrize("verb", ["events", "voice --json", "search x", "send observation --thread t --summary s"])
def test_a_working_folder_that_is_gone_is_told_in_one_line(
    verb: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    said = cli.run(*verb.split(), code=2).stderr
    assert said.startswith("corr-tui: the working folder cannot be used: No such file or directory")
    assert said.count("\n") == 1


def test_leaving_does_not_go_through_what_was_held() -> None:
    """What a board holds of a long history goes with the process; nobody waits for it."""
    code = (
        "import atexit, gc, sys; from corr_tui.__main__ import main; sys.argv = ['corr-tui', '--help'];"
        "atexit.register(lambda: print('frozen', gc.get_freeze_count() > 0)); main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "frozen True" in done.stdout
