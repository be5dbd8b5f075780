"""A command line of its own for each test: a home under tmp_path, a folder to stand in, no settings from outside."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from corr_tui.cli.local import LocalProject, local_project
from corr_tui.cli.main import main
from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database, open_database
from corr_tui.server.embed import EmbeddedService
from corr_tui.state.credentials import create_seed
from corr_tui.state.home import Home

FOREIGN = ("CORR_TUI_", "AT_API_KEY", "AGENTTOOL_")


@dataclass(frozen=True)
class Cli:
    """The command line in one home and one folder."""

    home: Path
    folder: Path

    def make(self) -> LocalProject:
        """The local project of the folder, made when it is not there."""
        return local_project(Home.under(self.home), self.folder)

    def run(self, *arguments: str, code: int = 0) -> Result:
        """Run a command and demand its exit code."""
        result = CliRunner().invoke(main, list(arguments), prog_name="corr-tui")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    def json(self, *arguments: str) -> Any:
        """Run a command with --json and give what it printed on standard output."""
        return json.loads(self.run(*arguments, "--json").stdout)

    def send(self, kind: str, *arguments: str) -> dict[str, Any]:
        """Send one event; the service's record."""
        record: dict[str, Any] = self.json("send", kind, *arguments)
        return record


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings and no Git configuration of whoever runs the test."""
    for name in os.environ:
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("LOGNAME", "maya")


@pytest.fixture
def cli(clean_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """The command line in an empty folder that is no repository, with a home of its own."""
    folder = tmp_path / "widgets"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CORR_TUI_HOME", str(tmp_path / "home"))
    return Cli(tmp_path / "home", folder)


@dataclass
class Remote:
    """A service on loopback that knows ana and her key; it can be stopped and started at the same address."""

    database: Database
    identity_id: str
    signing_key_id: str
    key_file: Path
    bearer: str
    service: EmbeddedService | None = None
    port: int = 0

    def start(self) -> None:
        """Serve, at the same port as before."""
        self.service = EmbeddedService(self.database, port=self.port)
        self.service.start()
        self.port = int(self.service.base_url.rpartition(":")[2])

    def stop(self) -> None:
        """Serve no longer."""
        if self.service is not None:
            self.service.stop()
        self.service = None

    def settings(self) -> dict[str, str]:
        """Everything that ana's environment says."""
        return {
            "CORR_TUI_BASE_URL": f"http://127.0.0.1:{self.port}",
            "CORR_TUI_BEARER": self.bearer,
            "CORR_TUI_REPOSITORY_ID": "acme/widgets",
            "CORR_TUI_IDENTITY_ID": self.identity_id,
            "CORR_TUI_SIGNING_KEY_ID": self.signing_key_id,
            "CORR_TUI_SIGNING_KEY_FILE": str(self.key_file),
        }


@pytest.fixture
def remote(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Remote]:
    """A service that the environment names, with everything else it takes to sign there."""
    database = open_database(f"sqlite:///{tmp_path / 'remote.db'}")
    accounts = Accounts(database)
    project_id = accounts.create_project("acme")
    identity_id = accounts.create_identity(project_id, "ana")
    signing_key_id = accounts.add_key(identity_id, public_key_of(create_seed(tmp_path / "ana.key")))
    there = Remote(database, identity_id, signing_key_id, tmp_path / "ana.key", accounts.create_token(project_id))
    there.start()
    for name, value in there.settings().items():
        monkeypatch.setenv(name, value)
    yield there
    there.stop()
    database.close()


@pytest.fixture
def git(cli: Cli) -> Callable[..., None]:
    """Runs git in the folder."""
    import subprocess

    def run(*words: str) -> None:
        subprocess.run(("git", *words), cwd=cli.folder, check=True, capture_output=True)

    return run
