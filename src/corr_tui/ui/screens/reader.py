"""How one person reads the correspondence on the board: a snapshot, a view of it, and the pure functions over both.

The board loads this module, and with it the panels and the protocol, after its first paint. Nothing in it draws, and
reading acknowledges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from textual.geometry import Size

from corr_tui.state.border import Outcome, Sent
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Heard, Snapshot, UnsentState
from corr_tui.ui import looking, ticks
from corr_tui.ui.commands import COMMANDS, Command
from corr_tui.ui.composition import KeptWords
from corr_tui.ui.line import View
from corr_tui.ui.screens.board_content import BoardContent
from corr_tui.ui.screens.places import AS_IT_IS, Arrangement
from corr_tui.ui.screens.subjects import cited_by, events_of, shown_by
from corr_tui.ui.trail import Trail
from corr_tui.ui.waiting import waiting_words, waits

RECALLED = 50
"""Earlier events listed because somebody opened them, at most."""


class Reader:
    """A snapshot as it is looked at; `view` is replaced, never changed."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.snapshot = Snapshot(repository_id="")
        self.failure = ""
        """Why there is nothing to read, in words."""
        self.searched = ""
        """The words last looked for."""
        self._first_target: str | None = None
        self._whole = False
        """Whether the whole history was here at some time."""
        self.kept = KeptWords()
        """Words typed and not posted."""
        self.trail = Trail()
        """The events somebody went to."""
        self._marked: dict[str, Heard] = {}

    def take(self, snapshot: Snapshot) -> None:
        """Go on with this snapshot; the first whole history is where `new` begins."""
        if not self._whole:
            self._whole = snapshot.history.complete
            self._first_target = self._first_target or snapshot.history.target
            if self._whole and not self.view.read_through:
                self.view = replace(self.view, read_through=looking.baseline(snapshot))
            self.view = replace(self.view, new_after=looking.reached(snapshot, self._first_target))
        self.snapshot = snapshot

    def at(self, monotonic: float) -> None:
        """It is now this monotonic instant."""
        self.view = replace(self.view, monotonic=monotonic, now=self.snapshot.clock.now(monotonic))

    def next_change(self) -> float:
        """The monotonic instant at which a text may differ by time alone."""
        return self.view.monotonic + ticks.next_change(self.snapshot, self.view.now, self.view.monotonic)

    def next_second(self) -> float:
        """Seconds until the service's clock shows another second."""
        return ticks.until_next_second(self.view.now)

    def choose_thread(self, thread_id: str | None) -> None:
        """Read one thread, or all; whoever chooses a thread has looked at it."""
        self.view = replace(self.view, thread_id=thread_id)
        thread = facts(self.snapshot).threads.get(thread_id or "")
        if thread is not None:
            self._look(thread.last_seq)

    def select(self, event_id: str | None, *, by_person: bool) -> None:
        """The cursor of the events is on this one now; a person who put it there has looked at it."""
        self.view = replace(self.view, selected=event_id)
        heard = self.snapshot.by_id.get(event_id or "")
        if by_person and heard is not None:
            self._look(heard.record.seq)

    def open_text(self, event_id: str) -> None:
        """Show the words of an event although its signature does not match them."""
        self.view = replace(self.view, opened=self.view.opened | {event_id})

    def subjects(self, panel: str, key: str) -> tuple[Heard, ...]:
        """The events that a row of a panel is about."""
        return events_of(panel, key, self.snapshot)

    def shown_by(self, panel: str, key: str) -> str | None:
        """The id of the event that opening a row of a panel shows; of the selected event, of what it cites."""
        if panel == "selected":
            return cited_by(self.snapshot, self.view.selected)
        return shown_by(panel, key, self.snapshot)

    @property
    def marked(self) -> tuple[Heard, ...]:
        """The marked events as they stand now, in receipt order."""
        now = (self.snapshot.by_id.get(key, heard) for key, heard in self._marked.items())
        return tuple(sorted(now, key=lambda heard: heard.record.seq))

    def mark(self, subjects: Iterable[Heard]) -> None:
        """Mark these events; those that all are marked already are unmarked."""
        found = {heard.key: heard for heard in subjects}
        if found.keys() <= self._marked.keys():
            self.unmark(found)
        else:
            self._marked |= found
            self.view = replace(self.view, marked=frozenset(self._marked))

    def unmark(self, keys: Iterable[str] | None = None) -> None:
        """Unmark these events, or all."""
        for key in tuple(self._marked) if keys is None else keys:
            self._marked.pop(key, None)
        self.view = replace(self.view, marked=frozenset(self._marked))

    def recall(self, heard: Heard) -> None:
        """Read this earlier event too, in its place before the others."""
        recalled = {each.key: each for each in (*self.view.recalled[-RECALLED + 1 :], heard)}
        self.view = replace(self.view, recalled=tuple(sorted(recalled.values(), key=lambda each: each.record.seq)))

    def content(
        self, size: Size, active: str, table: tuple[Command, ...] = COMMANDS, arrangement: Arrangement = AS_IT_IS
    ) -> BoardContent:
        """The board at a size, with these keys, divided so."""
        return BoardContent(self.snapshot, self.view, size, active, self.failure, table, arrangement)

    def _look(self, seq: int) -> None:
        through = looking.looked_at(self.view.read_through, self.snapshot, seq, self.view.thread_id)
        self.view = replace(self.view, read_through=through)


