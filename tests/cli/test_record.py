"""Recording from the command line, and showing a recording."""

from __future__ import annotations

import getpass
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from .conftest import Cli, Remote
from .test_board import terminal

HEADLESS = ("-m", "corr_tui", "record")


@contextmanager
def recording(path: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A recording without a board that has come to be live; whoever uses it interrupts it."""
    command = (sys.executable, *HEADLESS, str(path), *options)
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        read_until(process.stderr, "live")
        yield process
    finally:
        process.kill()
        process.communicate()


def read_until(stream: IO[str], words: str) -> None:
    """Read lines until one is these words."""
    for line in stream:
        if line.rstrip("\n") == words:
            return
    raise AssertionError(f"it ended before it said {words}")


def lines_of(path: Path) -> list[dict[str, object]]:
    """Every line of a recording."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_recording_without_a_board_ends_when_interrupted_and_says_what_it_holds(
    cli: Cli, remote: Remote, ending: signal.Signals
) -> None:
    cli.send("observation", "--thread", "task:1", "--summary", "before")
    path = cli.folder / "of.jsonl"
    with recording(path) as process:
        cli.send("observation", "--thread", "task:1", "--summary", "meanwhile")
        process.send_signal(ending)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (0, "")
    assert "Recorded " in stderr
    assert "only you can read it" in stderr
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kinds = {str(line["is"]) for line in lines_of(path)}
    assert {"recording", "pins", "ask", "answer", "open", "chunk"} <= kinds


def test_neither_secrets_nor_this_machine_are_in_a_recording(
    cli: Cli, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "whoever-runs-this")
    cli.send("observation", "--thread", "task:1", "--summary", "hello")
    path = cli.folder / "of.jsonl"
    with recording(path) as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    written = path.read_text("utf-8")
    key = remote.key_file.read_text("utf-8", "replace").strip()
    for secret in (remote.bearer, key, str(cli.home), str(Path.home()), str(cli.folder), getpass.getuser()):
        assert len(secret) > 8
        assert secret not in written
    assert '"authorization"' not in written.lower()


def test_a_file_that_is_there_is_overwritten_only_when_forced(cli: Cli, remote: Remote) -> None:
    path = cli.folder / "of.jsonl"
    path.write_text("mine", "utf-8")
    path.chmod(0o644)
    assert "--force" in cli.run("record", str(path), "--no-board", code=2).stderr
    assert path.read_text("utf-8") == "mine"
    with recording(path, "--force") as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert lines_of(path)[0]["is"] == "recording"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("where", ["none/of.jsonl", "."])
def test_a_file_that_cannot_be_made_is_refused(cli: Cli, where: str) -> None:
    cli.run("record", str(cli.folder / where), "--no-board", code=2)


def test_settings_that_break_a_rule_leave_no_file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORR_TUI_BASE_URL", "ftp://example.org")
    path = cli.folder / "of.jsonl"
    assert "CORR_TUI_BASE_URL" in cli.run("record", str(path), "--no-board", code=2).stderr
    assert not path.exists()


def test_a_device_without_room_is_refused_at_once(cli: Cli, remote: Remote) -> None:
    assert "No space left" in cli.run("record", "/dev/full", "--force", "--no-board", code=2).stderr


