"""Projects, their bearers, identities and signing keys (§2.1).

The rule: a bearer is 256 random bits, told once and kept as a digest; it stands for a whole project and selects no
identity. Identities and keys are never deleted: revoked ones stay listed, since old signatures still name them.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import uuid4

from sqlalchemy import Connection, Row, Table, bindparam, select, update

from corr_tui.server.database import Database
from corr_tui.server.tables import identities, projects, signing_keys, streams, tokens

BEARER_PREFIX = "at_"

TOKEN_ID_DIGITS = 16

_TOKEN_ID = re.compile(f"[0-9a-f]{{{TOKEN_ID_DIGITS}}}")
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,200}")


class AccountRefused(Exception):
    """An account that is unknown or cannot be made; carries one reason and a sentence.

    Reasons: project_unknown, identity_unknown, identity_revoked, signing_key_unknown, token_unknown,
    public_key_invalid, name_invalid, expiry_invalid.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class Project:
    """A project: what a bearer stands for."""

    project_id: str
    name: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Identity:
    """A named identity of a project."""

    identity_id: str
    name: str
    created_at: str
    revoked_at: str | None

    @property
    def active(self) -> bool:
        """Whether this identity may still sign new events."""
        return self.revoked_at is None


@dataclass(frozen=True, slots=True)
class Key:
    """A 32-byte Ed25519 public key of an identity."""

    signing_key_id: str
    public_key: bytes
    label: str
    created_at: str
    revoked_at: str | None

    @property
    def active(self) -> bool:
        """Whether this key may still sign new events."""
        return self.revoked_at is None


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a bearer besides whoever holds it."""

    token_id: str
    """The start of its digest: names it without giving it away."""
    created_at: str
    expires_at: str | None
    revoked_at: str | None


def digest(bearer: str) -> str:
    """What is kept of a bearer. It has 256 random bits, so one plain hash is enough."""
    return sha256(bearer.encode("utf-8", "surrogatepass")).hexdigest()


def token_id_of(bearer: str) -> str:
    """What a bearer is listed as."""
    return digest(bearer)[:TOKEN_ID_DIGITS]


def new_bearer() -> str:
    """A bearer that nobody has seen: `at_` and 256 random bits."""
    return BEARER_PREFIX + secrets.token_urlsafe(32)


_TOKENS = select(tokens.c.token_digest, tokens.c.project_id).where(
    tokens.c.token_digest.in_(bindparam("token_digests", expanding=True)),
    tokens.c.revoked_at.is_(None),
    tokens.c.expires_at.is_(None) | (tokens.c.expires_at > bindparam("now")),
)
"""Those of some bearers that stand for a project now."""
_ACTIVE = select(identities.c.identity_id).where(
    identities.c.project_id == bindparam("project_id"),
    identities.c.identity_id.in_(bindparam("identity_ids", expanding=True)),
    identities.c.revoked_at.is_(None),
)
_UNKNOWN = {projects: "project_unknown", identities: "identity_unknown", signing_keys: "signing_key_unknown"}


class Accounts:
    """The accounts in one database. Every method is one transaction and may raise StorageUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create_project(self, name: str) -> str:
        """A new project with an empty stream; returns its project_id."""
        _check_name(name)
        project_id = str(uuid4())
        with self._database.writing() as connection:
            now = self._database.now(connection)
            connection.execute(projects.insert().values(project_id=project_id, name=name, created_at=now))
            connection.execute(streams.insert().values(project_id=project_id, received_seq=0, incomplete=False))
        return project_id

    def create_token(self, project_id: str, expires_in: timedelta | None = None) -> str:
        """A new bearer of a project, told this once; raises AccountRefused(project_unknown, expiry_invalid)."""
        bearer = new_bearer()
        with self._database.writing() as connection:
            _known(connection, projects, projects.c.project_id.key, project_id)
            now = self._database.now(connection)
            connection.execute(
                tokens.insert().values(
                    token_digest=digest(bearer),
                    project_id=project_id,
                    created_at=now,
                    expires_at=_later(now, expires_in) if expires_in is not None else None,
                )
            )
        return bearer

    def create_identity(self, project_id: str, name: str) -> str:
        """A new active identity; returns its identity_id; raises AccountRefused."""
        _check_name(name)
        identity_id = str(uuid4())
        with self._database.writing() as connection:
            _known(connection, projects, projects.c.project_id.key, project_id)
            now = self._database.now(connection)
            values = {"project_id": project_id, "identity_id": identity_id, "name": name, "created_at": now}
            connection.execute(identities.insert().values(values))
        return identity_id

    def add_key(self, identity_id: str, public_key: bytes, label: str = "") -> str:
        """A new active key of an active identity; returns its signing_key_id; raises AccountRefused."""
        if len(public_key) != 32:
            raise AccountRefused("public_key_invalid", "an Ed25519 public key has exactly 32 bytes")
        if label:
            _check_name(label)
        signing_key_id = str(uuid4())
        with self._database.writing() as connection:
            identity = _known(connection, identities, identities.c.identity_id.key, identity_id)
            if identity.revoked_at is not None:
                raise AccountRefused("identity_revoked", "a revoked identity gets no new keys")
            connection.execute(
                signing_keys.insert().values(
                    project_id=identity.project_id,
                    signing_key_id=signing_key_id,
                    identity_id=identity_id,
                    public_key=public_key,
                    label=label,
                    created_at=self._database.now(connection),
                )
            )
        return signing_key_id

    def revoke_key(self, signing_key_id: str) -> None:
        """Admit no new event under a key; revoking twice keeps the first instant; raises AccountRefused."""
        self._revoke(signing_keys, signing_keys.c.signing_key_id.key, signing_key_id)

    def revoke_identity(self, identity_id: str) -> None:
        """Admit no new event of an identity; revoking twice keeps the first instant; raises AccountRefused."""
        self._revoke(identities, identities.c.identity_id.key, identity_id)

    def revoke_token(self, bearer_or_id: str) -> str:
        """Admit no request under a bearer any more; returns its token_id; raises AccountRefused(token_unknown)."""
        if not _TOKEN_ID.fullmatch(bearer_or_id):
            self._revoke(tokens, tokens.c.token_digest.key, digest(bearer_or_id))
            return token_id_of(bearer_or_id)
        listed = select(tokens.c.token_digest).where(tokens.c.token_digest.startswith(bearer_or_id))
        with self._database.reading() as connection:
            digests = connection.execute(listed).scalars().all()
        for each in digests or [""]:
            self._revoke(tokens, tokens.c.token_digest.key, each)
        return bearer_or_id

    def tokens(self, project_id: str) -> tuple[Token, ...]:
        """Every bearer of a project, ended ones too, oldest first; raises AccountRefused(project_unknown)."""
        self.project(project_id)
        found = (
            select(tokens).where(tokens.c.project_id == project_id).order_by(tokens.c.created_at, tokens.c.token_digest)
        )
        with self._database.reading() as connection:
            return tuple(
                Token(row.token_digest[:TOKEN_ID_DIGITS], row.created_at, row.expires_at, row.revoked_at)
                for row in connection.execute(found)
            )

    def projects(self) -> tuple[Project, ...]:
        """Every project, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(select(projects).order_by(projects.c.created_at, projects.c.project_id))
            return tuple(Project(row.project_id, row.name, row.created_at) for row in rows)

    def project(self, project_id: str) -> Project:
        """One project; raises AccountRefused(project_unknown)."""
        with self._database.reading() as connection:
            row = _known(connection, projects, projects.c.project_id.key, project_id)
            return Project(row.project_id, row.name, row.created_at)

    def project_of_identity(self, identity_id: str) -> str:
        """The project an identity belongs to; raises AccountRefused(identity_unknown)."""
        with self._database.reading() as connection:
            return str(_known(connection, identities, identities.c.identity_id.key, identity_id).project_id)

    def identities(self, project_id: str) -> tuple[Identity, ...]:
        """Every identity of a project, revoked ones too, oldest first."""
        found = (
            select(identities)
            .where(identities.c.project_id == project_id)
            .order_by(identities.c.created_at, identities.c.identity_id)
        )
        with self._database.reading() as connection:
            rows = connection.execute(found)
            return tuple(Identity(row.identity_id, row.name, row.created_at, row.revoked_at) for row in rows)

    def identity(self, project_id: str, identity_id: str) -> Identity:
        """One identity of a project; raises AccountRefused(identity_unknown), as for one of another project."""
        found = select(identities).where(identities.c.project_id == project_id, identities.c.identity_id == identity_id)
        with self._database.reading() as connection:
            row = connection.execute(found).one_or_none()
        if row is None:
            raise AccountRefused("identity_unknown", "no such identity in this project")
        return Identity(row.identity_id, row.name, row.created_at, row.revoked_at)

    def keys(self, project_id: str, identity_id: str) -> tuple[Key, ...]:
        """Every key of an identity, revoked ones too, oldest first; raises AccountRefused(identity_unknown)."""
        self.identity(project_id, identity_id)
        found = (
            select(signing_keys)
            .where(signing_keys.c.project_id == project_id, signing_keys.c.identity_id == identity_id)
            .order_by(signing_keys.c.created_at, signing_keys.c.signing_key_id)
        )
        with self._database.reading() as connection:
            return tuple(
                Key(row.signing_key_id, bytes(row.public_key), row.label, row.created_at, row.revoked_at)
                for row in connection.execute(found)
            )

    def project_of(self, bearer: str) -> str | None:
        """The project a bearer stands for now, or None when it is unknown, expired or revoked."""
        presented = digest(bearer)
        with self._database.reading() as connection:
            now = self._database.now(connection)
            row = connection.execute(_TOKENS, {"token_digests": [presented], "now": now}).one_or_none()
            if row is None or not hmac.compare_digest(row.token_digest, presented):
                return None
            return str(row.project_id)

    def active_identities(self, places: Collection[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Those of the (project_id, identity_id) given that are active now."""
        found: set[tuple[str, str]] = set()
        with self._database.reading() as connection:
            for project_id in {project_id for project_id, _ in places}:
                identity_ids = [identity_id for of_project_id, identity_id in places if of_project_id == project_id]
                values = {"project_id": project_id, "identity_ids": identity_ids}
                found.update((project_id, each) for each in connection.execute(_ACTIVE, values).scalars())
        return frozenset(found)

    def valid_tokens(self, digests: Collection[str]) -> frozenset[str]:
        """Those of the digests given whose bearers stand for a project now."""
        with self._database.reading() as connection:
            now = self._database.now(connection)
            rows = connection.execute(_TOKENS, {"token_digests": list(digests), "now": now}).all()
            return frozenset(row.token_digest for row in rows)

    def _revoke(self, table: Table, name: str, value: str) -> None:
        with self._database.writing() as connection:
            row = _known(connection, table, name, value)
            if row.revoked_at is None:
                now = self._database.now(connection)
                connection.execute(update(table).where(table.c[name] == value).values(revoked_at=now))


