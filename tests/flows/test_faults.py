"""Single faults between a board and its service: what is said meanwhile, and that everything is right afterwards.

Time is the loop's own: a scenario of many minutes takes a fraction of a second, with every deadline at its real length.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from corr_tui.state.border import Outcome, Sent
from corr_tui.state.link_watch import STALE_AFTER
from corr_tui.state.projection import facts
from corr_tui.state.session import Session
from corr_tui.state.snapshot import Link, LinkState, ProjectionState, Snapshot, UnsentState, Verdict
from tests.flows.fault_proxy import FaultProxy
from tests.flows.faults import Fault, Kind, Route, kinds_of
from tests.flows.running import live, observation, send, summaries
from tests.flows.served import served, until
from tests.flows.virtual_loop import Run, simulation, virtual_loop

FLOOR = 31.0
"""Seconds after which a live link has read again, whatever was missed."""
LOOK = 5.0
"""Seconds between two looks at what a board shows."""
KNOWN_AFTER = 110.0
"""Seconds within which any outage is known: the floor of a live link, then the longest answer that may drip."""
MOST_A_MINUTE = 100
"""Requests that a board makes of a service on its own machine in a minute in which everything fails."""
OF_A_VOICE = (
    *(Kind.CUT_BEFORE, Kind.MUTE, Kind.PROJECTION_UNAVAILABLE, Kind.LOGIN_PAGE, Kind.GARBAGE),
    *(Kind.STALL_WITHIN, Kind.SHORT, Kind.DRIP, Kind.OTHER_TYPE),
)
"""One fault of each way in which a projection may be had or not."""
HARMLESS = frozenset({Kind.TWICE})
"""Faults that a post survives as if nothing had been."""


@pytest.fixture
def run() -> Iterator[Run]:
    """Runs scenarios on a loop of their own."""
    with simulation() as run:
        yield run


@dataclass
class Honesty:
    """Looks at every snapshot for what must never be said; keeps what was said of the link."""

    proxy: FaultProxy
    said: list[Link] = field(default_factory=list)

    def saw(self, snapshot: Snapshot) -> None:
        """Check one snapshot; a failure ends the watching task and so the test."""
        link, projection = snapshot.link, snapshot.projection
        self.said.append(link)
        if link.state is LinkState.UNAUTHORIZED:
            assert any(each.fault and each.fault.kind is Kind.UNAUTHORIZED for each in self.proxy.asked), link
        if link.state in (LinkState.OFFLINE, LinkState.UNAUTHORIZED):
            assert projection.state in (ProjectionState.UNAVAILABLE, ProjectionState.LOADING), "a view called current"
        if link.state in (LinkState.RECONNECTING, LinkState.OFFLINE, LinkState.UNAUTHORIZED):
            assert link.detail, "nothing is said of why"
        numbers = [heard.record.seq for heard in snapshot.events]
        assert numbers == sorted(set(numbers))
        assert len(snapshot.events) == len(snapshot.by_id)

    async def look_at(self, board: Session) -> None:
        """Look now and then at what stands there, which may be a lie only because time passes."""
        began = before = virtual_loop().time()
        while True:
            await asyncio.sleep(LOOK)
            now = virtual_loop().time()
            if now - before > 2 * LOOK:
                began = now  # the machine slept
            before, known = now, max(began, self.proxy.answered_at)
            link, projection = board.snapshot.link, board.snapshot.projection
            if now - known > KNOWN_AFTER:
                assert link.state not in (LinkState.LIVE, LinkState.POLLING), f"nothing answered for {now - known} s"
            if now - known > KNOWN_AFTER + STALE_AFTER and link.state is not LinkState.HELD:
                assert projection.state in (ProjectionState.UNAVAILABLE, ProjectionState.LOADING)

    @property
    def states(self) -> list[LinkState]:
        """The states in their order, each once in a row."""
        states = [link.state for link in self.said]
        return [state for at, state in enumerate(states) if at == 0 or state is not states[at - 1]]


async def ended(looking: asyncio.Task[None]) -> None:
    """End a look at a board; fails where it has seen a lie."""
    looking.cancel()
    with suppress(asyncio.CancelledError):
        await looking


def has(sent: Sent) -> Callable[[Snapshot], bool]:
    """Whether a snapshot holds an event."""
    return lambda snapshot: sent.event_id in snapshot.by_id


def face(snapshot: Snapshot) -> object:
    """What two sessions that have seen the same must show alike. A key that was pinned before makes VERIFIED of what
    a fresh session calls LISTED."""
    voice = snapshot.projection.voice
    alike = {Verdict.VERIFIED: Verdict.LISTED}
    return (
        [(heard.record, alike.get(heard.verdict, heard.verdict), heard.genuine) for heard in snapshot.events],
        {event_id: heard.record for event_id, heard in snapshot.by_id.items()},
        facts(snapshot),
        snapshot.identities,
        snapshot.project_id,
        (snapshot.history.through, snapshot.history.complete),
        snapshot.projection.state,
        voice and (voice.cursor, voice.projection_status, voice.recent_events, voice.active_claims, voice.conflicts),
    )


def amount_of(kind: Kind, route: Route) -> int:
    """An amount that makes a fault of a kind tell on a route."""
    match kind:
        case Kind.DRIP:
            return 10
        case Kind.DELAY:
            return 50 if route is Route.STREAM else 20
        case Kind.FRAMES_LATE:
            return 20
        case _:
            return 0


def faults_of(route: Route) -> list[Fault]:
    """One fault of each kind that can meet a route."""
    return [Fault(kind, amount_of(kind, route)) for kind in kinds_of(route)]


def outages() -> list[Fault]:
    """Everything that can meet all reads at once, in amounts that end no wait by themselves."""
    return list(dict.fromkeys((*faults_of(Route.EVENTS), *faults_of(Route.VOICE))))


@pytest.mark.parametrize("fault", outages(), ids=str)
def test_an_outage_is_said_the_last_view_is_called_old_and_all_is_well_after_it(
    run: Run, tmp_path: Path, fault: Fault
) -> None:
    async def scenario() -> None:
        async with served(tmp_path) as service:
            honesty, bo = Honesty(service.proxy), service.session("bo", calm=True)
            await send(bo, observation("before"))
            async with service.watching("maya", saw=honesty.saw) as board:
                await until(board, live)
                service.proxy.break_all(fault)
                meanwhile = await send(bo, observation("meanwhile"))
                began = virtual_loop().time()
                looking = asyncio.create_task(honesty.look_at(board))
                await asyncio.sleep(KNOWN_AFTER + 30)
                await ended(looking)
                away = board.snapshot
                assert summaries(away) == ["before"]
                assert away.link.state is expected_of_reads(fault)
                assert away.projection.stale
                assert away.projection.error
                assert service.proxy.count(since=began) <= 4 * KNOWN_AFTER
                service.proxy.heal()
                await board.refresh()
                back = await until(board, lambda snapshot: live(snapshot) and meanwhile.event_id in snapshot.by_id, 120)
                assert face(back) == face(await service.fresh())
            assert (LinkState.UNAUTHORIZED in honesty.states) is (fault.kind is Kind.UNAUTHORIZED)

    run(scenario())


def expected_of_reads(fault: Fault) -> LinkState:
    """What the link is once every read meets this for a while."""
    return LinkState.UNAUTHORIZED if fault.kind is Kind.UNAUTHORIZED else LinkState.OFFLINE


@pytest.mark.parametrize("fault", [fault for fault in faults_of(Route.VOICE) if fault.kind in OF_A_VOICE], ids=str)
def test_while_the_projection_alone_cannot_be_had_the_events_go_on_and_nothing_is_made_of_its_absence(
    run: Run, tmp_path: Path, fault: Fault
) -> None:
    """A projection that fails is unavailable, never an empty set (§6)."""

    async def scenario() -> None:
        async with served(tmp_path) as service:
            honesty, bo = Honesty(service.proxy), service.session("bo", calm=True)
            await send(bo, observation("before"))
            async with service.watching("maya", saw=honesty.saw) as board:
                await until(board, live)
                service.proxy.standing[Route.VOICE] = fault
                meanwhile = await send(bo, observation("meanwhile"))
                snapshot = await until(board, lambda snapshot: meanwhile.event_id in snapshot.by_id, 200)
                assert summaries(snapshot) == ["before", "meanwhile"]
                await asyncio.sleep(KNOWN_AFTER)
                assert board.snapshot.projection.stale
                assert board.snapshot.projection.error
                service.proxy.heal()
                await board.refresh()
                back = await until(board, lambda snapshot: live(snapshot) and not snapshot.projection.stale, 120)
                assert face(back) == face(await service.fresh())

    run(scenario())


@pytest.mark.parametrize("fault", faults_of(Route.STREAM), ids=str)
def test_without_a_wake_stream_worth_having_every_event_arrives_all_the_same(
    run: Run, tmp_path: Path, fault: Fault
) -> None:
    """Wake delivery may repeat or be missed; the cursor provides the replay (§7.1)."""

    async def scenario() -> None:
        async with served(tmp_path, quiet_cut=10.0) as service:
            honesty, bo = Honesty(service.proxy), service.session("bo", calm=True)
            service.proxy.standing[Route.STREAM] = fault
            async with service.watching("maya", saw=honesty.saw) as board:
                for number in range(4):
                    sent = await send(bo, observation(str(number)))
                    await until(board, has(sent), 35)
                began = virtual_loop().time()
                await asyncio.sleep(60)
                assert service.proxy.count(since=began) <= MOST_A_MINUTE
                assert LinkState.OFFLINE not in honesty.states
                service.proxy.heal()
                await board.refresh()
                back = await until(board, live, 120)
                assert face(back) == face(await service.fresh())

    run(scenario())


@pytest.mark.parametrize("fault", faults_of(Route.POST), ids=str)
def test_an_event_whose_post_meets_a_fault_exists_once_in_the_end(run: Run, tmp_path: Path, fault: Fault) -> None:
    """The same bytes go out until the outcome is known; a repost is idempotent (§4, §7)."""

    async def scenario() -> None:
        async with served(tmp_path) as service:
            honesty = Honesty(service.proxy)
            async with service.watching("maya", saw=honesty.saw) as board:
                await until(board, live)
                service.proxy.schedule[Route.POST].extend([fault] * 3)
                sent = await send(board, observation("meant once"))
                assert sent.outcome is (Outcome.POSTED if fault.kind in HARMLESS else Outcome.UNKNOWN), sent.reason
                assert sent.outcome is Outcome.POSTED or sent.reason
                if sent.event_id not in board.snapshot.by_id:
                    assert [each.state for each in board.snapshot.unsent] == [expected_of_posts(fault)]
                for _ in range(3):
                    await board.refresh()  # once the bearer was refused nobody tries again until somebody asks
                    await asyncio.sleep(1)
                await until(board, lambda snapshot: sent.event_id in snapshot.by_id and not snapshot.unsent, 300)
                await asyncio.sleep(FLOOR)
                assert face(board.snapshot) == face(await service.fresh())
                assert summaries(board.snapshot) == ["meant once"]

    run(scenario())


def expected_of_posts(fault: Fault) -> UnsentState:
    """What is known of an event whose post met this: the service refused to take it, or nobody knows what became of
    it."""
    turned_away = (Kind.UNAUTHORIZED, Kind.TOO_MANY)
    return UnsentState.UNSENT if fault.kind in turned_away else UnsentState.UNKNOWN


@pytest.mark.parametrize("route", [Route.VOICE, Route.LISTS], ids=str)
def test_events_that_were_read_before_a_refresh_failed_are_shown_by_the_next(
    run: Run, tmp_path: Path, route: Route
) -> None:
    """The cursor may have passed them, and they are in no later page (§7)."""

    async def scenario() -> None:
        async with served(tmp_path) as service:
            ana, bo = service.session("ana", calm=True), service.session("bo", calm=True)
            await send(bo, observation("before"))
            async with service.watching("maya") as board:
                await until(board, live)
                service.proxy.schedule[route].append(Fault(Kind.UNAUTHORIZED))
                await send(ana, observation("meanwhile"))
                await until(board, lambda snapshot: snapshot.link.state is LinkState.UNAUTHORIZED, 60)
                await board.refresh()
                await until(board, live, 60)
                assert summaries(board.snapshot) == ["before", "meanwhile"]
                assert face(board.snapshot) == face(await service.fresh())

    run(scenario())


@pytest.mark.parametrize("kind", [Kind.CUT_BEFORE, Kind.MUTE, Kind.TOO_MANY, Kind.LOGIN_PAGE, Kind.SHORT], ids=str)
def test_while_the_lists_of_keys_cannot_be_had_events_are_shown_without_a_key_and_proved_later(
    run: Run, tmp_path: Path, kind: Kind
) -> None:
    async def scenario() -> None:
        async with served(tmp_path) as service:
            bo = service.session("bo", calm=True)
            async with service.watching("maya") as board:
                await until(board, live)
                service.proxy.standing[Route.LISTS] = Fault(kind)
                sent = await send(bo, observation("who is this"))
                heard = (await until(board, lambda snapshot: sent.event_id in snapshot.by_id, 120)).by_id[sent.event_id]
                assert heard.verdict is Verdict.NO_KEY
                service.proxy.heal()
                await until(
                    board, lambda snapshot: snapshot.by_id[sent.event_id].verdict is Verdict.LISTED, 2 * FLOOR + 60
                )
                await asyncio.sleep(FLOOR)
                assert face(board.snapshot) == face(await service.fresh())

    run(scenario())


def test_a_voice_that_was_read_but_not_shown_is_read_again_rather_than_confirmed(run: Run, tmp_path: Path) -> None:
    """304 says that what the validator stands for is current (§7); what is shown must be that."""

    async def scenario() -> None:
        async with served(tmp_path) as service:
            bo = service.session("bo", calm=True)
            for number in range(51):
                await send(bo, observation(str(number)))
            async with service.watching("maya") as board:
                await until(board, lambda snapshot: live(snapshot) and snapshot.projection.claims)
                service.proxy.standing[Route.CLAIMS] = Fault(Kind.PROJECTION_UNAVAILABLE)
                await until(board, has(await send(bo, observation("last"))), 60)
                await until(board, lambda snapshot: snapshot.projection.state is ProjectionState.UNAVAILABLE, 60)
                service.proxy.heal()
                await board.refresh()
                assert board.snapshot.projection.state is ProjectionState.TRUNCATED
                assert face(board.snapshot) == face(await service.fresh())

    run(scenario())


@pytest.mark.parametrize("kind", [Kind.CUT_BEFORE, Kind.UNAVAILABLE], ids=str)
def test_a_service_elsewhere_that_stays_away_is_asked_ever_more_rarely(
    run: Run, tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full jitter up to a minute, for reads, posts and the stream alike."""
    monkeypatch.setenv("NO_PROXY", "*")

    async def scenario() -> None:
        async with served(tmp_path, host="127.0.0.2") as service, service.watching("maya") as board:
            await until(board, live)
            service.proxy.break_all(Fault(kind))
            await send(board, observation("meant meanwhile"))
            await asyncio.sleep(600)
            began = virtual_loop().time()
            await asyncio.sleep(1200)
            asked = service.proxy.count(since=began)
            assert 20 <= asked <= 20 * 8
            service.proxy.heal()
            await until(board, lambda snapshot: live(snapshot) and not snapshot.unsent, 180)
            await asyncio.sleep(FLOOR)
            assert summaries(board.snapshot) == ["meant meanwhile"]
            assert face(board.snapshot) == face(await service.fresh())

    run(scenario())