def test_the_board_records_and_its_recording_is_shown_without_service_or_home(
    cli: Cli, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.send("observation", "--thread", "task:1", "--summary", "hello")
    path = cli.folder / "of.jsonl"
    with terminal("record", str(path)) as board:
        board.read_until(b"live")
        os.write(board.controller, b"q")
        assert board.end() == 0
    assert b"Recorded " in board.written.rpartition(b"\x1b[?1049l")[2]
    remote.stop()
    for name in remote.settings():
        monkeypatch.delenv(name)
    temporary, home = cli.folder / "temporary", cli.folder / "another home"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("CORR_TUI_HOME", str(home))
    with terminal("replay", str(path), "--speed", "max") as board:
        board.read_until(b"corr-tui recording")
        board.read_until(b"recording ended")
        board.read_until("“hello”".encode())
        os.write(board.controller, b"q")
        assert board.end() == 0
    assert b"nothing can be sent" in board.written
    assert os.listdir(temporary) == []
    assert not home.exists()
    assert cli.run("replay", str(path), "--plain").stdout.endswith("ana  observation  task:1  “hello”\n")


def test_a_recording_that_breaks_off_is_shown_as_far_as_it_goes_with_the_line_named(cli: Cli, remote: Remote) -> None:
    cli.send("observation", "--thread", "task:1", "--summary", "hello")
    path = cli.folder / "of.jsonl"
    with recording(path) as process:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
    with path.open("ab") as file:
        file.write(b'{"is":"answ')
    shown = cli.run("replay", str(path), "--plain")
    assert "“hello”" in shown.stdout
    assert f"line {len(path.read_bytes().splitlines())}: it ends in the middle" in shown.stderr


@pytest.mark.parametrize("content", [b"", b"hello\n", b'{"is":"recording","format":"other","version":1}\n', None])
def test_what_is_no_recording_is_refused(cli: Cli, content: bytes | None) -> None:
    path = cli.folder / "of.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert str(path) in cli.run("replay", str(path), "--plain", code=2).stderr
    with terminal("replay", str(path)) as board:
        assert board.end() == 2
    assert b"of.jsonl" in board.written.rpartition(b"\x1b[?1049l")[2]


HEADER = {
    "is": "recording",
    "format": "corr-tui-recording",
    "version": 1,
    "began": "2026-05-14T13:00:00.000Z",
    "base_url": "http://service.example",
    "repository_id": "acme/widgets",
    "label": "",
    "identity_id": None,
    "program": "corr-tui",
}


@pytest.mark.parametrize(
    ("member", "value", "words"),
    [("base_url", "ftp://x", "no http or https address"), ("began", "2026-02-30T13:00:00.000Z", "no moment there is")],
)
def test_a_first_line_that_cannot_be_played_is_refused_before_any_other_is_read(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, member: str, value: str, words: str
) -> None:
    def unread(*arguments: object) -> None:
        pytest.fail("a line after the first was read")

    monkeypatch.setattr("corr_tui.client.recorded.Recording._take_raw", unread)
    path = cli.folder / "of.jsonl"
    path.write_text(json.dumps({**HEADER, member: value}) + "\n{}\n" * 3)
    assert words in cli.run("replay", str(path), "--plain", code=2).stderr


@pytest.mark.parametrize("answered", [False, True])
def test_a_recording_in_which_nobody_told_events_is_not_one_of_no_events(cli: Cli, *, answered: bool) -> None:
    lines: list[dict[str, object]] = [dict(HEADER)]
    told: list[tuple[str, dict[str, object]]] = [
        ("/v1/wake", {"project": {"id": "00000001-0000-4000-8000-000000000001", "name": "acme"}})
    ]
    if answered:
        page: dict[str, object] = {"events": [], "page": {"after": None, "next_after": None, "has_more": False}}
        told.append(("/v1/correspondence/events?repository_id=acme%2Fwidgets&limit=200", page))
    for number, (target, body) in enumerate(told, 1):
        asked = {"is": "ask", "ms": number, "n": number, "method": "GET", "target": target, "headers": {}}
        answer = {"is": "answer", "ms": number, "n": number, "status": 200, "text": json.dumps(body)}
        lines += [asked, {**answer, "headers": {"content-type": "application/json"}}]
    path = cli.folder / "of.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    if answered:
        assert cli.run("replay", str(path), "--plain").stdout == "No events.\n"
    else:
        refused = cli.run("replay", str(path), "--plain", code=2)
        assert (refused.stdout, "never answered for its events" in refused.stderr) == ("", True)


def test_a_recording_without_a_terminal_says_what_it_needs_and_what_works_instead(cli: Cli) -> None:
    path = cli.folder / "of.jsonl"
    path.write_bytes(b"")
    assert "--plain" in cli.run("replay", str(path), code=2).stderr


@pytest.mark.parametrize("speed", ["-1", "0", "0.01", "1001", "fast", "nan", "inf"])
def test_a_speed_that_is_none_is_refused(cli: Cli, speed: str) -> None:
    assert "0.1 to 1000" in cli.run("replay", "of.jsonl", "--speed", speed, code=2).stderr
