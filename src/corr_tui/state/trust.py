"""Which keys are known here, and what that makes of an event (§3; experience: honesty 8).

A key is pinned under (service, project, signing key id) the first time a signature holds under it, and a key of this
installation when it is first used. What was pinned before this session gives VERIFIED, what this session pins on
first use gives LISTED. A service that later lists other bytes under a pinned id gives KEY_CHANGED, whatever they sign.

An identifier is the service's claim until it is recomputed from the bytes. It is, before anything is concluded from it:
what was proved of one copy of an event says nothing about another copy with the same identifier and other bytes.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from corr_tui.client.answers import ListedKey
from corr_tui.protocol.errors import SignatureRefused
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import MalformedEvent
from corr_tui.protocol.signing import check_event_id, check_signature, core_bytes
from corr_tui.state.local_database import LocalDatabase
from corr_tui.state.snapshot import KeyStanding, KnownKey, Verdict

_SCHEMA = """
CREATE TABLE IF NOT EXISTS pinned_key (
    place TEXT NOT NULL,
    project_id TEXT NOT NULL,
    signing_key_id TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    public_key BLOB NOT NULL,
    pinned_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    PRIMARY KEY (place, project_id, signing_key_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS own_key (
    place TEXT NOT NULL,
    project_id TEXT NOT NULL,
    signing_key_id TEXT NOT NULL,
    PRIMARY KEY (place, project_id, signing_key_id)
) WITHOUT ROWID;
"""


UNPINNED = "keys cannot be pinned"
REMEMBERED = 8_192
"""Events whose proofs are remembered, more than a snapshot holds at first; those of others are kept on disk, or proved
again where there is none."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event has to belong: one repository of one project at one service."""

    service: str
    project_id: str
    repository_id: str


_Key = TypeVar("_Key")
_Known = TypeVar("_Known")


class Judgement(NamedTuple):
    """A verdict and what it rests on, in a few words."""

    verdict: Verdict
    detail: str


class PinnedKey(NamedTuple):
    """A key that is known here, under the identity it signs for."""

    identity_id: str
    signing_key_id: str
    public_key: bytes


class _Pin(NamedTuple):
    identity_id: str
    public_key: bytes
    before: bool
    """Whether it was pinned before this session."""


class Trust:
    """The pinned keys of one project at one service, and the verdicts they give. Each signature is proved once while
    it is remembered."""

    def __init__(self, path: Path, place: Place, *, keep: bool = True) -> None:
        """Without `keep` nothing is written: the pins found are read, and a key seen first is believed here only."""
        self._database = LocalDatabase(path, _SCHEMA)
        self.place = place
        self._keep = keep
        self._listed: dict[tuple[str, str], ListedKey] = {}
        self._lists: set[str] = set()
        """Identities whose list of keys the service gave."""
        self._genuine: OrderedDict[str, Event] = OrderedDict()
        self._proofs: OrderedDict[tuple[str, bytes], str] = OrderedDict()
        self._pins: dict[str, _Pin] = {}
        self._known: Mapping[str, tuple[KnownKey, ...]] | None = None
        """What `keys` told last, until it is otherwise."""
        self.trouble = ""
        """Why pins cannot be read or kept, and what stands in for them, or empty. Verdicts are given all the same."""
        damaged = 0
        try:
            for key_id, identity_id, public_key in self._stored() if keep or path.exists() else ():
                if _is_pin(key_id, identity_id, public_key):
                    self._pins[key_id] = _Pin(identity_id, public_key, before=True)
                else:
                    damaged += 1
        except (sqlite3.Error, OSError) as error:
            self.trouble = f"pinned keys cannot be read: {error}"
        if damaged:
            self.trouble = f"{damaged} pinned {'key is' if damaged == 1 else 'keys are'} damaged"
        self.lacking = bool(self.trouble) or not self._pins
        """Whether keys that were pinned before may be missing here."""

    def pin_mine(self, identity_id: str, signing_key_id: str, public_key: bytes) -> None:
        """Pin a key this installation signs with; it counts as pinned before, also where a session runs already."""
        self._pin(signing_key_id, _Pin(identity_id, public_key, before=True), own=True)

    def recover(self, proved: Iterable[tuple[Event, bytes]]) -> None:
        """Pin keys again that are missing here, by events that were kept, each with the key its signature was proved
        under when it came; the signature is proved once more. Such a key was known here before this session, so that a
        service that lists another one is found out."""
        trouble, recovered = self.trouble, 0
        for event, key in proved:
            key_id = event.sender.signing_key_id
            if key_id not in self._pins and not self._forged(event) and not self._failure(event, key):
                self._pin(key_id, _Pin(event.sender.identity_id, key, before=True))
                recovered += 1
        if recovered or trouble:
            lost = trouble or "the pinned keys are not there any more"
            keys = "1 key" if recovered == 1 else f"{recovered} keys"
            stands = f"{keys} under which the history kept here was proved stand" + ("s" if recovered == 1 else "")
            unsure = "a key that has no event in it is believed on first use again"
            self.trouble = f"{lost}; {stands} in for them, and {unsure}"

    def pinned(self) -> tuple[PinnedKey, ...]:
        """The keys that were known before this session, for whoever has to come to the same verdicts elsewhere."""
        return tuple(
            PinnedKey(pin.identity_id, key_id, pin.public_key) for key_id, pin in self._pins.items() if pin.before
        )

    def keys(self) -> Mapping[str, tuple[KnownKey, ...]]:
        """By identity, the keys that are pinned here or listed by the service, by their ids; the same until changed."""
        if self._known is None:
            found: defaultdict[str, list[KnownKey]] = defaultdict(list)
            places = self._listed.keys() | {(pin.identity_id, key_id) for key_id, pin in self._pins.items()}
            for identity_id, key_id in sorted(places):
                found[identity_id].append(self._key(identity_id, key_id))
            self._known = MappingProxyType({identity_id: tuple(keys) for identity_id, keys in found.items()})
        return self._known

    def _key(self, identity_id: str, key_id: str) -> KnownKey:
        pin, listed = self._pins.get(key_id), self._listed.get((identity_id, key_id))
        pin = pin if pin is not None and pin.identity_id == identity_id else None
        raw = listed.raw if listed is not None else None
        own = pin.public_key if pin is not None else raw
        shown = sha256(own).hexdigest() if own is not None else ""
        if pin is not None and listed is not None and raw != pin.public_key:
            return KnownKey(key_id, KeyStanding.CHANGED, shown, other=sha256(raw).hexdigest() if raw else "")
        if own is None:
            return KnownKey(key_id, KeyStanding.UNUSABLE, shown)
        if listed is not None and listed.revoked:
            return KnownKey(key_id, KeyStanding.REVOKED, shown)
        if pin is None:
            return KnownKey(key_id, KeyStanding.LISTED, shown)
        standing = KeyStanding.PINNED if pin.before else KeyStanding.FIRST_USE
        return KnownKey(key_id, standing, shown, listed=listed is not None, asked=identity_id in self._lists)

    def list_keys(self, identity_id: str, keys: Iterable[ListedKey]) -> None:
        """Take the service's list of one identity's keys, in place of the list before."""
        self._lists.add(identity_id)
        self._known = None
        for listed in [place for place in self._listed if place[0] == identity_id]:
            del self._listed[listed]
        self._listed.update({(identity_id, key.kid): key for key in keys})

    def knows(self, event: Event) -> bool:
        """Whether the service has listed the key this event names for its sender."""
        return (event.sender.identity_id, event.sender.signing_key_id) in self._listed

    def genuine(self, event: Event | MalformedEvent) -> bool:
        """Whether the bytes are those of the identifier they come under (§3); no two copies with other bytes are."""
        return isinstance(event, Event) and not self._forged(event)

    def listing(self, identity_id: str) -> bytes | None:
        """A digest of the keys listed for an identity, which is another when anything in it is; None for no list."""
        if identity_id not in self._lists:
            return None
        keys = sorted(
            (key.kid, key.raw or b"", key.revoked) for (of, _), key in self._listed.items() if of == identity_id
        )
        return sha256(repr(keys).encode()).digest()

    def vouch(self, event: Event, proved_under: bytes | None) -> None:
        """Take from who kept it that an event has its identifier, and under which key its signature held, if any."""
        _remember(self._genuine, event.event_id, event)
        if proved_under is not None:
            _remember(self._proofs, (event.event_id, proved_under), "")

    def proved_under(self, event: Event | MalformedEvent) -> bytes | None:
        """The pinned key under which a signature was found to hold, while that is remembered."""
        pin = self._pins.get(event.sender.signing_key_id) if isinstance(event, Event) else None
        return pin.public_key if pin and self._proofs.get((event.event_id, pin.public_key)) == "" else None

    def still(self, event: Event | MalformedEvent, before: Judgement, proved_under: bytes | None) -> Judgement:
        """A verdict of an earlier session as it reads in this one. It stands while its key is pinned as it was; what
        was listed then is known before now."""
        if not before.verdict.holds or not isinstance(event, Event):
            return before
        pin = self._pins.get(event.sender.signing_key_id)
        if pin is None or (pin.identity_id, pin.public_key) != (event.sender.identity_id, proved_under):
            return self.judge(event)
        if before.verdict is Verdict.KEY_REVOKED:
            return before
        return Judgement(Verdict.VERIFIED if pin.before else Verdict.LISTED, before.detail)

    def judge(self, event: Event | MalformedEvent) -> Judgement:
        """The verdict on one event by the keys known now."""
        if isinstance(event, MalformedEvent):
            first = event.issues[0] if event.issues else None
            return Judgement(Verdict.MALFORMED, first.message if first else "not an event of this profile")
        forged = self._forged(event)
        if forged:
            return Judgement(Verdict.MISMATCH, forged)
        if (event.project_id, event.repository_id) != (self.place.project_id, self.place.repository_id):
            return Judgement(Verdict.MISMATCH, "signed for another project or repository")
        key_id, identity_id = event.sender.signing_key_id, event.sender.identity_id
        pin, listed = self._pins.get(key_id), self._listed.get((identity_id, key_id))
        if pin is not None and pin.identity_id != identity_id:
            return Judgement(Verdict.MISMATCH, "this key is pinned for another identity")
        if pin is not None and listed is not None and listed.raw != pin.public_key:
            return self._changed(event, pin, listed)
        key = pin.public_key if pin is not None else listed.raw if listed is not None else None
        if key is None:
            reason = "the service lists no such key for this identity" if listed is None else "what is listed is no key"
            return Judgement(Verdict.NO_KEY, reason)
        return self._proved(event, key, listed)

    def _proved(self, event: Event, key: bytes, listed: ListedKey | None) -> Judgement:
        """The verdict under the one key there is."""
        failure = self._failure(event, key)
        if failure:
            return Judgement(Verdict.MISMATCH, failure)
        key_id = event.sender.signing_key_id
        if key_id not in self._pins:
            self._pin(key_id, _Pin(event.sender.identity_id, key, before=False))
        pin = self._pins[key_id]
        if pin.public_key != key:
            return Judgement(Verdict.KEY_CHANGED, f"pinned {fingerprint(pin.public_key)}, listed {fingerprint(key)}")
        if listed is not None and listed.revoked:
            return Judgement(Verdict.KEY_REVOKED, f"key {fingerprint(key)}, revoked since")
        return Judgement(Verdict.VERIFIED if pin.before else Verdict.LISTED, f"key {fingerprint(key)}")

    def _changed(self, event: Event, pin: _Pin, listed: ListedKey) -> Judgement:
        holds = "holds" if not self._failure(event, pin.public_key) else "does not hold"
        other = fingerprint(listed.raw) if listed.raw is not None else "no key"
        detail = f"pinned {fingerprint(pin.public_key)}, now listed {other}; the signature {holds} under the pinned key"
        return Judgement(Verdict.KEY_CHANGED, detail)

    def _forged(self, event: Event) -> str:
        """Why the bytes are not those of their identifier, or empty. Only of the very same object is that remembered:
        another copy may hold other bytes."""
        if self._genuine.get(event.event_id) is event:
            return ""
        try:
            check_event_id(event)
        except SignatureRefused as refused:
            return refused.message
        _remember(self._genuine, event.event_id, event)
        return ""

    def _failure(self, event: Event, key: bytes) -> str:
        """Why the signature of a genuine event does not hold under a key, or empty; proved once for each pair."""
        known = self._proofs.get((event.event_id, key))
        if known is not None:
            return known
        try:
            check_signature(event, core_bytes(event.evidence), key)
            failure = ""
        except SignatureRefused as refused:
            failure = refused.message
        _remember(self._proofs, (event.event_id, key), failure)
        return failure

    def _pin(self, key_id: str, pin: _Pin, *, own: bool = False) -> None:
        """Keep a pin, unless there is one: the first stays, whichever process made it."""
        self._known = None
        if not self._keep:
            self._pins[key_id] = pin
            return
        stored = None
        try:
            with self._database.writing() as connection:
                row = (self.place.service, self.place.project_id, key_id, pin.identity_id, pin.public_key)
                connection.execute(
                    "INSERT INTO pinned_key (place, project_id, signing_key_id, identity_id, public_key)"
                    " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    row,
                )
                if own:
                    connection.execute("INSERT INTO own_key VALUES (?, ?, ?) ON CONFLICT DO NOTHING", row[:3])
                stored = connection.execute(
                    "SELECT identity_id, public_key, own_key.place IS NOT NULL"
                    " FROM pinned_key LEFT JOIN own_key USING (place, project_id, signing_key_id)"
                    " WHERE place = ? AND project_id = ? AND signing_key_id = ?",
                    row[:3],
                ).fetchone()
                if stored is not None and not _is_pin(
                    key_id, stored[0], stored[1]
                ):  # damaged: nothing was pinned by it
                    connection.execute(
                        "UPDATE pinned_key SET identity_id = ?, public_key = ?"
                        " WHERE place = ? AND project_id = ? AND signing_key_id = ?",
                        (pin.identity_id, pin.public_key, *row[:3]),
                    )
                    stored = None
        except (sqlite3.Error, OSError) as error:
            if UNPINNED not in self.trouble:
                self.trouble = "; ".join(filter(None, (self.trouble, f"{UNPINNED}: {error}")))
        self._pins[key_id] = _Pin(stored[0], stored[1], pin.before or bool(stored[2])) if stored else pin

    def _stored(self) -> list[tuple[str, str, bytes]]:
        with self._database.reading() as connection:
            return connection.execute(
                "SELECT signing_key_id, identity_id, public_key FROM pinned_key WHERE place = ? AND project_id = ?",
                (self.place.service, self.place.project_id),
            ).fetchall()


def _is_pin(key_id: object, identity_id: object, public_key: object) -> bool:
    """Whether a row of the file was written here; a damaged one may hold anything."""
    texts = isinstance(key_id, str) and isinstance(identity_id, str) and "\ufffd" not in key_id + identity_id
    return texts and isinstance(public_key, bytes) and len(public_key) == 32


def _remember(known: OrderedDict[_Key, _Known], key: _Key, value: _Known) -> None:
    """Keep one more, and no more than REMEMBERED: the one kept first goes."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > REMEMBERED:
        known.popitem(last=False)


def fingerprint(public_key: bytes) -> str:
    """The first eight hexadecimal digits of a key's SHA-256, for people to compare."""
    return f"{sha256(public_key).hexdigest()[:8]}…"
