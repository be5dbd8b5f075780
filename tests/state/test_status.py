"""The story a link tells, from the first answer to a pause, as whoever draws snapshots hears it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from corr_tui.state.session import Session
from corr_tui.state.snapshot import Link, LinkState
from tests.client.answering import json_answer
from tests.state.fake_service import FakeService, refusing
from tests.state.streams import Streams, quiet
from tests.state.virtual_time import VirtualTime

WAKE = "/v1/wake/voice"


class Story:
    """A service, a session that runs on it, and every link that was published."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.service = FakeService()
        self.service.world.say("ana", "intent", summary="one")
        self.streams: list[Streams] = []
        self.links: list[Link] = []
        self.heal()

    def heal(self) -> None:
        """Everything is answered."""
        self.service.faults = {WAKE: lambda _: quiet(self.time, self.streams)}

    async def listen(self, session: Session) -> None:
        """Keep every link that whoever reads without delay is told of."""
        async for snapshot in session.snapshots():
            self.links.append(snapshot.link)

    def told(self) -> list[LinkState]:
        """The states since this was last asked, each once in a row."""
        states = [link.state for link in self.links]
        self.links.clear()
        return [state for at, state in enumerate(states) if at == 0 or state is not states[at - 1]]


async def test_a_link_says_what_is_known_of_the_service_and_nothing_else(tmp_path: Path) -> None:
    story = Story()
    async with story.service.open(tmp_path, timing=story.time.timing) as session:
        tasks = [asyncio.ensure_future(story.listen(session)), asyncio.ensure_future(session.run())]
        await story.time.advance(60)
        assert story.told() == [LinkState.CONNECTING, LinkState.POLLING, LinkState.LIVE]

        story.service.faults = {"*": refusing}
        began = story.time.now
        await story.time.advance(60)
        attempts = [link.attempt for link in story.links if link.state is LinkState.OFFLINE]
        assert attempts == sorted(attempts)
        away = session.snapshot.link
        assert away.attempt == attempts[-1] >= 4
        assert began <= away.since <= began + 11
        assert away.retry_at is not None
        assert away.retry_at > story.time.now
        assert away.detail == "could not connect"
        assert story.told() == [LinkState.LIVE, LinkState.RECONNECTING, LinkState.OFFLINE]

        story.heal()
        await story.time.advance(90)
        back = session.snapshot.link
        assert (back.attempt, back.retry_at, back.detail) == (0, None, "")
        assert story.told() in (
            [LinkState.OFFLINE, LinkState.LIVE],
            [LinkState.OFFLINE, LinkState.POLLING, LinkState.LIVE],
        )

        story.service.faults = {"*": lambda _: json_answer({"error": "unauthorized", "message": "who are you"}, 401)}
        await story.time.advance(60)
        assert session.snapshot.link.detail == "who are you"
        assert story.told()[-1] is LinkState.UNAUTHORIZED
        story.heal()
        await story.time.advance(600)
        assert not story.told()
        await session.refresh()
        await story.time.advance(1)
        assert story.told() == [LinkState.POLLING, LinkState.LIVE]

        session.hold()
        await story.time.advance(600)
        assert story.told() == [LinkState.HELD]
        session.release()
        assert session.snapshot.link.state is LinkState.RECONNECTING
        await story.time.advance(1)
        assert story.told()[-2:] == [LinkState.POLLING, LinkState.LIVE]
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
