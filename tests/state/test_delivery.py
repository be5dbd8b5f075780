"""Which kept events are posted, in which order, what ends it, and what is said meanwhile (§4, §7, §9)."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from corr_tui.client.errors import Phase, Unreachable
from corr_tui.client.http import Client
from corr_tui.protocol.compose import Draft
from corr_tui.protocol.event import Core, Event
from corr_tui.state.border import DiscardRefused, Outcome
from corr_tui.state.local_database import LocalDatabase
from corr_tui.state.outbox import Outbox, Stored
from corr_tui.state.session import Session
from corr_tui.state.snapshot import UnsentState
from tests.client.answering import BASE_URL, BEARER, json_answer
from tests.correspondents import START
from tests.state.fake_service import FakeService, Fault, once, refusing
from tests.state.virtual_time import VirtualTime, settle

EVENTS = "/v1/correspondence/events"
POST = f"POST {EVENTS}"


@pytest.fixture
def service() -> FakeService:
    return FakeService()


def draft(summary: str = "hello") -> Draft:
    """Something to say."""
    return Draft(kind="observation", thread_id="task:1", body={"summary": summary})


async def say(session: Session, summary: str = "hello") -> Outcome:
    """Say it; what became of it."""
    return (await session.send(await session.prepare(draft(summary)))).outcome


def posts(fault: Fault) -> Fault:
    """A fault of posts only."""
    return lambda request: fault(request) if request.method == "POST" else None


def summary_of(request: httpx.Request) -> str:
    """What a posted event says."""
    return str(json.loads(request.content)["body"]["summary"])


def only(summary: str, fault: Fault) -> Fault:
    """A fault of the posts of one event."""
    return posts(lambda request: fault(request) if summary_of(request) == summary else None)


def received(service: FakeService) -> list[str]:
    """The summaries the service has, in receipt order."""
    return [event.evidence["body"]["summary"] for event in service.world.events()]


def unsent(session: Session) -> list[tuple[str, UnsentState]]:
    """What is shown as unsent."""
    return [(each.event.evidence["body"]["summary"], each.state) for each in session.snapshot.unsent]


def failing(_: httpx.Request) -> httpx.Response:
    """The service broke."""
    return json_answer({"error": "internal_error"}, 500)


def deciding(_: httpx.Request) -> httpx.Response:
    """The service refuses for good."""
    return json_answer({"error": "event_invalid", "message": "no"}, 400)


async def test_the_events_of_a_session_are_posted_in_order_by_a_later_send_too(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        await session.open()
        service.faults["*"] = refusing
        assert [await say(session, each) for each in "ab"] == [Outcome.UNKNOWN] * 2
        service.faults.clear()
        assert await say(session, "c") is Outcome.POSTED
    assert received(service) == ["a", "b", "c"]


async def test_an_event_behind_one_whose_outcome_is_not_known_waits_and_says_so(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        service.faults[EVENTS] = only("a", failing)
        await say(session, "a")
        sent = await session.send(await session.prepare(draft("b")))
        assert (sent.outcome, "an earlier event of this session" in sent.reason) == (Outcome.UNKNOWN, True)
        assert not await session.deliver()
        assert unsent(session) == [("a", UnsentState.UNKNOWN), ("b", UnsentState.UNSENT)]
    assert received(service) == []


async def test_a_session_whose_first_event_stays_unknown_holds_up_no_other_session(
    service: FakeService, tmp_path: Path
) -> None:
    service.faults[EVENTS] = only("a", failing)
    for summary in "ab":
        async with service.open(tmp_path) as session:
            await session.open()
            if summary == "b":
                service.faults[EVENTS] = posts(failing)
            await say(session, summary)
    service.faults[EVENTS] = only("a", failing)
    async with service.open(tmp_path) as session:
        assert not await session.deliver()
        assert received(service) == ["b"]


async def test_a_new_event_is_posted_after_what_ended_sessions_left_in_the_order_it_was_stored(
    service: FakeService, tmp_path: Path
) -> None:
    service.faults[EVENTS] = posts(refusing)
    for summary in "ab":
        async with service.open(tmp_path) as session:
            await say(session, summary)
    service.faults.clear()
    async with service.open(tmp_path) as session:
        assert await say(session, "c") is Outcome.POSTED
        assert unsent(session) == []
    assert received(service) == ["a", "b", "c"]


@pytest.mark.parametrize("answer", [failing, deciding, refusing])
async def test_what_another_session_left_holds_up_no_new_event(
    answer: Fault, service: FakeService, tmp_path: Path
) -> None:
    """An outcome that is not known, and a refusal, are those of the session they are of."""
    service.faults[EVENTS] = posts(refusing)
    for summary in "ab":
        async with service.open(tmp_path) as session:
            await say(session, summary)
    service.faults[EVENTS] = only("a", answer)
    async with service.open(tmp_path) as session:
        assert await say(session, "c") is Outcome.POSTED
    assert received(service) == (["b", "c"] if answer is deciding else ["c"])


async def test_a_new_event_waits_where_an_older_one_was_asked_to_wait(service: FakeService, tmp_path: Path) -> None:
    service.faults[EVENTS] = posts(refusing)
    async with service.open(tmp_path) as session:
        await say(session, "a")
    service.faults[EVENTS] = once(lambda _: json_answer({"error": "slow_down"}, 429, {"Retry-After": "100"}))
    async with service.open(tmp_path) as session:
        await session.open()
        service.asked.clear()
        assert await say(session, "b") is Outcome.UNKNOWN
        assert service.asked[POST] == 1


async def test_a_new_event_alone_is_posted_while_this_session_is_held(service: FakeService, tmp_path: Path) -> None:
    service.faults[EVENTS] = posts(refusing)
    async with service.open(tmp_path) as session:
        await say(session, "a")
    service.faults.clear()
    async with service.open(tmp_path) as session:
        await session.open()
        session.hold()
        assert await say(session, "b") is Outcome.POSTED
    assert received(service) == ["b"]


async def test_a_service_where_nobody_listens_is_asked_once_however_many_sessions_left_something(
    service: FakeService, tmp_path: Path
) -> None:
    service.faults[EVENTS] = posts(refusing)
    for summary in "abc":
        async with service.open(tmp_path) as session:
            await say(session, summary)
    service.asked.clear()
    async with service.open(tmp_path) as session:
        assert not await session.deliver()
        assert service.asked[POST] == 1
        service.faults.clear()
        assert await session.deliver()
    assert received(service) == ["a", "b", "c"]


async def test_a_refused_event_holds_up_none_and_is_shown_with_its_reason_until_it_is_discarded(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        await session.open()
        service.faults["*"] = refusing
        for summary in "abc":
            await say(session, summary)
        service.faults = {EVENTS: only("b", deciding)}
        service.asked.clear()
        assert await session.deliver()
    assert received(service) == ["a", "c"]
    async with service.open(tmp_path) as later:
        await later.open()
        assert [(each.state, each.reason) for each in later.snapshot.unsent] == [(UnsentState.REFUSED, "no")]
        assert await later.deliver()
        (refused,) = later.snapshot.unsent
        assert await later.discard(refused.event.event_id)
        assert not await later.discard(refused.event.event_id)
        assert later.snapshot.unsent == ()
    assert service.asked[POST] == 3


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (json_answer({"error": "unauthorized", "message": "no"}, 401), UnsentState.UNSENT),
        (json_answer({"error": "slow_down"}, 429), UnsentState.UNSENT),
        (httpx.Response(403, headers={"Content-Type": "text/html"}, content=b"<html>log in"), UnsentState.UNKNOWN),
        (json_answer({"error": "not_found"}, 404), UnsentState.UNKNOWN),
        (httpx.Response(407), UnsentState.UNKNOWN),
        (httpx.Response(504), UnsentState.UNKNOWN),
    ],
)
async def test_what_says_nothing_about_the_event_is_no_refusal_of_it(
    answer: httpx.Response, state: UnsentState, service: FakeService, tmp_path: Path
) -> None:
    """A refused bearer, a portal or a wrong address decide nothing about signed bytes; another answer may follow."""
    service.faults[EVENTS] = once(lambda _: answer)
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft("a"))
        sent = await session.send(prepared)
        assert (sent.outcome, sent.state, unsent(session)) == (Outcome.UNKNOWN, state, [("a", state)])
        (row,) = Outbox(tmp_path / "state" / "outbox.sqlite3", "").everything()
        assert row.state is state
    async with service.open(tmp_path) as later:
        assert await later.deliver()
    assert received(service) == ["a"]


async def test_a_refused_bearer_ends_posting_until_there_is_a_reason_to_try_again(
    service: FakeService, tmp_path: Path
) -> None:
    time = VirtualTime()
    async with service.open(tmp_path, timing=time.timing) as session, running(session):
        await time.advance(1)
        service.faults[EVENTS] = posts(lambda _: json_answer({"error": "unauthorized"}, 401))
        assert await say(session, "a") is Outcome.UNKNOWN
        await time.advance(3)
        tried = service.asked[POST]
        await time.advance(3600)
        assert service.asked[POST] == tried
        service.faults.clear()
        task = asyncio.ensure_future(session.refresh())
        await time.advance(5)
        await task
    assert received(service) == ["a"]


@asynccontextmanager
async def running(session: Session) -> AsyncIterator[None]:
    """A session whose `run` runs."""
    task = asyncio.ensure_future(session.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_an_unavailable_append_is_posted_again_with_growing_pauses(service: FakeService, tmp_path: Path) -> None:
    """503 correspondence_append_unavailable asks for the same bytes again (§7), and not for a flood of them."""
    time = VirtualTime()
    unavailable = json_answer({"error": "correspondence_append_unavailable"}, 503)
    async with service.open(tmp_path, timing=time.timing) as session, running(session):
        await time.advance(1)
        service.faults[EVENTS] = posts(lambda _: unavailable)
        assert await say(session, "a") is Outcome.UNKNOWN
        counts = []
        for _ in range(4):
            before = service.asked[POST]
            await time.advance(600)
            counts.append(service.asked[POST] - before)
        assert counts[0] <= 20
        assert all(9 <= count <= 11 for count in counts[1:]), "at most one a minute"
        service.faults.clear()
        await time.advance(61)
    assert received(service) == ["a"]


async def test_a_send_waits_while_the_service_asks_to_wait_and_goes_out_afterwards(
    service: FakeService, tmp_path: Path
) -> None:
    time = VirtualTime()
    async with service.open(tmp_path, timing=time.timing) as session:
        service.faults[EVENTS] = once(lambda _: json_answer({"error": "slow_down"}, 429, {"Retry-After": "100"}))
        await session.open()
        await say(session, "a")
        sent = await session.send(await session.prepare(draft("b")))
        assert (sent.outcome, "asked to wait" in sent.reason) == (Outcome.UNKNOWN, True)
        assert service.asked[POST] == 1
        time.now += 101
        assert await session.deliver()
    assert received(service) == ["a", "b"]


async def test_a_post_whose_turn_comes_after_somebody_paused_is_not_made(
    service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits is not posted while held, also when that began while another post was under way."""
    answering, may_answer = asyncio.Event(), asyncio.Event()

    async def slow(*_: object) -> None:
        answering.set()
        await may_answer.wait()
        raise Unreachable(Phase.CONNECT)

    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft("a"))
        with monkeypatch.context() as patch:
            patch.setattr(Client, "post_event", slow)
            sending = asyncio.ensure_future(session.send(prepared))
            await answering.wait()
            delivering = asyncio.ensure_future(session.deliver())
            await settle()
            session.hold()
            may_answer.set()
            assert (await sending).outcome is Outcome.UNKNOWN
        assert not await delivering
        assert received(service) == []
        session.release()
        assert await session.deliver()
    assert received(service) == ["a"]


