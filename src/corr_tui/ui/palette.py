"""The palette's entries: every command, and every saved view, thread, claim and participant of the current snapshot.

Names come from others, so each entry is plain text that passed the text door; none is read as markup. Choosing an
entry does what its key does, and nothing is posted from here: a kind opens its composer, where Enter still has to be
let go and pressed again.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.standing import claims_view
from corr_tui.ui.commands import Command, Scope, commands_of
from corr_tui.ui.text import clean, first_words

LEAST_ID = 4
"""Characters of an id from which events are looked for by it."""
MOST_EVENTS = 20
"""Events offered at once."""
WIDTH = 72
"""Cells an entry takes at most."""
UNLISTED = frozenset({"palette", "back", "open", "view.close"})
"""Commands that mean nothing once the palette is closed."""


@runtime_checkable
class ShowsThings(Protocol):
    """A board, or a view over it: it draws a snapshot and can bring a thread or an event to the front."""

    snapshot: Any
    scopes: frozenset[Scope]
    """The scopes whose commands are heard on it."""

    def choose_thread(self, thread_id: str | None) -> None:
        """Show one thread, or all."""
        ...

    def show_event(self, event_id: str) -> None:
        """Bring an event under the cursor."""
        ...


@runtime_checkable
class ShowsViews(Protocol):
    """A board that can be narrowed by a filter."""

    def show_view(self, text: str) -> None:
        """Narrow it by this filter; by none for an empty text."""
        ...


@runtime_checkable
class HasViews(Protocol):
    """An app with filters that have names."""

    views: Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the palette: clean text, a sentence of ours, and what choosing it does."""

    text: str
    explanation: str
    run: Callable[[], Awaitable[None] | None]
    names: tuple[str, ...] = ()
    """What it is called, where that is not the whole of its text."""


class CorrespondenceProvider(Provider):
    """Entries for the screen the palette was opened on; composer and help offer none of the board's."""

    async def search(self, query: str) -> Hits:
        """Entries that match, the best first."""
        matcher = self.matcher(query)
        for entry in self._entries(query):
            score, offsets = matcher.fuzzy_search.match(query, entry.text)
            score = ranked(query, entry.names or (entry.text,), score)
            if score > 0:
                shown = Content(entry.text)
                for offset in offsets:
                    shown = shown.stylize(matcher.match_style, offset, offset + 1)
                yield Hit(score, shown, entry.run, text=entry.text, help=entry.explanation)

    async def discover(self) -> Hits:
        """Before anything is typed: the commands."""
        for entry in self._commands():
            yield DiscoveryHit(Content(entry.text), entry.run, text=entry.text, help=entry.explanation)

    def _entries(self, query: str = "") -> Iterator[Entry]:
        yield from self._commands()
        screen = self.screen
        if isinstance(screen, ShowsViews):
            yield from views(screen, self.app.views.views if isinstance(self.app, HasViews) and self.app.views else {})
        if isinstance(screen, ShowsThings) and screen.snapshot is not None:
            yield from things(screen, screen.snapshot)
            yield from events(screen, screen.snapshot, query)

    def _commands(self) -> Iterator[Entry]:
        screen = self.screen
        if not isinstance(screen, ShowsThings):
            return
        for command in commands_of(self.app):
            if command.scope in screen.scopes and command.id not in UNLISTED:
                names = (command.verb, command.id, command.shown)
                run = partial(self._run, command)
                yield Entry(f"{command.verb}  {command.shown}", command.description, run, names)

    async def _run(self, command: Command) -> None:
        """Do what the key does, where the key does it."""
        screen = self.screen
        owner = {Scope.APP: self.app, Scope.LIST: screen.focused or screen}.get(command.scope, screen)
        action = command.action
        if command.speaks:
            # The Enter that chose it may still be held, and must not go on to post.
            action = action.removesuffix(")") + ", 'enter')"
        await self.app.run_action(action, owner)


def views(board: ShowsViews, named: Mapping[str, str]) -> Iterator[Entry]:
    """Every filter with a name, in the order of the file, and none at all."""
    for name, text in named.items():
        shown = first_words(name, WIDTH)
        yield Entry(f"view  {shown}", f"Narrow the board by {first_words(text, WIDTH)}", partial(board.show_view, text))
    yield Entry("view  everything", "Narrow the board by no filter", partial(board.show_view, ""))


def things(board: ShowsThings, snapshot: Snapshot) -> Iterator[Entry]:
    """Every thread, live claim and participant, in a neutral order."""
    for thread_id in sorted({heard.event.thread_id for heard in snapshot.events if heard.event}):
        shown = first_words(thread_id, WIDTH)
        run = partial(board.choose_thread, thread_id)
        yield Entry(f"thread  {shown}", "Show the events of this thread", run, (shown,))
    view = claims_view(snapshot)
    for claim in sorted(view.claims if view else (), key=lambda each: (each.scope.paths, each.event_id)):
        by = clean(snapshot.name_of(claim.owner_identity_id))
        shown = first_words(f"{', '.join(claim.scope.paths)}  by {by}", WIDTH)
        run = partial(board.show_event, claim.event_id)
        yield Entry(f"claim  {shown}", "Show the event of this claim", run, (*map(clean, claim.scope.paths), shown))
    spoke = {heard.event.sender.identity_id: heard.event_id for heard in snapshot.events if heard.event}
    for identity_id, event_id in sorted(spoke.items(), key=lambda each: snapshot.name_of(each[0])):
        shown = first_words(snapshot.name_of(identity_id), WIDTH)
        yield Entry(
            f"participant  {shown}",
            "Show the last event received of them",
            partial(board.show_event, event_id),
            (shown,),
        )


def events(board: ShowsThings, snapshot: Snapshot, query: str) -> Iterator[Entry]:
    """Events of the whole history by number, or by the start of an id; the newest first, a few."""
    wanted = query.strip().casefold().removeprefix("sha256:")
    number, by_number = wanted.removeprefix("#"), bool(re.fullmatch(r"#?[0-9]{1,18}", wanted))
    if not by_number and not re.fullmatch(rf"[0-9a-f]{{{LEAST_ID},64}}", wanted):
        return
    noted = facts(snapshot).noted
    every = ((key, each.seq) for key, each in noted.items())
    found = [
        (seq, key)
        for key, seq in every
        if (by_number and str(seq) == number)
        or (len(number) >= LEAST_ID and key.removeprefix("sha256:").startswith(number))
    ]
    for seq, key in sorted(found, reverse=True)[:MOST_EVENTS]:
        each = noted[key]
        by = clean(snapshot.name_of(each.identity_id)) if each.identity_id else "nobody known"
        shown = first_words(f"#{seq} {each.kind or 'malformed'} by {by}, {key.removeprefix('sha256:')[:12]}…", WIDTH)
        names = (f"#{seq}", str(seq), key.removeprefix("sha256:"), key)
        yield Entry(f"event  {shown}", "Show this event", partial(board.show_event, key), names)


def ranked(query: str, names: Sequence[str], fuzzy: float) -> float:
    """How well a query names something: whole, by its beginning, by the beginning of a word, else by its letters.

    `fuzzy` is what a match by letters is worth, 0 for none; it decides between equals.
    """
    wanted, within = query.strip().casefold(), fuzzy / (fuzzy + 1)
    if not wanted:
        return fuzzy
    known = [name.casefold() for name in names]
    if wanted in known:
        return 4 + within
    if any(name.startswith(wanted) for name in known):
        return 3 + within
    if any(re.search(rf"(?<!\w){re.escape(wanted)}", name) for name in known):
        return 2 + within
    return within
