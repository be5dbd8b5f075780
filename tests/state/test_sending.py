"""From a draft to a receipt: reserve, sign, store, post, and post again (§4, §7)."""

from __future__ import annotations

import asyncio
import copy
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from corr_tui.client.http import Client
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import EventRefused
from corr_tui.protocol.signing import event_jcs
from corr_tui.state.border import Outcome
from corr_tui.state.local_database import LocalDatabase
from corr_tui.state.outbox import Outbox
from corr_tui.state.signer import Signer
from corr_tui.state.snapshot import UnsentState, Verdict
from corr_tui.state.timing import MOST_ASKED
from tests.client.answering import json_answer
from tests.state.fake_service import FakeService, once, refusing, unavailable
from tests.state.virtual_time import VirtualTime

EVENTS = "/v1/correspondence/events"
POST = f"POST {EVENTS}"


@pytest.fixture
def service() -> FakeService:
    return FakeService()


def draft(summary: str = "hello") -> Draft:
    """Something to say."""
    return Draft(kind="observation", thread_id="task:1", body={"summary": summary})


async def test_one_command_sends_over_any_transport_without_run(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft())
        sent = await session.send(prepared)
        snapshot = session.snapshot
    assert (sent.outcome, sent.record and sent.record.receipt.received_seq) == (Outcome.POSTED, "1")
    (event,) = service.world.events()
    assert event.evidence == {
        **prepared.core.evidence,
        "event_id": sent.event_id,
        "signature": event.evidence["signature"],
    }
    assert snapshot.by_id[sent.event_id].verdict is Verdict.VERIFIED
    assert snapshot.unsent == ()


async def test_every_event_of_a_session_has_the_next_number(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        for number in range(3):
            await session.send(await session.prepare(draft(str(number))))
    assert [event.session_seq for event in service.world.events()] == [1, 2, 3]


async def test_a_prepared_event_is_signed_once(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        one, other = await session.prepare(draft("one")), await session.prepare(draft("other"))
        assert (await session.send(one)).outcome is Outcome.POSTED
        assert (await session.send(one)).outcome is Outcome.CHANGED
        assert (await session.send(other)).outcome is Outcome.CHANGED
    assert len(service.world.events()) == 1


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (Draft(kind="observation", thread_id="a b", body={"summary": "x"}), "opaque_id_character"),
        (Draft(kind="unheard.of", thread_id="task:1", body={}), "kind_unknown"),
    ],
)
async def test_a_broken_draft_is_refused_before_anything_is_taken(
    broken: Draft, code: str, service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        with pytest.raises(EventRefused) as raised:
            await session.prepare(broken)
        assert code in {issue.code for issue in raised.value.issues}
        assert (await session.prepare(draft())).core.session_seq == 1


async def test_an_event_over_the_transport_s_cap_is_refused_here(service: FakeService, tmp_path: Path) -> None:
    """The raw body is at most 65,536 bytes (§7)."""
    wide = [f"{number:02}" + "\U0001f600" * 254 for number in range(64)]
    async with service.open(tmp_path) as session:
        large = Draft(kind="observation", thread_id="task:1", body={"summary": "x"}, paths=tuple(wide))
        with pytest.raises(EventRefused, match="65536"):
            await session.prepare(large)
        exact = Draft(kind="observation", thread_id="task:1", body={"summary": "x"}, paths=tuple(wide[:62]))
        sent = await session.send(await session.prepare(exact))
    (event,) = service.world.events()
    assert sent.outcome is Outcome.POSTED
    assert len(event_jcs(event.evidence)) <= 65_536


async def test_a_reader_without_a_key_prepares_nothing(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path, me=None) as session:
        with pytest.raises(EventRefused, match="not configured"):
            await session.prepare(draft())


async def test_without_a_service_that_was_ever_reached_nothing_can_be_prepared(
    service: FakeService, tmp_path: Path
) -> None:
    service.faults["*"] = refusing
    async with service.open(tmp_path) as session:
        with pytest.raises(EventRefused, match="could not connect"):
            await session.prepare(draft())


async def test_a_refusal_keeps_the_reason_and_is_not_posted_again(service: FakeService, tmp_path: Path) -> None:
    issues = [{"path": ["body", "summary"], "code": "custom", "message": "too long"}]
    refusal = {"error": "event_invalid", "message": "it does not match", "issues": issues}
    service.faults[EVENTS] = lambda request: json_answer(refusal, 400) if request.method == "POST" else None
    async with service.open(tmp_path) as session:
        sent = await session.send(await session.prepare(draft()))
        assert (sent.outcome, sent.reason) == (Outcome.REFUSED, "it does not match")
        assert [issue.message for issue in sent.issues] == ["too long"]
        assert [(each.state, each.reason) for each in session.snapshot.unsent] == [
            (UnsentState.REFUSED, "it does not match")
        ]
        assert await session.deliver()
        assert service.asked[POST] == 1
        assert (await session.prepare(draft())).core.session_seq == 2


@pytest.mark.parametrize(
    "answer",
    [
        json_answer({"error": "correspondence_append_unavailable", "message": "retry the same event"}, 503),
        json_answer({"error": "slow_down"}, 429),
        httpx.Response(200, headers={"Content-Type": "text/html"}, content=b"<html>"),
        httpx.Response(302),
    ],
)
async def test_an_unknown_outcome_is_met_with_the_same_bytes_until_it_is_known(
    answer: httpx.Response, service: FakeService, tmp_path: Path
) -> None:
    """The exact content-addressed event is retried (§7)."""
    bodies: list[bytes] = []

    def post(request: httpx.Request) -> httpx.Response | None:
        if request.method != "POST":
            return None
        bodies.append(request.content)
        if len(bodies) < 3:
            return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)
        return None

    service.faults[EVENTS] = post
    async with service.open(tmp_path) as session:
        sent = await session.send(await session.prepare(draft()))
        assert sent.outcome is Outcome.UNKNOWN
        waiting = session.snapshot.unsent
        assert [await session.deliver(), await session.deliver()] == [False, True]
        assert (len(waiting), len(session.snapshot.unsent)) == (1, 0)
        assert sent.event_id in session.snapshot.by_id
    assert len(set(bodies)) == 1
    assert len(service.world.events()) == 1


