"""Whatever ends in the middle of posting, each event that was meant and stored is received once (§4, §7).

Never is one `session_seq` signed twice in a session. The steps of a whole run are asked for, then a process is killed
before each of them.
"""

from __future__ import annotations

import json
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from corr_tui.client.http import Client
from corr_tui.protocol.event import Event
from corr_tui.state.border import Outcome
from corr_tui.state.outbox import Outbox
from corr_tui.state.session import Session
from corr_tui.state.snapshot import UnsentState
from tests.flows.posting_process import Posting, Work, posting
from tests.flows.running import REPOSITORY_ID, Running, live, observation, posted, send, summaries, until


@pytest.fixture(scope="module")
def other() -> Iterator[Posting]:
    """A process beside this one."""
    with posting() as process:
        yield process


def work(running: Running, *said: str, home: str = "maya", deliver: bool = False) -> Work:
    """What a process of maya's does."""
    identity_id, signing_key_id, seed = running.seeds["maya"]
    return Work(
        running.service.base_url,
        running.bearer,
        REPOSITORY_ID,
        identity_id,
        signing_key_id,
        seed.hex(),
        home=str(running.folder / home),
        signed=str(running.folder / "signed"),
        summaries=list(said),
        deliver=deliver,
    )


def outbox(running: Running, home: str = "maya") -> Outbox:
    """What maya's home keeps."""
    return Outbox(running.home(home).state / "outbox.sqlite3", running.service.base_url)


async def received(running: Running) -> list[Event]:
    """Every event the service has, in receipt order."""
    client = Client(running.service.base_url, running.bearer)
    try:
        page = await client.events(REPOSITORY_ID)
    finally:
        await client.aclose()
    assert not page.page.has_more
    return [record.event for record in page.events if isinstance(record.event, Event)]


def said(events: list[Event]) -> Counter[str]:
    """How often each summary was received."""
    return Counter(event.evidence["body"]["summary"] for event in events)


def no_number_was_signed_twice(running: Running) -> None:
    """By the file that everything signed was written into before it was stored."""
    places: dict[tuple[str, int], set[str]] = {}
    for line in (running.folder / "signed").read_text().splitlines():
        session_id, session_seq, event_id, _ = json.loads(line)
        places.setdefault((session_id, session_seq), set()).add(event_id)
    assert all(len(event_ids) == 1 for event_ids in places.values())


async def deliver(running: Running, home: str = "maya") -> None:
    """What the next process of a home does first."""
    session = Session(running.connection("maya"), running.home(home))
    try:
        assert await session.deliver()
    finally:
        await session.close()


async def test_a_process_killed_before_any_step_of_posting_leaves_each_stored_event_to_be_received_once(
    running: Running, other: Posting
) -> None:
    whole = other.do(work(running, "whole"))
    assert whole.status == 0
    steps = whole.steps
    assert {"sign", "signed", "post", "answered", "posted"} <= set(steps)
    stored_by = steps.index("COMMIT")
    assert steps.index("signed") < stored_by < steps.index("post")
    for number in range(len(steps)):
        killed = other.do(replace(work(running, f"{number}"), end_before=number))
        assert killed.status == -signal.SIGKILL, f"step {number} was not reached"
        await deliver(running)
    there = said(await received(running))
    assert there == Counter(["whole", *(f"{number}" for number in range(stored_by + 1, len(steps)))])
    assert outbox(running).everything() == ()
    no_number_was_signed_twice(running)


async def test_a_process_killed_before_any_step_of_delivering_leaves_the_rest_to_the_next(
    running: Running, other: Posting
) -> None:
    other.do(work(running))  # learns which project it is
    running.stop()
    assert other.do(work(running, "first", "second")).status == 0
    running.start()
    number = 0
    while other.do(replace(work(running, deliver=True), end_before=number)).status == -signal.SIGKILL:
        number += 1
    assert number > 10, "delivering has that many steps"
    events = await received(running)
    assert [event.evidence["body"]["summary"] for event in events] == ["first", "second"]
    assert [event.session_seq for event in events] == [1, 2]
    assert outbox(running).everything() == ()


