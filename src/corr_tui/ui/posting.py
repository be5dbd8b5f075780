"""From a composition to a receipt: prepared, sent once, and what became of it; no screen in it.

    OPENED ──send──▶ SENDING ──▶ POSTED
       ▲                ├──▶ UNSENT or UNKNOWN ──▶ POSTED      the same event goes out again by itself
       └────────────────┴────────────┘ refused, the sequence taken, or nothing stored here: nothing was posted

Refusals keep the words. Bytes that were shown are the bytes that are sent: when they can no longer be, they are
prepared and shown again, and nothing is posted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from corr_tui.protocol.errors import EventRefused, Issue
from corr_tui.state.border import Correspondence, Outcome, Prepared, Sent
from corr_tui.state.snapshot import Snapshot, UnsentState
from corr_tui.ui.composition import Composition, KeptWords, label_of
from corr_tui.ui.waiting import waits

SAID = frozenset({Outcome.POSTED, Outcome.UNKNOWN})
"""What may be said of an event that has, or may yet get, a receipt."""
TAKEN = "not posted: the sequence number was taken meanwhile. Look again; posting takes the next one"


class Phase(StrEnum):
    """Where an event stands between the first word and its receipt."""

    OPENED = "opened"
    SENDING = "sending…"
    UNSENT = "unsent"
    UNKNOWN = "not known yet"
    POSTED = "posted"


_WAITING = {UnsentState.UNSENT: Phase.UNSENT, UnsentState.UNKNOWN: Phase.UNKNOWN}


class Posting:
    """One event on its way; calls `told` after each change, with whether it is the answer to a send."""

    def __init__(self, correspondence: Correspondence, kept: KeptWords, told: Callable[[bool], None]) -> None:
        self._correspondence = correspondence
        self._kept = kept
        self._told = told
        self.phase = Phase.OPENED
        self.prepared: Prepared | None = None
        """The bytes for what the composition says now, once they are known."""
        self.refusal = ""
        """Why it was not posted, in the words of whoever refused it."""
        self.note = ""
        """Why it has to be looked at again."""
        self.result: Sent | None = None
        self.results: tuple[Sent, ...] = ()
        """What became of each event, in the order of the targets."""

    def reworded(self) -> None:
        """The words changed, and the bytes with them."""
        self.prepared = None

    async def prepare(self, composition: Composition) -> None:
        """Ask for the bytes of what it says now."""
        draft = composition.draft()
        try:
            prepared = await self._correspondence.prepare(draft)
        except EventRefused as refused:
            self.refusal = reasons(refused.issues, composition.kind)
            self._told(False)
            return
        if self.phase is Phase.OPENED:
            self.prepared = prepared
            self._told(False)

    def begin(self, composition: Composition) -> None:
        """From here on further strokes do nothing."""
        self.phase = Phase.SENDING
        self.refusal = self.note = ""
        self._kept.keep(composition)

    async def send(self, composition: Composition, shown: Prepared | None) -> None:
        """Send the bytes that were shown, or those prepared now; call `begin` first.

        Of several events the bytes shown are those of the first; each of the others is prepared when its turn comes.
        """
        if len(composition.each) > 1:
            await self._send_each(composition, shown)
            return
        try:
            prepared = shown or await self._correspondence.prepare(composition.draft())
        except EventRefused as refused:
            self._refuse(reasons(refused.issues, composition.kind))
            return
        self.prepared = prepared
        sent = await self._correspondence.send(prepared)
        self.results = (sent,)
        if sent.outcome is Outcome.REFUSED:
            self._refuse(sent.reason or reasons(sent.issues, composition.kind))
        elif sent.outcome is Outcome.CHANGED:
            self._look_again(TAKEN)
        elif sent.outcome is Outcome.NOT_STORED:
            self._look_again(f"not posted: {sent.reason}")
        else:
            self._kept.forget(composition)
            self.phase = Phase.POSTED if sent.outcome is Outcome.POSTED else _WAITING[waits(sent)]
            self.result = sent
            self._told(True)

    async def _send_each(self, composition: Composition, shown: Prepared | None) -> None:
        """Send an event a target, one after another: what is refused of one is no reason to withhold the next."""
        results: list[Sent] = []
        for part in composition.each:
            first, shown = shown, None
            sent = await self._sent(part, first)
            if sent.outcome is Outcome.CHANGED and first is not None:
                self._look_again(TAKEN)
                return
            if sent.outcome is Outcome.CHANGED:
                sent = await self._sent(part, None)
            results.append(sent)
            if sent.outcome is Outcome.NOT_STORED:
                break  # nothing is signed that cannot be kept
        self.results = (*results, *results[-1:] * (len(composition.each) - len(results)))
        said = [sent for sent in results if sent.outcome in SAID]
        if said:
            self._kept.forget(composition)
            # what is not known yet goes out again by itself, and is told in the one line of results
            self.phase, self.result = Phase.POSTED, said[0]
            self._told(True)
        elif results[-1].outcome is Outcome.NOT_STORED:
            self._look_again(f"not posted: {results[-1].reason}")
        else:
            self._refuse(results[0].reason)

    async def _sent(self, composition: Composition, shown: Prepared | None) -> Sent:
        """One event of several, sent."""
        try:
            prepared = shown or await self._correspondence.prepare(composition.draft())
        except EventRefused as refused:
            return Sent(Outcome.REFUSED, reason=reasons(refused.issues, composition.kind))
        sent = await self._correspondence.send(prepared)
        if sent.outcome is Outcome.REFUSED and not sent.reason:
            return replace(sent, reason=reasons(sent.issues, composition.kind))
        return sent

    def hear(self, snapshot: Snapshot, composition: Composition) -> None:
        """Learn from the board what became of an event whose answer was lost."""
        if not self.waits or self.result is None:
            return
        event_id = self.result.event_id
        if (known := snapshot.by_id.get(event_id)) and known.genuine:
            self.phase, self.result = Phase.POSTED, Sent(Outcome.POSTED, event_id, known.record)
            self._told(True)
        for unsent in snapshot.unsent:
            if unsent.event.event_id != event_id:
                continue
            if unsent.state is UnsentState.REFUSED:
                self._kept.keep(composition)
                self._refuse(unsent.reason)
            else:
                self.result = replace(self.result, reason=unsent.reason, state=unsent.state)
                self.phase = _WAITING[unsent.state]

    @property
    def waits(self) -> bool:
        """Whether it was sent and has no answer yet."""
        return self.phase in _WAITING.values()

    def _look_again(self, note: str) -> None:
        self.prepared, self.note, self.phase = None, note, Phase.OPENED
        self._told(True)

    def _refuse(self, reason: str) -> None:
        self.refusal = reason or "no reason given"
        self.prepared, self.result, self.phase = None, None, Phase.OPENED
        self._told(True)


def reasons(issues: tuple[Issue, ...], kind: str) -> str:
    """Every broken rule, each with what it is about."""
    return "; ".join(f"{label_of(issue, kind)} {issue.message}" for issue in issues)
