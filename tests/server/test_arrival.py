"""Arrival order does not matter: what is stored, and settled, equals the pure lineage of the same events (§6)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, update

from corr_tui.protocol.event import Event
from corr_tui.protocol.lineage import lineage
from corr_tui.server.app import create_app
from corr_tui.server.database import Database
from corr_tui.server.projection import Focus, Projection
from corr_tui.server.rebuild import rebuild
from corr_tui.server.store import Store
from corr_tui.server.submission import read_submission
from corr_tui.server.tables import claim_events, events, frontier, streams
from corr_tui.state.snapshot import instant
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World, claim
from tests.server.scene import open_world, statuses
from tests.server.test_concurrency import append_together

FOCUS = Focus(PROJECT_ID, REPOSITORY_ID)
BEARER = "at_of_this_test"

acts = st.tuples(
    st.sampled_from(("open", "renew", "renew", "renew", "release", "intent", "strange", "other paths", "elsewhere")),
    st.sampled_from(("ana", "ana", "ana", "bo")),
    st.integers(0, 40),
    st.sampled_from((-5.0, 60.0, 120.0)),
)


def event_of(world: World, said: list[Event], act: tuple[str, str, int, float]) -> Event:
    """The event one act stands for: about a claim, or about one of the events said so far, rightly or not."""
    kind, who, number, expires_in = act
    claims = [event for event in said if event.kind.startswith("claim.")]
    if kind == "intent":
        return world.event(who, "intent", summary=str(number))
    if kind == "strange" and said and said[number % len(said)].kind == "intent":
        event_id = said[number % len(said)].event_id
        words: dict[str, Any] = {"predecessor_event_id": event_id, "parents": (event_id,), "claim_id": claim(1)}
        return world.event(who, "claim.renew", generation=2, expires_in=expires_in, **words)
    if kind == "open" or not claims:
        return world.event(who, "claim.open", claim_id=claim(number % 2), paths=["src"], expires_in=expires_in)
    before = claims[number % len(claims)]
    if kind == "release":
        return world.event(who, "claim.release", predecessor=before)
    wrong: dict[str, dict[str, Any]] = {"other paths": {"paths": ["docs"]}, "elsewhere": {"repository": "acme/other"}}
    return world.event(who, "claim.renew", predecessor=before, expires_in=expires_in, **wrong.get(kind, {}))


@st.composite
def histories(draw: st.DrawFn) -> tuple[World, list[Event]]:
    """Events in an order of arrival, some of them never arriving."""
    world = World()
    said: list[Event] = []
    for act in draw(st.lists(acts, min_size=1, max_size=24)):
        said.append(event_of(world, said, act))
    arriving = draw(st.permutations(said))
    lost = draw(st.integers(0, 2))
    return world, arriving[lost:]


def drain(store: Store, projection: Projection) -> Any:
    """Settle step by step until the claims are complete; returns them."""
    while True:
        store.reconcile(PROJECT_ID)
        claims = json.loads(projection.claims(FOCUS, None))
        if claims["projection_status"] == "complete":
            return claims


async def post_all(database: Database, arriving: list[Event]) -> None:
    """POST each event in turn, over the application as a client would."""
    app = create_app(database, bearers={BEARER: PROJECT_ID})
    headers = {"Authorization": f"Bearer {BEARER}", "Content-Type": "application/json"}
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://service.example", headers=headers) as client:
        for event in arriving:
            answer = await client.post("/v1/correspondence/events", content=json.dumps(event.evidence))
            assert answer.status_code == 201, answer.text


def told(database: Database, arriving: list[Event]) -> tuple[Any, dict[str, str]]:
    """The claims and the lineage statuses that a service gives after these arrivals."""
    store, projection = Store(database), Projection(database)
    asyncio.run(post_all(database, arriving))
    claims = drain(store, projection)
    pages = [
        json.loads(projection.events(Focus(PROJECT_ID, repository_id), None, 200).json())
        for repository_id in (REPOSITORY_ID, "acme/other")
    ]
    return claims, {**statuses(pages[0]), **statuses(pages[1])}


def forget(database: Database) -> None:
    """Take every event out of a database; its accounts stay."""
    with database.writing() as connection:
        for table in (events, claim_events, frontier):
            connection.execute(delete(table))
        connection.execute(update(streams).values(received_seq=0, received_at=None, reconciled_at=None))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(history=histories())
def test_the_stored_lineage_is_the_pure_lineage_whatever_the_order_section_6(
    url: str, history: tuple[World, list[Event]]
) -> None:
    world, arriving = history
    database = open_world(url, world)
    try:
        forget(database)
        claims, found = told(database, arriving)
        assert rebuild(database).changed == 0
    finally:
        database.close()
    expect(world, arriving, claims, found)


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(history=histories())
def test_events_of_one_commit_have_the_lineage_of_events_of_many_section_6(
    url: str, history: tuple[World, list[Event]]
) -> None:
    world, arriving = history
    assume(arriving)
    database = open_world(url, world)
    try:
        forget(database)
        store = Store(database)
        again = [*arriving, *arriving[:3]]
        waiting = [read_submission(json.dumps(event.evidence).encode(), PROJECT_ID) for event in again]
        appended = [append.result() for append in append_together(database, store, waiting)]
        claims, found = told(database, [])
    finally:
        database.close()
    assert sum(each.created for each in appended) == len(arriving)
    expect(world, arriving, claims, found)


def expect(world: World, arriving: list[Event], claims: Any, found: dict[str, str]) -> None:
    """The lineage that a service tells is the pure lineage of what arrived."""
    pure = lineage(arriving)
    active = [tip for tip in pure.active(instant(world.now)) if tip.repository_id == REPOSITORY_ID]
    assert found == {event.event_id: pure.status(event.event_id) for event in arriving}
    assert [(row["event_id"], tuple(row["competing_event_ids"])) for row in claims["claims"]] == [
        (tip.event_id, pure.competing(tip)) for tip in active
    ]
