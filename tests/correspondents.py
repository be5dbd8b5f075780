"""A fake world, edited in one line: named participants with fixed keys who say things, and a fixed clock.

    world = World()
    opened = world.say("ana", "claim.open", paths=["src/api"], claim_id=claim(1), expires_in=3600)
    world.say("bo", "ack.seen", target=opened)
    world.page()        # the service's JSON shape, ready for the strict decoder
    world.snapshot()    # what a board would draw

Identifiers are numbers in UUID form; every signature is real, under a seed that is public and fixed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from corr_tui.protocol.bodies import BODIES
from corr_tui.protocol.compose import Draft, compose
from corr_tui.protocol.event import Event, Sender
from corr_tui.protocol.lineage import Lineage, lineage
from corr_tui.protocol.paths import overlapping
from corr_tui.protocol.records import Record, read_events_page, read_voice
from corr_tui.protocol.signing import public_key_of, sign
from corr_tui.state.snapshot import (
    Clock,
    Heard,
    History,
    Identity,
    Link,
    LinkState,
    Me,
    Projection,
    ProjectionState,
    Snapshot,
    Verdict,
    instant,
)

START = datetime(2026, 5, 14, 13, 0, tzinfo=UTC)
NAMES = ("ana", "bo", "kit", "lin", "maya", "zed")


def uuid(kind: int, number: int) -> str:
    """A UUID that says what it is: `00000002-0000-4000-8000-000000000001` is number 1 of kind 2."""
    return f"{kind:08x}-0000-4000-8000-{number:012x}"


PROJECT_ID = uuid(1, 1)
REPOSITORY_ID = "acme/widgets"


def claim(number: int) -> str:
    """The id of a claim."""
    return uuid(6, number)


@dataclass(frozen=True)
class Participant:
    """Somebody with a key."""

    name: str
    number: int

    @property
    def seed(self) -> bytes:
        """A public, fixed seed: test material only."""
        return bytes([self.number]) * 32

    @property
    def public_key(self) -> bytes:
        """The key the seed gives."""
        return public_key_of(self.seed)

    def sender(self, device: int = 1, session: int = 1) -> Sender:
        """This participant on a device in a session."""
        return Sender(
            identity_id=uuid(2, self.number),
            signing_key_id=uuid(3, self.number),
            device_id=uuid(4, self.number * 16 + device),
            session_id=uuid(5, self.number * 256 + session),
        )


@dataclass
class World:
    """What was said so far, and the service's clock."""

    now: datetime = START
    people: dict[str, Participant] = field(
        default_factory=lambda: {name: Participant(name, number) for number, name in enumerate(NAMES, 1)}
    )
    records: list[Record] = field(default_factory=list)
    sequences: dict[str, int] = field(default_factory=dict)

    def event(
        self,
        who: str,
        kind: str,
        *,
        target: Event | Record | None = None,
        targets: tuple[Event | Record, ...] = (),
        thread: str = "task:42",
        repository: str = REPOSITORY_ID,
        paths: tuple[str, ...] | list[str] = (".",),
        parents: tuple[Event | Record | str, ...] = (),
        device: int = 1,
        session: int = 1,
        seq: int | None = None,
        expires_in: float | None = None,
        predecessor: Event | Record | None = None,
        **body: Any,
    ) -> Event:
        """A signed event that nobody has stored yet; `None` in a body leaves the field out."""
        sender = self.people[who].sender(device, session)
        if seq is None:
            seq = self.sequences.get(sender.session_id, 0) + 1
        self.sequences[sender.session_id] = max(seq, self.sequences.get(sender.session_id, 0))
        if target is not None:
            body["target_event_id"] = _event(target).event_id
        if targets:
            body["target_event_ids"] = [_event(each).event_id for each in targets]
        if expires_in is not None:
            body["expires_at"] = instant(self.now + timedelta(seconds=expires_in))
        if predecessor is not None:
            before = _event(predecessor)
            body["predecessor_event_id"] = before.event_id
            body.setdefault("claim_id", before.evidence["body"]["claim_id"])
            body.setdefault("generation", before.evidence["body"]["generation"] + 1)
            paths = before.scope.paths if paths == (".",) else paths
            thread = before.thread_id if thread == "task:42" else thread
        if kind == "claim.open":
            body.setdefault("generation", 1)
        assert kind in BODIES
        draft = Draft(
            kind=kind,
            thread_id=thread,
            body={name: part for name, part in body.items() if part is not None},
            paths=tuple(paths),
            parents=tuple(each if isinstance(each, str) else _event(each).event_id for each in parents),
        )
        core = compose(
            draft,
            project_id=PROJECT_ID,
            repository_id=repository,
            sender=sender,
            session_seq=seq,
            issued_at=instant(self.now),
        )
        return sign(core.evidence, self.people[who].seed)

    def say(self, who: str, kind: str, **words: Any) -> Record:
        """Sign and store an event a second later; returns its record."""
        return self.store(self.event(who, kind, **words))

    def store(self, event: Event) -> Record:
        """Give an event its receipt, one second later."""
        self.now += timedelta(seconds=1)
        receipt = {"received_seq": str(len(self.records) + 1), "received_at": instant(self.now)}
        value = {"event": event.evidence, "receipt": receipt, "missing_parents": [], "lineage_status": "not_applicable"}
        page = {"events": [value], "page": {"after": None, "next_after": None, "has_more": False}}
        self.records.append(read_events_page(page).events[0])
        return self.records[-1]

    def events(self) -> list[Event]:
        """Every event stored."""
        return [_event(record) for record in self.records]

    def lineage(self) -> Lineage:
        """The lineage of everything stored."""
        return lineage(self.events())

    def record_json(self, record: Record) -> dict[str, Any]:
        """One record in the service's shape, with its diagnostics of now."""
        event = _event(record)
        known = {each.event_id for each in self.events()}
        return {
            "event": event.evidence,
            "receipt": {
                "received_seq": record.receipt.received_seq,
                "received_at": record.receipt.received_at,
            },
            "missing_parents": [parent for parent in event.parents if parent not in known],
            "lineage_status": self.lineage().status(event.event_id),
        }

    def page(self, after: str | None = None) -> dict[str, Any]:
        """All events after a cursor, in the service's shape."""
        rest = [record for record in self.records if record.seq > int(after or 0)]
        last = rest[-1].receipt.received_seq if rest else after
        return {
            "protocol": "agent-correspondence/v0.1",
            "scope": "project_private",
            "events": [self.record_json(record) for record in rest],
            "page": {"after": after, "next_after": last, "has_more": False},
        }

    def voice(self, status: str = "complete") -> dict[str, Any]:
        """The finite voice, in the service's shape, by the rules of §6 and §7.1."""
        known = self.lineage()
        live = known.active(instant(self.now))
        recent = list(reversed(self.records))[:50]
        places: dict[tuple[str, str, str, int], list[str]] = {}
        for event in self.events():
            sender = event.sender
            place = (sender.identity_id, sender.device_id, sender.session_id, event.session_seq)
            places.setdefault(place, []).append(event.event_id)
        missing = [self.record_json(record) for record in recent]
        return {
            "protocol": "agent-correspondence/v0.1",
            "scope": "project_private",
            "evaluated_at": instant(self.now),
            "cursor": self.records[-1].receipt.received_seq if self.records else None,
            "projection_status": status,
            "truncated": status != "complete",
            "recent_events": [self.record_json(record) for record in recent],
            "active_claims": [
                {
                    "claim_id": tip.claim_id,
                    "generation": tip.generation,
                    "event_id": tip.event_id,
                    "owner_identity_id": tip.identity_id,
                    "device_id": tip.device_id,
                    "session_id": tip.session_id,
                    "thread_id": tip.thread_id,
                    "scope": {"base_revision": None, "branch": None, "paths": list(tip.scope.paths)},
                    "expires_at": tip.expires_at,
                    "conflicted": bool(known.competing(tip)),
                    "competing_event_ids": list(known.competing(tip)),
                }
                for tip in live
            ],
            "conflicts": {
                "missing_parents": [
                    {"event_id": each["event"]["event_id"], "missing_parent_ids": each["missing_parents"]}
                    for each in missing
                    if each["missing_parents"]
                ],
                "session_forks": [
                    {
                        "identity_id": identity,
                        "device_id": device,
                        "session_id": session,
                        "session_seq": seq,
                        "event_ids": sorted(ids),
                    }
                    for (identity, device, session, seq), ids in places.items()
                    if len(ids) > 1
                ],
                "overlapping_claims": [
                    {
                        "left_event_id": left.event_id,
                        "right_event_id": right.event_id,
                        "paths": overlapping(left.scope.paths, right.scope.paths),
                    }
                    for index, left in enumerate(live)
                    for right in live[index + 1 :]
                    if overlapping(left.scope.paths, right.scope.paths)
                ],
            },
        }

    def snapshot(self, status: str = "complete", me: str = "maya", **changes: Any) -> Snapshot:
        """What a board would draw now: everything heard and verified, the link live, the clock exact."""
        voice = read_voice(json.loads(json.dumps(self.voice(status))))
        page = read_events_page(json.loads(json.dumps(self.page())))
        person = self.people[me].sender()
        empty = Snapshot(
            repository_id=REPOSITORY_ID,
            service="local",
            project_id=PROJECT_ID,
            project_name="acme",
            me=Me(
                identity_id=person.identity_id,
                name=me,
                signing_key_id=person.signing_key_id,
                device_id=person.device_id,
                device_name="laptop",
                session_id=person.session_id,
            ),
            identities=MappingProxyType(
                {uuid(2, each.number): Identity(uuid(2, each.number), each.name) for each in self.people.values()}
            ),
            projection=Projection(ProjectionState(status), voice, 0.0),
            link=Link(LinkState.LIVE, 0.0, 0.0),
            clock=Clock(self.now, 0.0, 0.3),
        )
        heard = tuple(Heard(record, Verdict.VERIFIED, "3f0a…") for record in page.events)
        history = History(voice.cursor, complete=True)
        return replace(empty.heard(heard, history), **changes)


def _event(said: Event | Record) -> Event:
    event = said if isinstance(said, Event) else said.event
    assert isinstance(event, Event)
    return event
