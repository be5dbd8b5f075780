"""A board's session against the real service: what others do arrives by itself."""

from __future__ import annotations

import asyncio

from corr_tui.protocol.bodies import Citation
from corr_tui.protocol.compose import Draft
from corr_tui.state.border import Outcome
from corr_tui.state.snapshot import LinkState, ProjectionState, UnsentState, Verdict
from tests.flows.running import Running, live, observation, posted, send, summaries, until


async def test_an_event_of_another_installation_appears_by_itself(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        event_id = posted(await running.say("ana", "hello"))
        snapshot = await until(board, lambda snapshot: event_id in snapshot.by_id)
    heard = snapshot.by_id[event_id]
    assert heard.verdict is Verdict.LISTED
    assert snapshot.name_of(running.seeds["ana"][0]) == "ana"
    assert summaries(snapshot) == ["hello"]


async def test_an_event_sent_by_a_command_of_this_home_is_verified_in_the_board(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        event_id = posted(await running.say("maya"))
        snapshot = await until(board, lambda snapshot: event_id in snapshot.by_id)
    assert snapshot.by_id[event_id].verdict is Verdict.VERIFIED


async def test_a_key_pinned_on_first_use_verifies_in_the_next_session(running: Running) -> None:
    event_id = posted(await running.say("ana"))
    for expected in (Verdict.LISTED, Verdict.VERIFIED):
        async with running.watching("maya") as board:
            snapshot = await until(board, lambda snapshot: event_id in snapshot.by_id)
            assert snapshot.by_id[event_id].verdict is expected


async def test_an_acknowledgement_is_prepared_shown_and_receives_its_number(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        target = posted(await running.say("ana"))
        await until(board, lambda snapshot: target in snapshot.by_id)
        draft = Draft(kind="ack.seen", thread_id="task:1", body={"target_event_id": target})
        prepared = await board.prepare(draft)
        sent = await board.send(prepared)
        snapshot = board.snapshot
    event = snapshot.by_id[posted(sent)].event
    assert event is not None
    assert isinstance(event.body, Citation)
    assert event.parents == (target,)
    assert event.session_seq == 1
    assert not snapshot.unsent


async def test_a_projection_and_the_clock_come_with_the_first_refresh(running: Running) -> None:
    posted(await running.say("ana"))
    async with running.watching("maya") as board:
        snapshot = await until(board, live)
    assert snapshot.projection.state is ProjectionState.COMPLETE
    assert snapshot.project_name == "acme"
    assert snapshot.me is not None
    assert (snapshot.me.name, snapshot.me.can_sign) == ("maya", True)
    assert snapshot.clock.service_time is not None
    assert 0 < snapshot.clock.uncertainty <= 2


async def test_a_reader_without_an_identity_watches_by_polling(running: Running) -> None:
    posted(await running.say("ana"))
    async with running.watching(None) as board:
        snapshot = await until(board, lambda snapshot: snapshot.history.complete)
        assert snapshot.link.state is LinkState.POLLING
        assert snapshot.me is None
        event_id = posted(await running.say("ana", "later"))
        await board.refresh()
        assert event_id in board.snapshot.by_id


async def test_the_service_away_is_said_the_last_view_stays_and_it_comes_back_live(running: Running) -> None:
    posted(await running.say("ana", "before"))
    async with running.watching("maya") as board:
        await until(board, live)
        running.stop()
        away = await until(board, lambda snapshot: snapshot.link.state is LinkState.OFFLINE)
        assert summaries(away) == ["before"]
        assert away.projection.stale
        assert away.link.detail
        running.start()
        back = await until(board, live)
        assert back.projection.state is ProjectionState.COMPLETE
        event_id = posted(await running.say("ana", "after"))
        assert summaries(await until(board, lambda snapshot: event_id in snapshot.by_id)) == ["before", "after"]


async def test_an_event_meant_while_the_service_is_away_is_posted_when_it_answers_again(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        running.stop()
        sent = await send(board, observation("said offline"))
        assert sent.outcome is Outcome.UNKNOWN
        assert [unsent.state for unsent in board.snapshot.unsent] == [UnsentState.UNSENT]
        running.start()
        snapshot = await until(board, lambda snapshot: sent.event_id in snapshot.by_id and not snapshot.unsent)
    assert summaries(snapshot) == ["said offline"]


async def test_an_unsent_event_of_an_earlier_session_is_posted_by_the_next(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        running.stop()
        sent = await send(board, observation("left behind"))
    running.start()
    async with running.watching("maya") as board:
        snapshot = await until(board, lambda snapshot: sent.event_id in snapshot.by_id and not snapshot.unsent)
    assert summaries(snapshot) == ["left behind"]


async def test_two_sessions_of_one_home_speak_at_once_and_hear_each_other(running: Running) -> None:
    async with running.watching("maya") as one, running.watching("maya") as other:
        await until(one, live)
        await until(other, live)
        sent = await asyncio.gather(*(send(board, observation(f"from {board is one}")) for board in (one, other)))
        ids = {posted(each) for each in sent}
        for board in (one, other):
            snapshot = await until(board, lambda snapshot: ids <= snapshot.by_id.keys())
            assert {snapshot.by_id[event_id].verdict for event_id in ids} == {Verdict.VERIFIED}


async def test_a_prepared_event_posts_once_however_often_it_is_sent(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        prepared = await board.prepare(observation("held key"))
        outcomes = {sent.outcome for sent in await asyncio.gather(board.send(prepared), board.send(prepared))}
        assert outcomes == {Outcome.POSTED, Outcome.CHANGED}
        assert summaries(board.snapshot) == ["held key"]
