"""The composer: docked at the foot, pinned to the event it was opened on, two strokes from key to receipt.

Nothing is posted but by Enter on this screen, once: while an event is on its way further strokes do nothing, and a
key that was held when the screen opened, when writing ended or when an answer came has to be let go first. Esc posts
nothing and keeps the words. With the bytes in view, exactly those bytes are signed; else they are prepared at Enter.
The board behind may move as it likes: this screen stays on its event and says how many others came. How words get into
it is `compose_writing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from textual import events

from corr_tui.protocol.bodies import Kind
from corr_tui.state.border import Correspondence, Outcome, Sent
from corr_tui.state.git_facts import GitFacts
from corr_tui.state.snapshot import Heard, Snapshot
from corr_tui.ui.commands import COMMANDS, Command, Scope, bindings, find
from corr_tui.ui.composition import Composition, KeptWords
from corr_tui.ui.held_key import ALONE, QUIET, HeldKey
from corr_tui.ui.posting import SAID, Phase, Posting
from corr_tui.ui.revision_here import RevisionHere
from corr_tui.ui.screens.compose_view import Pinned
from corr_tui.ui.screens.compose_writing import ComposeWriting

__all__ = ["ComposeScreen", "Pinned"]


class ComposeScreen(ComposeWriting):
    """Says one thing about one event; the result is what was sent, or None when nothing was."""

    BINDINGS = bindings(Scope.COMPOSE)

    def __init__(
        self,
        correspondence: Correspondence,
        kind: str,
        targets: tuple[Heard, ...],
        snapshot: Snapshot,
        *,
        pinned: Pinned | None = None,
        git: GitFacts | None = None,
        kept: KeptWords | None = None,
        opened_by: str = "",
        quiet: float = QUIET,
        alone: float = ALONE,
        ascii_only: bool = False,
        commands: Sequence[Command] = COMMANDS,
    ) -> None:
        """`git` tells HEAD and whether a revision is here; `opened_by` is the key that opened it, its command's by
        default; `kept` is what was typed before, which the app keeps while it runs."""
        self._kept = kept or KeptWords()
        composition = Composition(cast(Kind, kind), targets)
        super().__init__(
            self._kept.restored(composition), snapshot, pinned=pinned, ascii_only=ascii_only, commands=commands
        )
        self._here = RevisionHere(git, self._redraw)
        self._posting = Posting(correspondence, self._kept, self._told)
        self._openers = frozenset((opened_by,) if opened_by else find(kind, commands).keys)
        self._held = HeldKey(self.set_timer, self._redraw, self.action_post, quiet=quiet, alone=alone)
        self._posts = frozenset(find("compose.post", commands).keys)
        self._held.held = not self._posts.isdisjoint(self._openers)

    def on_mount(self) -> None:
        """Ready at once; where a required field is empty, ready to write in it."""
        if self._held.held:
            self._hold()
        self._prepare()
        self._redraw()
        if self._revision is None or not self._revision.asked.required:
            self._write_what_lacks()
        if self._revision is not None:
            self.run_worker(self._begin(self._revision), group="begin")

    # What happens meanwhile

    def watch_snapshot(self) -> None:
        """The board behind moved, and may tell what became of an event whose answer was lost."""
        self._posting.hear(self.snapshot, self._composition)
        self._redraw()

    def on_key(self, event: events.Key) -> None:
        """The key that opened the composer, repeating: it is still held."""
        if event.key in self._openers - self._posts and self._editing is None:
            self._hold()

    def action_toggle_bytes(self) -> None:
        """Show or hide what will be signed."""
        self._bytes_shown = not self._bytes_shown
        self._prepare()
        self._redraw()

    # Posting

    def action_post(self) -> None:
        """Sign and post, once."""
        if self._held.held and self._editing is None:
            self._held.press()
        if self._why_not():
            return
        self._posting.begin(self._composition)
        self._redraw()
        shown = self._posting.prepared if self._bytes_shown else None
        # The app runs it: closing this screen must not cut off an event on its way.
        self.app.run_worker(self._posting.send(self._composition, shown), name="post", group="post")

    def _told(self, answered: bool) -> None:
        """The posting changed; after an answer that posted nothing, the Enter that asked may still be held."""
        if not self.is_running:
            return
        if self._posting.phase is Phase.POSTED:
            self._finish(self._posting.result)
        elif self._posting.phase is Phase.OPENED and answered:
            self._hold()
            self._prepare()
        self._redraw()

    def action_close(self) -> None:
        """End writing; else close, and post nothing that is not on its way already."""
        if self._editing is not None:
            self._end_writing()
        elif not self._elsewhere:
            sending = self._posting.phase is Phase.SENDING
            self._finish(Sent(Outcome.UNKNOWN) if sending else self._posting.result)

    @property
    def results(self) -> tuple[Sent, ...]:
        """What became of each event, once that is known of all."""
        return () if self._posting.phase is Phase.SENDING else self._posting.results

    @property
    def said(self) -> tuple[str, ...]:
        """The keys of the events that something was said of, or is about to be."""
        parts, results = self._composition.each, self._posting.results
        if self._posting.phase is Phase.OPENED:
            return ()
        if self._posting.phase is Phase.SENDING or len(parts) != len(results):
            return tuple(each.key for each in self._composition.targets)
        told = zip(parts, results, strict=True)
        return tuple(target.key for part, sent in told if sent.outcome in SAID for target in part.targets)

    def _finish(self, sent: Sent | None) -> None:
        """Close with this result; while another screen is on top, wait for it to go."""
        if self.is_current:
            self.dismiss(sent)

    def on_screen_resume(self) -> None:
        """Back on top: what was posted meanwhile closes the screen now."""
        if self._posting.phase is Phase.POSTED:
            self._finish(self._posting.result)
