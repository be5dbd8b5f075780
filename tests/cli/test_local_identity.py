"""--as: several identities in one local project, each with a key of its own that is known here."""

from __future__ import annotations

import asyncio
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from corr_tui.cli.failures import Invalid
from corr_tui.cli.flags import Flags
from corr_tui.cli.local_identity import LocalIdentity, local_identity
from corr_tui.cli.mounted import mount
from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import StorageUnavailable
from corr_tui.state.credentials import create_seed
from corr_tui.state.home import Home

from .conftest import Cli, Remote

SAY = ("--thread", "t", "--summary", "s")


def named(cli: Cli, name: str | None) -> LocalIdentity:
    """The identity of that name in the local project of the folder."""
    found = local_identity(Home.under(cli.home), cli.make(), name)
    assert found is not None
    return found


def test_the_first_use_of_a_name_makes_an_identity_and_says_so_in_one_line_and_later_ones_reuse_it(cli: Cli) -> None:
    cli.make()
    first = cli.run("send", "intent", "--as", "builder-1", *SAY)
    (line,) = first.stderr.splitlines()
    assert "Made the identity builder-1" in line
    assert len(line) <= 100
    assert cli.run("send", "progress", "--as", "builder-1", *SAY).stderr == ""
    cli.send("observation", "--as", "builder-2", *SAY)
    cli.send("observation", *SAY)
    senders = [record["event"]["sender"] for record in cli.json("events")["events"]]
    assert senders[0]["identity_id"] == senders[1]["identity_id"]
    assert senders[0]["signing_key_id"] == senders[1]["signing_key_id"]
    assert len({sender["identity_id"] for sender in senders}) == 3
    assert len({sender["signing_key_id"] for sender in senders}) == 3
    said = [line.split("  ")[2] for line in cli.run("events").stdout.splitlines()]
    assert said == ["builder-1", "builder-1", "builder-2", "maya"]


