"""The history on disk: streams that never mix, cursors of any length, files that are left alone (§4, §7)."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corr_tui.protocol.records import MalformedEvent, Receipt, Record
from corr_tui.state import history_file
from corr_tui.state.history import Diverged, Stream, Streams
from corr_tui.state.history_file import HistoryUnusable
from corr_tui.state.kept import Damaged, kept, plain, recalled
from corr_tui.state.snapshot import Heard, Verdict
from corr_tui.state.trust import Place
from corr_tui.state.wanted import Wanted, indexed
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World, claim

HERE = Place("https://service.example", PROJECT_ID, REPOSITORY_ID)
BEYOND = (9, 10, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**39, 10**40 - 1)


@pytest.fixture
def streams(tmp_path: Path) -> Iterator[Streams]:
    with closing(Streams(tmp_path / "history.sqlite3", HERE)) as opened:
        yield opened


def said(*summaries: str, world: World | None = None) -> tuple[Heard, ...]:
    """Events of a world."""
    world = world or World()
    for summary in summaries:
        world.say("ana", "observation", summary=summary, paths=["src/api/x.py"])
    return world.snapshot().events


def at(heard: Heard, cursor: int) -> Heard:
    """The same event received at another cursor."""
    record = heard.record
    receipt = Receipt(str(cursor), record.receipt.received_at)
    return replace(heard, record=Record(record.event, receipt, record.missing_parents, record.lineage_status))


def keep(streams: Streams, stream: Stream, *events: Heard) -> None:
    """Write one page."""
    streams.keep(stream, [(kept(heard, b"k" * 32), indexed(heard)) for heard in events])


def read(streams: Streams, stream: Stream) -> tuple[Heard, ...]:
    """Everything in a stream."""
    return tuple(recalled(row).heard for row in streams.after(stream, None, 10_000))


def test_what_is_kept_comes_back_as_it_was_heard(streams: Streams) -> None:
    world = World()
    opened = world.say("ana", "claim.open", claim_id=claim(1), expires_in=60, paths=["src/Grüße"])
    world.say("bo", "ack.seen", target=opened, parents=(opened,), detail="\u2028 𝄞")
    events = world.snapshot().events
    stream = streams.open()
    keep(streams, stream, *events)
    assert read(streams, stream) == events
    assert streams.open()[1:4] == (2, "2", events[-1].event_id)


def test_a_malformed_event_comes_back_with_what_is_wrong_with_it(streams: Streams) -> None:
    event = MalformedEvent("", {"event_id": 7, "odd": ["é", None, 2**53 - 1]}, ())
    record = Record(event, Receipt("3", "2026-05-14T13:00:00.000Z"), (), "not_applicable")
    stream = streams.open()
    keep(streams, stream, Heard(record, Verdict.MALFORMED, "no event", genuine=False))
    (back,) = read(streams, stream)
    assert (back.record.event.evidence, back.verdict, back.genuine) == (event.evidence, Verdict.MALFORMED, False)


def test_cursors_are_in_the_order_of_their_numbers_however_long(streams: Streams) -> None:
    """A cursor is a decimal string that may exceed any machine's integers (§4)."""
    (heard,) = said("one")
    stream = streams.open()
    keep(streams, stream, *(at(heard, cursor) for cursor in BEYOND))
    assert [each.record.seq for each in read(streams, stream)] == list(BEYOND)
    assert streams.open().through == str(10**40 - 1)
    for number, cursor in enumerate(BEYOND):
        assert len(streams.after(stream, str(cursor), 99)) == len(BEYOND) - number - 1
        assert len(streams.before(stream, str(cursor), 99)) == number
    assert [plain(row.cursor) for row in streams.before(stream, str(2**64), 2)] == [str(2**63 - 1), str(2**63)]


def test_an_event_written_by_two_boards_is_there_once(streams: Streams, tmp_path: Path) -> None:
    events = said("one", "two", "three")
    with closing(Streams(tmp_path / "history.sqlite3", HERE)) as other:
        stream, theirs = streams.open(), other.open()
        assert stream == theirs
        keep(streams, stream, *events[:2])
        keep(other, theirs, *events)
        keep(streams, stream, *events)
        assert read(streams, stream) == events
        assert len(other.found(theirs, Wanted("three", {}).expression(), 9)) == 1


def test_another_event_at_a_kept_cursor_is_another_history(streams: Streams) -> None:
    ours, theirs = said("ours")[0], said("theirs")[0]
    stream = streams.open()
    keep(streams, stream, ours)
    with pytest.raises(Diverged, match="#1 "):
        keep(streams, stream, theirs, at(ours, 2))
    assert read(streams, stream) == (ours,)


def test_a_stream_that_ended_is_kept_and_a_new_one_goes_on(streams: Streams, tmp_path: Path) -> None:
    before, after = said("before"), said("after")
    first = streams.open()
    keep(streams, first, *before)
    with closing(Streams(tmp_path / "history.sqlite3", HERE)) as other:
        same = other.open()
        second = streams.begin_again(first)
        keep(streams, second, *after)
        assert other.begin_again(same).id == second.id
    assert (read(streams, first), read(streams, second)) == (before, after)
    assert streams.open().id == second.id


@pytest.mark.parametrize(
    "place", [replace(HERE, service="b"), replace(HERE, project_id="b"), replace(HERE, repository_id="b")]
)
def test_places_have_streams_of_their_own(place: Place, streams: Streams, tmp_path: Path) -> None:
    stream = streams.open()
    keep(streams, stream, *said("here"))
    with closing(Streams(tmp_path / "history.sqlite3", place)) as other:
        elsewhere = other.open()
        assert other.after(elsewhere, None, 9) == []
        assert other.found(elsewhere, Wanted("here", {}).expression(), 9) == []


