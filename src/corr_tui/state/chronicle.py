"""The history of one session as a whole: what is on disk, what follows from it all, and what a Snapshot shows of it.

    page of events ─▶ Archive (disk) ─▶ Folding (facts) ─▶ Snapshot (the newest events, older ones that were asked for)

An event that was kept is not read from the service again, unless it is damaged. A stream that the service does not tell
any more stays on disk and is never mixed with the one that answers now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from corr_tui.state.archive import Archive, Tells, known
from corr_tui.state.beside import beside
from corr_tui.state.folding import Folding
from corr_tui.state.history import Diverged, Stream
from corr_tui.state.history_file import HistoryUnusable
from corr_tui.state.kept import Damaged
from corr_tui.state.published import Published
from corr_tui.state.replay import HistoryReset, Known, Replay
from corr_tui.state.snapshot import Heard, History, Projection, Snapshot
from corr_tui.state.window import WINDOW, seq_of, slid, through, widened

LOADED_AT_ONCE = 500
"""Events read back from the disk at once, off the event loop."""
FOLDED_BEFORE = 2_000
"""Events that a refresh waits for until they are folded; a longer history is folded beside what goes on."""


class Chronicle:
    """What was read, in one place. `replay` says where reading goes on; the rest is for whoever reads to say."""

    def __init__(self, archive: Archive, published: Published, monotonic: Callable[[], float]) -> None:
        self._archive = archive
        self._published = published
        self._monotonic = monotonic
        self._folding = Folding(partial(_part, self))
        self._task: asyncio.Task[bool] | None = None
        self._loaded = False
        self._count = 0
        self._through: str | None = None
        """The cursor up to which events are at hand."""
        self._fresh: tuple[Heard, ...] = ()
        """The events of the last page, until they are shown."""
        self._reset_from: str | None = None
        self._was_whole = False
        """Whether what is on disk was whole when it was last read, and nothing was read in this run."""
        self._unread = ""
        """Why not all of what is kept could be read back, or empty."""
        self.replay = Replay()
        self.most = WINDOW
        """Events that a Snapshot holds."""
        self.recalled: dict[str, None] = {}
        """Older events that a Snapshot holds because somebody asked for them, by their keys; the first asked first."""
        self.whole = False
        """Whether the service had nothing after what was read."""
        self.stopped = False
        """Whether somebody stopped reading before that."""
        self.target: str | None = None
        """The highest cursor the service is known to have reached."""

    @property
    def history(self) -> History:
        """How far the history was read; complete once all that follows from it is known too."""
        return History(
            through=self._through,
            complete=self.whole and self._is_folded,
            reset_from=self._reset_from,
            apart=self._archive.apart.newest,
            count=self._count,
            target=None if self.whole else self.target,
            folding=self.whole and not self._is_folded and not self._unread,
            stopped=self.stopped and not self.whole,
            trouble=self._archive.trouble or self._unread,
        )

    @property
    def _is_folded(self) -> bool:
        return self._folding.ledger is not None and self._folding.through == self._through

    def shown(self, snapshot: Snapshot, heard: tuple[Heard, ...] = ()) -> Snapshot:
        """A snapshot with more events, or newer words on some, and with what is known of the whole history."""
        before, history, facts = snapshot.history, self.history, snapshot.facts
        if told := (*self._fresh, *heard):
            snapshot, self._fresh = snapshot.heard(told, before), ()
        snapshot = slid(snapshot, self.most, self._archive.through, self.recalled)
        if self._folding.ledger is not None and self._is_folded:
            facts = self._folding.ledger.facts()
        if self._archive.through:
            history = replace(history, earlier=max(0, self._count - through(snapshot, int(self._through or 0))))
        if history != before or facts is not snapshot.facts:
            snapshot = replace(snapshot, history=history, facts=facts)
        return snapshot

    def beside(self, snapshot: Snapshot) -> Snapshot:
        """A snapshot with what is computed here beside what the service said, once all that was read is folded."""
        if self._folding.ledger is None or not self._is_folded:
            return snapshot
        return beside(snapshot, self._folding.ledger, self._monotonic())

    def show(self, change: Callable[[Snapshot], Snapshot] = lambda snapshot: snapshot) -> None:
        """Publish a change, and how the history stands."""
        self._published.change(lambda snapshot: self.shown(change(snapshot)))

    async def load(self) -> None:
        """Show what earlier sessions kept, the newest first; reading goes on after it."""
        if not self._loaded:
            self._loaded = True
            await self._go_on(await self._archive.open())
            await self._load_window()
            await self.fold()

    async def reached(self, *, end: bool) -> None:
        """A page was taken, after which the service had nothing at its end."""
        self.whole, self._was_whole = end, False
        if end:
            await self._archive.tell_whole(self._through)
            await self._archive.apart.look(counted=True)

    def go_without(self) -> None:
        """The service does not answer: a history that was whole when it was last read is that, as in a session that ran
        on."""
        if self._was_whole:
            self.whole, self._was_whole = True, False
            self._published.change(lambda snapshot: self.beside(self.shown(snapshot)))

    async def _go_on(self, stream: Stream | None) -> None:
        self._count, self._was_whole = stream.events if stream else 0, bool(stream and stream.whole)
        self.replay = Replay(known(stream) if stream else None)
        self._through = self.replay.through
        await self._archive.apart.look(counted=False)
        if self._was_whole:
            await self._archive.apart.look(counted=True)

    async def _load_window(self) -> None:
        """The newest events on disk, those of many chunks one after the other."""
        before = str(self._archive.through + 1)
        while (left := self.most - len(self._published.snapshot.events)) > 0:
            events = await self._archive.before(before, min(LOADED_AT_ONCE, left))
            if not events:
                break
            before = events[0].record.receipt.received_seq
            self.show(partial(widened, older=events))
        self.show()

    async def take(self, heard: tuple[Heard, ...]) -> None:
        """Keep and fold the next events, which whoever reads then shows; raises HistoryReset where the disk holds
        another history."""
        try:
            await self._archive.keep(heard)
        except Diverged as diverged:
            raise HistoryReset(str(diverged)) from None
        before, self._through = self._through, self.replay.through
        self._count += len(heard)
        self._fresh = (*self._fresh, *heard)
        self._folding.note(before, heard, self._through)
        await self.fold()

    def put_back(self, known: Known | None) -> None:
        """Read on from an event again, if those after it did not come to be kept."""
        if self.replay.through != self._through:
            self.replay.back_to(known)

    async def retell(self, heard: Iterable[Heard]) -> None:
        """Keep the newest word on events that were read before."""
        by_id = self._published.snapshot.by_id
        told = [old.retold(each) if (old := by_id.get(each.key)) else each for each in heard]
        self._folding.note_again(told)
        await self._archive.renew([each for each in told if seq_of(each) <= self._archive.through])

    async def fold(self) -> None:
        """Fold what is not folded yet: a little at once, much of it beside whatever goes on."""
        if self._task is not None and self._task.done():
            done, self._task = self._task, None
            done.result()
        if self._task is None and not await self._catch_up(FOLDED_BEFORE):
            self._task = asyncio.create_task(self._catch_up(float("inf"), beside=True), name="fold the history")

    async def fold_anew(self) -> None:
        """Fold from the beginning: events are worth something else than they were."""
        self._folding.fold_anew()
        await self.fold()

    async def _catch_up(self, most: float, *, beside: bool = False) -> bool:
        """False when there is more to fold. Where the disk gives no more, that is said, and tried at the next read.
        `beside` whatever goes on, it publishes what it comes to."""
        self._unread, done = "", True
        try:
            done = await self._folding.catch_up(lambda: self._through, most)
        except (Damaged, HistoryUnusable) as refused:
            self._unread = str(refused)
        if beside:
            self._published.change(lambda snapshot: self.beside(self.shown(snapshot)))
        return done

    async def begin_again(self, tells: Tells) -> None:
        """Another history answers: what was heard of the one before does not belong to it. It stays on disk; one that
        the service told before and tells again goes on. Raises ClientError, and then nothing has changed."""
        other = await self._archive.told_again(tells)
        self._reset_from = self._through
        await self._forget()
        await self._go_on(await self._archive.begin_again(other))
        self.show(_emptied)
        await self._load_window()

    @property
    def broken(self) -> bool:
        """Whether the disk does not give back what is kept on it."""
        return self._archive.broken

    async def go_on_in_memory(self) -> None:
        """Read everything again, as where nothing is kept: the disk does not give it back."""
        await self._forget()
        self._archive.give_up()
        self._unread = ""
        await self._go_on(None)
        self.show(_emptied)

    async def _forget(self) -> None:
        await self._end_folding()
        self._folding.begin_again()
        self.recalled.clear()
        self._fresh, self.whole, self.target, self.most = (), False, None, WINDOW

    async def close(self) -> None:
        """Let go of the disk."""
        await self._end_folding()
        await self._archive.close()

    async def _end_folding(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None


def _emptied(snapshot: Snapshot) -> Snapshot:
    return replace(
        snapshot,
        events=(),
        by_id=MappingProxyType({}),
        facts=None,
        computed=None,
        differs=(),
        projection=Projection(),
    )


async def _part(chronicle: Chronicle, after: str | None, most: int) -> tuple[Heard, ...]:
    """Events read so far after a cursor, from memory where they are there."""
    snapshot, seq = chronicle._published.snapshot, int(after or 0)
    start, end = through(snapshot, seq), through(snapshot, int(chronicle._through or 0))
    if seq >= chronicle._archive.through or (
        not chronicle._archive.left_out and (start or not snapshot.history.earlier)
    ):
        return (*snapshot.events[start:end], *(each for each in chronicle._fresh if seq_of(each) > seq))[:most]
    mending = bool(chronicle._archive.left_out)
    events = await chronicle._archive.after(after, most)
    if mending and snapshot.events:
        first, known = seq_of(snapshot.events[0]), snapshot.by_id
        mended = tuple(each for each in events if seq_of(each) > first and each.key not in known)
        chronicle._published.change(lambda snapshot: chronicle.shown(snapshot, mended))
    return events
