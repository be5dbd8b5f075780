"""The local project of a repository or folder: made once, found again, shared by processes."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from corr_tui.cli.failures import Invalid
from corr_tui.cli.local import LocalProject, local_project, sensible_name
from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import StorageUnavailable
from corr_tui.state.home import Home
from corr_tui.ui.text import cells

from .conftest import Cli


@pytest.fixture
def project(cli: Cli) -> Callable[[], LocalProject]:
    """Opens the local project of the folder."""
    return lambda: local_project(Home.under(cli.home), cli.folder)


def test_the_first_run_makes_a_project_an_identity_and_a_key_and_later_runs_find_them(
    cli: Cli, project: Callable[[], LocalProject]
) -> None:
    first, later = project(), project()
    assert (first.made, later.made) == (True, False)
    assert (first.project_id, first.identity_id, first.signing_key_id) == (
        later.project_id,
        later.identity_id,
        later.signing_key_id,
    )
    assert first.repository_id == "repo:local/widgets"
    database = later.open()
    keys = Accounts(database).keys(first.project_id, first.identity_id)
    database.close()
    assert [(key.signing_key_id, key.public_key) for key in keys] == [
        (first.signing_key_id, public_key_of(later.seed()))
    ]


def test_the_first_run_says_in_one_line_what_it_made_and_where(project: Callable[[], LocalProject]) -> None:
    made = project()
    assert "\n" not in made.whole_introduction
    assert str(made.database_file) in made.whole_introduction
    assert made.repository_id in made.whole_introduction
    assert made.introduction == "Made a local project for repo:local/widgets in ~/home/data/local, signing as maya."


@pytest.mark.parametrize("folder", ["w", "a" * 200, "部" * 60, "\u202ered\u200b", "deep/" * 30 + "down"])
def test_the_line_for_the_board_fits_in_100_columns_and_is_clean_whatever_the_folder(cli: Cli, folder: str) -> None:
    there = cli.folder / folder
    there.mkdir(parents=True)
    for home in (cli.home, there / "home"):
        made = local_project(Home.under(home), there)
        assert cells(made.introduction) <= 100
        assert made.introduction.isprintable()
        assert made.introduction.startswith("Made a local project for repo:local/")
        assert made.whole_introduction.isprintable()


def test_what_a_first_run_makes_is_readable_by_its_maker_only(project: Callable[[], LocalProject]) -> None:
    made = project()
    for path in (made.key_file, made.database_file):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.folder.stat().st_mode) == 0o700


def test_a_repository_is_the_same_from_any_folder_in_it_and_from_a_linked_working_tree(
    cli: Cli, git: Callable[..., None], tmp_path: Path
) -> None:
    git("init", "-q", "-b", "main")
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "start")
    git("worktree", "add", "-q", str(tmp_path / "elsewhere"))
    (cli.folder / "docs").mkdir()
    found = {
        local_project(Home.under(cli.home), folder).project_id
        for folder in (cli.folder, cli.folder / "docs", tmp_path / "elsewhere")
    }
    assert len(found) == 1


def test_clones_of_one_remote_meet_and_folders_of_one_name_do_not(
    cli: Cli, git: Callable[..., None], tmp_path: Path
) -> None:
    git("init", "-q")
    git("remote", "add", "origin", "https://git.example.org/acme/widgets.git")
    clone = tmp_path / "clone"
    subprocess.run(("git", "clone", "-q", str(cli.folder), str(clone)), check=True, capture_output=True)
    subprocess.run(("git", "remote", "set-url", "origin", "git@git.example.org:acme/widgets"), cwd=clone, check=True)
    home = Home.under(cli.home)
    assert local_project(home, cli.folder).project_id == local_project(home, clone).project_id
    twins = [tmp_path / "one" / "site", tmp_path / "other" / "site"]
    for twin in twins:
        twin.mkdir(parents=True)
    assert len({local_project(home, twin).project_id for twin in twins}) == 2


def test_history_stays_in_sight_when_a_remote_comes_changes_and_goes(cli: Cli, git: Callable[..., None]) -> None:
    git("init", "-q")
    cli.send("observation", "--thread", "t", "--summary", "before")
    first = cli.make()
    for words in (
        ("add", "origin", "https://git.example.org/acme/widgets.git"),
        ("set-url", "origin", "https://git.example.org/acme/renamed.git"),
        ("remove", "origin"),
    ):
        git("remote", *words)
        later = cli.make()
        assert (later.project_id, later.repository_id) == (first.project_id, first.repository_id)
        (record,) = cli.json("events")["events"]
        assert record["event"]["body"] == {"summary": "before"}


def test_a_moved_folder_is_found_by_a_remote_it_once_had(cli: Cli, git: Callable[..., None], tmp_path: Path) -> None:
    git("init", "-q")
    first = cli.make()
    git("remote", "add", "origin", "https://git.example.org/acme/widgets.git")
    cli.make()
    moved = cli.folder.rename(tmp_path / "moved")
    assert local_project(Home.under(cli.home), moved).project_id == first.project_id
    subprocess.run(("git", "remote", "remove", "origin"), cwd=moved, check=True)
    assert local_project(Home.under(cli.home), moved).project_id == first.project_id


def test_a_project_of_an_earlier_register_is_found_by_its_remote_and_then_by_its_folder(
    cli: Cli, git: Callable[..., None]
) -> None:
    git("init", "-q")
    git("remote", "add", "origin", "https://git.example.org/acme/widgets.git")
    first = cli.make()
    with closing(sqlite3.connect(first.folder / "projects.db", isolation_level=None)) as register:
        register.execute("DROP TABLE further_places")
        register.execute("DROP TABLE identities")
        register.execute("UPDATE projects SET place = repository_id")
    assert cli.make().project_id == first.project_id
    git("remote", "remove", "origin")
    assert cli.make().project_id == first.project_id


def test_the_identity_is_called_as_git_calls_its_user(cli: Cli, git: Callable[..., None]) -> None:
    git("init", "-q")
    git("config", "user.name", "Ana Example")
    assert local_project(Home.under(cli.home), cli.folder).identity_name == "Ana"


@pytest.mark.parametrize(
    ("candidates", "name"),
    [
        (("Ana Example", "ana"), "Ana"),
        ((None, "bo"), "bo"),
        (("\x1b[31m\u202e", "kit"), "[31m"),
        (("\u200b\u2066", ""), "me"),
        (("李 明",), "李"),
        (("x" * 300,), "x" * 40),
    ],
)
def test_a_name_is_one_visible_word(candidates: tuple[str | None, ...], name: str) -> None:
    assert sensible_name(*candidates) == name


def test_first_runs_at_once_make_one_project(cli: Cli) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from corr_tui.cli.local import local_project\n"
        "from corr_tui.state.home import Home\n"
        "made = local_project(Home.under(Path(sys.argv[1])), Path.cwd())\n"
        "print(made.project_id, made.signing_key_id, made.seed().hex(), made.made)\n"
    )
    command = (sys.executable, "-c", script, str(cli.home))
    runs = [subprocess.Popen(command, cwd=cli.folder, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [run.communicate(timeout=60)[0].split() for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert len({tuple(words[:3]) for words in said}) == 1
    assert sorted(words[3] for words in said) == ["False", "False", "True"]


def test_a_lost_database_is_named_and_not_made_again_in_silence(project: Callable[[], LocalProject]) -> None:
    made = project()
    made.database_file.unlink()
    with pytest.raises(Invalid, match="is gone"):
        project().open()


def test_a_lost_key_is_named(project: Callable[[], LocalProject]) -> None:
    project().key_file.unlink()
    with pytest.raises(Invalid, match="key file"):
        project().seed()


def test_a_data_folder_that_cannot_be_written_is_named(cli: Cli) -> None:
    cli.home.write_text("a file stands here")
    with pytest.raises(Invalid, match="cannot be kept"):
        local_project(Home.under(cli.home), cli.folder)


def test_a_first_run_that_was_cut_short_is_taken_up_again(project: Callable[[], LocalProject]) -> None:
    seed = project().seed()
    made = project()
    os.unlink(made.folder / "projects.db")
    again = project()
    assert again.made
    assert again.seed() == seed


def test_a_database_that_cannot_be_written_at_the_first_run_is_named_and_the_next_run_starts_again(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(accounts: Accounts, *values: object) -> str:
        raise StorageUnavailable("OperationalError")

    with monkeypatch.context() as patched:
        patched.setattr(Accounts, "add_key", unavailable)
        with pytest.raises(Invalid, match="cannot be written"):
            cli.make()
    assert cli.make().made
    assert cli.send("observation", "--thread", "t", "--summary", "s")["lineage_status"] == "not_applicable"


def test_a_project_is_made_anew_where_every_file_of_it_was_taken_away_and_only_that_one(cli: Cli) -> None:
    """What others share is left alone, and nothing is made over what may still be restored."""
    home, other = Home.under(cli.home), cli.folder / "other"
    other.mkdir()
    beside, gone = local_project(home, other), cli.make()
    gone.database_file.rename(cli.folder / "away.db")
    with pytest.raises(Invalid, match="search") as refused:
        cli.make().open()
    assert "projects.db" not in str(refused.value)
    assert f"{gone.name}.*" in str(refused.value)
    gone.key_file.rename(cli.folder / "away.key")
    for leftover in gone.folder.glob(f"{gone.name}.*"):
        leftover.unlink()
    again = cli.make()
    assert again.made
    assert again.project_id != gone.project_id
    again.open().close()
    assert local_project(home, other).project_id == beside.project_id
    assert cli.make().project_id == again.project_id
