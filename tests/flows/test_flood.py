"""Five hundred changes within a second, against the real service: a handful of refreshes, and a loop that goes on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from corr_tui.client.http import Client
from corr_tui.client.wake import Frame
from corr_tui.protocol.compose import compose
from corr_tui.protocol.event import Sender
from corr_tui.protocol.signing import event_jcs, sign
from corr_tui.state.reader import PAGE, Reader
from corr_tui.state.refresher import BURST
from corr_tui.state.snapshot import LinkState, instant
from corr_tui.state.subscription import FRAMES_AT_ONCE
from corr_tui.state.trust import Trust
from tests.flows.faults import Route
from tests.flows.running import live, observation
from tests.flows.served import REPOSITORY_ID, Served, served, until
from tests.flows.virtual_loop import Run, _Waiting, simulation, virtual_loop

CHANGES = 500
BUNCH = 25
JUDGED_AT_ONCE = 50
"""Signatures between two turns that nobody who types notices: some milliseconds."""


@pytest.fixture
def run() -> Iterator[Run]:
    """Runs scenarios on a loop of their own."""
    with simulation() as run:
        yield run


class Work:
    """Counts what is done between two turns of the loop."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.frames = 0
        self.judged = 0
        self.at_each_turn: list[tuple[int, int]] = []
        is_news, judge, select = Reader.is_news, Trust.judge, _Waiting.select

        def counted_news(reader: Reader, frame: Frame) -> bool:
            self.frames += 1
            return is_news(reader, frame)

        def counted_judge(trust: Trust, *event: Any) -> Any:
            self.judged += 1
            return judge(trust, *event)

        def counted_select(waiting: _Waiting, timeout: float | None = None) -> Any:
            self.at_each_turn.append((self.frames, self.judged))
            return select(waiting, timeout)

        monkeypatch.setattr(Reader, "is_news", counted_news)
        monkeypatch.setattr(Trust, "judge", counted_judge)
        monkeypatch.setattr(_Waiting, "select", counted_select)

    def most(self) -> tuple[int, int]:
        """The most frames taken and the most events judged between two turns."""
        steps = [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise(self.at_each_turn)]
        return max(step[0] for step in steps), max(step[1] for step in steps)


def said_by_bo(service: Served) -> list[bytes]:
    """Events of one session, signed, one after the other."""
    identity_id, signing_key_id, seed = service.people["bo"]
    sender = Sender(identity_id, signing_key_id, str(UUID(int=7, version=4)), str(UUID(int=8, version=4)))
    said: list[bytes] = []
    for number in range(1, CHANGES + 1):
        core = compose(
            observation(f"change {number}"),
            project_id=service.project_id,
            repository_id=REPOSITORY_ID,
            sender=sender,
            session_seq=number,
            issued_at=instant(virtual_loop().wall()),
        )
        said.append(event_jcs(sign(core.evidence, seed).evidence))
    return said


async def flood(service: Served) -> None:
    """Post all of it within a second, in bunches that the service tells one by one."""
    client, said = Client(f"http://127.0.0.1:{service.port}", service.bearer), said_by_bo(service)
    try:
        for start in range(0, CHANGES, BUNCH):
            await asyncio.gather(*(client.post_event(raw) for raw in said[start : start + BUNCH]))
            await asyncio.sleep(BUNCH / CHANGES)
    finally:
        await client.aclose()


def test_five_hundred_changes_in_a_second_are_a_handful_of_refreshes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(monkeypatch)

    async def scenario() -> None:
        async with served(tmp_path) as service, service.watching("maya") as board:
            await until(board, live)
            work.frames = work.judged = 0
            began, asked = virtual_loop().time(), len(service.proxy.asked)
            await flood(service)
            assert virtual_loop().time() - began <= 1.5
            snapshot = await until(board, lambda each: len(each.events) == CHANGES)
            assert work.frames == CHANGES
            pages = CHANGES / PAGE + 1
            reads = Counter(each.route for each in service.proxy.asked[asked:])
            assert reads[Route.VOICE] <= 2 * BURST
            assert reads[Route.EVENTS] <= 2 * BURST + pages
            assert not reads[Route.STREAM]
            assert snapshot.link.state is LinkState.LIVE
        frames, judged = work.most()
        assert frames <= FRAMES_AT_ONCE
        assert judged <= JUDGED_AT_ONCE
        assert len(work.at_each_turn) > CHANGES

    run(scenario())
