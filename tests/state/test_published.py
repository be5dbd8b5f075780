"""The newest snapshot, and nobody who waits in vain."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from corr_tui.state.published import Published
from corr_tui.state.snapshot import Snapshot
from tests.state.virtual_time import settle


def named(published: Published, name: str) -> None:
    """Replace the snapshot by one with another project name."""
    published.change(lambda snapshot: replace(snapshot, project_name=name))


async def test_every_reader_gets_the_newest_now_and_after_each_change() -> None:
    published = Published(Snapshot("repo:a"))
    seen: list[list[str]] = [[], []]

    async def read(names: list[str]) -> None:
        async for snapshot in published.snapshots():
            names.append(snapshot.project_name)

    readers = [asyncio.ensure_future(read(names)) for names in seen]
    await settle()
    named(published, "one")
    await settle()
    named(published, "two")
    named(published, "three")
    await settle()
    published.close()
    await asyncio.gather(*readers)
    assert seen == [["", "one", "three"]] * 2


async def test_a_change_that_is_none_wakes_nobody() -> None:
    published = Published(Snapshot("repo:a"))
    snapshots = published.snapshots()
    await anext(snapshots)
    waiting = asyncio.ensure_future(anext(snapshots, None))
    await settle()
    published.change(lambda snapshot: snapshot)
    await settle()
    assert not waiting.done()
    published.close()
    assert await waiting is None


async def test_a_reader_that_leaves_is_forgotten() -> None:
    published = Published(Snapshot("repo:a"))
    snapshots = published.snapshots()
    await anext(snapshots)
    await snapshots.aclose()
    assert not published._waiting
