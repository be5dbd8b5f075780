"""A session that is only said to be one: it holds a Snapshot, remembers what was sent, and answers as told.

session = FakeSession(world)
session.answers.append(Outcome.REFUSED)      # the next send; without answers every send is posted
session.gate.clear()                         # sends wait until session.gate.set()
session.show(world.snapshot())               # whoever reads snapshots() gets it
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from corr_tui.protocol.compose import Draft, compose
from corr_tui.protocol.signing import core_bytes, sign, signing_digest
from corr_tui.state.border import DiscardRefused, Outcome, Prepared, SearchRefused, Sent
from corr_tui.state.diagnostics import Diagnostics
from corr_tui.state.snapshot import Heard, Snapshot, UnsentState, instant
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World


@dataclass
class FakeSession:
    """Implements Correspondence over a World, for one of its people."""

    world: World
    me: str = "maya"
    answers: list[Outcome] = field(default_factory=list)
    reason: str = "result_revision is not known here"
    prepared: list[Prepared] = field(default_factory=list)
    sent: list[Prepared] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    undiscardable: str = ""
    """Why nothing can be discarded, or empty."""
    refreshed: int = 0
    earlier: list[Heard] = field(default_factory=list)
    """Events that are kept and lie before the snapshot's, oldest first: for `recall`, `widen` and `search`."""
    hidden: frozenset[str] = frozenset()
    """What was hidden from triage."""
    told: Diagnostics = field(default_factory=Diagnostics)
    """What it tells of itself."""
    unkept: str = ""
    """Why what is hidden is not kept, or empty."""
    state: UnsentState | None = None
    """Where an event stands whose outcome is not known."""
    stopped: int = 0
    closed: bool = False
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.gate.set()
        self.sequence = 1
        self._snapshot = self.world.snapshot(me=self.me)
        self._changed = asyncio.Event()

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        return self._snapshot

    def show(self, snapshot: Snapshot) -> None:
        """Replace the snapshot and tell whoever listens."""
        self._snapshot = snapshot
        self._changed.set()

    async def snapshots(self) -> AsyncIterator[Snapshot]:
        """The newest snapshot now, and again after each change."""
        while True:
            self._changed.clear()
            yield self._snapshot
            await self._changed.wait()

    async def prepare(self, draft: Draft) -> Prepared:
        """Composed by the profile's rules, with the next sequence number."""
        core = compose(
            draft,
            project_id=PROJECT_ID,
            repository_id=REPOSITORY_ID,
            sender=self.world.people[self.me].sender(),
            session_seq=self.sequence,
            issued_at=instant(self.world.now),
        )
        raw = core_bytes(core.evidence)
        self.prepared.append(Prepared(draft, core, raw, signing_digest(raw)))
        return self.prepared[-1]

    async def send(self, prepared: Prepared) -> Sent:
        """Answer as told; a posted event is stored in the world and shown."""
        self.sent.append(prepared)
        await self.gate.wait()
        outcome = self.answers.pop(0) if self.answers else Outcome.POSTED
        event = sign(prepared.core.evidence, self.world.people[self.me].seed)
        match outcome:
            case Outcome.REFUSED | Outcome.NOT_STORED:
                return Sent(outcome, reason=self.reason)
            case Outcome.CHANGED:
                self.sequence += 1
                return Sent(outcome)
            case Outcome.UNKNOWN:
                self.sequence += 1
                return Sent(outcome, event.event_id, reason=self.reason if self.state else "", state=self.state)
        self.sequence += 1
        record = self.world.store(event)
        self.show(self.world.snapshot(me=self.me))
        return Sent(outcome, event.event_id, record)

    async def discard(self, event_id: str) -> bool:
        """Remembered, and no longer shown as unsent; raises DiscardRefused when told to."""
        if self.undiscardable:
            raise DiscardRefused(self.undiscardable)
        self.discarded.append(event_id)
        left = tuple(each for each in self._snapshot.unsent if each.event.event_id != event_id)
        known = len(left) < len(self._snapshot.unsent)
        self.show(replace(self._snapshot, unsent=left))
        return known

    async def refresh(self) -> None:
        """Counted."""
        self.refreshed += 1

    def stop_replay(self) -> None:
        """Counted, and said in the snapshot."""
        self.stopped += 1
        self.show(replace(self._snapshot, history=replace(self._snapshot.history, stopped=True)))

    async def recall(self, event_id: str) -> Heard | None:
        """From the snapshot, else from `earlier`; what is found is in `by_id` afterwards."""
        known = self._snapshot.by_id.get(event_id)
        if known is not None:
            return known
        found = next((heard for heard in self.earlier if heard.event_id == event_id), None)
        if found is not None:
            self.show(replace(self._snapshot, by_id=MappingProxyType({**self._snapshot.by_id, event_id: found})))
        return found

    async def widen(self) -> bool:
        """All of `earlier` is in the snapshot afterwards."""
        if not self.earlier:
            return False
        history = replace(self._snapshot.history, earlier=0)
        self.show(self._snapshot.heard(tuple(self.earlier), history))
        self.earlier.clear()
        return True

    async def search(self, words: str, most: int = 200) -> tuple[Heard, ...]:
        """What holds all of the words, newest first; no words are refused."""
        wanted = words.casefold().split()
        if not wanted:
            raise SearchRefused("there is nothing to look for")
        every = (*self.earlier, *self._snapshot.events)
        found = [heard for heard in every if _holds(heard, wanted)]
        return tuple(reversed(found[-most:]))

    async def hide(self, key: str, *, hidden: bool) -> str:
        """Remembered."""
        self.hidden = self.hidden | {key} if hidden else self.hidden - {key}
        return self.unkept

    def hold(self) -> None:
        """Remembered."""
        self.held = True

    def release(self) -> None:
        """Remembered."""
        self.held = False

    async def saw_apart(self) -> None:
        """Said in the snapshot."""
        history = self._snapshot.history
        if history.apart is not None:
            self.show(replace(self._snapshot, history=replace(history, apart=replace(history.apart, seen=True))))

    def diagnostics(self) -> Diagnostics:
        """As told."""
        return self.told

    async def run(self) -> None:
        """Until cancelled."""
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Remembered."""
        self.closed = True


def _holds(heard: Heard, words: list[str]) -> bool:
    """Whether the JSON of an event holds every one of the casefolded words."""
    text = json.dumps(heard.record.event.evidence, ensure_ascii=False).casefold()
    return all(word in text for word in words)