async def test_events_of_another_identity_device_or_place_are_not_posted_nor_shown_here(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path, me="bo") as session:
        await session.open()
        service.faults["*"] = refusing
        await say(session, "bo's")
    service.faults.clear()
    async with service.open(tmp_path) as other:
        assert await other.deliver()
        assert other.snapshot.unsent == ()
    async with service.open(tmp_path, me=None) as reader:
        assert await reader.deliver()
        assert reader.snapshot.unsent == ()
    device = tmp_path / "state" / "device.json"
    kept = device.read_bytes()
    device.unlink()
    async with service.open(tmp_path, me="bo") as elsewhere:
        assert await elsewhere.deliver()
    assert received(service) == []
    device.write_bytes(kept)
    async with service.open(tmp_path, me="bo") as again:
        assert await again.deliver()
    assert received(service) == ["bo's"]


async def test_a_claim_that_has_expired_meanwhile_is_posted_as_it_was_meant(
    service: FakeService, tmp_path: Path
) -> None:
    """It stays in the history and is never active; nothing is dropped in silence (§6)."""
    body: dict[str, Any] = {
        "claim_id": "66666666-6666-4666-8666-666666666666",
        "generation": 1,
        "expires_at": "2001-01-01T00:00:00.000Z",
    }
    async with service.open(tmp_path) as session:
        await session.open()
        service.faults["*"] = refusing
        expired = Draft(kind="claim.open", thread_id="task:1", body=body, paths=("src",))
        await session.send(await session.prepare(expired))
    service.faults.clear()
    async with service.open(tmp_path) as later:
        assert await later.deliver()
    assert [event.kind for event in service.world.events()] == ["claim.open"]
    assert START.year > 2001


