"""voice, claims and events on a local project."""

from __future__ import annotations

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
