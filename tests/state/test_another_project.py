"""A bearer whose project is another than it was in an earlier run."""

from __future__ import annotations

from pathlib import Path

from corr_tui.protocol.compose import Draft
from corr_tui.state.border import Outcome
from corr_tui.state.snapshot import LinkState
from tests.correspondents import uuid
from tests.state.fake_service import FakeService, refusing

OTHER = uuid(1, 77)
DRAFT = Draft(kind="observation", thread_id="task:1", body={"summary": "x"})


def served() -> FakeService:
    """A service with a word in it."""
    service = FakeService()
    service.world.say("ana", "observation", summary="of the first project")
    return service


def moved(service: FakeService) -> None:
    """The bearer belongs to another project, in which nobody has said anything."""
    service.world.records.clear()
    service.fault_json("/v1/wake", {"project": {"id": OTHER, "name": "other"}})


async def test_a_new_run_opens_the_project_that_the_service_names_now(tmp_path: Path) -> None:
    service = served()
    async with service.open(tmp_path) as session:
        await session.refresh()
    moved(service)
    async with service.open(tmp_path) as session:
        await session.refresh()
        snapshot = session.snapshot
        assert (snapshot.project_id, snapshot.project_name, snapshot.events) == (OTHER, "other", ())
        assert (snapshot.link.state, snapshot.history.complete) == (LinkState.POLLING, True)
        assert snapshot.history.reset_from is None
        sent = await session.send(await session.prepare(DRAFT))
        assert sent.outcome is not Outcome.CHANGED


async def test_what_was_prepared_for_the_project_before_is_not_signed(tmp_path: Path) -> None:
    service = served()
    async with service.open(tmp_path) as session:
        await session.refresh()
    service.faults["*"] = refusing
    async with service.open(tmp_path) as session:
        prepared = await session.prepare(DRAFT)
        service.faults.clear()
        moved(service)
        await session.refresh()
        assert (await session.send(prepared)).outcome is Outcome.CHANGED
        assert (await session.prepare(DRAFT)).core.project_id == OTHER
        assert session.snapshot.unsent == ()
