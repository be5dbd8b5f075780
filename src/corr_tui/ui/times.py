"""Times as people read them: of day in the viewer's zone, ages and what is left in few cells (experience: honesty 2).

Nothing here knows the time: every moment is passed in, and says by its name whose clock it is.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from math import ceil

from corr_tui.state.snapshot import moment

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@lru_cache(maxsize=8192)
def local(instant: str, zone: tzinfo) -> datetime:
    """The moment an RFC3339-ms instant names, in a zone."""
    try:
        return moment(instant).astimezone(zone)
    except (OverflowError, ValueError):
        return moment(instant)  # the first and the last day there is have no other zone's day to fall on


def clock(instant: str, zone: tzinfo, *, seconds: bool = True) -> str:
    """The time of day: `14:02:33`, or `14:02`."""
    if zone is UTC:
        return instant[11:19] if seconds else instant[11:16]
    return local(instant, zone).strftime("%H:%M:%S" if seconds else "%H:%M")


def day(instant: str, zone: tzinfo) -> date:
    """The day an instant falls on in a zone."""
    return local(instant, zone).date()


def day_words(when: date, beside: date | None = None) -> str:
    """`14 May`, and the year where it is not that of `beside`."""
    words = f"{when.day} {when:%b}"
    return words if beside is None or when.year == beside.year else f"{words} {when.year}"


def until(instant: str, zone: tzinfo, beside: date | None) -> str:
    """A time to come, in at most six cells: `16:00` on the day `beside`, else `15 May`, else its year."""
    when = day(instant, zone)
    if beside is None or when == beside:
        return clock(instant, zone, seconds=False)
    return day_words(when) if when.year == beside.year else f"{when.year:04}"


def in_full(instant: str, zone: tzinfo, beside: date | None) -> str:
    """A time to come with its day where that is not `beside`: `16:00`, `15 May 16:00`, `15 May 2027 16:00`."""
    when, of_day = day(instant, zone), clock(instant, zone, seconds=False)
    return of_day if beside is None or when == beside else f"{day_words(when, beside)} {of_day}"


def span(seconds: float) -> str:
    """How long, in at most six cells: `2 s`, `6 min`, `1 h 32`, `12 h`, `3 days`."""
    if seconds < MINUTE:
        return f"{max(int(seconds), 0)} s"
    if seconds < HOUR:
        return f"{int(seconds // MINUTE)} min"
    hours, minutes = divmod(int(seconds // MINUTE), 60)
    if hours < 10:
        return f"{hours} h {minutes:02}" if minutes else f"{hours} h"
    if seconds < 2 * DAY:
        return f"{hours} h"
    days = int(seconds // DAY)
    return f"{days} days" if days < 10 else f"{days} d" if days < 10_000 else "years"


def left(seconds: float) -> str:
    """What is left, in at most six cells, to the nearest minute, from ten hours on to the nearest hour, then day."""
    minutes = nearest(seconds, MINUTE)
    if minutes < 1:
        return "<1 min"
    if minutes < 10 * 60:
        return span(minutes * MINUTE)
    hours = nearest(seconds, HOUR)
    return span(hours * HOUR if hours < 48 else nearest(seconds, DAY) * DAY)


def unit_of(seconds: float) -> int:
    """The unit in which `left` tells what is left, in seconds."""
    if nearest(seconds, MINUTE) < 10 * 60:
        return MINUTE
    return HOUR if nearest(seconds, HOUR) < 48 else DAY


def about_left(seconds: float, uncertainty: float) -> str:
    """What is left, with `~` before it where the clock is off by more than half of the unit it is told in."""
    if uncertainty <= unit_of(seconds) / 2:
        return left(seconds)
    return f"~{left(max(seconds, MINUTE))}"


def plus_minus(seconds: float) -> str:
    """How far off a clock may be, never told too small: `±0.3 s`, `±4 s`, `±3 min`."""
    tenths = ceil(round(seconds * 10, 6))
    if tenths <= 0:
        return "±0 s"
    if tenths < 10:
        return f"±0.{tenths} s"
    whole = ceil(round(seconds, 6))
    return f"±{whole} s" if whole < MINUTE else f"±{ceil(whole / MINUTE)} min"


def nearest(seconds: float, unit: int) -> int:
    """How many whole units that is; half of one counts as one."""
    return int((seconds + unit / 2) // unit)


def next_left(seconds: float) -> float:
    """After how many seconds `left` says something else, at the earliest; what is left must be positive."""
    if nearest(seconds, MINUTE) < 1:
        return seconds
    unit = unit_of(seconds)
    edges = (10 * HOUR - MINUTE / 2, 2 * DAY - HOUR / 2)
    beyond = (seconds - edge for edge in edges if seconds >= edge)
    return min([(seconds - unit / 2) % unit, *beyond])