class Bearers:
    """Bearers that live as long as their process and are written nowhere, beside those of the accounts."""

    def __init__(self, accounts: Accounts, in_memory: Mapping[str, str]) -> None:
        self._accounts = accounts
        self._in_memory = {digest(bearer): project_id for bearer, project_id in in_memory.items()}

    def remembered(self, bearer: str) -> str | None:
        """The project of a bearer of this process, or None; asks no database, compares digests in constant time."""
        presented = digest(bearer)
        found = None
        for known, project_id in self._in_memory.items():
            if hmac.compare_digest(known, presented):
                found = project_id
        return found

    def stored(self, bearer: str) -> str | None:
        """The project a bearer of the accounts stands for now, or None; raises StorageUnavailable."""
        return self._accounts.project_of(bearer)


def _known(connection: Connection, table: Table, name: str, value: str) -> Row[tuple[object, ...]]:
    row = connection.execute(select(table).where(table.c[name] == value)).one_or_none()
    if row is None:
        reason = _UNKNOWN.get(table, "token_unknown")
        raise AccountRefused(reason, f"no such {reason.removesuffix('_unknown').replace('_', ' ')}")
    return row


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise AccountRefused("name_invalid", "a name has 1 to 200 characters and no control characters")


def _later(now: str, by: timedelta) -> str:
    """The instant that lies so much after another; raises AccountRefused(expiry_invalid)."""
    try:
        moment = datetime.fromisoformat(now) + by
    except OverflowError:
        moment = None
    if moment is None or by <= timedelta():
        raise AccountRefused("expiry_invalid", "a bearer expires in the future, and before the year 10000")
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
