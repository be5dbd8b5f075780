"""The state of the connection to the service, from what reads and the wake stream meet.

    unauthorized     the bearer was refused; nothing is tried until somebody asks
    connecting       nothing was answered yet
    live             the wake stream is open and the last read was answered
    polling          the last read was answered, and there is no wake stream
    reconnecting     one read failed, or the wake stream was lost and no read has told yet
    offline          reads keep failing, since the first of them; or one failed, and STALE_AFTER seconds later none has
                     been answered
    paused by me     somebody here said so; whatever reads and streams meet meanwhile is told beside it, until released

A wake stream that ends and opens again is ordinary traffic and changes nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from corr_tui.state.snapshot import Link, LinkState

STALE_AFTER = 10.0
"""Seconds after a failed read after which what is shown has to be called old, whether or not another was tried."""
RELEASED = "asking again after a pause"
SLEPT = "this machine slept, or its clock was set"


class LinkWatch:
    """Takes what happens; `link` is what that comes to."""

    def __init__(self, monotonic: Callable[[], float], changed: Callable[[Link], None] | None = None) -> None:
        """`changed` hears of every state and reason."""
        self._monotonic = monotonic
        self._changed = changed
        self._failures = 0
        self._failed_at = 0.0
        self._no_wake = ""
        self._held = False
        self.waking = False
        """Whether the wake stream is open, or about to open again."""
        self.link = Link(since=monotonic())
        self._tell()

    @property
    def failing(self) -> bool:
        """Whether the last read was not answered."""
        return self._failures > 0 or self.unauthorized

    @property
    def offline(self) -> bool:
        """Whether what is shown has to be called old."""
        return self.link.state in (LinkState.OFFLINE, LinkState.UNAUTHORIZED)

    @property
    def unauthorized(self) -> bool:
        """Whether the bearer was refused and nothing has been answered since."""
        return self.link.state is LinkState.UNAUTHORIZED

    def hold(self) -> None:
        """Somebody here told this session to stop asking."""
        if not self._held:
            self._held, self._failures, self._failed_at = True, 0, 0.0
            self.waking, self._no_wake = False, ""
            self._enter(LinkState.HELD, "")

    def release(self) -> None:
        """It asks again: how things stand is known when a read has told."""
        if self._held:
            self._held = False
            self._move(LinkState.RECONNECTING, RELEASED)

    def slept(self, seconds: float) -> None:
        """This machine slept for so long, or its clock was set: what was heard is older by as much, and after a while
        how things stand is not known."""
        heard_at = None if self.link.heard_at is None else self.link.heard_at - seconds
        self.link = replace(self.link, since=self.link.since - seconds, heard_at=heard_at)
        self._failed_at -= seconds
        if seconds >= STALE_AFTER and self.link.state in (LinkState.LIVE, LinkState.POLLING):
            self.waking = False
            self._move(LinkState.RECONNECTING, SLEPT)

    def heard(self) -> None:
        """Bytes came from the service."""
        self.link = replace(self.link, heard_at=self._monotonic())

    def read_answered(self) -> None:
        """A read was answered. Without a wake stream it is said why there is none."""
        self._failures = 0
        self.heard()
        if self.waking:
            self._move(LinkState.LIVE, "")
        else:
            self._move(LinkState.POLLING, self._no_wake)

    def read_failed(self, reason: str, retry_in: float) -> None:
        """A read was not answered and is tried again in so many seconds."""
        now = self._monotonic()
        self._failed_at = self._failed_at if self._failures else now
        self._failures += 1
        state = LinkState.RECONNECTING if self._failures == 1 else LinkState.OFFLINE
        self._move(state, reason)
        if not self._held:
            self.link = replace(self.link, since=self._failed_at, retry_at=now + retry_in, attempt=self._failures)

    @property
    def old_in(self) -> float:
        """Seconds until what is shown has to be called old; none are left where no read has failed."""
        return self._failed_at + STALE_AFTER - self._monotonic() if self._failures else 0.0

    def grow_old(self) -> bool:
        """Go offline when a read failed STALE_AFTER seconds ago and none was answered since; returns whether it did."""
        if not self._failures or self._held or self.offline or self.old_in > 0:
            return False
        self.link = replace(self.link, state=LinkState.OFFLINE, since=self._failed_at)
        self._tell()
        return True

    def held_off(self, asked: str) -> None:
        """Somebody wants to read and the service has asked to wait: say so."""
        if asked not in self.link.detail:
            self.link = replace(self.link, detail=f"{self.link.detail}; {asked}" if self.link.detail else asked)

    def refused(self, reason: str) -> None:
        """The bearer is not accepted: reads have ended, and so has the wake stream."""
        self.waking, self._no_wake = False, ""
        self._move(LinkState.UNAUTHORIZED, reason)

    def wake_opened(self) -> None:
        """The wake stream said that it is connected."""
        self.waking, self._no_wake = True, ""
        self.heard()
        if self.link.state is LinkState.POLLING:
            self._move(LinkState.LIVE, "")

    def wake_refused(self, reason: str) -> None:
        """There is no wake stream to be had; reading goes on without."""
        self.waking, self._no_wake = False, reason
        if self.link.state in (LinkState.LIVE, LinkState.POLLING):
            self._move(LinkState.POLLING, reason)

    def wake_lost(self, reason: str) -> None:
        """The wake stream could not be opened, or fell silent; whether reads are answered is not known yet."""
        self.waking = False
        if self.link.state is LinkState.LIVE:
            self._move(LinkState.RECONNECTING, reason)

    def _move(self, state: LinkState, detail: str) -> None:
        """Take up a state; held, only say what it is about."""
        if self._held:
            state, detail = LinkState.HELD, "" if state in (LinkState.LIVE, LinkState.POLLING) else detail
        self._enter(state, detail)

    def _enter(self, state: LinkState, detail: str) -> None:
        since = self.link.since if self.link.state is state else self._monotonic()
        self.link = replace(self.link, state=state, since=since, detail=detail, retry_at=None, attempt=0)
        self._tell()

    def _tell(self) -> None:
        if self._changed is not None:
            self._changed(self.link)
