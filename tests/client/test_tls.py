"""TLS with a service on this machine: whom it is believed by, and in which words it is not."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import pytest

from corr_tui.client.errors import Phase, Unreachable
from corr_tui.client.http import Client
from corr_tui.client.wake import subscribe
from tests.client.answering import BEARER

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
PROJECT = b'{"project":{"id":"11111111-1111-4111-8111-111111111111","name":"acme"}}'


@dataclass(frozen=True)
class Certificate:
    """A certificate that signed itself, and its key; PEM files."""

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """What a service with it needs."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


@pytest.fixture(scope="module")
def certify(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Certificate]:
    """Makes certificates for a subject's alternative name."""
    openssl = which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")

    def make(name: str) -> Certificate:
        folder = tmp_path_factory.mktemp("tls")
        made = Certificate(folder / "cert.pem", folder / "key.pem")
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=here")
        out = ("-addext", f"subjectAltName={name}", "-days", "2", "-out", made.certificate, "-keyout", made.key)
        subprocess.run((openssl, "req", "-x509", *curve, *out), check=True, capture_output=True)
        return made

    return make


@asynccontextmanager
async def serving(context: ssl.SSLContext | None) -> AsyncIterator[str]:
    """A service on loopback that names its project to everybody, over TLS if there is a context; its address."""
    ends: list[asyncio.StreamWriter] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends.append(writer)
        if context is None:
            await reader.read(16)
            writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        else:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(ANSWER + PROJECT)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    try:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await asyncio.gather(*(writer.wait_closed() for writer in ends), return_exceptions=True)


async def refused(base_url: str) -> Unreachable:
    """Why neither a read nor a stream of a client gets through; a post was not delivered either."""
    client = Client(base_url, BEARER)
    try:
        with pytest.raises(Unreachable) as read:
            await client.project()
        with pytest.raises(Unreachable) as streamed:
            await anext(subscribe(client, "22222222-2222-4222-8222-222222222222"))
    finally:
        await client.aclose()
    assert str(streamed.value) == str(read.value)
    assert not read.value.delivered
    return read.value


async def test_the_authorities_that_the_environment_names_hold_for_this_machine_too(
    certify: Callable[[str], Certificate], monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certify("IP:127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")  # which nothing on this machine is asked through
    async with serving(certificate.context()) as base_url:
        client = Client(base_url, BEARER)
        assert (await client.project()).name == "acme"
        await client.aclose()


async def test_a_certificate_that_nobody_here_trusts_is_named(certify: Callable[[str], Certificate]) -> None:
    async with serving(certify("IP:127.0.0.1").context()) as base_url:
        why = await refused(base_url)
    assert why.phase is Phase.UNTRUSTED
    assert str(why).startswith("its certificate is not trusted: self")


async def test_a_certificate_of_another_address_is_named(
    certify: Callable[[str], Certificate], monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certify("DNS:elsewhere.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))
    async with serving(certificate.context()) as base_url:
        why = await refused(base_url)
    assert why.phase is Phase.UNTRUSTED
    assert "not valid for '127.0.0.1'" in str(why)


async def test_an_address_that_does_not_speak_tls_is_told_from_one_that_is_not_there() -> None:
    async with serving(None) as base_url:
        assert (await refused(base_url)).phase is Phase.INSECURE
    assert (await refused(base_url)).phase is Phase.CONNECT
