"""A session on a recording: it reads, judges and shows as any other does, and nothing can be sent.

It knows the keys that were known when the recording was made, and no others, so that its verdicts are those of then.
When the recording has ended the session has read everything in it, says so, and asks nothing any more.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode
from binascii import Error
from dataclasses import replace
from datetime import datetime

from corr_tui.client.links import origin
from corr_tui.client.player import PlayedTransport
from corr_tui.client.recorded import Recording
from corr_tui.client.recording import Begun, Pins, RecordingRefused
from corr_tui.state.connection import Connection
from corr_tui.state.home import Home
from corr_tui.state.play_clock import PlayClock
from corr_tui.state.session import Session
from corr_tui.state.snapshot import Link, LinkState, Snapshot, moment
from corr_tui.state.trust import Place, Trust

NOTHING_SENT = "this is a recording: nothing can be sent"
EVENTS_PATH = "/v1/correspondence/events"
LAST_READS = 2
"""Reads in a row that bring nothing new after which everything was read: one of them checks the last event known."""
KEY_SIZE = 32


class PlayedSession(Session):
    """Plays a recording into a home that nobody else uses; `speed` is seconds of then a second, None for no wait.

    Raises RecordingRefused for a recording that was made of no place.
    """

    def __init__(self, recording: Recording, home: Home, speed: float | None = 1.0) -> None:
        begun = recording.begun
        self._recording = recording
        self._time = PlayClock(_began(begun.began), recording.duration_ms / 1000, speed)
        self._over = False
        connection = Connection(
            begun.base_url,
            "recorded",
            begun.repository_id,
            label=f"recording of {begun.label or begun.base_url}",
            identity_id=begun.identity_id,
            transport=PlayedTransport(recording, self._time),
            hindrance=NOTHING_SENT,
        )
        if recording.pins is not None:
            _pin(recording.pins, home, connection)
        super().__init__(connection, home, timing=self._time.timing)
        self._published.change(lambda snapshot: replace(snapshot, recorded=True))

    @property
    def tells_events(self) -> bool:
        """Whether the service of then told its events at all, be it that there were none."""
        return any(target.partition("?")[0] == EVENTS_PATH for target, _ in self._recording.read_answers())

    def monotonic(self) -> float:
        """Seconds since the recording began: the clock that goes with its snapshots."""
        return self._time.monotonic()

    async def refresh(self) -> None:
        """Read what there is by now; nothing more once the recording has ended."""
        if not self._over:
            await super().refresh()

    def hold(self) -> None:
        """Let the recording go by unread until released; at its end there is nothing to hold."""
        if not self._over:
            super().hold()

    def release(self) -> None:
        """Read on, from where the recording is by now."""
        if not self._over:
            super().release()

    async def run(self) -> None:
        """Play the recording, and stay at its end until cancelled."""
        running = asyncio.create_task(super().run(), name="played session")
        playing = asyncio.create_task(self._time.play(self._recording.moments), name="play")
        try:
            await asyncio.wait({running, playing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (running, playing):
                task.cancel()
            ended = await asyncio.gather(running, playing, return_exceptions=True)
        for failure in ended:
            if isinstance(failure, Exception):
                raise failure
        await self._read_the_rest()
        self._over = True
        self._published.change(self._ended)
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Let go of the file as well."""
        await super().close()
        self._recording.close()

    async def _read_the_rest(self) -> None:
        """Read until nothing new comes: the last frames may have come just before the end."""
        idle = 0
        while idle < LAST_READS:
            through = self.snapshot.history.through
            await super().refresh()
            idle = idle + 1 if self.snapshot.history.through == through else 0

    def _ended(self, snapshot: Snapshot) -> Snapshot:
        before = snapshot.link
        link = Link(LinkState.ENDED, since=self._time.monotonic(), heard_at=before.heard_at, detail=before.detail)
        return replace(snapshot, link=link)


def check_begun(begun: Begun) -> None:
    """Raises RecordingRefused for a recording that cannot be played whatever comes after its first line."""
    _began(begun.began)
    if origin(begun.base_url.rstrip("/")) is None:
        raise RecordingRefused("it was made of no http or https address")


def _began(instant: str) -> datetime:
    try:
        return moment(instant)
    except ValueError:
        raise RecordingRefused("it says that it began at no moment there is") from None


def _pin(pins: Pins, home: Home, connection: Connection) -> None:
    """Let the keys of then count as known before."""
    trust = Trust(home.trust_file, Place(connection.place, pins.project_id, connection.repository_id))
    for pin in pins.keys:
        try:
            key = b64decode(pin.public_key.encode("ascii"), validate=True)
        except (Error, UnicodeEncodeError):
            continue
        if len(key) == KEY_SIZE:
            trust.pin_mine(pin.identity_id, pin.signing_key_id, key)