async def test_an_answer_that_was_lost_is_said_as_unknown_and_settled_by_the_replay(
    service: FakeService, tmp_path: Path
) -> None:
    def stores_and_cuts(request: httpx.Request) -> httpx.Response:
        service.faults.clear()
        service._append(request)
        raise httpx.ReadError("cut")

    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft())
        service.faults[EVENTS] = stores_and_cuts
        sent = await session.send(prepared)
        assert sent.outcome is Outcome.UNKNOWN
        waiting = session.snapshot.unsent
        await session.refresh()
        assert ([each.state for each in waiting], session.snapshot.unsent) == ([UnsentState.UNKNOWN], ())
        assert sent.event_id in session.snapshot.by_id
        await session.deliver()
    assert service.asked[POST] == 1


async def test_an_event_that_never_left_is_unsent_rather_than_unknown(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft())
        service.faults[EVENTS] = refusing
        assert (await session.send(prepared)).outcome is Outcome.UNKNOWN
        assert [each.state for each in session.snapshot.unsent] == [UnsentState.UNSENT]


async def test_a_record_of_another_event_settles_nothing(service: FakeService, tmp_path: Path) -> None:
    other = service.world.say("ana", "observation", summary="other")
    service.faults[EVENTS] = lambda request: json_answer(service.world.record_json(other), 201)
    async with service.open(tmp_path) as session:
        sent = await session.send(await session.prepare(draft()))
    assert sent.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("forgery", ["body", "malformed"])