@pytest.mark.parametrize("source", ["variable", "file"])
def test_the_name_may_come_from_the_environment_or_the_config_file(
    cli: Cli, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source == "variable":
        monkeypatch.setenv("CORR_TUI_AS", "builder-1")
    else:
        (cli.home / "config").mkdir(parents=True)
        (cli.home / "config" / "config.toml").write_text("as = 'builder-1'")
    sent = cli.send("intent", *SAY)
    assert sent["event"]["sender"]["identity_id"] == named(cli, "builder-1").identity_id
    assert "builder-1  intent" in cli.run("events").stdout


def test_each_identity_has_a_key_file_of_its_own_that_only_its_maker_may_read(cli: Cli) -> None:
    found = [named(cli, name) for name in (None, "builder-1", "Builder-1", "../../up", "部", "..")]
    assert len({each.key_file for each in found}) == len({each.seed() for each in found}) == 6
    for each in found:
        assert stat.S_IMODE(each.key_file.stat().st_mode) == 0o600
        assert each.key_file.parent == cli.make().folder


def test_the_name_of_the_projects_own_identity_is_that_identity(cli: Cli) -> None:
    assert named(cli, "maya") == named(cli, None)


def test_who_only_reads_makes_no_identity(cli: Cli) -> None:
    cli.send("observation", *SAY)
    assert "maya  observation" in cli.run("events", "--as", "builder-1").stdout
    assert local_identity(Home.under(cli.home), cli.make(), "builder-1", make=False) is None


async def test_what_identities_of_this_home_say_is_verified_on_a_board_that_was_open_before(cli: Cli) -> None:
    """experience: honesty 8"""
    mounted = await asyncio.to_thread(mount, Flags())
    try:
        await mounted.session.refresh()
        for name in ("builder-1", "builder-2"):
            await asyncio.to_thread(cli.send, "intent", "--as", name, *SAY)
        await mounted.session.refresh()
        assert [heard.verdict for heard in mounted.session.snapshot.events] == ["verified"] * 2
    finally:
        await mounted.session.close()
        await asyncio.to_thread(mounted.close)


async def test_a_board_signs_as_the_identity_named_and_introduces_it(cli: Cli) -> None:
    cli.make()
    mounted = await asyncio.to_thread(mount, Flags(as_name="builder-1"))
    try:
        assert "builder-1" in mounted.introduction
        me = mounted.session.snapshot.me
        assert me is not None
        assert me.identity_id == named(cli, "builder-1").identity_id
    finally:
        await mounted.session.close()
        await asyncio.to_thread(mounted.close)


def test_first_uses_at_once_make_one_identity(cli: Cli) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from corr_tui.cli.local import local_project\n"
        "from corr_tui.cli.local_identity import local_identity\n"
        "from corr_tui.state.home import Home\n"
        "home = Home.under(Path(sys.argv[1]))\n"
        "made = local_identity(home, local_project(home, Path.cwd()), 'builder-1')\n"
        "print(made.identity_id, made.signing_key_id, made.seed().hex(), made.made)\n"
    )
    command = (sys.executable, "-c", script, str(cli.home))
    runs = [subprocess.Popen(command, cwd=cli.folder, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [run.communicate(timeout=60)[0].split() for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert len({tuple(words[:3]) for words in said}) == 1
    assert sorted(words[3] for words in said) == ["False", "False", "True"]
    project = cli.make()
    with closing(project.open()) as database:
        assert sorted(each.name for each in Accounts(database).identities(project.project_id)) == ["builder-1", "maya"]


@pytest.mark.parametrize("step", ["create_identity", "add_key"])
def test_a_first_use_that_was_cut_short_is_taken_up_again(cli: Cli, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project = cli.make()
    whole = getattr(Accounts, step)

    def cut_short(accounts: Accounts, *values: object) -> None:
        whole(accounts, *values)
        raise StorageUnavailable("OperationalError")

    with monkeypatch.context() as patched:
        patched.setattr(Accounts, step, cut_short)
        with pytest.raises(Invalid, match="builder-1"):
            named(cli, "builder-1")
    made = named(cli, "builder-1")
    assert made.made
    with closing(project.open()) as database:
        accounts = Accounts(database)
        (identity,) = (each for each in accounts.identities(project.project_id) if each.name == "builder-1")
        (key,) = accounts.keys(project.project_id, identity.identity_id)
    assert (identity.identity_id, key.public_key) == (made.identity_id, public_key_of(made.seed()))


def test_a_name_that_somebody_elses_key_stands_for_is_refused(cli: Cli) -> None:
    project = cli.make()
    with closing(project.open()) as database:
        accounts = Accounts(database)
        identity_id = accounts.create_identity(project.project_id, "ana")
        accounts.add_key(identity_id, public_key_of(create_seed(cli.folder / "ana.key")))
    assert "its key is not kept here" in cli.run("send", "intent", "--as", "ana", *SAY, code=2).stderr
    assert cli.json("events")["events"] == []


@pytest.mark.parametrize(
    "arguments", [("voice",), ("claims",), ("events",), ("send", "intent", *SAY), ("--as", "b", "events")]
)
def test_a_name_is_refused_in_words_where_a_service_is_configured(
    remote: Remote, cli: Cli, arguments: tuple[str, ...]
) -> None:
    refused = cli.run(*(arguments if "--as" in arguments else (*arguments, "--as", "b")), code=2).stderr
    assert "as (--as)" in refused
    assert "CORR_TUI_BEARER" in refused


@pytest.mark.parametrize("option", ["--identity", "--signing-key"])
@pytest.mark.parametrize("verb", [("events",), ("send", "intent", *SAY)])
def test_an_identity_or_key_of_a_service_is_refused_in_a_local_project(
    cli: Cli, option: str, verb: tuple[str, ...]
) -> None:
    cli.make()
    refused = cli.run(*verb, option, "22222222-2222-4222-8222-222222222222", code=2).stderr
    assert option in refused
    assert "--as NAME" in refused
    assert cli.json("events")["events"] == []
