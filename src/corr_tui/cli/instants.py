"""Instants as people type them (§2): a time from now such as `45m` or `1h30m`, a time of day here such as `17:00`,
which is the next one, or a full instant with its zone.
"""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta, tzinfo

from corr_tui.cli.failures import Invalid
from corr_tui.state.snapshot import instant

_FROM_NOW = re.compile(r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?")
_TIME_OF_DAY = re.compile(r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?")


def read_instant(text: str, now: datetime, *, option: str, zone: tzinfo | None = None) -> str:
    """The RFC3339-ms form of what was typed for `option`; raises Invalid when it is none of these forms.

    A time of day is one of `zone`, by default of the zone this machine is in.
    """
    typed = text.strip()
    try:
        moment = _from_now(typed, now) or _next_time_of_day(typed, now, zone) or datetime.fromisoformat(typed)
        if moment.tzinfo is None:
            raise Invalid(f"{option}: an instant needs its zone, as 2026-05-14T16:00Z or 2026-05-14T18:00+02:00")
        return instant(moment)
    except OverflowError:
        raise Invalid(f"{option}: no year beyond 9999") from None
    except ValueError:
        forms = "a time from now, as 45m or 1h30m, a time of day here, as 17:00, or an instant, as 2026-05-14T16:00Z"
        raise Invalid(f"{option}: give {forms}") from None


def read_duration(text: str, *, option: str) -> timedelta:
    """How long what was typed for `option` is; raises Invalid when it is no duration of some length."""
    try:
        duration = _duration(text.strip())
    except OverflowError:
        duration = None
    if not duration:
        raise Invalid(f"{option}: give how long, as 30d or 12h")
    return duration


def _from_now(typed: str, now: datetime) -> datetime | None:
    """The moment that lies a typed duration after `now`, or None when no duration was typed."""
    duration = _duration(typed)
    return None if duration is None else now + duration


def is_time_of_day(text: str) -> bool:
    """Whether what was typed names a time of day, and so leaves open which day is meant."""
    return _TIME_OF_DAY.fullmatch(text.strip()) is not None


def _next_time_of_day(typed: str, now: datetime, zone: tzinfo | None) -> datetime | None:
    """The first moment after `now` at which clocks here show that time, or None when no time of day was typed."""
    if not is_time_of_day(typed):
        return None
    hour, minute, second = map(int, (*typed.split(":"), "0")[:3])
    shown = time(hour, minute, second)
    today = now.astimezone(zone).date()
    for day in (today, today + timedelta(days=1)):
        there = datetime.combine(day, shown)
        moment = there.astimezone() if zone is None else there.replace(tzinfo=zone)
        if moment > now:
            break
    return moment


def _duration(typed: str) -> timedelta | None:
    found = _FROM_NOW.fullmatch(typed)
    if not typed or not found:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
