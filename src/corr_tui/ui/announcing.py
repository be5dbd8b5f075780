"""Telling a person at this terminal of what newly wants their eyes: in the app, by bell, by the desktop, in the title.

One notice for a burst: the first thing waits SETTLE for what comes with it, and after a notice the next waits REST.
Nothing is told of one's own acts or of what was read when the board was opened. The title counts what was told since a
person last touched a key or the mouse here. Telling acknowledges nothing, and tells nobody else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from corr_tui.state.notable import chosen, notable
from corr_tui.state.notice_settings import NoticeSettings
from corr_tui.state.snapshot import Snapshot
from corr_tui.state.triage import Item, Reason
from corr_tui.ui.text import clean, first_words

SETTLE = 1.0
"""Seconds the first thing waits for others."""
REST = 15.0
"""Seconds between two notices, at least."""
MOST_NAMED = 24
"""Cells the name of a participant takes at most."""

WORDS: Mapping[Reason, tuple[str, str]] = MappingProxyType(
    {
        Reason.UNACKNOWLEDGED: ("intent or offer", "intents or offers"),
        Reason.RAISED: ("conflict raised", "conflicts raised"),
        Reason.OVERLAP: ("overlap with a claim of mine", "overlaps with claims of mine"),
        Reason.EXPIRY: ("claim of mine near its expiry", "claims of mine near their expiry"),
        Reason.FORK: ("fork of a session of mine", "forks of sessions of mine"),
        Reason.REPAIR: ("repair of an event of mine", "repairs of events of mine"),
        Reason.SIGNATURE: ("signature not proved", "signatures not proved"),
        Reason.UNSENT: ("event of mine refused", "events of mine refused"),
    }
)
"""One of it, and several."""


class Ways(Protocol):
    """Where notices go."""

    def tell(self, words: str) -> None:
        """Say it in the app."""
        ...

    def ring(self) -> None:
        """Ring the terminal's bell."""
        ...

    def notify(self, words: str) -> None:
        """Hand it to the desktop by the terminal."""
        ...

    def entitle(self, words: str) -> None:
        """Put words in the window's title."""
        ...


class Announcer:
    """Hears every snapshot and tells what is new in it, each burst once."""

    def __init__(
        self,
        settings: NoticeSettings,
        ways: Ways,
        title: str,
        *,
        after: Callable[[float, Callable[[], None]], object],
        monotonic: Callable[[], float],
    ) -> None:
        """`after` runs something once, so many seconds later; `title` is the title without news."""
        self._settings, self._ways, self._title = settings, ways, title
        self._after, self._monotonic = after, monotonic
        self._before: Snapshot | None = None
        self._then: datetime | None = None
        self._newest: Snapshot | None = None
        self._waiting = False
        self._count = 0

    def hear(self, snapshot: Snapshot) -> None:
        """A snapshot came; what is new in it is told when the burst it belongs to has settled."""
        if self._before is None or not self._before.history.complete:
            self._take(snapshot)
            return
        self._newest = snapshot
        if not self._waiting:
            self._wait(SETTLE)

    def touched(self) -> None:
        """A person is here: nothing counts as new in the title any more."""
        if self._count:
            self._count = 0
            self.entitle()

    def entitle(self) -> None:
        """Put in the title how much is new, where that is wanted."""
        if self._settings.title:
            self._ways.entitle(f"{self._title} · {self._count} new" if self._count else self._title)

    def _wait(self, seconds: float) -> None:
        self._waiting = True
        self._after(seconds, self._settled)

    def _settled(self) -> None:
        self._waiting = False
        before, then, now = self._before, self._then, self._newest
        if before is None or now is None:
            return
        self._newest = None
        self._take(now)
        news = chosen(notable(before, now, then, self._then), self._settings.reasons)
        if news:
            self._announce(news, now)
            self._wait(REST)

    def _take(self, snapshot: Snapshot) -> None:
        """What comes is compared with this one."""
        self._before, self._then = snapshot, snapshot.clock.now(self._monotonic())

    def _announce(self, news: Sequence[Item], snapshot: Snapshot) -> None:
        words, settings = told(news, snapshot), self._settings
        self._count += len(news)
        if settings.in_app:
            self._ways.tell(words)
        if settings.bell:
            self._ways.ring()
        if settings.osc9:
            self._ways.notify(words)
        self.entitle()


def told(news: Sequence[Item], snapshot: Snapshot) -> str:
    """What is new, in one clean line: of one thing which and by whom, of several how many by reason."""
    if len(news) == 1:
        item = news[0]
        heard = snapshot.by_id.get(item.event_id)
        sender = heard.event.sender.identity_id if heard and heard.event else None
        # whoever a signature that is not proved names as its sender is nobody's word
        named = sender is not None and item.reason not in (Reason.SIGNATURE, Reason.EXPIRY, Reason.FORK)
        by = f" by {first_words(snapshot.name_of(sender), MOST_NAMED)}" if named and sender else ""
        return clean(f"new: {snapshot.number_of(item.event_id)} {WORDS[item.reason][0]}{by}")
    counted = Counter(item.reason for item in news)
    parts = (f"{counted[each]} {WORDS[each][counted[each] > 1]}" for each in Reason if counted[each])
    return f"new: {', '.join(parts)}"