def test_a_newer_word_replaces_diagnostics_and_nothing_else(streams: Streams) -> None:
    (heard,) = said("one")
    stream = streams.open()
    keep(streams, stream, heard)
    record = heard.record
    told = Record(record.event, record.receipt, ("sha256:" + "0" * 64,), "pending")
    streams.renew(stream, [kept(replace(heard, record=told, verdict=Verdict.KEY_REVOKED), None)], ("ana", b"list"))
    (back,) = read(streams, stream)
    assert (back.record, back.verdict) == (told, Verdict.KEY_REVOKED)
    assert streams.listings(stream) == {"ana": b"list"}


@pytest.mark.parametrize(
    "harm",
    [
        "raw = CAST(replace(raw, 'one', 'two') AS BLOB)",
        "raw = x'7b7d'",
        "raw = x'ff'",
        "event_id = 'sha256:' || substr(event_id, 9) || '0'",
        "received_at = 'yesterday'",
        "lineage_status = 'fine'",
        "missing_parents = '7'",
        "verdict = 'perfect'",
        "verdict = 'malformed'",
        "genuine = 0",
    ],
)
def test_what_a_disk_has_changed_is_damaged(harm: str, streams: Streams, tmp_path: Path) -> None:
    """An identifier is that of the bytes (§3), on a disk as on a wire."""
    stream = streams.open()
    keep(streams, stream, *said("one"))
    with closing(sqlite3.connect(tmp_path / "history.sqlite3", isolation_level=None)) as file:
        file.execute(f"UPDATE event SET {harm}")
    with pytest.raises(Damaged, match="#1 "):
        read(streams, stream)


# Search


def test_words_paths_thread_kind_and_sender_are_found(streams: Streams) -> None:
    world = World()
    world.say("ana", "observation", summary="Grüße aus Köln, says O'Brien", paths=["src/api/x.py"], thread="task:42")
    world.say("bo", "refusal", thread="task:7")
    snapshot = world.snapshot()
    stream = streams.open()
    keep(streams, stream, *snapshot.events)
    finds = {
        "GRUSSE": [1],
        "koln brien": [1],
        '"aus koln"': [1],
        '"koln aus"': [],
        "src/api": [1],
        "api/src": [],
        "task:42": [1],
        "task": [2, 1],
        "refus": [2],
        "fusal": [],
        "ana": [1],
        "bo task": [2],
        'OR AND " NEAR( * ^': [],
        "nothing": [],
    }
    for words, expected in finds.items():
        wanted = Wanted(words, snapshot.identities)
        found = [int(plain(row.cursor)) for row in streams.found(stream, wanted.expression(), 9)]
        assert (words, found) == (words, expected)
    assert not Wanted("“” ** --", {})


WORDS = st.text("aäß b/.-\"'*:_()𝄞\u0301", max_size=12)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS.filter(str.strip), min_size=1, max_size=6), WORDS)
def test_the_index_and_memory_find_the_same(tmp_path: Path, summaries: list[str], words: str) -> None:
    world = World()
    for summary in summaries:
        world.say("ana", "observation", summary=summary.strip())
    snapshot = world.snapshot()
    wanted = Wanted(words, snapshot.identities)
    with closing(Streams(tmp_path / "history.sqlite3", HERE)) as streams:
        stream = streams.begin_again(streams.open())
        keep(streams, stream, *snapshot.events)
        found = [int(plain(row.cursor)) for row in streams.found(stream, wanted.expression(), 99)] if wanted else []
    assert sorted(found) == [each.record.seq for each in snapshot.events if wanted and wanted.found_in(each)]


def test_what_was_kept_without_an_index_is_found_once_there_is_one(
    streams: Streams, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setattr(history_file, "_WORDS", "CREATE VIRTUAL TABLE words USING fts9(said)")
        stream = streams.open()
        keep(streams, stream, *said("one", "two"))
        assert not streams.searchable
    with closing(Streams(tmp_path / "history.sqlite3", HERE)) as able:
        assert len(able.found(able.open(), Wanted("two", {}).expression(), 9)) == 1


# Files


def test_the_file_is_private(streams: Streams, tmp_path: Path) -> None:
    keep(streams, streams.open(), *said("one"))
    for file in tmp_path.glob("history*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 2", "PRAGMA application_id = 7"])
def test_a_file_of_another_version_or_of_others_is_left_as_it_is(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    with closing(Streams(path, HERE)) as streams:
        keep(streams, streams.open(), *said("one"))
    with closing(sqlite3.connect(path)) as file:
        file.execute(statement)
        file.execute("PRAGMA journal_mode = DELETE")
    before = path.read_bytes()
    with pytest.raises(HistoryUnusable, match="left as it is"):
        Streams(path, HERE).open()
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"words of somebody" * 99, b"SQLite format 3\0" + bytes(4080)])
def test_what_is_no_database_is_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    path.write_bytes(content)
    with pytest.raises(HistoryUnusable):
        Streams(path, HERE).open()
    assert path.read_bytes() == content


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"")
    with pytest.raises(HistoryUnusable):
        Streams(tmp_path / "data" / "history.sqlite3", HERE).open()


def test_a_disk_that_takes_no_more_keeps_what_it_has(streams: Streams) -> None:
    stream, events = streams.open(), said(*(f"number {number} " + "x" * 900 for number in range(400)))
    keep(streams, stream, *events[:10])
    with streams.file.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(HistoryUnusable, match="full"):
        keep(streams, stream, *events[10:])
    assert read(streams, stream) == events[:10]
    with streams.file.reading() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    keep(streams, stream, *events[10:])
    assert read(streams, stream) == events
    assert streams.open().events == 400