def results_words(kind: str, results: Sequence[Sent]) -> str:
    """What became of events said at once, in one line: how many were posted, and what became of the others."""
    if len(results) == 1:
        return result_words(kind, results[0])
    posted = [sent.record.receipt.received_seq for sent in results if sent.outcome is Outcome.POSTED and sent.record]
    parts = [f"{len(posted)} {kind} posted: {', '.join(f'#{each}' for each in posted)}"] if posted else []
    for words in OUTCOMES.values():
        others = [sent for sent in results if _outcome(sent) == words]
        if others:
            reasons = dict.fromkeys(sent.reason for sent in others if sent.reason)
            why = f": {'; '.join(reasons)}" if reasons else ""
            parts.append(f"{len(others)} {words}{why}")
    return " · ".join(parts)


def _outcome(sent: Sent) -> str:
    """What became of an event that has no receipt, in few words; nothing of one that has."""
    if sent.outcome is Outcome.POSTED:
        return ""
    return OUTCOMES[waits(sent) if sent.outcome is Outcome.UNKNOWN else sent.outcome]


OUTCOMES: Mapping[Outcome | UnsentState, str] = {
    Outcome.REFUSED: "refused",
    Outcome.NOT_STORED: "not posted",
    UnsentState.UNSENT: "unsent, going out once the service takes them",
    UnsentState.UNKNOWN: "not known yet, sending the same events again",
    Outcome.CHANGED: "not posted, their sequence numbers were taken meanwhile",
}
"""What became of events that have no receipt, in few words."""


def result_words(kind: str, sent: Sent) -> str:
    """What became of an event, in one line; the service's own words where it refused."""
    match sent.outcome:
        case Outcome.POSTED:
            number = f"#{sent.record.receipt.received_seq}" if sent.record else "with a receipt"
            warnings = sent.record.warnings if sent.record else ()
            return "; ".join((f"{kind} is {number}", *(f"{each.code}: {each.detail}" for each in warnings)))
        case Outcome.REFUSED:
            return f"{kind} was refused: {sent.reason}"
        case Outcome.NOT_STORED:
            return f"{kind} was not posted: {sent.reason}"
        case Outcome.UNKNOWN:
            why = f" ({sent.reason})" if sent.reason else ""
            return f"{kind} {waiting_words(waits(sent))}{why}"
        case Outcome.CHANGED:
            return f"{kind} was not posted: its sequence number was taken meanwhile"
