"""Git facts: three-valued, read-only, and no authority in a remote's address (§2.1)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.protocol.scalars import check_opaque_id
from corr_tui.state.git_facts import Fact, GitFacts, id_of_folder, id_of_remote

NOWHERE = "0" * 40


def git(folder: Path, *words: str) -> str:
    """Run git with a fixed author and no configuration of this user."""
    environment = {
        "HOME": str(folder),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    done = subprocess.run(["git", *words], cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "widgets"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "one")
    return folder


def test_a_repository_says_where_it_is(repository: Path) -> None:
    (repository / "src").mkdir()
    facts = GitFacts(repository / "src")
    assert facts.toplevel() == repository.resolve()
    assert facts.head() == git(repository, "rev-parse", "HEAD")
    assert facts.branch() == "main"
    assert facts.repository_id() == "repo:local/widgets"
    git(repository, "remote", "add", "origin", "https://user:token@GitHub.com/acme/widgets.git")
    assert facts.repository_id() == "repo:github.com/acme/widgets"


def test_a_commit_is_named_as_git_takes_names_and_told_in_full(repository: Path) -> None:
    facts, first = GitFacts(repository), git(repository, "rev-parse", "HEAD")
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "two")
    git(repository, "tag", "-a", "-m", "noted", "v1")
    last = git(repository, "rev-parse", "HEAD")
    for typed, meant in (("HEAD", last), ("main~1", first), (first[:9], first), ("v1", last), (last, last)):
        assert facts.commit(typed) == meant


@pytest.mark.parametrize("typed", ["", "nothing", "main..main", "HEAD^{tree}", "--help", "-1", "HEAD\n", NOWHERE])
def test_what_names_no_commit_here_is_none(typed: str, repository: Path) -> None:
    assert GitFacts(repository).commit(typed) is None


def test_only_a_remote_that_names_a_host_gives_an_id(repository: Path) -> None:
    assert GitFacts(repository).remote_id() is None
    git(repository, "remote", "add", "origin", "../elsewhere")
    assert GitFacts(repository).remote_id() is None
    git(repository, "remote", "set-url", "origin", "git@github.com:acme/widgets.git")
    assert GitFacts(repository).remote_id() == "repo:github.com/acme/widgets"


def test_a_folder_without_a_repository_can_not_tell(tmp_path: Path) -> None:
    facts = GitFacts(tmp_path)
    assert (facts.toplevel(), facts.head(), facts.branch()) == (None, None, None)
    assert facts.has_commit(NOWHERE) is Fact.CANNOT_TELL
    assert facts.in_head(NOWHERE) is Fact.CANNOT_TELL
    assert GitFacts(tmp_path / "absent").head() is None


def test_a_revision_is_present_absent_or_no_revision(repository: Path) -> None:
    facts = GitFacts(repository)
    head = facts.head() or ""
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    assert facts.has_commit(head) is Fact.YES
    assert facts.has_commit(tree) is Fact.NO
    assert facts.has_commit(NOWHERE) is Fact.NO
    for hostile in ("--help", "HEAD", "main", head[:7], f"{head}\n", "$(touch x)", "HEAD;ls", ""):
        assert facts.has_commit(hostile) is Fact.CANNOT_TELL


def test_an_ancestor_is_yes_a_side_branch_is_no_and_an_absent_commit_can_not_be_told(repository: Path) -> None:
    """A result revision is a report; its ancestry is verified in Git (§8)."""
    facts = GitFacts(repository)
    first = facts.head() or ""
    git(repository, "checkout", "--quiet", "-b", "side")
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "side")
    side = facts.head() or ""
    git(repository, "checkout", "--quiet", "main")
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "two")
    assert facts.in_head(first) is Fact.YES
    assert facts.in_head(side) is Fact.NO
    assert facts.in_head(NOWHERE) is Fact.CANNOT_TELL


def test_a_shallow_history_does_not_deny_an_ancestor(repository: Path, tmp_path: Path) -> None:
    first = GitFacts(repository).head() or ""
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "two")
    git(tmp_path, "clone", "--quiet", "--depth", "1", repository.as_uri(), "shallow")
    facts = GitFacts(tmp_path / "shallow")
    assert facts.in_head(first) is Fact.CANNOT_TELL
    git(tmp_path / "shallow", "fetch", "--quiet", "--depth", "1", "origin", first)
    assert facts.has_commit(first) is Fact.YES
    assert facts.in_head(first) is Fact.CANNOT_TELL


def test_a_detached_head_is_on_no_branch(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    assert GitFacts(repository).branch() is None


def test_asking_runs_nothing_the_repository_configures_and_writes_nothing(repository: Path) -> None:
    proof = repository / "ran"
    hook = repository / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {proof}\n")
    hook.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(hook))
    before = sorted(str(path) for path in (repository / ".git").rglob("*"))
    facts = GitFacts(repository)
    assert facts.head()
    facts.in_head(facts.head() or "")
    assert not proof.exists()
    assert sorted(str(path) for path in (repository / ".git").rglob("*")) == before


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("https://github.com/owner/name.git", "repo:github.com/owner/name"),
        ("https://user:secret@github.com:443/owner/name", "repo:github.com/owner/name"),
        ("ssh://git@GitHub.com:22/owner/name.git/", "repo:github.com/owner/name"),
        ("git@github.com:owner/name.git", "repo:github.com/owner/name"),
        ("git@git.example.org:deep/er/name", "repo:git.example.org/deep/er/name"),
        ("/srv/git/name.git", None),
        ("file:///srv/git/name.git", None),
        ("../name", None),
        ("C:/code/name", None),
        ("https://github.com/", None),
        ("https://github.com/a b", None),
        (f"https://github.com/{'x' * 300}", None),
        ("", None),
        (None, None),
    ],
)
def test_a_remote_gives_an_id_without_its_credentials(remote: str | None, expected: str | None) -> None:
    assert id_of_remote(remote) == expected


@given(st.text(st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]), min_size=1, max_size=300))
def test_any_folder_name_gives_an_opaque_id(name: str) -> None:
    """1–256 scalar values, no whitespace, no U+FEFF, no control (§2.1)."""
    check_opaque_id(id_of_folder(Path("/work") / name))
