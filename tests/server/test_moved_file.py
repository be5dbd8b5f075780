"""A database file that is moved or removed under a running service (§6, §7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copy

import pytest
from sqlalchemy import event as events_of

from corr_tui.server.database import Database, StorageUnavailable
from corr_tui.server.store import Store
from corr_tui.server.submission import read_submission
from tests.correspondents import PROJECT_ID
from tests.server.scene import CLAIMS, VOICE, Scene

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


@pytest.fixture
def path(url: str) -> Path:
    """The file of the database."""
    return Path(url.removeprefix("sqlite:///"))


def moved(path: Path) -> None:
    """Give the file another name."""
    path.rename(path.with_suffix(".elsewhere"))


def is_there(path: Path) -> bool:
    """Whether anything has the name of the file."""
    return path.exists()


def replaced(path: Path) -> None:
    """Put a copy of the file in its place: the same rows, in another file."""
    copy(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").replace(path)


@pytest.mark.parametrize("take_away", [moved, Path.unlink])
async def test_nothing_is_acknowledged_into_a_file_without_its_name_section_7(
    scene: Scene, path: Path, take_away: Callable[[Path], None]
) -> None:
    await scene.say("ana", "intent", summary="before")
    take_away(path)
    answer = await scene.post(scene.world.event("ana", "intent", summary="s3cret"))
    assert (answer.status_code, answer.json()["error"]) == (503, "correspondence_append_unavailable")
    assert not is_there(path)
    assert "s3cret" not in answer.text
    assert str(path.name) not in answer.text


@pytest.mark.parametrize("route", [CLAIMS, VOICE])
async def test_no_projection_is_read_from_a_file_without_its_name_section_6(
    scene: Scene, path: Path, route: str
) -> None:
    await scene.say("ana", "intent", summary="before")
    moved(path)
    answer = await scene.get(route)
    assert (answer.status_code, answer.json()["error"]) == (503, "correspondence_projection_unavailable")
    assert not is_there(path)


async def test_a_file_that_is_back_is_opened_again(scene: Scene, path: Path) -> None:
    before = await scene.say("ana", "intent", summary="before")
    event = scene.world.event("ana", "intent", summary="meanwhile")
    moved(path)
    assert (await scene.post(event)).status_code == 503
    path.with_suffix(".elsewhere").rename(path)
    assert (await scene.post(event)).status_code == 201
    recent = [record["event"]["event_id"] for record in (await scene.read(VOICE))["recent_events"]]
    assert recent == [event.event_id, before.event_id]


async def test_another_file_under_the_same_name_is_what_is_read_and_written(
    scene: Scene, database: Database, path: Path
) -> None:
    await scene.read(VOICE)
    replaced(path)
    event = await scene.say("ana", "intent", summary="into the new file")
    recent = (await scene.read(VOICE))["recent_events"]
    assert [record["event"]["event_id"] for record in recent] == [event.event_id]


def test_a_commit_into_a_file_that_lost_its_name_meanwhile_is_not_acknowledged_section_7(
    scene: Scene, database: Database, path: Path
) -> None:
    event = scene.world.event("ana", "intent", summary="just then")
    submission = read_submission(json.dumps(event.evidence).encode(), PROJECT_ID)
    events_of.listen(database._engine, "commit", lambda _: moved(path))
    with pytest.raises(StorageUnavailable) as caught:
        Store(database).append(submission)
    assert str(caught.value) == "DatabaseFileMoved"


def test_a_watch_says_that_the_file_is_gone_and_another_one_sees_it_back(database: Database, path: Path) -> None:
    watch = database.watch(lambda: None)
    moved(path)
    with pytest.raises(StorageUnavailable):
        watch.changed([PROJECT_ID])
    watch.close()
    with pytest.raises(StorageUnavailable):
        database.watch(lambda: None)
    path.with_suffix(".elsewhere").rename(path)
    watch = database.watch(lambda: None)
    assert watch.changed([PROJECT_ID]) == ()
    watch.close()
