"""The lists of participants: when each is read, and how often at most."""

from __future__ import annotations

from pathlib import Path

from corr_tui.client.http import Client
from corr_tui.protocol.event import Event
from corr_tui.state.directory import AFRESH, AGAIN, Directory
from corr_tui.state.timing import Timing
from corr_tui.state.trust import Place, Trust
from tests.client.answering import BASE_URL, BEARER, json_answer
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World

from .fake_service import FakeService

LIST = "GET /v1/identities"


class Listed:
    """A directory on a clock that stands still, at a service that lists these names only."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.now = 0.0
        self.names = set(names)
        self.service = FakeService()
        self.service.faults["/v1/identities"] = lambda _: json_answer(
            {
                "identities": [
                    {"id": person.sender().identity_id, "display_name": person.name}
                    for person in self.world.people.values()
                    if person.name in self.names
                ]
            }
        )
        self.directory = Directory(
            Client(BASE_URL, BEARER, transport=self.service.transport), Timing(monotonic=lambda: self.now)
        )
        self._trust = Trust(folder / "trust.sqlite3", Place("x", PROJECT_ID, REPOSITORY_ID))

    @property
    def world(self) -> World:
        """Whoever might speak."""
        return self.service.world

    async def hear(self, *names: str) -> int:
        """Learn of an event of each of these; how often the list was read so far."""
        events: list[Event] = [self.world.event(name, "observation", summary="s") for name in names]
        await self.directory.learn(events, self._trust)
        return self.service.asked[LIST]

    def known(self) -> set[str]:
        """The names known now."""
        return {each.name for each in self.directory.identities.values()}


async def test_somebody_new_is_named_at_once_however_shortly_after_another(tmp_path: Path) -> None:
    listed = Listed(tmp_path, "maya")
    assert await listed.hear("maya") == 1
    for reads, name in enumerate(("ana", "bo"), 2):
        listed.names.add(name)
        assert await listed.hear(name) == reads
        assert name in listed.known()


async def test_somebody_the_service_does_not_list_is_asked_about_again_only_after_a_while(tmp_path: Path) -> None:
    listed = Listed(tmp_path, "maya")
    assert await listed.hear("zed") == 1
    assert await listed.hear("lin") == 2
    assert await listed.hear("zed", "maya") == 2
    listed.now = AGAIN
    assert await listed.hear("zed") == 3


async def test_a_list_without_news_is_read_again_only_when_it_is_old(tmp_path: Path) -> None:
    listed = Listed(tmp_path, "maya")
    for now, reads in ((0.0, 1), (AGAIN, 1), (AFRESH, 2)):
        listed.now = now
        assert await listed.hear("maya") == reads
