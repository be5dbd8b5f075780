"""Reads that are interrupted, held and begun anew at any moment: a history that is the same is never called another."""

from __future__ import annotations

import asyncio

from tests.flows.running import Running, live, until


async def test_holding_and_releasing_and_new_streams_during_reads_never_reset_a_history(running: Running) -> None:
    for number in range(30):
        await running.say("ana", str(number))
    resets: list[str] = []
    async with running.watching("maya") as board:
        await until(board, lambda snapshot: live(snapshot) and snapshot.history.complete)
        for number in range(40):
            reading = asyncio.create_task(board.refresh())
            await asyncio.sleep(0)
            board.hold()
            for _ in range(number % 5):
                await asyncio.sleep(0)
            board.release()
            if number % 8 == 0:
                await running.say("bo", f"meanwhile {number}")
            await reading
            if board.snapshot.history.reset_from is not None:
                resets.append(board.snapshot.history.reset_from)
        snapshot = await until(board, lambda snapshot: snapshot.history.count == 35 and snapshot.history.complete)
        assert (resets, snapshot.history.reset_from, snapshot.history.apart) == ([], None, None)
        assert [each.record.seq for each in snapshot.events] == list(range(1, 36))
