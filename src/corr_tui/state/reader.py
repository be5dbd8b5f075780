"""One refresh: events after the cursor, then the voice, and a new Snapshot of each.

Nothing is taken from a wake frame and nothing from an answer to a post alone: what is shown came by this way. A replay
that is long, or that a service makes endless, is read some pages a refresh, so that everything else goes on beside it:
the voice is read after its first page, and its recent events are shown before the replay has come to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from corr_tui.client.errors import ClientError
from corr_tui.client.http import Client
from corr_tui.client.wake import Frame
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import EventsPage, Record, Voice
from corr_tui.state.allowance import Allowance
from corr_tui.state.archive import Archive
from corr_tui.state.chronicle import Chronicle
from corr_tui.state.directory import Directory
from corr_tui.state.judge import Judge
from corr_tui.state.past import Past
from corr_tui.state.projected import ProjectionReader
from corr_tui.state.published import Published
from corr_tui.state.rejudging import Rejudging
from corr_tui.state.replay import Asked, HistoryReset, Known
from corr_tui.state.snapshot import Heard, Projection, Snapshot, Verdict
from corr_tui.state.trust import Trust

PAGE = 200
"""Events a page, the most that §7 admits."""
RECENT = 100
"""Events, of those read last, that are compared with a voice, which tells of fifty at most (§7.1)."""
PAGES_AT_ONCE = 50
"""Pages that are read at once."""
PAGES_A_SECOND = 20.0
"""Pages a second after that, in as many refreshes as it takes."""
SECONDS_AT_ONCE = 2.0
"""Seconds after which a refresh of slow pages ends, so that whatever follows a refresh is not kept waiting."""

Finish = Callable[[Snapshot], Snapshot]
"""Completes the Snapshot of a refresh with what others know."""


class Reader:
    """Reads one repository of one project; `trust` and `directory` say what its events are worth."""

    def __init__(
        self,
        client: Client,
        repository_id: str,
        *,
        trust: Trust,
        directory: Directory,
        published: Published,
        monotonic: Callable[[], float],
        archive: Path | None = None,
        mine: str | None = None,
    ) -> None:
        """What is read is kept in the file `archive`, if there is one; `mine` is whose events are missed where another
        history turns up."""
        self._client = client
        self._repository_id = repository_id
        self._trust = trust
        self._directory = directory
        self._published = published
        self._monotonic = monotonic
        self._judge = Judge(trust)
        self._pages = Allowance(PAGES_AT_ONCE, PAGES_A_SECOND, monotonic)
        self._projection = ProjectionReader(client, repository_id, monotonic)
        kept = Archive(archive, trust, self._read_again, mine)
        self._chronicle = Chronicle(kept, published, monotonic)
        self._rejudging = Rejudging(kept, self._chronicle, trust, self._judge, published)
        self.past = Past(kept, self._chronicle, published)

    @property
    def unfinished(self) -> bool:
        """Whether there is more to read, and nobody stopped it."""
        return not (self._chronicle.whole or self._chronicle.stopped)

    @property
    def keeps_pace(self) -> bool:
        """Whether the next page may be asked for at once: the service is slower than its allowance."""
        return not self._pages.spent

    def heard(self, record: Record) -> Heard:
        """A record with the verdict on its bytes, by the keys known now."""
        return self._judge.heard(record)

    def stop(self) -> None:
        """Read no further page of a long replay until `go_on`; what is new is still in the voice."""
        if not self._chronicle.whole:
            self._chronicle.stopped = True
            self._chronicle.show()

    def go_on(self) -> None:
        """The next refresh goes on with a replay that was stopped."""
        self._chronicle.stopped = False

    def doubt(self) -> None:
        """The service is away: check that it is the same stream, and the same keys, before going on."""
        self._chronicle.go_without()
        self.doubt_stream()
        self._directory.forget_times()

    def doubt_stream(self) -> None:
        """A wake stream opened: since the last one ended the service may have become another."""
        self._chronicle.replay.doubt()

    def is_news(self, frame: Frame) -> bool:
        """Whether a change frame is about this repository and about an event that was not read yet."""
        if frame.wake is None:
            return True
        context = frame.wake.context
        if frame.wake.key != "correspondence" or context.repository_id not in (None, self._repository_id):
            return False
        return not self._chronicle.replay.has(context.received_seq)

    async def load(self) -> None:
        """Show what earlier sessions kept, once; asks the service nothing."""
        await self._chronicle.load()

    async def close(self) -> None:
        """Let go of the disk."""
        await self._chronicle.close()

    async def refresh(self, finish: Finish) -> None:
        """Read what there is to read; `finish` completes the Snapshot that is published of it.

        Each page is published on the way. A replay that is longer than its allowance leaves the history incomplete,
        and the next refresh goes on. Raises ClientError and HistoryRefused; what was read before is shown.
        """
        await self.load()
        if self._chronicle.whole:  # another database may be behind the address at any time, also of a stream that lasts
            self.doubt_stream()
        await self._read_events(finish)
        projection = await self._projection.read(self._published.snapshot.projection)
        if projection.voice is not None and self._regressed(projection.voice):
            self._chronicle.replay.doubt()
            await self._read_events(finish)
        elif projection.voice is not None and self._chronicle.whole and await self._contradicted(projection.voice):
            await self._begin_again()
            await self._read_events(finish)
        await self._publish(projection, finish)

    async def _read_events(self, finish: Finish) -> None:
        """Take the events after the cursor, page by page."""
        chronicle, early, until = self._chronicle, True, self._monotonic() + SECONDS_AT_ONCE
        while not chronicle.stopped or chronicle.replay.doubted:
            self._pages.take()
            asked = chronicle.replay.ask()
            page = await self._client.events(self._repository_id, after=asked.after, limit=PAGE)
            if chronicle.broken:  # what could be shown of it was, until there was something in its place
                await chronicle.go_on_in_memory()
                continue
            try:
                await self._take(page, asked)
            except HistoryReset:
                await self._begin_again()
                continue
            await chronicle.reached(end=not page.page.has_more)
            self._show_events(finish)  # whether or not the voice can be had, and however long that takes
            if chronicle.whole or self._pages.spent or chronicle.stopped or self._monotonic() >= until:
                return
            if early:
                early = False
                await self._publish(await self._projection.read(self._published.snapshot.projection), finish)

    def _show_events(self, finish: Finish) -> None:
        """Publish the events of a page, if there were any, or how the history stands if that is new."""

        def shown(snapshot: Snapshot) -> Snapshot:
            told = self._chronicle.shown(snapshot)
            return snapshot if told is snapshot else finish(replace(told, identities=self._directory.identities))

        self._published.change(shown)

    async def _take(self, page: EventsPage, asked: Asked) -> None:
        """Judge the events of a page and keep them, and what it says anew of the one before."""
        known = self._chronicle.replay.known
        records = self._chronicle.replay.take(page, asked)
        try:
            learnt = await self._directory.learn(_events(records), self._trust)
            await self._chronicle.take(await self._judge.judged(records))
        except BaseException:
            self._chronicle.put_back(known)
            raise
        await self._rejudging.listed(learnt)
        reread = self._chronicle.replay.reread
        if reread is not None:
            await self._retell((reread,))

    async def _begin_again(self) -> None:
        await self._chronicle.begin_again(self._tells)
        self._projection.forget()

    async def _tells(self, known: Known) -> bool:
        """Whether the service has this event at this cursor now."""
        page = await self._client.events(self._repository_id, after=_before(known.cursor), limit=1)
        return any(Known(_cursor(each), each.event.event_id) == known for each in page.events)

    def _regressed(self, voice: Voice) -> bool:
        """Whether the service's stream ends before what was read from it; only another stream can."""
        through = self._chronicle.replay.through
        return through is not None and int(voice.cursor or 0) < int(through)

    async def _contradicted(self, voice: Voice) -> bool:
        """Whether the service has another event than was read at one of its newest cursors, and says so twice: in its
        voice and in its stream. Only another stream can."""
        here = {each.record.seq: each.event_id for each in self._published.snapshot.events[-RECENT:]}
        for record in voice.recent_events:
            if here.get(record.seq, record.event.event_id) != record.event.event_id:
                told = await self._client.events(self._repository_id, after=_before(_cursor(record)), limit=1)
                return any(each.seq == record.seq and each.event.event_id != here[record.seq] for each in told.events)
        return False

    async def _publish(self, projection: Projection, finish: Finish) -> None:
        """Publish a voice: itself, newer words on known events, verdicts that other keys have changed, and of a long
        replay the newest events before it has come to them."""
        chronicle, recent = self._chronicle, projection.voice.recent_events if projection.voice else ()
        if projection.voice is not None and projection.voice.cursor is not None:
            chronicle.target = projection.voice.cursor
        lacking = [each.event for each in self._published.snapshot.events if each.verdict is Verdict.NO_KEY]
        learnt = await self._directory.learn((*_events(recent), *(each for each in lacking if each)), self._trust)
        await self._rejudging.listed(learnt)
        retold = await self._retell(recent)
        ahead: tuple[Heard, ...] = ()
        if not chronicle.whole:
            ahead = await self._judge.judged(each for each in recent if not chronicle.replay.has(_cursor(each)))

        def refreshed(snapshot: Snapshot) -> Snapshot:
            told = replace(snapshot, projection=projection, identities=self._directory.identities)
            return chronicle.beside(finish(chronicle.shown(told, (*retold, *ahead))))

        self._published.change(refreshed)

    async def _retell(self, records: tuple[Record, ...]) -> tuple[Heard, ...]:
        """What is said anew of events that are shown, kept too."""
        known = self._published.snapshot.by_id
        newer = [each for each in records if (old := known.get(each.event.event_id)) and old.record != each]
        retold = await self._judge.judged(newer)
        await self._chronicle.retell(retold)
        return retold

    async def _read_again(self, cursor: str) -> tuple[Heard, ...]:
        """A page that begins with the event at a cursor; nothing where the service does not tell it now."""
        try:
            page = await self._client.events(self._repository_id, after=_before(cursor), limit=PAGE)
        except ClientError:
            return ()
        if not page.events or _cursor(page.events[0]) != cursor:
            return ()
        return await self._judge.judged(page.events)


def _cursor(record: Record) -> str:
    return record.receipt.received_seq


def _before(cursor: str) -> str | None:
    """The exclusive cursor after which the event at a cursor comes first."""
    before = int(cursor) - 1
    return str(before) if before else None


def _events(records: tuple[Record, ...]) -> tuple[Event, ...]:
    return tuple(record.event for record in records if isinstance(record.event, Event))
