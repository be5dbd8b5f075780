"""The local project of a Git repository or folder: correspondence without a server to run.

Under the data folder, `local/` holds a database and a key file for each repository, and `projects.db`, which says
which belongs to which. A repository is known by its remote where it has one, so that clones and working trees on this
machine meet in one project, else by its folder. What is missing is made on first use inside one transaction of
`projects.db`: of several first runs one makes it and the others find it.
"""

from __future__ import annotations

import getpass
import re
import sqlite3
import unicodedata
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from corr_tui.cli.failures import Invalid
from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database, DatabaseRefused, open_database
from corr_tui.state.config import Home
from corr_tui.state.credentials import CredentialRefused, create_seed, read_seed
from corr_tui.state.git_facts import GitFacts

WAIT = 30.0
"""Seconds to wait for another first run to finish."""

_TABLE = """
CREATE TABLE IF NOT EXISTS projects (
  place TEXT PRIMARY KEY, repository_id TEXT NOT NULL, name TEXT NOT NULL, project_id TEXT NOT NULL,
  identity_id TEXT NOT NULL, identity_name TEXT NOT NULL, signing_key_id TEXT NOT NULL
) STRICT
"""
_COLUMNS = ("repository_id", "name", "project_id", "identity_id", "identity_name", "signing_key_id")


@dataclass(frozen=True, slots=True)
class LocalProject:
    """One local project and who signs in it."""

    repository_id: str
    name: str
    """What its files are called, without their suffix."""
    project_id: str
    identity_id: str
    identity_name: str
    signing_key_id: str
    folder: Path
    made: bool = False
    """Whether this run made it."""

    @property
    def database_file(self) -> Path:
        """The service's database."""
        return self.folder / f"{self.name}.db"

    @property
    def key_file(self) -> Path:
        """The seed of the signing key."""
        return self.folder / f"{self.name}.key"

    def seed(self) -> bytes:
        """The signing key; raises Invalid when its file is gone or spoilt."""
        try:
            return read_seed(self.key_file)
        except CredentialRefused as refused:
            raise Invalid(f"{self.key_file}: {refused}") from None

    def open(self) -> Database:
        """The database; raises Invalid when its file is gone or cannot be opened."""
        if not self.database_file.exists():
            raise Invalid(f"{self.database_file} is gone: restore it, or remove {self.folder / 'projects.db'}")
        return _opened(self.database_file)

    @property
    def introduction(self) -> str:
        """What a first run made, and where, in one line."""
        return (
            f"Made a local project for {self.repository_id} in {self.database_file}, "
            f"with a signing key for {self.identity_name}."
        )


def local_project(home: Home, folder: Path, *, name: str | None = None) -> LocalProject:
    """The local project of the repository around a folder, made on first use; raises Invalid.

    `name` is what a newly made identity is called; by default Git's user.name, else the login.
    """
    facts = GitFacts(folder)
    repository_id = facts.repository_id()
    place = repository_id
    if repository_id.startswith("repo:local/"):
        place = str(facts.root() or folder.resolve())
    local = home.data / "local"
    try:
        local.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _projects(local) as projects:
            found = _find(projects, place, local)
            if found is None:
                projects.execute("BEGIN IMMEDIATE")
                found = _find(projects, place, local) or _make(projects, place, repository_id, local, name, folder)
                projects.execute("COMMIT")
    except (OSError, sqlite3.Error) as error:
        raise Invalid(f"the local project cannot be kept in {local}: {error}") from None
    return found


@contextmanager
def _projects(local: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(local / "projects.db", timeout=WAIT, isolation_level=None)) as projects:
        projects.execute(_TABLE)
        yield projects


def _find(projects: sqlite3.Connection, place: str, local: Path) -> LocalProject | None:
    row = projects.execute(f"SELECT {', '.join(_COLUMNS)} FROM projects WHERE place = ?", (place,)).fetchone()
    return LocalProject(**dict(zip(_COLUMNS, row, strict=True)), folder=local) if row else None


def _make(
    projects: sqlite3.Connection, place: str, repository_id: str, local: Path, called: str | None, folder: Path
) -> LocalProject:
    """A new project, identity and key; this process alone is here, for as long as its transaction is open."""
    slug = re.sub(r"[^a-z0-9]+", "-", repository_id.removeprefix("repo:").lower()).strip("-")[:60]
    name = f"{slug or 'project'}-{sha256(place.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    person = called or sensible_name(GitFacts(folder).user_name(), _login())
    seed = _seed(local / f"{name}.key")
    with closing(_opened(local / f"{name}.db")) as database:
        accounts = Accounts(database)
        project_id = accounts.create_project(slug or "local")
        identity_id = accounts.create_identity(project_id, person)
        signing_key_id = accounts.add_key(identity_id, public_key_of(seed))
    made = LocalProject(repository_id, name, project_id, identity_id, person, signing_key_id, local, made=True)
    row = (place, *(getattr(made, column) for column in _COLUMNS))
    projects.execute(f"INSERT INTO projects (place, {', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return made


def _seed(path: Path) -> bytes:
    """A new seed, or the one that a first run left which was cut short."""
    try:
        return read_seed(path) if path.exists() else create_seed(path)
    except CredentialRefused as refused:
        raise Invalid(f"{path}: {refused}") from None


def _opened(path: Path) -> Database:
    try:
        return open_database(f"sqlite:///{path}")
    except DatabaseRefused as refused:
        raise Invalid(f"{path}: {refused}") from None


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def sensible_name(*candidates: str | None) -> str:
    """The first word of the first candidate that has one, without controls and other invisible characters."""
    for candidate in candidates:
        visible = "".join(c if unicodedata.category(c)[0] not in "CZ" else " " for c in candidate or "")
        if words := visible.split():
            return words[0][:40]
    return "me"
