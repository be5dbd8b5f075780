"""One refresh: events after the cursor, then the voice, and one new Snapshot of them.

Nothing is taken from a wake frame and nothing from an answer to a post alone: what is shown came by this way. A
projection that is unavailable is said to be so, and the events go on; an empty set is never made of it (§6). A replay
that is long, or that a service makes endless, is read some pages a refresh, so that everything else goes on beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from corr_tui.client.errors import Refused, Unauthorized, UnexpectedAnswer, Unreachable
from corr_tui.client.http import Client, Fresh
from corr_tui.client.wake import Frame
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import Claims, Record, Voice
from corr_tui.state.allowance import Allowance
from corr_tui.state.beside import beside
from corr_tui.state.directory import Directory
from corr_tui.state.ledger import Ledger
from corr_tui.state.published import Published
from corr_tui.state.replay import HistoryReset, Replay
from corr_tui.state.snapshot import Heard, History, Projection, ProjectionState, Snapshot, Verdict
from corr_tui.state.trust import Trust

PAGE = 200
"""Events a page, the most that §7 admits."""
PAGES_AT_ONCE = 50
"""Pages that are read at once."""
PAGES_A_SECOND = 20.0
"""Pages a second after that, in as many refreshes as it takes."""
JUDGED_AT_ONCE = 50
"""Events judged before whatever else waits has its turn: some milliseconds of signatures."""
NOT_CALCULATED = "the service could not calculate the projection"
"""Said of a voice that calls itself unavailable: what it holds is partial, and the last good one stays (§6)."""


class Reader:
    """Reads one repository of one project; `trust` and `directory` say what its events are worth."""

    def __init__(
        self, client: Client, repository_id: str, *, trust: Trust, directory: Directory, monotonic: Callable[[], float]
    ) -> None:
        self._client = client
        self._repository_id = repository_id
        self._trust = trust
        self._directory = directory
        self._monotonic = monotonic
        self._pages = Allowance(PAGES_AT_ONCE, PAGES_A_SECOND, monotonic)
        self._etag: str | None = None
        self._claims_etag: str | None = None
        self._history = History()
        self._ledger = Ledger()
        self.replay = Replay()

    def stop(self, published: Published) -> None:
        """Read no further page of a long replay until `go_on`; what is new is still in the voice."""
        if not self._history.complete:
            self._history = replace(self._history, stopped=True)
            published.change(lambda snapshot: replace(snapshot, history=self._history))

    def go_on(self) -> None:
        """The next refresh goes on with a replay that was stopped."""
        self._history = replace(self._history, stopped=False)

    def heard(self, record: Record) -> Heard:
        """A record with the verdict on its bytes, by the keys known now."""
        verdict, detail = self._trust.judge(record.event)
        return Heard(record, verdict, detail, self._trust.genuine(record.event))

    def doubt(self) -> None:
        """The service was away: check that it is the same stream, and the same keys, before going on."""
        self.doubt_stream()
        self._directory.forget_times()

    def doubt_stream(self) -> None:
        """A wake stream opened: since the last one ended the service may have become another."""
        self.replay.doubted = True

    def is_news(self, frame: Frame) -> bool:
        """Whether a change frame is about this repository and about an event that was not read yet."""
        if frame.wake is None:
            return True
        context = frame.wake.context
        if frame.wake.key != "correspondence" or context.repository_id not in (None, self._repository_id):
            return False
        return not self.replay.has(context.received_seq)

    async def refresh(self, published: Published, finish: Callable[[Snapshot], Snapshot]) -> None:
        """Read what there is to read; `finish` completes the one Snapshot that is published of it.

        A long replay publishes each page on the way; one that is longer than its allowance leaves the history
        incomplete, and the next refresh goes on. Raises ClientError and HistoryRefused; what was published
        before stands.
        """
        events = await self._read_events(published)
        projection = await self._read_projection(published.snapshot.projection)
        if projection.voice is not None and self._regressed(projection.voice):
            before, self.replay.doubted = self.replay, True
            more = await self._read_events(published)
            events = (*events, *more) if self.replay is before else more
        await self._learn_and_judge(published, events, projection, finish)

    async def _read_events(self, published: Published) -> tuple[Record, ...]:
        """The events after the cursor; those of earlier pages of a long replay are published already."""
        while not self._history.stopped:
            self._pages.take()
            page = await self._client.events(self._repository_id, after=self.replay.after(), limit=PAGE)
            try:
                records = self.replay.take(page)
            except HistoryReset:
                self._begin_again(published)
                continue
            self._history = replace(self._history, through=self.replay.through, complete=not page.page.has_more)
            if not page.page.has_more or self._pages.spent:
                return records
            await self._directory.learn(_events(records), self._trust)
            self._publish_page(published, await self._judged(records))
        return ()

    def _publish_page(self, published: Published, heard: tuple[Heard, ...]) -> None:
        """Show one page of a long replay on the way."""
        published.change(lambda snapshot: replace(self._with(snapshot, heard), facts=self._ledger.facts()))

    def _with(self, snapshot: Snapshot, heard: tuple[Heard, ...]) -> Snapshot:
        """The snapshot with more events, or another word on some, which the ledger takes into account."""
        snapshot = snapshot.heard(heard, self._history)
        if not all(map(self._ledger.note, heard)):
            self._ledger = Ledger.of(snapshot.events)
        return snapshot

    async def _judged(self, records: tuple[Record, ...]) -> tuple[Heard, ...]:
        """The records with their verdicts, some at a time."""
        heard: list[Heard] = []
        for start in range(0, len(records), JUDGED_AT_ONCE):
            heard += map(self.heard, records[start : start + JUDGED_AT_ONCE])
            await asyncio.sleep(0)
        return tuple(heard)

    def _begin_again(self, published: Published) -> None:
        """Another stream answers: what was heard of the one before does not belong to it."""
        self._history = History(reset_from=self.replay.through)
        self._etag = self._claims_etag = None
        self._ledger = Ledger()
        self.replay = Replay()
        published.change(
            lambda snapshot: replace(
                snapshot,
                events=(),
                by_id=MappingProxyType({}),
                facts=None,
                computed=None,
                differs=(),
                projection=Projection(),
                history=self._history,
            )
        )

    async def _read_projection(self, before: Projection) -> Projection:
        """The voice, and the claims by themselves where the voice is bounded; or that they are unavailable."""
        try:
            answer = await self._client.voice(self._repository_id, etag=self._etag if before.voice else None)
            if isinstance(answer, Fresh) and answer.value.projection_status == "unavailable":
                return replace(before, state=ProjectionState.UNAVAILABLE, error=NOT_CALCULATED)
            if isinstance(answer, Fresh):
                self._etag = answer.etag
            voice = answer.value if isinstance(answer, Fresh) else before.voice
            if voice is None:
                raise UnexpectedAnswer("304 answers a request that was not conditional")
            claims = await self._read_claims(before.claims) if voice.projection_status == "truncated" else None
        except (Unauthorized, Unreachable):
            raise
        except (Refused, UnexpectedAnswer) as error:
            return replace(before, state=ProjectionState.UNAVAILABLE, error=str(error))
        return Projection(ProjectionState(voice.projection_status), voice, self._monotonic(), claims=claims)

    async def _read_claims(self, before: Claims | None) -> Claims | None:
        answer = await self._client.claims(self._repository_id, etag=self._claims_etag if before else None)
        if not isinstance(answer, Fresh):
            return before
        self._claims_etag = answer.etag
        return answer.value

    def _regressed(self, voice: Voice) -> bool:
        """Whether the service's stream ends before what was read from it; only another stream can."""
        through = self.replay.through
        return through is not None and int(voice.cursor or 0) < int(through)

    async def _learn_and_judge(
        self,
        published: Published,
        records: tuple[Record, ...],
        projection: Projection,
        finish: Callable[[Snapshot], Snapshot],
    ) -> None:
        """Publish the refresh: new events, newer words on known ones, and verdicts that other keys have changed."""
        known = published.snapshot.by_id
        recent = projection.voice.recent_events if projection.voice else ()
        retold = tuple(each for each in recent if (old := known.get(each.event.event_id)) and old.record != each)
        lacking = tuple(heard.record for heard in published.snapshot.events if heard.verdict is Verdict.NO_KEY)
        learnt = await self._directory.learn(_events((*records, *retold, *lacking)), self._trust)

        again = tuple(heard.record for heard in published.snapshot.events) if learnt else ()
        heard = await self._judged((*again, *retold, *records))

        def refreshed(snapshot: Snapshot) -> Snapshot:
            if heard or snapshot.history != self._history:
                snapshot = self._with(snapshot, heard)
            told = replace(snapshot, projection=projection, identities=self._directory.identities)
            return beside(finish(told), self._ledger, self._monotonic())

        published.change(refreshed)


def _events(records: tuple[Record, ...]) -> tuple[Event, ...]:
    return tuple(record.event for record in records if isinstance(record.event, Event))
