"""Several processes on one database, and other repositories of the project."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from corr_tui.client.http import Client, transport_to
from corr_tui.server.app import create_app
from corr_tui.server.database import open_database
from corr_tui.state.session import Session
from corr_tui.state.snapshot import Verdict
from tests.flows.running import Running, live, observation, posted, send, summaries, until


async def test_a_command_that_calls_the_application_in_its_own_process_wakes_the_board(running: Running) -> None:
    """What `corr-tui send` does beside a board on the same local project."""
    async with running.watching("maya") as board:
        await until(board, live)
        database = open_database(f"sqlite:///{running.folder / 'service.sqlite3'}")
        transport = transport_to(create_app(database, bearers={"at_here": running.project_id}))
        connection = replace(running.connection("maya"), bearer="at_here", transport=transport)
        command = Session(connection, running.home("maya"))
        try:
            event_id = posted(await send(command, observation("from a command")))
        finally:
            await command.close()
            database.close()
        snapshot = await until(board, lambda snapshot: event_id in snapshot.by_id)
    assert snapshot.by_id[event_id].verdict is Verdict.VERIFIED


async def test_many_speakers_at_once_are_all_heard_in_receipt_order(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        sessions = [Session(running.connection(name), running.home(name)) for name in ("ana", "bo", "ana", "bo")]

        async def speak(session: Session, number: int) -> None:
            for turn in range(10):
                posted(await send(session, observation(f"{number}.{turn}")))
            await session.close()

        await asyncio.gather(*(speak(session, number) for number, session in enumerate(sessions)))
        snapshot = await until(board, lambda snapshot: len(snapshot.events) == 40)
    assert [heard.record.seq for heard in snapshot.events] == sorted(heard.record.seq for heard in snapshot.events)
    assert sorted(summaries(snapshot)) == sorted(f"{number}.{turn}" for number in range(4) for turn in range(10))
    assert {heard.verdict for heard in snapshot.events} == {Verdict.LISTED}


async def test_an_event_in_another_repository_is_not_shown_here(running: Running) -> None:
    async with running.watching("maya") as board:
        await until(board, live)
        elsewhere = Session(replace(running.connection("ana"), repository_id="repo:test/other"), running.home("ana"))
        posted(await send(elsewhere, observation("elsewhere")))
        await elsewhere.close()
        here = posted(await running.say("ana", "here"))
        snapshot = await until(board, lambda snapshot: here in snapshot.by_id)
    assert summaries(snapshot) == ["here"]


async def test_the_service_advertises_where_its_stream_is(running: Running) -> None:
    """The live target is an RFC 9652 Link-Template on every correspondence answer (§7)."""
    connection = running.connection("maya")
    client = Client(connection.base_url, connection.bearer)
    try:
        await client.events(connection.repository_id)
        assert client.live_template is not None
        assert "{identity_id}" in client.live_template
    finally:
        await client.aclose()
