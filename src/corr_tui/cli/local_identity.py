"""Who signs in a local project: the identity made with it, or another one that --as names.

Several agents in one repository thus each have a voice of their own. The first use of a name makes an identity and a
key file for it, inside one transaction of the register, so that of several first uses one makes it and the others
find it. A key made here is pinned here at once: nobody has to take the service's word for it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from corr_tui.cli.failures import Invalid
from corr_tui.cli.local import LocalProject, new_seed, register, seed_in, slug_of, transaction
from corr_tui.protocol.signing import public_key_of
from corr_tui.server.accounts import AccountRefused, Accounts
from corr_tui.server.database import StorageUnavailable
from corr_tui.state.home import Home
from corr_tui.state.snapshot import LOCAL_SERVICE
from corr_tui.state.trust import Place, Trust
from corr_tui.ui.text import clean


@dataclass(frozen=True, slots=True)
class LocalIdentity:
    """One identity of a local project, and where its key is."""

    identity_id: str
    name: str
    signing_key_id: str
    key_file: Path
    made: bool = False
    """Whether this run made it."""

    def seed(self) -> bytes:
        """The signing key; raises Invalid when its file is gone or spoilt."""
        return seed_in(self.key_file)

    @property
    def introduction(self) -> str:
        """What a first use of the name made, in one line."""
        return f"Made the identity {clean(self.name)} in this local project, with a signing key of its own."


def local_identity(home: Home, project: LocalProject, name: str | None, *, make: bool = True) -> LocalIdentity | None:
    """The identity of that name, made on first use, or the one made with the project when none is named.

    None when it is not there and `make` is False. Raises Invalid.
    """
    if name is None or name == project.identity_name:
        return LocalIdentity(project.identity_id, project.identity_name, project.signing_key_id, project.key_file)
    with register(home) as projects:
        found = _find(projects, project, name)
        if found is None and make:
            with transaction(projects):
                found = _find(projects, project, name) or _make(projects, home, project, name)
    return found


def _find(projects: sqlite3.Connection, project: LocalProject, name: str) -> LocalIdentity | None:
    row = projects.execute(
        "SELECT identity_id, signing_key_id FROM identities WHERE project_id = ? AND identity_name = ?",
        (project.project_id, name),
    ).fetchone()
    return LocalIdentity(row[0], name, row[1], _key_file(project, name)) if row else None


def _key_file(project: LocalProject, name: str) -> Path:
    """The digest keeps names apart that look alike to a file system."""
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return project.folder / "-".join(part for part in (project.name, "as", slug_of(name, 30), f"{digest}.key") if part)


def _make(projects: sqlite3.Connection, home: Home, project: LocalProject, name: str) -> LocalIdentity:
    """A new identity with its key, listed, pinned and noted, inside a transaction."""
    key_file = _key_file(project, name)
    public_key = public_key_of(new_seed(key_file))
    with closing(project.open()) as database:
        try:
            identity_id, signing_key_id = _listed(Accounts(database), project, name, public_key)
        except AccountRefused as refused:
            raise Invalid(f"--as {clean(name)}: {refused}") from None
        except StorageUnavailable as error:
            raise Invalid(f"--as {clean(name)}: {project.database_file} cannot be written now ({error})") from None
    trust = Trust(home.trust_file, Place(LOCAL_SERVICE, project.project_id, project.repository_id))
    trust.pin_mine(identity_id, signing_key_id, public_key)
    if trust.trouble:
        raise Invalid(f"--as {clean(name)}: {trust.trouble}")
    row = (project.project_id, name, identity_id, signing_key_id)
    projects.execute("INSERT INTO identities VALUES (?, ?, ?, ?)", row)
    return LocalIdentity(identity_id, name, signing_key_id, key_file, made=True)


def _listed(accounts: Accounts, project: LocalProject, name: str, public_key: bytes) -> tuple[str, str]:
    """The ids under which the service lists the name and its key.

    What a first use left that was cut short is taken up again. A name that somebody else's key stands for is refused:
    two participants of one name could not be told apart.
    """
    for known in accounts.identities(project.project_id):
        if known.name != name or not known.active:
            continue
        keys = [key for key in accounts.keys(project.project_id, known.identity_id) if key.active]
        mine = [key.signing_key_id for key in keys if key.public_key == public_key]
        if keys and not mine:
            raise Invalid(f"--as {clean(name)}: this project has such an identity, and its key is not kept here")
        return known.identity_id, mine[0] if mine else accounts.add_key(known.identity_id, public_key)
    identity_id = accounts.create_identity(project.project_id, name)
    return identity_id, accounts.add_key(identity_id, public_key)
