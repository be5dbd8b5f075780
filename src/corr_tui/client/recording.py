"""The file of a recording: what was asked of a service and what it answered, one JSON object a line.

    {"is": "recording", "format": "corr-tui-recording", "version": 1, "began": …, "base_url": …, "repository_id": …, …}
    {"is": "pins", "project_id": …, "keys": […]}                    the keys known before, which verdicts rest on
    {"is": "ask", "ms": 12, "n": 1, "method": "GET", "target": "/v1/…", "headers": {…}}
    {"is": "answer", "ms": 20, "n": 1, "status": 200, "headers": {…}, "text": …, "how": "whole"}
    {"is": "lost", "ms": 20, "n": 1, "how": "connect"}              no answer at all
    {"is": "open", "ms": 30, "n": 2, "status": 200, "headers": {…}}  a wake stream, then its pieces and its end
    {"is": "chunk", "ms": 31, "n": 2, "text": …}
    {"is": "end", "ms": 41, "n": 2, "how": "cut"}

`ms` is milliseconds since the recording began, `n` the number of the exchange. Bytes are `text` where they are
printable UTF-8, else `base64`. Lines stand in the order they were written, which `ms` need not follow. The file is as
untrusted as a service: it is strict JSON under caps, and everything in it has its form or the line is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from contextlib import suppress
from typing import Annotated, Any, Literal

import msgspec

from corr_tui.protocol.errors import JsonRefused
from corr_tui.protocol.strict_json import decode

FORMAT = "corr-tui-recording"
VERSION = 1
MAX_LINE = 48 * 1024 * 1024
"""Bytes of a line: the largest answer read (16 MiB), every character of it escaped."""
MAX_MS = 400 * 86_400_000
"""Milliseconds from the beginning: more than a year."""

How = Literal["whole", "connect", "cut", "timeout", "left", "cancelled"]
"""How an exchange ended: wholly; lost on the way; left by this side, which had read enough; cancelled by this side."""

_Ms = Annotated[int, msgspec.Meta(ge=0, le=MAX_MS)]
_Number = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
_Status = Annotated[int, msgspec.Meta(ge=100, le=599)]
_Name = Annotated[str, msgspec.Meta(max_length=256)]
_Target = Annotated[str, msgspec.Meta(pattern=r"\A/[!-~]*\Z", max_length=16_384)]
_Field = Annotated[str, msgspec.Meta(pattern=r"\A[\t -~\x80-\xff]*\Z", max_length=16_384)]
_FieldName = Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9-]+\Z", max_length=64)]
_Fields = Annotated[dict[_FieldName, _Field], msgspec.Meta(max_length=32)]


class RecordingRefused(Exception):
    """A recording, or a line of one, that has not its form; the text says in which way."""


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is"):
    """A line of a recording."""


class Begun(_Line, frozen=True, tag="recording"):
    """The first line: what was recorded, where and when."""

    format: _Name
    version: int
    began: Annotated[str, msgspec.Meta(pattern=r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")]
    """The wall clock of the machine at `ms` 0 (§2 RFC3339-ms); a service's own time is in its Date headers."""
    base_url: Annotated[str, msgspec.Meta(max_length=2048)]
    repository_id: _Name
    label: _Name = ""
    identity_id: _Name | None = None
    program: _Name = ""


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key that was pinned before; `public_key` is base64 of 32 bytes."""

    identity_id: _Name
    signing_key_id: _Name
    public_key: _Name


class Pins(_Line, frozen=True, tag="pins"):
    """The keys of a project that were pinned when the recording began."""

    ms: _Ms
    project_id: _Name
    keys: Annotated[tuple[Pin, ...], msgspec.Meta(max_length=10_000)]


class Asked(_Line, frozen=True, tag="ask"):
    """A request, with the headers that matter."""

    ms: _Ms
    n: _Number
    method: Literal["GET", "POST"]
    target: _Target
    headers: _Fields = {}
    text: str | None = None
    base64: str | None = None


class Answered(_Line, frozen=True, tag="answer"):
    """An answer; what was read of its body."""

    ms: _Ms
    n: _Number
    status: _Status
    headers: _Fields = {}
    text: str | None = None
    base64: str | None = None
    how: How = "whole"


class Lost(_Line, frozen=True, tag="lost"):
    """A request without an answer."""

    ms: _Ms
    n: _Number
    how: How


class Opened(_Line, frozen=True, tag="open"):
    """An event stream that began."""

    ms: _Ms
    n: _Number
    status: _Status
    headers: _Fields = {}


class Chunk(_Line, frozen=True, tag="chunk"):
    """A piece of an event stream, as it came."""

    ms: _Ms
    n: _Number
    text: str | None = None
    base64: str | None = None


class Ended(_Line, frozen=True, tag="end"):
    """The end of an event stream."""

    ms: _Ms
    n: _Number
    how: How


Line = Begun | Pins | Asked | Answered | Lost | Opened | Chunk | Ended

_CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\r"))
_UPPER_CONTROLS = re.compile(rb"\xc2[\x80-\x9f]")


def written_bytes(raw: bytes) -> dict[str, str]:
    """The member that holds these bytes; none for none."""
    if not raw:
        return {}
    controls = len(raw.translate(None, _CONTROLS)) < len(raw) or (b"\xc2" in raw and _UPPER_CONTROLS.search(raw))
    with suppress(UnicodeDecodeError):
        if not controls:
            return {"text": raw.decode("utf-8")}
    return {"base64": base64.b64encode(raw).decode("ascii")}


def bytes_of(line: Asked | Answered | Chunk) -> bytes:
    """The bytes in a line; raises RecordingRefused when it holds them twice, or in no base64."""
    if line.base64 is None:
        return (line.text or "").encode("utf-8")
    if line.text is not None:
        raise RecordingRefused("it holds its bytes both as text and as base64")
    try:
        return base64.b64decode(line.base64.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise RecordingRefused("its bytes are no base64") from None


def write_line(kind: type[_Line], members: dict[str, Any]) -> bytes:
    """A line of this kind, with its end."""
    named = {"is": kind.__struct_config__.tag, **members}
    return json.dumps(named, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def read_line(raw: bytes) -> Line:
    """The line in these bytes; raises RecordingRefused."""
    if len(raw) > MAX_LINE:
        raise RecordingRefused(f"it is longer than {MAX_LINE} bytes")
    try:
        line: Line = msgspec.convert(decode(raw), Line)
    except JsonRefused as refused:
        raise RecordingRefused(f"it is not strict JSON: {refused}") from None
    except msgspec.ValidationError as error:
        raise RecordingRefused(f"it has not the form of a line: {error}") from None
    return line


def read_header(raw: bytes) -> Begun:
    """The first line; raises RecordingRefused for what is no recording, or one of another version."""
    try:
        begun = read_line(raw)
    except RecordingRefused:
        begun = None
    if not isinstance(begun, Begun) or begun.format != FORMAT:
        raise RecordingRefused("this is no recording of corr-tui")
    if begun.version != VERSION:
        raise RecordingRefused(
            f"this is a recording of version {begun.version}, and only version {VERSION} is read here"
        )
    return begun
