"""The local project of a Git repository or folder: correspondence without a server to run.

Under the data folder, `local/` holds a database and a key file for each repository, and `projects.db`, which says
which belongs to which. A repository is recognised by its root folder first, then by the id its `origin` remote gives:
so a remote may come, change and go, clones of one remote meet in one project, and a moved clone finds its own again.
The repository id is the one the project was made with. What is missing is made on first use inside one transaction of
`projects.db`: of several first runs one makes it and the others find it.
"""

from __future__ import annotations

import getpass
import os
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
from corr_tui.server.database import Database, DatabaseRefused, StorageUnavailable, open_database
from corr_tui.state.credentials import CredentialRefused, create_seed, read_seed
from corr_tui.state.git_facts import GitFacts
from corr_tui.state.home import Home
from corr_tui.ui.text import cells, clean

WAIT = 30.0
"""Seconds to wait for another first run to finish."""
WIDTH = 100
"""Columns of a line that introduces a project on the board."""

_TABLES = """
CREATE TABLE IF NOT EXISTS projects (
  place TEXT PRIMARY KEY, repository_id TEXT NOT NULL, name TEXT NOT NULL, project_id TEXT NOT NULL,
  identity_id TEXT NOT NULL, identity_name TEXT NOT NULL, signing_key_id TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS further_places (place TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS identities (
  project_id TEXT NOT NULL, identity_name TEXT NOT NULL, identity_id TEXT NOT NULL, signing_key_id TEXT NOT NULL,
  PRIMARY KEY (project_id, identity_name)
) STRICT;
"""
_COLUMNS = ("repository_id", "name", "project_id", "identity_id", "identity_name", "signing_key_id")


@dataclass(frozen=True, slots=True)
class LocalProject:
    """One local project and who signs in it, unless another identity of it is named."""

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
        return seed_in(self.key_file)

    def open(self) -> Database:
        """The database; raises Invalid when its file is gone or cannot be opened."""
        if not self.database_file.exists():
            raise Invalid(
                f"{self.database_file} is gone: restore it. `corr-tui search` still finds what was read here. To begin "
                f"anew in this repository alone, move every {self.name}.* out of that folder"
            )
        return _opened(self.database_file)

    @property
    def forsaken(self) -> bool:
        """Whether somebody took away every file of it, so that a new one may be made in its place."""
        return not any(each.name.startswith(f"{self.name}.") for each in self.folder.iterdir())

    @property
    def introduction(self) -> str:
        """What a first run made, in one line of at most WIDTH columns, with `~` for the home folder."""
        made = f"Made a local project for {clean(self.repository_id)}"
        line = f"{made} in {clean(_from_home(self.folder))}, signing as {clean(self.identity_name)}."
        return line if cells(line) <= WIDTH else clean(f"{made}.", WIDTH)

    @property
    def whole_introduction(self) -> str:
        """What a first run made, and where in full, in one line."""
        return (
            f"Made a local project for {clean(self.repository_id)} in {clean(str(self.database_file))}, "
            f"with a signing key for {clean(self.identity_name)}."
        )


def local_project(home: Home, folder: Path, *, make: bool = True) -> LocalProject:
    """The local project of the repository around a folder, made on first use unless told not to; raises Invalid."""
    facts = GitFacts(folder)
    remote_id = facts.remote_id()
    places = [str(facts.root() or folder.resolve()), *([remote_id] if remote_id else [])]
    if not make and not register_of(home).exists():
        raise _none_yet()
    with register(home) as projects:
        found = _known(projects, places, home)
        if found is None and not make:
            raise _none_yet()
        if found is None or (make and found.forsaken):
            with transaction(projects):
                found = _known(projects, places, home)
                if found is not None and found.forsaken:
                    _forget(projects, found)
                    found = None
                found = found or _make(projects, places[0], home, facts)
        _remember(projects, places, found)
    return found


def register_of(home: Home) -> Path:
    """The file that says which project belongs to which repository, and who is in it."""
    return home.data / "local" / "projects.db"


@contextmanager
def register(home: Home) -> Iterator[sqlite3.Connection]:
    """The open register, made on first use; raises Invalid for whatever the disk refuses meanwhile."""
    file = register_of(home)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(sqlite3.connect(file, timeout=WAIT, isolation_level=None)) as projects:
            projects.executescript(_TABLES)
            yield projects
    except (OSError, sqlite3.Error) as error:
        raise Invalid(f"the local project cannot be kept in {file.parent}: {error}") from None


