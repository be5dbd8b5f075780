"""What is computed here against what the service says, on thousands of random histories (§2.2, §4, §6, §7.1).

Every history has a repository of its own in one database, and sessions of its own: what another repository of the
project holds is part of the test only where the history says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings

from corr_tui.protocol import strict_json
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import Claims, Voice, read_claims, read_events_page, read_voice
from corr_tui.server.projection import Focus, Projection
from corr_tui.server.store import Store
from corr_tui.server.submission import read_submission
from corr_tui.state.differences import differs
from corr_tui.state.ledger import Ledger
from corr_tui.state.snapshot import Computed, Heard, ProjectionState, Verdict
from corr_tui.state.snapshot import Projection as Shown
from tests.client.recordings import exchanges, needs_recordings
from tests.correspondents import PROJECT_ID, World
from tests.histories import Act, Arrivals, events_of, histories, some_history
from tests.server.scene import open_world, settle_accounts

HISTORIES = 2000
MEMORY = Path("/dev/shm")


@dataclass
class Service:
    """The real server without its transport, and how many repositories it holds."""

    world: World
    store: Store
    projection: Projection
    repositories: Iterator[int] = field(default_factory=lambda: count(1))

    def take(self, event: Event) -> None:
        """Append one event as a POST does."""
        self.store.append(read_submission(json.dumps(event.evidence).encode(), PROJECT_ID))


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """One database for every history, in memory where the system has files there: nothing in it is to last."""
    world = World()
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        database = open_world(f"sqlite:///{folder}/service.db", world)
        settle_accounts(database, world)
        yield Service(world, Store(database), Projection(database))
        database.close()


@dataclass
class Reading:
    """One repository, read page by page as a session does."""

    service: Service
    repository: str
    ledger: Ledger = field(default_factory=Ledger)
    through: str | None = None

    @property
    def focus(self) -> Focus:
        """The whole repository."""
        return Focus(PROJECT_ID, self.repository)

    def catch_up(self) -> None:
        """Note what arrived since."""
        after = int(self.through) if self.through else None
        page = read_events_page(_parsed(self.service.projection.events(self.focus, after, 200).json()))
        for record in page.events:
            assert self.ledger.note(Heard(record, Verdict.VERIFIED))
            self.through = record.receipt.received_seq

    def voice(self) -> Voice:
        """The finite voice, settled step by step until nothing ready is left."""
        self.service.store.reconcile(PROJECT_ID)
        voice = read_voice(_parsed(self.service.projection.voice(self.focus)))
        for record in reversed(voice.recent_events):  # their diagnostics are the newest, of the whole project
            assert self.ledger.note(Heard(record, Verdict.VERIFIED))
        return voice

    def claims(self) -> Claims:
        """The active claims by themselves."""
        return read_claims(_parsed(self.service.projection.claims(self.focus, None)))

    def at(self, now: str) -> Computed:
        """What is computed here at an instant."""
        return self.ledger.computed(now, self.through, complete=True)

    def compare(self, *, by_themselves: bool = False) -> None:
        """The service's projection equals the one computed here, and no difference is told."""
        self.catch_up()
        voice = self.voice()
        claims = self.claims() if by_themselves else voice_claims(voice)
        shown = Shown(ProjectionState(voice.projection_status), voice, 0.0, claims=claims)
        assert differs(shown, self.ledger.facts(), self.at) == ()
        computed = self.at(voice.evaluated_at)
        assert not claims.truncated
        assert computed.claims.claims == claims.claims == voice.active_claims
        assert computed.claims.evaluated_at <= claims.evaluated_at
        assert computed.conflicts.overlapping_claims == voice.conflicts.overlapping_claims
        assert computed.conflicts.missing_parents == voice.conflicts.missing_parents
        assert self.forks(computed.conflicts.session_forks) == self.forks(voice.conflicts.session_forks)

    def forks(self, rows: object) -> set[tuple[str, ...]]:
        """The sides of each fork that lie in this repository, where there are several."""
        known = self.ledger.facts().noted
        assert isinstance(rows, tuple)
        sides = (tuple(event_id for event_id in row.event_ids if event_id in known) for row in rows)
        return {each for each in sides if len(each) > 1}


def voice_claims(voice: Voice) -> Claims:
    """The claims of a voice."""
    return Claims(voice.evaluated_at, voice.cursor, voice.projection_status, voice.truncated, voice.active_claims)


def _parsed(text: str | bytes) -> object:
    raw = text if isinstance(text, bytes) else text.encode()
    return strict_json.decode(raw, strict_json.COLLECTION_LIMITS)


def play(service: Service, history: Arrivals) -> None:
    """Compare at several instants of a history: amid the arrivals, after them, and as claims pass."""
    number = next(service.repositories)
    reading = Reading(service, f"acme/{number}")
    said = events_of(service.world, history.acts, repository=reading.repository, session=number)
    for place, index in enumerate(history.order):
        service.world.now += timedelta(seconds=history.acts[index].wait)
        service.take(said[index])
        if place == len(history.order) // 2:
            reading.compare()
    reading.compare(by_themselves=True)
    service.world.now += timedelta(seconds=60)
    reading.compare()


def test_what_is_computed_here_is_what_the_service_says(service: Service) -> None:
    chance = Random(1)
    for number in range(HISTORIES):
        history = some_history(chance)
        try:
            play(service, history)
        except AssertionError as failed:
            raise AssertionError(f"history {number} of those drawn from 1: {history}") from failed


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories())
@example(
    Arrivals(
        (
            Act("claim.open", 0, 0, 1, 2, 0, again=False, elsewhere=True, wait=0),
            Act("claim.renew", 0, 0, 1, 2, 0, again=False, elsewhere=False, wait=0),
        ),
        (1, 0),
    )
).via("a parent that arrives in another repository of the project after its child")
def test_any_history_is_computed_as_the_service_does(service: Service, history: Arrivals) -> None:
    """The same, with a search for the smallest history that is not."""
    play(service, history)


def recorded(name: str) -> object:
    """The body of a recorded answer."""
    return strict_json.decode(exchanges()[name].response.content, strict_json.COLLECTION_LIMITS)


@needs_recordings
@pytest.mark.parametrize("name", ["voice-200", "voice-200-plain-json", "voice-200-conflicts"])
def test_a_recorded_voice_is_what_follows_from_its_events(name: str) -> None:
    """Each of these voices holds every event of its focus."""
    voice = read_voice(recorded(name))
    ledger = Ledger.of(Heard(record, Verdict.VERIFIED) for record in reversed(voice.recent_events))
    through = voice.recent_events[0].receipt.received_seq

    def at(now: str) -> Computed:
        return ledger.computed(now, through, complete=True)

    assert not voice.truncated
    assert voice.active_claims
    assert differs(Shown(ProjectionState.COMPLETE, voice), ledger.facts(), at) == ()
    computed = at(voice.evaluated_at)
    assert computed.claims.claims == voice.active_claims
    assert computed.conflicts == voice.conflicts
