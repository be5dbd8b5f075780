"""A receipt that lies among what was read: another database is behind the address, and is never mixed in (§4, §7)."""

from __future__ import annotations

from pathlib import Path

from corr_tui.protocol.compose import Draft
from corr_tui.state.border import Outcome
from tests.correspondents import World
from tests.state.fake_service import FakeService


async def test_an_event_received_by_another_database_is_not_put_among_those_of_this_one(tmp_path: Path) -> None:
    service = FakeService()
    for number in range(9):
        service.world.say("ana", "observation", summary=str(number))
    async with service.open(tmp_path) as session:
        await session.refresh()
        before = session.snapshot.events
        service.world = World()
        draft = Draft(kind="observation", thread_id="task:1", body={"summary": "mine"})
        sent = await session.send(await session.prepare(draft))
        assert (sent.outcome, sent.record and sent.record.seq) == (Outcome.POSTED, 1)
        assert (session.snapshot.events, session.snapshot.unsent) == (before, ())
        await session.refresh()
        assert [each.event_id for each in session.snapshot.events] == [sent.event_id]
        assert session.snapshot.history.reset_from == "9"