async def test_an_answer_with_other_bytes_under_the_same_identifier_is_no_receipt(
    forgery: str, service: FakeService, tmp_path: Path
) -> None:
    """The returned event is compared with what was sent, to the byte (§3, §7)."""

    def answer(request: httpx.Request) -> httpx.Response | None:
        if request.method != "POST":
            return None
        row = json.loads(service._append(request).content)
        row["event"].update({"body": {"summary": "forged"}} if forgery == "body" else {"kind": "unheard.of"})
        return json_answer(row, 201)

    service.faults[EVENTS] = answer
    async with service.open(tmp_path) as session:
        sent = await session.send(await session.prepare(draft()))
        assert (sent.outcome, "other bytes" in sent.reason) == (Outcome.UNKNOWN, True)
        assert [each.state for each in session.snapshot.unsent] == [UnsentState.UNKNOWN]
        assert sent.event_id not in session.snapshot.by_id


async def test_a_forged_copy_in_the_replay_settles_nothing(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft())
        service.faults[EVENTS] = lambda request: (service._append(request), httpx.Response(302))[1]
        sent = await session.send(prepared)
        page = copy.deepcopy(service.world.page())
        page["events"][0]["event"]["body"]["summary"] = "forged"
        service.fault_json(EVENTS, page)
        service.faults["/v1/correspondence/voice"] = unavailable
        await session.refresh()
        assert not session.snapshot.by_id[sent.event_id].verdict.holds
        assert [each.event.event_id for each in session.snapshot.unsent] == [sent.event_id]
        service.faults.clear()
        assert await session.deliver()
        assert session.snapshot.by_id[sent.event_id].verdict is Verdict.VERIFIED
        assert session.snapshot.unsent == ()


async def test_what_an_earlier_session_left_is_posted_by_a_later_one(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft("left"))
        service.faults[EVENTS] = refusing
        left = await session.send(prepared)
    service.faults.clear()
    async with service.open(tmp_path) as session:
        assert await session.deliver()
        assert left.event_id in session.snapshot.by_id
        assert (await session.prepare(draft())).core.session_seq == 1
    assert [event.event_id for event in service.world.events()] == [left.event_id]


async def test_an_outbox_that_cannot_be_written_sends_nothing(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft())
        (tmp_path / "state" / "outbox.sqlite3").write_bytes(b"this is no database, but it is long enough to be read")
        sent = await session.send(prepared)
    assert (sent.outcome, sent.reason) == (
        Outcome.NOT_STORED,
        "this installation cannot store it: file is not a database",
    )
    assert service.world.events() == []
    assert session.snapshot.unsent == ()


async def test_nothing_that_waits_is_posted_while_the_service_asks_to_wait(
    service: FakeService, tmp_path: Path
) -> None:
    time = VirtualTime()
    throttled = json_answer({"error": "slow_down"}, 429, {"Retry-After": "99999"})
    async with service.open(tmp_path, timing=time.timing) as session:
        service.faults[EVENTS] = lambda request: throttled if request.method == "POST" else None
        assert (await session.send(await session.prepare(draft()))).outcome is Outcome.UNKNOWN
        service.faults.clear()
        assert not await session.deliver()
        time.now += MOST_ASKED - 1
        assert not await session.deliver()
        assert service.asked[POST] == 1
        time.now += 2
        assert await session.deliver()
    assert service.asked[POST] == 2


