"""Whatever happens on the way, in whichever order: all is right at the end, and nothing said meanwhile was a lie.

A history is drawn: what people say, through the proxy and beside it, and what becomes of each exchange. Then the faults
stop. CORR_TUI_FAULTS=500 draws so many histories instead of a few.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corr_tui.protocol.compose import Draft
from corr_tui.protocol.errors import EventRefused
from corr_tui.state.border import Outcome
from corr_tui.state.session import Session
from corr_tui.state.snapshot import LinkState, Snapshot, UnsentState, instant
from tests.flows.faults import Fault, Route, kinds_of
from tests.flows.served import Served, served, until
from tests.flows.test_faults import FLOOR, MOST_A_MINUTE, Honesty, ended, face
from tests.flows.virtual_loop import simulation, virtual_loop

EXAMPLES = int(os.environ.get("CORR_TUI_FAULTS", "8"))
AMOUNTS = (0, 1, 20, 100)
LONG_ENOUGH = 900.0
"""Seconds within which everything has to be well again: what a service asks to wait, and the longest back-off."""
ABSENT = "sha256:" + 64 * "0"


@dataclass(frozen=True)
class Say:
    """Somebody says something: of a kind, citing what was meant before or what nobody ever said."""

    who: str
    kind: str = "observation"
    cites: int | None = None

    def draft(self, number: int, meant: list[str]) -> Draft:
        """The draft of the so many-th thing that is said."""
        parents: tuple[str, ...] = ()
        if self.cites is not None:
            parents = (meant[self.cites % len(meant)] if meant else ABSENT,)
        body: dict[str, object] = {"summary": f"{number} by {self.who}"}
        if self.kind == "claim.open":
            later = virtual_loop().wall().replace(year=virtual_loop().wall().year + 1)
            claim_id = f"00000000-0000-4000-8000-{number % 2:012d}"
            body = {"claim_id": claim_id, "generation": 1, "expires_at": instant(later)}
        return Draft(kind=self.kind, thread_id=f"task:{number % 2}", body=body, parents=parents, paths=("src",))


@dataclass(frozen=True)
class Wait:
    """Nobody does anything for some seconds."""

    seconds: float


@dataclass(frozen=True)
class Ask:
    """Whoever watches asks to read again."""


@dataclass(frozen=True)
class Outage:
    """Every exchange meets one fault for some seconds."""

    fault: Fault
    seconds: float


@dataclass(frozen=True)
class Sleep:
    """The machine sleeps."""

    seconds: float


@dataclass(frozen=True)
class Hold:
    """Whoever watches holds the session for some seconds."""

    seconds: float


@dataclass(frozen=True)
class Restart:
    """A board ends, and another begins in the same folders."""

    who: str


Act = Say | Wait | Ask | Outage | Sleep | Hold | Restart

said = st.builds(
    Say,
    st.sampled_from(("maya", "ana", "bo")),
    st.sampled_from(("observation", "claim.open")),
    st.none() | st.integers(0, 9),
)
waits = st.builds(Wait, st.sampled_from((0.0, 0.1, 1.0, 6.0, 12.0, 40.0)))


def faults(route: Route) -> st.SearchStrategy[Fault]:
    """Any fault that can meet a route."""
    return st.builds(Fault, st.sampled_from(kinds_of(route)), st.sampled_from(AMOUNTS))


outages = st.builds(Outage, faults(Route.EVENTS), st.sampled_from((3.0, 30.0, 120.0, 300.0)))
others = st.sampled_from((Ask(), Sleep(3600.0), Hold(20.0), Restart("maya"), Restart("ana")))
acts = st.lists(st.one_of(said, said, waits, outages, others), max_size=12)
schedules = st.fixed_dictionaries({}, optional={route: st.lists(faults(route), max_size=4) for route in Route})


@dataclass
class Told:
    """One history as it happens."""

    service: Served
    boards: dict[str, Session] = field(default_factory=dict)
    meant: dict[str, Outcome] = field(default_factory=dict)
    """What became of each event that was signed, by its identifier."""
    _open: dict[str, AsyncExitStack] = field(default_factory=dict)
    _doing: list[asyncio.Task[None]] = field(default_factory=list)
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)
    _number: int = 0

    async def begin(self, who: str) -> None:
        """Somebody's board begins."""
        honesty, stack = Honesty(self.service.proxy), AsyncExitStack()
        self._open[who] = stack
        self.boards[who] = await stack.enter_async_context(self.service.watching(who, saw=honesty.saw))
        looking = asyncio.create_task(honesty.look_at(self.boards[who]))
        stack.push_async_callback(ended, looking)

    async def end(self, who: str) -> None:
        """It ends; fails where it has said what is not so."""
        await self._open.pop(who).aclose()

    async def quiet(self) -> None:
        """Until everything that was begun has come to its end."""
        await asyncio.gather(*self._doing)

    async def do(self, act: Act, bo: Session) -> None:
        """One act; what somebody says or asks goes on beside the next."""
        match act:
            case Say(who):
                self._number += 1
                draft = act.draft(self._number, list(self.meant))
                self._doing.append(asyncio.create_task(self._say(who, self.boards.get(who, bo), draft)))
                await asyncio.sleep(0)
            case Wait(seconds):
                await asyncio.sleep(seconds)
            case Ask():
                self._doing.append(asyncio.create_task(self.boards["maya"].refresh()))
            case Sleep(seconds):
                virtual_loop().pass_time(seconds)
            case Outage(fault, seconds):
                self.service.proxy.break_all(fault)
                await asyncio.sleep(seconds)
                self.service.proxy.standing.clear()
            case Hold(seconds):
                self.boards["maya"].hold()
                await asyncio.sleep(seconds)
                self.boards["maya"].release()
            case Restart(who):
                await self.quiet()
                await self.end(who)
                await self.begin(who)

    async def _say(self, who: str, session: Session, draft: Draft) -> None:
        async with self._turns.setdefault(who, asyncio.Lock()):
            try:
                prepared = await session.prepare(draft)
            except EventRefused:  # the service has never said which project this is: nothing is signed
                return
            sent = await session.send(prepared)
            assert sent.outcome is not Outcome.CHANGED
            if sent.outcome is not Outcome.NOT_STORED:
                self.meant[sent.event_id] = sent.outcome