@pytest.mark.parametrize("kind", [Kind.TOO_MANY, Kind.UNAVAILABLE, Kind.APPEND_UNAVAILABLE], ids=str)
def test_what_a_service_asks_to_wait_is_waited_whoever_wants_something(run: Run, tmp_path: Path, kind: Kind) -> None:
    async def scenario() -> None:
        async with served(tmp_path) as service, service.watching("maya") as board:
            await until(board, live)
            service.proxy.break_all(Fault(kind, 100))
            first = await send(board, observation("meant meanwhile"))
            assert first.outcome is Outcome.UNKNOWN
            await asyncio.sleep(35)
            for route in (Route.EVENTS, Route.POST):
                assert [each.route for each in service.proxy.asked if each.fault].count(route) == 1
            for _ in range(5):
                await board.refresh()
                await send(board, observation("and more"))
                await asyncio.sleep(5)
            for route in (Route.EVENTS, Route.POST):
                assert [each.route for each in service.proxy.asked if each.fault].count(route) == 1
            service.proxy.heal()
            await until(board, lambda snapshot: live(snapshot) and not snapshot.unsent, 180)
            await asyncio.sleep(FLOOR)
            assert summaries(board.snapshot) == ["meant meanwhile", *["and more"] * 5]
            assert face(board.snapshot) == face(await service.fresh())

    run(scenario())


@pytest.mark.parametrize("fault", [None, Fault(Kind.MUTE)], ids=["and the network is there", "and is half open"])
def test_after_a_machine_slept_what_it_shows_is_not_called_current_until_it_was_read(
    run: Run, tmp_path: Path, fault: Fault | None
) -> None:
    async def scenario() -> None:
        async with served(tmp_path, quiet_cut=10.0) as service:
            honesty = Honesty(service.proxy)
            async with service.watching("maya", saw=honesty.saw) as board:
                await until(board, live)
                if fault is not None:
                    service.proxy.break_all(fault)
                virtual_loop().pass_time(3600)
                woke = virtual_loop().time()
                await asyncio.sleep(45)
                if fault is None:
                    assert board.snapshot.link.state is LinkState.LIVE
                    assert service.proxy.answered_at >= woke
                else:
                    assert board.snapshot.link.state is LinkState.OFFLINE
                    assert board.snapshot.projection.stale
                service.proxy.heal()
                await until(board, live, 120)
                assert face(board.snapshot) == face(await service.fresh())

    run(scenario())
