"""GET /v1/correspondence/events: pages by an exclusive receipt cursor (§4, §7)."""

from __future__ import annotations

import pytest

from corr_tui.protocol.records import read_events_page
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database
from tests.server.scene import EVENTS, Scene


async def test_records_ascend_and_pages_join_without_gap_or_repeat_section_7(scene: Scene) -> None:
    said = [await scene.say("ana", "progress", summary=str(number)) for number in range(5)]
    found: list[str] = []
    after: str | None = None
    pages = []
    while True:
        page = await scene.read(EVENTS, limit=2, **({} if after is None else {"after": after}))
        pages.append(page["page"])
        found += [record["event"]["event_id"] for record in page["events"]]
        after = page["page"]["next_after"]
        if not page["page"]["has_more"]:
            break
    assert found == [event.event_id for event in said]
    assert pages == [
        {"after": None, "next_after": "2", "has_more": True},
        {"after": "2", "next_after": "4", "has_more": True},
        {"after": "4", "next_after": "5", "has_more": False},
    ]


async def test_a_full_last_page_has_no_more_section_7(scene: Scene) -> None:
    for number in range(2):
        await scene.say("ana", "progress", summary=str(number))
    assert (await scene.read(EVENTS, limit=2))["page"]["has_more"] is False


@pytest.mark.parametrize("after", ["0", "7", "9223372036854775807"])
async def test_an_empty_page_repeats_the_supplied_cursor_section_7(scene: Scene, after: str) -> None:
    page = await scene.read(EVENTS, after=after)
    assert page["page"] == {"after": after, "next_after": after, "has_more": False}


async def test_an_empty_project_has_no_cursor_section_7(scene: Scene) -> None:
    page = await scene.read(EVENTS)
    assert page["page"] == {"after": None, "next_after": None, "has_more": False}
    assert (page["protocol"], page["scope"]) == ("agent-correspondence/v0.1", "project_private")


async def test_a_page_holds_100_records_unless_asked_section_7(scene: Scene) -> None:
    for number in range(101):
        await scene.say("ana", "progress", summary=str(number))
    page = read_events_page(await scene.read(EVENTS))
    assert (len(page.events), page.page.has_more) == (100, True)
    assert len((await scene.read(EVENTS, limit=200))["events"]) == 101


async def test_a_focus_shows_its_repository_and_thread_only_section_2_1(scene: Scene) -> None:
    here = await scene.say("ana", "intent", summary="here", thread="task:1")
    await scene.say("ana", "intent", summary="there", repository="acme/other", thread="task:1")
    await scene.say("ana", "intent", summary="elsewhere", thread="task:2")
    page = await scene.read(EVENTS, thread_id="task:1")
    assert [record["event"]["event_id"] for record in page["events"]] == [here.event_id]
    assert page["page"]["next_after"] == "1"
    assert len((await scene.read(EVENTS))["events"]) == 2


async def test_identifiers_are_compared_byte_for_byte_section_2_1(scene: Scene) -> None:
    await scene.say("ana", "intent", summary="composed", thread="t:\u00e9")
    assert (await scene.read(EVENTS, thread_id="t:e\u0301"))["events"] == []
    assert (await scene.read(EVENTS, thread_id="T:\u00e9"))["events"] == []
    assert len((await scene.read(EVENTS, thread_id="t:\u00e9"))["events"]) == 1


async def test_another_projects_bearer_sees_nothing_of_this_one_section_7(scene: Scene, database: Database) -> None:
    await scene.say("ana", "intent", summary="private")
    accounts = Accounts(database)
    bearer = accounts.create_token(accounts.create_project("other"))
    answer = await scene.get(EVENTS, headers={"Authorization": f"Bearer {bearer}"})
    assert answer.json()["events"] == []
