"""Sessions that go on where others ended: what is kept, what is asked for again, what is noticed (§4, §7, §8)."""

from __future__ import annotations

import sqlite3
from base64 import b64encode
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corr_tui.protocol import signing
from corr_tui.state import chronicle, past, window
from corr_tui.state.border import SearchRefused
from corr_tui.state.history_file import HistoryFile
from corr_tui.state.projection import facts
from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState, Snapshot, Verdict
from tests.client.answering import json_answer
from tests.correspondents import World
from tests.state.fake_service import FakeService, refusing, unavailable
from tests.state.virtual_time import settle

EVENTS = "/v1/correspondence/events"
VOICE = "/v1/correspondence/voice"


@pytest.fixture
def service() -> FakeService:
    fake = FakeService()
    fake.world.say("ana", "observation", summary="one")
    fake.world.say("bo", "observation", summary="two")
    return fake


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows, chunks and folds of a few events, so that a short history is a long one."""
    monkeypatch.setattr(chronicle, "WINDOW", 10)
    monkeypatch.setattr(chronicle, "LOADED_AT_ONCE", 3)
    monkeypatch.setattr(chronicle, "FOLDED_BEFORE", 0)
    monkeypatch.setattr(past, "WIDENED", 4)


@pytest.fixture
def proofs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The events whose signature is checked."""
    checked: list[str] = []
    check = signing.check_signature

    def counted(event: Any, core: bytes, key: bytes) -> None:
        checked.append(event.event_id)
        check(event, core, key)

    monkeypatch.setattr("corr_tui.state.trust.check_signature", counted)
    return checked


def say_many(service: FakeService, count: int) -> None:
    """More events, a page at a time."""
    for number in range(count):
        service.world.say("ana", "progress", summary=f"step {number}", thread=f"task:{number % 3}")
    service.page_size = 7


async def folded(session: Session) -> Snapshot:
    """The snapshot once everything has been folded."""
    for _ in range(50):
        if session.snapshot.history.complete:
            break
        await session._following.refresher.now()
        await settle()
    return session.snapshot


def seqs(snapshot: Snapshot) -> list[int]:
    """The receipt numbers of its events."""
    return [heard.record.seq for heard in snapshot.events]


def what_follows(snapshot: Snapshot) -> tuple[object, ...]:
    """Everything that is known of a history."""
    known = facts(snapshot)
    told = snapshot.computed
    return (
        [(heard.record, heard.verdict.holds) for heard in snapshot.events],
        (known.threads, known.reports, known.declared, known.cited_by, known.forks, known.raised, dict(known.noted)),
        told and (told.claims.claims, told.conflicts, told.through),
        (snapshot.history.through, snapshot.history.count, snapshot.history.complete),
    )


