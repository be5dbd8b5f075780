"""When a text on the board next changes by time alone, so that nothing wakes up to draw the same again. Pure.

The rules follow `ui/times.py`: what is left of a claim is told to the nearest minute below ten hours, to the nearest
hour below two days, then in days; an `until` passes once; the age of a view that cannot be confirmed is told in
minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Snapshot, moment
from corr_tui.state.standing import Standing, claims_view, standing
from corr_tui.ui.times import MINUTE, next_left

LEAST = 0.05
"""Seconds past the boundary, so that the text has surely changed when it is drawn again."""


def next_change(snapshot: Snapshot, now: datetime | None, monotonic: float) -> float:
    """Seconds until a text below the header may differ; at most a minute."""
    return max(LEAST, min(_changes(snapshot, now, monotonic), default=MINUTE) + LEAST)


def until_next_second(now: datetime | None) -> float:
    """Seconds until the service's clock shows another second; one second while its time is unknown."""
    return 1.0 if now is None else 1.0 - now.microsecond / 1_000_000 + LEAST / 10


def _changes(snapshot: Snapshot, now: datetime | None, monotonic: float) -> Iterator[float]:
    yield MINUTE
    if snapshot.link.retry_at is not None and snapshot.link.retry_at > monotonic:
        yield 1.0
    projection = snapshot.projection
    if projection.read_at is not None and standing(snapshot) is Standing.LAST_GOOD:
        yield MINUTE - (monotonic - projection.read_at) % MINUTE
    if now is None:
        return
    claims = claims_view(snapshot)
    for claim in claims.claims if claims else ():
        yield from _left(_seconds(claim.expires_at, now))
    for report in facts(snapshot).reports.values():
        if report.until is not None and (seconds := _seconds(report.until, now)) > 0:
            yield seconds


def _seconds(instant: str, now: datetime) -> float:
    return (moment(instant) - now).total_seconds()


def _left(seconds: float) -> Iterator[float]:
    """Until the words for what is left change."""
    if seconds > 0:
        yield next_left(seconds)
