"""What Git here says, and no more (§2.1): it never fetches, never writes and runs nothing a repository configures.

Every question goes through the git command with a time limit. An answer is yes, no, or cannot tell: no repository,
no git, no time, or a shallow history are no reason to say no. Nothing in a remote's address becomes authority: a
repository id made from it is a default that the user may replace.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from corr_tui.protocol.scalars import Refusal, check_branch, check_opaque_id

TIMEOUT = 3.0
"""Seconds for one git command."""

_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}").fullmatch
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never")
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}


class Fact(StrEnum):
    """A three-valued answer."""

    YES = "yes"
    NO = "no"
    CANNOT_TELL = "can't tell here"


@dataclass(frozen=True, slots=True)
class GitFacts:
    """The repository around one folder, as far as there is one."""

    folder: Path

    def toplevel(self) -> Path | None:
        """The top folder of the working tree, or None."""
        said = self._said("rev-parse", "--show-toplevel")
        return Path(said) if said else None

    def root(self) -> Path | None:
        """The folder of the repository itself, the same from each of its linked working trees, or None."""
        said = self._said("rev-parse", "--path-format=absolute", "--git-common-dir")
        common = Path(said) if said else None
        return common.parent if common and common.name == ".git" else common

    def repository_id(self) -> str:
        """A repository id for this folder: from the `origin` remote where it names a host, else from the folder."""
        return self.remote_id() or id_of_folder(self.root() or self.folder)

    def remote_id(self) -> str | None:
        """The repository id that the `origin` remote gives, or None where it names no host."""
        return id_of_remote(self._said("remote", "get-url", "origin"))

    def user_name(self) -> str | None:
        """What Git calls whoever works here (`user.name`), or None. Untrusted text."""
        return self._said("config", "--get", "user.name")

    def head(self) -> str | None:
        """The full revision of HEAD, or None."""
        said = self._said("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return said if said and _REVISION(said) else None

    def commit(self, typed: str) -> str | None:
        """The full revision of the commit that `HEAD`, `main~2` or a short id names here, or None."""
        if typed.startswith("-") or not typed.isprintable():
            return None
        said = self._said("rev-parse", "--verify", "--quiet", f"{typed}^{{commit}}")
        return said if said and _REVISION(said) else None

    def branch(self) -> str | None:
        """The branch HEAD is on, or None when detached, unborn names included."""
        said = self._said("symbolic-ref", "--quiet", "--short", "HEAD")
        try:
            check_branch(said)
        except Refusal:
            return None
        return said

    def has_commit(self, revision: str) -> Fact:
        """Whether a full revision is present here as a commit."""
        if not _REVISION(revision):
            return Fact.CANNOT_TELL
        return self._fact("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")

    def in_head(self, revision: str) -> Fact:
        """Whether a full revision is HEAD or an ancestor of it. A shallow history cannot deny it."""
        present = self.has_commit(revision)
        if present is not Fact.YES:
            return Fact.CANNOT_TELL
        fact = self._fact("merge-base", "--is-ancestor", revision, "HEAD")
        if fact is Fact.NO and self._said("rev-parse", "--is-shallow-repository") != "false":
            return Fact.CANNOT_TELL
        return fact

    def _fact(self, *words: str) -> Fact:
        done = self._git(*words)
        return {0: Fact.YES, 1: Fact.NO}.get(done.returncode, Fact.CANNOT_TELL) if done else Fact.CANNOT_TELL

    def _said(self, *words: str) -> str | None:
        """The first line a question was answered with, or None."""
        done = self._git(*words)
        if done is None or done.returncode != 0:
            return None
        return done.stdout.decode("utf-8", "replace").partition("\n")[0] or None

    def _git(self, *words: str) -> subprocess.CompletedProcess[bytes] | None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        try:
            return subprocess.run(
                ("git", *_SAFE, *words),
                cwd=self.folder,
                env={**inherited, **_ENVIRONMENT},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None


_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^@/]*@)?(?P<host>[A-Za-z0-9.-]+)(?::[0-9]+)?/+(?P<path>[^?#]+)")
_SCP = re.compile(r"(?:[^@/:]*@)?(?P<host>[A-Za-z0-9-]+\.[A-Za-z0-9.-]+):(?!/*[0-9]+/)(?P<path>[^?#]+)")


def id_of_remote(remote: str | None) -> str | None:
    """`repo:host/path` of a remote's address, without credentials, port and `.git`; None when it names no host."""
    found = remote and (_URL.fullmatch(remote) or _SCP.fullmatch(remote))
    if not found:
        return None
    path = found["path"].strip("/").removesuffix(".git")
    return _opaque(f"repo:{found['host'].lower()}/{path}") if path else None


def id_of_folder(folder: Path) -> str:
    """`repo:local/name` for a folder; characters that no id may hold become hyphens."""
    name = re.sub("[\\s\ufeff\x00-\x1f\x7f-\x9f\ud800-\udfff]+", "-", folder.resolve().name)[:200]
    return f"repo:local/{name or 'root'}"


def _opaque(text: str) -> str | None:
    try:
        check_opaque_id(text)
    except Refusal:
        return None
    return text
