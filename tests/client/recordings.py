"""Recorded exchanges with a real service, where this checkout has them beside it; tests that need them skip without."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

WIRE = Path(__file__).resolve().parents[3] / "shared" / "wire"


@dataclass(frozen=True)
class Exchange:
    """One recorded answer, and the method it answers."""

    name: str
    method: str
    response: httpx.Response


def exchanges() -> dict[str, Exchange]:
    """Every recorded request and response by file name; empty when there are none."""
    found = {}
    for path in sorted(WIRE.glob("*.txt")):
        content = path.read_bytes()
        if b"===== RESPONSE =====\n" in content:
            found[path.stem] = _exchange(path.stem, content)
    return found


def _exchange(name: str, content: bytes) -> Exchange:
    request, _, response = content.partition(b"===== RESPONSE =====\n")
    head, _, body = response.replace(b"\r\n", b"\n").partition(b"\n\n")
    status, *lines = head.decode("latin-1").split("\n")
    headers = [(line.partition(":")[0], line.partition(":")[2].strip()) for line in lines]
    length = next((int(value) for field, value in headers if field.lower() == "content-length"), 0)
    method = request.partition(b"===== REQUEST =====\n")[2].split(b" ", 1)[0].decode("ascii")
    kept = [(field, value) for field, value in headers if field.lower() not in ("content-length", "transfer-encoding")]
    code = int(status.split(" ")[1])
    return Exchange(name, method, httpx.Response(code, headers=kept, content=body[:length]))


def stream_of(name: str) -> bytes:
    """The body bytes of a recorded wake stream, its chunks put together."""
    text = (WIRE / f"{name}.txt").read_text("utf-8")
    pieces = [ast.literal_eval(piece) for piece in re.findall(r"^\[ *[\d.]+s\] (b['\"].*)$", text, re.MULTILINE)]
    raw = b"".join(pieces).partition(b"\r\n\r\n")[2]
    body = b""
    while raw:
        size, _, rest = raw.partition(b"\r\n")
        length = int(size, 16)
        body, raw = body + rest[:length], rest[length + 2 :]
    return body


needs_recordings = pytest.mark.skipif(not WIRE.is_dir(), reason="the recorded exchanges are not beside this checkout")