@contextmanager
def transaction(projects: sqlite3.Connection) -> Iterator[None]:
    """This process alone is here until the block ends; a block that raises leaves nothing in the register."""
    projects.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        projects.execute("ROLLBACK")
        raise
    projects.execute("COMMIT")


def seed_in(path: Path) -> bytes:
    """The key in a file; raises Invalid when the file is gone or spoilt."""
    try:
        return read_seed(path)
    except CredentialRefused as refused:
        raise Invalid(f"{path}: {refused}") from None


def new_seed(path: Path) -> bytes:
    """A new seed in a file of this user's alone, or the one that a first run left which was cut short."""
    try:
        return read_seed(path) if path.exists() else create_seed(path)
    except CredentialRefused as refused:
        raise Invalid(f"{path}: {refused}") from None


def slug_of(text: str, length: int) -> str:
    """Some text as part of a file's name; empty when nothing of it is left."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:length]


def _none_yet() -> Invalid:
    return Invalid("no local project here yet; `corr-tui` or `corr-tui send` makes one")


def _known(projects: sqlite3.Connection, places: list[str], home: Home) -> LocalProject | None:
    """The project of the first of these places that has one."""
    for place in places:
        if found := _find(projects, place, home):
            return found
    return None


def _find(projects: sqlite3.Connection, place: str, home: Home) -> LocalProject | None:
    row = projects.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM projects"
        " WHERE place = ?1 OR name = (SELECT name FROM further_places WHERE place = ?1)",
        (place,),
    ).fetchone()
    return LocalProject(**dict(zip(_COLUMNS, row, strict=True)), folder=register_of(home).parent) if row else None


def _forget(projects: sqlite3.Connection, gone: LocalProject) -> None:
    """Let no place lead to a project that is no more."""
    for table in ("projects", "further_places"):
        projects.execute(f"DELETE FROM {table} WHERE name = ?", (gone.name,))


def _remember(projects: sqlite3.Connection, places: list[str], found: LocalProject) -> None:
    """Let the project be found by each of these places that leads nowhere yet."""
    for place in places:
        known = "SELECT 1 FROM projects WHERE place = ?1 UNION SELECT 1 FROM further_places WHERE place = ?1"
        if projects.execute(known, (place,)).fetchone() is None:
            projects.execute("INSERT OR IGNORE INTO further_places (place, name) VALUES (?, ?)", (place, found.name))


def _make(projects: sqlite3.Connection, place: str, home: Home, facts: GitFacts) -> LocalProject:
    """A new project, identity and key, inside a transaction."""
    local, repository_id = register_of(home).parent, facts.repository_id()
    slug = slug_of(repository_id.removeprefix("repo:"), 60)
    name = f"{slug or 'project'}-{sha256(place.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    person = sensible_name(facts.user_name(), _login())
    seed = new_seed(local / f"{name}.key")
    with closing(_opened(local / f"{name}.db")) as database:
        project_id, identity_id, signing_key_id = _accounts(database, slug or "local", person, public_key_of(seed))
    made = LocalProject(repository_id, name, project_id, identity_id, person, signing_key_id, local, made=True)
    row = (place, *(getattr(made, column) for column in _COLUMNS))
    projects.execute(f"INSERT INTO projects (place, {', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return made


def _accounts(database: Database, project: str, person: str, public_key: bytes) -> tuple[str, str, str]:
    """The ids of a new project, identity and key; raises Invalid."""
    accounts = Accounts(database)
    try:
        project_id = accounts.create_project(project)
        identity_id = accounts.create_identity(project_id, person)
        return project_id, identity_id, accounts.add_key(identity_id, public_key)
    except StorageUnavailable as error:
        raise Invalid(f"the local project cannot be made: its database cannot be written now ({error})") from None


def _opened(path: Path) -> Database:
    try:
        return open_database(f"sqlite:///{path}")
    except DatabaseRefused as refused:
        raise Invalid(f"{path}: {refused}") from None


def _from_home(path: Path) -> str:
    """A path with `~` for the home folder."""
    home = Path(os.path.expanduser("~"))
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


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