async def test_nothing_is_posted_again_because_somebody_paused_or_refused(service: FakeService, tmp_path: Path) -> None:
    """A pause, rest or refusal causes no retry (§9)."""
    time = VirtualTime()
    async with service.open(tmp_path, timing=time.timing) as session, running(session):
        await time.advance(1)
        service.faults[EVENTS] = posts(failing)
        await say(session, "a")
        await time.advance(300)
        task = asyncio.ensure_future(session.refresh())
        await time.advance(1)
        await task
        tried = service.asked[POST]
        service.world.say("ana", "pause")
        service.world.say("bo", "refusal")
        await time.advance(6)
        assert len(session.snapshot.events) == 2
        assert service.asked[POST] - tried <= 2


class Full(sqlite3.Connection):
    """A connection to a file on a full disk: whatever writes fails from a given statement on."""

    left = 0

    def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
        if statement.split()[0] in ("INSERT", "UPDATE", "DELETE", "COMMIT"):
            if Full.left <= 0:
                if self.in_transaction:
                    super().execute("ROLLBACK")
                raise sqlite3.OperationalError("database or disk is full")
            Full.left -= 1
        return super().execute(statement, *parameters)


@contextmanager
def full_after(writes: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The disk is full after so many writes to the outbox."""
    connect = LocalDatabase._connect

    def connecting(database: LocalDatabase) -> sqlite3.Connection:
        connect(database).close()
        return sqlite3.connect(database._path, isolation_level=None, factory=Full)

    Full.left = writes
    with monkeypatch.context() as patch:
        patch.setattr(LocalDatabase, "_connect", connecting)
        yield


ANSWERS: dict[str, Fault] = {"received": lambda _: None, "lost": refusing, "unknown": failing, "refused": deciding}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("writes", range(12))
async def test_a_disk_that_is_full_at_any_step_loses_and_doubles_nothing(
    writes: int, answer: str, service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft("a"))
        service.faults[EVENTS] = posts(ANSWERS[answer])
        with full_after(writes, monkeypatch):
            sent = await session.send(prepared)
            again = await session.deliver()
        shown = unsent(session)
        tried = service.asked[POST]
    if sent.outcome is Outcome.NOT_STORED:
        assert (writes < 3, tried, shown) == (True, 0, [])
    else:
        outcomes = {"received": Outcome.POSTED, "refused": Outcome.REFUSED}
        assert sent.outcome is outcomes.get(answer, Outcome.UNKNOWN)
        assert (again, tried) == ((True, 1) if answer in ("received", "refused") else (False, 2))
    service.faults.clear()
    async with service.open(tmp_path) as later:
        await later.deliver()
        refused = [state for _, state in unsent(later)]
        assert await say(later, "b") is Outcome.POSTED
    if sent.outcome is Outcome.NOT_STORED:
        assert received(service) == ["b"]
    elif refused:
        assert (received(service), refused, answer) == (["b"], [UnsentState.REFUSED], "refused")
    else:
        assert received(service) == ["a", "b"]


async def test_a_receipt_that_could_not_be_noted_is_asked_for_again_by_the_next_process_only(
    service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Posting the same bytes again gives the same record (§4)."""
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft("a"))
        with full_after(6, monkeypatch):
            sent = await session.send(prepared)
            assert (sent.outcome, "disk is full" in sent.reason) == (Outcome.POSTED, True)
            assert await session.deliver()
        assert service.asked[POST] == 1
        assert len(Outbox(tmp_path / "state" / "outbox.sqlite3", "").everything()) == 1
    async with service.open(tmp_path) as later:
        assert await later.deliver()
        assert later.snapshot.unsent == ()
    assert (service.asked[POST], received(service)) == (2, ["a"])


