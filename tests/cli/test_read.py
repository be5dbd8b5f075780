"""voice, claims and events on a local project."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from corr_tui.cli.failures import Invalid
from corr_tui.cli.flags import Flags
from corr_tui.cli.local import local_project
from corr_tui.cli.place import place
from corr_tui.demo.correspondents import Number, Player, Stage, play
from corr_tui.demo.scene import Step
from corr_tui.state.home import Home

from .conftest import Cli


@pytest.fixture
def made(cli: Cli) -> Cli:
    """The command line in a folder that has a local project."""
    cli.make()
    return cli


def test_the_three_verbs_print_the_services_own_shapes(made: Cli) -> None:
    """§7, §7.1"""
    voice, claims, events = (made.json(verb) for verb in ("voice", "claims", "events"))
    assert {"recent_events", "active_claims", "conflicts", "projection_status"} <= voice.keys()
    assert (claims["claims"], claims["projection_status"]) == ([], "complete")
    assert events["page"] == {"after": None, "next_after": None, "has_more": False}


def test_no_active_claims_is_written_when_the_projection_is_complete(made: Cli) -> None:
    """§6"""
    assert made.run("claims").stdout == "No active claims.\n"


@pytest.mark.parametrize("verb", ["voice", "claims", "events"])
def test_a_reading_verb_makes_no_project_and_says_what_does(cli: Cli, verb: str) -> None:
    for arguments in ((), ("--json",), ("--as", "builder-1")):
        refused = cli.run(verb, *arguments, code=2)
        assert refused.stdout == ""
        assert "no local project here yet; `corr-tui` or `corr-tui send` makes one" in refused.stderr
    assert not cli.home.exists()


def test_a_reading_verb_in_a_folder_without_a_project_makes_none_beside_others(made: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    with pytest.raises(Invalid, match="no local project here yet"):
        local_project(Home.under(made.home), folder, make=False)


def test_a_voice_without_an_event_names_no_instant(made: Cli) -> None:
    """§6: without a stream the projection is evaluated at the epoch"""
    first = made.run("voice").stdout.splitlines()[0]
    assert "no event yet" in first
    assert "1970" not in made.run("voice").stdout


def test_a_receipt_number_that_is_none_is_refused(cli: Cli) -> None:
    assert "--after" in cli.run("events", "--after", "soon", code=2).stderr


def test_a_query_the_service_refuses_ends_with_its_words_and_exit_code_3(made: Cli) -> None:
    result = made.run("claims", "--path", "../up", code=3)
    assert "refused" in result.stderr
    assert "path" in result.stderr


async def test_events_follows_every_page_and_prints_one_object_that_reflects_the_whole(cli: Cli) -> None:
    """§7"""
    async with place(Flags(), make=True) as here:
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
