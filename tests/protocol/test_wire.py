"""Recorded exchanges with a service, where they lie beside the checkout: every body is read, every signature holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corr_tui.protocol.event import Event, read_event
from corr_tui.protocol.records import Record, read_claims, read_events_page, read_record, read_voice, read_wake
from corr_tui.protocol.signing import decode_key, verify
from corr_tui.protocol.strict_json import COLLECTION_LIMITS, decode
from tests.protocol.examples import ROOT, shared

FOLDER = ROOT.parent / "shared" / "wire"


def recorded(pattern: str) -> list[Path]:
    """The recorded exchanges whose name matches; none where there are none."""
    return sorted(FOLDER.glob(pattern))


def answer(path: Path) -> tuple[int, bytes]:
    """The status and the body of the response in one recorded exchange."""
    raw = path.read_bytes().split(b"===== RESPONSE =====\n", 1)[1].replace(b"\r\n", b"\n")
    head, _, body = raw.partition(b"\n\n")
    return int(head.split()[1]), body.rstrip(b"\n")


def question(path: Path) -> bytes:
    """The body of the request in one recorded exchange."""
    raw = path.read_bytes().split(b"===== RESPONSE =====\n", 1)[0].replace(b"\r\n", b"\n")
    return raw.partition(b"\n\n")[2].rstrip(b"\n")


def accepted(*patterns: str) -> list[Path]:
    """The recorded exchanges with a JSON body and a status of 200 or 201."""
    found = [path for pattern in patterns for path in recorded(pattern)]
    return [
        path
        for path in found
        if b"===== RESPONSE" in path.read_bytes() and answer(path)[0] in (200, 201) and answer(path)[1].startswith(b"{")
    ]


def keys() -> dict[str, bytes]:
    """The recorded public keys by id."""
    listed: dict[str, bytes] = {}
    for path in recorded("identity-keys*.txt"):
        body: Any = decode(answer(path)[1])
        listed.update({key["kid"]: decode_key(key["public_key"]) for key in body["keys"]})
    return listed


def check(records: tuple[Record, ...]) -> int:
    """Verify every event; returns how many."""
    for record in records:
        assert isinstance(record.event, Event), record.event
        verify(record.event, keys()[record.event.sender.signing_key_id])
    return len(records)


@pytest.mark.parametrize("path", accepted("events-*.txt"), ids=lambda path: path.stem)
def test_recorded_pages_of_events(path: Path) -> None:
    """§7: pages become records, ascending; each signature holds under a listed key."""
    body: Any = decode(answer(path)[1], COLLECTION_LIMITS)
    page = read_events_page(body)
    assert check(page.events) == len(body["events"])
    cursors = [record.seq for record in page.events]
    assert cursors == sorted(cursors)


@pytest.mark.parametrize("path", accepted("voice-*.txt"), ids=lambda path: path.stem)
def test_recorded_voices(path: Path) -> None:
    """§7.1: voices become records; each signature holds under a listed key."""
    body: Any = decode(answer(path)[1], COLLECTION_LIMITS)
    voice = read_voice(body)
    assert check(voice.recent_events) == len(body["recent_events"])
    assert len(voice.active_claims) == len(body["active_claims"])


@pytest.mark.parametrize("path", accepted("claims-*.txt"), ids=lambda path: path.stem)
def test_recorded_claims(path: Path) -> None:
    """§6: projections become records."""
    body: Any = decode(answer(path)[1], COLLECTION_LIMITS)
    assert len(read_claims(body).claims) == len(body["claims"])


@pytest.mark.parametrize("path", accepted("post-*.txt"), ids=lambda path: path.stem)
def test_recorded_posts(path: Path) -> None:
    """§7: the answer is the record of the very event that was posted, in any order of names."""
    record = read_record(decode(answer(path)[1]))
    assert check((record,)) == 1
    asked = question(path)
    if b" bytes>" not in asked:  # one recording leaves most of its request out
        assert record.event.evidence == decode(asked)


def test_a_recorded_post_of_an_unknown_identity_holds_under_no_listed_key() -> None:
    """The one exception among the recorded posts; the service refused it."""
    path = shared("wire", "post-unknown-identity.txt")
    event = read_event(decode(question(path)))
    assert event.sender.identity_id not in path.with_name("identities-list.txt").read_text("utf-8")
    assert answer(path)[0] >= 400


def test_recorded_wake_frames() -> None:
    """§7.1: `change` frames; `wake_version` is null there, and nothing depends on it."""
    found = 0
    for path in (shared("wire", "sse-change-alice.txt"), shared("wire", "sse-change-bob.txt")):
        frames = path.read_text("utf-8").partition("=== CONCATENATED")[2].split("\n\n")
        for frame in frames:
            event, _, data = frame.partition("\ndata: ")
            if event.strip().endswith("event: change"):
                wake = read_wake(decode(data.encode()))
                assert wake.key == "correspondence"
                assert wake.context.received_seq
                found += 1
    assert found > 5


def test_there_is_something_recorded_of_every_kind_of_answer() -> None:
    """Where the recordings exist, none of the tests above is empty."""
    shared("wire", "README.md")
    assert accepted("events-*.txt")
    assert accepted("voice-*.txt")
    assert accepted("claims-*.txt")
    assert len(accepted("post-*.txt")) > 5
    assert json.loads(answer(shared("wire", "identity-keys.txt"))[1])["keys"]
    assert len(keys()) >= 2
