"""Whom this session speaks as, and how a draft becomes bytes under its key (§2.1, §3)."""

from __future__ import annotations

from corr_tui.protocol.compose import Draft, compose
from corr_tui.protocol.errors import EventRefused, Issue
from corr_tui.protocol.event import Core, Event, Sender
from corr_tui.protocol.signing import core_bytes, public_key_of, sign, signing_digest
from corr_tui.state.border import Prepared
from corr_tui.state.connection import Connection
from corr_tui.state.identity import Installation
from corr_tui.state.snapshot import Me
from corr_tui.state.trust import Trust

MAX_EVENT = 65_536
"""Bytes of one posted event (§7)."""
SIGNED = len(f'"event_id":"sha256:{"0" * 64}","signature":{{"algorithm":"Ed25519","value_b64url":"{"0" * 86}"}},')
"""Bytes that identifier and signature add to a core."""


class Signer:
    """The identity, key, device and session of a connection here; a connection without a key only reads.

    `hindrance` says why this installation signs nothing although there may be a key, or is empty.
    """

    def __init__(self, connection: Connection, here: Installation, hindrance: str = "") -> None:
        self._hindrance = hindrance
        self._connection = connection
        self._here = here

    @property
    def session_id(self) -> str:
        """The session events are signed in; empty where nothing can be signed."""
        return self._here.session_id if self._connection.can_sign and not self._hindrance else ""

    def me(self, name: str) -> Me | None:
        """Whom this session speaks as, or None for a reader without an identity."""
        connection, here = self._connection, self._here
        if connection.identity_id is None:
            return None
        return Me(
            identity_id=connection.identity_id,
            name=name,
            signing_key_id=connection.signing_key_id or "",
            device_id=here.device_id,
            device_name=here.device_name,
            session_id=here.session_id,
            can_sign=connection.can_sign and not self._hindrance,
            hindrance=self._hindrance,
        )

    def sender(self) -> Sender:
        """The sender of this session's events; raises EventRefused when nothing can be signed here."""
        connection, here = self._connection, self._here
        if self._hindrance:
            raise hindrance("installation_unusable", f"nothing can be signed here: {self._hindrance}")
        if connection.identity_id is None or connection.signing_key_id is None or connection.seed is None:
            raise _no_key()
        return Sender(connection.identity_id, connection.signing_key_id, here.device_id, here.session_id)

    def pin(self, trust: Trust) -> None:
        """Let `trust` know the key of this installation."""
        connection = self._connection
        if connection.identity_id and connection.signing_key_id and connection.seed is not None:
            trust.pin_mine(connection.identity_id, connection.signing_key_id, public_key_of(connection.seed))

    def prepare(self, draft: Draft, project_id: str, session_seq: int, issued_at: str) -> Prepared:
        """The exact bytes of a draft; raises EventRefused with every rule it breaks (§4, §5)."""
        core = compose(
            draft,
            project_id=project_id,
            repository_id=self._connection.repository_id,
            sender=self.sender(),
            session_seq=session_seq,
            issued_at=issued_at,
        )
        core_jcs = core_bytes(core.evidence)
        if len(core_jcs) + SIGNED > MAX_EVENT:
            raise hindrance("event_too_large", f"a signed event has at most {MAX_EVENT} bytes")
        return Prepared(draft, core, core_jcs, signing_digest(core_jcs))

    def sign(self, core: Core) -> Event:
        """The signed event of a prepared core; raises EventRefused."""
        if self._connection.seed is None:
            raise _no_key()
        return sign(core.evidence, self._connection.seed)


def _no_key() -> EventRefused:
    return hindrance("no_signing_key", "nothing can be signed here: identity, key id or key is not configured")


def hindrance(code: str, message: str) -> EventRefused:
    """Something other than the draft stands in the way of preparing it."""
    return EventRefused((Issue((), code, message),))