async def test_an_event_that_cannot_be_discarded_says_why_and_stays(
    service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with service.open(tmp_path) as session:
        await session.open()
        service.faults["*"] = refusing
        await say(session, "a")
        (kept,) = session.snapshot.unsent
        with full_after(0, monkeypatch), pytest.raises(DiscardRefused, match="disk is full"):
            await session.discard(kept.event.event_id)
        assert unsent(session) == [("a", UnsentState.UNSENT)]


async def test_an_event_discarded_while_its_answer_is_awaited_is_not_shown_or_posted_again(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(draft("a"))
        outbox = Outbox(tmp_path / "state" / "outbox.sqlite3", "")

        def discarded(_: httpx.Request) -> httpx.Response:
            (row,) = outbox.everything()
            assert outbox.discard(row.event_id) is UnsentState.UNKNOWN, "it may be received"
            raise httpx.ReadTimeout("no answer")

        service.faults[EVENTS] = posts(discarded)
        assert (await session.send(prepared)).outcome is Outcome.UNKNOWN
        assert unsent(session) == []
        service.faults.clear()
        assert await session.deliver()
        assert (await session.prepare(draft("b"))).core.session_seq == 2
    assert received(service) == []


async def test_whoever_is_interrupted_while_an_event_is_stored_still_finds_it_shown(
    service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Outbox.store

    def storing(*arguments: Any) -> Any:
        loop.call_soon_threadsafe(sending.cancel)
        return store(*arguments)

    async with service.open(tmp_path) as session:
        loop = asyncio.get_running_loop()
        prepared = await session.prepare(draft("a"))
        monkeypatch.setattr(Outbox, "store", storing)
        sending = asyncio.ensure_future(session.send(prepared))
        with pytest.raises(asyncio.CancelledError):
            await sending
        assert unsent(session) == [("a", UnsentState.UNSENT)]


async def test_a_service_that_names_another_project_is_not_signed_for_under_the_old_name(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        await session.open()
    service.faults["*"] = refusing
    async with service.open(tmp_path) as session:
        await session.send(await session.prepare(draft("a")))  # by what was said before
        other = {"project": {"id": "99999999-9999-4999-8999-999999999999", "name": "other"}}
        service.faults = {"/v1/wake": lambda _: json_answer(other)}
        await session.refresh()
        assert "another project" in session.snapshot.link.detail
        assert unsent(session) == [("a", UnsentState.UNSENT)]
    async with service.open(tmp_path) as again:
        await again.open()
        assert again.snapshot.project_name == "other"


async def test_a_bearer_is_remembered_by_its_digest_only(service: FakeService, tmp_path: Path) -> None:
    async with service.open(tmp_path) as session:
        await session.open()
    path = tmp_path / "state" / "projects.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        ((place, digest, _, name),) = connection.execute("SELECT * FROM project").fetchall()
    assert (place, len(digest), name) == (BASE_URL, 32, "acme")
    assert BEARER.encode() not in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("fault", "outcome"), [(None, Outcome.POSTED), (deciding, Outcome.REFUSED)])
async def test_an_event_that_was_posted_beside_its_send_has_the_outcome_of_that(
    service: FakeService, tmp_path: Path, fault: Fault | None, outcome: Outcome
) -> None:
    """Whoever posts what waits may come first: between the storing of an event and the turn of its send."""
    if fault is not None:
        service.faults[EVENTS] = posts(fault)
    async with service.open(tmp_path) as session:
        opened = await session._opening.open()
        delivery, storing = opened.delivery, opened.delivery.keep

        async def keep_and_lose_the_turn(core: Core, sign: Callable[[Core], Event]) -> Stored:
            stored = await storing(core, sign)
            await delivery.deliver()
            return stored

        delivery.keep = keep_and_lose_the_turn  # type: ignore[method-assign]
        sent = await session.send(await session.prepare(draft()))
    assert sent.outcome is outcome
    assert (sent.record is not None) is (outcome is Outcome.POSTED)
    assert service.asked[POST] == 1