async def test_two_processes_that_deliver_and_speak_at_once_leave_each_event_once(running: Running) -> None:
    with posting() as one, posting() as two:
        one.do(work(running))
        running.stop()
        left = [f"left {number}" for number in range(10)]
        one.do(work(running, *left))
        running.start()
        spoken = [[f"{name} {number}" for number in range(10)] for name in ("one", "two")]
        for process, words in zip((one, two), spoken, strict=True):
            process.begin(work(running, *words, deliver=True))
        assert [process.end().status for process in (one, two)] == [0, 0]
    events = await received(running)
    assert said(events) == Counter([*left, *spoken[0], *spoken[1]])
    assert outbox(running).everything() == ()
    assert len({event.sender.session_id for event in events}) == 3
    no_number_was_signed_twice(running)


async def test_a_running_session_s_events_are_left_to_it_and_those_of_an_ended_one_are_not(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        running.stop()
        kept = await send(board, observation("the board's"))
        board.hold()
        running.start()
        await deliver(running)
        assert await received(running) == []
        (row,) = outbox(running).everything()
        assert row.event_id == kept.event_id
    await deliver(running)
    assert summaries_of(await received(running)) == ["the board's"]


def summaries_of(events: list[Event]) -> list[str]:
    """Their summaries, in receipt order."""
    return [event.evidence["body"]["summary"] for event in events]


async def test_a_copy_of_the_home_taken_while_its_board_runs_speaks_in_a_session_of_its_own(running: Running) -> None:
    """What was kept is in both, and is one event; no number of the session is signed in the copy."""
    async with running.watching("maya") as board:
        await until(board, live)
        running.stop()
        await send(board, observation("in both"))
        shutil.copytree(running.folder / "maya", running.folder / "copy")
        running.start()
        copy = Session(running.connection("maya"), running.home("copy"))
        try:
            assert await copy.deliver()
            posted(await send(copy, observation("by the copy")))
        finally:
            await copy.close()
        await until(board, lambda snapshot: len(snapshot.events) == 2 and not snapshot.unsent)
        posted(await send(board, observation("by the board")))
    events = await received(running)
    assert said(events) == Counter(["in both", "by the copy", "by the board"])
    places = [(event.sender.session_id, event.session_seq) for event in events]
    assert len(set(places)) == 3
    assert outbox(running).everything() == outbox(running, "copy").everything() == ()


async def test_a_board_composes_offline_shows_it_unsent_and_another_process_posts_it(
    running: Running, other: Posting
) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        running.stop()
        for summary in ("one", "two"):
            assert (await send(board, observation(summary))).outcome is Outcome.UNKNOWN
        snapshot = await until(board, lambda snapshot: len(snapshot.unsent) == 2)
        assert [unsent.state for unsent in snapshot.unsent] == [UnsentState.UNSENT] * 2
        assert all(unsent.stored_at for unsent in snapshot.unsent)
    running.start()
    assert other.do(work(running, deliver=True)).status == 0
    assert summaries_of(await received(running)) == ["one", "two"]


async def test_a_board_that_starts_offline_shows_what_is_kept_composes_more_and_posts_all_in_order(
    running: Running, other: Posting
) -> None:
    other.do(work(running))
    running.stop()
    other.do(work(running, "left"))
    async with running.watching("maya") as board:
        await until(board, lambda snapshot: len(snapshot.unsent) == 1)
        assert (await send(board, observation("more"))).outcome is Outcome.UNKNOWN
        assert [unsent.event.evidence["body"]["summary"] for unsent in board.snapshot.unsent] == ["left", "more"]
        running.start()
        snapshot = await until(board, lambda snapshot: len(snapshot.events) == 2 and not snapshot.unsent)
    assert sorted(summaries(snapshot)) == ["left", "more"]


async def test_what_a_command_leaves_behind_is_posted_by_the_board_that_runs(running: Running, other: Posting) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        other.do(replace(work(running, "left"), end_before=other.do(work(running, "whole")).steps.index("post")))
        assert len(outbox(running).everything()) == 1
        await board.refresh()
        snapshot = await until(board, lambda snapshot: len(snapshot.events) == 2 and not snapshot.unsent)
    assert summaries(snapshot) == ["whole", "left"]


async def test_an_event_discarded_elsewhere_is_not_posted_by_the_board_that_kept_it(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        running.stop()
        kept = await send(board, observation("given up"))
        outbox(running).discard(kept.event_id)
        await board.refresh()
        assert board.snapshot.unsent == ()
        running.start()
        await until(board, live)
        after = posted(await send(board, observation("after")))
        assert after in board.snapshot.by_id
    assert [(event.evidence["body"]["summary"], event.session_seq) for event in await received(running)] == [
        ("after", 2)
    ]
