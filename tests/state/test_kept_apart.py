"""A history that was at an address before another: told of by later sessions, looked through, counted (§4)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from corr_tui.protocol.compose import Draft
from corr_tui.state.border import SearchRefused
from corr_tui.state.session import Session
from corr_tui.state.snapshot import Apart
from tests.correspondents import World
from tests.state.fake_service import FakeService, refusing

EVENTS = "/v1/correspondence/events"


@pytest.fixture
def service() -> FakeService:
    fake = FakeService()
    for number in range(3):
        fake.world.say("ana", "observation", summary=f"lost {number}")
    return fake


async def say(session: Session, summary: str) -> None:
    """Say it in the session's own name."""
    draft = Draft(kind="observation", thread_id="task:1", body={"summary": summary})
    await session.send(await session.prepare(draft))


def another(service: FakeService, *records: int, summary: str = "elsewhere") -> None:
    """Another history at the address, which has some events of the one before."""
    before, service.world = service.world, World()
    for number in records:
        service.world.store(before.events()[number])
    service.world.say("kit", "observation", summary=summary)


async def read(service: FakeService, folder: Path) -> Apart | None:
    """What a session that reads is told of the history before."""
    async with service.open(folder) as session:
        await session.refresh()
        return session.snapshot.history.apart


async def test_every_later_session_is_told_what_was_here_before(service: FakeService, tmp_path: Path) -> None:
    assert await read(service, tmp_path) is None
    another(service)
    noticed = await read(service, tmp_path)
    assert noticed
    assert (noticed.through, noticed.count, noticed.mine, noticed.seen) == ("3", 3, 0, False)
    assert noticed.noticed_at.endswith("Z")
    assert await read(service, tmp_path) == noticed
    service.faults["*"] = refusing
    assert await read(service, tmp_path) == noticed


async def test_once_somebody_was_told_it_is_news_to_nobody_here(service: FakeService, tmp_path: Path) -> None:
    await read(service, tmp_path)
    another(service)
    async with service.open(tmp_path) as session:
        await session.refresh()
        await session.saw_apart()
        now = session.snapshot.history.apart
    assert now
    assert now.seen
    assert await read(service, tmp_path) == now
    another(service, summary="elsewhere again")
    third = await read(service, tmp_path)
    assert third
    assert (third.through, third.seen) == ("1", False), "yet another history is news again"


async def test_a_history_that_comes_back_makes_the_one_between_the_news(service: FakeService, tmp_path: Path) -> None:
    first = service.world
    await read(service, tmp_path)
    another(service)
    async with service.open(tmp_path) as session:
        await session.refresh()
        await session.saw_apart()
    service.world = first
    for _ in range(2):
        now = await read(service, tmp_path)
        assert now
        assert (now.through, now.count, now.seen) == ("1", 1, False)
    async with service.open(tmp_path) as session:
        await session.refresh()
        await session.saw_apart()
    now = await read(service, tmp_path)
    assert now
    assert now.seen


async def test_events_of_mine_that_the_new_history_lacks_are_counted_once_it_is_whole(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        for summary in "abc":
            await say(session, summary)
        await session.refresh()
    another(service, 4)
    service.page_size = 1
    service.faults[EVENTS] = lambda request: refusing(request) if request.url.params.get("after") == "1" else None
    part = await read(service, tmp_path)
    assert part
    assert part.mine == 0, "not known while there is more to read"
    service.faults.clear()
    noticed = await read(service, tmp_path)
    assert noticed
    assert (noticed.through, noticed.mine) == ("6", 2)
    service.faults["*"] = refusing
    assert await read(service, tmp_path) == noticed


async def test_what_is_kept_apart_can_be_looked_through_and_is_in_no_other_search(
    service: FakeService, tmp_path: Path
) -> None:
    await read(service, tmp_path)
    another(service)
    async with service.open(tmp_path) as session:
        with pytest.raises(SearchRefused):
            await session.past.search_apart("lost", 9)
        await session.refresh()
        assert await session.search("lost") == ()
        ((apart, found),) = await session.past.search_apart("lost", 2)
        assert (apart.through, [each.record.seq for each in found]) == ("3", [3, 2])
        assert all(each.verdict.holds for each in found)
        ((_, found),) = await session.past.search_apart("ana", 9)
        assert len(found) == 3, "the sender is found by name"
        ((_, found),) = await session.past.search_apart("elsewhere", 9)
        assert found == ()
        with pytest.raises(SearchRefused, match="no word"):
            await session.past.search_apart("!?", 9)


async def test_a_home_that_cannot_be_written_tells_of_it_all_the_same(service: FakeService, tmp_path: Path) -> None:
    """As one from before this was kept: there is no place to say that somebody was told."""
    await read(service, tmp_path / "a")
    another(service)
    noticed = await read(service, tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    file = tmp_path / "b" / "data" / "history.sqlite3"
    file.rename(file.with_name("not-here"))
    file.mkdir()
    async with service.open(tmp_path / "b") as session:
        await session.refresh()
        await session.saw_apart()
        assert session.snapshot.history.apart is None
        assert session.snapshot.history.trouble
    assert noticed


async def test_a_history_of_as_many_events_is_noticed_while_a_session_runs(
    service: FakeService, tmp_path: Path
) -> None:
    async with service.open(tmp_path) as session:
        await session.refresh()
        another(service, 0, 1)
        await session.refresh()
        apart = session.snapshot.history.apart
        assert apart
        assert apart.through == "3"
        summaries = [each.event and each.event.evidence["body"]["summary"] for each in session.snapshot.events]
        assert summaries == ["lost 0", "lost 1", "elsewhere"]
