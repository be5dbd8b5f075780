"""The axis of a claim timeline: which column an instant falls on, and what stands over the columns. Pure.

A tick stands at every whole step of the viewer's own clock, ten cells from the next. The axis begins at a tick and
moves by whole ticks, so that between two of them only the line of now moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from corr_tui.ui import times
from corr_tui.ui.layout import START
from corr_tui.ui.line import Ink, Line
from corr_tui.ui.views.track import Track

STEPS = tuple(minutes * times.MINUTE for minutes in (1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440))
"""Seconds from one tick to the next, by zoom; the widest room for a claim first."""
FIRST_ZOOM = 4
"""A quarter of an hour from tick to tick."""
TICK = 10
"""Cells from one tick to the next."""
PAST = 3, 10
"""The part of the chart before now."""
GRID, NOW = "┆", "│"
FIRST_DAY, LAST_DAY = -62_000_000_000, 253_000_000_000
"""Seconds of the epoch between which there are dates in every zone."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Columns of time."""

    begin: datetime
    """The instant of the first tick, in the viewer's zone."""
    step: int
    cells: int
    now: datetime | None
    """The service's now, or None while it is unknown."""

    def column(self, at: datetime) -> int:
        """The column an instant falls on; it may lie outside of the chart."""
        return START + int((at - self.begin).total_seconds() * TICK // self.step)

    @property
    def first(self) -> datetime:
        """The instant of the first column."""
        return self.begin - timedelta(seconds=START * self.step / TICK)

    @property
    def now_column(self) -> int | None:
        """The column of now, or None where it is not in the chart."""
        column = None if self.now is None else self.column(self.now)
        return column if column is not None and 0 <= column < self.cells else None

    def until_next_column(self) -> float:
        """Seconds until now stands one column further."""
        if self.now is None:
            return times.MINUTE
        cell = self.step / TICK
        return cell - (self.now - self.begin).total_seconds() % cell

    def ticks(self) -> Iterator[tuple[int, str]]:
        """The column of each tick, and its time of day or its day."""
        at = self.begin
        zone = self.begin.tzinfo
        for column in range(START, self.cells, TICK):
            local = at.astimezone(zone)
            midnight = self.step >= 6 * times.HOUR and (local.hour, local.minute) == (0, 0)
            yield column, times.day_words(local.date()) if midnight else f"{local:%H:%M}"
            at += timedelta(seconds=self.step)

    def grid(self) -> Track:
        """The lines at the ticks and at now, to be drawn over."""
        track = Track(self.cells)
        for column, _ in self.ticks():
            track.put(column, GRID, Ink.RULE)
        if self.now_column is not None:
            track.put(self.now_column, NOW, Ink.ACCENT)
        return track

    def labels(self) -> Line:
        """The times over the ticks; the one that the line of now runs through is left out."""
        track, now = Track(self.cells), self.now_column
        for column, label in self.ticks():
            start = max(column - 2, 0)
            hidden = now is not None and start - 1 <= now <= start + len(label)
            if not hidden and start + len(label) <= self.cells:
                track.write(start, label, Ink.DIM)
        if now is not None:
            track.put(now, NOW, Ink.ACCENT)
        return track.line()

    def now_label(self) -> Line:
        """`now 14:03`, over its line."""
        track = Track(self.cells)
        if self.now is not None and self.now_column is not None:
            label = f"now {self.now.astimezone(self.begin.tzinfo):%H:%M}"
            start = max(min(self.now_column - len(label) // 2, self.cells - len(label)), 0)
            track.write(start, label, Ink.KEY)
        return track.line()


def axis(now: datetime | None, anchor: datetime, zone: tzinfo, cells: int, *, zoom: int, shift: int) -> Axis:
    """An axis of so many cells with now, or while that is unknown `anchor`, at a third of it; `shift` ticks later."""
    step = STEPS[zoom]
    at = (now or anchor).astimezone(zone)
    offset = at.utcoffset() or timedelta()
    since = (at.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    whole = since // step - cells * PAST[0] // PAST[1] // TICK + shift
    seconds = min(max(whole * step, FIRST_DAY), LAST_DAY)
    begin = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds) - offset
    return Axis(begin.astimezone(zone), step, cells, now)
