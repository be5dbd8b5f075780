"""What a session tells of itself: bounded, in order, and with no secret in it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from corr_tui.client.http import Exchange
from corr_tui.state.diagnostics import MOST_CHANGES, MOST_REFRESHES
from corr_tui.state.session_log import SessionLog
from corr_tui.state.snapshot import Link, LinkState
from tests.state.fake_service import FakeService

NOW = datetime(2026, 5, 14, 14, 3, 24, tzinfo=UTC)


def log() -> SessionLog:
    return SessionLog(lambda: NOW, lambda: 7.0)


def test_a_link_that_is_the_same_is_no_change() -> None:
    noted = log()
    for link in (Link(), Link(heard_at=3.0), Link(LinkState.LIVE), Link(LinkState.LIVE, detail="why"), Link()):
        noted.link(link)
    assert [(each.state, each.reason) for each in noted.links] == [
        (LinkState.CONNECTING, ""),
        (LinkState.LIVE, ""),
        (LinkState.LIVE, "why"),
        (LinkState.CONNECTING, ""),
    ]
    assert noted.links[0].at == "2026-05-14T14:03:24.000Z"


def test_what_is_noted_is_bounded() -> None:
    noted = log()
    for number in range(1000):
        noted.link(Link(LinkState.OFFLINE, detail=str(number)))
        noted.begin()
        noted.end(number, "")
    assert [each.reason for each in noted.links] == [str(number) for number in range(1000 - MOST_CHANGES, 1000)]
    assert [each.events for each in noted.refreshes] == list(range(1000 - MOST_REFRESHES, 1000))


def test_answers_of_one_refresh_are_told_with_their_status() -> None:
    noted = log()
    noted.begin()
    for asked, status in (("events", 200), ("events", 200), ("voice", 304)):
        noted.exchanged(Exchange(None, 1.0, 2.0, asked, status))
    noted.end(2, "")
    assert noted.refreshes[0].answers == ("events 200 ×2", "voice 304")


async def test_a_session_tells_what_was_asked_and_answered_and_no_secret(tmp_path: Path) -> None:
    service = FakeService()
    service.world.say("ana", "intent", summary="one")
    async with service.open(tmp_path) as session:
        await session.refresh()
        await session._following.refresher.now()
        told = session.diagnostics()
        assert told.refreshes[0].events == 1
        assert any(answer.startswith("events 200") for answer in told.refreshes[0].answers)
        assert "voice 304" in told.refreshes[-1].answers
        assert told.links[0].state is LinkState.CONNECTING
        assert told.history_file == "history.sqlite3"
        assert (told.history_bytes or 0) > 0
        assert session._connection.bearer not in repr(told)
        assert str(tmp_path) not in repr(told)