async def test_a_session_goes_on_after_what_another_has_read(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
    service.world.say("kit", "observation", summary="three")
    pages: list[str | None] = []
    service.faults[EVENTS] = lambda request: pages.append(request.url.params.get("after"))
    async with service.open(tmp_path) as session:
        await session.refresh()
        snapshot = session.snapshot
    assert seqs(snapshot) == [1, 2, 3]
    assert pages == ["1"], "the last event known is read again, and nothing before it"
    assert (snapshot.history.count, snapshot.history.complete, snapshot.history.trouble) == (3, True, "")


async def test_each_signature_is_proved_once_in_its_life(
    service: FakeService, tmp_path: Path, proofs: list[str]
) -> None:
    for _ in range(3):
        async with service.open(tmp_path) as session:
            await session.refresh()
            await session.refresh()
    assert sorted(proofs) == sorted(heard.event_id for heard in session.snapshot.events)
    assert [heard.verdict for heard in session.snapshot.events] == [Verdict.VERIFIED] * 2


async def test_what_is_kept_is_shown_while_the_service_is_away(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
    service.faults["*"] = refusing
    async with service.open(tmp_path) as session:
        await session.refresh()
        snapshot = session.snapshot
    assert seqs(snapshot) == [1, 2]
    assert (snapshot.history.complete, snapshot.history.through) == (True, "2")
    assert snapshot.link.state is LinkState.RECONNECTING


async def test_a_change_of_keys_between_sessions_is_noticed(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
    service.key_changes["ana"] = {"active": False}
    service.key_changes["bo"] = {"public_key": b64encode(service.world.people["zed"].public_key).decode()}
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert [heard.verdict for heard in session.snapshot.events] == [Verdict.KEY_REVOKED, Verdict.KEY_CHANGED]
    async with service.open(tmp_path) as session:
        service.faults["*"] = refusing
        await session.refresh()
    assert [heard.verdict for heard in session.snapshot.events] == [Verdict.KEY_REVOKED, Verdict.KEY_CHANGED]


async def test_events_without_a_key_get_a_verdict_in_a_later_session(service: FakeService, tmp_path: Path) -> None:
    keys = f"/v1/identities/{service.world.people['ana'].sender().identity_id}/keys"
    service.faults[keys] = lambda _: json_answer({"error": "internal_error"}, 500)
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert [heard.verdict for heard in session.snapshot.events] == [Verdict.NO_KEY, Verdict.LISTED]
    del service.faults[keys]
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert [heard.verdict for heard in session.snapshot.events] == [Verdict.LISTED, Verdict.VERIFIED]
        assert facts(session.snapshot).noted[session.snapshot.events[0].event_id].proved


async def test_newer_words_on_events_are_kept(service: FakeService, tmp_path: Path) -> None:
    parent = service.world.event("ana", "observation", summary="late")
    child = service.world.say("bo", "observation", summary="child", parents=(parent,))
    async with service.open(tmp_path) as session:
        await session.refresh()
        service.world.store(parent)
        await session.refresh()
    service.faults["*"] = refusing
    async with service.open(tmp_path) as session:
        await session.refresh()
    assert session.snapshot.by_id[child.event.event_id].record.missing_parents == ()


async def test_another_history_is_told_kept_apart_and_not_mixed(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
    service.world = World()
    service.world.say("kit", "observation", summary="elsewhere")
    service.world.say("kit", "observation", summary="elsewhere again")
    async with service.open(tmp_path) as session:
        await session.refresh()
        first = session.snapshot
    async with service.open(tmp_path) as session:
        await session.refresh()
        second = session.snapshot
    assert [heard.event and heard.event.evidence["body"]["summary"] for heard in first.events] == [
        "elsewhere",
        "elsewhere again",
    ]
    assert (first.history.reset_from, second.history.reset_from) == ("2", None)
    assert second.events == tuple(heard for heard in second.events if heard.event_id in first.by_id)
    with closing(sqlite3.connect(tmp_path / "data" / "history.sqlite3")) as file:
        counts = file.execute("SELECT stream_id, count(*) FROM event GROUP BY stream_id").fetchall()
    assert [count for _, count in counts] == [2, 2]


async def test_two_boards_of_one_home_agree(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as first, service.open(tmp_path) as second:
        for number in range(4):
            await (first, second)[number % 2].refresh()
            service.world.say("ana", "progress", summary=f"step {number}")
        await first.refresh()
        await second.refresh()
        assert seqs(first.snapshot) == seqs(second.snapshot) == [1, 2, 3, 4, 5, 6]
    async with service.open(tmp_path) as third:
        await third.refresh()
        assert third.snapshot.history.count == 6


async def test_of_two_boards_each_notices_a_reset_and_they_go_on_together(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as first, service.open(tmp_path) as second:
        await first.refresh()
        await second.refresh()
        service.world = World()
        service.world.say("kit", "observation", summary="elsewhere")
        for session in (first, second, first, second):
            await session.refresh()
        assert seqs(first.snapshot) == seqs(second.snapshot) == [1]
        assert {each.snapshot.history.reset_from for each in (first, second)} == {"2"}
    with closing(sqlite3.connect(tmp_path / "data" / "history.sqlite3")) as file:
        assert file.execute("SELECT count(*) FROM stream").fetchone() == (2,)


async def test_a_service_that_goes_to_and_fro_is_kept_once_each(service: FakeService, tmp_path: Path) -> None:
    """Of two databases behind one address each is one stream, however often they change places."""
    ours, theirs = service.world, World()
    theirs.say("kit", "observation", summary="elsewhere")
    async with service.open(tmp_path) as session:
        for number in range(12):
            service.world = (ours, theirs)[number % 2]
            service.world.say("ana", "progress", summary=f"step {number}")
            await session._opening.open()
            assert session._opening.opened is not None
            session._opening.opened.reader.doubt()
            await session.refresh()
            assert [each.event_id for each in session.snapshot.events] == [
                each.event.event_id for each in service.world.records
            ]
            assert session.snapshot.history.complete
    with closing(sqlite3.connect(tmp_path / "data" / "history.sqlite3")) as file:
        counts = file.execute("SELECT count(*) FROM event GROUP BY stream_id ORDER BY stream_id").fetchall()
    assert counts == [(len(ours.records),), (len(theirs.records),)]


async def test_a_service_that_ends_while_it_is_asked_for_an_older_history_is_asked_again(
    service: FakeService, tmp_path: Path
) -> None:
    ours, theirs = service.world, World()
    theirs.say("kit", "observation", summary="elsewhere")
    async with service.open(tmp_path) as session:
        await session.refresh()
        service.world = theirs
        await session.refresh()
        service.world = ours
        service.faults[EVENTS] = lambda request: refusing(request) if request.url.params["limit"] == "1" else None
        await session.refresh()
        assert seqs(session.snapshot) == [1]
        service.faults.clear()
        await session.refresh()
        assert seqs(session.snapshot) == [1, 2]
    with closing(sqlite3.connect(tmp_path / "data" / "history.sqlite3")) as file:
        assert file.execute("SELECT count(*) FROM stream").fetchone() == (2,)


# A long history in a small window


@pytest.mark.usefixtures("small")
async def test_a_snapshot_holds_the_newest_events_and_says_how_many_lie_before(
    service: FakeService, tmp_path: Path
) -> None:
    say_many(service, 40)
    async with service.open(tmp_path) as session:
        await session.refresh()
        snapshot = await folded(session)
        assert seqs(snapshot) == list(range(33, 43))
        assert len(snapshot.by_id) == 10
        assert (snapshot.history.count, snapshot.history.earlier, snapshot.history.complete) == (42, 32, True)
        assert facts(snapshot).threads["task:42"].count == 2
        assert snapshot.number_of(service.world.records[0].event.event_id) == "#1"
        service.world.say("bo", "observation", summary="newest")
        await session.refresh()
        assert seqs(session.snapshot) == list(range(34, 44))
    async with service.open(tmp_path) as again:
        await again.refresh()
        snapshot = await folded(again)
        assert (seqs(snapshot), snapshot.history.earlier) == (list(range(34, 44)), 33)
        assert sum(thread.count for thread in facts(snapshot).threads.values()) == 43


@pytest.mark.usefixtures("small")
async def test_an_older_event_is_recalled_and_stays_known_while_others_slide_out(
    service: FakeService, tmp_path: Path
) -> None:
    say_many(service, 40)
    old = service.world.records[4].event.event_id
    async with service.open(tmp_path) as session:
        assert await session.recall(old) is None
        await session.refresh()
        recalled = await session.recall(old)
        assert recalled is not None
        assert recalled.record.seq == 5
        assert session.snapshot.by_id[old] == recalled
        service.world.say("bo", "observation", summary="newest")
        await session.refresh()
        assert old in session.snapshot.by_id
        assert seqs(session.snapshot) == list(range(34, 44))
        assert await session.recall("sha256:" + "0" * 64) is None


@pytest.mark.usefixtures("small")
async def test_recalled_events_are_forgotten_in_their_turn(
    service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past, "RECALLED", 3)
    say_many(service, 40)
    async with service.open(tmp_path) as session:
        await session.refresh()
        for record in service.world.records[:5]:
            await session.recall(record.event.event_id)
        held = [session.snapshot.by_id.get(record.event.event_id) for record in service.world.records[:5]]
    assert [each and each.record.seq for each in held] == [None, None, 3, 4, 5]


@pytest.mark.usefixtures("small")
async def test_a_snapshot_is_widened_to_the_beginning(service: FakeService, tmp_path: Path) -> None:
    say_many(service, 14)
    async with service.open(tmp_path) as session:
        assert not await session.widen()
        await session.refresh()
        await session.recall(service.world.records[3].event.event_id)
        assert seqs(session.snapshot) == list(range(7, 17))
        assert await session.widen()
        assert (seqs(session.snapshot), session.snapshot.history.earlier) == (list(range(3, 17)), 2)
        service.world.say("bo", "observation", summary="newest")
        await session.refresh()
        assert seqs(session.snapshot) == list(range(4, 18))
        assert await session.widen()
        assert (seqs(session.snapshot), session.snapshot.history.earlier) == (list(range(1, 18)), 0)
        assert not await session.widen()


@pytest.mark.usefixtures("small")
async def test_the_whole_history_is_searched(service: FakeService, tmp_path: Path) -> None:
    say_many(service, 40)
    async with service.open(tmp_path) as session:
        with pytest.raises(SearchRefused):
            await session.search("step")
        await session.refresh()
        assert [each.record.seq for each in await session.search("one")] == [1]
        assert [each.record.seq for each in await session.search('"step 1"', 3)] == [22, 21, 20]
        assert [each.record.seq for each in await session.search("bo two")] == [2]
        with pytest.raises(SearchRefused, match="no word"):
            await session.search(" -- ")


@pytest.mark.usefixtures("small")
async def test_damaged_events_are_read_from_the_service_again(service: FakeService, tmp_path: Path) -> None:
    say_many(service, 40)
    async with service.open(tmp_path) as session:
        await session.refresh()
        whole = what_follows(await folded(session))
    with closing(sqlite3.connect(tmp_path / "data" / "history.sqlite3", isolation_level=None)) as file:
        file.execute("UPDATE event SET raw = CAST(replace(raw, 'step', 'stop') AS BLOB) WHERE id IN (5, 6, 30, 41)")
    async with service.open(tmp_path) as session:
        service.faults["*"] = refusing
        await session.refresh()
        await settle()
        away = session.snapshot
        service.faults.clear()
        await session.refresh()
        assert what_follows(await folded(session)) == whole
    assert 41 not in seqs(away)
    assert "damaged" in away.history.trouble
    async with service.open(tmp_path) as session:
        service.faults["*"] = refusing
        await session.refresh()
        assert seqs(session.snapshot) == list(range(33, 43))
        assert session.snapshot.history.trouble == ""


# A long replay


@pytest.mark.usefixtures("small")
async def test_the_newest_events_are_shown_before_a_long_replay_has_come_to_them(
    service: FakeService, tmp_path: Path
) -> None:
    say_many(service, 100)
    seen: list[Snapshot] = []
    async with service.open(tmp_path) as session:

        def looking(request: httpx.Request) -> None:
            seen.append(session.snapshot)

        service.faults[EVENTS] = looking
        await session.refresh()
        last = await folded(session)
    second = next(each for each in seen if each.projection.voice)
    assert (second.history.through, second.history.target, second.history.complete) == ("7", "102", False)
    assert seqs(second)[-1] == 102
    assert second.facts is None or second.facts.threads["task:42"].count == 2
    assert [each.history.count for each in seen] == [0, *range(7, 102, 7)]
    assert (last.history.target, last.history.count, seqs(last)) == (None, 102, list(range(93, 103)))


async def test_a_replay_that_is_stopped_goes_on_when_somebody_asks(service: FakeService, tmp_path: Path) -> None:
    say_many(service, 100)
    async with service.open(tmp_path) as session:

        def stopping(request: httpx.Request) -> None:
            if request.url.params.get("after") == "14":
                session.stop_replay()

        service.faults[EVENTS] = stopping
        await session._following.refresher.now()
        stopped = session.snapshot.history
        asked = service.asked[f"GET {EVENTS}"]
        service.world.say("bo", "observation", summary="newest")
        await session._following.refresher.now()
        assert service.asked[f"GET {EVENTS}"] == asked
        assert session.snapshot.events[-1].record.seq == 103
        assert (session.snapshot.history.through, session.snapshot.history.stopped) == ("21", True)
        await session.refresh()
        last = session.snapshot.history
    assert (stopped.through, stopped.stopped, stopped.complete) == ("21", True, False)
    assert (last.through, last.stopped, last.complete) == ("103", False, True)


async def test_what_was_read_of_a_stopped_replay_is_not_read_again(service: FakeService, tmp_path: Path) -> None:
    say_many(service, 40)
    service.faults[EVENTS] = lambda request: refusing(request) if request.url.params.get("after") == "14" else None
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert session.snapshot.history.through == "14"
    service.faults.clear()
    service.asked.clear()
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert session.snapshot.history.count == 42
    assert service.asked[f"GET {EVENTS}"] == 5


# A disk that takes nothing


@pytest.mark.parametrize("harm", ["foreign", "no folder"])
async def test_a_session_without_a_usable_disk_goes_on_in_memory(
    harm: str, service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chronicle, "WINDOW", 1)
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "history.sqlite3"
    if harm == "foreign":
        file.write_bytes(b"somebody's words" * 99)
    else:
        file.mkdir()
    async with service.open(tmp_path) as session:
        await session.refresh()
        snapshot = session.snapshot
        assert (seqs(snapshot), snapshot.history.complete, snapshot.history.earlier) == ([1, 2], True, 0)
        assert snapshot.history.trouble
        assert [each.record.seq for each in await session.search("two")] == [2]
        assert await session.recall(snapshot.events[0].event_id) is snapshot.events[0]
        assert not await session.widen()


async def test_what_a_read_only_disk_holds_is_shown_and_what_comes_stays_in_memory(
    service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chronicle, "WINDOW", 1)
    async with service.open(tmp_path) as session:
        await session.refresh()

    def unwritable(_: HistoryFile) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(HistoryFile, "_writable", unwritable)
    for number in range(3):
        service.world.say("ana", "progress", summary=str(number))
    async with service.open(tmp_path) as session:
        await session.refresh()
        snapshot = session.snapshot
        assert "readonly" in snapshot.history.trouble
        assert (seqs(snapshot), snapshot.history.earlier, snapshot.history.complete) == ([3, 4, 5], 2, True)
        assert [each.record.seq for each in await session.search("ana")] == [5, 4, 3, 1]
        assert await session.widen()
        assert seqs(session.snapshot) == [1, 2, 3, 4, 5]


async def test_what_a_full_disk_did_not_take_is_kept_once_there_is_room(
    service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chronicle, "WINDOW", 2)
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert session._opening.opened is not None
        file = session._opening.opened.reader._chronicle._archive._streams.file  # type: ignore[union-attr]
        with file.reading() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")
        for number in range(60):
            service.world.say("ana", "progress", summary=f"{number} " + "x" * 900)
        await session.refresh()
        full = session.snapshot
        with file.reading() as connection:
            connection.execute("PRAGMA max_page_count = 1000000")
        await session.refresh()
        room = session.snapshot
    assert "full" in full.history.trouble
    assert (full.history.count, full.history.complete, len(full.events)) == (62, True, 60)
    assert (room.history.trouble, room.history.earlier) == ("", 60)
    service.faults["*"] = refusing
    async with service.open(tmp_path) as session:
        await session.refresh()
        assert session.snapshot.history.count == 62


# The law


STEP = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(["ana", "bo", "kit"])),
    st.tuples(st.just("refresh"), st.just("")),
    st.tuples(st.just("restart"), st.just("")),
    st.tuples(st.just("lose"), st.sampled_from([EVENTS, VOICE])),
    st.tuples(st.just("revoke"), st.sampled_from(["ana", "bo"])),
    st.tuples(st.just("reset"), st.just("")),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=14), most=st.sampled_from([3, 1000]))
async def test_whatever_happened_before_a_history_is_that_of_a_fresh_session(
    steps: list[tuple[str, str]], most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, service = tmp_path_factory.mktemp("law"), FakeService(page_size=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chronicle, "WINDOW", most)
        patch.setattr(chronicle, "LOADED_AT_ONCE", 2)
        session = service.session(folder)
        for what, whom in steps:
            match what:
                case "say":
                    service.world.say(whom, "observation", summary=f"{len(service.world.records)}")
                case "refresh":
                    await session.refresh()
                case "restart":
                    await session.close()
                    session = service.session(folder)
                case "lose":
                    service.faults[whom] = unavailable
                    await session.refresh()
                    service.faults.clear()
                case "revoke":
                    service.key_changes[whom] = {"active": False}
                case "reset":
                    service.world = World()
                    service.world.say("zed", "observation", summary=f"another history {len(steps)}")
        await session.refresh()
        await session.refresh()
        kept = what_follows(await folded(session))
        await session.close()
        async with service.open(tmp_path_factory.mktemp("fresh")) as fresh:
            await fresh.refresh()
            assert kept == what_follows(await folded(fresh))


def test_the_window_is_wide() -> None:
    """What a board can show at once without asking."""
    assert (window.WINDOW, window.WIDENED) == (5_000, 1_000)