async def test_a_full_disk_is_named_as_what_it_is_and_takes_no_number(
    service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite ends the transaction by itself there; that it is not there to be rolled back is no news."""
    connect = LocalDatabase._connect

    def full(database: LocalDatabase) -> sqlite3.Connection:
        connection = connect(database)
        connection.execute("PRAGMA max_page_count = 1")
        return connection

    async with service.open(tmp_path) as session:
        prepared = await session.prepare(Draft(kind="observation", thread_id="task:1", body={"summary": "x" * 900}))
        with monkeypatch.context() as patch:
            patch.setattr(LocalDatabase, "_connect", full)
            service.faults[EVENTS] = refusing
            for _ in range(9):
                sent = await session.send(prepared)
                if sent.outcome is Outcome.NOT_STORED:
                    break
                prepared = await session.prepare(prepared.draft)
        assert (sent.outcome, sent.reason) == (
            Outcome.NOT_STORED,
            "this installation cannot store it: database or disk is full",
        )
        service.faults.clear()
        assert (await session.send(prepared)).outcome is Outcome.POSTED


def test_a_transaction_that_sqlite_has_ended_already_is_not_rolled_back_again(tmp_path: Path) -> None:
    database = LocalDatabase(tmp_path / "x.sqlite3", "CREATE TABLE IF NOT EXISTS a (b);")

    def ends_by_itself() -> None:
        with database.writing() as connection:
            connection.execute("ROLLBACK")
            raise sqlite3.OperationalError("database or disk is full")

    with pytest.raises(sqlite3.OperationalError, match="disk is full"):
        ends_by_itself()


async def test_run_posts_again_with_back_off_and_stops_when_cancelled(service: FakeService, tmp_path: Path) -> None:
    service.faults[EVENTS] = once(lambda _: json_answer({"error": "correspondence_append_unavailable"}, 503))
    async with service.open(tmp_path) as session:
        sent = await session.send(await session.prepare(draft()))
        assert sent.outcome is Outcome.UNKNOWN
        task = asyncio.create_task(session.run())
        async with asyncio.timeout(20):
            async for snapshot in session.snapshots():
                if sent.event_id in snapshot.by_id and not snapshot.unsent:
                    break
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert len(service.world.events()) == 1


async def test_bytes_that_were_not_prepared_are_not_signed(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft())
        other = await session.prepare(draft("other"))
        sent = await session.send(replace(prepared, core=other.core))
    assert sent.outcome is Outcome.CHANGED
    assert service.world.events() == []


async def test_an_outbox_that_cannot_be_read_holds_up_nothing_else(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.open()
        (tmp_path / "state" / "outbox.sqlite3").write_bytes(b"this is no database, but it is long enough to be read")
        assert await session.deliver()
        with pytest.raises(EventRefused, match="outbox"):
            await session.prepare(draft())


async def test_a_posted_event_whose_settling_fails_is_posted_all_the_same(service: FakeService, tmp_path: Path) -> None:
    def breaks_the_outbox(request: httpx.Request) -> None:
        if request.method == "POST":
            (tmp_path / "state" / "outbox.sqlite3").write_bytes(b"this is no database any more, long as it may be")

    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft())
        service.faults[EVENTS] = breaks_the_outbox
        sent = await session.send(prepared)
    assert sent.outcome is Outcome.POSTED
    assert "outbox" in sent.reason
    assert len(service.world.events()) == 1


class Crash(BaseException):
    """The process ends here, as by a signal."""


def crash_before(monkeypatch: pytest.MonkeyPatch, place: object, name: str) -> None:
    """Let the process end when it comes to this call."""

    def crash(*_: object, **__: object) -> None:
        raise Crash

    monkeypatch.setattr(place, name, crash)


def crash_after(monkeypatch: pytest.MonkeyPatch, place: object, name: str) -> None:
    """Let the process end when this call has been made."""
    call = getattr(place, name)

    def crash(*arguments: object) -> None:
        call(*arguments)
        raise Crash

    monkeypatch.setattr(place, name, crash)


STEPS = {
    "signing": (crash_before, Signer, "sign"),
    "stored": (crash_after, Outbox, "store"),
    "posting": (crash_before, Client, "post_event"),
    "received": (crash_after, FakeService, "_append"),
    "settling": (crash_before, Outbox, "settle"),
    "settled": (crash_after, Outbox, "settle"),
}


@pytest.mark.parametrize("step", STEPS)
async def test_a_process_that_ends_at_any_step_leaves_each_intended_event_once_and_no_number_twice(
    step: str, service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reserve, sign and store are one transaction, and the same bytes may be posted again (§4, §7)."""
    crash, place, name = STEPS[step]
    async with service.open(tmp_path) as session:
        first = await session.prepare(draft("first"))
        with monkeypatch.context() as patch:
            crash(patch, place, name)
            with pytest.raises(Crash):
                await session.send(first)
    async with service.open(tmp_path) as session:
        await session.deliver()
        await session.send(await session.prepare(draft("second")))
    said = [event.evidence["body"]["summary"] for event in service.world.events()]
    assert said == (["second"] if step == "signing" else ["first", "second"])
    places = [(event.sender.session_id, event.session_seq) for event in service.world.events()]
    assert len(places) == len(set(places))
