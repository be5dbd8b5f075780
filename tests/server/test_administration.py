"""The command line over either kind of database, while a service of its own runs on it (§2.1, §7)."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from corr_tui.cli.main import main
from corr_tui.protocol.signing import public_key_of, sign
from tests.correspondents import World
from tests.server.scene import EVENTS, VOICE

SEED = bytes([9]) * 32


class Administration:
    """`corr-tui` with --database, in a home of its own."""

    def __init__(self, url: str) -> None:
        self._url = url

    def run(self, *arguments: str, code: int = 0) -> str:
        """What a command prints, on either output."""
        result = CliRunner().invoke(main, [*arguments, "--database", self._url])
        assert result.exit_code == code, result.output
        return result.output

    def json(self, *arguments: str) -> Any:
        """What an admin command prints with --json."""
        return json.loads(self.run("admin", *arguments, "--json"))

    @contextmanager
    def serving(self) -> Iterator[str]:
        """The base URL of `corr-tui serve` in a process of its own, which ends cleanly."""
        command = [sys.executable, "-m", "corr_tui", "serve", "--port", "0", "--database", self._url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                yield process.stdout.readline().strip()
            finally:
                process.terminate()
                _, told = process.communicate(timeout=30)
        assert process.returncode == 0, told


@pytest.fixture
def administration(empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Administration:
    """The command line over a database with nothing in it."""
    monkeypatch.setenv("CORR_TUI_HOME", str(tmp_path / "home"))
    return Administration(empty_url)


def test_a_database_is_migrated_filled_served_and_looked_after_by_commands_alone(
    administration: Administration,
) -> None:
    admin = administration.json
    assert admin("migrate") == admin("migrate")
    project_id = admin("project", "create", "acme")["project_id"]
    token = admin("token", "create", "--project", project_id, "--expires-in", "30d")
    identity_id = admin("identity", "create", "--project", project_id, "--name", "ana")["identity_id"]
    public_key = b64encode(public_key_of(SEED)).decode()
    key_id = admin("key", "add", "--identity", identity_id, "--public-key", public_key)["signing_key_id"]

    event = World().event("ana", "intent", summary="hello").evidence
    core = {name: part for name, part in event.items() if name not in ("event_id", "signature")}
    sender = {**core["sender"], "identity_id": identity_id, "signing_key_id": key_id}
    signed = sign({**core, "project_id": project_id, "sender": sender}, SEED)
    with (
        administration.serving() as base_url,
        httpx.Client(base_url=base_url, headers={"Authorization": f"Bearer {token['bearer']}"}) as client,
    ):
        assert client.post(EVENTS, json=signed.evidence).status_code == 201
        voice = client.get(VOICE, params={"repository_id": signed.repository_id}).json()
        assert [record["event"]["event_id"] for record in voice["recent_events"]] == [signed.event_id]
        admin("key", "revoke", key_id)
        assert client.post(EVENTS, json=signed.evidence).status_code == 200
        admin("token", "revoke", token["token_id"])
        assert client.post(EVENTS, json=signed.evidence).status_code == 401

    admin("identity", "revoke", identity_id)
    (identity,) = admin("identity", "list", "--project", project_id)["identities"]
    (key,) = admin("key", "list", "--identity", identity_id)["keys"]
    (listed,) = admin("token", "list", "--project", project_id)["tokens"]
    assert all(each["revoked_at"] for each in (identity, key, listed))
    assert [each["project_id"] for each in admin("project", "list")["projects"]] == [project_id]
    assert admin("rebuild") == {"projects": 1, "events": 1, "claim_events": 0, "changed": 0}
