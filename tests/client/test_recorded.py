"""Recordings read back and played: hostile files, and questions in any order."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corr_tui.client import recorded, recording
from corr_tui.client.errors import Phase, ProjectionUnavailable, Refused, Unreachable
from corr_tui.client.http import Client, Fresh, NotModified
from corr_tui.client.player import NOT_RECORDED, PlayedTransport
from corr_tui.client.recorded import Recording
from corr_tui.client.recording import RecordingRefused
from corr_tui.client.wake import FrameKind, subscribe

HEADER = {
    "is": "recording",
    "format": "corr-tui-recording",
    "version": 1,
    "began": "2026-11-30T20:00:00.000Z",
    "base_url": "http://service.example",
    "repository_id": "acme",
}
NOW = "2026-11-30T20:00:00.000Z"
JSON = {"content-type": "application/json"}
WAKE = "/v1/wake"
VOICE = "/v1/correspondence/voice?repository_id=acme"
STREAM = "/v1/wake/voice?identity_id=me&keys=correspondence"


class Head:
    """A play head that somebody moves."""

    def __init__(self, ms: float = 0) -> None:
        self.ms = ms
        self.slack_ms = 0.0

    async def until(self, ms: float) -> None:
        """Nothing is waited for: the head is there."""
        self.ms = max(self.ms, ms)


Playing = Callable[[Path, Head], Client]


def ask(n: int, ms: int, target: str = WAKE, **members: Any) -> dict[str, Any]:
    """A question."""
    return {"is": "ask", "ms": ms, "n": n, "method": "GET", "target": target, **members}


def answer(n: int, ms: int, body: object = None, status: int = 200, **members: Any) -> dict[str, Any]:
    """Its answer."""
    text = {} if body is None else {"text": json.dumps(body)}
    return {"is": "answer", "ms": ms, "n": n, "status": status, "headers": JSON, "how": "whole", **text, **members}


def both(n: int, ms: int, target: str, body: object = None, status: int = 200, **members: Any) -> list[dict[str, Any]]:
    """A question and its answer a millisecond later."""
    return [ask(n, ms, target), answer(n, ms + 1, body, status, **members)]


def written(path: Path, *lines: object, header: object = HEADER) -> Path:
    """A recording of these lines."""
    path.write_bytes(
        b"".join(raw if isinstance(raw, bytes) else json.dumps(raw).encode() + b"\n" for raw in (header, *lines))
    )
    return path


def project(name: str) -> dict[str, Any]:
    """The wake document."""
    return {"project": {"id": name}}


@pytest.fixture
async def playing() -> AsyncIterator[Playing]:
    """Makes clients whose service is a recording, and lets go of them afterwards."""
    async with AsyncExitStack() as opened:

        def play(path: Path, head: Head) -> Client:
            found = Recording(path)
            client = Client("http://service.example", "recorded", transport=PlayedTransport(found, head))
            opened.callback(found.close)
            opened.push_async_callback(client.aclose)
            return client

        yield play


def broken(path: Path) -> str:
    """Where a recording breaks off."""
    found = Recording(path)
    found.close()
    return found.broken


def events(after: int | None = None, limit: int = 200) -> str:
    """Where events are asked for."""
    cursor = "" if after is None else f"&after={after}"
    return f"/v1/correspondence/events?repository_id=acme{cursor}&limit={limit}"


def record(seq: int) -> dict[str, Any]:
    """A record of a malformed event: a page is a page whatever it holds."""
    return {
        "event": {"event_id": f"e{seq}"},
        "receipt": {"received_seq": str(seq), "received_at": "2026-11-30T20:00:00.000Z"},
        "missing_parents": [],
        "lineage_status": "valid",
    }


def page(after: int | None, *seqs: int, more: bool = False) -> dict[str, Any]:
    """A page of events."""
    after_text = None if after is None else str(after)
    return {
        "events": [record(seq) for seq in seqs],
        "page": {"after": after_text, "next_after": str(seqs[-1]) if seqs else after_text, "has_more": more},
    }


async def test_a_question_gets_what_it_was_answered_last(playing: Playing, tmp_path: Path) -> None:
    path = written(tmp_path / "r", *both(1, 10, WAKE, project("one")), *both(2, 50, WAKE, project("two")))
    head = Head()
    client = playing(path, head)
    assert (await client.project()).id == "one"  # asked before anybody had
    head.ms = 49
    assert (await client.project()).id == "one"
    head.ms = 1000
    assert (await client.project()).id == "two"


async def test_what_was_never_asked_and_whatever_is_sent_is_refused_in_words(playing: Playing, tmp_path: Path) -> None:
    path = written(tmp_path / "r", *both(1, 10, WAKE, project("one")))
    client = playing(path, Head())
    for question in (client.identities(), client.voice("acme"), client.events("acme"), client.post_event(b"{}")):
        with pytest.raises(Refused) as refused:
            await question
        assert NOT_RECORDED in str(refused.value)


async def test_a_recorded_fault_happens_again(playing: Playing, tmp_path: Path) -> None:
    lost = [ask(1, 0), {"is": "lost", "ms": 1, "n": 1, "how": "connect"}]
    cut = [ask(2, 10), answer(2, 11, how="cut", text='{"proj')]
    down = both(3, 20, VOICE, {"error": "correspondence_projection_unavailable", "message": "no"}, 503)
    head = Head()
    client = playing(written(tmp_path / "r", *lost, *cut, *down), head)
    for ms, phase in ((0, Phase.CONNECT), (10, Phase.CUT)):
        head.ms = ms
        with pytest.raises(Unreachable) as error:
            await client.project()
        assert error.value.phase is phase
    with pytest.raises(ProjectionUnavailable):
        await client.voice("acme")


async def test_an_answer_that_was_given_up_is_none(playing: Playing, tmp_path: Path) -> None:
    path = written(
        tmp_path / "r", *both(1, 0, WAKE, project("one")), ask(2, 5), answer(2, 9, how="cancelled"), ask(3, 20)
    )
    assert (await playing(path, Head(100)).project()).id == "one"


async def test_not_modified_is_said_only_to_who_has_what_it_stands_for(playing: Playing, tmp_path: Path) -> None:
    claims = {
        "evaluated_at": "2026-11-30T20:00:00.000Z",
        "cursor": "1",
        "projection_status": "complete",
        "truncated": False,
        "claims": [],
    }
    target = "/v1/correspondence/claims?repository_id=acme"
    first = both(1, 0, target, claims, headers={**JSON, "etag": '"1"'})
    unchanged = [ask(2, 10, target, headers={"if-none-match": '"1"'}), answer(2, 11, status=304)]
    client = playing(written(tmp_path / "r", *first, *unchanged), Head(10))
    fresh = await client.claims("acme")
    assert isinstance(fresh, Fresh)
    assert fresh.etag == '"1"'
    assert isinstance(await client.claims("acme", etag='"1"'), NotModified)
    assert isinstance(await client.claims("acme", etag='"0"'), Fresh)


@pytest.mark.parametrize(
    ("ms", "after", "expected"),
    [
        (0, None, [1, 2]),
        (10, "2", []),
        (30, "2", [3, 4]),  # asked again where it was empty once: what came since is there
        (30, "1", [2, 3, 4]),  # a cursor that was never asked from
        (30, "4", []),
        (30, None, [1, 2, 3, 4]),
        (99, "4", [5]),
    ],
)
async def test_events_are_those_told_by_then_from_whatever_cursor(
    playing: Playing, tmp_path: Path, ms: int, after: str | None, expected: list[int]
) -> None:
    path = written(
        tmp_path / "r",
        *both(1, 0, events(), page(None, 1, 2)),
        *both(2, 10, events(2), page(2)),
        *both(3, 20, events(0), page(0, 1, 2, 3, 4)),
        *both(4, 40, events(4), page(4, 5)),
    )
    answered = await playing(path, Head(ms)).events("acme", after=after)
    assert [each.seq for each in answered.events] == expected
    assert answered.page.has_more is False
    assert answered.page.next_after == (str(expected[-1]) if expected else after)


async def test_a_page_put_together_holds_no_more_than_was_asked_for(playing: Playing, tmp_path: Path) -> None:
    pages = (*both(1, 0, events(limit=2), page(None, 1, 2, more=True)), *both(2, 5, events(2, 2), page(2, 3, 4)))
    path = written(tmp_path / "r", *pages)
    answered = await playing(path, Head(9)).events("acme", after="1", limit=2)
    assert ([each.seq for each in answered.events], answered.page.has_more) == ([2, 3], True)


async def test_another_history_at_the_same_address_is_told_as_it_was(playing: Playing, tmp_path: Path) -> None:
    path = written(
        tmp_path / "r",
        *both(1, 0, events(), page(None, 1, 2, 3, 4)),
        *both(2, 10, events(3), page(3)),
        *both(3, 20, events(), page(None, 1, 2)),
    )
    client = playing(path, Head(10))
    assert (await client.events("acme", after="3")).events == ()
    assert (await playing(path, Head(20)).events("acme", after="1")).page.next_after == "2"


async def test_pieces_of_a_stream_come_as_they_came(playing: Playing, tmp_path: Path) -> None:
    head = Head()
    lines = [
        ask(1, 0, STREAM, headers={"accept": "text/event-stream"}),
        {"is": "open", "ms": 5, "n": 1, "status": 200, "headers": {"content-type": "text/event-stream"}},
        {"is": "chunk", "ms": 6, "n": 1, "text": "event: connected\ndata: {}\n"},
        {"is": "chunk", "ms": 60, "n": 1, "base64": base64.b64encode(b"\nevent: welcome\n\n").decode()},
        {"is": "end", "ms": 70, "n": 1, "how": "cut"},
        ask(2, 80, STREAM, headers={"accept": "text/event-stream"}),
        answer(2, 81, {"error": "identity_revoked"}, 410),
    ]
    client = playing(written(tmp_path / "r", *lines), head)
    came = [(head.ms, frame.kind) async for frame in subscribe(client, "me")]
    assert came == [(60, FrameKind.CONNECTED), (60, FrameKind.WELCOME)]
    assert head.ms == 70
    with pytest.raises(Refused):
        async for _ in subscribe(client, "me"):
            pass


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"{}\n",
        b"not json\n",
        b"\x1f\x8b\x08\x00",
        b'{"is":"recording"}\n',
        json.dumps({**HEADER, "format": "another"}).encode() + b"\n",
        json.dumps({**HEADER, "version": 2}).encode() + b"\n",
        json.dumps({**HEADER, "more": 1}).encode() + b"\n",
        json.dumps({**HEADER, "began": "yesterday"}).encode() + b"\n",
        json.dumps(ask(1, 0)).encode() + b"\n",
        json.dumps(HEADER).encode() + b"\n",
        json.dumps(HEADER).encode(),
    ],
)
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "r").write_bytes(raw)
    with pytest.raises(RecordingRefused):
        Recording(tmp_path / "r")


def test_a_file_that_is_not_there_or_is_a_folder_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(RecordingRefused, match="cannot be read"):
            Recording(path)


@pytest.mark.parametrize(
    "line",
    [
        b'{"is":"ask"',
        b"null\n",
        b"\xff\n",
        b'{"is":"ask","is":"ask"}\n',
        {"is": "other", "ms": 1},
        {**ask(2, 5), "ms": -1},
        {**ask(2, 5), "ms": 10**15},
        {**ask(2, 5), "ms": 1.5},
        {**ask(2, 5), "method": "DELETE"},
        {**ask(2, 5), "target": "http://elsewhere.example/"},
        {**ask(2, 5), "target": "/a b"},
        {**ask(2, 5), "headers": {"accept": "a\r\nb: c"}},
        {**ask(2, 5), "headers": {"accept": 1}},
        {**ask(2, 5), "headers": {f"a{number}": "" for number in range(33)}},
        {**answer(7, 5)},
        {"is": "chunk", "ms": 1, "n": 1, "text": ""},
        {"is": "end", "ms": 1, "n": 1, "how": "whole"},
        {"is": "lost", "ms": 1, "n": 9, "how": "cut"},
        {"is": "pins", "ms": 1, "project_id": "p", "keys": [{"identity_id": "i"}]},
        HEADER,
    ],
)
async def test_what_cannot_be_read_ends_the_recording_there_and_is_named(
    playing: Playing, tmp_path: Path, line: object
) -> None:
    path = written(tmp_path / "r", *both(1, 0, WAKE, project("one")), line, *both(3, 9, WAKE, project("two")))
    assert broken(path).startswith("line 4: ")
    assert (await playing(path, Head(99)).project()).id == "one"


@pytest.mark.parametrize("members", [{"base64": "!"}, {"base64": "é"}, {"text": "a", "base64": "YQ=="}])
def test_bytes_that_are_none_end_the_recording_there(tmp_path: Path, members: dict[str, str]) -> None:
    bad = {"is": "answer", "ms": 1, "n": 2, "status": 200, **members}
    path = written(tmp_path / "r", *both(1, 0, WAKE, project("one")), ask(2, 0), bad)
    assert broken(path).startswith("line 5: ")


def test_caps_end_the_recording_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "r", *both(1, 0, WAKE, project("one")), *both(2, 0, WAKE, project("x" * 2000)))
    for module in (recorded, recording):
        monkeypatch.setattr(module, "MAX_LINE", 1000)
    assert broken(path).startswith("line 5: ")
    monkeypatch.setattr(recorded, "MAX_LINES", 3)
    assert broken(path) == "line 4: there are too many lines"


async def test_a_file_that_changes_while_it_is_played_is_a_fault_of_the_network(
    playing: Playing, tmp_path: Path
) -> None:
    path = written(tmp_path / "r", *both(1, 0, WAKE, project("one")))
    client = playing(path, Head())
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(Unreachable):
        await client.project()


def whole(path: Path) -> bytes:
    """A recording that holds one of each line."""
    lines = [
        {"is": "pins", "ms": 0, "project_id": "p", "keys": []},
        *both(1, 0, WAKE, project("one")),
        ask(2, 0, STREAM, headers={"accept": "text/event-stream"}),
        {"is": "open", "ms": 5, "n": 2, "status": 200, "headers": {}},
        {"is": "chunk", "ms": 6, "n": 2, "text": "x"},
        {"is": "end", "ms": 70, "n": 2, "how": "cut"},
        ask(3, 71),
        {"is": "lost", "ms": 72, "n": 3, "how": "timeout"},
    ]
    return written(path, *lines).read_bytes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_a_damaged_file_is_refused_or_read_as_far_as_it_goes(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(whole(tmp_path / "whole"))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 5))] = data.draw(st.binary(max_size=5))
    path = tmp_path / "damaged"
    path.write_bytes(bytes(raw))
    with suppress(RecordingRefused):
        found = Recording(path)
        found.close()
        assert 0 <= found.duration_ms <= recording.MAX_MS


@given(st.binary(max_size=200))
def test_bytes_come_back_as_they_were(raw: bytes) -> None:
    line = recording.write_line(recording.Chunk, {"ms": 1, "n": 1, **recording.written_bytes(raw)})
    read = recording.read_line(line)
    assert isinstance(read, recording.Chunk)
    assert recording.bytes_of(read) == raw
    assert line.count(b"\n") == 1


def test_every_crash_leaves_a_file_that_plays_as_far_as_it_goes(tmp_path: Path) -> None:
    raw = whole(tmp_path / "whole")
    first = raw.index(b'"is": "answer"')
    enough = raw.index(b"\n", first) + 1
    for end in range(enough, len(raw)):
        path = tmp_path / "cut"
        path.write_bytes(raw[:end])
        found = Recording(path)
        assert found.broken.endswith("it ends in the middle") is (not raw[:end].endswith(b"\n"))
        found.close()