async def tell(folder: Path, history: list[Act], schedule: dict[Route, list[Fault]]) -> None:
    """A history from its beginning until everything is quiet, and what must hold then."""
    async with served(folder, quiet_cut=10.0) as service:
        for route, faults in schedule.items():
            service.proxy.schedule[route].extend(faults)
        told, bo = Told(service), service.session("bo", calm=True)
        for who in ("maya", "ana"):
            await told.begin(who)
        for act in history:
            await told.do(act, bo)
        await told.quiet()
        service.proxy.heal()
        await asyncio.gather(*(well_again(board) for board in told.boards.values()))
        await asyncio.sleep(2 * FLOOR)
        fresh = await service.fresh()
        last = [board.snapshot for board in told.boards.values()]
        check_events(fresh, last, told.meant)
        for snapshot in last:
            assert face(snapshot) == face(fresh)
            assert snapshot.link.state is LinkState.LIVE
            assert not snapshot.differs
        for who in told.boards:
            await told.end(who)
        check_pace(service)


async def well_again(board: Session) -> None:
    """Until a board is live and holds what was meant; somebody asks, where a refused bearer has stopped it."""
    for _ in range(3):
        await board.refresh()
        await asyncio.sleep(1)

    def well(snapshot: Snapshot) -> bool:
        waiting = any(each.state is not UnsentState.REFUSED for each in snapshot.unsent)
        return snapshot.link.state is LinkState.LIVE and snapshot.history.complete and not waiting

    await until(board, well, LONG_ENOUGH)


def check_events(fresh: Snapshot, boards: list[Snapshot], meant: dict[str, Outcome]) -> None:
    """Every event that was meant exists once, or was refused and is kept with the reason; no other exists."""
    exist = Counter(heard.event_id for heard in fresh.events)
    assert all(count == 1 for count in exist.values())
    refused = {unsent.event.event_id: unsent for board in boards for unsent in board.unsent}
    assert all(each.state is UnsentState.REFUSED and each.reason for each in refused.values())
    assert not exist.keys() & refused.keys()
    assert exist.keys() | refused.keys() == meant.keys()


def check_pace(service: Served) -> None:
    """No minute of the loop holds more requests than two boards make where everything fails, and what was posted."""
    times = [each.at for each in service.proxy.asked]
    for first, begin in enumerate(times):
        within = sum(time < begin + 60 for time in times[first:])
        assert within <= 2 * MOST_A_MINUTE, "a busy loop"


def _run(scenario: Callable[[Path], object]) -> None:
    with TemporaryDirectory() as folder, simulation() as run:
        run(scenario(Path(folder)))  # type: ignore[arg-type]


@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(acts, schedules)
def test_after_any_faults_nothing_is_lost_or_doubled_and_a_board_shows_what_a_fresh_one_does(
    history: list[Act], schedule: dict[Route, list[Fault]]
) -> None:
    _run(lambda folder: tell(folder, history, schedule))
