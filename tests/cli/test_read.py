"""voice, claims and events on a local project."""

from __future__ import annotations

import asyncio

from corr_tui.cli.flags import Flags
from corr_tui.cli.place import place
from corr_tui.demo.correspondents import Number, Player, Stage, play
from corr_tui.demo.scene import Step

from .conftest import Cli


def test_the_three_verbs_print_the_services_own_shapes(cli: Cli) -> None:
    """§7, §7.1"""
    voice, claims, events = (cli.json(verb) for verb in ("voice", "claims", "events"))
    assert {"recent_events", "active_claims", "conflicts", "projection_status"} <= voice.keys()
    assert (claims["claims"], claims["projection_status"]) == ([], "complete")
    assert events["page"] == {"after": None, "next_after": None, "has_more": False}


def test_no_active_claims_is_written_when_the_projection_is_complete(cli: Cli) -> None:
    """§6"""
    assert cli.run("claims").stdout == "No active claims.\n"


def test_the_first_command_introduces_the_local_project_on_standard_error_once(cli: Cli) -> None:
    first, second = cli.run("events"), cli.run("events")
    assert "Made a local project" in first.stderr
    assert second.stderr == ""
    assert first.stdout == second.stdout == "No events.\n"


def test_a_receipt_number_that_is_none_is_refused(cli: Cli) -> None:
    assert "--after" in cli.run("events", "--after", "soon", code=2).stderr


def test_a_query_the_service_refuses_ends_with_its_words_and_exit_code_3(cli: Cli) -> None:
    result = cli.run("claims", "--path", "../up", code=3)
    assert "refused" in result.stderr
    assert "path" in result.stderr


async def test_events_follows_every_page_and_prints_one_object_that_reflects_the_whole(cli: Cli) -> None:
    """§7"""
    async with place(Flags()) as here:
        connection = here.connection
        assert connection.identity_id is not None
        assert connection.signing_key_id is not None
        assert connection.seed is not None
        me = Player("maya", connection.identity_id, connection.signing_key_id, connection.seed)
        project = await here.client.project()
        stage = Stage(project.id, Number(1), {"maya": me}, repository_id=connection.repository_id)
        said = [Step(0, "maya", "observation", "t", (f"number {number}",)) for number in range(203)]
        await play(said, stage, here.client.post_event)
    whole = await asyncio.to_thread(cli.json, "events", "--after", "1")
    assert [record["event"]["body"]["summary"] for record in whole["events"]] == [
        f"number {number}" for number in range(1, 203)
    ]
    assert whole["page"] == {"after": "1", "next_after": "203", "has_more": False}
    lines = (await asyncio.to_thread(cli.run, "events")).stdout.splitlines()
    assert len(lines) == 203
