"""The service as a program of its own, and a second machine that reaches it with settings alone."""

from __future__ import annotations

import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import which

import httpx
import pytest

from corr_tui.cli.serve import _announce
from corr_tui.server.database import open_database
from corr_tui.server.embed import STOP_SECONDS, STUCK_SECONDS, listen
from corr_tui.server.wake import CLOSING_SECONDS
from tests.correspondents import PROJECT_ID, World
from tests.server.scene import settle_accounts

from .conftest import Cli


@contextmanager
def process(*flags: str) -> Iterator[str]:
    """The base URL of a service in a process of its own, which ends cleanly when it is told to."""
    command = (sys.executable, "-m", "corr_tui", "serve", "--port", "0", *flags)
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
def serving(cli: Cli) -> Iterator[str]:
    """The base URL of a service in a process of its own."""
    with process() as base_url:
        yield base_url


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


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A certificate for 127.0.0.1 and its key, made for this run."""
    openssl = which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    files = str(folder / "cert.pem"), str(folder / "key.pem")
    subject = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    command = (openssl, "req", "-x509", *curve, *subject, "-days", "2", "-out", files[0], "-keyout", files[1])
    subprocess.run(command, check=True, capture_output=True)
    return files


def test_https_is_spoken_and_linked_with_a_certificate(cli: Cli, certificate: tuple[str, str]) -> None:
    project_id = cli.run("admin", "project", "create", "acme").stdout.strip()
    bearer = cli.run("admin", "token", "create", "--project", project_id).stdout.strip()
    identity_id = cli.run("admin", "identity", "create", "--project", project_id, "--name", "ana").stdout.strip()
    stream = f"/v1/wake/voice?identity_id={identity_id}&keys=correspondence"
    trusted = ssl.create_default_context(cafile=certificate[0])
    with (
        process("--tls-cert", certificate[0], "--tls-key", certificate[1]) as base_url,
        httpx.Client(base_url=base_url, headers={"Authorization": f"Bearer {bearer}"}, verify=trusted) as client,
        client.stream("GET", stream) as open_to_the_end,
    ):
        assert base_url.startswith("https://127.0.0.1:")
        answer = client.get("/v1/correspondence/events?repository_id=a")
        assert answer.headers["link"].startswith(f"<{base_url}/v1/correspondence/events?")
        assert open_to_the_end.status_code == 200


def test_a_proxy_that_is_spoken_for_says_how_it_was_reached(cli: Cli) -> None:
    bearer = new_bearer_of(cli)
    headers = {"Authorization": f"Bearer {bearer}", "Host": "corr.example", "X-Forwarded-Proto": "https"}
    schemes = []
    for flags in ((), ("--behind-proxy",)):
        with process(*flags) as base_url:
            answer = httpx.get(f"{base_url}/v1/correspondence/events?repository_id=a", headers=headers)
        schemes.append(answer.headers["link"].partition(":")[0])
    assert schemes == ["<http", "<https"]


def new_bearer_of(cli: Cli) -> str:
    """A bearer of a new project."""
    project_id = cli.run("admin", "project", "create", "acme").stdout.strip()
    return cli.run("admin", "token", "create", "--project", project_id).stdout.strip()


def test_an_address_beyond_loopback_is_served_behind_a_proxy_only_by_word(cli: Cli) -> None:
    with process("--host", "0.0.0.0", "--behind-proxy") as base_url:
        assert base_url.startswith("http://0.0.0.0:")


@pytest.mark.parametrize("given", [("--tls-cert",), ("--tls-key",), ("--tls-cert", "--tls-key")])
def test_a_certificate_that_is_of_no_use_is_refused_in_words(cli: Cli, given: tuple[str, ...]) -> None:
    (cli.folder / "not.pem").write_text("not a certificate")
    arguments = [part for option in given for part in (option, "not.pem")]
    assert "tls" in cli.run("serve", "--port", "0", *arguments, code=2).stderr.replace("certificate", "tls")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:s3cret@db.example/corr?sslmode=require", "postgresql://me@db.example/corr?sslmode=require"),
        ("postgresql://me@db.example/corr?password=s3cret", "postgresql://me@db.example/corr"),
        ("postgresql:///corr", "postgresql:///corr"),
        ("sqlite:////srv/a:b@c.db", "sqlite:////srv/a:b@c.db"),
    ],
)
def test_a_password_in_a_database_url_is_never_announced(
    capsys: pytest.CaptureFixture[str], url: str, shown: str
) -> None:
    _announce("http://127.0.0.1:1", url)
    told = capsys.readouterr()
    assert f"Serving {shown}." in told.err
    assert "s3cret" not in told.out + told.err


def test_answers_are_sent_without_nagles_delay() -> None:
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux cuts a connection whose reader is stuck by itself")
def test_a_connection_whose_reader_is_stuck_is_cut_in_the_end() -> None:
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == STUCK_SECONDS * 1000


def test_stopping_takes_less_than_two_seconds_at_the_most() -> None:
    """What is queued for streams has its moment, then requests under way have theirs."""
    assert CLOSING_SECONDS + STOP_SECONDS < 2


def test_a_fault_is_told_on_standard_error_without_what_was_said(cli: Cli, tmp_path: Path) -> None:
    """§7: an operator learns of an outage, and nobody learns of a bearer or an event."""
    path = tmp_path / "team.db"
    url = f"sqlite:///{path}"
    project_id = cli.run("admin", "project", "create", "acme", "--database", url).stdout.strip()
    bearer = cli.run("admin", "token", "create", "--project", project_id, "--database", url).stdout.strip()
    command = (sys.executable, "-m", "corr_tui", "serve", "--port", "0", "--database", url)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().strip()
            path.rename(tmp_path / "elsewhere.db")
            route = f"{base_url}/v1/correspondence/claims?repository_id=acme%2Fsecret"
            answer = httpx.get(route, headers={"Authorization": f"Bearer {bearer}"})
        finally:
            process.send_signal(signal.SIGTERM)
            _, told = process.communicate(timeout=30)
    assert answer.status_code == 503
    assert "ERROR storage unavailable" in told
    assert bearer not in told
    assert "secret" not in told


def test_a_request_that_waits_for_the_database_when_the_service_stops_is_told_so(cli: Cli, tmp_path: Path) -> None:
    """§7: 503 with the way on, never a fault, and the process does not wait for the database."""
    path = tmp_path / "team.db"
    url = f"sqlite:///{path}"
    event = World().event("ana", "progress", summary="waits").evidence
    with closing(open_database(url)) as database:
        settle_accounts(database, World())
    bearer = cli.run("admin", "token", "create", "--project", PROJECT_ID, "--database", url).stdout.strip()
    command = (sys.executable, "-m", "corr_tui", "serve", "--port", "0", "--database", url)
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
        ThreadPoolExecutor(1) as pool,
        closing(sqlite3.connect(path, isolation_level=None)) as writer,
    ):
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().strip()
            route, headers = f"{base_url}/v1/correspondence/events", {"Authorization": f"Bearer {bearer}"}
            assert httpx.post(route, json=event, headers={"Authorization": "Bearer at_none"}).status_code == 401
            writer.execute("BEGIN IMMEDIATE")
            posting = pool.submit(httpx.post, route, json=event, headers=headers, timeout=30)
            # the service answers others while that one waits, so the post has reached it
            while not posting.running():
                pass
            httpx.get(f"{base_url}/v1/wake", headers=headers)
            process.send_signal(signal.SIGTERM)
            answer = posting.result(timeout=30)
            process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 0
    assert answer.status_code == 503
    assert answer.json()["error"] in ("service_stopping", "correspondence_append_unavailable")
