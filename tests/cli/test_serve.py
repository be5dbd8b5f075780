"""The service as a program of its own, and a second machine that reaches it with settings alone."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corr_tui.server.embed import listen

from .conftest import Cli


@pytest.fixture
def serving(cli: Cli) -> Iterator[str]:
    """The base URL of a service in a process of its own, which ends cleanly when it is told to."""
    command = (sys.executable, "-m", "corr_tui", "serve", "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGTERM)
            _, told = process.communicate(timeout=30)
    assert process.returncode == 0, told
    assert "corr-tui admin project create" in told


@pytest.fixture
def second_machine(cli: Cli, serving: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Accounts made beside the running service, and another home that knows them by its environment only."""
    project_id = cli.run("admin", "project", "create", "acme").stdout.strip()
    bearer = cli.run("admin", "token", "create", "--project", project_id).stdout.strip()
    identity_id = cli.run("admin", "identity", "create", "--project", project_id, "--name", "ana").stdout.strip()
    public_key = cli.run("key", "new", str(tmp_path / "ana.key")).stdout.strip()
    added = cli.run("admin", "key", "add", "--identity", identity_id, "--public-key", public_key)
    settings = {
        "CORR_TUI_HOME": str(tmp_path / "second"),
        "CORR_TUI_BASE_URL": serving,
        "CORR_TUI_BEARER": bearer,
        "CORR_TUI_REPOSITORY_ID": "acme/widgets",
        "CORR_TUI_IDENTITY_ID": identity_id,
        "CORR_TUI_SIGNING_KEY_ID": added.stdout.strip(),
        "CORR_TUI_SIGNING_KEY_FILE": str(tmp_path / "ana.key"),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return Cli(tmp_path / "second", cli.folder)


def test_a_second_machine_speaks_and_reads_with_its_environment_alone(second_machine: Cli) -> None:
    sent = second_machine.send("observation", "--thread", "task:1", "--path", "docs", "--summary", "from afar")
    (record,) = second_machine.json("events")["events"]
    assert (record["event"], record["receipt"]) == (sent["event"], sent["receipt"])
    assert record["event"]["repository_id"] == "acme/widgets"
    assert "ana  observation" in second_machine.run("events").stdout
    assert not (second_machine.home / "data" / "local").exists()


def test_a_bearer_that_is_not_known_is_refused_with_exit_code_3(second_machine: Cli) -> None:
    assert "401" in second_machine.run("voice", "--bearer", "at_unknown", code=3).stderr


def test_a_reader_without_a_key_reads_and_is_told_what_signing_needs(
    second_machine: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CORR_TUI_SIGNING_KEY_FILE")
    assert second_machine.json("events")["events"] == []
    refused = second_machine.run("send", "observation", "--thread", "t", "--summary", "s", code=2)
    assert "key file" in refused.stderr


def test_an_address_in_use_is_refused_in_words(cli: Cli, serving: str) -> None:
    port = serving.rpartition(":")[2]
    assert port in cli.run("serve", "--port", port, code=2).stderr


def test_answers_are_sent_without_nagles_delay() -> None:
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
